"""Blocks that gather a frontier through small queues of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpubfs.grading import Launch, Problem, Queue

DEPTH = 3  # the level that is gathered


def make(
    rng: np.random.Generator,
    blocks: int,
    block: int,
    capacity: int,
    levels: Sequence[int] = (),
    vertices: int = 0,
    share: float = 0.0,
) -> Problem:
    """Return the levels given, or `vertices` levels, a `share` of them in the frontier."""
    drawn = np.where(rng.random(vertices) < share, DEPTH, rng.integers(-1, DEPTH, vertices))
    level = np.array(levels or drawn, np.int32)
    frontier = np.flatnonzero(level == DEPTH).astype(np.int32)
    arrays = {
        "level": level,
        "frontier": np.full(len(level), -1, np.int32),
        "frontier_size": np.zeros(1, np.int32),
    }
    args = ("level", len(level), DEPTH, "frontier", "frontier_size", capacity)
    return Problem(
        arrays=arrays,
        launches=(Launch("gather", blocks, block, args, shared=4 * capacity),),
        expected={"frontier_size": np.array([len(frontier)], np.int32), "frontier": frontier},
        unordered=("frontier",),
        queues=(Queue("frontier", "frontier_size"),),
    )
