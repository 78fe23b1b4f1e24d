"""One thread per vertex and level looks whether its vertex is in the frontier; there is no queue.

Harish and Narayanan keep three arrays: which vertices are in the frontier, which were visited, and
the distances. The distances alone say all three: a vertex is in the frontier if its distance is
the level's depth, and not visited if it is -1. Levels are found by plain stores, because all
threads that find a vertex in one level store the same distance. Every level checks every vertex,
so the price is vertices times depth.
"""

from __future__ import annotations

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.option import Option
from gpubfs.search.papers import HARISH


@technique(
    "status-array",
    family="frontier generation",
    kernel="status_array.cu",
    paper=HARISH,
    section="as in Tödling et al., II-C, and Hsieh et al. (DFQ), Figure 2a",
    year=2007,
    arrays={
        "level": "distance from the source, -1 where not visited",
        "found": "1 if the level that was expanded has a next one, else 0",
    },
    memory="4 V + 4 bytes",
    benign={
        "level": "all writers of a level write depth + 1, and readers do the same with -1 and with "
        "depth + 1: not in the frontier, to be written"
    },
    options=(Option("block", 256, "threads per block", minimum=1, maximum=1024),),
)
def status_array(host: Host, graph: DeviceGraph, source: int, *, block: int) -> SearchResult:
    """Expand level after level until one finds nothing."""
    level = host.levels(graph.vertices, source)
    found = host.full("found", 1, 1)
    depth = 0
    while host.read_int(found):
        host.level(depth)
        host.write(found, 0)
        host.launch(
            "status_array",
            host.blocks(graph.vertices, block),
            block,
            (graph.offsets, graph.neighbours, level, graph.vertices, depth, found),
        )
        depth += 1
    return SearchResult(level)
