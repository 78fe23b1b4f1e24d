"""The init checker: reads of memory that nothing has written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.execute.memory import WRITTEN, Memory, extent, shadow
from simulator.execute.wave import Wave
from simulator.ir.events import COPIED, VIEW, EventSite, Operand
from simulator.observe.sanitizers.accesses import AccessBatch, Numbers


@dataclass(frozen=True)
class UninitializedRead:
    """The first read of an address that nothing had written; `lane` is one of the wave.

    Of the bytes that it reads, number `byte` is the first that has not been written.
    """

    site: EventSite
    lane: int
    address: int
    byte: int
    time: int


@dataclass
class _ShadowRegion:
    """A stretch of memory and what of it has been written, byte by byte."""

    start: int
    end: int
    written: NDArray[np.uint8]

    def holds(self, address: Numbers) -> NDArray[np.bool_]:
        """Return which addresses lie in it."""
        inside: NDArray[np.bool_] = (address >= self.start) & (address < self.end)
        return inside

    def complete(self, address: Numbers, site: EventSite) -> NDArray[np.bool_]:
        """Whether all has been written that an access to each address reads; padding is not."""
        offset = address - self.start
        result = np.ones(offset.shape, np.bool_)
        for step, width in _steps(site.size, site.padding):
            part = self.written.view(f"u{width}")[(offset + step) // width]
            result &= part == (1 << 8 * width) - 1
        return result

    def mark(self, address: Numbers, size: int) -> None:
        """Mark what an access to each address writes."""
        offset = address - self.start
        for step, width in _steps(size):
            self.written.view(f"u{width}")[(offset + step) // width] = (1 << 8 * width) - 1


def _steps(size: int, padding: frozenset[int] = frozenset()) -> Iterator[tuple[int, int]]:
    """Yield offset and size of the naturally aligned numbers that make an element."""
    widest = min(8, size & -size)
    for step in range(0, size, widest):
        if padding.isdisjoint(range(step, step + widest)):
            yield step, widest
        else:
            yield from ((at, 1) for at in range(step, step + widest) if at not in padding)


class InitChecker:
    """Follows what one launch writes, and finds its first read of nothing.

    Parameters
    ----------
    memory : Memory
        The device's; its allocations remember what was written.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.found: UninitializedRead | None = None
        self._local: dict[tuple[int, int], _ShadowRegion] = {}

    def start(self, wave: Wave) -> None:
        """Begin a wave of blocks, whose shared memory is new."""
        self.wave = wave
        self._local = {}
        self._device = [
            _ShadowRegion(a.start, a.end, a.written)
            for a in self.memory.allocations()
            if a.written is not None
        ]
        size = wave.shared_end - wave.shared_start
        self._shared = _ShadowRegion(wave.shared_start, wave.shared_end, shadow(size))
        self._views = {
            view
            for view, base in wave.bases.items()
            if any(r.start <= base < r.end for r in self._device)
        }

    def wants(self, operand: Operand) -> bool:
        """Return whether accesses of an operand can reach memory that nothing wrote."""
        if operand.site.asynchronous and operand.form != COPIED:
            return False  # what is copied is there when its thread has waited
        return operand.form != VIEW or operand.base in self._views

    def _regions(self) -> list[_ShadowRegion]:
        for start, end in self.wave.locals:
            if (start, end) not in self._local:
                self._local[start, end] = _ShadowRegion(start, end, shadow(end - start))
        regions = [*self._device, self._shared, *self._local.values()]
        return [region for region in regions if region.start < region.end]

    def consume(self, accesses: list[AccessBatch]) -> None:
        """Read a stretch of the log."""
        reaching = [(access, extent(access.address)) for access in accesses]
        for region in self._regions():
            inside = list(_inside(reaching, region))
            self._check(region, inside)
            for access in inside:
                if access.site.kind != "load":
                    region.mark(access.address, access.site.size)

    def _check(self, region: _ShadowRegion, accesses: list[AccessBatch]) -> None:
        doubtful = []
        for access in accesses:
            if access.site.kind != "store":
                missing = ~region.complete(access.address, access.site)
                if missing.any():
                    doubtful.append(access.only(missing))
        if not doubtful:
            return
        written, times = _first_writes(accesses)
        for access in doubtful:
            self._look(region, access, written, times)

    def _look(
        self, region: _ShadowRegion, access: AccessBatch, written: Numbers, times: Numbers
    ) -> None:
        """Note the earliest of some reads that come before the first write of their bytes."""
        missing = np.full(access.address.size, -1)
        for byte in sorted(set(range(access.site.size)) - access.site.padding):
            address = access.address + byte
            unwritten = region.written[address - region.start] != WRITTEN
            if written.size:
                at = np.minimum(np.searchsorted(written, address), written.size - 1)
                unwritten &= (written[at] != address) | (times[at] >= access.time)
            missing[unwritten & (missing < 0)] = byte
        bad = missing >= 0
        if not bad.any():
            return
        first = int(np.flatnonzero(bad)[np.argmin(access.time[bad])])
        time = int(access.time[first])
        if self.found is None or time < self.found.time:
            where = int(access.lanes[first]), int(access.address[first])
            self.found = UninitializedRead(access.site, *where, int(missing[first]), time)


def _inside(
    accesses: list[tuple[AccessBatch, tuple[int, int]]], region: _ShadowRegion
) -> Iterator[AccessBatch]:
    """Yield what of some accesses, whose lowest and highest addresses are given, is in a region."""
    for access, (low, high) in accesses:
        if region.start <= low and high < region.end:
            yield access
        elif low < region.end and region.start <= high:
            inside = region.holds(access.address)
            if inside.any():
                yield access.only(inside)


def _first_writes(accesses: list[AccessBatch]) -> tuple[Numbers, Numbers]:
    """Find the bytes written in a stretch of the log, ascending, and when each was first."""
    written, times = [], []
    for access in accesses:
        if access.site.kind != "load":
            for byte in range(access.site.size):
                written.append(access.address + byte)
                times.append(access.time)
    if not written:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    byte_address, time = np.concatenate(written), np.concatenate(times)
    order = np.lexsort((time, byte_address))
    byte_address, time = byte_address[order], time[order]
    fresh = np.append(True, byte_address[1:] != byte_address[:-1])
    return byte_address[fresh], time[fresh]
