# wrong: begins at vertex 0, whatever the source is
# loses: result
# says: is the source, but has level

from gpubfs.host import SearchResult


def search(host, graph, source, *, block):
    level = host.levels(graph.vertices, 0)
    found = host.full("found", 1, 0)
    depth, more = 0, 1
    while more:
        host.write(found, 0)
        args = (graph.offsets, graph.neighbours, level, graph.vertices, depth, found)
        host.launch("status_array", host.blocks(graph.vertices, block), block, args)
        more = host.read_int(found)
        depth += 1
    return SearchResult(level)
