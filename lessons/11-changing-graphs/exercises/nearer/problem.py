"""Rounds of a repair after insertions. The host has lowered the heads of new edges already."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs import graphs
from gpubfs.grading import Launch, Problem, Queue
from gpubfs.graphs import Graph

BLOCK = 64


def make(
    rng: np.random.Generator,
    graph: str = "",
    edges: list[list[int]] | None = None,
    inserted: list[list[int]] | None = None,
    random: int = 0,
    hub: bool = False,
    tail: int = 0,
    blocks: int = 0,
) -> Problem:
    """Return a repair of a graph of that name, or of these edges, searched from vertex 0.

    Besides the edges of `inserted`, `random` ones between any two vertices come. The search begins
    at the `hub` if that is asked for. A path of `tail` more vertices hangs on the
    last one. There are so many `blocks`, or a thread for each vertex.
    """
    seed = str(rng.integers(1 << 20))
    named = graphs.graph(graph.replace("{seed}", seed)) if graph else None
    old = Graph.from_edges(*np.array(edges).T) if named is None else named
    source = old.hub if hub else 0
    old = _with_tail(old, tail)
    pairs = np.array(inserted or np.empty((0, 2)), np.int64).reshape(-1, 2)
    new = np.concatenate([pairs, rng.integers(0, old.vertices, (random, 2))])
    tails = np.repeat(np.arange(old.vertices), old.degrees)
    ends = np.concatenate([np.stack([tails, old.neighbours], axis=1), new])
    after = Graph.from_edges(*ends.T, vertices=old.vertices)
    before = _levels(old, source)
    level = _seeded(before, new)
    first = np.flatnonzero(level != before.view(np.uint32)).astype(np.int32)
    rounds = _rounds(after, level, first)
    wanted = _levels(after, source)
    queues = np.full((rounds + 1) * old.vertices, -1, np.int32)
    queues[: len(first)] = first
    sizes = np.zeros(rounds + 1, np.int32)
    sizes[0] = len(first)
    names = ("offsets", "neighbours", "level", "queues", "sizes", "stamp", old.vertices)
    grid = blocks or -(-old.vertices // BLOCK)
    moved = wanted != before

    def check(found: Mapping[str, NDArray[Any]]) -> str:
        return _wrong(found, old.vertices, moved)

    return Problem(
        arrays={
            "offsets": after.offsets,
            "neighbours": after.neighbours,
            "level": level,
            "queues": queues,
            "sizes": sizes,
            "stamp": np.full(old.vertices, -1, np.int32),
        },
        launches=tuple(Launch("nearer", grid, BLOCK, (*names, n)) for n in range(rounds)),
        expected={"level": wanted.view(np.uint32)},
        allow={
            "level": "a level that is read too early is still to be lowered, by an atomic",
            "stamp": "a stamp that is read too early only costs an atomic more",
        },
        check=check,
        queues=tuple(
            Queue("queues", "sizes", n, n * old.vertices, old.vertices) for n in range(rounds + 1)
        ),
    )


def _levels(graph: Graph, source: int) -> NDArray[np.int32]:
    """Return the distance of each vertex; one after the other, as there may be many levels."""
    offsets, neighbours = graph.offsets.tolist(), graph.neighbours.tolist()
    level = [-1] * graph.vertices
    level[source] = 0
    queue = [source]
    for u in queue:
        for w in neighbours[offsets[u] : offsets[u + 1]]:
            if level[w] < 0:
                level[w] = level[u] + 1
                queue.append(w)
    return np.array(level, np.int32)


def _with_tail(graph: Graph, many: int) -> Graph:
    """Return the graph with a path of so many more vertices behind its last one."""
    tails = np.repeat(np.arange(graph.vertices), graph.degrees)
    more = graph.vertices - 1 + np.arange(many)
    ends = np.append(tails, more), np.append(graph.neighbours, more + 1)
    return Graph.from_edges(*ends, vertices=graph.vertices + many)


def _seeded(before: NDArray[np.int32], new: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Return the levels after each new edge has lowered its own heads, by the levels before."""
    far = before.view(np.uint32)
    level = far.copy()
    for a, b in np.concatenate([new, new[:, ::-1]]):
        if before[a] >= 0:
            level[b] = min(level[b], far[a] + 1)
    return level


def _rounds(graph: Graph, level: NDArray[np.uint32], first: NDArray[np.int32]) -> int:
    """Return how many rounds there are if each sees only what those before it have done."""
    now, queue, rounds = level.astype(np.int64), {int(v) for v in first}, 0
    while queue:
        seen, lowered, rounds = now.copy(), set(), rounds + 1
        for u in queue:
            for w in graph.adjacent(u).tolist():
                if seen[u] + 1 < now[w]:
                    now[w] = seen[u] + 1
                    lowered.add(w)
        queue = lowered
    return max(rounds, 1)


def _wrong(found: Mapping[str, NDArray[Any]], vertices: int, moved: NDArray[np.bool_]) -> str:
    """Return the first queue that has a vertex twice, or one that did not get nearer."""
    for n, size in enumerate(found["sizes"].tolist()):
        if not 0 <= size <= vertices:
            return f"sizes[{n}] is {size}, and there are {vertices} vertices"
        queue = found["queues"][n * vertices : n * vertices + size]
        inside = queue[(queue >= 0) & (queue < vertices)]
        if len(inside) < size:
            return f"the queue of round {n} has places that nobody wrote, or no vertices"
        if len(np.unique(inside)) < size:
            twice = int(np.argmax(np.bincount(inside)))
            return f"the queue of round {n} has vertex {twice} more than once"
        idle = inside[~moved[inside]]
        if len(idle):
            return f"the queue of round {n} has vertex {idle[0]}, which did not get nearer"
    return ""
