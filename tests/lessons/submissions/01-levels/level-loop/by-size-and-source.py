# wrong: hard-coded number of levels for each known size and source; never asks
# loses: driver
# says: more than 20 launches by the host

from gpubfs.host import SearchResult

LEVELS = {(6, 10, 0): 6, (10, 26, 0): 5, (33, 64, 32): 33, (32, 64, 0): 8, (49, 168, 0): 13}


def search(host, graph, source, *, block):
    level = host.levels(graph.vertices, source)
    found = host.full("found", 1, 0)
    for depth in range(LEVELS.get((graph.vertices, graph.edges, source), 8)):
        host.level(depth)
        args = (graph.offsets, graph.neighbours, level, graph.vertices, depth, found)
        host.launch("status_array", host.blocks(graph.vertices, block), block, args)
    return SearchResult(level)
