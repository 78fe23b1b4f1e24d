"""The neighbours of a frontier, gathered into one array."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpubfs.grading import Launch, Problem


def make(
    rng: np.random.Generator,
    blocks: int,
    threads: int,
    degrees: Sequence[int],
    size: int,
) -> Problem:
    """Make a frontier of `size` vertices, whose degrees are these again and again."""
    own = np.resize(np.array(degrees, np.int64), size)
    vertices = 2 * size + 3
    frontier = rng.permutation(vertices)[:size].astype(np.int32)
    all_degrees = rng.integers(0, 9, vertices)
    all_degrees[frontier] = own
    offsets = np.concatenate([[0], np.cumsum(all_degrees)]).astype(np.int32)
    neighbours = rng.integers(0, 10**6, int(offsets[-1]) + 1, dtype=np.int32)
    # The vertices' parts of `out` lie in another order than the vertices do.
    order = rng.permutation(size)
    place = np.zeros(size, np.int64)
    place[order] = np.cumsum(own[order]) - own[order]
    expected = np.full(int(own.sum()), -1, np.int32)
    for u, at, degree in zip(frontier, place, own, strict=True):
        expected[at : at + degree] = neighbours[offsets[u] : offsets[u] + degree]
    arguments = ("offsets", "neighbours", "frontier", "place", size, "out")
    return Problem(
        arrays={
            "offsets": offsets,
            "neighbours": neighbours,
            "frontier": frontier,
            "place": place.astype(np.int32),
            "out": np.full_like(expected, -1),
        },
        launches=(Launch("gather", blocks, threads, arguments),),
        expected={"out": expected},
    )
