"""Expansion marks vertices without atomics; one scan of the status array then enqueues them.

Gaihre et al. (Section 4.1, Figure 4b): threads that find the same vertex write the same status, so
marking needs no compare-and-swap. Afterwards the whole status array is scanned, and what was marked
is enqueued. With `enqueue=atomic` every such vertex is one addition to the queue's tail; the paper
(Observation 1, Figure 5) finds that faster than a prefix sum. With `enqueue=prefix-sum` the block
adds up first and adds to the tail once, as Merrill et al. do.

The figure has one thread per frontier vertex, which is `width=1`. By default a warp shares one, so
that a vertex of large degree does not keep everybody waiting.
"""

from __future__ import annotations

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.loops import MARKED_TWICE, QUEUE_ARRAYS, QUEUE_MEMORY, Iteration, level_loop
from gpubfs.search.papers import XBFS
from gpubfs.search.queues import BLOCK_256, ENQUEUE, ENQUEUE_SHARED, WIDTH


@technique(
    "single-scan",
    family="frontier generation",
    kernel="single_scan.cu",
    paper=XBFS,
    section="4.1, Observation 1, Figure 4b",
    year=2019,
    arrays=QUEUE_ARRAYS,
    memory=QUEUE_MEMORY,
    shared=ENQUEUE_SHARED,
    benign={"level": MARKED_TWICE},
    options=(
        BLOCK_256,
        WIDTH,
        ENQUEUE,
    ),
)
def single_scan(
    host: Host, graph: DeviceGraph, source: int, *, block: int, width: int, enqueue: str
) -> SearchResult:
    """Expand, then scan; `width` and `enqueue` are macros of the kernel file."""

    def expand(iteration: Iteration) -> None:
        arrays = (graph.offsets, graph.neighbours, iteration.level)
        args = (*arrays, iteration.frontier, iteration.size, iteration.depth)
        host.launch("single_scan_expand", host.blocks(iteration.size, block // width), block, args)
        scanned = (
            iteration.level,
            graph.vertices,
            iteration.next,
            iteration.next_size,
            iteration.depth,
        )
        host.launch("single_scan_enqueue", host.blocks(graph.vertices, block), block, scanned)

    return level_loop(host, graph, source, expand)
