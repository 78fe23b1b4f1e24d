# wrong: over a limit: asks before and after each launch
# loses: limit
# says: the result is right, but host_reads is 12, more than 7
from gpubfs.host import SearchResult


def search(host, graph, source, *, block):
    level = host.levels(graph.vertices, source)
    found = host.full("found", 1, 0)
    depth, more = 0, 1
    while more:
        host.level(depth)
        if host.read_int(found):
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
