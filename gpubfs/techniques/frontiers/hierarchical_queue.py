"""Sub-queues of few lanes are joined to a block's queue, and that to the global one by one atomic.

Luo, Wong and Hwu, as Tödling et al. (Section II-C) and Hsieh et al. (Sections II-C and III-B)
describe it: vertices go first into small queues in shared memory, so many that lanes which run at
the same time need not meet at one tail; one thread adds up where these go in the block's queue; and
one atomic addition reserves room in global memory for the whole block. A compare-and-swap on the
status keeps a vertex from getting into two queues.

Luo's hardware ran eight lanes of a warp at a time, so there are eight sub-queues a block, and a
lane's number chooses. `width` lanes share a frontier vertex, as in Hsieh's version; 1 is Luo's.

What a block may discover is bounded by shared memory only. Hsieh et al. report that it fails on
three of their eight graphs. Here a search in which a sub-queue was full ends, after its last level,
with a `QueueOverflowError` that names a vertex without room. `spill=true`, which is not in the
papers, appends such vertices to the global queue at once, each by an addition of its own.

Two things are done otherwise than in the papers. Room in the global queue is reserved before the
sub-queues are copied to the block's queue, and not after; the same vertices get the same room. And
a level is one launch here, and the host reads how many vertices it found, so that what a search of
many levels costs is the loop rather than the queue: compare with techniques of the same loop.
"""

from __future__ import annotations

from gpubfs.graphs.build import count
from gpubfs.host import DeviceArray, DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.loops import QUEUE_ARRAYS, QUEUE_MEMORY, SWAPPED_IN_VAIN, Iteration, level_loop
from gpubfs.search.option import Option
from gpubfs.search.papers import LUO
from gpubfs.search.queues import BLOCK_256, WIDTH, QueueOverflowError
from gpubfs.search.technique import Parts

SUB_QUEUES = 8


@technique(
    "hierarchical-queue",
    family="frontier generation",
    kernel="hierarchical_queue.cu",
    paper=LUO,
    section="as in Tödling et al., II-C, and Hsieh et al. (DFQ), II-C",
    year=2010,
    arrays=QUEUE_ARRAYS | {"overflow": "-1, or a vertex that found its sub-queue full"},
    shared={
        "queues": "the block's sub-queues, then its own queue",
        "sub_size": "how many vertices wanted to get into each sub-queue, then how many did",
        "sub_start": "where each sub-queue goes in the block's queue",
        "block_size": "vertices in the block's queue",
        "start": "where the block's queue goes in next",
    },
    parts={"queues": Parts("sub_size")},
    memory=f"{QUEUE_MEMORY} + 4 bytes; {2 * SUB_QUEUES} capacity ints of shared memory a block",
    benign={"level": SWAPPED_IN_VAIN},
    options=(
        BLOCK_256,
        WIDTH,
        Option("capacity", 512, "vertices of a sub-queue", minimum=1, maximum=3500),
        Option("spill", False, "append what finds no room to the global queue", define="SPILL"),
    ),
)
def hierarchical_queue(
    host: Host,
    graph: DeviceGraph,
    source: int,
    *,
    block: int,
    width: int,
    capacity: int,
    spill: bool,
) -> SearchResult:
    """Run the kernel level after level; `width` and `spill` are macros of its file."""
    overflow = host.full("overflow", 1, -1)
    shared = 4 * 2 * SUB_QUEUES * capacity

    def expand(iteration: Iteration) -> None:
        queues = (iteration.frontier, iteration.size, iteration.next, iteration.next_size, overflow)
        arrays = (graph.offsets, graph.neighbours, iteration.level, *queues)
        grid = host.blocks(iteration.size, block // width)
        args = (*arrays, capacity, iteration.depth)
        host.launch("hierarchical_queue", grid, block, args, shared_mem=shared)

    answer = level_loop(host, graph, source, expand)
    if not spill:
        _check(host, overflow, answer.levels, capacity)
    return answer


def _check(host: Host, overflow: DeviceArray, level: DeviceArray, capacity: int) -> None:
    vertex = host.read_int(overflow)
    if vertex >= 0:
        depth = host.read_int(level[vertex : vertex + 1])
        raise QueueOverflowError(
            f"the hierarchical queue overflows at level {depth}: vertex {vertex} finds its "
            f"sub-queue full, which has room for {count(capacity, 'vertex', 'vertices')}",
            "give a larger capacity, or a larger width or a smaller block, so that a sub-queue "
            "serves fewer edges, or spill=true; or take a queue that cannot overflow, such as "
            "dfq-shared",
            vertex,
            capacity,
        )
