"""Bottom-up steps: one of a search, or all of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpubfs.grading import Launch, Problem
from gpubfs.graphs import Graph
from gpubfs.graphs import graph as make_graph
from gpubfs.graphs.reference import reference_levels

MEANT = "who reads a level meanwhile finds -1 or depth + 1, and neither is a parent's"
FLAG = "all who write it write 1"


def make(
    rng: np.random.Generator, graph: str, block: int, source: int = -1, depth: int = -1
) -> Problem:
    """Return the steps that find all levels; or with `depth` the one that finds depth + 1."""
    made = make_graph(graph.replace("{seed}", str(rng.integers(10**6))))
    begin = made.hub if source < 0 else source
    final = reference_levels(made, begin)
    last = int(final.max())
    steps = range(last + 1) if depth < 0 else range(depth, depth + 1)
    before = np.where(final <= steps.start, final, -1).astype(np.int32)
    after = np.where(final <= steps.stop, final, -1).astype(np.int32)
    nobody = -7
    parents = np.full(made.vertices, nobody, np.int32)
    for v in np.flatnonzero((after >= 0) & (before < 0)):
        parents[v] = first_parent(made, final, int(v))
    launches = tuple(
        Launch(
            "look_back",
            -(-made.vertices // block),
            block,
            ("offsets", "neighbours", "level", "parent", made.vertices, step, f"found{step}"),
        )
        for step in steps
    )
    flags = {f"found{step}": np.int32([step < last]) for step in steps}
    return Problem(
        arrays={
            "offsets": made.offsets,
            "neighbours": made.neighbours,
            "level": before,
            "parent": np.full(made.vertices, nobody, np.int32),
        }
        | {name: np.zeros(1, np.int32) for name in flags},
        launches=launches,
        expected={"level": after, "parent": parents} | flags,
        allow={"level": MEANT} | dict.fromkeys(flags, FLAG),
    )


def first_parent(graph: Graph, levels: NDArray[np.integer], v: int) -> int:
    """Return the first neighbour that is one nearer to the source."""
    own = graph.adjacent(v)
    return int(own[levels[own] == levels[v] - 1][0])
