"""Graphs: compressed sparse rows behind one specification string, their files and statistics."""

from gpubfs.graphs.classics import CLASSICS
from gpubfs.graphs.csr import Graph
from gpubfs.graphs.errors import GraphError
from gpubfs.graphs.families import FAMILIES
from gpubfs.graphs.formats import read
from gpubfs.graphs.specification import NAMES, graph
from gpubfs.graphs.statistics import Statistics, statistics

__all__ = [
    "CLASSICS",
    "FAMILIES",
    "NAMES",
    "Graph",
    "GraphError",
    "Statistics",
    "graph",
    "read",
    "statistics",
]
