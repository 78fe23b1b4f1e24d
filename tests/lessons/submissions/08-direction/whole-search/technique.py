# wrong: uses the kernel of a technique, and has none
# loses: read
# says: there is no constant KERNEL in the file

from gpubfs.host import DeviceGraph, Host, SearchResult


def search(host: Host, graph: DeviceGraph, source: int) -> SearchResult:
    level = host.levels(graph.vertices, source)
    found = host.full("found", 1, 1)
    depth = 0
    while host.read_int(found):
        host.level(depth)
        host.write(found, 0)
        args = (graph.offsets, graph.neighbours, level, graph.vertices, depth, found)
        host.launch("status_array", host.blocks(graph.vertices, 64), 64, args)
        depth += 1
    return SearchResult(level)
