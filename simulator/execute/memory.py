"""Device memory.

One flat arena of bytes, a table of allocations, and the checks that every address must pass.
"""

from __future__ import annotations

import bisect
import mmap
from collections import deque
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.arithmetic import LaneError
from simulator.source import OutOfMemoryError

#: cudaMalloc's alignment, and the first address that is handed out: below it is what a null pointer
#: reaches.
ALIGNMENT = 256
FIRST = 1 << 16
#: Address space at most, and what of it is for shared memory, local arrays and the null page.
_RESERVE, _SCRATCH = 64 << 30, 1 << 30
#: How many freed allocations messages can name, and how far past the end one is still named.
_REMEMBERED, _NEAR = 64, 4096
#: Freed allocations up to this size are not used again at once.
_SMALL = 1 << 16


@dataclass(eq=False)
class Allocation:
    """`nbytes` bytes from address `start`; `label` is what messages call them.

    `written` has 0xFF for every byte that has been written; None if all have been.
    """

    start: int
    nbytes: int
    label: str = ""
    scratch: bool = False
    written: NDArray[np.uint8] | None = None

    @property
    def end(self) -> int:
        """The first address past it."""
        return self.start + self.nbytes


_start = attrgetter("start")
#: An allocation, its bytes, and which of them had been written.
Saved = tuple[Allocation, NDArray[np.uint8], NDArray[np.uint8] | None]


class Memory:
    """The memory of one simulated device.

    Parameters
    ----------
    capacity : int
        Bytes that can be allocated before `OutOfMemoryError`.

    Attributes
    ----------
    bytes_used, bytes_peak : int
        Bytes in live allocations now, and the most so far.
    """

    def __init__(self, capacity: int) -> None:
        self.arena = _reserve(min(capacity + _SCRATCH, _RESERVE))
        self.capacity = min(capacity, self.arena.size - _SCRATCH)
        self.bytes_used = 0
        self.bytes_peak = 0
        #: Live allocations by address; replaced whole, never changed, because arrays may be
        #: collected, and so freed, while somebody reads it.
        self._table: list[Allocation] = []
        self._dead: deque[Allocation] = deque()
        self._changing = False
        #: Where the allocations of a table begin and end.
        self._edges: tuple[list[Allocation], NDArray[np.int64], NDArray[np.int64]] | None = None
        self._typed: dict[Any, NDArray[Any]] = {}
        self._freed: deque[Allocation] = deque(maxlen=_REMEMBERED)

    def allocate(self, nbytes: int, label: str = "", scratch: bool = False) -> Allocation:
        """Reserve `nbytes` bytes at an aligned address.

        `scratch` is the simulator's own and not counted.
        """
        if not scratch and self.bytes_used + nbytes > self.capacity:
            raise self._full(nbytes)
        self._changing = True
        try:
            return self._place(nbytes, label, scratch)
        finally:
            self._changing = False
            self._bury()

    def _place(self, nbytes: int, label: str, scratch: bool) -> Allocation:
        place = self._gap(nbytes, self._kept_apart())
        if place is None:
            place = self._gap(nbytes, self._table)
        if place is None:
            raise self._full(nbytes)
        allocation = Allocation(place, nbytes, label, scratch)
        at = bisect.bisect_left(self._table, place, key=_start)
        self._table = [*self._table[:at], allocation, *self._table[at:]]
        if not scratch:
            self.bytes_used += nbytes
            self.bytes_peak = max(self.bytes_peak, self.bytes_used)
        return allocation

    def _kept_apart(self) -> list[Allocation]:
        """What a new allocation had better keep away from.

        Live ones, and small ones freed lately, so that using those still fails.
        """
        small = [a for a in self._freed if a.nbytes <= _SMALL]
        return sorted([*self._table, *small], key=lambda a: a.start) if small else self._table

    def _gap(self, nbytes: int, taken: list[Allocation]) -> int | None:
        """The lowest aligned address with room for `nbytes`; an empty allocation takes room too."""
        need = max(1, nbytes)
        place = FIRST
        for allocation in taken:
            if allocation.start - place >= need:
                return place
            place = -(-(allocation.start + max(1, allocation.nbytes)) // ALIGNMENT) * ALIGNMENT
        return place if place + need <= self.arena.size else None

    def _full(self, nbytes: int) -> OutOfMemoryError:
        return OutOfMemoryError(
            f"out of memory: {nbytes:,} bytes wanted, {self.capacity - self.bytes_used:,} of "
            f"{self.capacity:,} free on the simulated device",
            hint="Take a smaller graph or array, or a device profile with more memory.",
        )

    def free(self, allocation: Allocation) -> None:
        """Give an allocation back.

        Collected arrays do so at any moment, even while another allocation is made or freed; then
        it is done right after that.
        """
        self._dead.append(allocation)
        if not self._changing:
            self._bury()

    def _bury(self) -> None:
        self._changing = True
        try:
            while self._dead:
                self._remove(self._dead.popleft())
        finally:
            self._changing = False

    def _remove(self, allocation: Allocation) -> None:
        at = bisect.bisect_left(self._table, allocation.start, key=_start)
        if at == len(self._table) or self._table[at] is not allocation:
            return
        self._table = [*self._table[:at], *self._table[at + 1 :]]
        if not allocation.scratch:
            self._freed.append(allocation)
            self.bytes_used -= allocation.nbytes

    def find(self, address: int) -> Allocation | None:
        """The live allocation that `address` lies in."""
        table = self._table
        at = bisect.bisect_right(table, address, key=_start) - 1
        if at < 0 or address >= max(table[at].end, table[at].start + 1):
            return None
        return table[at]

    def save(self) -> list[Saved]:
        """A copy of all that is allocated."""
        return [
            (a, self.arena[a.start : a.end].copy(), None if a.written is None else a.written.copy())
            for a in self._table
        ]

    def restore(self, saved: list[Saved]) -> None:
        """Put back what `save` copied."""
        for allocation, content, written in saved:
            self.arena[allocation.start : allocation.end] = content
            allocation.written = written

    def allocations(self) -> list[Allocation]:
        """All live allocations, by address."""
        return list(self._table)

    def typed(self, dtype: Any) -> NDArray[Any]:
        """The whole arena as elements of `dtype`."""
        if dtype not in self._typed:
            self._typed[dtype] = self.arena.view(dtype)
        return self._typed[dtype]

    def overlapping(self, dtype: np.dtype[Any]) -> NDArray[Any]:
        """The element of `dtype` that starts at each byte of the arena."""
        places = self.arena.size - dtype.itemsize
        return np.ndarray((places,), dtype, self.arena, 0, (1,))

    def view(self, start: int, nbytes: int, dtype: Any) -> NDArray[Any]:
        """The whole elements of `dtype` in `nbytes` bytes from `start`."""
        size = np.dtype(dtype).itemsize
        return self.arena[start : start + nbytes // size * size].view(dtype)

    def resolve(self, address: Any, dtype: Any) -> tuple[NDArray[Any], Any]:
        """Check the addresses of `dtype` elements, and give a view and their indices in it."""
        kind = np.dtype(dtype)
        size = kind.itemsize
        align = size & -size  # of structures the largest power of two that can be asked for
        at = np.asarray(address, np.int64)
        misaligned = (at & (align - 1)) != 0
        if misaligned.any():
            raise LaneError(
                f"misaligned address: {size}-byte elements must stand at multiples of {align}",
                "Check pointer casts and offsets in bytes.",
                misaligned,
            )
        outside = self._outside(at, size)
        if outside.any():
            first = int(at.flat[int(np.argmax(outside))])
            raise LaneError(*self._where(first, size), outside)
        if kind.fields:
            return self.overlapping(kind), address
        return self.typed(dtype), address // size

    def _where(self, address: int, size: int) -> tuple[str, str]:
        """What an address outside of all allocations may have been meant for, and the remedy."""
        if 0 <= address < FIRST:
            return "a null pointer", "Set the pointer before using it, or test it against nullptr."
        for old in reversed(self._freed):
            if old.start <= address < old.end:
                return (
                    f"in no allocation any more: byte {address - old.start} of {_called(old)}, "
                    "which has been freed",
                    "Keep the array on the host as long as kernels use its address.",
                )
        table = self._table
        place = bisect.bisect_right(table, address, key=_start) - 1
        near = table[place] if place >= 0 else None
        if near is not None and address + size - near.end <= _NEAR:
            past = address - near.end
            where = f"an address {past} bytes past" if past > 0 else "an address just past"
            if past < 0:
                where = f"{size} bytes of which {size + past} lie past"
            return (
                f"{where} the end of {_called(near)}",
                "Check the index: the array is shorter than the kernel takes it for.",
            )
        return (
            "an address that lies in no allocation",
            "Check the pointer: is it null, past the end of its array, or freed?",
        )

    def _outside(self, address: NDArray[np.int64], size: int) -> NDArray[np.bool_]:
        table, edges = self._table, self._edges
        if edges is None or edges[0] is not table:
            ends = [(a.start, a.end) for a in table]
            first, last = np.array(ends, np.int64).reshape(-1, 2).T
            edges = self._edges = table, first.copy(), last.copy()
        _, starts, last = edges
        if not starts.size:
            return np.ones(address.shape, np.bool_)
        place = np.searchsorted(starts, address, "right") - 1
        result: NDArray[np.bool_] = (place < 0) | (address + size > last[place])
        return result


def _called(allocation: Allocation) -> str:
    """An allocation by its label, else by its size."""
    if allocation.scratch:
        return "a kernel's own memory"
    return allocation.label or f"an array of {allocation.nbytes:,} bytes"


def _reserve(size: int) -> NDArray[np.uint8]:
    """Address space for the arena; pages cost memory only once they are touched."""
    size = size // mmap.PAGESIZE * mmap.PAGESIZE
    while True:
        try:
            if hasattr(mmap, "MAP_NORESERVE"):
                flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_NORESERVE
                return np.frombuffer(mmap.mmap(-1, size, flags=flags), np.uint8)
            return np.zeros(size, np.uint8)
        except (OSError, MemoryError):
            if size < 64 << 20:
                raise
            size //= 2
            size = size // mmap.PAGESIZE * mmap.PAGESIZE
