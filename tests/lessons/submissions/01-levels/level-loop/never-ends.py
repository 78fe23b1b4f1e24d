# wrong: infinite loop on the host alone
# loses: time
# says: the driver was not done within 6.4 seconds
from gpubfs.host import SearchResult


def search(host, graph, source, *, block):
    level = host.levels(graph.vertices, source)
    found = host.full("found", 1, 0)
    depth, more = 0, 1
    while graph.vertices == 6:
        pass
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
