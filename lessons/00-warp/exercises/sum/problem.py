"""Sums of the parts of an array, one for each block."""

from __future__ import annotations

import numpy as np

from gpubfs.grading import Launch, Problem


def make(rng: np.random.Generator, count: int, threads: int, numbered: bool = False) -> Problem:
    """`count` elements, which are 1, 2, 3, … if they are `numbered`, for blocks of `threads`."""
    values = rng.integers(-(10**5), 2 * 10**6, count, dtype=np.int32)
    if numbered:
        values = np.arange(1, count + 1, dtype=np.int32)
    begins = np.arange(0, count, threads)
    return Problem(
        arrays={"in": values, "out": np.full(begins.size, -1, np.int32)},
        launches=(Launch("sum", begins.size, threads, ("in", count, "out")),),
        expected={"out": np.add.reduceat(values, begins)},
    )
