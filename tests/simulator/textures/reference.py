"""What fetches give, thread by thread, after the appendix of CUDA's guide on texture fetching."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

WRAP, CLAMP, MIRROR, BORDER = 0, 1, 2, 3


def folded(x: float, mode: int, normalised: bool) -> float:
    """A normalised coordinate in the range of the texture, where its mode says so."""
    if not normalised or mode not in (WRAP, MIRROR):
        return x
    whole = math.floor(x)
    fraction = x - whole
    return 1 - fraction if mode == MIRROR and whole % 2 else fraction


def texel(values: NDArray[Any], place: tuple[int, ...], modes: tuple[int, ...]) -> Any:
    """The texel at a place (x first), by the address modes where it is outside."""
    inside = []
    for at, size, mode in zip(place, values.shape[: len(place)][::-1], modes, strict=True):
        if mode == BORDER and not 0 <= at < size:
            return np.zeros(values.shape[len(place) :], values.dtype)
        inside.append(at % size if mode == WRAP else min(max(at, 0), size - 1))
    return values[tuple(reversed(inside))]


def sampled(
    values: NDArray[Any],
    where: tuple[float, ...],
    modes: tuple[int, ...],
    filters: bool = False,
    normalised: bool = False,
) -> Any:
    """What a texture of `values` (z, y, x, then channels) has at a point (x, y, z)."""
    if not normalised:
        modes = tuple(CLAMP if mode in (WRAP, MIRROR) else mode for mode in modes)
    sizes = values.shape[: len(where)][::-1]
    scaled = [
        folded(x, mode, normalised) * (size if normalised else 1)
        for x, mode, size in zip(where, modes, sizes, strict=True)
    ]
    if not filters:
        return texel(values, tuple(math.floor(x) for x in scaled), modes)
    low = [math.floor(x - 0.5) for x in scaled]
    weights = [round((x - 0.5 - i) * 256) / 256 for x, i in zip(scaled, low, strict=True)]
    total: Any = 0
    for steps in product((0, 1), repeat=len(where)):
        parts = zip(weights, steps, strict=True)
        weight = math.prod(w if step else 1 - w for w, step in parts)
        place = tuple(i + step for i, step in zip(low, steps, strict=True))
        total = total + weight * texel(values, place, modes).astype(np.float64)
    return total
