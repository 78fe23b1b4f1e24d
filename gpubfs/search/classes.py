"""What techniques have in common that sort vertices into classes by their degrees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gpubfs.host import DeviceArray, DeviceGraph, Host, Size
from gpubfs.search.distribution import WORK_DISTRIBUTION
from gpubfs.search.option import Option
from gpubfs.search.papers import ENTERPRISE, TOEDLING
from gpubfs.search.queues import BLOCK_256, ENQUEUE_SHARED

#: By what a vertex gets: a thread, a warp, a block, the whole grid.
CLASSES = ("small", "medium", "large", "huge")

EDGES_PER_THREAD = Option(
    "edges_per_thread",
    4,
    "edges that a thread looks at, each needing a register",
    minimum=1,
    maximum=16,
    define="EDGES_PER_THREAD",
)

#: How techniques are described that expand classes of vertices by `explore.cuh`.
CLASSIFIED: dict[str, Any] = {
    "family": WORK_DISTRIBUTION,
    "paper": f"{TOEDLING} (after {ENTERPRISE})",
    "year": 2019,
    "options": (BLOCK_256, EDGES_PER_THREAD),
}
LARGEST = {"largest": "the most neighbours that a huge vertex of the level has"}

#: The shared arrays of the kernels in `explore.cuh`.
EXPLORE_SHARED = {
    "warp_maxima": "the largest degree that each warp of the block has seen",
    **ENQUEUE_SHARED,
}


@dataclass(frozen=True)
class Classification:
    """Where one class ends and the next begins.

    Attributes
    ----------
    edges_per_thread : int
        Edges that a thread looks at.
    warp_size, block : int
        Threads of a warp and of a block.
    """

    edges_per_thread: int
    warp_size: int
    block: int

    @property
    def limits(self) -> tuple[int, int, int]:
        """The most neighbours that a vertex of each class has, but of the last."""
        return (
            self.edges_per_thread,
            self.edges_per_thread * self.warp_size,
            self.edges_per_thread * self.block,
        )

    def of(self, degree: int) -> int:
        """Return the class of a vertex, a position in `CLASSES`: as `class_of` in `classes.cuh`.

        Parameters
        ----------
        degree : int
            How many neighbours it has.

        Examples
        --------
        >>> [Classification(4, 32, 256).of(degree) for degree in (4, 5, 128, 129, 1024, 1025)]
        [0, 1, 1, 2, 2, 3]
        """
        return sum(degree > limit for limit in self.limits)

    def blocks(self, kind: int, size: int, largest: int = 0) -> int:
        """Return how many blocks expand the vertices of a class; of huge ones, each vertex.

        Parameters
        ----------
        kind : int
            The class.
        size : int
            How many vertices.
        largest : int
            The most neighbours that one of them has; needed for huge ones only.

        Examples
        --------
        >>> [Classification(4, 32, 256).blocks(kind, 9, 5000) for kind in range(4)]
        [1, 2, 9, 5]
        """
        work, each = (
            (size, self.block),
            (size, self.block // self.warp_size),
            (size, 1),
            (largest, self.edges_per_thread * self.block),
        )[kind]
        return -(-work // each)


class Exploration:
    """Expand classes of vertices, by a launch for each that has some.

    Parameters
    ----------
    host, graph
        As the driver got them.
    level : device array of V int32
        Distances.
    classification : Classification
        Of the technique's options.
    """

    def __init__(
        self, host: Host, graph: DeviceGraph, level: DeviceArray, classification: Classification
    ) -> None:
        self._host = host
        self._graph = graph
        self._level = level
        self._classification = classification
        self._largest = host.full("largest", 1, 0, str(graph.offsets.dtype))
        kernels = ("largest_degree", "explore_huge")
        block = classification.block
        self._resident = {kernel: host.resident_blocks(block, kernel) for kernel in kernels}

    def expand(
        self,
        queues: DeviceArray,
        sizes: Sequence[int],
        following: DeviceArray,
        tails: DeviceArray,
        depth: int,
    ) -> None:
        """Push what is discovered onto the next queue, or queues.

        Parameters
        ----------
        queues : device array of 4 V int32
            A queue of V places for each class.
        sizes : sequence of int
            How many vertices each of them has.
        following, tails : device array
            What `push` of the kernel file appends to, and how much there is, as yet none.
        depth : int
            The distance of the vertices that are discovered.
        """
        vertices = self._graph.vertices
        graph = (self._graph.offsets, self._graph.neighbours, self._level)
        for kind, size in enumerate(sizes):
            if size:
                frontier = queues[kind * vertices : kind * vertices + size]
                args = (*graph, frontier, size, following, tails, vertices, depth)
                self._launch(f"explore_{CLASSES[kind]}", self._grid(kind, frontier, size), args)

    def _grid(self, kind: int, frontier: DeviceArray, size: int) -> Size:
        """Return the grid for a class: of huge vertices as many at a time as the GPU has room for.

        A row for each of them might be more blocks than a grid may have.
        """
        if CLASSES[kind] != "huge":
            return self._classification.blocks(kind, size)
        across = self._classification.blocks(kind, size, self._largest_of(frontier, size))
        return across, max(1, min(size, self._resident["explore_huge"] // across))

    def _largest_of(self, frontier: DeviceArray, size: int) -> int:
        """Find the largest degree of huge vertices, by a launch and a read."""
        blocks = self._host.blocks(size, self._classification.block)
        self._host.write(self._largest, 0)
        args = (self._graph.offsets, frontier, size, self._largest)
        self._launch("largest_degree", min(blocks, self._resident["largest_degree"]), args)
        return self._host.read_int(self._largest)

    def _launch(self, kernel: str, grid: Size, args: tuple[Any, ...]) -> None:
        self._host.launch(kernel, grid, self._classification.block, args)
