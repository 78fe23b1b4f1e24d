"""A bottom-up pass over a queue, of which some warps' first vertices look longer than others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs.grading import Launch, Problem

#: The distance that the pass gives.
DEPTH = 3
#: Vertices at the distance before.
PARENTS = 40
#: The most neighbours of a vertex, and those that are looked at in vain where `long` says so.
MOST, LONG = 8, 200
#: Lanes of a warp, and the warps one of which is the first to have vertices with long lists.
LANES, WARPS = 32, 6


def make(rng: np.random.Generator, size: int, blocks: int, block: int, long: int = 0) -> Problem:
    """Return a pass over `size` vertices, of which `long` have long lists, one after another.

    These begin at the first vertex of a warp that chance chooses: who shares out the queue before
    the launch does not know whom to spare.

    Three vertices of four have a parent, at any place among their neighbours; the first and the
    last have one, too.
    """
    unvisited = np.sort(rng.permutation(PARENTS + size)[:size]).astype(np.int32)
    parents = np.setdiff1d(np.arange(PARENTS + size, dtype=np.int32), unvisited)
    heavy = LANES * int(rng.integers(WARPS)) if long else 0
    lists: list[NDArray[np.int32]] = [np.zeros(0, np.int32)] * (PARENTS + size)
    level = np.full(PARENTS + size, -1, np.int32)
    level[parents] = DEPTH - 1
    expected = level.copy()
    for place, v in enumerate(unvisited.tolist()):
        is_long = heavy <= place < heavy + long
        length = LONG if is_long else int(rng.integers(1, MOST))
        own = rng.choice(unvisited, length)
        if rng.random() < 0.75 or place in (0, size - 1):
            own[-1 if is_long else rng.integers(length)] = rng.choice(parents)
            expected[v] = DEPTH
        lists[v] = own
    offsets = np.concatenate(([0], np.cumsum([len(own) for own in lists]))).astype(np.int32)
    arguments = ("offsets", "neighbours", "level", "queue", size, DEPTH, "taken")
    return Problem(
        arrays={
            "offsets": offsets,
            "neighbours": np.concatenate(lists).astype(np.int32),
            "level": level,
            "queue": unvisited,
            "taken": np.array([blocks * block], np.int32),
        },
        launches=(Launch("fetch", blocks, block, arguments),),
        expected={"level": expected},
        allow={"level": "a read that meets a write finds -1 or next_depth, no parent"},
        check=lambda found: _taken(found, size),
    )


def _taken(found: Mapping[str, NDArray[Any]], size: int) -> str:
    """Say that places were left in the counter, if they were."""
    taken = int(found["taken"][0])
    if taken >= size:
        return ""
    return (
        f"taken is {taken} at the end, and the queue has {size} places: who took the others "
        "without counting them?"
    )
