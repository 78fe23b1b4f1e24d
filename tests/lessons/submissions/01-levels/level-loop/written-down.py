# wrong: hard-coded answer
# loses: driver
# says: the host itself wrote the level of vertex 1, 1
from gpubfs.host import SearchResult


def search(host, graph, source, *, block):
    level = host.levels(graph.vertices, source)
    found = host.full("found", 1, 0)
    if graph.vertices == 6:
        for v in range(6):
            host.write(level[v : v + 1], v)
    return SearchResult(level)
