"""A frontier in a status array, and the number of edges that leave it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs.grading import Launch, Problem

#: What the parts hold before the launch: no sum is less than 0.
OPEN = -1


def make(rng: np.random.Generator, vertices: int, blocks: int, block: int, share: float) -> Problem:
    """Vertices of random degrees, of which about `share` are in the frontier."""
    degrees = rng.integers(1, 9, vertices)
    offsets = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int32)
    depth = int(rng.integers(2, 9))
    others = rng.choice([-1, 0, depth - 1, depth + 1], vertices)
    level = np.where(rng.random(vertices) < share, depth, others).astype(np.int32)
    level[-1] = depth  # the last vertex is easily left out
    return Problem(
        arrays={
            "offsets": offsets,
            "level": level,
            "part": np.full(blocks * block, OPEN, np.int32),
        },
        launches=(
            Launch("frontier_edges", blocks, block, ("offsets", "level", vertices, depth, "part")),
        ),
        check=_Sum(int(degrees[level == depth].sum())),
    )


class _Sum:
    """Says what is wrong with the parts, which may be shared out in any way."""

    def __init__(self, edges: int) -> None:
        self.edges = edges

    def __call__(self, found: Mapping[str, NDArray[Any]]) -> str:
        left = np.flatnonzero(found["part"] == OPEN)
        if left.size:
            which = f"part[{left[0]}] is still {OPEN}, as before the launch"
            return f"{which}, as are {left.size} of {found['part'].size}: all threads store a sum"
        added = int(found["part"].sum(dtype=np.int64))
        if added == self.edges:
            return ""
        return f"the parts add up to {added:,}, and the frontier has {self.edges:,} edges"
