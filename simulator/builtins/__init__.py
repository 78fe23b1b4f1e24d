"""The functions that CUDA brings: their names, and how each types its arguments."""
