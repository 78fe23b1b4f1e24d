"""Elements of which threads have several."""

from __future__ import annotations

import numpy as np

from gpubfs.grading import Launch, Problem


def make(rng: np.random.Generator, blocks: int, threads: int, n: int = 0) -> Problem:
    """`n` elements, about half of them negative; for 0 chance chooses four to five a thread."""
    n = n or int(rng.integers(4 * blocks * threads + 1, 5 * blocks * threads))
    values = rng.integers(-(10**9), 10**9, n, dtype=np.int32)
    values[:3] = (-1, 1, 0)
    return Problem(
        arrays={"in": values, "out": np.full_like(values, -2)},
        launches=(Launch("clamp", blocks, threads, ("in", n, "out")),),
        expected={"out": np.maximum(values, 0)},
    )
