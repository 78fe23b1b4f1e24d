"""Logged basic blocks as bulk accesses: who touched which address, when, between which barriers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.geometry import Wave
from simulator.ir.events import (
    BARRIER,
    GRID,
    MEMORY,
    STORED,
    WARP_SYNC,
    BasicBlock,
    Operand,
    Site,
)
from simulator.observe.log import Decoder, Entry, Executions, column
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
class _When:
    """When each execution of a basic block was, and in which segments if they differ."""

    times: list[int] = field(default_factory=list)
    segments: list[Numbers] = field(default_factory=list)


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
        self.decoder = Decoder()
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
        when: dict[int, _When] = defaultdict(_When)
        seen = self._follow(blocks, chosen, when)
        for number, executions in self.decoder.executions(log, chosen, seen).items():
            yield from self._accesses(blocks[number], chosen[number], executions, when[number])

    def _follow(
        self, blocks: list[BasicBlock], chosen: Container[int], when: dict[int, _When]
    ) -> Callable[[Entry, int], None]:
        """Follows the barriers, and notes for those that are chosen what time it is."""
        epochs = self.epochs
        syncing = {b.id for b in blocks if b.operands and b.operands[-1].form in SYNC}

        def seen(entry: Entry, offset: int) -> None:
            number = entry[0]
            if number in chosen:
                when[number].times.append(self.time)
                if epochs.moved:
                    when[number].segments.append(epochs.of(entry[1] + offset))
                elif syncing:
                    when[number].segments.append(epochs.untouched(entry[1] + offset))
            self.time += 1
            if number in syncing:
                epochs.pass_by(blocks[number].operands[-1], entry[1] + offset, entry[-1])

        return seen

    def _accesses(
        self, block: BasicBlock, places: list[int], executions: Executions, when: _When
    ) -> Iterator[tuple[Operand, Access]]:
        arrays, *operands = executions.columns
        sizes, lanes = executions.sizes_and_lanes(arrays)
        if not lanes.size:
            return
        time = np.repeat(np.array(when.times), sizes) * self.scale
        segment = np.concatenate(when.segments) if when.segments else self.epochs.untouched(lanes)
        for place in places:
            operand = block.operands[place]
            values = column(operands[place], sizes)
            address = self.wave.addresses(operand, lanes, values)
            stored = None
            if place + 1 < len(block.operands) and block.operands[place + 1].form == STORED:
                stored = column(operands[place + 1], sizes)
            yield operand, Access(operand.site, lanes, address, time + place, segment, stored)
