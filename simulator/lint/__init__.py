"""Lint: what is legal and probably wrong, as warnings."""
