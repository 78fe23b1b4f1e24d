"""How top-down levels are expanded, for searches that go up and down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from gpubfs.host import DeviceArray, DeviceGraph, Host


@dataclass(frozen=True)
class Queues:
    """What a level is expanded from, and what receives the vertices of the next one.

    Attributes
    ----------
    queue, size
        Vertices of the level, perhaps among others, and how many there are in all.
    following, following_size
        A queue of V places to append to, and an int32 that says how much it has.
    depth : int
        The distance of the vertices that are discovered.
    largest : int or None
        What the expansion's `measure` has said of the queue's degrees; None where it was not asked.
    """

    queue: DeviceArray
    size: int
    following: DeviceArray
    following_size: DeviceArray
    depth: int
    largest: int | None = None


class Expansion(Protocol):
    """One way to expand levels top-down."""

    def scan_free(self, queues: Queues) -> None:
        """Expand all vertices of the queue, and enqueue what is discovered."""

    def no_queue(self, queues: Queues) -> None:
        """Expand those vertices of the queue that are of the level."""

    def measure(self, queue: DeviceArray, size: DeviceArray, found: DeviceArray) -> None:
        """Put a queue's vertices and edges into `found`, which is 0; `size` is on the device.

        If the expansion wants to know it again, the largest degree comes third.
        """


@dataclass
class WidthExpansion:
    """Levels of scan-free and no-queue.

    Parameters
    ----------
    host, graph
        As the driver got them.
    level : device array of V int32
        Distances.
    block, width : int
        Threads per block, and how many of them share a vertex: the macro WIDTH.
    """

    host: Host
    graph: DeviceGraph
    level: DeviceArray
    block: int
    width: int

    def scan_free(self, queues: Queues) -> None:
        """Expand all vertices of the queue."""
        self._launch("scan_free", queues, self.block // self.width)

    def no_queue(self, queues: Queues) -> None:
        """Expand those that are of the level; each entry has a thread, which looks."""
        self._launch("no_queue_expand", queues, self.block)

    def measure(self, queue: DeviceArray, size: DeviceArray, found: DeviceArray) -> None:
        """Add up a queue's edges."""
        blocks = measuring_blocks(self.host, self.graph, self.block)
        args = (self.graph.offsets, queue, size, found)
        self.host.launch("frontier_edges", blocks, self.block, args)

    def _launch(self, kernel: str, queues: Queues, each: int) -> None:
        graph = (self.graph.offsets, self.graph.neighbours, self.level)
        args = (*graph, *arguments(queues))
        self.host.launch(kernel, self.host.blocks(queues.size, each), self.block, args)


def arguments(queues: Queues) -> tuple[Any, ...]:
    """Return queues as kernels take them: (queue, its size, next, next_size, next_depth)."""
    following = queues.following, queues.following_size
    return (queues.queue, queues.size, *following, queues.depth)


def measuring_blocks(host: Host, graph: DeviceGraph, block: int) -> int:
    """Return the blocks of a grid that goes over a queue whose size the host does not know."""
    return min(host.multiprocessors, host.blocks(graph.vertices, block))
