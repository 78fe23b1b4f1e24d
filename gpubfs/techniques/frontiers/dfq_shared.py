"""The decentralized queue with each block's sub-queue in its shared memory.

Hsieh et al. (Sections IV-B and V, DFQ-S): because a sub-queue's size does not grow with the graph,
it fits into shared memory, whose atomics and accesses are faster. All else is as in dfq-global. How
many blocks run at the same time, and so are launched, depends on the sub-queue's size, too, once a
multiprocessor's shared memory holds fewer of them.
"""

from __future__ import annotations

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.queues import DECENTRALIZED, SUB_QUEUE_ARRAYS, check_capacity


@technique(
    "dfq-shared",
    kernel="dfq_shared.cu",
    section="IV-B and V (DFQ-S)",
    arrays=SUB_QUEUE_ARRAYS,
    shared={
        "sub_queue": "the block's sub-queue",
        "size": "vertices in it",
        "reserved": "vertices in it, and room that warps have reserved",
    },
    memory="4 V for level + 8 bytes; 4 capacity + 8 bytes of shared memory a block",
    **DECENTRALIZED,
)
def dfq_shared(
    host: Host, graph: DeviceGraph, source: int, *, block: int, blocks: int, capacity: int
) -> SearchResult:
    """One launch."""
    check_capacity(host, capacity)
    level = host.levels(graph.vertices, source)
    found = host.full("found", 2, 0)
    arrays = (graph.offsets, graph.neighbours, level, graph.vertices)
    shared = 4 * capacity
    grid = host.waiting_blocks(blocks, block, "dfq_shared", shared_mem=shared)
    host.launch("dfq_shared", grid, block, (*arrays, found, capacity), shared_mem=shared)
    return SearchResult(level)
