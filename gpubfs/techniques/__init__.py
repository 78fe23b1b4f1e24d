"""One module per technique: the host code that drives its kernel file."""
