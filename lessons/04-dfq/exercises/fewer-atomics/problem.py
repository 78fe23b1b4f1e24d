"""A whole search by decentralized queues, in one launch; also of graphs on which a queue fills up.

Levels do not show a vertex that was lost from a queue if its neighbours have others in the
frontier. In a star whose leaves have a leaf each, no vertex has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs import graphs
from gpubfs.grading import Launch, Problem, Queue, Unwritten
from gpubfs.graphs import Graph
from gpubfs.search.verify import VerificationError, verify

#: How many vertices a warp finds: one of the two that find many is refused, and those that find few
#: come while it is.
MANY, FEW = (20, 28), (1, 3)
#: And where all find some in each stride: most are refused, close behind each other.
SOME = (1, 12)


def make(
    rng: np.random.Generator,
    graph: str = "",
    legs: bool = False,
    strides: int = 0,
    source: int | None = None,
    blocks: int = 2,
    block: int = 128,
    capacity: int = 64,
    unwritten: bool = False,
    gaps: bool = True,
) -> Problem:
    """Return a search of the graph of that name, or of a star whose leaves have a leaf each.

    In such a star all warps find some of the hub's leaves in each of `strides`, or if there are
    none, few warps find many. Without `gaps`, to visit a place that nobody wrote is a fault, as it
    always is in such a star; with them it does no harm.
    """
    seed = str(rng.integers(1 << 20))
    if legs:
        groups = (
            32 * blocks * (block // 32) * max(strides, 2)
        )  # the first vertex behind all strides
        near = _some(rng, groups) if strides else _many(rng, blocks, block // 32)
        made = _star(rng, groups, near)
    else:
        made = graphs.graph(graph.replace("{seed}", seed))
    start = made.hub if source is None else source
    level = np.full(made.vertices, -1, np.int32)
    level[start] = 0
    room = blocks * capacity
    blank = -1 if legs or not gaps else 0
    queues = ("found", "sub_queues", "sizes", capacity)
    arguments = ("offsets", "neighbours", "level", made.vertices, *queues)
    return Problem(
        arrays={
            "offsets": made.offsets,
            "neighbours": made.neighbours,
            "level": level,
            "found": np.zeros(2, np.int32),
            "sub_queues": Unwritten(room) if unwritten else np.full(room, blank, np.int32),
            "sizes": np.zeros(2 * blocks, np.int32),
        },
        launches=(Launch("dfq_global", blocks, block, arguments),),
        allow={"level": "all who discover a vertex write the same distance"},
        check=lambda found: _wrong(made, start, found) or _unused(found, blank, blocks, block),
        cooperative=True,
        queues=tuple(
            Queue("sub_queues", "sizes", 2 * own, own * capacity, capacity, own)
            for own in range(blocks)
        ),
    )


def _wrong(searched: Graph, source: int, found: Mapping[str, NDArray[Any]]) -> str:
    """Return what is wrong with the levels, in words."""
    try:
        verify(searched, source, found["level"])
    except VerificationError as error:
        return str(error)
    return ""


def _unused(found: Mapping[str, NDArray[Any]], blank: int, blocks: int, block: int) -> str:
    """Return the first block that visits its vertices without a queue, in words.

    Without one there are no atomics at all; the question was how few of them a queue needs.
    """
    reached = np.flatnonzero(found["level"] >= 0)
    owners = reached[reached > 0] // block % blocks
    for own, queue in enumerate(found["sub_queues"].reshape(blocks, -1)):
        if (owners == own).any() and (queue == blank).all():
            return f"block {own} has vertices to visit, but none of them was ever in its sub-queue"
    return ""


def _star(rng: np.random.Generator, hub: int, near: NDArray[Any]) -> Graph:
    """Return a hub, its leaves, and a leaf of each leaf."""
    far = rng.permutation(hub + 1 + np.arange(len(near)))
    return Graph.from_edges(
        np.concatenate([np.full(len(near), hub), near]), np.concatenate([near, far])
    )


def _many(rng: np.random.Generator, blocks: int, warps: int) -> NDArray[Any]:
    """Leaves of the hub, of which two warps of each block find many in the first stride.

    In the second one all others find few.
    """
    near = []
    for block in range(blocks):
        order = block * warps + rng.permutation(warps)
        strides = [(warp, MANY) for warp in order[:2]]
        strides += [(blocks * warps + warp, FEW) for warp in order[2:]]
        for group, most in strides:
            near.append(32 * group + rng.permutation(32)[: rng.integers(*most)])
    return np.concatenate(near)


def _some(rng: np.random.Generator, end: int) -> NDArray[Any]:
    """Leaves of the hub below `end`, some for each warp in each stride."""
    groups = range(0, end, 32)
    return np.concatenate([g + rng.permutation(32)[: rng.integers(*SOME)] for g in groups])
