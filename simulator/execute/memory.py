"""The simulated GPU's memory: an arena of bytes, its allocations, the check of each address.

An address that no live allocation has becomes an error that says which one it misses, and by how
much.
"""

from __future__ import annotations

import bisect
import mmap
import zlib
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.ir.events import ADDRESS, TEXEL, VIEW, BasicBlock
from simulator.lanes.arithmetic import LaneError
from simulator.source import OutOfMemoryError

#: cudaMalloc's alignment, and the first address that is handed out: below it is what a null pointer
#: reaches.
ALIGNMENT = 256
FIRST = 1 << 16
#: Address space at most, and what of it is for shared memory, local arrays and the null page.
_RESERVE, _SCRATCH = 64 << 30, 1 << 30
#: Bytes behind every allocation that belong to none, so that a pointer that runs past its end (by
#: an element, or by a row of up to so many bytes) does not come to the next one.
GAP = 4096
#: How many freed allocations messages can name.
_REMEMBERED = 64
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


@dataclass(frozen=True, slots=True)
class _Element:
    """Elements of one type in memory.

    `low_bits` are those that an aligned address has not, of structures of the largest power of two
    that can be asked for; a `shift` by so many bits divides by the size, if one does.
    """

    kind: np.dtype[Any]
    size: int
    low_bits: int
    shift: int | None

    @classmethod
    def of(cls, kind: np.dtype[Any]) -> _Element:
        """Look at a type."""
        size = kind.itemsize
        align = size & -size
        return cls(kind, size, align - 1, align.bit_length() - 1 if align == size else None)


#: No search yet: where the next one begins, and what is less than everything that may be wanted.
_NOTHING = FIRST, 1 << 62


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
    bytes_peak : int
        Bytes in live allocations at most so far.
    """

    def __init__(self, capacity: int) -> None:
        self.arena = reserve(min(capacity + _SCRATCH, _RESERVE))
        self.capacity = min(capacity, self.arena.size - min(_SCRATCH, self.arena.size // 2))
        self._used = 0
        self.bytes_peak = 0
        self._starts: list[int] = []
        self._table: list[Allocation] = []
        self._edges: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
        self._typed: dict[Any, NDArray[Any]] = {}
        self._elements: dict[Any, _Element] = {}
        self._freed: deque[Allocation] = deque(maxlen=_REMEMBERED)
        #: Below this address there is no room for this many bytes.
        self._searched = _NOTHING
        self._dropped: deque[Allocation] = deque()
        #: What kernels cannot write: `__constant__` variables.
        self.constants: list[Allocation] = []

    @property
    def bytes_used(self) -> int:
        """Bytes in live allocations now."""
        self._settle()
        return self._used

    def allocate(self, nbytes: int, label: str = "", scratch: bool = False) -> Allocation:
        """Reserve `nbytes` bytes at an aligned address.

        `scratch` is the simulator's own and not counted.
        """
        self._settle()
        if not scratch and self._used + nbytes > self.capacity:
            raise self._full(nbytes)
        start = self._place(nbytes)
        allocation = Allocation(start, nbytes, label, scratch)
        at = bisect.bisect_left(self._starts, start)
        self._starts.insert(at, start)
        self._table.insert(at, allocation)
        self._edges = None
        if not scratch:
            self._used += nbytes
            self.bytes_peak = max(self.bytes_peak, self._used)
        return allocation

    def _place(self, nbytes: int) -> int:
        """Find the lowest address away from other allocations, and if it can be from freed ones.

        Where there is no room for the least that was wanted since something was freed, there is
        none for more: so many allocations do not look through each other every time.
        """
        room, least = self._searched
        if nbytes < least:
            room, least = FIRST, nbytes
        taken = self._kept_apart(room)
        room = self._gap(least, taken, room)
        start = self._gap(nbytes, taken, room)
        if self._fits(start, nbytes):
            self._searched = room, least
            return start
        start = self._gap(nbytes, self._table, FIRST)
        if not self._fits(start, nbytes):
            raise self._full(nbytes)
        return start

    def _kept_apart(self, begin: int) -> list[Allocation]:
        """List the allocations from an address on that a new one keeps away from.

        Live ones, and small ones freed lately, so that using those still fails.
        """
        live = self._table[bisect.bisect_left(self._starts, begin) :]
        small = [a for a in self._freed if a.nbytes <= _SMALL and a.start >= begin]
        return sorted([*live, *small], key=lambda a: a.start) if small else live

    def _gap(self, nbytes: int, taken: list[Allocation], start: int) -> int:
        """Find the lowest aligned address from `start` on with `nbytes` and gaps on both sides.

        An empty allocation takes room too.
        """
        need = max(1, nbytes)
        for allocation in taken:
            if allocation.start - start >= need + GAP:
                return start
            behind = allocation.start + max(1, allocation.nbytes) + GAP
            start = max(start, -(-behind // ALIGNMENT) * ALIGNMENT)
        return start

    def _fits(self, start: int, nbytes: int) -> bool:
        return start + max(1, nbytes) <= self.arena.size

    def _full(self, nbytes: int) -> OutOfMemoryError:
        return OutOfMemoryError(
            f"out of memory: {nbytes:,} bytes wanted, {self.capacity - self._used:,} of "
            f"{self.capacity:,} free on the simulated device",
            hint="Take a smaller graph or array, or a device profile with more memory.",
        )

    def free(self, allocation: Allocation) -> None:
        """Give an allocation back."""
        self.drop(allocation)
        self._settle()

    def drop(self, allocation: Allocation) -> None:
        """Give an allocation back before the next use of the table.

        For the garbage collector, which may run in the middle of whatever the table is used for.
        """
        self._dropped.append(allocation)

    def _settle(self) -> None:
        """Take out of the table what has been dropped."""
        while self._dropped:
            self._remove(self._dropped.popleft())

    def _remove(self, allocation: Allocation) -> None:
        at = bisect.bisect_left(self._starts, allocation.start)
        if at == len(self._table) or self._table[at] is not allocation:
            return
        del self._starts[at], self._table[at]
        self._edges = None
        self._searched = _NOTHING
        self.constants = [a for a in self.constants if a is not allocation]
        if not allocation.scratch:
            self._freed.append(allocation)
            self._used -= allocation.nbytes

    def find(self, address: int) -> Allocation | None:
        """Find the live allocation that `address` lies in."""
        self._settle()
        at = bisect.bisect_right(self._starts, address) - 1
        if at < 0 or address >= max(self._table[at].end, self._table[at].start + 1):
            return None
        return self._table[at]

    def save(self) -> list[Saved]:
        """Copy all that is allocated."""
        self._settle()
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
        self._settle()
        return list(self._table)

    def checksum(self, before: int = 0) -> int:
        """Compute a checksum of all that is allocated, that of something else before it."""
        for one in self.allocations():
            before = zlib.crc32(self.arena[one.start : one.end].data, before)
        return before

    def typed(self, dtype: Any) -> NDArray[Any]:
        """Return the whole arena as elements of `dtype`."""
        if dtype not in self._typed:
            self._typed[dtype] = self.arena.view(dtype)
        return self._typed[dtype]

    def overlapping(self, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return the element of `dtype` that starts at each byte of the arena."""
        return np.ndarray((self.arena.size - dtype.itemsize,), dtype, self.arena, 0, (1,))

    def view(self, start: int, nbytes: int, dtype: Any) -> NDArray[Any]:
        """Return the whole elements of `dtype` in `nbytes` bytes from `start`."""
        size = np.dtype(dtype).itemsize
        return self.arena[start : start + nbytes // size * size].view(dtype)

    def element(self, dtype: Any) -> _Element:
        """Return what is known of elements of `dtype`."""
        found = self._elements.get(dtype)
        if found is None:
            found = self._elements[dtype] = _Element.of(np.dtype(dtype))
        return found

    def holder(self, address: Any, dtype: Any) -> Allocation | None:
        """Return the allocation that has the aligned elements of `dtype` at all addresses.

        None if there is none: `resolve` then says what is wrong, or lets several allocations pass.
        """
        if self._dropped:
            self._settle()
        at = bisect.bisect_right(self._starts, first_of(address)) - 1
        if at < 0:
            return None
        found, element = self._table[at], self.element(dtype)
        if found.start & element.low_bits:
            return None
        last = found.nbytes - element.size
        return found if within(address - found.start, last, element.low_bits) else None

    def indexed(self, address: Any, dtype: Any) -> tuple[NDArray[Any], Any]:
        """Return a view of memory as elements of `dtype`, and the indices of addresses in it."""
        element = self.element(dtype)
        if element.kind.fields:
            return self.overlapping(element.kind), address
        if element.shift is None:
            return self.typed(dtype), address // element.size
        return self.typed(dtype), address >> element.shift

    def resolve(self, address: Any, dtype: Any, reach: tuple[int, int]) -> tuple[NDArray[Any], Any]:
        """Check the addresses of `dtype` elements, and give a view and their indices in it.

        `reach` is the addresses' extent.
        """
        element = self.element(dtype)
        low, high = reach
        aligned = not element.low_bits or not bits(address) & element.low_bits
        if not aligned or not self._in_one(low, high + element.size):
            self._check(np.asarray(address, np.int64), element.size, element.low_bits + 1)
        return self.indexed(address, dtype)

    def _in_one(self, start: int, end: int) -> bool:
        """Return whether one allocation has all bytes from `start` to `end`."""
        self._settle()
        at = bisect.bisect_right(self._starts, start) - 1
        return at >= 0 and end <= self._table[at].end

    def _check(self, at: NDArray[np.int64], size: int, align: int) -> None:
        """Refuse addresses of which an element's bytes are in no allocation, or not aligned."""
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
            raise LaneError(*self._explain(first, size), outside)

    def check_writable(self, address: Any) -> None:
        """Refuse to write to `__constant__` variables.

        Raises
        ------
        LaneError
            that says which lanes would
        """
        for constant in self.constants:
            inside = np.greater_equal(address, constant.start) & np.less(address, constant.end)
            if np.any(inside):
                what = f"`{constant.label}` is __constant__: kernels cannot change it"
                hint = f'Write it from the host: get_global("{constant.label}").'
                raise LaneError(what, hint, np.asarray(inside))

    def _explain(self, address: int, size: int) -> tuple[str, str]:
        """Explain an address outside of all allocations, and the remedy."""
        if 0 <= address < FIRST - GAP:
            return "a null pointer", "Set the pointer before using it, or test it against nullptr."
        for old in reversed(self._freed):
            if old.start <= address < old.end:
                return (
                    f"in no allocation any more: byte {address - old.start} of {_called(old)}, "
                    "which has been freed",
                    "Keep the array on the host as long as kernels use its address.",
                )
        at = bisect.bisect_right(self._starts, address)
        past = address + size - self._table[at - 1].end if at else GAP + 1
        before = self._starts[at] - address if at < len(self._table) else GAP + 1
        if before <= min(past, GAP):
            return (
                f"an address {before} bytes before the start of {_called(self._table[at])}",
                "Check the index: it is below 0.",
            )
        if past <= GAP:
            return _past(self._table[at - 1], address - self._table[at - 1].end, size)
        return (
            "an address that lies in no allocation",
            "Check the pointer: is it null, past the end of its array, or freed?",
        )

    def _outside(self, address: NDArray[np.int64], size: int) -> NDArray[np.bool_]:
        self._settle()
        if self._edges is None:
            ends = [a.end for a in self._table]
            self._edges = np.array(self._starts, np.int64), np.array(ends, np.int64)
        starts, ends_ = self._edges
        if not starts.size:
            return np.ones(address.shape, np.bool_)
        at = np.searchsorted(starts, address, "right") - 1
        result: NDArray[np.bool_] = (at < 0) | (address + size > ends_[at])
        return result


def first_of(address: Any) -> int:
    """Return the first address, one or one a lane; of none -1."""
    if not isinstance(address, np.ndarray):
        return int(address)
    return int(address.item(0)) if address.size else -1


def within(offsets: Any, last: int, low_bits: int = 0) -> bool:
    """Return whether offsets, one or one a lane, go from 0 to `last` and have no `low_bits`."""
    if not isinstance(offsets, np.ndarray):
        return 0 <= int(offsets) <= last and not int(offsets) & low_bits
    # No offset is above all of their bits together, which are negative if any of them is.
    together = int(np.bitwise_or.reduce(offsets, None))
    if together < 0 or together & low_bits:
        return False
    return together <= last or int(np.maximum.reduce(offsets, None)) <= last


def extent(address: Any) -> tuple[int, int]:
    """Return the lowest and the highest of addresses, one or one a lane; of none the reverse."""
    if isinstance(address, np.ndarray) and address.size != 1:
        if not address.size:
            return np.iinfo(np.int64).max, -1
        return int(np.minimum.reduce(address, None)), int(np.maximum.reduce(address, None))
    only = int(address.flat[0]) if isinstance(address, np.ndarray) else int(address)
    return only, only


def bits(address: Any) -> int:
    """Return the bits that are set in any of the addresses, one or one a lane."""
    if isinstance(address, np.ndarray):
        return int(np.bitwise_or.reduce(address, axis=None))
    return int(address)


def _past(allocation: Allocation, past: int, size: int) -> tuple[str, str]:
    """Explain that an access of `size` bytes ends past an allocation, and the remedy."""
    where = f"an address {past} bytes past" if past > 0 else "an address just past"
    if past < 0:
        where = f"{size} bytes of which {size + past} lie past"
    return (
        f"{where} the end of {_called(allocation)}",
        "Check the index: the array is shorter than the kernel takes it for.",
    )


def _called(allocation: Allocation) -> str:
    """Name an allocation by its label, else by its size."""
    if allocation.scratch:
        return "a kernel's own memory"
    return allocation.label or f"an array of {allocation.nbytes:,} bytes"


def reserve(size: int) -> NDArray[np.uint8]:
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


# Shadow memory: what has been written since it was allocated, byte by byte.


WRITTEN = 0xFF


def shadow(nbytes: int) -> NDArray[np.uint8]:
    """Make shadow memory, nothing written yet; padded, so that any number may begin in it."""
    return np.zeros(-(-nbytes // 16) * 16 + 16, np.uint8)


def assume_written(memory: Memory, blocks: list[BasicBlock], bases: dict[str, int]) -> None:
    """Take all that a kernel could write, unwatched, for written."""
    if not any(a.written is not None for a in memory.allocations()):
        return
    operands = [o for b in blocks for o in b.operands if o.site.kind in ("store", "atomic")]
    named = [memory.find(bases[o.base]) for o in operands if o.form == VIEW]
    anywhere = any(o.form in (ADDRESS, TEXEL) for o in operands)
    for allocation in memory.allocations() if anywhere else named:
        if allocation is not None:
            allocation.written = None
