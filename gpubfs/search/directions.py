"""Top-down and bottom-up levels in one search, as several drivers need them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gpubfs.host import DeviceArray, DeviceGraph, Host, SearchResult
from gpubfs.search.option import Option
from gpubfs.search.queues import BLOCK_256, WIDTH
from gpubfs.search.status_scan import MOST_BLOCKS, StatusScan

#: What the driver says of the arrays, the memory and the races here.
DIRECTION_ARRAYS = {
    "level": "distance from the source, -1 where not visited",
    "frontier": "top-down, vertices of the level that is expanded; bottom-up, vertices not visited",
    "next": "vertices of the level after it, where that is found top-down",
    "next_size": "how many there are in next, or in a queue that was scanned",
    "place": "how many of its block's vertices come before each thread's",
    "block_totals": "how many vertices of the queue each block finds, then how many come before",
    "found": "how many vertices are in the next frontier, and how many edges they have",
}
DIRECTION_SHARED = {
    "warp_totals": "vertices of the queue that each warp of the block finds",
    "sums": "vertices, then edges, of the next frontier that each warp of the block finds",
}
DIRECTION_MEMORY = (
    "4 V for level + 4 V for each of two queues + 4 for each thread and block of a scan + 20 bytes"
)
DIRECTION_BENIGN = {
    "level": "a plain read that meets a write finds -1 or the new distance: top-down the swap "
    "decides, bottom-up neither of the two is the parent's"
}

SCAN_BLOCKS = Option(
    "blocks",
    0,
    "blocks of a scan; 0 is as many as give each thread a warp's width of vertices, at most 1,024",
    minimum=0,
    maximum=MOST_BLOCKS,
)
ALPHA = Option(
    "alpha",
    0.1,
    "share of all edges from which on a level is expanded bottom-up; 0 is always, 2 is never",
    minimum=0.0,
)

#: How techniques that search by a `DirectionSearch` are described, for the decorator `technique`.
DIRECTIONS: dict[str, Any] = {
    "arrays": DIRECTION_ARRAYS,
    "shared": DIRECTION_SHARED,
    "memory": DIRECTION_MEMORY,
    "benign": DIRECTION_BENIGN,
    "options": (BLOCK_256, SCAN_BLOCKS, WIDTH, ALPHA),
    "directed": False,
}


@dataclass
class DirectionSearch:
    """A search that goes bottom-up where the frontier has many edges, and top-down elsewhere.

    Top-down levels are scan-free's, with `width` lanes a vertex. The queue of a bottom-up level,
    and that of the first top-down level after it, come from scans of the status array.

    Parameters
    ----------
    host, graph
        As the driver got them.
    scan : str
        The kernels `{scan}_count` and `{scan}_place`, which make a queue.
    block, width : int
        Threads per block, and how many of them share a frontier vertex top-down.
    blocks : int
        Blocks of a scan; 0 is as many as give each thread a warp's width of vertices.
    alpha : float
        Share of all edges from which on a level is bottom-up.
    reuse : str
        A kernel that goes top-down from a bottom-up level's queue; without one the queue of that
        level is scanned, too.
    """

    host: Host
    graph: DeviceGraph
    scan: str
    block: int
    width: int
    blocks: int
    alpha: float
    reuse: str = ""
    level: DeviceArray = field(init=False)

    def run(self, source: int) -> SearchResult:
        """Search from `source`."""
        host, vertices = self.host, self.graph.vertices
        self.level = host.levels(vertices, source)
        self.frontier = host.queue("frontier", vertices, source)
        self.next = host.queue("next", vertices)
        self.next_size = host.full("next_size", 1, 0)
        self.found = host.full("found", 2, 0, "uint64")
        scan = self.scan, self.block, self.blocks
        self.status = StatusScan(host, self.graph, self.level, *scan)
        size, queued, depth = 1, 1, 0  # the frontier's vertices, and those in its queue
        host.level(depth, size)
        host.write(self.next_size, 1)
        _, edges = self._figures()
        while size:
            if depth:
                host.level(depth, size)
            depth += 1
            if self._goes_up(edges):
                size, edges, queued = self._bottom_up(depth)
            else:
                size, edges = self._top_down(depth, size, queued)
                queued = size
        return SearchResult(self.level)

    def _goes_up(self, edges: int) -> bool:
        """Whether a level whose frontier has these edges is expanded bottom-up."""
        return self.alpha == 0 or (edges > 0 and edges >= self.alpha * self.graph.edges)

    def _bottom_up(self, depth: int) -> tuple[int, int, int]:
        """Expand a level; the vertices and edges of the next one, and the queue's length."""
        queued = self._scanned(-1)
        if not queued:
            return 0, 0, 0
        self.host.write(self.found, 0)
        self._launch("bottom_up", queued, (self.frontier, queued, depth, self.found))
        size, edges = map(int, self.host.read(self.found))
        return size, edges, queued

    def _top_down(self, depth: int, size: int, queued: int) -> tuple[int, int]:
        """Expand a level; the vertices and edges of the next one, which is in the queue."""
        kernel = "scan_free"
        # Only the queue of a bottom-up level before this one may hold more than the frontier.
        if queued != size and self.reuse:
            kernel = self.reuse
        elif queued != size:
            queued = self._scanned(depth - 1)
        self.host.write(self.next_size, 0)
        queues = (self.frontier, queued, self.next, self.next_size)
        width = 1 if kernel == self.reuse else self.width
        self._launch(kernel, queued, (*queues, depth), width)
        self.frontier, self.next = self.host.swap(self.frontier, self.next)
        return self._figures()

    def _scanned(self, wanted: int) -> int:
        """Put the vertices whose level is `wanted` into the queue, in order; how many there are."""
        return self.status.into(self.frontier, wanted, self.next_size)

    def _figures(self) -> tuple[int, int]:
        """Return the vertices and edges of the frontier, all of which is in the queue."""
        host = self.host
        host.write(self.found, 0)
        args = (self.graph.offsets, self.frontier, self.next_size, self.found)
        blocks = min(host.multiprocessors, host.blocks(self.graph.vertices, self.block))
        host.launch("frontier_edges", blocks, self.block, args)
        size, edges = map(int, host.read(self.found))
        return size, edges

    def _launch(self, kernel: str, vertices: int, args: tuple[object, ...], width: int = 1) -> None:
        blocks = self.host.blocks(vertices, self.block // width)
        arrays = (self.graph.offsets, self.graph.neighbours, self.level)
        self.host.launch(kernel, blocks, self.block, (*arrays, *args))
