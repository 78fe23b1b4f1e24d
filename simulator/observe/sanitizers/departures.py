"""Blocks of a cluster that may end before others are done with their shared memory.

Shared memory is there as long as its block. Whoever accesses that of another block must do so
before the barrier of the cluster that is the last one for which the other block waits; else only
the order of one run has kept the block there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from simulator.execute.wave import Wave
from simulator.ir.events import EventSite
from simulator.observe.sanitizers.accesses import AccessBatch, Epochs, Numbers


@dataclass(frozen=True)
class LateAccess:
    """An access, by a lane of the wave, to the memory of a block that may have ended."""

    site: EventSite
    lane: int
    address: int


class Departures:
    """Collects accesses to the shared memory of other blocks in one wave.

    Parameters
    ----------
    wave : Wave
        Its blocks.
    epochs : Epochs
        Which barriers lie before what.
    """

    def __init__(self, wave: Wave, epochs: Epochs) -> None:
        self._wave = wave
        self._epochs = epochs
        self._batches: list[tuple[AccessBatch, Numbers]] = []

    def add(self, access: AccessBatch) -> None:
        """Add accesses to shared memory."""
        wave = self._wave
        slot = (access.address - wave.shared_start) // max(1, wave.shared_pitch)
        away = np.flatnonzero(slot != access.lanes // wave.padded)
        if away.size:
            key = access.segment[away] * wave.slots + slot[away]
            chosen = np.zeros(slot.size, np.bool_)
            chosen[away[np.unique(key, return_index=True)[1]]] = True
            self._batches.append((access.only(chosen), slot[chosen]))

    def late(self) -> Iterator[LateAccess]:
        """Yield the first of each site that nothing puts before the end of the block."""
        segments = self._epochs.tables()
        waits = np.zeros(self._wave.slots, np.int64)
        block = segments.block - self._wave.first_block
        here = (block >= 0) & (block < waits.size)
        np.maximum.at(waits, block[here], segments.waited[here])
        seen: set[int] = set()
        for access, slot in self._batches:
            bad = waits[slot] <= segments.arrived[access.segment]
            if bad.any() and access.site.id not in seen:
                seen.add(access.site.id)
                first = int(np.argmax(bad))
                yield LateAccess(access.site, int(access.lanes[first]), int(access.address[first]))
