"""Three witnesses of the same counters: the simulator, kernels that count, and the hardware.

What the two others said on a GPU is recorded and comes with the package, so that the simulator can
be held against it anywhere.
"""
