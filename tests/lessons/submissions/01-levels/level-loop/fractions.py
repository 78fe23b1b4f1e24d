# wrong: a whole number is none: / instead of //
# loses: driver
# says: status_array's grid is 0.1875, and must be a whole number
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
            graph.vertices / block,
            block,
            (graph.offsets, graph.neighbours, level, graph.vertices, depth, found),
        )
        more = host.read_int(found)
        depth += 1
    return SearchResult(level)
