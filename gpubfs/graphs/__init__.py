"""Graphs: compressed sparse rows behind one specification string, their files and statistics.

`graph` makes a graph of a specification such as ``kron:16``, ``karate`` or ``file:web.txt,raw``: a
generated one of `FAMILIES`, ``toy`` or one of NetworkX's `CLASSICS`, a stand-in for a graph of the
papers' tables (`standins`, `paper_tables`), or a file in one of `FORMATS`. The options of ``file:``
stand at `read`; ``gpubfs graph --help`` lists everything. `graph_family` and `graph_format`
register further ones.
"""

from gpubfs.graphs.classics import CLASSICS
from gpubfs.graphs.csr import Graph
from gpubfs.graphs.errors import GraphError
from gpubfs.graphs.family import FAMILIES, graph_family
from gpubfs.graphs.format import FORMATS, Listing, Options, graph_format
from gpubfs.graphs.reading import read
from gpubfs.graphs.specification import graph, names
from gpubfs.graphs.statistics import Statistics, statistics
from gpubfs.graphs.text import Contents, Text

# isort: split
# All modules of these folders register what they define; they may import what stands above.
from gpubfs.graphs import families, formats  # noqa: F401

__all__ = [
    "CLASSICS",
    "FAMILIES",
    "FORMATS",
    "Contents",
    "Graph",
    "GraphError",
    "Listing",
    "Options",
    "Statistics",
    "Text",
    "graph",
    "graph_family",
    "graph_format",
    "names",
    "read",
    "statistics",
]
