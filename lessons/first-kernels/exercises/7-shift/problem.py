"""An array that one block moves by one place."""

from __future__ import annotations

import numpy as np

from gpubfs.grading import Launch, Problem


def make(rng: np.random.Generator, threads: int, n: int = 0) -> Problem:
    """`n` elements, which chance chooses for 0."""
    n = n or int(rng.integers(100, threads - 1))
    values = rng.integers(-(10**9), 10**9, n, dtype=np.int32)
    moved = np.append(values[:1], values[:-1])
    return Problem(
        arrays={"a": values},
        launches=(Launch("shift", 1, threads, ("a", n)),),
        expected={"a": moved},
    )
