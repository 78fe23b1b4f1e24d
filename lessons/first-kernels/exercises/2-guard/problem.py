"""Elements for which whole blocks have too many threads."""

from __future__ import annotations

import numpy as np

from gpubfs.grading import Launch, Problem


def make(rng: np.random.Generator, blocks: int, threads: int, n: int = 0) -> Problem:
    """`n` elements; chance chooses for 0, so that the last block is a part full."""
    n = n or int(rng.integers((blocks - 1) * threads + 1, blocks * threads - 1))
    values = rng.integers(2, 30_000, n, dtype=np.int32)
    return Problem(
        arrays={"in": values, "out": np.full_like(values, -1)},
        launches=(Launch("square", blocks, threads, ("in", n, "out")),),
        expected={"out": values * values},
    )
