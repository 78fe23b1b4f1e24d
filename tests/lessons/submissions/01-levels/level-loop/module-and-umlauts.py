# right: imports the module, and has names that are not ASCII

import gpubfs.host


def search(host: gpubfs.host.Host, graph, source, *, block):
    level = host.levels(graph.vertices, source)
    gefunden = host.full("größe", 1, 0)
    tiefe_größe, mehr = 0, True
    while mehr:
        host.write(gefunden, 0)
        args = (graph.offsets, graph.neighbours, level, graph.vertices, tiefe_größe, gefunden)
        host.launch("status_array", host.blocks(graph.vertices, block), block, args)
        mehr = host.read_int(gefunden)
        tiefe_größe += 1
    return gpubfs.host.SearchResult(level)
