"""Drivers that were handed in: processes of their own, and what these may ask for."""
