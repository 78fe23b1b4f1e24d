"""Hints: what was probably meant, and what CUDA has and the simulator has not; mostly tables."""
