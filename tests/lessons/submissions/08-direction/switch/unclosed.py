# wrong: does not compile: a bracket is missing
# loses: read
# says: '(' was never closed

from gpubfs.host import DeviceGraph, Host, SearchResult


class Levels:
    """A search's arrays, and a level in both directions."""

    def __init__(self, host: Host, graph: DeviceGraph, source: int, block: int) -> None:
        self.host, self.graph, self.block = host, graph, block
        self.level = host.levels(graph.vertices, source)
        # The vertices that the next launch goes through: at first the source.
        self.queue = host.queue("frontier", graph.vertices, source)
        self.next = host.queue("next", graph.vertices)
        self.next_size = host.full("next_size", 1, 1)
        self.found = host.full("found", 4, 0, "int64")
        self.blocks = host.blocks(graph.vertices, 32 * block)
        self.place = host.empty("place", self.blocks * block)
        self.totals = host.empty("block_totals", self.blocks)

    def figures(self) -> tuple[int, int]:
        """How many vertices the frontier in the queue has, and how many edges."""
        self.host.write(self.found, 0)
        args = (self.graph.offsets, self.queue, self.next_size, self.found)
        self._launch("frontier_edges", 1, args)
        return self._read()

    def top_down(self, depth: int, size: int) -> tuple[int, int]:
        """Expand level `depth`, whose `size` vertices are in the queue.

        Returns vertices and edges of the next level, whose vertices are in the queue then.
        """
        self.host.write(self.next_size, 0)
        graph = (self.graph.offsets, self.graph.neighbours, self.level)
        queues = (self.queue, size, self.next, self.next_size)
        self._launch("scan_free", 32 * size, (*graph, *queues, depth + 1))
        self.queue, self.next = self.host.swap(self.queue, self.next)
        return self.figures()

    def bottom_up(self, depth: int) -> tuple[int, int]:
        """Expand level `depth` by the vertices that were not visited.

        Returns vertices and edges of the next level. In the queue there are all vertices that were
        not visited before.
        """
        waiting = self.queue_of(-1)
        if not waiting:
            return 0, 0
        self.host.write(self.found, 0)
        graph = (self.graph.offsets, self.graph.neighbours, self.level)
        args = (*graph, self.queue, waiting, depth + 1, self.found)
        self._launch("bottom_up_static", waiting, args)
        return self._read()

    def queue_of(self, wanted: int) -> int:
        """Put all vertices whose level is `wanted` into the queue, and say how many they are."""
        scan = (self.level, self.graph.vertices, wanted, self.place, self.totals)
        threads = self.blocks * self.block
        self._launch("double_scan_count", threads, scan)
        sums = (self.totals, self.blocks, self.next_size)
        self.host.launch("segment_places", 1, 1024, sums)
        self._launch("double_scan_place", threads, (*scan, self.queue))
        return self.host.read_int(self.next_size)

    def _launch(self, kernel: str, threads: int, args: tuple) -> None:
        self.host.launch(kernel, self.host.blocks(threads, self.block), self.block, args)

    def _read(self) -> tuple[int, int]:
        vertices, edges = self.host.read(self.found[:2])
        return vertices, edges


def search(
    host: Host, graph: DeviceGraph, source: int, *, block: int, alpha: float, **others: object
) -> SearchResult:
    """Distances from `source`, each level in the direction that its edges ask for."""
    levels = Levels(host, graph, source, block)
    size, edges = levels.figures()
    depth, came_up = 0, False
    while size:
        host.level(depth, size)
        if edges >= alpha * graph.edges:
            size, edges = levels.bottom_up(depth)
            came_up = True
        else:
            if came_up:
                levels.queue_of(depth)
            size, edges = levels.top_down(depth, size
            came_up = False
        depth += 1
    return SearchResult(levels.level)
