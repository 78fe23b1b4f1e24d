"""A wave of resident blocks: its threads laid out as lanes, and its shared and local memory.

Lane numbers run through the wave. Each block is padded to whole warps, so that lane // warp_size is
a warp and lane // padded is a block; the lanes of the padding never become active.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from simulator.execute.memory import Allocation, Memory, reserve
from simulator.ir.events import SHARED, VIEW, Operand, SharedArray
from simulator.ir.pointer_tags import MASK, SHIFT
from simulator.lanes.arithmetic import LaneError
from simulator.lanes.ranks import rank_table

Triple = tuple[int, int, int]
Kind = TypeVar("Kind", bound=NDArray[Any])


@dataclass
class Wave:
    """`slots` resident blocks of a launch from `first_block` on, and where their arrays are.

    `bases` gives the address that each view starts at; `label` and `element` name addresses in
    messages.
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

    @property
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
            return _ranks(
                name, self.padded, self.slots, self.warp_size, self.threads, self.first_block
            )
        if name.startswith("threadIdx"):
            return _thread_index(self.block, self.padded, self.slots, "xyz".index(name[-1]))
        return _block_index(
            self.grid, self.first_block, self.padded, self.slots, "xyz".index(name[-1])
        )

    def thread(self, lane: int) -> tuple[Triple, Triple]:
        """Return the block and thread coordinates of a lane."""
        slot, index = divmod(lane, self.padded)
        return coordinates(slot + self.first_block, self.grid), coordinates(index, self.block)


def coordinates(index: int, extent: Triple) -> Triple:
    """Return the x, y and z of a linear index.

    Examples
    --------
    >>> coordinates(7, (4, 2, 1))
    (3, 1, 0)
    """
    x, y, _ = extent
    return index % x, index // x % y, index // (x * y)


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
    index: NDArray[np.int64], extent: Triple
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """`coordinates` of many linear indices at once."""
    x, y, _ = extent
    return index % x, index // x % y, index // (x * y)


def _fixed(array: Kind) -> Kind:
    array.flags.writeable = False
    return array


# Which shared array a pointer was made from: its tag, in the high bits of the address.
#
# Shared arrays lie side by side, so that an address alone does not tell whether it is still meant
# for the array that its pointer came from. The bits above `SHIFT`, which no address needs, say
# which one that was: tag 0 says nothing. Pointer arithmetic keeps them; they are removed where
# memory is accessed, and where a program looks at the address itself.


#: What accesses do, by their kinds.
VERBS = {"load": "reads", "store": "writes", "atomic": "updates"}

#: From which byte of a block's shared memory to which each array goes, by number.
Bounds = tuple[NDArray[np.int64], NDArray[np.int64]]


class TagStore:
    """The tags of pointers in memory, which itself holds plain addresses.

    So programs that look at a pointer's bytes, swap it as an integer, or hand it to the host, see
    what they would on a GPU. A tag counts as long as the address that it was stored with is there.

    Parameters
    ----------
    size : int
        Bytes of memory.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._stored: NDArray[np.int64] | None = None

    def save(self, address: Any, pointer: Any) -> None:
        """Remember pointers that are stored at addresses; none outside of memory."""
        if self._stored is None:
            if not np.any(np.greater(pointer, MASK)):
                return
            self._stored = reserve(self._size).view(np.int64)
        index, pointer = np.broadcast_arrays(address >> 3, pointer)
        inside = (index >= 0) & (index < self._stored.size)
        self._stored[index[inside]] = pointer[inside]

    def restore(self, address: Any, plain: Any) -> Any:
        """Return plain addresses that were loaded from `address` with their tags."""
        if self._stored is None:
            return plain
        stored = self._stored[address >> 3]
        return np.where(stored & MASK == plain, stored, plain)[()]


def bounds(arrays: Sequence[SharedArray], wave: Wave, dynamic: int) -> Bounds:
    """Return where the shared arrays of a wave's blocks lie; tag 0 is everywhere."""
    starts, ends = [np.iinfo(np.int64).min], [np.iinfo(np.int64).max]
    for array in arrays:
        start = wave.shared_offset(array.offset)
        size = dynamic if array.length is None else array.length * array.dtype.itemsize
        starts.append(start)
        ends.append(start + size)
    return np.array(starts), np.array(ends)


def check_array(
    arrays: Sequence[SharedArray],
    limits: Bounds,
    wave: Wave,
    lanes: Any,
    address: Any,
    size: int,
    kind: str,
) -> None:
    """Refuse addresses outside of the arrays of their tags.

    Those in another block's array of that tag are left to `Scratch.check_owners`.
    """
    number = address >> SHIFT
    offset = (address & MASK) - wave.shared_start
    own = offset - lanes // wave.padded * wave.shared_pitch
    bad = (own < limits[0][number]) | (own + size > limits[1][number])
    if not np.any(bad):
        return
    others = offset % max(1, wave.shared_pitch)
    foreign = (offset >= 0) & (offset < wave.slots * wave.shared_pitch)
    bad &= ~foreign | (others < limits[0][number]) | (others + size > limits[1][number])
    if np.any(bad):
        first = int(np.argmax(bad))
        which = int(np.broadcast_to(number, bad.shape)[first])
        raise LaneError(*_outside(arrays, which, int(own[first]), limits, kind), bad)


def _outside(
    arrays: Sequence[SharedArray], number: int, offset: int, limits: Bounds, kind: str
) -> tuple[str, str]:
    """Explain an access at byte `offset` of its block's memory, and the remedy."""
    array, start = arrays[number - 1], int(limits[0][number])
    size = array.dtype.itemsize
    length = (int(limits[1][number]) - start) // size
    what = (
        f"{VERBS[kind]} {array.name}[{(offset - start) // size}] through a pointer, "
        f"but {array.name} has {length} element{'s' if length != 1 else ''}"
    )
    inside = [
        other.name
        for other, low, high in zip(arrays, limits[0][1:], limits[1][1:], strict=True)
        if low <= offset < high
    ]
    there = f", and {inside[0]} is what lies there" if inside else ""
    return what, f"The pointer was made from {array.name}{there}: compare it with the end."


#: What shared memory and local arrays hold before a kernel writes them: nonsense, as on a GPU.
POISON = 0xA5


class Scratch:
    """Shared and local memory of a wave, and who may use which part of it.

    Parameters
    ----------
    memory : Memory
        The device's.
    wave : Wave
        Gets to know where its shared memory and local arrays are.
    static, dynamic : int
        Bytes of shared memory a block, declared and asked for at the launch.
    """

    def __init__(self, memory: Memory, wave: Wave, static: int, dynamic: int) -> None:
        self.memory = memory
        self.wave = wave
        self.dynamic = dynamic
        self.regions: list[Allocation] = []
        self.tags = TagStore(memory.arena.size)
        wave.dynamic_offset = -(-static // 16) * 16
        wave.shared_pitch = -(-(wave.dynamic_offset + dynamic) // 16) * 16
        wave.shared_start = self._region(wave.slots * wave.shared_pitch).start
        self._rows: dict[Any, tuple[NDArray[Any], int]] = {}

    def _region(self, nbytes: int) -> Allocation:
        region = self.memory.allocate(nbytes, scratch=True)
        self.regions.append(region)
        self.memory.arena[region.start : region.end] = POISON
        return region

    def release(self) -> None:
        """Give the memory back."""
        for region in self.regions:
            self.memory.free(region)

    def shared(self, offset: int, length: int | None, dtype: Any) -> tuple[Any, Any, int]:
        """Return an array in every block's shared memory: by block, flat, and its address."""
        wave, size = self.wave, np.dtype(dtype).itemsize
        if length is None:
            offset = wave.dynamic_offset
            length = self.dynamic // size
        start = wave.shared_start + offset
        # Of bytes, for the pitch need not be a multiple of an element's.
        own = self.flat(start, np.uint8)
        rows = np.ndarray((wave.slots, length), dtype, own, 0, (wave.shared_pitch, size))
        return rows, self.flat(start, dtype), start

    def flat(self, address: int, dtype: Any) -> NDArray[Any]:
        """View the blocks' shared memory from `address` on as elements of `dtype`."""
        return self.memory.view(address, max(0, self.wave.shared_end - address), dtype)

    def rows(self, key: Any, count: int, dtype: Any) -> tuple[NDArray[Any], int]:
        """Return the local array `key`: a row of `count` elements a lane, and its address."""
        if key not in self._rows:
            lanes = self.wave.lane_count
            region = self._region(lanes * count * np.dtype(dtype).itemsize)
            self.wave.locals.append((region.start, region.end))
            view = self.memory.view(region.start, region.nbytes, dtype)
            self._rows[key] = view.reshape(lanes, count), region.start
        return self._rows[key]

    def check_owners(self, lanes: Any, address: Any) -> None:
        """Refuse addresses in what belongs to other blocks or threads than the lanes' own."""
        wave = self.wave
        shared = wave.shared_start, wave.shared_end
        what = "block's shared memory"
        _refuse_foreign(address, *shared, wave.slots, lanes // wave.padded, what)
        for own in wave.locals:
            _refuse_foreign(address, *own, wave.lane_count, lanes, "thread's own array")


def _refuse_foreign(
    address: Any, start: int, end: int, owners: int, lane_owner: Any, what: str
) -> None:
    """Refuse addresses in a region that owners have equal parts of, if they are not a lane's."""
    inside = (address >= start) & (address < end)
    if np.any(inside):
        foreign = inside & ((address - start) // ((end - start) // owners) != lane_owner)
        if foreign.any():
            raise LaneError(
                f"an address in another {what}",
                "It can only use its own; check the index.",
                foreign,
            )
