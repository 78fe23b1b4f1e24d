"""Epochs: which barriers a warp has passed, so that accesses on their two sides are told apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.geometry import Wave
from simulator.ir.events import GRID, WARP_SYNC, Operand
from simulator.lanes.warp import names_all, whole_warps

Numbers = NDArray[np.int64]


class Epochs:
    """Numbers the segments of a launch: what one warp does between two synchronisations.

    Every segment knows its warp and block, counted through the launch, and how many barriers of the
    block and of the grid lie before it. Within a segment nothing is ordered but each lane with
    itself. A warp begins a new segment at a barrier, and where all of its threads synchronise; a
    synchronisation of only some of them makes none, and is `partial`.
    """

    def __init__(self, wave: Wave) -> None:
        self._width = wave.warp_size
        self._warps_of_block = wave.padded // wave.warp_size
        self._threads = wave.threads
        self._tables: list[tuple[Numbers, ...]] = []
        self._count = 0
        self.partial = False
        self.start(wave)

    def start(self, wave: Wave) -> None:
        """A wave of blocks begins."""
        warps = wave.lane_count // self._width
        self._first_warp = wave.first_block * self._warps_of_block
        self._barriers = np.zeros(warps, np.int64)
        self._grids = np.zeros(warps, np.int64)
        self._current = np.zeros(warps, np.int64)
        place = np.arange(warps) % self._warps_of_block
        self._sizes = np.minimum(self._width, self._threads - place * self._width)
        self._first = self._count
        self.moved = False
        self._begin(np.arange(warps))

    def _begin(self, warps: Numbers) -> None:
        """New segments for some warps of the wave."""
        self._current[warps] = np.arange(self._count, self._count + warps.size)
        self._count += warps.size
        warp = self._first_warp + warps
        block = warp // self._warps_of_block
        self._tables.append((warp, block, self._barriers[warps], self._grids[warps]))

    def of(self, lanes: Numbers) -> Numbers:
        """The present segments of lanes of the wave."""
        return self._current[lanes // self._width]

    def untouched(self, lanes: Numbers) -> Numbers:
        """Their first segments."""
        return self._first + lanes // self._width

    def pass_by(self, operand: Operand, lanes: Numbers, mask: Any) -> None:
        """Lanes pass a barrier, or synchronise with those of their warps that `mask` names."""
        if not lanes.size:
            return
        if operand.form == WARP_SYNC:
            self._sync_warps(lanes, mask)
            return
        warps = _distinct(lanes // self._width)
        self._barriers[warps] += 1
        if operand.form == GRID:
            self._grids[warps] += 1
        self.moved = True
        self._begin(warps)

    def _sync_warps(self, lanes: Numbers, mask: Any) -> None:
        width = self._width
        if np.ndim(mask) == 0 and names_all(mask, width) and whole_warps(lanes, width):
            self.moved = True
            self._begin(lanes[::width] // width)
            return
        warps = lanes // width
        every = (np.int64(1) << self._sizes[warps]) - 1
        naming_all = (np.asarray(mask).astype(np.uint32).astype(np.int64) & every) == every
        present = np.bincount(warps[naming_all], minlength=self._current.size)
        whole = present == self._sizes
        self.partial |= not whole[warps].all()
        chosen = (whole & (present > 0)).nonzero()[0]
        if chosen.size:
            self.moved = True
            self._begin(chosen)

    def tables(self) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """Of every segment so far the warp, block, barriers of the block and of the grid before."""
        columns = [np.concatenate(column) for column in zip(*self._tables, strict=True)]
        warp, block, barriers, grids = columns
        self._tables = [(warp, block, barriers, grids)]
        return warp, block, barriers, grids


def _distinct(ascending: Numbers) -> Numbers:
    """Every number of an ascending array once."""
    fresh = np.ones(ascending.size, np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=fresh[1:])
    return ascending[fresh]
