"""Caterpillars: a long path for many levels, with leaves that make its frontiers wider."""

import numpy as np

from gpubfs.graphs import Graph, graph_family


@graph_family(size=lambda spine, legs: (spine * (1 + legs), spine * (1 + legs)))
def caterpillar(spine: int, legs: int = 2) -> Graph:
    """SPINE vertices in a row, each with LEGS leaves."""
    row = np.arange(spine)
    leaves = np.arange(spine, spine * (1 + legs))
    sources = np.concatenate([row[:-1], np.repeat(row, legs)])
    return Graph.from_edges(sources, np.concatenate([row[1:], leaves]), spine * (1 + legs))
