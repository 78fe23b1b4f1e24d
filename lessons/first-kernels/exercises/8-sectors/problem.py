"""Eight elements for each thread."""

from __future__ import annotations

import numpy as np

from gpubfs.grading import Launch, Problem

#: Elements of a thread, as the kernel says.
EACH = 8


def make(rng: np.random.Generator, blocks: int, threads: int) -> Problem:
    """Random elements, to each of which one is added."""
    values = rng.integers(-(10**9), 10**9, blocks * threads * EACH, dtype=np.int32)
    return Problem(
        arrays={"in": values, "out": np.full_like(values, 2**31 - 1)},
        launches=(Launch("increase", blocks, threads, ("in", "out")),),
        expected={"out": values + np.int32(1)},
    )
