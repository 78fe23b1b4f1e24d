"""Main loops that several drivers share."""

from __future__ import annotations

from gpubfs.host import Answer, DeviceGraph, Host


def queue_loop(
    host: Host, graph: DeviceGraph, source: int, kernel: str, block: int, *, shared_mem: int = 0
) -> Answer:
    """Turn one frontier queue into the next until it stays empty, one launch and one read a level.

    Parameters
    ----------
    host, graph, source
        As the driver got them.
    kernel : str
        A kernel with one thread per frontier vertex and the parameters (offsets, neighbours,
        level, frontier, frontier_size, next, next_size, depth), where depth is the distance of the
        vertices that it discovers.
    block : int
        Threads per block.
    shared_mem : int
        Bytes of dynamic shared memory per block.
    """
    level = host.levels(graph.vertices, source)
    frontier = host.queue("frontier", graph.vertices, source)
    following = host.queue("next", graph.vertices)
    following_size = host.full("next_size", 1, 0)
    size, depth = 1, 0
    while size:
        host.level(depth, size)
        host.write(following_size, 0)
        queues = (frontier, size, following, following_size)
        args = (graph.offsets, graph.neighbours, level, *queues, depth + 1)
        host.launch(kernel, host.blocks(size, block), block, args, shared_mem=shared_mem)
        size = host.read_int(following_size)
        frontier, following = host.swap(frontier, following)
        depth += 1
    return Answer(level)


#: What a driver that uses `queue_loop` says of its arrays and memory.
QUEUE_ARRAYS = {
    "level": "distance from the source, -1 where not visited",
    "frontier": "vertices of the level that is expanded",
    "next": "vertices of the level after it",
    "next_size": "how many there are in next",
}
QUEUE_MEMORY = "4 V for level + 4 V for each of two queues + 4 bytes"
