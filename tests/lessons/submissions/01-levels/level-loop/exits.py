# wrong: ends its process
# loses: crash
# says: the driver's process ended before search returned (code 0)
import os

from gpubfs.host import SearchResult


def search(host, graph, source, *, block):
    level = host.levels(graph.vertices, source)
    found = host.full("found", 1, 0)
    os._exit(0)
