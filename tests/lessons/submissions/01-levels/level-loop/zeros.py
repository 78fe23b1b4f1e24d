# wrong: wrong initial value: all levels are 0
# loses: result
# says: has level 0, but
from gpubfs.host import SearchResult


def search(host, graph, source, *, block):
    level = host.full("level", graph.vertices, 0)
    found = host.full("found", 1, 0)
    depth, more = 0, 1
    while more:
        host.level(depth)
        host.write(found, 0)
        host.launch(
            "status_array",
            host.blocks(graph.vertices, block),
            block,
            (graph.offsets, graph.neighbours, level, graph.vertices, depth, found),
        )
        more = host.read_int(found)
        depth += 1
    return SearchResult(level)
