"""Searches that techniques are compared with and verified by: on the CPU, without a kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpubfs.graphs import Graph
from gpubfs.graphs import graph as as_graph
from gpubfs.graphs.reference import Traversal, traverse
from gpubfs.search.papers import LIGRA


@dataclass(frozen=True)
class Comparator:
    """A search that is no technique: it has no kernel, and no counters of a GPU.

    Attributes
    ----------
    name, idea : str
        Its name, and what it is.
    paper : str
        Whose idea it is, as a citation.
    year : int
        When that was published.
    search : callable
        ``search(graph, source) -> Traversal``.
    """

    name: str
    idea: str
    paper: str
    year: int
    search: Callable[[Graph, int], Traversal]


def ligra(graph: Any, source: int | None = None) -> Traversal:
    """Search a graph on the CPU as Ligra does: bottom-up where |F| + deg(F) > |E| / 20.

    It is NumPy on one core, an operation for a whole level, and not Shun and Blelloch's parallel
    C++: its levels, directions and edges looked at are Ligra's, its time is not.

    Parameters
    ----------
    graph : Graph or whatever `gpubfs.graph` takes
        The graph or its specification, directed or not.
    source : int, optional
        Where to begin; by default at the vertex with the most edges.

    Returns
    -------
    Traversal
        Levels, parents, and for each level the direction and the edges that were looked at.

    Raises
    ------
    GraphError
        If the graph has no such vertex.

    Examples
    --------
    >>> import gpubfs
    >>> done = gpubfs.ligra("kron:10", 0)
    >>> [step.direction for step in done.steps]
    ['top-down', 'bottom-up', 'bottom-up', 'top-down', 'top-down']
    """
    graph = as_graph(graph)
    return traverse(graph, graph.hub if source is None else source)


COMPARATORS = {
    "ligra": Comparator(
        "ligra",
        "each level in the direction that its edges call for, on the CPU: NumPy on one core, "
        "without a kernel, "
        'from Python as gpubfs.ligra(graph); verify(…, by="ligra") compares levels with it',
        LIGRA,
        2013,
        ligra,
    )
}
