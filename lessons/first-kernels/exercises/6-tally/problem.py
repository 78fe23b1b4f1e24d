"""Elements of which some are above a bound, and one counter for all threads."""

from __future__ import annotations

import numpy as np

from gpubfs.grading import Launch, Problem

#: What the counter holds before the kernel: others have counted, too.
BEFORE = 100


def make(
    rng: np.random.Generator, n: int, blocks: int, threads: int, numbered: bool = False
) -> Problem:
    """`n` elements, about half of them above the bound, and some equal to it."""
    bound = 4 if numbered else int(rng.integers(-50, 50))
    values = rng.integers(bound - 9, bound + 10, n, dtype=np.int32)
    values[:3] = (bound, bound + 1, bound - 1)
    if numbered:
        values = np.arange(n, dtype=np.int32)
    count = BEFORE + int((values > bound).sum())
    launch = Launch("tally", blocks, threads, ("in", n, bound, "count"))
    return Problem(
        arrays={"in": values, "count": np.array([BEFORE], np.int32)},
        launches=(launch,),
        expected={"count": np.array([count], np.int32)},
    )
