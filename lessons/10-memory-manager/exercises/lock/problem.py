"""Numbers that are sent to lists, each of which keeps its smallest ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpubfs.grading import Launch, Problem

EMPTY = 0x7FFFFFFF


def make(
    rng: np.random.Generator,
    lists: int,
    room: int,
    block: int,
    n: int = 0,
    which: Sequence[int] = (),
    values: Sequence[int] = (),
    to: int = 100,
) -> Problem:
    """Return one launch: numbers as given, or `n` that are drawn below `to`, each to any list."""
    chosen = np.array(which, np.int32) if which else rng.integers(0, lists, n, dtype=np.int32)
    sent = np.array(values, np.int32) if values else rng.integers(0, to, n, dtype=np.int32)
    kept = np.full((lists, room), EMPTY, np.int32)
    for number in range(lists):
        best = np.unique(sent[chosen == number])[:room]
        kept[number, : len(best)] = best
    arrays = {
        "which": chosen,
        "value": sent,
        "lock": np.zeros(lists, np.int32),
        "kept": np.full(lists * room, EMPTY, np.int32),
    }
    args = ("which", "value", len(sent), "lock", "kept", room)
    launch = Launch("keep_smallest", -(-len(sent) // block), block, args)
    expected = {"kept": kept.reshape(-1), "lock": arrays["lock"]}
    return Problem(arrays, (launch,), expected)
