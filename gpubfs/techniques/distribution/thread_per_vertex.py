"""A thread goes through all edges of its frontier vertex, however many these are.

The direct mapping that Luo, Wong and Hwu's search of 2010 uses, and that the other techniques of
work distribution are measured against here: a level takes as long as its vertex with the most
edges, the lanes of a warp wait for the one with the most, and the adjacencies along which they walk
lie apart in memory. What is done with an edge is scan-free's: a compare-and-swap claims the vertex,
and an atomic addition appends it.
"""

from __future__ import annotations

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.distribution import EXPANDED
from gpubfs.search.loops import queue_loop
from gpubfs.search.papers import LUO
from gpubfs.search.queues import BLOCK_256


@technique(
    "thread-per-vertex",
    kernel="thread_per_vertex.cu",
    paper=LUO,
    section="as in Tödling et al., II-C, and Busato and Bombieri, 2",
    year=2010,
    options=(BLOCK_256,),
    **EXPANDED,
)
def thread_per_vertex(host: Host, graph: DeviceGraph, source: int, *, block: int) -> SearchResult:
    """Run the kernel level after level."""
    return queue_loop(host, graph, source, "thread_per_vertex", block)
