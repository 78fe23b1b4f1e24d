"""Arrays that cases are made of, seeded, and what many of them expect."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.kernels.harnesses import blocks, integers, normal

__all__ = ["blocks", "bytes_of", "integers", "normal", "nothing", "uniform"]


def uniform(*shape: int, seed: int = 1, of: str = "float32") -> NDArray[Any]:
    """Return numbers from 0 to 1."""
    return np.random.default_rng(seed).random(shape).astype(of)


def nothing(*shape: int, of: str = "float32") -> NDArray[Any]:
    """Return an array that a kernel is to fill: numbers that are no results."""
    return np.full(shape, 77, of)


def bytes_of(*shape: int, seed: int = 1) -> NDArray[np.uint8]:
    """Return bytes."""
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)
