"""Similarity of what a class handed in: pairs that share passages, for a person to look at."""
