"""Logged basic blocks as bulk accesses: who touched which address, when, between which barriers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.execute.wave import Wave
from simulator.ir.events import (
    CLUSTER_ARRIVE,
    CLUSTER_WAIT,
    GANG_SWITCH,
    GRID,
    WARP_SYNC,
    BasicBlock,
    EventSite,
    Operand,
)
from simulator.lanes.warp import names_all, whole_warps
from simulator.observe.log import Decoder, Entry, Executions, column, lane_count
from simulator.observe.sanitizers.planned import TOUCHING, Planned, PlannedAccess

# Epochs: which barriers a warp has passed, so that accesses before and after are distinguished.


Numbers = NDArray[np.int64]
#: Some warps of a wave.
Warps = slice | Numbers


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
        self._tables: list[Numbers] = []
        self._joined: Segments | None = None
        self._count = 0
        self.partial = self.split = False
        self.start(wave)

    def start(self, wave: Wave) -> None:
        """Begin a wave of blocks."""
        #: What is known of the present segment of each warp, by the fields of `Segments`.
        self._state = np.zeros((len(Segments._fields), wave.warps), np.int64)
        self._now = Segments(*self._state)
        first_warp = wave.first_block * self._warps_of_block
        self._now.warp[:] = np.arange(first_warp, first_warp + wave.warps)
        self._now.block[:] = self._now.warp // self._warps_of_block
        self._current = np.zeros(wave.warps, np.int64)
        self._first = self._count
        self.moved = False
        self._begin(slice(wave.warps))

    def _begin(self, warps: Warps) -> None:
        """Begin new segments for some warps of the wave."""
        begun = self._state[:, warps].copy()
        self._tables.append(begun)
        self._joined = None
        self._current[warps] = np.arange(self._count, self._count + begun.shape[1])
        self._count += begun.shape[1]

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
        warps = _warps(lanes, self._width)
        if operand.form in (CLUSTER_ARRIVE, CLUSTER_WAIT):
            self._meet_cluster(operand, warps, lanes)
        else:
            self._now.barriers[warps] += 1
            self._now.syncs[warps] += 1
        if operand.form == GRID:
            self._now.grids[warps] += 1
        self.moved = True
        self._begin(warps)

    def _meet_cluster(self, operand: Operand, warps: Warps, lanes: Numbers) -> None:
        """Warps arrive at the barrier of their cluster, or have waited there."""
        arrived, waited = self._now.arrived, self._now.waited
        if operand.form == CLUSTER_WAIT:
            waited[warps] = arrived[warps]
            return
        of_lanes = lanes // self._width
        present = np.bincount(of_lanes)
        self.partial |= bool((present[of_lanes] < self._sizes(of_lanes)).any())
        self.split |= operand.site.kind == "cluster arrival"
        arrived[warps] = waited[warps] + 1

    def _sizes(self, warps: Numbers) -> Numbers:
        """Return how many threads warps of the wave have."""
        index = warps % self._warps_of_block
        sizes: Numbers = np.minimum(self._width, self._threads - index * self._width)
        return sizes

    def _sync_warps(self, lanes: Numbers, mask: Any) -> None:
        width = self._width
        if np.ndim(mask) == 0 and names_all(mask, width) and whole_warps(lanes, width):
            self._synced(lanes[::width] // width)
            return
        warps = lanes // width
        sizes = self._sizes(warps)
        every = (np.int64(1) << sizes) - 1
        naming_all = (np.asarray(mask).astype(np.uint32).astype(np.int64) & every) == every
        present = np.bincount(warps[naming_all], minlength=self._current.size)
        whole = present[warps] == sizes
        self.partial |= not whole.all()
        if whole.any():
            self._synced(_distinct(warps[whole]))

    def _synced(self, warps: Numbers) -> None:
        self._now.syncs[warps] += 1
        self.moved = True
        self._begin(warps)

    def tables(self) -> Segments:
        """Return what is known of all segments so far."""
        if self._joined is None:
            self._tables = [np.concatenate(self._tables, axis=1)]
            self._joined = Segments(*self._tables[0])
        return self._joined


def _warps(lanes: Numbers, width: int) -> Warps:
    """Return the warps that some lanes are in, as a slice where none is left out between."""
    first, last = lanes.item(0), lanes.item(-1)
    if first // width == last // width or last - first + 1 == lanes.size:
        return slice(first // width, last // width + 1)
    return _distinct(lanes // width)


def changes(ordered: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which elements of an array are not the same as the one before; the first is not.

    Examples
    --------
    >>> changes(np.array([3, 3, 5])).tolist()
    [True, False, True]
    """
    fresh = np.empty(ordered.size, np.bool_)
    fresh[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    return fresh


def _distinct(ascending: Numbers) -> Numbers:
    """Every number of an ascending array once."""
    return ascending[changes(ascending)]


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
class _Executed(Executions):
    """Executions of a basic block: when each was, and in which segments once warps had moved on."""

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

    Attributes
    ----------
    offset : int
        Where the gang that runs begins in the wave.
    """

    def __init__(self, wave: Wave, epochs: Epochs) -> None:
        self.wave = wave
        self.epochs = epochs
        self.offset = 0
        self._time = 0

    def choose(self, planned: Planned, accesses: list[PlannedAccess]) -> None:
        """Read from here on, of what is planned, these accesses."""
        self._planned = planned
        self._chosen: dict[int, list[PlannedAccess]] = defaultdict(list)
        for access in accesses:
            self._chosen[access.block].append(access)

    def read(self, log: list[Entry]) -> Iterator[tuple[PlannedAccess, AccessBatch]]:
        """Yield the accesses that are wanted."""
        if not self._chosen:
            return
        for number, executed in self._follow(log).items():
            yield from self._accesses(self._chosen[number], executed)

    def _follow(self, log: list[Entry]) -> dict[int, _Executed]:
        """Follow the barriers, and collect the executions of blocks with accesses."""
        found: dict[int, _Executed] = {}
        epochs, chosen, syncing = self.epochs, self._chosen, self._planned.syncing
        offset = self.offset
        several = bool(offset) or (bool(log) and log[0][0] == GANG_SWITCH)
        for time, entry in enumerate(log, self._time):
            number = entry[0]
            if number == GANG_SWITCH:
                offset = entry[1]
                continue
            if number in chosen:
                executed = found.get(number)
                if executed is None:
                    executed = found[number] = _Executed()
                executed.entries.append(entry)
                executed.times.append(time)
                if several:
                    executed.offsets.append(offset)
                if epochs.moved:
                    executed.segments.append(epochs.of(entry[1] + offset))
            if number in syncing:
                epochs.pass_by(syncing[number], entry[1] + offset, entry[-1])
        self.offset = offset
        self._time += len(log)
        return found

    def _accesses(
        self, accesses: list[PlannedAccess], executed: _Executed
    ) -> Iterator[tuple[PlannedAccess, AccessBatch]]:
        _, *operands = executed.columns
        sizes, lanes = executed.sizes_and_lanes()
        if not lanes.size:
            return
        time = np.repeat(np.array(executed.times) * self._planned.scale, sizes)
        segment = self._segments(executed, sizes, lanes)
        for access in accesses:
            operand = access.operand
            values = column(operands[access.at], sizes)
            address = self.wave.addresses(operand, lanes, values)
            stored = None
            if access.stored is not None:
                stored = column(operands[access.stored], sizes)
            when = time + access.at
            yield access, AccessBatch(operand.site, lanes, address, when, segment, stored)

    def _segments(self, executed: _Executed, sizes: Numbers, lanes: Numbers) -> Numbers:
        """Return in which segments the lanes were: the first ones until warps have moved on."""
        segments = executed.segments
        early = len(executed.entries) - len(segments)
        if not segments:
            return self.epochs.untouched(lanes)
        if early:
            before = lanes[: int(sizes[:early].sum())]
            segments = [self.epochs.untouched(before), *segments]
        return np.concatenate(segments)


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
    entries: list[Entry]

    def active(
        self, holding: Mapping[int, tuple[int, Operand]], lane: int, starts: range
    ) -> tuple[int, int, Numbers] | None:
        """When a lane first accessed what begins at one of some addresses, where, and with whom.

        `holding` has the operand and its position in each basic block that may do it.
        """
        offset = self.offset
        for time, entry in enumerate(self.entries):
            if entry[0] == GANG_SWITCH:
                offset = entry[1]
            elif entry[0] in holding:
                lanes: Numbers = entry[1]
                index = int(lanes.searchsorted(lane - offset))
                if index == lanes.size or lanes[index] != lane - offset:
                    continue
                at, operand = holding[entry[0]]
                value = np.asarray(entry[2 + at])
                own = value[index : index + 1] if value.ndim else value[np.newaxis]
                start = self.wave.addresses(operand, np.array([lane]), own)
                if int(start[0]) in starts:
                    return time, at, lanes + offset
        return None


@dataclass
class History:
    """The log of a launch: all of it if `whole`, else its beginning.

    `complete` says whether all that was worth keeping is still there.
    """

    whole: bool
    blocks: list[BasicBlock]
    complete: bool = True
    stretches: list[_Stretch] = field(default_factory=list)
    _lanes: int = 0

    def keep(self, wave: Wave, number: int, offset: int, log: list[Entry]) -> None:
        """More of the log of wave `number`, whose lanes are counted from `offset` at first."""
        if self._lanes > (_MOST if self.whole else _KEPT):
            self.complete = False
            return
        self._lanes += lane_count(log)
        self.stretches.append(_Stretch(wave, number, offset, log))

    def entries(
        self, number: int | None = None
    ) -> Iterator[tuple[Wave, BasicBlock, Numbers, Entry]]:
        """Wave, basic block, lanes of the wave and operands, in order, of one wave or of all."""
        for stretch in self.stretches:
            if number is not None and stretch.number != number:
                continue
            for block, lanes, operands in Decoder(stretch.offset).each(stretch.entries):
                yield stretch.wave, self.blocks[block], lanes, operands

    def active(
        self, site: EventSite, thread: int, address: int
    ) -> tuple[tuple[int, int, int], Numbers] | None:
        """When a thread first accessed an address at a site, and the active lanes then.

        Threads and lanes are counted through the launch, blocks padded to whole warps. None if it
        is not known any more.
        """
        holding = {
            block.id: (at, o)
            for block in self.blocks
            for at, o in enumerate(block.operands)
            if o.site is site and o.form in TOUCHING
        }
        starts = range(address - site.size + 1, address + 1)
        for number, stretch in enumerate(self.stretches):
            first = stretch.wave.first_block * stretch.wave.padded
            if 0 <= thread - first < stretch.wave.lane_count:
                found = stretch.active(holding, thread - first, starts)
                if found is not None:
                    time, at, lanes = found
                    return (number, time, at), lanes + first
        return None
