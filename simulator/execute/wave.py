"""A wave of resident blocks: its threads laid out as lanes, its blocks in the grid.

Lane numbers run through the wave. Each block is padded to whole warps, so that lane // warp_size is
a warp and lane // padded is a block; the lanes of the padding never become active.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from simulator.ir.events import SHARED, VIEW, Operand
from simulator.lanes.ranks import rank_table

Triple = tuple[int, int, int]
Kind = TypeVar("Kind", bound=NDArray[Any])
Index = TypeVar("Index", int, NDArray[np.int64])


@dataclass
class Wave:
    """`slots` resident blocks of a launch from `first_block` on, and where their arrays are.

    Blocks are counted cluster by cluster, and in a cluster of `cluster` blocks along x, y and z by
    their ranks; so a wave has whole clusters. Without clusters that is their order in the grid.

    Its sizes do not change. `bases` gives the address that each view starts at; `label` and
    `element` name addresses in messages.
    """

    grid: Triple
    block: Triple
    warp_size: int
    first_block: int
    slots: int
    bases: dict[str, int] = field(default_factory=dict)
    shared_start: int = 0
    shared_pitch: int = 0
    dynamic_offset: int = 0
    locals: list[tuple[int, int]] = field(default_factory=list)
    label: Callable[[int], str] = lambda address: ""
    element: Callable[[int, int, str], str] = lambda address, size, array: ""
    cluster: Triple = (1, 1, 1)

    @cached_property
    def cluster_blocks(self) -> int:
        """Blocks of a cluster."""
        return self.cluster[0] * self.cluster[1] * self.cluster[2]

    @cached_property
    def threads(self) -> int:
        """Threads of a block."""
        return self.block[0] * self.block[1] * self.block[2]

    @cached_property
    def padded(self) -> int:
        """Lanes of a block, padding included."""
        return -(-self.threads // self.warp_size) * self.warp_size

    @cached_property
    def lane_count(self) -> int:
        """Lanes of the wave, padding included."""
        return self.slots * self.padded

    @property
    def shared_end(self) -> int:
        """Where the blocks' shared memory ends."""
        return self.shared_start + self.slots * self.shared_pitch

    @cached_property
    def own_shared(self) -> NDArray[np.int64]:
        """Where the shared memory of each lane's block begins."""
        return self.shared_start + _slots(self.padded, self.slots) * self.shared_pitch

    def shared_offset(self, offset: int) -> int:
        """Where an array starts in its block's shared memory; -1 - n is n past the static ones."""
        return offset if offset >= 0 else self.dynamic_offset - 1 - offset

    def is_local(self, address: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which addresses lie in threads' own arrays."""
        result = np.zeros(address.shape, np.bool_)
        for start, end in self.locals:
            result |= (address >= start) & (address < end)
        return result

    def addresses(
        self, operand: Operand, lanes: NDArray[np.int64], values: NDArray[Any]
    ) -> NDArray[np.int64]:
        """Compute the byte addresses of a logged memory operand, one for each of `lanes`."""
        site, index = operand.site, values.astype(np.int64, copy=False)
        if operand.form == VIEW:
            return self.bases[operand.base] + index * site.stride
        if operand.form == SHARED:
            start = self.shared_start + self.shared_offset(site.offset)
            return start + lanes // self.padded * self.shared_pitch + index * site.stride
        return index

    @cached_property
    def warps(self) -> int:
        """Warps of the wave."""
        return self.lane_count // self.warp_size

    def lanes(self, first: int, count: int) -> NDArray[np.int64]:
        """List the threads among `count` lanes from `first` on, counted from there."""
        index = first % self.padded
        if index or count < self.padded:
            return _lanes(max(0, min(count, self.threads - index)), count, 1)
        return _lanes(self.threads, self.padded, count // self.padded)

    def table(self, name: str) -> NDArray[np.generic]:
        """threadIdx_x … blockIdx_z, slot_of, or a rank: one element a lane, read-only."""
        if name == "slot_of":
            return _slots(self.padded, self.slots)
        if "Idx" not in name:
            sizes = self.padded, self.warp_size, self.threads
            return _ranks(name, *sizes, self.grid, self.cluster, self.first_block, self.slots)
        if name.startswith("threadIdx"):
            return _thread_index(self.block, self.padded, self.slots, "xyz".index(name[-1]))
        axis = "xyz".index(name[-1])
        return _block_index(
            self.grid, self.cluster, self.first_block, self.slots, self.padded, axis
        )

    def block_index(self, slot: int) -> Triple:
        """Return the coordinates of the block in a slot."""
        return block_coordinates(slot + self.first_block, self.grid, self.cluster)

    def block_rank(self, slot: int) -> int:
        """Return the number in the grid of the block in a slot."""
        x, y, z = self.block_index(slot)
        return x + self.grid[0] * (y + self.grid[1] * z)

    def thread(self, lane: int) -> tuple[Triple, Triple]:
        """Return the block and thread coordinates of a lane."""
        slot, index = divmod(lane, self.padded)
        return self.block_index(slot), coordinates(index, self.block)


def coordinates(index: Index, extent: Triple) -> tuple[Index, Index, Index]:
    """Return the x, y and z of a linear index, or of many at once.

    Examples
    --------
    >>> coordinates(7, (4, 2, 1))
    (3, 1, 0)
    """
    x, y, _ = extent
    return index % x, index // x % y, index // (x * y)


def block_coordinates(number: Index, grid: Triple, cluster: Triple) -> tuple[Index, Index, Index]:
    """Return the coordinates of blocks that are counted cluster by cluster.

    Examples
    --------
    >>> [block_coordinates(number, (4, 2, 1), (2, 2, 1)) for number in range(3)]
    [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    """
    blocks = cluster[0] * cluster[1] * cluster[2]
    if blocks == 1:
        return coordinates(number, grid)
    x, y, z = (size // part for size, part in zip(grid, cluster, strict=True))
    outer = coordinates(number // blocks, (x, y, z))
    inner = coordinates(number % blocks, cluster)
    return (
        outer[0] * cluster[0] + inner[0],
        outer[1] * cluster[1] + inner[1],
        outer[2] * cluster[2] + inner[2],
    )


@lru_cache(maxsize=16)
def _lanes(threads: int, padded: int, slots: int) -> NDArray[np.int64]:
    every = np.arange(slots * padded)
    return _fixed(every if threads == padded else every[every % padded < threads])


@lru_cache(maxsize=16)
def _slots(padded: int, slots: int) -> NDArray[np.int64]:
    return _fixed(np.repeat(np.arange(slots), padded))


@lru_cache(maxsize=32)
def _ranks(
    name: str,
    padded: int,
    size: int,
    threads: int,
    grid: Triple,
    cluster: Triple,
    first: int,
    slots: int,
) -> NDArray[np.generic]:
    x, y, z = block_coordinates(np.arange(first, first + slots), grid, cluster)
    return _fixed(rank_table(name, padded, size, threads, x + grid[0] * (y + grid[1] * z)))


@lru_cache(maxsize=32)
def _thread_index(block: Triple, padded: int, slots: int, axis: int) -> NDArray[np.uint32]:
    one = coordinates(np.arange(padded), block)[axis]
    return _fixed(np.tile(one.astype(np.uint32), slots))


@lru_cache(maxsize=32)
def _block_index(
    grid: Triple, cluster: Triple, first: int, slots: int, padded: int, axis: int
) -> NDArray[np.uint32]:
    one = block_coordinates(np.arange(first, first + slots), grid, cluster)[axis]
    return _fixed(np.repeat(one.astype(np.uint32), padded))


def _fixed(array: Kind) -> Kind:
    array.flags.writeable = False
    return array


#: What accesses do, by their kinds.
VERBS = {"load": "reads", "store": "writes", "atomic": "updates"}
#: What shared memory and local arrays hold before a kernel writes them: nonsense, as on a GPU.
POISON = 0xA5
