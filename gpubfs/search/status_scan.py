"""Scans of the status array that make sorted queues, as double-scan's and strided-scan's do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gpubfs.host import DeviceArray, DeviceGraph, Host

#: The most blocks of a scan: their totals are added up by one block, a thread for each.
MOST_BLOCKS = 1024


@dataclass
class StatusScan:
    """Two scans of the status array, with a prefix sum between, that make a sorted queue.

    Parameters
    ----------
    host, graph
        As the driver got them.
    level : device array of V int32
        The status array.
    scan : str
        The kernels `{scan}_count` and `{scan}_place`, which make a queue.
    block, blocks : int
        Threads per block, and blocks; 0 is as many as give each thread a warp's width of vertices.
    """

    host: Host
    graph: DeviceGraph
    level: DeviceArray
    scan: str
    block: int
    blocks: int = 0

    def __post_init__(self) -> None:
        if not self.blocks:
            widths = self.host.blocks(self.graph.vertices, self.host.warp_size)
            self.blocks = min(self.host.blocks(widths, self.block), MOST_BLOCKS)
        self.place = self.host.empty("place", self.blocks * self.block)
        self.block_totals = self.host.empty("block_totals", self.blocks)

    def into(self, queue: DeviceArray, wanted: int, size: DeviceArray) -> int:
        """Put the vertices whose level is `wanted` into a queue, in order; how many there are.

        Parameters
        ----------
        queue : device array of V int32
            The queue.
        wanted : int
            A level, or -1.
        size : device array of one int32
            Receives how many there are.
        """
        self._launch("count", self._scanned(wanted))
        return self.place_counted(queue, wanted, size)

    def measure(self, depth: int, found: DeviceArray) -> None:
        """Count vertices not visited yet, and on the way measure a level: needs `{scan}_measure`.

        Parameters
        ----------
        depth : int
            The level.
        found : device array of uint64
            Receives how many vertices it has, and how many edges these have; 0 before.
        """
        self._launch("measure", (*self._scanned(-1), self.graph.offsets, depth, found))

    def place_counted(self, queue: DeviceArray, wanted: int, size: DeviceArray) -> int:
        """Make the queue whose vertices the last scan has counted; as `into`."""
        sums = self.block_totals, self.blocks, size
        self.host.launch("segment_places", 1, MOST_BLOCKS, sums)
        self._launch("place", (*self._scanned(wanted), queue))
        return self.host.read_int(size)

    def _scanned(self, wanted: int) -> tuple[Any, ...]:
        return self.level, self.graph.vertices, wanted, self.place, self.block_totals

    def _launch(self, which: str, args: tuple[Any, ...]) -> None:
        self.host.launch(f"{self.scan}_{which}", self.blocks, self.block, args)
