"""What the experiments on Tödling et al.'s classes share: graphs, and where searches begin."""

from __future__ import annotations

import numpy as np

from gpubfs.graphs import Graph

NAIVE, FRONTIER = "status-array", "block-prefix-sum"
DEFERRED, IMMEDIATE = "classified-deferred", "classified-immediate"

#: Graphs like some of the paper's Table I: a triangulation (delaunay_n21), a geometric graph
#: (rgg_n_2_21), streets (europe_osm), and two with a few vertices of very many neighbours
#: (wikipedia-20070206). On gpu the first two have the paper's numbers of vertices.
GRAPHS = {
    "sim": ("delaunay:4096", "rgg:4096", "road:4096", "powerlaw:32768", "kron:13"),
    "gpu": ("delaunay:2097152", "rgg:2097152", "road:1000000", "powerlaw:1000000", "kron:21"),
}


def start(graph: Graph) -> int:
    """Return vertex 0, where the paper's searches begin, or the first that has neighbours.

    Examples
    --------
    >>> import gpubfs
    >>> start(gpubfs.graph("path:3"))
    0
    """
    return int(np.argmax(graph.degrees > 0))
