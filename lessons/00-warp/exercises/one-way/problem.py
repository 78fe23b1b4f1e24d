"""Elements of four kinds, each of which is mixed with numbers of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs.grading import Launch, Problem

#: What each kind multiplies by, and adds.
FACTORS, ADDED = np.array([5, 9, 13, 17], np.uint32), np.array([1, 3, 5, 7], np.uint32)
#: Threads of a block.
BLOCK = 128


def make(rng: np.random.Generator, count: int, turns: int, numbered: bool = False) -> Problem:
    """`count` elements, which are 1, 2, 3, … if they are `numbered`, mixed `turns` times.

    They are mixed no time at all, too, in a launch before that.
    """
    values = rng.integers(1, 1 << 32, count, dtype=np.uint32)
    if numbered:
        values = np.arange(1, count + 1, dtype=np.uint32)
    kind = np.arange(count) % 4
    mixed = values
    for _ in range(turns):
        mixed = mixed * FACTORS[kind] + ADDED[kind]
    blocks = -(-count // BLOCK)
    return Problem(
        arrays={"in": values, "unmixed": np.zeros_like(values), "out": np.zeros_like(values)},
        launches=(
            Launch("mix", blocks, BLOCK, ("in", count, 0, "unmixed")),
            Launch("mix", blocks, BLOCK, ("in", count, turns, "out")),
        ),
        expected={"out": mixed},
        check=_still,
    )


def _still(found: Mapping[str, NDArray[Any]]) -> str:
    """Return what is wrong with the elements that were not to be mixed."""
    changed = np.flatnonzero(found["unmixed"] != found["in"])
    if not changed.size:
        return ""
    at = int(changed[0])
    got, value = found["unmixed"][at], found["in"][at]
    return f"before that, with turns = 0, out[{at}] is {got}, but no turn leaves it at {value}"
