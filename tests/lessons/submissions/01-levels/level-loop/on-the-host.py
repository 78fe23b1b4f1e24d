# wrong: computes the answer on the host
# loses: driver
# says: the host may not read offsets: only kernels look at the graph
from gpubfs.host import SearchResult


def search(host, graph, source, *, block):
    level = host.levels(graph.vertices, source)
    found = host.full("found", 1, 0)
    offsets = host.read(graph.offsets)
    neighbours = host.read(graph.neighbours)
    distance, queue = {source: 0}, [source]
    for u in queue:
        for v in neighbours[offsets[u] : offsets[u + 1]]:
            if v not in distance:
                distance[v] = distance[u] + 1
                host.write(level[v : v + 1], distance[v])
                queue.append(v)
    return SearchResult(level)
