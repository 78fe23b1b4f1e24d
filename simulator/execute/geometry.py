"""How threads are laid out: a wave of resident blocks as lanes.

Lane numbers run through the wave. Each block is padded to whole warps, so that lane // warp_size is
a warp and lane // padded is a block; the lanes of the padding never become active.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from simulator.ir.events import SHARED, VIEW, Operand
from simulator.lanes.ranks import rank_table

Triple = tuple[int, int, int]
Kind = TypeVar("Kind", bound=NDArray[Any])


@dataclass
class Wave:
    """`slots` resident blocks of a launch from `first_block` on, and where their arrays are.

    `bases` gives the address that each view starts at; `label` and `element` name addresses for
    people.
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

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def padded(self) -> int:
        """Lanes of a block, padding included."""
        return -(-self.threads // self.warp_size) * self.warp_size

    @property
    def lane_count(self) -> int:
        """Lanes of the wave, padding included."""
        return self.slots * self.padded

    @property
    def shared_end(self) -> int:
        """Where the blocks' shared memory ends."""
        return self.shared_start + self.slots * self.shared_pitch

    def shared_offset(self, offset: int) -> int:
        """Where an array starts in its block's shared memory; -1 - n is n past the static ones."""
        return offset if offset >= 0 else self.dynamic_offset - 1 - offset

    def is_local(self, address: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which addresses lie in threads' own arrays."""
        result = np.zeros(address.shape, np.bool_)
        for start, end in self.locals:
            result |= (address >= start) & (address < end)
        return result

    def addresses(
        self, operand: Operand, lanes: NDArray[np.int64], values: NDArray[Any]
    ) -> NDArray[np.int64]:
        """The byte addresses that a logged memory operand stands for, one for each of `lanes`."""
        site, index = operand.site, values.astype(np.int64, copy=False)
        if operand.form == VIEW:
            return self.bases[operand.base] + index * site.stride
        if operand.form == SHARED:
            start = self.shared_start + self.shared_offset(site.offset)
            return start + lanes // self.padded * self.shared_pitch + index * site.stride
        return index

    @property
    def warps(self) -> int:
        """Warps of the wave."""
        return self.lane_count // self.warp_size

    def lanes(self, first: int, count: int) -> NDArray[np.int64]:
        """The threads among `count` lanes from `first` on, ascending and counted from there."""
        place = first % self.padded
        if place or count < self.padded:
            return _lanes(max(0, min(count, self.threads - place)), count, 1)
        return _lanes(self.threads, self.padded, count // self.padded)

    def table(self, name: str) -> NDArray[np.generic]:
        """threadIdx_x … blockIdx_z, slot_of, or a rank: one element a lane, read-only."""
        if name == "slot_of":
            return _slots(self.padded, self.slots)
        if "Idx" not in name:
            return _ranks(
                name, self.padded, self.slots, self.warp_size, self.threads, self.first_block
            )
        if name.startswith("threadIdx"):
            return _thread_index(self.block, self.padded, self.slots, "xyz".index(name[-1]))
        return _block_index(
            self.grid, self.first_block, self.padded, self.slots, "xyz".index(name[-1])
        )

    def thread(self, lane: int) -> tuple[Triple, Triple]:
        """The block and thread coordinates of a lane."""
        slot, place = divmod(lane, self.padded)
        return coordinates(slot + self.first_block, self.grid), coordinates(place, self.block)


def coordinates(place: int, extent: Triple) -> Triple:
    """The x, y and z of a linear index.

    Examples
    --------
    >>> coordinates(7, (4, 2, 1))
    (3, 1, 0)
    """
    x, y, _ = extent
    return place % x, place // x % y, place // (x * y)


@lru_cache(maxsize=16)
def _lanes(threads: int, padded: int, slots: int) -> NDArray[np.int64]:
    every = np.arange(slots * padded)
    return _fixed(every if threads == padded else every[every % padded < threads])


@lru_cache(maxsize=16)
def _slots(padded: int, slots: int) -> NDArray[np.int64]:
    return _fixed(np.repeat(np.arange(slots), padded))


@lru_cache(maxsize=32)
def _ranks(
    name: str, padded: int, slots: int, size: int, threads: int, first: int
) -> NDArray[np.generic]:
    return _fixed(rank_table(name, padded, slots, size, threads, first))


@lru_cache(maxsize=32)
def _thread_index(block: Triple, padded: int, slots: int, axis: int) -> NDArray[np.uint32]:
    one = coordinates_of(np.arange(padded), block)[axis]
    return _fixed(np.tile(one.astype(np.uint32), slots))


@lru_cache(maxsize=32)
def _block_index(
    grid: Triple, first: int, padded: int, slots: int, axis: int
) -> NDArray[np.uint32]:
    one = coordinates_of(np.arange(first, first + slots), grid)[axis]
    return _fixed(np.repeat(one.astype(np.uint32), padded))


def coordinates_of(
    place: NDArray[np.int64], extent: Triple
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """`coordinates` of many linear indices at once."""
    x, y, _ = extent
    return place % x, place // x % y, place // (x * y)


def _fixed(array: Kind) -> Kind:
    array.flags.writeable = False
    return array
