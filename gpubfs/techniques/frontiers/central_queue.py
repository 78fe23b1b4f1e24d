"""The status array is scanned into one queue by atomic additions to its one tail, then visited.

The queue that Hsieh et al. (Sections II and III, Figure 2b) improve on, and call BASE where they
measure it (Section V): all threads that find a frontier vertex add to the same tail. The queue is
then visited by virtual warps of `width` lanes (Hong et al.), which mark neighbours without atomics.
It has room for every vertex, since a level may be the whole graph.

Blocks have 1,024 threads, and unless `blocks` says otherwise there are as many as run at the same
time, as in the authors' code: 82 on the paper's RTX 3090, one for each multiprocessor, and two for
each on GPUs whose multiprocessors hold 2,048 threads. `blocks` is for the paper's study of scaling.
With `loop=host` each level is two launches and a read: its queue is visited, and the next level's
is gathered. With `loop=persistent` the whole search is one cooperative launch, as DFQ's is, so that
the two differ only in the queue.

The paper's queue has one tail, and so has this one, in a persistent search too: there a level's
vertices stand behind those of the levels before it, so that nothing is reset between barriers, and
`hottest_ops` is what the tail gets in the whole search.

Hsieh et al. shuffle the numbers of all vertices, prefetch, and give averages of 100 runs; nothing
is shuffled or prefetched here.
"""

from __future__ import annotations

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.loops import MARKED_TWICE
from gpubfs.search.option import Option
from gpubfs.search.papers import DFQ
from gpubfs.search.queues import BLOCK_1024, BLOCKS, ENQUEUE, ENQUEUE_SHARED, WIDTH

#: The kernels that each kind of loop launches.
KERNELS_OF = {
    "host": ("central_queue_gather", "central_queue_visit"),
    "persistent": ("central_queue_persistent",),
}


@technique(
    "central-queue",
    family="frontier generation",
    kernel="central_queue.cu",
    paper=DFQ,
    section="II-B, III, Figure 2b; V-A and V-B (BASE)",
    year=2023,
    arrays={
        "level": "distance from the source, -1 where not visited",
        "queue": "vertices of the level that is expanded",
        "size": "how many there are in queue, with those of earlier levels where the loop persists",
    },
    memory="4 V for level + 4 V for the queue + 4 bytes",
    shared=ENQUEUE_SHARED,
    benign={"level": MARKED_TWICE},
    options=(
        BLOCK_1024,
        BLOCKS,
        WIDTH,
        ENQUEUE,
        Option("loop", "host", "who goes from level to level", choices=("host", "persistent")),
    ),
    cooperative=lambda values: values["loop"] == "persistent",
)
def central_queue(
    host: Host,
    graph: DeviceGraph,
    source: int,
    *,
    block: int,
    blocks: int,
    width: int,
    enqueue: str,
    loop: str,
) -> SearchResult:
    """Gather and visit; `width` and `enqueue` are macros of the kernel file."""
    level = host.levels(graph.vertices, source)
    queue = host.empty("queue", graph.vertices)
    size = host.full("size", 1, 0)
    arrays = (graph.offsets, graph.neighbours, level)
    if loop == "persistent":
        shape = host.waiting_blocks(blocks, block, *KERNELS_OF[loop]), block
        args = (*arrays, graph.vertices, queue, size)
        host.launch("central_queue_persistent", *shape, args)
        return SearchResult(level)
    shape = blocks or host.resident_blocks(block, *KERNELS_OF[loop]), block
    host.level(0, 1)
    depth, found = 0, 1
    while found:
        host.write(size, 0)
        gathered = (level, graph.vertices, depth, queue, size)
        host.launch("central_queue_gather", *shape, gathered)
        found = host.read_int(size)
        if found:
            if depth:
                host.level(depth, found)
            host.launch("central_queue_visit", *shape, (*arrays, queue, found, depth))
            depth += 1
    return SearchResult(level)
