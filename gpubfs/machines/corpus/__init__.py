"""Many CUDA files in front of both compilers: how much of them the simulator accepts, and why not."""
