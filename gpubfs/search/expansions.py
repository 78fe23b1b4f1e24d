"""How top-down levels are expanded, for searches that go up and down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from gpubfs.host import DeviceArray
from gpubfs.search.passes import Buffers
from gpubfs.search.rules import Figures


@dataclass(frozen=True)
class Queues:
    """What a level is expanded from, and what receives the vertices of the next one.

    Attributes
    ----------
    queue, size
        Vertices of the level, perhaps among others, and how many there are in all.
    edges : int
        How many edges those of the level have.
    following, following_size
        A queue of V places to append to, and an int32 that says how much it has.
    depth : int
        The distance of the vertices that are discovered.
    early : Figures
        What is in the following queue beforehand.
    """

    queue: DeviceArray
    size: int
    edges: int
    following: DeviceArray
    following_size: DeviceArray
    depth: int
    early: Figures

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The queues as kernels take them: (queue, its size, next, next_size, next_depth)."""
        following = self.following, self.following_size
        return (self.queue, self.size, *following, self.depth)


class Expansion(Protocol):
    """One way to expand levels top-down; each returns what the following queue has afterwards."""

    def scan_free(self, queues: Queues) -> Figures:
        """Expand all vertices of the queue, and enqueue what is discovered."""

    def no_queue(self, queues: Queues) -> Figures:
        """Expand those vertices of the queue that are of the level."""


class SingleScan(Protocol):
    """Levels whose discoveries are marked, and become a queue only if they need one."""

    @property
    def alpha(self) -> float:
        """The share of all edges that must be predicted of the next level."""

    def expand(self, queues: Queues) -> Figures:
        """Mark what is discovered, and return its figures; the following queue stays empty."""

    def collect(self, queue: DeviceArray, size: DeviceArray, depth: int) -> None:
        """Put the marked vertices of level `depth` into a queue."""


@dataclass
class WidthExpansion:
    """Levels of scan-free and no-queue.

    Parameters
    ----------
    buffers : Buffers
        What is searched.
    block, width : int
        Threads per block, and how many of them share a vertex: the macro WIDTH.
    """

    buffers: Buffers
    block: int
    width: int

    def scan_free(self, queues: Queues) -> Figures:
        """Expand all vertices of the queue."""
        return self._expand("scan_free", queues, self.block // self.width)

    def no_queue(self, queues: Queues) -> Figures:
        """Expand those that are of the level; each entry has a thread, which looks."""
        return self._expand("no_queue_expand", queues, self.block)

    def _expand(self, kernel: str, queues: Queues, each: int) -> Figures:
        data = self.buffers
        blocks = data.host.blocks(queues.size, each)
        data.host.launch(kernel, blocks, self.block, (*data.searched, *queues.arguments))
        return Figures(*data.measured(lambda: self._measure(queues))[:2])

    def _measure(self, queues: Queues) -> None:
        """Add up the following queue's edges, by a grid that need not know its size."""
        data = self.buffers
        blocks = min(data.host.multiprocessors, data.host.blocks(data.graph.vertices, self.block))
        args = (data.graph.offsets, queues.following, queues.following_size, data.found)
        data.host.launch("frontier_edges", blocks, self.block, args)
