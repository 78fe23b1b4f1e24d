"""Levels of a repair after deletions, a launch each, from the source outwards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs import graphs
from gpubfs.grading import Launch, Problem, Queue
from gpubfs.graphs import Graph
from gpubfs.graphs.reference import reference_levels

BLOCK = 64


def make(
    rng: np.random.Generator,
    graph: str = "",
    edges: list[list[int]] | None = None,
    deleted: list[list[int]] | None = None,
    random: int = 0,
    hub: bool = False,
    tail: int = 0,
    blocks: int = 0,
) -> Problem:
    """Return a repair of a graph of that name, or of these edges, searched from vertex 0.

    Besides the edges of `deleted`, `random` ones of the graph go. The search begins at the `hub` if
    that is asked for. A path of `tail` more vertices hangs on the
    last one. There are so many `blocks`, or a thread for each vertex.
    """
    seed = str(rng.integers(1 << 20))
    named = graphs.graph(graph.replace("{seed}", seed)) if graph else None
    old = Graph.from_edges(*np.array(edges).T) if named is None else named
    source = old.hub if hub else 0
    old = _with_tail(old, tail)
    tails = np.repeat(np.arange(old.vertices), old.degrees)
    ends = np.stack([tails, old.neighbours], axis=1)
    gone = {tuple(sorted(pair)) for pair in deleted or ()}
    drawn = ends[rng.permutation(len(ends))[:random]].tolist()
    gone |= {tuple(sorted(pair)) for pair in drawn}
    kept = np.array([tuple(sorted(pair)) not in gone for pair in ends.tolist()])
    after = Graph.from_edges(*ends[kept].T, vertices=old.vertices)
    level = reference_levels(old, source).astype(np.int32)
    heads = {b for pair in gone for a, b in (pair, pair[::-1]) if level[a] + 1 == level[b] > 0}
    depths = int(level.max()) + 1
    wanted, queues = _decided(after, level, heads, depths)
    suspects = np.full((depths + 1) * old.vertices, -1, np.int32)
    sizes, mark = np.zeros(depths + 1, np.int32), np.zeros(old.vertices, np.int32)
    for head in rng.permutation(sorted(heads)).tolist():
        suspects[level[head] * old.vertices + sizes[level[head]]] = head
        sizes[level[head]] += 1
        mark[head] = 1
    names = ("offsets", "neighbours", "level", "suspects", "sizes", "mark", old.vertices)
    grid = blocks or -(-old.vertices // BLOCK)

    def check(found: Mapping[str, NDArray[Any]]) -> str:
        return _wrong(found, old.vertices, queues)

    return Problem(
        arrays={
            "offsets": after.offsets,
            "neighbours": after.neighbours,
            "level": level,
            "suspects": suspects,
            "sizes": sizes,
            "mark": mark,
        },
        launches=tuple(
            Launch("decide", grid, BLOCK, (*names, depth)) for depth in range(1, depths)
        ),
        expected={"level": wanted, "sizes": np.array([len(queue) for queue in queues], np.int32)},
        allow={"level": "vertices of this level lose it, and others ask for the ones beside it"},
        check=check,
        queues=tuple(
            Queue("suspects", "sizes", depth, depth * old.vertices, old.vertices)
            for depth in range(depths + 1)
        ),
    )


def _with_tail(graph: Graph, many: int) -> Graph:
    """Return the graph with a path of so many more vertices behind its last one."""
    tails = np.repeat(np.arange(graph.vertices), graph.degrees)
    more = graph.vertices - 1 + np.arange(many)
    ends = np.append(tails, more), np.append(graph.neighbours, more + 1)
    return Graph.from_edges(*ends, vertices=graph.vertices + many)


def _decided(
    graph: Graph, level: NDArray[np.int32], heads: set[int], depths: int
) -> tuple[NDArray[np.int32], list[set[int]]]:
    """Return what levels are left, and the suspects of each level."""
    left = level.copy()
    queues = [{v for v in heads if level[v] == depth} for depth in range(depths + 1)]
    for depth in range(1, depths):
        for v in queues[depth]:
            near = graph.adjacent(v)
            if not (left[near] == depth - 1).any():
                left[v] = -1
                queues[depth + 1] |= set(near[level[near] == depth + 1].tolist())
    return left, queues


def _wrong(found: Mapping[str, NDArray[Any]], vertices: int, queues: list[set[int]]) -> str:
    """Return the first level whose suspects are not those that they must be."""
    for depth, queue in enumerate(queues):
        held = found["suspects"][depth * vertices :][: len(queue)]
        if set(held.tolist()) != queue:
            return f"the suspects of level {depth} are not the right ones, or one is there twice"
    return ""
