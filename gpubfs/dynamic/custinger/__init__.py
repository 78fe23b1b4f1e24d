"""cuSTINGER: an array of edges for each vertex, which the host allocates and replaces."""
