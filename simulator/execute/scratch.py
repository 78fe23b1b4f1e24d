"""The memory that goes with a wave: shared memory, threads' own arrays, and marks of pointers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.geometry import Wave
from simulator.execute.memory import Allocation, Memory, reserve
from simulator.ir.events import SharedArray
from simulator.ir.pointer_tags import MASK, SHIFT
from simulator.lanes.arithmetic import LaneError

# Which shared array a pointer was made from: a number in the high bits of its address.
#
# Shared arrays lie side by side, so that an address alone does not tell whether it is still meant
# for the array that its pointer came from. The bits above `SHIFT`, which no address needs, say
# which one that was: number 0 says nothing. Pointer arithmetic keeps them; they are taken off where
# memory is accessed, and where a program looks at the address itself.


#: What accesses do, by their kinds.
VERBS = {"load": "reads", "store": "writes", "atomic": "updates"}

#: From which byte of a block's shared memory to which each array goes, by number.
Bounds = tuple[NDArray[np.int64], NDArray[np.int64]]


class Marks:
    """The marks of pointers in memory, which itself holds plain addresses.

    So programs that look at a pointer's bytes, swap it as an integer, or hand it to the host, see
    what they would on a GPU. A mark counts as long as the address that it was stored with is there.

    Parameters
    ----------
    size : int
        Bytes of memory.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._stored: NDArray[np.int64] | None = None

    def keep(self, address: Any, pointer: Any) -> None:
        """Remember pointers that are stored at addresses; one that lies in no memory is passed."""
        if self._stored is None:
            if not np.any(np.greater(pointer, MASK)):
                return
            self._stored = reserve(self._size).view(np.int64)
        place, pointer = np.broadcast_arrays(address >> 3, pointer)
        inside = (place >= 0) & (place < self._stored.size)
        self._stored[place[inside]] = pointer[inside]

    def recall(self, address: Any, plain: Any) -> Any:
        """Plain addresses that stand in memory at `address`, with their marks."""
        if self._stored is None:
            return plain
        stored = self._stored[address >> 3]
        return np.where(stored & MASK == plain, stored, plain)[()]


def bounds(arrays: Sequence[SharedArray], wave: Wave, dynamic: int) -> Bounds:
    """Where the shared arrays of a wave's blocks lie; number 0 is everywhere."""
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
    """Refuse addresses outside of the arrays that they are marked with.

    Those in another block's array of that number are left to the check of whose memory it is.
    """
    number = address >> SHIFT
    place = (address & MASK) - wave.shared_start
    mine = place - lanes // wave.padded * wave.shared_pitch
    bad = (mine < limits[0][number]) | (mine + size > limits[1][number])
    if not np.any(bad):
        return
    others = place % max(1, wave.shared_pitch)
    strange = (place >= 0) & (place < wave.slots * wave.shared_pitch)
    bad &= ~strange | (others < limits[0][number]) | (others + size > limits[1][number])
    if np.any(bad):
        first = int(np.argmax(bad))
        which = int(np.broadcast_to(number, bad.shape)[first])
        raise LaneError(*_outside(arrays, which, int(mine[first]), limits, kind), bad)


def _outside(
    arrays: Sequence[SharedArray], number: int, place: int, limits: Bounds, kind: str
) -> tuple[str, str]:
    """What is wrong with an access at byte `place` of its block's memory, and the remedy."""
    array, start = arrays[number - 1], int(limits[0][number])
    size = array.dtype.itemsize
    length = (int(limits[1][number]) - start) // size
    what = (
        f"{VERBS[kind]} {array.name}[{(place - start) // size}] through a pointer, "
        f"but {array.name} has {length} element{'s' if length != 1 else ''}"
    )
    inside = [
        other.name
        for other, low, high in zip(arrays, limits[0][1:], limits[1][1:], strict=True)
        if low <= place < high
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
        Told where its shared memory and local arrays are.
    static, dynamic : int
        Bytes of shared memory a block, declared and asked for at the launch.
    """

    def __init__(self, memory: Memory, wave: Wave, static: int, dynamic: int) -> None:
        self.memory = memory
        self.wave = wave
        self.dynamic = dynamic
        self.regions: list[Allocation] = []
        self.marks = Marks(memory.arena.size)
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
        """An array in every block's shared memory: by block and index, flat, and its address."""
        wave, size = self.wave, np.dtype(dtype).itemsize
        if length is None:
            offset = wave.dynamic_offset
            length = self.dynamic // size
        start = wave.shared_start + offset
        flat = self.flat(start, dtype)
        rows = np.ndarray((wave.slots, length), dtype, flat, 0, (wave.shared_pitch, size))
        return rows, flat, start

    def flat(self, address: int, dtype: Any) -> NDArray[Any]:
        """The blocks' shared memory from `address` on, as elements of `dtype`."""
        return self.memory.view(address, max(0, self.wave.shared_end - address), dtype)

    def rows(self, key: Any, count: int, dtype: Any) -> tuple[NDArray[Any], int]:
        """The local array called `key`: a row of `count` elements a lane, and its address."""
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
        _refuse_strangers(address, *shared, wave.slots, lanes // wave.padded, what)
        for own in wave.locals:
            _refuse_strangers(address, *own, wave.lane_count, lanes, "thread's own array")


def _refuse_strangers(
    address: Any, start: int, end: int, owners: int, lane_owner: Any, what: str
) -> None:
    """Refuse addresses in a region that owners have equal parts of, if they are not a lane's."""
    inside = (address >= start) & (address < end)
    if np.any(inside):
        strange = inside & ((address - start) // ((end - start) // owners) != lane_owner)
        if strange.any():
            raise LaneError(
                f"an address in another {what}",
                "It can only use its own; check the index.",
                strange,
            )
