"""Is it a breadth-first search? The properties that only correct levels and parents have.

Parents are not unique, so they are held against what defines them and not against one answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gpubfs.errors import unknown
from gpubfs.graphs import Graph
from gpubfs.graphs.build import count
from gpubfs.search.comparators import COMPARATORS, Comparator

if TYPE_CHECKING:
    from collections.abc import Iterator


Levels = NDArray[np.int32]
Mask = NDArray[np.bool_]
Vertices = NDArray[np.integer[Any]]

Error = tuple[int, int, str]  # the level at which it shows, the vertex, the reason

UNREACHED = -1

#: Edges looked at together, so that a large graph needs little memory beside its own.
CHUNK = 1 << 24
#: Edges whose levels stay in a processor's cache while they are compared.
QUICK_CHUNK = 1 << 20
#: A level for who has none that is more than one below all others.
NEVER = 1 << 30

#: Edges of a graph that is walked through in less time than SciPy takes to be imported.
FEW_EDGES = 10_000

#: Of how many sources of a graph verified levels are kept.
SOURCES_KEPT = 8

#: How levels are verified unless another search does it.
PROPERTIES = "properties"

#: For each graph the levels that have the properties, by source. A graph cannot be changed, and
#: only one array has the properties: another has them exactly if it is equal.
_verified: WeakKeyDictionary[Graph, dict[int, Levels]] = WeakKeyDictionary()


class VerificationError(Exception):
    """Levels or parents that are not those of a breadth-first search.

    Parameters
    ----------
    vertex : int or None
        A vertex at which it shows; None where it shows at no vertex.
    reason : str
        What is wrong with it.
    """

    def __init__(self, vertex: int | None, reason: str) -> None:
        super().__init__(reason if vertex is None else f"vertex {vertex} {reason}")
        self.vertex = vertex
        self.reason = reason


def verify(
    graph: Graph,
    source: int,
    levels: Levels,
    parents: Levels | None = None,
    *,
    by: str = PROPERTIES,
) -> None:
    """Raise unless levels, and parents where given, are those of a search of `graph` from `source`.

    Parameters
    ----------
    graph : Graph
        The graph, directed or not.
    source : int
        Where the search began.
    levels : int32 array of shape (V,)
        The distance of each vertex from the source, -1 where it cannot be reached.
    parents : int32 array of shape (V,), optional
        For each vertex its predecessor on a shortest path, -1 where not reached; the source's own
        entry may be the source or -1.
    by : str
        "properties" looks for what only distances have. The name of a search on the CPU, "ligra",
        has it search, and compares levels: another way to the same verdict.

    Raises
    ------
    UsageError
        If there is no such way.
    GraphError
        If there is no such source.
    VerificationError
        Naming a vertex that breaks one of these rules: the source has level 0 and no other vertex
        has; a vertex has a level exactly if it can be reached; no edge leads more than one level
        on; every other reached vertex has a predecessor one level up, and its parent is one.

    Notes
    -----
    The properties are looked for in the first levels from a source. Later ones from the same source
    of the same graph have them exactly if they are equal to those.

    Examples
    --------
    >>> import gpubfs
    >>> path = gpubfs.graph("path:4")
    >>> verify(path, 0, np.array([0, 1, 2, 3], np.int32))
    >>> verify(path, 0, np.array([0, 1, 2, 2], np.int32))
    Traceback (most recent call last):
        ...
    gpubfs....VerificationError: vertex 3 has level 2, but no neighbour of it is at level 1
    """
    graph.check_vertex(source, "source")
    _check_shape(graph, levels, "levels")
    if by == PROPERTIES:
        _check_properties(graph, source, levels)
    else:
        _check_equal(levels, _comparator(by).search(graph, source).levels, by)
    if parents is not None:
        _check_shape(graph, parents, "parents")
        _check_parents(graph, source, levels, parents)


def _check_properties(graph: Graph, source: int, levels: Levels) -> None:
    """Raise unless levels have the properties that only distances have; look once for a source."""
    known = _verified.setdefault(graph, {})
    if source not in known or not np.array_equal(levels, known[source]):
        _check_levels(graph, source, levels)
        _keep(known, source, levels)


def _comparator(name: str) -> Comparator:
    if name not in COMPARATORS:
        raise unknown("way to verify", name, [PROPERTIES, *COMPARATORS])
    return COMPARATORS[name]


def _check_equal(levels: Levels, expected: Levels, name: str) -> None:
    """Raise unless levels are those that another search has found."""
    _complain(
        levels != expected,
        lambda v: f"has level {levels[v]}, but {name} finds {expected[v]}",
    )


def _check_levels(graph: Graph, source: int, levels: Levels) -> None:
    _check_source(source, levels)
    if not _are_closed(graph, levels):  # then it is worth the time to say where and why
        _check_reachability(graph, source, levels)
        _check_edges(graph, levels)


def _are_closed(graph: Graph, levels: Levels) -> bool:
    """Return whether levels, 0 for the source alone, are right.

    They are if no edge leads more than one level on, or to a vertex without a level, and every
    other reached vertex has a predecessor one level up. For then all that can be reached has a
    level, by the edges of a path; and all that has a level can be reached, by predecessors.
    """
    depths = np.where(levels == UNREACHED, NEVER, levels)
    supported = levels <= 0
    for first, last in _pieces(graph, QUICK_CHUNK):
        heads = graph.neighbours[graph.offsets[first] : graph.offsets[last]]
        rise = depths[heads] - np.repeat(depths[first:last], graph.degrees[first:last])
        if rise.max(initial=0) > 1:
            return False
        supported[heads[rise == 1]] = True
    return bool(supported.all())


def _keep(known: dict[int, Levels], source: int, levels: Levels) -> None:
    """Keep a copy of verified levels, and no more than so many for a graph: the latest."""
    known[source] = levels.copy()
    for oldest in list(known)[:-SOURCES_KEPT]:
        del known[oldest]


def _check_shape(graph: Graph, values: Levels, what: str) -> None:
    if values.shape != (graph.vertices,):
        size = count(graph.vertices, "vertex", "vertices")
        raise ValueError(f"{what} has shape {values.shape}, the graph has {size}")


def _check_source(source: int, levels: Levels) -> None:
    if levels[source] != 0:
        raise VerificationError(
            source, f"is the source, but has level {levels[source]} instead of 0"
        )
    wrong = (levels < UNREACHED) | (levels >= len(levels))
    _complain(wrong, lambda v: f"has level {levels[v]}, which no vertex of this graph can have")
    zero = levels == 0
    zero[source] = False
    _complain(zero, lambda v: f"has level 0, but the source is {source}")


def _check_reachability(graph: Graph, source: int, levels: Levels) -> None:
    reachable = _reachable(graph, source)
    reached = levels != UNREACHED
    _complain(reachable & ~reached, lambda v: f"has no level, but can be reached from {source}")
    _complain(
        reached & ~reachable,
        lambda v: f"has level {levels[v]}, but cannot be reached from {source}",
    )


def _reachable(graph: Graph, source: int) -> Mask:
    mask = np.zeros(graph.vertices, bool)
    if graph.edges <= FEW_EDGES:
        left = [source]
        while left:
            vertex = left.pop()
            if not mask[vertex]:
                mask[vertex] = True
                first, end = graph.offsets[vertex], graph.offsets[vertex + 1]
                left += graph.neighbours[first:end].tolist()
        return mask
    from scipy.sparse.csgraph import breadth_first_order

    mask[breadth_first_order(graph.to_scipy(), source, return_predecessors=False)] = True
    return mask


def _check_edges(graph: Graph, levels: Levels) -> None:
    """Of the vertices that are too deep or have no predecessor, name the one of lowest level."""
    supported = levels <= 0
    errors = []
    for tails, heads in _edges(graph):
        above, below = levels[tails], levels[heads]
        supported[heads[(above >= 0) & (below == above + 1)]] = True
        errors += _first_too_deep(tails, heads, np.where(below > above + 1, above, -1))
    errors += _first_unsupported(graph, levels, ~supported)
    if errors:
        _, vertex, reason = min(errors)
        raise VerificationError(vertex, f"has level {levels[vertex]}, but {reason}")


def _first_too_deep(tails: Vertices, heads: Vertices, skipped: Vertices) -> list[Error]:
    """Find the lowest edge that skips levels; `skipped` is the tail's level there, else -1."""
    at = np.flatnonzero(skipped >= 0)
    if not len(at):
        return []
    worst = at[skipped[at].argmin()]
    level = int(skipped[worst])
    return [(level + 1, int(heads[worst]), f"its neighbour {tails[worst]} has level {level}")]


def _first_unsupported(graph: Graph, levels: Levels, wrong: Mask) -> list[Error]:
    """Where a vertex has no predecessor, at the lowest level."""
    at = np.flatnonzero(wrong)
    if not len(at):
        return []
    vertex = int(at[levels[at].argmin()])
    level = int(levels[vertex])
    what = "edge leads to it from" if graph.directed else "neighbour of it is at"
    return [(level, vertex, f"no {what} level {level - 1}")]


def _check_parents(graph: Graph, source: int, levels: Levels, parents: Levels) -> None:
    if parents[source] not in (source, -1):
        raise VerificationError(source, f"is the source, but has the parent {parents[source]}")
    _complain(
        (levels == UNREACHED) & (parents != -1),
        lambda v: f"was not reached, but has the parent {parents[v]}",
    )
    outside = (levels > 0) & ((parents < 0) | (parents >= graph.vertices))
    _complain(outside, lambda v: f"has the parent {parents[v]}, which is no vertex")
    children = np.flatnonzero(levels > 0)
    apart = np.zeros(graph.vertices, bool)
    apart[children] = levels[parents[children]] != levels[children] - 1
    _complain(
        apart,
        lambda v: f"has level {levels[v]}, but its parent {parents[v]} has {levels[parents[v]]}",
    )
    joined = np.zeros(graph.vertices, bool)
    for tails, heads in _edges(graph):
        joined[heads[parents[heads] == tails]] = True
    _complain(
        (levels > 0) & ~joined,
        lambda v: f"has the parent {parents[v]}, from which no edge leads to it",
    )


def _edges(graph: Graph) -> Iterator[tuple[Vertices, Vertices]]:
    """All edges, tails and heads, in pieces of whole adjacencies."""
    for first, last in _pieces(graph, CHUNK):
        tails = np.repeat(np.arange(first, last), graph.degrees[first:last])
        yield tails, graph.neighbours[graph.offsets[first] : graph.offsets[last]]


def _pieces(graph: Graph, edges: int) -> Iterator[tuple[int, int]]:
    """Part the vertices so that each part has so many edges at most, or is one vertex."""
    first = 0
    while first < graph.vertices:
        limit = int(graph.offsets[first]) + edges
        last = max(first + 1, int(np.searchsorted(graph.offsets, limit, side="right")) - 1)
        yield first, last
        first = last


def _complain(wrong: Mask, reason: Any) -> None:
    if wrong.any():
        vertex = int(wrong.argmax())
        raise VerificationError(vertex, reason(vertex))
