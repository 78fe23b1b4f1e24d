"""Random simple graphs with given degrees: any two vertices may be joined."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpubfs.graphs import build

Numbers = NDArray[np.int64]

#: A vertex of more than the root of all degrees' sum, over this, chooses its neighbours first.
FREE = 3

#: How many of them see the others in the same random order.
SHARED = 32

#: How often loops and repeated edges are drawn again.
ROUNDS = 12


def joined(degrees: Numbers, rng: np.random.Generator) -> Numbers:
    """Return the edges of an undirected graph with these degrees, shape (2, edges).

    Where no simple graph has them, or none was found, some vertices have fewer.
    """
    left = degrees.copy()
    hubs = by_hubs(left, left, threshold(left), rng)
    stubs = np.repeat(np.arange(len(left)), left)
    stubs = stubs[: len(stubs) - len(stubs) % 2]
    half = len(stubs) // 2
    rest = _simple(rng.permutation(stubs).reshape(2, half), rng, directed=False)
    return np.concatenate([hubs, rest], axis=1)


def directed(leaving: Numbers, entering: Numbers, rng: np.random.Generator) -> Numbers:
    """Return the edges of a directed graph with these degrees, as `joined` does."""
    out, into = leaving.copy(), entering.copy()
    hubs = by_hubs(out, into, threshold(out), rng)
    popular = by_hubs(into, out, threshold(into), rng)[::-1]
    sources = np.repeat(np.arange(len(out)), out)
    targets = rng.permutation(np.repeat(np.arange(len(into)), into))
    size = min(len(sources), len(targets))
    pairs = np.stack([rng.permutation(sources)[:size], targets[:size]])
    return np.concatenate([hubs, popular, _simple(pairs, rng, directed=True)], axis=1)


def nets(left: Numbers, above: int, rng: np.random.Generator) -> Numbers:
    """Join the vertices of a degree above a threshold to any of the others; count all down."""
    hubs = by_hubs(left, left, threshold(left), rng)
    high = left > above
    sources = np.repeat(np.flatnonzero(high), left[high])
    targets = rng.permutation(np.repeat(np.flatnonzero(~high), left[~high]))
    size = min(len(sources), len(targets))
    pairs = np.stack([sources[:size], targets[:size]])
    found = _simple(pairs, rng, directed=True)
    left[high] = 0
    left -= np.bincount(found[1], minlength=len(left))
    return np.concatenate([hubs, found], axis=1)


def threshold(degrees: Numbers) -> int:
    """Return the degree above which random pairs would often repeat."""
    return int(np.sqrt(degrees.sum()) / FREE)


def by_hubs(left: Numbers, others: Numbers, above: int, rng: np.random.Generator) -> Numbers:
    """Join the vertices of a degree above a threshold, the highest first, and count them down.

    Each takes different partners, in proportion to what `others` has left of them, which may be
    the same array.
    """
    hubs = np.flatnonzero(left > above)
    hubs = hubs[np.argsort(-left[hubs], kind="stable")]
    found = [np.zeros((2, 0), np.int64)]
    for start in range(0, len(hubs), SHARED):
        order = rng.permutation(len(left))
        weights = others[order]
        place = np.argsort(order)[hubs[start : start + SHARED]]
        for at, hub in zip(place, hubs[start : start + SHARED], strict=True):
            wanted = weights[at] if left is others else left[hub]
            kept, weights[at] = (0 if left is others else weights[at]), 0
            left[hub] = 0
            near = sample(weights, int(wanted), rng)
            weights[near] -= 1
            weights[at] = kept
            found.append(np.stack([np.full(len(near), hub), order[near]]))
        others[order] = weights
    return np.concatenate(found, axis=1)


def sample(weights: Numbers, size: int, rng: np.random.Generator) -> Numbers:
    """Draw different indices in proportion to whole weights; fewer if too few are positive.

    Those that are due for more than once are taken for sure, and the others systematically: one
    from each equal piece of the sum of the weights, which stand in a random order.

    >>> sample(np.array([9, 0, 1, 1]), 3, np.random.default_rng(1))
    array([0, 2, 3])
    """
    if size >= np.count_nonzero(weights):
        return np.flatnonzero(weights)
    sure = [np.zeros(0, np.int64)]
    total = int(weights.sum())
    while size and int(weights.max()) * size >= total:
        sure.append(np.flatnonzero(weights * size >= total))
        weights = weights.copy()
        weights[sure[-1]] = 0
        size, total = size - len(sure[-1]), int(weights.sum())
    if size == 0:
        return np.concatenate(sure)
    piece = (np.arange(size) * total + int(rng.integers(total))) // size
    return np.concatenate([*sure, np.searchsorted(np.cumsum(weights), piece, side="right")])


def _simple(pairs: Numbers, rng: np.random.Generator, *, directed: bool) -> Numbers:
    """Mix pairs that are loops or repeat others with other pairs, until none of them is left."""
    good, loose = _divided(np.zeros(0, np.int64), _keys(pairs, directed))
    for _ in range(ROUNDS):
        if not len(loose):
            break
        chosen = np.unique(rng.integers(0, max(1, len(good)), len(loose)))[: len(good)]
        ends = _ends(np.concatenate([loose, good[chosen]]))
        if directed:
            ends[1] = rng.permutation(ends[1])
        else:
            ends = rng.permutation(ends.ravel()).reshape(2, -1)
        good, loose = _divided(np.delete(good, chosen), _keys(ends, directed))
    return _ends(good)


def _keys(pairs: Numbers, directed: bool) -> Numbers:
    """Return pairs as ascending keys; the order of a pair's ends does not count if undirected."""
    return np.sort(build.pack(*(pairs if directed else np.sort(pairs, axis=0))))


def _ends(keys: Numbers) -> Numbers:
    return np.stack([keys >> 32, keys & build.LOW])


def _divided(good: Numbers, keys: Numbers) -> tuple[Numbers, Numbers]:
    """Add keys to others, both ascending; return all good ones, and the loops and repetitions."""
    first = np.diff(keys, prepend=-1) > 0
    if len(good):
        at = np.minimum(np.searchsorted(good, keys), len(good) - 1)
        first &= good[at] != keys
    first &= (keys >> 32) != (keys & build.LOW)
    return np.sort(np.concatenate([good, keys[first]]), kind="stable"), keys[~first]
