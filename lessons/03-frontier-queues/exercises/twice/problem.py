"""One level of a search, with frontier vertices that share neighbours, or that do not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpubfs.grading import Launch, Problem, Queue, Unwritten

#: The frontier's distance; what is found gets the next one.
DEPTH = 4

#: New vertices that a thread has alone, before the shared one.
ALONE = 2

#: Neighbours that another thread, who sees that they are visited, has before the shared one. It
#: comes later in lockstep; but where warps make one memory operation in turn, one of these brings
#: both there at the same time, whatever appending costs.
SEEN = (5, 6, 4, 7)


def make(rng: np.random.Generator, frontier: int, shared: bool, block: int) -> Problem:
    """Return one launch on a part of a graph: the frontier, and what it is adjacent to.

    A thread's vertex is adjacent to three new vertices. In `shared` graphs this is so for every
    other warp; the vertices of those between are adjacent to some of the frontier, and then to the
    last new vertex of the thread 32 before. All names are drawn, so that nothing is in any order.
    """
    lists, found = _adjacent(frontier, shared)
    name = rng.permutation(frontier + found).astype(np.int32)
    heads, new = name[:frontier], name[frontier:]
    offsets, neighbours = _rows(heads, [name[own] for own in lists])
    level = np.full(len(name), -1, np.int32)
    level[heads] = DEPTH
    queues = ("frontier", frontier, "next", "next_size", DEPTH + 1)
    arguments = ("offsets", "neighbours", "level", *queues)
    room = 4 * block * (max(SEEN) + 1)
    return Problem(
        arrays={
            "offsets": offsets,
            "neighbours": neighbours,
            "level": level,
            "frontier": heads,
            "next": Unwritten(2 * found),
            "next_size": np.zeros(1, np.int32),
        },
        launches=(Launch("expand", -(-frontier // block), block, arguments, shared=room),),
        expected={
            "next_size": np.array([found], np.int32),
            "next": new,
            "level": np.where(level < 0, DEPTH + 1, level).astype(np.int32),
        },
        unordered=("next",),
        queues=(Queue("next", "next_size"),),
        allow={"level": "a plain read before the swap only spares it"},
    )


def _adjacent(frontier: int, shared: bool) -> tuple[list[list[int]], int]:
    """Return what each thread's vertex is adjacent to, and how many new vertices there are.

    The frontier is numbered from 0, new vertices from its end.
    """
    stride = min(32, frontier // 2)
    lists: list[list[int]] = []
    found = 0
    for thread in range(frontier):
        if shared and thread // stride % 2:
            seen = SEEN[thread // stride // 2 % len(SEEN)]
            others = [(thread + k) % frontier for k in range(1, seen + 1)]
            lists.append([*others, lists[thread - stride][-1]])
        else:
            first = frontier + found
            lists.append(list(range(first, first + ALONE + 1)))
            found += ALONE + 1
    return lists, found


def _rows(
    heads: NDArray[np.int32], adjacent: list[NDArray[np.int32]]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """CSR arrays of the frontier's edges; new vertices have none."""
    vertices = 1 + max(int(heads.max()), *(int(own.max()) for own in adjacent))
    degrees = np.zeros(vertices, np.int32)
    degrees[heads] = [len(own) for own in adjacent]
    offsets = np.concatenate(([0], np.cumsum(degrees))).astype(np.int32)
    return offsets, np.concatenate([adjacent[i] for i in np.argsort(heads)])
