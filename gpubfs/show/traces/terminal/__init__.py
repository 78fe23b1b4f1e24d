"""Traces on a terminal: keys, the screen, and plain printing where there are none."""
