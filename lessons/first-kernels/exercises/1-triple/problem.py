"""As many threads as there are elements."""

from __future__ import annotations

import numpy as np

from gpubfs.grading import Launch, Problem


def make(rng: np.random.Generator, blocks: int, threads: int, numbered: bool = False) -> Problem:
    """Random elements, or 1, 2, 3, … if they are `numbered`, one for each thread."""
    values = rng.integers(1, 10**8, blocks * threads, dtype=np.int32)
    if numbered:
        values = np.arange(1, values.size + 1, dtype=np.int32)
    return Problem(
        arrays={"in": values, "out": np.full_like(values, -1)},
        launches=(Launch("triple", blocks, threads, ("in", "out")),),
        expected={"out": 3 * values},
    )
