# right: the flag is 1 at first, and asked before each level; levels are made by hand
def search(host, graph, source, **options):
    level = host.full("level", graph.vertices, -1)
    host.write(level[source : source + 1], 0)
    found = host.full("found", 1, 1)
    depth = 0
    while host.read_int(found) == 1:
        host.level(depth)
        host.write(found, 0)
        threads = options["block"]
        blocks = (graph.vertices + threads - 1) // threads
        host.launch(
            "status_array",
            (blocks, 1, 1),
            (threads, 1, 1),
            (graph.offsets, graph.neighbours, level, graph.vertices, depth, found),
        )
        depth = depth + 1
    return level
