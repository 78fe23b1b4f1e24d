"""What happened, kept: the log of a launch as long as somebody may still ask for its order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simulator.execute.geometry import Wave
from simulator.ir.events import FENCE, GANG_SWITCH, MEMORY, BasicBlock, Site
from simulator.observe.log import Decoder
from simulator.observe.sanitizers.accesses import SYNC, Numbers

#: Lanes kept of a launch whose order nobody needs: what reports draw the active lanes from.
_KEPT = 1 << 21
#: Lanes kept at most: two gigabytes or so.
_MOST = 1 << 27


@dataclass
class _Stretch:
    """Logged entries of one wave; `offset` holds where they begin."""

    wave: Wave
    number: int
    offset: int
    entries: list[tuple[Any, ...]]


@dataclass
class History:
    """The log of a launch: all of it if `whole`, else its beginning.

    `complete` says whether all that was worth keeping is still there.
    """

    whole: bool
    complete: bool = True
    stretches: list[_Stretch] = field(default_factory=list)
    blocks: list[BasicBlock] = field(default_factory=list)
    _lanes: int = 0

    def keep(
        self, wave: Wave, number: int, offset: int, log: list[tuple[Any, ...]], blocks: Any
    ) -> None:
        """More of the log of wave `number`, whose lanes are counted from `offset` at first."""
        self.blocks = blocks
        if self._lanes > (_MOST if self.whole else _KEPT):
            self.complete = False
            return
        forms = MEMORY | SYNC | {FENCE}
        worth = {b.id for b in blocks if any(o.form in forms for o in b.operands)} | {GANG_SWITCH}
        kept = [entry for entry in log if entry[0] in worth]
        self._lanes += sum(lanes.size for _, lanes, _ in Decoder().each(kept))
        self.stretches.append(_Stretch(wave, number, offset, kept))

    def entries(
        self, number: int | None = None
    ) -> Iterator[tuple[Wave, BasicBlock, Numbers, tuple[Any, ...]]]:
        """Wave, basic block, lanes of the wave and operands, in order, of one wave or of all."""
        for stretch in self.stretches:
            if number is not None and stretch.number != number:
                continue
            for block, lanes, operands in Decoder(stretch.offset).each(stretch.entries):
                yield stretch.wave, self.blocks[block], lanes, operands

    def active(
        self, site: Site, thread: int, address: int
    ) -> tuple[tuple[int, int], Numbers] | None:
        """When a thread first accessed an address at a site, and the active lanes then.

        Threads and lanes are counted through the launch, blocks padded to whole warps. None if it
        is not known any more.
        """
        holding = {
            block.id: at
            for block in self.blocks
            for at, o in enumerate(block.operands)
            if o.site is site and o.form in MEMORY
        }
        for time, (wave, block, lanes, operands) in enumerate(self.entries()):
            at = holding.get(block.id)
            lane = thread - wave.first_block * wave.padded
            if at is None or not 0 <= lane < wave.lane_count:
                continue
            place = int(np.searchsorted(lanes, lane))
            if place == lanes.size or lanes[place] != lane:
                continue
            values = np.broadcast_to(np.asarray(operands[at]), lanes.shape)
            start = wave.addresses(block.operands[at], lanes, values)[place]
            if start <= address < start + site.size:
                return (time, at), lanes + wave.first_block * wave.padded
        return None
