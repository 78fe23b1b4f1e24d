"""A scan of the status array that gathers one level's vertices in a queue."""

from __future__ import annotations

import numpy as np

from gpubfs.grading import Launch, Problem, Unwritten


def make(
    rng: np.random.Generator, vertices: int, grid: int, block: int, level: tuple[int, ...] = ()
) -> Problem:
    """`vertices` distances, random ones unless they are given; about half are at distance 1."""
    drawn = rng.choice(np.array([-1, 0, 1, 1], np.int32), vertices)
    drawn[rng.integers(vertices)] = 1
    distances = np.array(level or drawn, np.int32)
    found = np.flatnonzero(distances == 1).astype(np.int32)
    arguments = ("level", vertices, 1, "queue", "size")
    return Problem(
        arrays={
            "level": distances,
            "queue": Unwritten(vertices),
            "size": np.zeros(1, np.int32),
        },
        launches=(Launch("gather", grid, block, arguments),),
        expected={"size": np.array([len(found)], np.int32), "queue": found},
        unordered=("queue",),
    )
