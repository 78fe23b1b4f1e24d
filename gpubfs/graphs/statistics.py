"""What is worth knowing of a graph before a traversal: the columns of Busato's Table 1, and more.

References
----------
Busato, Bombieri, "Efficient load balancing techniques for graph traversal applications on GPUs",
Euro-Par 2018, Table 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs.arguments import is_kind, whole
from gpubfs.graphs.checks import refused
from gpubfs.graphs.csr import Graph
from gpubfs.graphs.errors import GraphError
from gpubfs.graphs.reference import reference_levels
from gpubfs.render.views import Viewed, show_as

#: Degrees from `low` to `high`, both inclusive, and how many vertices have them.
Bin = tuple[int, int, int]

#: Names and values as they are shown.
Rows = Sequence[tuple[str, str]]

#: More random sources than anybody waits for.
MOST_SAMPLES = 1_000_000


@dataclass(frozen=True)
class Statistics(Viewed):
    """The numbers of one graph.

    Parameters
    ----------
    name : str
        The graph's specification.
    directed : bool
        The column U/D.
    vertices, edges : int
        Vertices, and CSR entries: an undirected edge counts twice, as in the table.
    average_degree, degree_deviation : float
        Mean and (population) standard deviation of the out-degrees.
    gini : float
        Gini coefficient of the out-degrees: 0 if all are equal, towards 1 if few vertices have all.
    max_degree : int
        The largest out-degree.
    average_eccentricity : float
        Mean depth of a traversal over `samples` random sources that have neighbours.
    samples : int
        How many sources that mean is taken over.
    source, depth, reached : int
        A source, the highest level from it, and how many vertices have a level.
    components, largest_component : int
        Connected components (weakly, if directed), and the vertices of the largest.
    self_loops, isolated : int
        Edges from a vertex to itself; vertices without any edge.
    histogram : tuple of (low, high, vertices)
        Vertices by out-degree: 0, 1, 2–3, 4–7 and so on in powers of two.
    notes : tuple of str
        What was left out, merged or assumed when the graph was made.
    """

    name: str
    directed: bool
    vertices: int
    edges: int
    average_degree: float
    degree_deviation: float
    gini: float
    max_degree: int
    average_eccentricity: float
    samples: int
    source: int
    depth: int
    reached: int
    components: int
    largest_component: int
    self_loops: int
    isolated: int
    histogram: tuple[Bin, ...]
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The same as plain numbers, strings and tuples, ready for JSON."""
        return asdict(self)

    def rows(self) -> Rows:
        """Names and values as they are shown."""
        rows: Rows = show_as(self, "rows")
        return rows


def statistics(
    graph: Graph, source: int | None = None, *, samples: int = 8, seed: int = 1
) -> Statistics:
    """Measure a graph.

    Parameters
    ----------
    graph : Graph
        What to measure.
    source : int, optional
        Where the depth is measured from; by default `Graph.hub`.
    samples : int
        Random sources for the average eccentricity.
    seed : int
        Which ones.

    Examples
    --------
    >>> from gpubfs.graphs import graph
    >>> found = statistics(graph("star:7"))
    >>> found.average_degree, found.max_degree, found.depth, found.histogram
    (1.75, 7, 1, ((1, 1, 7), (4, 7, 1)))
    """
    from scipy.sparse.csgraph import connected_components

    if not is_kind(graph, Graph):
        message = f"something of type {type(graph).__name__} is not a Graph"
        raise GraphError(message, hint="make one by gpubfs.graph")
    whole(samples, "samples", 0, MOST_SAMPLES, refused)
    whole(seed, "seed", 0, error=refused)
    source = graph.hub if source is None else source
    graph.check_vertex(source, "source")
    levels = reference_levels(graph, source)
    degrees = graph.degrees
    count, label = connected_components(graph.to_scipy(), directed=False)
    eccentricities = _eccentricities(graph, samples, seed)
    own = np.repeat(np.arange(graph.vertices), degrees)
    return Statistics(
        name=graph.name,
        directed=graph.directed,
        vertices=graph.vertices,
        edges=graph.edges,
        average_degree=float(degrees.mean()),
        degree_deviation=float(degrees.std()),
        gini=gini(degrees),
        max_degree=int(degrees.max()),
        average_eccentricity=float(np.mean(eccentricities)) if eccentricities else 0.0,
        samples=len(eccentricities),
        source=source,
        depth=int(levels.max()),
        reached=int(np.count_nonzero(levels >= 0)),
        components=int(count),
        largest_component=int(np.bincount(label).max()),
        self_loops=int(np.count_nonzero(graph.neighbours == own)),
        isolated=int(np.count_nonzero((degrees == 0) & (graph.reversed.degrees == 0))),
        histogram=histogram(degrees),
        notes=graph.notes,
    )


def gini(values: NDArray[Any]) -> float:
    """The Gini coefficient of values that are not negative; 0 if all of them are 0.

    >>> gini(np.array([3, 3, 3])), gini(np.array([0, 0, 0, 8]))
    (0.0, 0.75)
    """
    ordered = np.sort(values).astype(np.float64)
    total, size = ordered.sum(), len(ordered)
    if total == 0:
        return 0.0
    ranks = np.arange(1, size + 1)
    return float(2 * (ranks * ordered).sum() / (size * total) - (size + 1) / size)


def histogram(degrees: NDArray[Any]) -> tuple[Bin, ...]:
    """How many vertices have a degree of 0, 1, 2–3, 4–7 …; ranges without vertices are left out.

    >>> histogram(np.array([0, 1, 2, 3, 3, 9]))
    ((0, 0, 1), (1, 1, 1), (2, 3, 3), (8, 15, 1))
    """
    exponent = np.frexp(degrees.astype(np.float64))[1]
    found = np.bincount(exponent)
    bounds = [(0, 0) if e == 0 else (1 << (e - 1), (1 << e) - 1) for e in range(len(found))]
    return tuple((*bound, int(n)) for bound, n in zip(bounds, found, strict=True) if n)


def _eccentricities(graph: Graph, samples: int, seed: int) -> list[int]:
    """The depths of traversals from random vertices that have neighbours."""
    starts = np.flatnonzero(graph.degrees)
    if not len(starts):
        return []
    draws = np.random.default_rng(seed).random(samples)
    sources = starts[np.floor(draws * len(starts)).astype(np.int64)]
    return [int(reference_levels(graph, int(source)).max()) for source in sources]
