"""Logged basic blocks as bulk accesses: who touched which address, when, between which barriers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.geometry import Wave
from simulator.ir.events import (
    BARRIER,
    GRID,
    MEMORY,
    STORED,
    TURN,
    WARP_SYNC,
    BasicBlock,
    Operand,
    Site,
)
from simulator.observe.sanitizers.epochs import Epochs

Numbers = NDArray[np.int64]
SYNC = frozenset((BARRIER, GRID, WARP_SYNC))


@dataclass
class Access:
    """All executions of one memory operand in a stretch of the log.

    Arrays have one element for each time that a lane executed it: `lanes` of the wave, the byte
    `address`, the `time` as a place in the log, the `segment` of the lane's warp (see `Epochs`),
    and of plain stores the value that is `stored`.
    """

    site: Site
    lanes: Numbers
    address: Numbers
    time: Numbers
    segment: Numbers
    stored: NDArray[Any] | None = None

    def only(self, keep: NDArray[np.bool_]) -> Access:
        """Some of them."""
        stored = None if self.stored is None else self.stored[keep]
        return Access(
            self.site,
            self.lanes[keep],
            self.address[keep],
            self.time[keep],
            self.segment[keep],
            stored,
        )


@dataclass
class _Group:
    """Executions of one basic block: entries of the log, their places in it, and offsets."""

    entries: list[tuple[Any, ...]]
    times: list[int]
    offsets: list[int]
    segments: list[Numbers]


class LogReader:
    """Reads the log of one wave.

    Parameters
    ----------
    wave : Wave
        How its threads are laid out.
    epochs : Epochs
        Follows the barriers.
    """

    def __init__(self, wave: Wave, epochs: Epochs) -> None:
        self.wave = wave
        self.epochs = epochs
        self.offset = 0
        self.time = 0
        self.scale = 1

    def read(
        self,
        log: list[tuple[Any, ...]],
        blocks: list[BasicBlock],
        wanted: Callable[[Operand], bool],
    ) -> Iterator[tuple[Operand, Access]]:
        """The accesses of those memory operands that are `wanted`."""
        self.scale = 1 + max((len(block.operands) for block in blocks), default=0)
        chosen = {}
        for block in blocks:
            places = [at for at, o in enumerate(block.operands) if o.form in MEMORY and wanted(o)]
            if places:
                chosen[block.id] = places
        for number, group in self._groups(log, blocks, chosen).items():
            yield from self._accesses(blocks[number], chosen[number], group)

    def _groups(
        self,
        log: list[tuple[Any, ...]],
        blocks: list[BasicBlock],
        chosen: dict[int, list[int]],
    ) -> dict[int, _Group]:
        groups: dict[int, _Group] = defaultdict(lambda: _Group([], [], [], []))
        syncing = {b.id for b in blocks if b.operands and b.operands[-1].form in SYNC}
        epochs = self.epochs
        for entry in log:
            number = entry[0]
            if number == TURN:
                self.offset = entry[1]
                continue
            if number in chosen:
                group = groups[number]
                group.entries.append(entry)
                group.times.append(self.time)
                group.offsets.append(self.offset)
                if epochs.moved:
                    group.segments.append(epochs.of(entry[1] + self.offset))
                elif syncing:
                    group.segments.append(epochs.untouched(entry[1] + self.offset))
            self.time += 1
            if number in syncing:
                last = blocks[number].operands[-1]
                epochs.pass_by(last, entry[1] + self.offset, entry[-1])
        return groups

    def _accesses(
        self, block: BasicBlock, places: list[int], group: _Group
    ) -> Iterator[tuple[Operand, Access]]:
        columns = list(zip(*group.entries, strict=True))
        sizes = np.fromiter(map(len, columns[1]), np.int64, len(columns[1]))
        lanes = _joined(columns[1])
        if any(group.offsets):
            lanes = lanes + np.repeat(np.array(group.offsets), sizes)
        if not lanes.size:
            return
        time = np.repeat(np.array(group.times), sizes) * self.scale
        segment = _joined(group.segments) if group.segments else self.epochs.untouched(lanes)
        for place in places:
            operand = block.operands[place]
            values = column(columns[place + 2], sizes)
            address = self.wave.addresses(operand, lanes, values)
            stored = None
            if place + 1 < len(block.operands) and block.operands[place + 1].form == STORED:
                stored = column(columns[place + 3], sizes)
            yield operand, Access(operand.site, lanes, address, time + place, segment, stored)


def _joined(arrays: Any) -> Numbers:
    joined: Numbers = arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
    return joined


def column(values: tuple[Any, ...], sizes: Numbers) -> NDArray[Any]:
    """One operand of all entries end to end; a scalar stands for all lanes of its entry."""
    if all(np.ndim(value) for value in values):
        arrays = list(values)
    else:
        each = zip(values, sizes, strict=True)
        arrays = [v if np.ndim(v) else np.full(n, v) for v, n in each]
    if arrays[0].dtype.names:  # as bytes: NumPy would leave out the padding of structures
        arrays = [array.view(f"V{array.itemsize}") for array in arrays]
    return _joined(arrays)
