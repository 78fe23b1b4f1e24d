"""Frontier generation: who is in the next frontier, and how does it get into a queue."""
