"""Whether every edge of a CSR graph has its reverse, and if not, which one lacks it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs.graphs import build


def unreturned(
    offsets: NDArray[np.integer[Any]], neighbours: NDArray[np.int32]
) -> tuple[int, int] | None:
    """The smallest edge (u, v) that is stored more often than (v, u), or None if there is none.

    >>> unreturned(np.array([0, 1, 2]), np.array([1, 0], np.int32)) is None
    True
    >>> unreturned(np.array([0, 1, 1]), np.array([1], np.int32))
    (0, 1)
    """
    sources = np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))
    forward, backward = build.pack(sources, neighbours), build.pack(neighbours, sources)
    if np.any(forward[1:] < forward[:-1]):
        forward.sort()
    backward.sort()
    if np.array_equal(forward, backward):
        return None
    return _lonely(forward, backward)


def _lonely(forward: build.Keys, backward: build.Keys) -> tuple[int, int]:
    keys, times = np.unique(forward, return_counts=True)
    start = np.searchsorted(backward, keys, side="left")
    stop = np.searchsorted(backward, keys, side="right")
    key = int(keys[np.argmax(times > stop - start)])
    return key >> 32, key & 0xFFFFFFFF
