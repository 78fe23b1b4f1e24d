"""Measurements of searches: comparisons, times, a kernel's lines, and what the hardware counts."""
