"""Logged basic blocks as bulk accesses: who touched which address, when, between which barriers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.execute.wave import Wave
from simulator.ir.events import (
    BARRIER,
    CLUSTER_ARRIVE,
    CLUSTER_WAIT,
    COPIED,
    FENCE,
    GANG_SWITCH,
    GRID,
    MBARRIER,
    MEMORY,
    STORED,
    WARP_SYNC,
    BasicBlock,
    EventSite,
    Operand,
)
from simulator.lanes.warp import names_all, whole_warps
from simulator.observe.log import Decoder, Entry, Executions, column, lane_count

# Epochs: which barriers a warp has passed, so that accesses before and after are distinguished.


Numbers = NDArray[np.int64]


class Segments(NamedTuple):
    """What is known of every segment of a launch, by its number.

    Its warp and block, counted through the launch; how many barriers of the block and of the grid
    lie before it, and how many synchronisations of the warp; how often its warp has arrived at the
    barrier of its cluster, and waited there.
    """

    warp: Numbers
    block: Numbers
    barriers: Numbers
    grids: Numbers
    syncs: Numbers
    arrived: Numbers
    waited: Numbers


class Epochs:
    """Numbers the segments of a launch: what one warp does between two synchronisations.

    Within a segment nothing is ordered but each lane with
    itself. A warp begins a new segment at a barrier, and where all of its threads synchronise; a
    synchronisation of only some of them makes none, and is `partial`.

    Attributes
    ----------
    partial : bool
        Whether lanes of a warp synchronised or arrived without the others.
    split : bool
        Whether warps do something between their arrival at the cluster's barrier and their wait.
    """

    def __init__(self, wave: Wave) -> None:
        self._width = wave.warp_size
        self._warps_of_block = wave.padded // wave.warp_size
        self._threads = wave.threads
        self._tables: list[Segments] = []
        self._count = 0
        self.partial = self.split = False
        self.start(wave)

    def start(self, wave: Wave) -> None:
        """Begin a wave of blocks."""
        warps = wave.lane_count // self._width
        self._first_warp = wave.first_block * self._warps_of_block
        self._barriers = np.zeros(warps, np.int64)
        self._grids = np.zeros(warps, np.int64)
        self._syncs = np.zeros(warps, np.int64)
        self._arrived = np.zeros(warps, np.int64)
        self._waited = np.zeros(warps, np.int64)
        self._current = np.zeros(warps, np.int64)
        index = np.arange(warps) % self._warps_of_block
        self._sizes = np.minimum(self._width, self._threads - index * self._width)
        self._first = self._count
        self.moved = False
        self._begin(np.arange(warps))

    def _begin(self, warps: Numbers) -> None:
        """Begin new segments for some warps of the wave."""
        self._current[warps] = np.arange(self._count, self._count + warps.size)
        self._count += warps.size
        warp = self._first_warp + warps
        block = warp // self._warps_of_block
        counts = (self._barriers, self._grids, self._syncs, self._arrived, self._waited)
        self._tables.append(Segments(warp, block, *(count[warps] for count in counts)))

    def of(self, lanes: Numbers) -> Numbers:
        """Return the present segments of lanes of the wave."""
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
        if operand.form in (CLUSTER_ARRIVE, CLUSTER_WAIT):
            self._meet_cluster(operand, warps, lanes)
        else:
            self._barriers[warps] += 1
            self._syncs[warps] += 1
        if operand.form == GRID:
            self._grids[warps] += 1
        self.moved = True
        self._begin(warps)

    def _meet_cluster(self, operand: Operand, warps: Numbers, lanes: Numbers) -> None:
        """Warps arrive at the barrier of their cluster, or have waited there."""
        if operand.form == CLUSTER_WAIT:
            self._waited[warps] = self._arrived[warps]
            return
        present = np.bincount(lanes // self._width, minlength=self._sizes.size)
        self.partial |= bool((present[warps] < self._sizes[warps]).any())
        self.split |= operand.site.kind == "cluster arrival"
        self._arrived[warps] = self._waited[warps] + 1

    def _sync_warps(self, lanes: Numbers, mask: Any) -> None:
        width = self._width
        if np.ndim(mask) == 0 and names_all(mask, width) and whole_warps(lanes, width):
            self._synced(lanes[::width] // width)
            return
        warps = lanes // width
        every = (np.int64(1) << self._sizes[warps]) - 1
        naming_all = (np.asarray(mask).astype(np.uint32).astype(np.int64) & every) == every
        present = np.bincount(warps[naming_all], minlength=self._current.size)
        whole = present == self._sizes
        self.partial |= not whole[warps].all()
        chosen = (whole & (present > 0)).nonzero()[0]
        if chosen.size:
            self._synced(chosen)

    def _synced(self, warps: Numbers) -> None:
        self._syncs[warps] += 1
        self.moved = True
        self._begin(warps)

    def tables(self) -> Segments:
        """Return what is known of all segments so far."""
        found = Segments(*(np.concatenate(column) for column in zip(*self._tables, strict=True)))
        self._tables = [found]
        return found


def _distinct(ascending: Numbers) -> Numbers:
    """Every number of an ascending array once."""
    fresh = np.ones(ascending.size, np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=fresh[1:])
    return ascending[fresh]


#: The forms of operands at which memory is touched: asynchronous copies also where they end.
TOUCHING = MEMORY | {COPIED, MBARRIER}
SYNC = frozenset((BARRIER, GRID, WARP_SYNC, CLUSTER_ARRIVE, CLUSTER_WAIT))


@dataclass
class AccessBatch:
    """All executions of one memory operand in a stretch of the log.

    Arrays have one element for each time that a lane executed it: `lanes` of the wave, the byte
    `address`, the `time` as a position in the log, the `segment` of the lane's warp (see `Epochs`),
    and of plain stores the value that is `stored`.
    """

    site: EventSite
    lanes: Numbers
    address: Numbers
    time: Numbers
    segment: Numbers
    stored: NDArray[Any] | None = None

    def only(self, keep: NDArray[np.bool_]) -> AccessBatch:
        """Select some of them."""
        stored = None if self.stored is None else self.stored[keep]
        return AccessBatch(
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
    ) -> Iterator[tuple[Operand, AccessBatch]]:
        """Yield the accesses of those memory operands that are `wanted`."""
        self.scale = 1 + max((len(block.operands) for block in blocks), default=0)
        chosen = {}
        for block in blocks:
            positions = [
                at for at, o in enumerate(block.operands) if o.form in TOUCHING and wanted(o)
            ]
            if positions:
                chosen[block.id] = positions
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
        self, block: BasicBlock, positions: list[int], executions: Executions, when: _When
    ) -> Iterator[tuple[Operand, AccessBatch]]:
        _, *operands = executions.columns
        sizes, lanes = executions.sizes_and_lanes()
        if not lanes.size:
            return
        time = np.repeat(np.array(when.times), sizes) * self.scale
        segment = np.concatenate(when.segments) if when.segments else self.epochs.untouched(lanes)
        for at in positions:
            operand = block.operands[at]
            values = column(operands[at], sizes)
            address = self.wave.addresses(operand, lanes, values)
            stored = None
            if at + 1 < len(block.operands) and block.operands[at + 1].form == STORED:
                stored = column(operands[at + 1], sizes)
            yield operand, AccessBatch(operand.site, lanes, address, time + at, segment, stored)


# History: the log of a launch, kept as long as its order may be asked for.


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
        forms = TOUCHING | SYNC | {FENCE}
        worth = {b.id for b in blocks if any(o.form in forms for o in b.operands)} | {GANG_SWITCH}
        kept = [entry for entry in log if entry[0] in worth]
        self._lanes += lane_count(kept)
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
        self, site: EventSite, thread: int, address: int
    ) -> tuple[tuple[int, int], Numbers] | None:
        """When a thread first accessed an address at a site, and the active lanes then.

        Threads and lanes are counted through the launch, blocks padded to whole warps. None if it
        is not known any more.
        """
        holding = {
            block.id: at
            for block in self.blocks
            for at, o in enumerate(block.operands)
            if o.site is site and o.form in TOUCHING
        }
        for time, (wave, block, lanes, operands) in enumerate(self.entries()):
            at = holding.get(block.id)
            lane = thread - wave.first_block * wave.padded
            if at is None or not 0 <= lane < wave.lane_count:
                continue
            index = int(np.searchsorted(lanes, lane))
            if index == lanes.size or lanes[index] != lane:
                continue
            values = np.broadcast_to(np.asarray(operands[at]), lanes.shape)
            start = wave.addresses(block.operands[at], lanes, values)[index]
            if start <= address < start + site.size:
                return (time, at), lanes + wave.first_block * wave.padded
        return None
