"""Lint: what is legal and probably wrong, told as warnings."""
