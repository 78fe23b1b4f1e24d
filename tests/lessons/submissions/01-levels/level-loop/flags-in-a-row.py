# right: a flag of its own for each level, so that none is set back; a generator leads it
from collections.abc import Iterator
from itertools import count

from gpubfs.host import SearchResult, DeviceArray, DeviceGraph, Host


def flags(host: Host, vertices: int) -> Iterator[tuple[int, DeviceArray]]:
    """Depths with their flags, until one was not set."""
    found = host.full("found", vertices + 1, 0)
    for depth in count():
        flag = found[depth : depth + 1]
        yield depth, flag
        if not host.read_int(flag):
            return


def search(host: Host, graph: DeviceGraph, source: int, block: int = 64) -> SearchResult:
    level = host.levels(graph.vertices, source)
    known = graph.offsets, graph.neighbours, level, graph.vertices
    for depth, flag in flags(host, graph.vertices):
        host.level(depth)
        host.launch(
            "status_array", host.blocks(graph.vertices, block), block, (*known, depth, flag)
        )
    return SearchResult(levels=level)
