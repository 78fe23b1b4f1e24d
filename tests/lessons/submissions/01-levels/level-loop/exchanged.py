# wrong: blocks and threads of a block are exchanged, so that a warp has one thread
# loses: limit
# says: load_requests is 759, more than 250
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
            block,
            host.blocks(graph.vertices, block),
            (graph.offsets, graph.neighbours, level, graph.vertices, depth, found),
        )
        more = host.read_int(found)
        depth += 1
    return SearchResult(level)
