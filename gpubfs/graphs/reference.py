"""Breadth-first search on the CPU: the reference that other traversals are checked against.

It is direction-optimizing in the way of Ligra: a level is traversed bottom-up where the frontier
and the edges that leave it are more than a twentieth of all edges, and top-down otherwise. One
NumPy operation works on a whole level, so it is fast enough for millions of edges.

References
----------
Shun, Blelloch, "Ligra: A Lightweight Graph Processing Framework for Shared Memory", PPoPP 2013.
Beamer, Asanović, Patterson, "Direction-Optimizing Breadth-First Search", SC 2012.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gpubfs.graphs.csr import Graph

Direction = Literal["top-down", "bottom-up"]
Indices = NDArray[np.integer[Any]]

#: Levels and parents, which the steps write.
Result = tuple[NDArray[np.int32], NDArray[np.int32]]

#: Ligra's threshold: bottom-up where frontier vertices and edges exceed edges / 20.
DENOMINATOR = 20
#: Levels from which on a graph is deep.
DEEP = 200


@dataclass(frozen=True)
class Step:
    """One level of a traversal.

    Parameters
    ----------
    level : int
        The level that was given to the discovered vertices.
    direction : {"top-down", "bottom-up"}
        How.
    frontier : int
        Vertices of the level before.
    edges_checked : int
        Neighbours looked at; bottom-up stops at the first parent.
    discovered : int
        Vertices that got this level.
    """

    level: int
    direction: Direction
    frontier: int
    edges_checked: int
    discovered: int


@dataclass(frozen=True)
class Traversal:
    """Levels and parents of shape (V,), both int32 and -1 where unreached, and the steps taken.

    The last step discovers nothing: that is how the traversal ends.
    """

    levels: NDArray[np.int32]
    parents: NDArray[np.int32]
    steps: tuple[Step, ...]

    @property
    def depth(self) -> int:
        """The highest level."""
        return int(self.levels.max())

    @property
    def reached(self) -> int:
        """Vertices that have a level."""
        return int(np.count_nonzero(self.levels >= 0))

    @property
    def edges_checked(self) -> int:
        """Neighbours looked at in all levels."""
        return sum(step.edges_checked for step in self.steps)


def reference_levels(graph: Graph, source: int = 0) -> NDArray[np.int32]:
    """Return the distance of every vertex from `source`, -1 where there is no path.

    Examples
    --------
    >>> from gpubfs.graphs import graph
    >>> reference_levels(graph("toy"), 0)
    array([0, 1, 2, 3, 3, 1, 2, 2, 3, 4], dtype=int32)
    """
    graph.check_vertex(source, "source")
    levels, parents = np.full((2, graph.vertices), -1, np.int32)
    steps = _steps(graph, source, None, (levels, parents))
    if all(step.level < DEEP for step in steps):
        return levels
    return _levels_by_vertex(graph, source)


def _levels_by_vertex(graph: Graph, source: int) -> NDArray[np.int32]:
    """Return the levels, a vertex at a time: an operation a level costs more in deep graphs."""
    from scipy.sparse.csgraph import breadth_first_order

    order, parents = breadth_first_order(graph.to_scipy(), source)
    levels, above = [-1] * graph.vertices, parents.tolist()
    levels[source] = 0
    for vertex in order[1:].tolist():
        levels[vertex] = levels[above[vertex]] + 1
    return np.array(levels, np.int32)


def traverse(graph: Graph, source: int = 0, direction: Direction | None = None) -> Traversal:
    """Traverse a graph from `source`, level by level.

    Parameters
    ----------
    graph : Graph
        What to traverse.
    source : int
        Where to begin.
    direction : {"top-down", "bottom-up"}, optional
        Take every level in this direction; by default the cheaper one.

    Raises
    ------
    GraphError
        If the graph has no such vertex.

    Examples
    --------
    >>> from gpubfs.graphs import graph
    >>> [step.discovered for step in traverse(graph("star:5"), 1).steps]
    [1, 4, 0]
    """
    graph.check_vertex(source, "source")
    levels, parents = np.full((2, graph.vertices), -1, np.int32)
    steps = tuple(_steps(graph, source, direction, (levels, parents)))
    return Traversal(levels, parents, steps)


def first_steps(graph: Graph, source: int, vertices: int, levels: int) -> tuple[Step, ...]:
    """Traverse a graph until so many vertices are discovered, or so many levels are expanded.

    Parameters
    ----------
    graph : Graph
        What to traverse.
    source : int
        Where to begin.
    vertices, levels : int
        What is enough.

    Returns
    -------
    tuple of Step
        The steps taken, at least one.

    Examples
    --------
    >>> from gpubfs.graphs import graph
    >>> [step.discovered for step in first_steps(graph("grid:100x100"), 0, 9, 100)]
    [2, 3, 4]
    """
    result = np.full((2, graph.vertices), -1, np.int32)
    steps: list[Step] = []
    for step in _steps(graph, source, "top-down", (result[0], result[1])):
        steps.append(step)
        vertices -= step.discovered
        if vertices <= 0 or len(steps) == levels:
            break
    return tuple(steps)


def _steps(
    graph: Graph, source: int, direction: Direction | None, result: Result
) -> Iterator[Step]:
    """Write levels and parents, a step at a time."""
    levels, parents = result
    levels[source], parents[source] = 0, source
    frontier: Indices = np.array([source], np.int64)
    level = 0
    while len(frontier):
        following = direction or _direction(graph, frontier)
        advance = _top_down if following == "top-down" else _bottom_up
        found, checked = advance(graph, result, frontier, level)
        level += 1
        yield Step(level, following, len(frontier), checked, len(found))
        frontier = found


def _direction(graph: Graph, frontier: Indices) -> Direction:
    leaving = len(frontier) + int(graph.degrees[frontier].sum())
    return "bottom-up" if leaving > graph.edges // DENOMINATOR else "top-down"


def _spans(starts: Indices, counts: Indices) -> Indices:
    """Concatenate the indices starts[i] … starts[i] + counts[i] - 1 for each i."""
    ends = np.cumsum(counts, dtype=np.int64)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + counts, counts)


def _top_down(graph: Graph, result: Result, frontier: Indices, level: int) -> tuple[Indices, int]:
    """Every frontier vertex looks at all its neighbours; the last to write is the parent."""
    levels, parents = result
    degrees = graph.degrees[frontier]
    targets = graph.neighbours[_spans(graph.offsets[frontier], degrees)]
    unvisited = np.flatnonzero(levels[targets] < 0)
    fresh = targets[unvisited]
    parents[fresh] = np.repeat(frontier, degrees)[unvisited]
    levels[fresh] = level + 1
    return _once(fresh, levels), len(targets)


def _once(fresh: Indices, levels: NDArray[np.int32]) -> Indices:
    """Return the different vertices of `fresh`, ascending, by whichever way is cheaper."""
    if len(fresh) < len(levels) // 64:
        return np.unique(fresh)
    mark = np.zeros(len(levels), bool)
    mark[fresh] = True
    return np.flatnonzero(mark)


def _bottom_up(graph: Graph, result: Result, _frontier: Indices, level: int) -> tuple[Indices, int]:
    """Every unvisited vertex looks for a parent, in portions of 1, 2, 4 … neighbours at once."""
    levels, parents = result
    incoming = graph.reversed
    searching: Indices = np.flatnonzero(levels < 0)
    cursor, end = incoming.offsets[searching], incoming.offsets[searching + 1]
    checked, portion = 0, 1
    found: list[Indices] = [np.zeros(0, np.int64)]
    while True:
        more = cursor < end
        searching, cursor, end = searching[more], cursor[more], end[more]
        if not len(searching):
            return np.sort(np.concatenate(found)), checked
        length = np.minimum(portion, end - cursor)
        hit, looks, parent = _first_parents(incoming, levels, cursor, length, level)
        checked += looks
        found.append(searching[hit])
        parents[searching[hit]] = parent
        levels[searching[hit]] = level + 1
        cursor = cursor + length
        cursor[hit] = end[hit]
        portion *= 2


def _first_parents(
    incoming: Graph, levels: NDArray[np.int32], cursor: Indices, length: Indices, level: int
) -> tuple[Indices, int, Indices]:
    """Which searchers find a parent in their portion, neighbours looked at, and the parents."""
    places = _spans(cursor, length)
    owner = np.repeat(np.arange(len(cursor)), length)
    match = np.flatnonzero(levels[incoming.neighbours[places]] == level)
    first = match[np.flatnonzero(np.diff(owner[match], prepend=-1))]
    hit = owner[first]
    saved = int((cursor[hit] + length[hit] - places[first] - 1).sum())
    return hit, len(places) - saved, incoming.neighbours[places[first]]
