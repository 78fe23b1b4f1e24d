# wrong: goes bottom-up from half of the edges on
# loses: limit
# says: load_sectors is

"""The host's choice: which way each level goes, as XBFS decides it.

The class Levels launches one level, in one of three ways, and returns two numbers about the
frontier that it has found: how many vertices it has, and how many edges these have.

    scan_free(depth)  expands the frontier's queue. It is there at first, and after scan_free
                      and no_queue.
    bottom_up(depth)  lets all vertices look for a parent that were not visited.
    no_queue(depth)   expands the frontier after bottom_up, which leaves no queue of it.

Each of them expands the level `depth`, the source's being 0. Write the loop: a level goes
bottom-up if its frontier has at least a tenth of all edges (graph.edges), and top-down by
scan_free or no_queue if not. The search ends when a frontier is empty. The source's edges are known
before the first launch: levels.frontier_edges(). Limits say how much may be launched and loaded.
"""

from gpubfs.host import DeviceGraph, Host, SearchResult


class Levels:
    """The three ways of a level; nothing is to be changed here."""

    def __init__(self, host: Host, graph: DeviceGraph, source: int, block: int) -> None:
        self.host, self.graph, self.block = host, graph, block
        self.level = host.levels(graph.vertices, source)
        self.queue = host.queue("frontier", graph.vertices, source)
        self.next = host.queue("next", graph.vertices)
        self.size = 1
        self.next_size = host.full("next_size", 1, 1)
        self.found = host.full("found", 2, 0, "int64")
        widths = host.blocks(graph.vertices, host.warp_size)
        self.blocks = host.blocks(widths, block)
        self.place = host.full("place", self.blocks * block, 0)
        self.totals = host.full("block_totals", self.blocks, 0)

    def frontier_edges(self) -> int:
        """Return how many edges the vertices of the frontier's queue have."""
        return self._measure(self.queue)[1]

    def scan_free(self, depth: int) -> tuple[int, int]:
        """Expand the frontier's queue."""
        return self._top_down("scan_free", depth)

    def no_queue(self, depth: int) -> tuple[int, int]:
        """Expand those of a pass's queue that are in the frontier."""
        return self._top_down("no_queue_expand", depth)

    def bottom_up(self, depth: int) -> tuple[int, int]:
        """Make a queue of who was not visited, and let all of them look for a parent."""
        host, graph = self.host, self.graph
        host.level(depth)
        scanned = (self.level, graph.vertices, -1, self.place, self.totals)
        host.launch("double_scan_count", self.blocks, self.block, scanned)
        sums = (self.totals, self.blocks, self.next_size)
        host.launch("segment_places", 1, 1024, sums)
        host.launch("double_scan_place", self.blocks, self.block, (*scanned, self.queue))
        self.size = host.read_int(self.next_size)
        if not self.size:
            return 0, 0
        host.write(self.found, 0)
        grid = host.blocks(self.size, self.block)
        args = (self.level, self.queue, self.size, depth + 1, self.found)
        edges = (graph.offsets, graph.neighbours)
        host.launch("bottom_up_static", grid, self.block, (*edges, *args))
        vertices, edges = host.read(self.found)
        return vertices, edges

    def _top_down(self, kernel: str, depth: int) -> tuple[int, int]:
        if not self.size:
            raise ValueError("the frontier is empty: the search is over")
        host, graph = self.host, self.graph
        host.level(depth)
        host.write(self.next_size, 0)
        grid = host.blocks(self.size, self.block)
        edges = (graph.offsets, graph.neighbours, self.level)
        args = (self.queue, self.size, self.next, self.next_size, depth + 1)
        host.launch(kernel, grid, self.block, (*edges, *args))
        self.size, found = self._measure(self.next)
        self.queue, self.next = host.swap(self.queue, self.next)
        return self.size, found

    def _measure(self, queue: object) -> tuple[int, int]:
        host = self.host
        host.write(self.found, 0)
        args = (self.graph.offsets, queue, self.next_size, self.found)
        host.launch("frontier_edges", 1, self.block, args)
        vertices, edges = host.read(self.found)
        return vertices, edges


def search(
    host: Host, graph: DeviceGraph, source: int, *, block: int, **options: object
) -> SearchResult:
    """Distances from `source`, each level in the way that suits it."""
    levels = Levels(host, graph, source, block)
    depth, vertices, edges = 0, 1, levels.frontier_edges()
    was_up = False
    while vertices:
        if 2 * edges >= graph.edges:
            vertices, edges = levels.bottom_up(depth)
            was_up = True
        elif was_up:
            # The queue holds who was not visited before the pass, and the frontier among them.
            vertices, edges = levels.no_queue(depth)
            was_up = False
        else:
            vertices, edges = levels.scan_free(depth)
        depth += 1
    return SearchResult(levels.level)
