"""From a list of edges to sorted CSR arrays, remembering what was merged or left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.integer[Any]]
Keys = NDArray[np.int64]

LOW = np.int64(0xFFFFFFFF)


@dataclass(frozen=True)
class Arrangement:
    """CSR arrays and one sentence for each thing that was not taken over as it was listed."""

    offsets: Integers
    neighbours: NDArray[np.int32]
    notes: tuple[str, ...]


def arrange(
    sources: Integers,
    targets: Integers,
    vertices: int,
    *,
    directed: bool = False,
    loops: bool = False,
    duplicates: bool = False,
    index64: bool = False,
) -> Arrangement:
    """Sort edges into CSR.

    Parameters
    ----------
    sources, targets : integer arrays of shape (L,)
        The ends of the listed edges, all in 0 … `vertices` - 1.
    vertices : int
        The number of vertices.
    directed : bool
        Keep the direction of each edge; otherwise both directions are stored.
    loops : bool
        Keep edges from a vertex to itself.
    duplicates : bool
        Keep repeated edges.
    index64 : bool
        64-bit offsets even where 32 bits would do.

    Returns
    -------
    Arrangement
        Offsets of shape (V + 1,), neighbours of shape (E,) ascending within each vertex.
    """
    notes: list[str] = []
    if not loops:
        proper = sources != targets
        dropped = len(sources) - int(np.count_nonzero(proper))
        if dropped:
            sources, targets = sources[proper], targets[proper]
            notes.append(f"{count(dropped, 'self loop')} left out.")
    if duplicates:
        keys = _every(sources, targets, directed)
    elif directed:
        keys = _distinct(sources, targets, notes)
    else:
        keys = _mirrored(sources, targets, notes)
    return Arrangement(*compress(keys, vertices, index64), tuple(notes))


def pack(sources: Integers, targets: Integers) -> Keys:
    """Make one 64-bit key per edge, which sorts by source and then by target."""
    keys = sources.astype(np.int64)
    keys <<= 32
    keys |= targets
    return keys


def distinct(keys: Keys) -> Keys:
    """Return the different values of ascending `keys`."""
    return keys[firsts(keys)]


def compress(
    keys: Keys, vertices: int, index64: bool = False
) -> tuple[Integers, NDArray[np.int32]]:
    """Return the CSR offsets and neighbours of ascending packed keys."""
    neighbours = keys.astype(np.int32)  # the lower 32 bits
    degrees = np.bincount(keys >> 32, minlength=vertices)
    offsets = np.zeros(vertices + 1, np.int64)
    np.cumsum(degrees, out=offsets[1:])
    return narrow(offsets, index64), neighbours


def narrow(offsets: Integers, index64: bool = False) -> Integers:
    """Store offsets in 32 bits if they fit and 64 were not asked for."""
    wide = index64 or int(offsets[-1]) > np.iinfo(np.int32).max
    return offsets.astype(np.int64 if wide else np.int32, copy=False)


def count(number: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun in the right form.

    >>> count(1, "self loop"), count(2500, "self loop"), count(2, "vertex", "vertices")
    ('1 self loop', '2,500 self loops', '2 vertices')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def firsts(keys: Keys) -> NDArray[np.bool_]:
    """Return where ascending `keys` differ from the one before."""
    first = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    return first


def _every(sources: Integers, targets: Integers, directed: bool) -> Keys:
    keys = pack(sources, targets)
    if not directed:
        proper = sources != targets
        keys = np.concatenate([keys, pack(targets[proper], sources[proper])])
    keys.sort()
    return keys


def _distinct(sources: Integers, targets: Integers, notes: list[str]) -> Keys:
    keys = pack(sources, targets)
    keys.sort()
    kept = distinct(keys)
    if len(kept) < len(keys):
        notes.append(f"{count(len(keys) - len(kept), 'repeated edge')} merged.")
    return kept


def _mirrored(sources: Integers, targets: Integers, notes: list[str]) -> Keys:
    """Return both directions of each pair; the lowest bit of a key is the listed direction."""
    keys = pack(np.minimum(sources, targets), np.maximum(sources, targets).astype(np.int64) * 2)
    keys |= sources > targets
    keys.sort()
    listings = distinct(keys)
    pairs = distinct(listings >> 1)
    if len(listings) < len(keys):
        notes.append(f"{count(len(keys) - len(listings), 'repeated edge')} merged.")
    if len(pairs) < len(listings):
        twice = count(len(listings) - len(pairs), "edge")
        notes.append(f"{twice} listed in both directions, counted once.")
    low, high = pairs >> 31, pairs & np.int64(0x7FFFFFFF)
    return _both(pack(low, high))


def _both(pairs: Keys) -> Keys:
    """Return the keys of both directions of different pairs, ascending; a loop has one."""
    swapped = np.left_shift(pairs, 32)
    swapped |= pairs >> 32
    both = np.concatenate([pairs, swapped[swapped != pairs]])
    both.sort()
    return both


def mirror(pairs: Keys, vertices: int) -> Arrangement:
    """Return the CSR arrays of an undirected graph.

    Parameters
    ----------
    pairs : int64 array of shape (P,)
        The different pairs of neighbours, in any order, each packed once and in one direction.
    vertices : int
        The number of vertices.

    Returns
    -------
    Arrangement
        Each pair in both directions; no notes.

    Examples
    --------
    >>> mirror(pack(np.array([0, 1]), np.array([1, 2])), 3).neighbours
    array([1, 0, 2, 1], dtype=int32)
    """
    return Arrangement(*compress(_both(pairs), vertices), ())


def unreturned(
    offsets: NDArray[np.integer[Any]], neighbours: NDArray[np.int32]
) -> tuple[int, int] | None:
    """Find the smallest edge (u, v) that is stored more often than (v, u), if there is one.

    >>> unreturned(np.array([0, 1, 2]), np.array([1, 0], np.int32)) is None
    True
    >>> unreturned(np.array([0, 1, 1]), np.array([1], np.int32))
    (0, 1)
    """
    sources = np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))
    forward, backward = pack(sources, neighbours), pack(neighbours, sources)
    if np.any(forward[1:] < forward[:-1]):
        forward.sort()
    backward.sort()
    if np.array_equal(forward, backward):
        return None
    return _lonely(forward, backward)


def _lonely(forward: Keys, backward: Keys) -> tuple[int, int]:
    keys, times = np.unique(forward, return_counts=True)
    start = np.searchsorted(backward, keys, side="left")
    stop = np.searchsorted(backward, keys, side="right")
    key = int(keys[np.argmax(times > stop - start)])
    return key >> 32, key & 0xFFFFFFFF
