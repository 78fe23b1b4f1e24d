"""A pass of its own sorts each level's vertices into four classes, by how many threads they need.

Tödling, Winter and Steinberger (Section III-B), after Liu and Huang's Enterprise: a vertex gets a
thread (small), a warp (medium), a block (large) or the whole grid (huge), so that no thread looks
at more than `edges_per_thread` edges of a vertex, and what a thread discovers fits into its
registers. Each class has a queue and a kernel of its own. What these discover goes onto a fifth
queue, as it comes, by the procedure of Section III-A: thread queues in registers, a prefix sum over
the block, and one atomic addition by its last thread. Before the next level, classification reads
that queue and fills the other four in the same way, one class after another; where Enterprise scans
the status of all vertices, this reads those of the level.

The paper says that the threads for a small, medium or large vertex are as many as the threshold.
The thresholds are numbers of edges, `edges_per_thread` (4 in all its measurements) times 1, a warp
and a block, and the threads are 1, a warp and a block. Each group of threads has one vertex, so
that grids grow with the queues, as the paper says of its own.

The threads for a huge vertex follow the one with the most neighbours, which a parallel reduction
over their queue finds, and one launch serves them all. How it is shared out is left open. Here a
row of the grid has those threads, and there are as many rows as run at the same time; the rows go
through the huge vertices in turn, so that the grid does not grow with their number: a row for each
might be more blocks than a grid may have. Blocks of a row to which a vertex leaves no edge, the
paper's unnecessary threads, pass it over.

The paper runs the loop over the levels on the GPU. Here the host runs it: it reads how many
vertices a level has, then how many of each class, and the largest degree where there are huge
ones. Classes without vertices get no launch.

The code that the authors published with faimGraph leaves the huge class out of its classification,
gives each huge vertex blocks of its own, and finds the largest degree in one block, which has
threads for a bounded number of vertices. Here it is as the paper says, for any number.
"""

from __future__ import annotations

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.classes import (
    CLASSES,
    CLASSIFIED,
    EXPLORE_SHARED,
    LARGEST,
    Classification,
    Exploration,
)
from gpubfs.search.description import technique
from gpubfs.search.technique import Parts


@technique(
    "classified-deferred",
    kernel="classified_deferred.cu",
    section="III-A and III-B (deferred classification)",
    arrays={
        "level": "distance from the source, -1 where not visited",
        "raw": "vertices of a level, as they were discovered",
        "raw_size": "how many there are in raw",
        "classes": "a queue of V places for each class: small, medium, large, huge",
        "sizes": "how many vertices each class has",
    }
    | LARGEST,
    memory="4 V for level + 4 V for each of five queues + 24 bytes (28 with 64-bit offsets)",
    shared=EXPLORE_SHARED,
    parts={"classes": Parts("sizes", capacity="vertices")},
    **CLASSIFIED,
)
def classified_deferred(
    host: Host, graph: DeviceGraph, source: int, *, block: int, edges_per_thread: int
) -> SearchResult:
    """Classify a level and expand its classes, until a level is empty."""
    level = host.levels(graph.vertices, source)
    raw = host.queue("raw", graph.vertices, source)
    raw_size = host.full("raw_size", 1, 0)
    classes = host.empty("classes", len(CLASSES) * graph.vertices)
    sizes = host.full("sizes", len(CLASSES), 0)
    classification = Classification(edges_per_thread, host.warp_size, block)
    exploration = Exploration(host, graph, level, classification)
    size, depth = 1, 0
    while size:
        host.level(depth, size)
        host.write(sizes, 0)
        args = (graph.offsets, raw, size, classes, sizes, graph.vertices)
        host.launch("classify_raw", host.blocks(size, edges_per_thread * block), block, args)
        host.write(raw_size, 0)
        depth += 1
        exploration.expand(classes, host.read(sizes).tolist(), raw, raw_size, depth)
        size = host.read_int(raw_size)
    return SearchResult(level)
