"""What threads have found, and where it lies in a queue."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs.grading import Launch, Problem, Queue

#: Places of a row, as the kernel says.
EACH = 4
#: What the threads of a small case have found.
SMALL = ((7, -1, -1, -1), (-1, -1, -1, -1), (3, 9, 1, -1), (-1, 4, -1, 8))


def make(
    rng: np.random.Generator,
    rows: int = 0,
    grid: int = 1,
    block: int = 32,
    empty: int = 0,
    ordered: bool = True,
) -> Problem:
    """`rows` rows, or a few small ones; with `empty` only each `empty`-th has anything.

    Without `ordered` nobody looks at the order.
    """
    found = np.array(SMALL)
    if rows:
        vertices = rng.permutation(rows * EACH).reshape(rows, EACH)
        wanted = rng.permutation(np.resize(np.arange(EACH + 1), rows))[:, None]
        keep = rng.permuted(np.broadcast_to(np.arange(EACH), (rows, EACH)), axis=1) < wanted
        if empty:
            keep[np.arange(rows) % empty != rng.integers(empty)] = False
        found = np.where(keep, vertices, -1)
    total = int((found >= 0).sum())
    pieces = _pieces(found, block)
    return Problem(
        arrays={
            "found": found.reshape(-1).astype(np.int32),
            "queue": np.full(found.size, -1, np.int32),
            "size": np.zeros(1, np.int32),
        },
        launches=(Launch("enqueue_all", grid, block, ("found", len(found), "queue", "size")),),
        expected={"size": np.array([total], np.int32)},
        check=lambda end: _wrong(end, pieces, total, ordered),
        queues=(Queue("queue", "size"),),
    )


def _pieces(found: NDArray[Any], block: int) -> list[list[int]]:
    """Return what each block finds in each round, in the order that is wanted."""
    rounds = np.split(found, range(block, len(found), block))
    return [[int(v) for v in rows.reshape(-1) if v >= 0] for rows in rounds]


def _wrong(
    end: Mapping[str, NDArray[Any]], pieces: list[list[int]], total: int, ordered: bool
) -> str:
    """Return what is wrong with the queue, in words."""
    queue = end["queue"][:total].tolist()
    wanted = {v for piece in pieces for v in piece}
    missing = wanted - set(queue)
    if missing:
        return f"vertex {min(missing)} was found and is not in the queue"
    if (end["queue"][total:] != -1).any():
        return "something was written behind the end of the queue"
    return _disorder(queue, pieces) if ordered else ""


def _disorder(queue: list[int], pieces: list[list[int]]) -> str:
    """Return where the queue does not go on as the piece that has begun."""
    behind = {u: v for piece in pieces for u, v in pairwise(piece)}
    for place, (u, v) in enumerate(pairwise(queue)):
        if behind.get(u, v) != v:
            return (
                f"behind vertex {u} in queue[{place}] stands {v}; "
                f"in the order of the block's threads it is {behind[u]}"
            )
    return ""
