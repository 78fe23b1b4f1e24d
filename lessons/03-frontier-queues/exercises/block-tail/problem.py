"""A scan of the status array that gathers one level's vertices in a queue."""

from __future__ import annotations

import numpy as np

from gpubfs.grading import Launch, Problem, Queue, Unwritten


def make(
    rng: np.random.Generator,
    vertices: int,
    grid: int,
    block: int,
    level: tuple[int, ...] = (),
    depth: int = 1,
    share: float = 0.5,
) -> Problem:
    """`vertices` distances, random ones unless they are given: a `share` of them is `depth`."""
    others = rng.choice(np.array([-1, depth - 1, depth + 1], np.int32), vertices)
    drawn = np.where(rng.random(vertices) < share, depth, others)
    drawn[rng.integers(vertices)] = depth
    distances = np.array(level or drawn, np.int32)
    found = np.flatnonzero(distances == depth).astype(np.int32)
    arguments = ("level", vertices, depth, "queue", "size")
    return Problem(
        arrays={
            "level": distances,
            "queue": Unwritten(vertices),
            "size": np.zeros(1, np.int32),
        },
        launches=(Launch("gather", grid, block, arguments),),
        expected={"size": np.array([len(found)], np.int32), "queue": found},
        unordered=("queue",),
        queues=(Queue("queue", "size"),),
    )
