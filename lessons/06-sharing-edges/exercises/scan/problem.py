"""Exclusive prefix sums of the parts of an array, one for each block."""

from __future__ import annotations

import numpy as np

from gpubfs.grading import Launch, Problem

#: The degrees of the lesson's question.
QUESTION = (1, 5, 0, 2)


def make(rng: np.random.Generator, count: int = 0, threads: int = 32, ones: float = 0.0) -> Problem:
    """`count` elements for blocks of `threads`; without a count those of the question.

    With `ones` this share of them are 1 and all others 0.
    """
    values = rng.integers(-(10**5), 2 * 10**6, count) * (rng.random(count) < 0.8)
    if ones:
        values = (rng.random(count) < ones).astype(np.int64)
    if not count:
        values = np.array(QUESTION)
    parts = np.split(values, range(threads, values.size, threads))
    before = [np.cumsum(part) - part for part in parts]
    return Problem(
        arrays={
            "in": values.astype(np.int32),
            "out": np.full(values.size, -1, np.int32),
            "totals": np.full(len(parts), -1, np.int32),
        },
        launches=(Launch("scan", len(parts), threads, ("in", values.size, "out", "totals")),),
        expected={
            "out": np.concatenate(before).astype(np.int32),
            "totals": np.array([part.sum() for part in parts], np.int32),
        },
    )
