# wrong: infinite loop: the flag is never set back
# loses: driver
# says: level 6 is expanded, but no search of a graph of 6 vertices
from gpubfs.host import SearchResult


def search(host, graph, source, *, block):
    level = host.levels(graph.vertices, source)
    found = host.full("found", 1, 0)
    depth, more = 0, 1
    while more:
        host.level(depth)
        host.launch(
            "status_array",
            host.blocks(graph.vertices, block),
            block,
            (graph.offsets, graph.neighbours, level, graph.vertices, depth, found),
        )
        more = host.read_int(found)
        depth += 1
    return SearchResult(level)
