"""Top-down levels by classes of degree, as `xbfs.cu` has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gpubfs.host import DeviceArray
from gpubfs.search.expansions import Queues
from gpubfs.search.passes import Buffers
from gpubfs.search.rules import Figures
from gpubfs.search.status_scan import StatusScan


@dataclass
class ClassExpansion:
    """Expand a vertex by one thread, a warp, a block, or in a launch of its own by the whole grid.

    Parameters
    ----------
    buffers : Buffers
        What is searched.
    block : int
        Threads per block.
    grid_degree : int
        Edges from which on a vertex gets the grid.
    """

    buffers: Buffers
    block: int
    grid_degree: int

    def __post_init__(self) -> None:
        host, graph = self.buffers.host, self.buffers.graph
        # No more vertices than that have so many edges.
        most = min(graph.vertices, graph.edges // self.grid_degree)
        self.huge = host.empty("huge", max(most, 1))
        self.huge_size = host.full("huge_size", 1, 0)
        self.resident = host.resident_blocks(self.block, "scan_free_huge", "single_scan_huge")

    def scan_free(self, queues: Queues) -> Figures:
        """Expand all vertices of the queue."""
        return self._claim("scan_free_by_class", queues)

    def no_queue(self, queues: Queues) -> Figures:
        """Expand those that are of the level."""
        return self._claim("no_queue_by_class", queues)

    def mark(self, queues: Queues) -> None:
        """Mark what is discovered, and enqueue nothing."""
        marked = queues.queue, queues.size, queues.depth
        self._launch("single_scan_by_class", queues, marked, ())
        self._launch_huge("single_scan_huge", queues, (queues.depth,))

    def _claim(self, kernel: str, queues: Queues) -> Figures:
        """Expand by a kernel, and return what the following queue has then."""
        data = self.buffers

        def launch() -> None:
            self._launch(kernel, queues, queues.arguments, (data.found,))
            following = queues.following, queues.following_size, queues.depth
            self._launch_huge("scan_free_huge", queues, (*following, data.found))

        return Figures(*data.measured(launch)[:2]) + queues.early

    def _launch(
        self, kernel: str, queues: Queues, args: tuple[Any, ...], found: tuple[Any, ...]
    ) -> None:
        data = self.buffers
        if self._may_be_huge(queues):
            data.host.write(self.huge_size, 0)
        classes = self.huge, self.huge_size, self.grid_degree
        blocks = data.host.blocks(queues.size, self.block)
        data.host.launch(kernel, blocks, self.block, (*data.searched, *args, *classes, *found))

    def _launch_huge(self, kernel: str, queues: Queues, args: tuple[Any, ...]) -> None:
        """Expand those vertices that the launch before has left to the grid."""
        data = self.buffers
        if self._may_be_huge(queues):
            args = (*data.searched, self.huge, self.huge_size, *args)
            blocks = min(self.resident, data.host.blocks(queues.edges, self.block))
            data.host.launch(kernel, blocks, self.block, args)

    def _may_be_huge(self, queues: Queues) -> bool:
        """Whether the level has edges enough for one vertex for the grid."""
        return queues.edges >= self.grid_degree


@dataclass
class ClassSingleScan:
    """Levels that are marked by classes of degree.

    Parameters
    ----------
    expansion : ClassExpansion
        What marks them.
    scan : StatusScan
        What measures them, and counts on the way for a bottom-up level.
    alpha : float
        The share of all edges that must be predicted of the next level.
    """

    expansion: ClassExpansion
    scan: StatusScan
    alpha: float

    def expand(self, queues: Queues) -> Figures:
        """Mark what is discovered, and return its figures."""
        data = self.expansion.buffers
        self.expansion.mark(queues)
        return Figures(*data.measured(lambda: self.scan.measure(queues.depth, data.found))[:2])

    def collect(self, queue: DeviceArray, size: DeviceArray, depth: int) -> None:
        """Put the marked vertices into a queue: single-scan's own scan."""
        data, block = self.expansion.buffers, self.expansion.block
        data.host.write(size, 0)
        vertices = data.graph.vertices
        args = (data.level, vertices, queue, size, depth)
        data.host.launch("single_scan_enqueue", data.host.blocks(vertices, block), block, args)
