"""R-MAT edges, drawn in portions that fit into caches, by all cores, whatever their number alike.

NumPy's PCG64 can be set to any place of its sequence. So each portion draws the numbers that it
would have if all edges were drawn one after another: the edges depend on the seed alone.

References
----------
Chakrabarti, Zhan, Faloutsos, "R-MAT: A Recursive Model for Graph Mining", SDM 2004.
"""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from gpubfs.graphs.build import Keys, firsts

#: R-MAT quadrant probabilities a, a + b, a + b + c (Graph500).
QUADRANTS = 0.57, 0.76, 0.95

#: Edges that are drawn together: their arrays fit into a core's own cache.
PORTION = 1 << 16

#: What stands for a self loop: greater than every pair, so that sorting puts it last.
LOOP = np.iinfo(np.int64).max

#: How often a pair may be listed before eight bits with a sign overflow.
MOST_LISTINGS = 127


def listed_pairs(scale: int, listed: int, seed: int) -> tuple[Keys, int]:
    """Draw edges between 2**scale vertices, and return the different pairs of them.

    Parameters
    ----------
    scale : int
        The logarithm of the number of vertices to base 2.
    listed : int
        How many edges to draw.
    seed : int
        Seed of the random numbers.

    Returns
    -------
    int64 array, int
        For each pair its smaller vertex in the upper 32 bits and its greater one in the lower 32,
        ascending; and how many pairs are lost because their number of listings, in eight bits with
        a sign, is not positive.

    Examples
    --------
    >>> keys, lost = listed_pairs(2, 6, 1)
    >>> [divmod(int(key), 1 << 32) for key in keys], lost
    ([(1, 2), (1, 3)], 0)
    """
    drawn = np.random.Generator(_at(seed, scale * listed)).permutation(1 << scale)
    labels: NDArray[np.int32] = drawn.astype(np.int32)
    keys = np.empty(listed, np.int64)

    def fill(start: int) -> None:
        portion = keys[start : start + PORTION]
        sources, targets = _ends(scale, listed, seed, start, len(portion))
        _pack(labels[sources], labels[targets], portion)

    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(fill, range(0, listed, PORTION)))
    keys.sort()
    return tallied(keys[: np.searchsorted(keys, LOOP)])


def _at(seed: int, place: int) -> np.random.PCG64:
    return np.random.PCG64(seed).advance(place)


def _ends(
    scale: int, listed: int, seed: int, start: int, size: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Draw edges `start` … `start + size - 1`: all edges' numbers for one bit follow each other."""
    sources, targets = np.zeros((2, size), np.int32)
    draw, lower, right, third = np.empty(size), *np.empty((3, size), bool)
    for bit in reversed(range(scale)):
        np.random.Generator(_at(seed, bit * listed + start)).random(out=draw)
        np.greater_equal(draw, QUADRANTS[1], out=lower)
        np.greater_equal(draw, QUADRANTS[0], out=right)
        np.greater_equal(draw, QUADRANTS[2], out=third)
        right ^= lower
        right ^= third
        for ends, half in ((sources, lower), (targets, right)):
            ends <<= 1
            ends += half
    return sources, targets


def _pack(sources: NDArray[np.int32], targets: NDArray[np.int32], keys: Keys) -> None:
    """Write the key of each pair into `keys`."""
    keys[:] = np.minimum(sources, targets)
    keys <<= 32
    keys |= np.maximum(sources, targets)
    keys[sources == targets] = LOOP


def tallied(keys: Keys) -> tuple[Keys, int]:
    """Return the different ones of ascending keys whose number is positive in eight signed bits.

    Parameters
    ----------
    keys : int64 array of shape (L,)
        A key for each time that a pair is listed.

    Returns
    -------
    int64 array, int
        The keys that are left, and how many are not.

    Examples
    --------
    >>> kept, lost = tallied(np.repeat([5, 7, 9], [127, 128, 256]))
    >>> kept.tolist(), lost
    ([5], 2)
    """
    pairs = keys[firsts(keys)]
    more = len(keys) - MOST_LISTINGS
    often = keys[:more][keys[:more] == keys[MOST_LISTINGS:]] if more > 0 else keys[:0]
    suspects = often[firsts(often)]
    times = np.searchsorted(keys, suspects, "right") - np.searchsorted(keys, suspects)
    lost = suspects[times.astype(np.int8) <= 0]
    return np.delete(pairs, np.searchsorted(pairs, lost)) if len(lost) else pairs, len(lost)
