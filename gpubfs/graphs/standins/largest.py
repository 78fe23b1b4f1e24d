"""Raises one vertex to the largest degree that a table gives, by edges to near vertices."""

from __future__ import annotations

import numpy as np

from gpubfs.graphs.build import count
from gpubfs.graphs.csr import Graph


def with_largest(graph: Graph, largest: int) -> Graph:
    """Join the vertex of highest degree to the nearest others until it has a degree.

    A random graph of the size of the paper's has a few vertices of a degree that none of a smaller
    one has.

    Examples
    --------
    >>> from gpubfs.graphs import graph
    >>> raised = with_largest(graph("grid:9x9"), 7)
    >>> int(raised.degrees.max()), raised.notes
    (7, ('Vertex 10 was joined to 3 near vertices, to have the largest degree of the table.',))
    """
    missing = min(largest, graph.vertices - 1) - int(graph.degrees.max(initial=0))
    if missing <= 0:
        return graph
    hub = graph.hub
    near = _beyond(graph, hub, missing)
    sources = np.repeat(np.arange(graph.vertices), graph.degrees)
    ends = np.append(sources, np.full(len(near), hub)), np.append(graph.neighbours, near)
    made = Graph.from_edges(*ends, graph.vertices)
    added = count(len(near), "near vertex", "near vertices")
    note = f"Vertex {hub} was joined to {added}, to have the largest degree of the table."
    return Graph(made.offsets, made.neighbours, graph.name, False, (*graph.notes, note))


def _beyond(graph: Graph, start: int, size: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the nearest vertices that are no neighbours, by level and number."""
    seen = np.zeros(graph.vertices, bool)
    seen[start] = True
    level = graph.adjacent(start).astype(np.int64)
    seen[level] = True
    found: list[int] = []
    while len(found) < size and len(level):
        lists = [graph.adjacent(int(vertex)) for vertex in level]
        following = np.unique(np.concatenate(lists).astype(np.int64))
        level = following[~seen[following]]
        seen[level] = True
        found.extend(level.tolist())
    if len(found) < size:
        found.extend(np.flatnonzero(~seen)[: size - len(found)].tolist())
    return np.array(found[:size], np.int64)
