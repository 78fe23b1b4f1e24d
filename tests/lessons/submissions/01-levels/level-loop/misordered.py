# wrong: arguments in the wrong order
# loses: driver
# says: the parameter offsets of status_array is given level
from gpubfs.host import SearchResult


def search(host, graph, source, *, block):
    level = host.levels(graph.vertices, source)
    found = host.full("found", 1, 0)
    depth, more = 0, 1
    while more:
        host.level(depth)
        host.write(found, 0)
        host.launch(
            "status_array",
            host.blocks(graph.vertices, block),
            block,
            (level, graph.offsets, graph.neighbours, graph.vertices, depth, found),
        )
        more = host.read_int(found)
        depth += 1
    return SearchResult(level)
