"""One level of a search, expanded by groups of lanes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpubfs.grading import Launch, Problem


def make(
    rng: np.random.Generator,
    degrees: Sequence[int],
    width: int,
    blocks: int,
    threads: int,
    repeat: int = 1,
    in_order: bool = False,
    depth: int = 0,
    far: int = 0,
) -> Problem:
    """Make a frontier whose vertices have these degrees, `repeat` times over, in any order.

    With `in_order` the neighbours of a vertex follow one another, and none has a level yet, so
    that lanes which look at neighbouring edges look at neighbouring levels, too. Before all of them
    there are `far` vertices, and one of them has as many neighbours.
    """
    depth = depth or int(rng.integers(2, 50))
    frontier_degrees = rng.permutation(np.tile(np.array(degrees, np.int64), repeat))
    vertices = 4 * int(frontier_degrees.sum()) + 64
    frontier = far + rng.permutation(vertices)[: frontier_degrees.size].astype(np.int32)
    vertices += far
    all_degrees = np.zeros(vertices, np.int64)
    if not in_order:  # of vertices that are not in the frontier, whose neighbours must stay
        all_degrees[far:] = rng.integers(0, 4, vertices - far)
    all_degrees[0] += far
    all_degrees[frontier] = frontier_degrees
    offsets = np.concatenate([[0], np.cumsum(all_degrees)]).astype(np.int32)
    level = np.full(vertices, -1, np.int32)
    if in_order:
        neighbours = np.arange(offsets[-1], dtype=np.int32)
    else:
        neighbours = rng.integers(0, vertices, offsets[-1], dtype=np.int32)
        older = rng.random(vertices) < 0.3
        level[older] = rng.integers(0, depth + 1, int(older.sum()))
    level[frontier] = depth - 1
    expected = level.copy()
    for u in frontier:
        found = neighbours[offsets[u] : offsets[u + 1]]
        expected[found[expected[found] < 0]] = depth
    arguments = ("offsets", "neighbours", "frontier", frontier.size, width, depth, "level")
    return Problem(
        arrays={"offsets": offsets, "neighbours": neighbours, "frontier": frontier, "level": level},
        launches=(Launch("expand", blocks, threads, arguments),),
        expected={"level": expected},
        allow={"level": "all that find a vertex write the same level"},
    )
