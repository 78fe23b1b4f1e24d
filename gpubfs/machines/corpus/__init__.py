"""Many CUDA files in front of both compilers: how much the simulator accepts, and why not."""
