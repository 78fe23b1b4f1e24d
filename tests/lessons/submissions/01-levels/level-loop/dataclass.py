# right: the flag is an object, and a slice of a larger array

from dataclasses import dataclass
from itertools import count

from gpubfs.host import SearchResult


@dataclass
class Flag:
    host: object
    array: object

    def lower(self):
        self.host.write(self.array, False)

    def is_up(self):
        return bool(self.host.read(self.array)[0])


def search(host, graph, source, **options):
    block = options["block"]
    level = host.levels(graph.vertices, source)
    found = host.full("flags", 2, 0)[1:2]
    flag = Flag(host, found)
    for depth in count():
        flag.lower()
        args = (graph.offsets, graph.neighbours, level, graph.vertices, depth, found)
        host.launch("status_array", host.blocks(graph.vertices, block), block, args)
        if not flag.is_up():
            return SearchResult(level)
