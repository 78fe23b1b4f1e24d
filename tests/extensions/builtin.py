"""The greatest of three numbers in one instruction: a function of CUDA's as an extension."""

import numpy as np

from simulator import builtins


@builtins.function("unsigned __vimax3_u32(unsigned x, unsigned y, unsigned z)")
def greatest_of_three(x, y, z):
    """Return the greatest of `x`, `y` and `z`."""
    return np.maximum(np.maximum(x, y), z)
