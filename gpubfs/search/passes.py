"""What a search with bottom-up passes launches and allocates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gpubfs.host import DeviceArray, DeviceGraph, Host


@dataclass
class Buffers:
    """What a search allocates: `level`, two queues, and what kernels count."""

    host: Host
    graph: DeviceGraph
    source: int
    level: DeviceArray = field(init=False)

    def __post_init__(self) -> None:
        host, vertices = self.host, self.graph.vertices
        self.level = host.levels(vertices, self.source)
        self.frontier = host.queue("frontier", vertices, self.source)
        self.next = host.queue("next", vertices)
        self.next_size = host.full("next_size", 1, 1)
        self.found = host.full("found", 4, 0, "uint64")

    @property
    def searched(self) -> tuple[DeviceArray, DeviceArray, DeviceArray]:
        """The graph and the distances, as kernels take them."""
        return self.graph.offsets, self.graph.neighbours, self.level

    def degree(self, v: int) -> int:
        """Return how many edges a vertex has, by a read.

        Parameters
        ----------
        v : int
            The vertex.
        """
        begin, end = self.host.read(self.graph.offsets[v : v + 2])
        return int(end) - int(begin)

    def swap(self) -> None:
        """Exchange the two queues."""
        self.frontier, self.next = self.host.swap(self.frontier, self.next)

    def measured(self, launch: Callable[[], None]) -> list[int]:
        """Return what launches add to `found`.

        Parameters
        ----------
        launch : callable
            Launches them.
        """
        self.host.write(self.found, 0)
        launch()
        return [int(figure) for figure in self.host.read(self.found)]


@dataclass
class BottomUpPasses:
    """Launches of one bottom-up kernel, all of them with a fixed grid.

    Parameters
    ----------
    buffers : Buffers
        What is searched.
    kernel : str
        A kernel with the parameters (offsets, neighbours, level, queue, queue_size, next_depth,
        found) and, if it is dynamic, `taken`.
    block, blocks : int
        Threads per block, and blocks; 0 is as many as give each thread that the GPU holds at one
        time a place. Where the queue is shorter than that, it has a thread for each vertex.
    dynamic : bool
        Whether threads fetch vertices from a counter.
    """

    buffers: Buffers
    kernel: str
    block: int
    blocks: int
    dynamic: bool

    def __post_init__(self) -> None:
        host = self.buffers.host
        self.blocks = self.blocks or max(1, host.resident_threads // self.block)
        self.taken = host.full("taken", 1, 0) if self.dynamic else None

    def launch(self, queue: DeviceArray, size: int, depth: int, found: DeviceArray) -> None:
        """Look for the parents of a queue's vertices.

        Parameters
        ----------
        queue, size
            Vertices not visited yet, and how many they are.
        depth : int
            The distance of those that have a parent.
        found : device array of four uint64
            Receives what the pass finds; 0 before.
        """
        host = self.buffers.host
        blocks = min(host.blocks(size, self.block), self.blocks)
        args: tuple[Any, ...] = (*self.buffers.searched, queue, size, depth, found)
        if self.taken is not None:
            host.write(self.taken, blocks * self.block)
            args = (*args, self.taken)
        host.launch(self.kernel, blocks, self.block, args)
