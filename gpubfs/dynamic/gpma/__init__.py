"""GPMA: one sorted array of all edges with gaps, and the search that goes through it."""
