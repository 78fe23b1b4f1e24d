"""What generated code calls: C's operators and CUDA's functions, over arrays of lanes."""
