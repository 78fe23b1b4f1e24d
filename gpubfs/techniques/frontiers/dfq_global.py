"""Each block has a sub-queue of its own in global memory and visits it before it can overflow.

Hsieh et al. (Section IV, Figure 4): a central queue's tail is wanted by all threads, and its memory
grows with the graph. Here a block scans its share of the status array into its own small sub-queue.
Before a warp scans, one of its lanes reserves room for a vertex from every lane (equation 1); if
there may be none, the block's warps meet and drain the sub-queue, a warp to a vertex, and go on.
Blocks meet only at the end of a level, in a barrier of the grid: the whole search is one
cooperative launch. The queue takes blocks × capacity vertices at every scale.

Figure 4 has one counter, `size`, that is compared before the scan and raised by each vertex; the
text reserves the stride by an atomic addition. Here these are two counters, `size` and `reserved`,
and a warp gives back what it did not use. A warp goes on scanning without a barrier as long as it
gets room, so the least capacity is one warp's lanes; the paper's is a block's threads. Below that,
warps that find nothing keep each other from room and drain a queue that is nearly empty, again and
again: correct, and slow.

Figure 4 drains as soon as `size` is not below capacity - stride, one stride before a warp would
find no room; here a warp goes on as long as all its lanes' vertices fit.

There are as many blocks as run at the same time, multiprocessors times occupancy, as in the
authors' code; on the paper's RTX 3090 and with 1,024 threads a block these are its 82. A GPU whose
multiprocessors hold 2,048 threads has two for each, and twice the sub-queues.

Vertices belong to blocks by their numbers, 1,024 after 1,024, so that a graph of fewer than
1,024 vertices for each block leaves blocks without any. Hsieh et al. shuffle all numbers before,
prefetch, and give averages of 100 runs. Nothing is shuffled here: the numbers of kron, er and
powerlaw graphs are random as they are made, those of a grid are not.
"""

from __future__ import annotations

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.queues import DECENTRALIZED, SUB_QUEUE_ARRAYS, check_capacity
from gpubfs.search.technique import Parts


@technique(
    "dfq-global",
    kernel="dfq_global.cu",
    section="IV, Figure 4 (DFQ-G)",
    arrays=SUB_QUEUE_ARRAYS
    | {
        "sub_queues": "a sub-queue of `capacity` vertices for each block",
        "sizes": "for each block, vertices in its sub-queue and room that is reserved there",
    },
    memory="4 V for level + 4 capacity + 8 bytes for each block + 8 bytes",
    parts={"sub_queues": Parts("sizes", stride=2)},
    **DECENTRALIZED,
)
def dfq_global(
    host: Host, graph: DeviceGraph, source: int, *, block: int, blocks: int, capacity: int
) -> SearchResult:
    """One launch."""
    check_capacity(host, capacity)
    grid = host.waiting_blocks(blocks, block, "dfq_global")
    level = host.levels(graph.vertices, source)
    found = host.full("found", 2, 0)
    sub_queues = host.empty("sub_queues", grid * capacity)
    sizes = host.full("sizes", 2 * grid, 0)
    arrays = (graph.offsets, graph.neighbours, level, graph.vertices)
    host.launch("dfq_global", grid, block, (*arrays, found, sub_queues, sizes, capacity))
    return SearchResult(level)
