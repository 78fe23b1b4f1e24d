"""Graphs: compressed sparse rows behind one specification string, their files and statistics.

`graph` makes a graph of a specification such as ``kron:16``, ``karate`` or ``file:web.txt,raw``: a
generated one of `FAMILIES`, ``toy`` or one of NetworkX's `CLASSICS`, or a file. The options of
``file:`` (``directed``, ``loops``, ``raw``, ``compact``, ``base=0``, ``base=1``, ``format=NAME``)
stand at `read`; ``gpubfs graph --help`` lists everything.
"""

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
