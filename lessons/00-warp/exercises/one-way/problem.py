"""Elements of four kinds, each of which is mixed with numbers of its kind."""

from __future__ import annotations

import numpy as np

from gpubfs.grading import Launch, Problem

#: What each kind multiplies by, and adds.
FACTORS, ADDED = np.array([5, 9, 13, 17], np.uint32), np.array([1, 3, 5, 7], np.uint32)
#: Threads of a block.
BLOCK = 128


def make(rng: np.random.Generator, count: int, turns: int, numbered: bool = False) -> Problem:
    """`count` elements, which are 1, 2, 3, … if they are `numbered`, mixed `turns` times."""
    values = rng.integers(1, 1 << 32, count, dtype=np.uint32)
    if numbered:
        values = np.arange(1, count + 1, dtype=np.uint32)
    kind = np.arange(count) % 4
    mixed = values
    for _ in range(turns):
        mixed = mixed * FACTORS[kind] + ADDED[kind]
    return Problem(
        arrays={"in": values, "out": np.zeros_like(values)},
        launches=(Launch("mix", -(-count // BLOCK), BLOCK, ("in", count, turns, "out")),),
        expected={"out": mixed},
    )
