"""Blocks in which each thread needs its neighbour's element, too."""

from __future__ import annotations

import numpy as np

from gpubfs.grading import Launch, Problem


def make(
    rng: np.random.Generator, blocks: int, threads: int = 0, numbered: bool = False
) -> Problem:
    """Random elements, or 1, 2, 3, … if they are `numbered`; for 0 chance chooses the threads."""
    threads = threads or int(rng.integers(40, 100)) * 2 + 1
    values = rng.integers(1, 10**9, (blocks, threads), dtype=np.int32)
    if numbered:
        values = np.arange(1, values.size + 1, dtype=np.int32).reshape(blocks, threads)
    sums = values + np.roll(values, -1, axis=1)
    return Problem(
        arrays={"in": values.reshape(-1), "out": np.full(values.size, -1, np.int32)},
        launches=(Launch("together", blocks, threads, ("in", "out")),),
        expected={"out": sums.reshape(-1)},
    )
