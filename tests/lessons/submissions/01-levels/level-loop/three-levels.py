# wrong: hard-coded number of levels
# loses: result
# says: vertex 4 has no level, but can be reached
from gpubfs.host import SearchResult


def search(host, graph, source, *, block):
    level = host.levels(graph.vertices, source)
    found = host.full("found", 1, 0)
    for depth in range(3):
        host.level(depth)
        host.launch(
            "status_array",
            host.blocks(graph.vertices, block),
            block,
            (graph.offsets, graph.neighbours, level, graph.vertices, depth, found),
        )
    return SearchResult(level)
