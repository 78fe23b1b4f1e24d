"""The frontier's size chooses the barrier: within one block, over a grid, or a launch a level.

Luo, Wong and Hwu, as Tödling et al. (Section II-C) describe it: a frontier of up to as many
vertices as a block has threads is searched by one block, with the barrier that CUDA has for blocks,
and its queues stay in shared memory. A larger one is searched by a block on each multiprocessor,
with a barrier in memory after Xiao and Feng, which needs all blocks to run at the same time. Only
then is each level a launch. A kernel goes on for as many levels as have frontiers of its size; then
it leaves, and the host, which reads depth and size, launches what fits, in either direction.

Whether the next frontier fits is known when it is there. A vertex that finds the block's queue full
is appended to the queue in global memory, at the place that it would have had; the level is
expanded to its end, and the rest of the queue follows when the block leaves. So nothing is expanded
twice, and nothing is lost.

In one block nothing but latency counts, and a level there makes few accesses that wait for each
other: the queue holds where a vertex's edges lie, which is loaded while the compare-and-swap is
under way; no level is read before the swap; and of three tails, used by turns, one is always free
to be reset, so that one barrier a level is enough. Where the other kernels expand a level, they do
it as host-loop does, by the same function.

`capacity` is of the block's queue; by default it is Luo's, the threads of a block. The barrier of
each level and its size are told with `--levels` and in JSON (`facts`): the kernels note the sizes,
which the host reads once the search has been timed. Luo's own queues, of warps, blocks and the
grid, are hierarchical-queue's; here a level has one tail.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpubfs.host import DeviceArray, DeviceGraph, Facts, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.distribution import GROUP_WIDTH
from gpubfs.search.main_loops import LEVEL_ARRAYS, LEVEL_MEMORY, MAIN_LOOP, level_arrays
from gpubfs.search.option import Option
from gpubfs.search.papers import LUO
from gpubfs.search.queues import BLOCK_1024

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Positions in an `Adjacency`, beside its vertex: both ends of its edges.
POSITIONS = 2

#: The barrier behind a level, by the kernel that expands it.
BARRIERS = {
    "levels_in_block": "block",
    "levels_in_grid": "grid",
    "host_loop": "launch",
}


@dataclass
class Frontier:
    """Where a search is: a level and its size, in the first of two queues."""

    depth: int
    size: int
    queues: tuple[DeviceArray, DeviceArray]


@dataclass(frozen=True)
class Hierarchy:
    """The three kernels over one graph; `few` and `many` bound the frontiers of the first two."""

    host: Host
    graph: DeviceGraph
    block: int
    blocks: int
    width: int
    few: int
    level: DeviceArray
    sizes: DeviceArray
    left: DeviceArray

    @property
    def many(self) -> int:
        """The most vertices of a frontier that the grid searches by itself."""
        return self.block * self.blocks

    def kernel_for(self, size: int) -> str:
        """Return the kernel for a frontier of this size."""
        if size <= self.few:
            return "levels_in_block"
        return "levels_in_grid" if size <= self.many else "host_loop"

    def advance(self, now: Frontier) -> Frontier:
        """Launch what fits the frontier, and return the one that it leaves."""
        kernel = self.kernel_for(now.size)
        if kernel == "host_loop":
            depth, size = now.depth + 1, self._one_level(now)
        else:
            depth, size = self._levels(kernel, now)
        odd = (depth - now.depth) % 2
        return Frontier(depth, size, self.host.swap(*now.queues) if odd else now.queues)

    def _levels(self, kernel: str, now: Frontier) -> tuple[int, int]:
        """Launch a kernel that goes from level to level; return the one it leaves, and its size."""
        queues = (*now.queues, self.sizes, self.left, now.depth)
        args = (self.graph.offsets, self.graph.neighbours, self.level, *queues)
        if kernel == "levels_in_grid":
            self.host.launch(kernel, self.blocks, self.block, (*args, self.few, self.many))
        else:
            shared = 2 * self.few * _bytes_held(self.graph)
            bounds = (now.size, self.few)
            self.host.launch(kernel, 1, self.block, (*args, *bounds), shared_mem=shared)
        depth, size = map(int, self.host.read(self.left))
        return depth, size

    def _one_level(self, now: Frontier) -> int:
        """Launch the expansion of one level, and return the size of the next.

        Every launch of a file with a grid barrier is cooperative, and its blocks are resident.
        """
        depth = now.depth + 1
        frontier, following = now.queues
        tail = self.sizes[depth : depth + 1]
        args = (self.graph.offsets, self.graph.neighbours, self.level, frontier, now.size)
        resident = self.host.resident_blocks(self.block, "host_loop")
        grid = min(self.host.blocks(now.size, self.block // self.width), resident)
        self.host.launch("host_loop", grid, self.block, (*args, following, tail, depth))
        return self.host.read_int(tail)


def _bytes_held(graph: DeviceGraph) -> int:
    """Return the bytes of an `Adjacency`, whose vertex takes as many as a position."""
    return (1 + POSITIONS) * int(graph.offsets.dtype.itemsize)


@technique(
    "hierarchical-kernels",
    kernel="hierarchical_kernels.cu",
    paper=LUO,
    section="as in Tödling et al., II-C",
    year=2010,
    arrays=LEVEL_ARRAYS
    | {
        "frontier": "vertices of the level that is expanded, unless a block holds them",
        "next": "vertices of the level after it",
        "left": "the first level that a kernel has not expanded, and how many vertices it has",
    },
    shared={
        "held": "the block's two queues: vertices, and where their edges lie",
        "tails": "how many vertices there are in the block's queues, and a tail to be reset",
    },
    memory=f"{LEVEL_MEMORY} + 8 bytes; 2 capacity adjacencies of shared memory, 12 or 24 bytes",
    options=(
        BLOCK_1024,
        Option(
            "blocks",
            0,
            "blocks that wait for each other; 0 is one for each multiprocessor",
            minimum=0,
            maximum=65535,
        ),
        GROUP_WIDTH,
        Option(
            "capacity",
            0,
            "vertices that a block holds in shared memory; 0 is as many as it has threads",
            minimum=0,
            maximum=8192,
        ),
    ),
    cooperative=True,
    **MAIN_LOOP,
)
def hierarchical_kernels(
    host: Host,
    graph: DeviceGraph,
    source: int,
    *,
    block: int,
    blocks: int,
    width: int,
    capacity: int,
) -> SearchResult:
    """Launch the kernel that fits, until a level is empty; `width` is a macro of the file."""
    level, frontier, following, sizes = level_arrays(host, graph, source)
    left = host.empty("left", 2)
    grid = host.waiting_blocks(blocks or host.multiprocessors, block, "levels_in_grid")
    shape = (block, grid, width, capacity or block)
    hierarchy = Hierarchy(host, graph, *shape, level, sizes, left)
    now, barriers = Frontier(0, 1, (frontier, following)), []
    while now.size:
        host.level(now.depth, now.size)
        after = hierarchy.advance(now)
        barriers += [BARRIERS[hierarchy.kernel_for(now.size)]] * (after.depth - now.depth)
        now = after
    host.tell_levels(lambda: _facts(barriers, host.read(sizes[: len(barriers)])))
    return SearchResult(level)


def _facts(barriers: list[str], sizes: NDArray[np.int32]) -> Facts:
    """Say of each level how many vertices it had, and which barrier came behind it."""
    levels = zip(barriers, sizes.tolist(), strict=True)
    return {
        depth: {"barrier": barrier, "vertices": size}
        for depth, (barrier, size) in enumerate(levels)
    }
