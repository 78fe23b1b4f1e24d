"""Repairs of small graphs by the kernels in kernel.cu, after an edge or two came or went."""

from __future__ import annotations

import numpy as np

from gpubfs import graphs
from gpubfs.grading import Launch, Problem
from gpubfs.graphs import Graph
from gpubfs.graphs.reference import reference_levels

BLOCK = 64


def tree(vertices: int) -> Graph:
    """Return the binary tree in which the children of v are 2 v + 1 and 2 v + 2."""
    child = np.arange(1, vertices)
    return Graph.from_edges((child - 1) // 2, child)


def ring(vertices: int) -> Graph:
    """Return a ring: each vertex and the next one, the last and the first."""
    v = np.arange(vertices)
    return Graph.from_edges(v, (v + 1) % vertices)


OWN = {"tree": tree, "ring": ring}


def make(
    rng: np.random.Generator,
    graph: str,
    inserted: list[list[int]] | None = None,
    deleted: list[list[int]] | None = None,
) -> Problem:
    """Return the repair of levels from vertex 0, after insertions or after deletions."""
    kind, _, size = graph.partition(":")
    old = OWN[kind](int(size)) if kind in OWN else graphs.graph(graph)
    tails = np.repeat(np.arange(old.vertices), old.degrees)
    ends = np.stack([tails, old.neighbours], axis=1).tolist()
    gone = {frozenset(pair) for pair in deleted or ()}
    ends = [pair for pair in ends if frozenset(pair) not in gone] + (inserted or [])
    after = Graph.from_edges(*np.array(ends).T, vertices=old.vertices)
    level = reference_levels(old, 0).astype(np.int32)
    before, flags = level.copy(), np.zeros(old.vertices, np.int32)
    for a, b in (inserted or []) + (deleted or []):
        for tail, head in ((a, b), (b, a)):
            if deleted and before[tail] + 1 == before[head]:
                flags[head] = 1
            if inserted and before[tail] + 1 < level[head]:
                flags[head], level[head] = 1, before[tail] + 1
    name, flag = ("forget", "suspect") if deleted else ("lower", "changed")
    arguments = ("offsets", "neighbours", "level", flag, old.vertices)
    grid = -(-old.vertices // BLOCK)
    wanted = {} if deleted else {"level": reference_levels(after, 0).astype(np.int32)}
    return Problem(
        arrays={
            "offsets": after.offsets,
            "neighbours": after.neighbours,
            "level": level,
            flag: flags,
            "touched": np.zeros(1, np.int32),
        },
        launches=tuple(
            Launch(name, grid, BLOCK, (*arguments, depth, "touched"))
            for depth in range(int(before.max()) + 1)
        ),
        expected=wanted,
    )
