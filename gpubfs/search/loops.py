"""Main loops that several drivers share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gpubfs.host import DeviceArray, DeviceGraph, Host, SearchResult


@dataclass(frozen=True)
class Iteration:
    """One iteration of `level_loop`: what there is, and what it must bring about.

    Attributes
    ----------
    level : device array of V int32
        Distances, -1 where not visited; vertices that are discovered must get `depth`.
    frontier, size
        The queue of the vertices at distance depth - 1, and how many they are.
    next, next_size
        The queue that must receive the vertices at distance depth, and an int32 that must receive
        their number and is 0.
    depth : int
        The distance of the vertices that the iteration discovers.
    """

    level: DeviceArray
    frontier: DeviceArray
    size: int
    next: DeviceArray
    next_size: DeviceArray
    depth: int


def level_loop(
    host: Host, graph: DeviceGraph, source: int, expand: Callable[[Iteration], None]
) -> SearchResult:
    """Turn one frontier queue into the next until it stays empty, with one read a level.

    Parameters
    ----------
    host, graph, source
        As the driver got them.
    expand : callable
        Launches what expands one level.
    """
    level = host.levels(graph.vertices, source)
    frontier = host.queue("frontier", graph.vertices, source)
    following = host.queue("next", graph.vertices)
    following_size = host.full("next_size", 1, 0)
    size, depth = 1, 0
    while size:
        host.level(depth, size)
        host.write(following_size, 0)
        depth += 1
        expand(Iteration(level, frontier, size, following, following_size, depth))
        size = host.read_int(following_size)
        frontier, following = host.swap(frontier, following)
    return SearchResult(level)


def queue_loop(
    host: Host,
    graph: DeviceGraph,
    source: int,
    kernel: str,
    block: int,
    *,
    width: int = 1,
    shared_mem: int = 0,
) -> SearchResult:
    """Return the same for a technique that is one kernel: one launch and one read a level.

    Parameters
    ----------
    host, graph, source
        As the driver got them.
    kernel : str
        A kernel with `width` threads per frontier vertex and the parameters (offsets, neighbours,
        level, frontier, frontier_size, next, next_size, depth), where depth is the distance of the
        vertices that it discovers.
    block : int
        Threads per block.
    width : int
        Threads that share a frontier vertex.
    shared_mem : int
        Bytes of dynamic shared memory per block.
    """

    def expand(iteration: Iteration) -> None:
        queues = (iteration.frontier, iteration.size, iteration.next, iteration.next_size)
        args = (graph.offsets, graph.neighbours, iteration.level, *queues, iteration.depth)
        grid = host.blocks(iteration.size, block // width)
        host.launch(kernel, grid, block, args, shared_mem=shared_mem)

    return level_loop(host, graph, source, expand)


#: What a driver that uses `level_loop` or `queue_loop` says of its arrays and memory.
QUEUE_ARRAYS = {
    "level": "distance from the source, -1 where not visited",
    "frontier": "vertices of the level that is expanded",
    "next": "vertices of the level after it",
    "next_size": "how many there are in next",
}
QUEUE_MEMORY = "4 V for level + 4 V for each of two queues + 4 bytes"

#: Why it does no harm that a plain read comes before a compare-and-swap.
SWAPPED_IN_VAIN = (
    "the plain read before the swap only spares it: who reads -1 of a vertex that was claimed "
    "meanwhile swaps in vain"
)

#: Why it does no harm that threads mark vertices at the same time, without atomics.
MARKED_TWICE = (
    "all who discover a vertex write the same distance, and who reads it meanwhile finds -1 or "
    "that distance: to be written, or not in the frontier"
)
