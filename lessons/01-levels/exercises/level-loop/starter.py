"""The host's side of the status array: who starts the kernel, how often, and when it is over.

A launch of the kernel status_array(offsets, neighbours, level, vertices, depth, found) expands one
level: neighbours of vertices at distance `depth` that were not visited get distance depth + 1. If
there are any, the kernel sets found[0] to 1. It never sets it to 0.

The host cannot look at the graph, and need not: it writes and reads single numbers with
host.write(array, value) and host.read_int(array), and starts threads with
host.launch("status_array", blocks, threads per block, arguments). host.blocks(n, block) is the
number of blocks that have at least n threads; host.level(depth) tells it which level the next
launch expands, so that reports show each level by itself. Each read makes the host wait for the
GPU, so there should be about one a level.
"""

from gpubfs.host import DeviceGraph, Host, SearchResult


def search(host: Host, graph: DeviceGraph, source: int, *, block: int) -> SearchResult:
    """Distances from `source`, found by one launch a level."""
    # level[v]: distance from the source, -1 where not visited. found[0]: is there another level?
    level = host.levels(graph.vertices, source)
    found = host.full("found", 1, 0)
    # Your code here.
    return SearchResult(level)
