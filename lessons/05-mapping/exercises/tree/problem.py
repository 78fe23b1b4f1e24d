"""The degrees of a frontier, and what a warp costs that walks along them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpubfs.grading import Launch, Problem

#: Lanes of a warp.
LANES = 32


def make(
    rng: np.random.Generator,
    blocks: int,
    threads: int,
    degrees: Sequence[int] = (),
    size: int = 0,
    hubs: int = 0,
) -> Problem:
    """Make a frontier of these degrees, or `size` vertices of up to nine edges and some hubs."""
    own = np.array(degrees, np.int64)
    if not own.size:
        own = rng.integers(0, 10, size)
        own[rng.permutation(size)[:hubs]] = rng.integers(100, 70_000, hubs)
        own[-1] = 11  # the last vertex is easily left out
    vertices = 2 * own.size + 70_000
    # Numbers of vertices that no short type holds.
    frontier = np.sort(vertices - 1 - rng.permutation(2 * own.size)[: own.size]).astype(np.int32)
    if not len(degrees):
        frontier = rng.permutation(frontier)
    all_degrees = rng.integers(12, 99, vertices)
    all_degrees[frontier] = own
    offsets = np.concatenate([[0], np.cumsum(all_degrees)]).astype(np.int32)
    of_threads = np.zeros(blocks * threads, np.int64)
    of_threads[: own.size] = own
    warps = of_threads.reshape(-1, LANES)
    turns = warps.max(axis=1)
    idle = LANES * turns - warps.sum(axis=1)
    open_ = np.full(turns.size, -1, np.int32)
    return Problem(
        arrays={"offsets": offsets, "frontier": frontier, "turns": open_, "idle": open_.copy()},
        launches=(
            Launch("cost", blocks, threads, ("offsets", "frontier", own.size, "turns", "idle")),
        ),
        expected={"turns": turns.astype(np.int32), "idle": idle.astype(np.int32)},
    )
