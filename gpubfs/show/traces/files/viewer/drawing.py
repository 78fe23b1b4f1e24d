"""Where the vertices of a graph stand in its drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpubfs.graphs import Graph

#: The most vertices of a graph that is drawn.
MOST_DRAWN = 200
#: Places are whole numbers up to this, in both directions.
EXTENT = 1000


def drawing(graph: Graph) -> list[list[int]] | None:
    """Return the place of each vertex, the same every time; None for a graph that is too large.

    >>> import gpubfs
    >>> len(drawing(gpubfs.graph("toy"))), drawing(gpubfs.graph("grid:20x20"))
    (10, None)
    """
    if not 0 < graph.vertices <= MOST_DRAWN:
        return None
    tails = np.repeat(np.arange(graph.vertices), np.diff(graph.offsets))
    known: nx.Graph[int] = nx.Graph()
    known.add_nodes_from(range(graph.vertices))
    known.add_edges_from(zip(tails.tolist(), graph.neighbours.tolist(), strict=True))
    parts = [known.subgraph(part) for part in nx.connected_components(known)]
    found = np.zeros((graph.vertices, 2))
    across = 0.0
    for part in sorted(parts, key=len, reverse=True):
        places = _spread(part)
        width = np.sqrt(len(part))
        for vertex, (x, y) in places.items():
            found[vertex] = across + width * (x + 1) / 2, width * (y + 1) / 2
        across += width + 0.5
    whole: list[list[int]] = _scaled(found).tolist()
    return whole


def _spread(part: nx.Graph[int]) -> dict[int, tuple[float, float]]:
    """Return places between -1 and 1 of the vertices of one component."""
    if len(part) == 1:
        return dict.fromkeys(part, (0.0, 0.0))
    places = nx.kamada_kawai_layout(part)
    return {vertex: (float(x), float(y)) for vertex, (x, y) in places.items()}


def _scaled(places: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return places as whole numbers from 0 on, the shape of the whole kept."""
    low, high = places.min(axis=0), places.max(axis=0)
    extent = max(float((high - low).max()), 1e-9)
    scaled: NDArray[np.int64] = np.rint((places - low) / extent * EXTENT).astype(np.int64)
    return scaled
