"""Work distribution: which threads look at which edges of the frontier."""
