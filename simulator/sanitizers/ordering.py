"""Happens-before, exactly: a replay of the log for the locations where threads seem to clash.

Every access of such a location is an event with a bit of its own, and every thread carries the
events that are known to have happened before what it does next. Barriers and synchronisation inside
a warp bring together what threads know, and what they know to be fenced. A fence adds to this all
that its thread knows. An atomic or volatile write tells others what is fenced; an atomic or
volatile read learns what the location has been told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from simulator.execute.geometry import Wave
from simulator.plan import (
    BARRIER,
    FENCE,
    GRID,
    MEMORY,
    STORED,
    WARP_SYNC,
    BasicBlock,
    Operand,
    Site,
)
from simulator.sanitizers.accesses import Numbers, column
from simulator.sanitizers.history import History
from simulator.sanitizers.race import Meeting, Side, elements, kind_of, split
from simulator.sanitizers.rows import LOOK, READ, UPDATE, WRITE

#: Locations of one replay: events of more make the sets of known ones slow.
_PLACES = 1 << 13

#: A block, and a place in it.
Thread = tuple[int, int]

_HOSTILE = {(WRITE, READ), (WRITE, UPDATE), (WRITE, LOOK), (UPDATE, READ), (WRITE, WRITE)}


def unordered(history: History, places: Numbers, grain: int, wave: int | None) -> Iterator[Meeting]:
    """The clashes at `places`, counted in grains of memory, that nothing orders.

    `wave` is the number of the wave whose shared memory they are in, None for global memory.
    """
    merged: dict[tuple[int, int, bool], Meeting] = {}
    where: dict[tuple[int, int, bool], list[int]] = defaultdict(list)
    for start in range(0, places.size, _PLACES):
        padded = history.stretches[0].wave.padded
        replay = _Replay(places[start : start + _PLACES], grain, padded)
        replay.run(history, wave)
        for meeting in replay.meetings():
            key = meeting.first.site.id, meeting.second.site.id, meeting.same
            merged.setdefault(key, meeting)
            where[key].append(meeting.address)
    shared = None if wave is None else next(s.wave for s in history.stretches if s.number == wave)
    for key, found in merged.items():
        yield replace(found, count=elements(where[key], found.first.site, shared), wave=wave)


class _Knowledge:
    """Events that each thread knows of, before it or fenced, as sets: the bits of an int.

    Threads are named by their block and their place in it; those of one wave at a time.
    """

    def __init__(self, padded: int) -> None:
        self._padded = padded
        self._own: dict[int, dict[int, int]] = defaultdict(dict)
        self._pools: dict[tuple[int, int], int] = defaultdict(int)
        self._grid: dict[int, int] = defaultdict(int)
        self._informed: set[int] = set()
        self._first = -1

    def start(self, wave: Wave) -> None:
        """What follows is of `wave`."""
        if wave.first_block != self._first:
            self._first = wave.first_block
            self._passed = np.zeros(wave.lane_count, np.int64)
            self._grids = np.zeros(wave.lane_count, np.int64)

    def of(self, block: int, place: int) -> int:
        """What a thread knows."""
        return self._common(block, place) | self._own[block].get(place, 0)

    def _common(self, block: int, place: int) -> int:
        lane = (block - self._first) * self._padded + place
        pooled = self._pools.get((block, int(self._passed[lane])), 0)
        return pooled | self._grid.get(int(self._grids[lane]), 0)

    def anything(self, block: int) -> bool:
        """Whether some thread of a block may know something."""
        return block in self._informed or bool(self._grid)

    def learn(self, block: int, place: int, events: int) -> None:
        """A thread learns of events."""
        if events:
            own = self._own[block]
            own[place] = own.get(place, 0) | events
            self._informed.add(block)

    def share(self, block: int, places: list[int]) -> None:
        """Some threads of a block bring together what they know."""
        if not self.anything(block):
            return
        together = 0
        for place in places:
            together |= self.of(block, place)
        for place in places:
            self.learn(block, place, together)

    def pool(self, lanes: Numbers, gridwide: bool) -> None:
        """Lanes pass the barriers of their blocks, or the grid's: what one knows, all learn."""
        first, last = (self._first + int(lanes[at]) // self._padded for at in (0, -1))
        for block in range(first, last + 1):
            if not self.anything(block):
                continue
            slot = block - self._first
            low, high = np.searchsorted(lanes, [slot * self._padded, (slot + 1) * self._padded])
            if high > low:
                self._pool(block, (lanes[low:high] - slot * self._padded).tolist(), gridwide)
        self._passed[lanes] += 1
        if gridwide:
            self._grids[lanes] += 1

    def _pool(self, block: int, places: list[int], gridwide: bool) -> None:
        known, own = self._common(block, places[0]), self._own[block]
        for place in own.keys() & set(places):
            known |= own.pop(place)
        lane = (block - self._first) * self._padded + places[0]
        self._pools[block, int(self._passed[lane]) + 1] |= known
        if gridwide and known:
            self._grid[int(self._grids[lane]) + 1] |= known


class _Replay:
    def __init__(self, places: Numbers, grain: int, padded: int) -> None:
        self.places = places
        self.grain = grain
        self.padded = padded
        self.known = _Knowledge(padded)
        self.fenced = _Knowledge(padded)
        self.fenced_in_block = _Knowledge(padded)
        self.any_fence = False
        self.fencers: set[Thread] = set()
        self.fencers_in_block: set[Thread] = set()
        self.told: dict[int, int] = defaultdict(int)
        self.told_in_block: dict[tuple[int, int], int] = defaultdict(int)
        self.events: dict[int, dict[tuple[Thread, int, int, int], tuple[int, Site]]] = {}
        self.count = 0
        self.found: dict[tuple[int, int, int, bool], Meeting] = {}
        self.hostile: set[int] = set()

    def run(self, history: History, number: int | None) -> None:
        """All of the history."""
        for wave, block, lanes, values in history.entries(number):
            if lanes.size:
                for knowledge in self._all_knowledge():
                    knowledge.start(wave)
                self._entry(wave, block, lanes, values)

    def _all_knowledge(self) -> tuple[_Knowledge, ...]:
        return self.known, self.fenced, self.fenced_in_block

    def _entry(
        self, wave: Wave, block: BasicBlock, lanes: Numbers, values: tuple[Any, ...]
    ) -> None:
        for at, operand in enumerate(block.operands):
            if operand.form in MEMORY:
                after = block.operands[at + 1 : at + 2]
                stored = values[at + 1] if after and after[0].form == STORED else None
                self._access(wave, operand, lanes, values[at], stored)
            elif operand.form in (BARRIER, GRID):
                for knowledge in self._all_knowledge():
                    knowledge.pool(lanes, operand.form == GRID)
            elif operand.form == WARP_SYNC:
                self._sync(wave, lanes, values[at])
            elif operand.form == FENCE:
                self._fence(wave, lanes, operand.site)

    def _sync(self, wave: Wave, lanes: Numbers, mask: Any) -> None:
        masks = np.broadcast_to(np.asarray(mask), lanes.shape).astype(np.int64)
        named = (masks >> (lanes % wave.warp_size)) & 1 != 0
        group = (lanes // wave.warp_size << 32) | masks
        for block, places in _by(wave, group[named], lanes[named]):
            for knowledge in self._all_knowledge():
                knowledge.share(block, places)

    def _fence(self, wave: Wave, lanes: Numbers, site: Site) -> None:
        self.any_fence = True
        for block, places in _by(wave, lanes // wave.padded, lanes):
            threads = [(block, place) for place in places]
            self.fencers_in_block.update(threads)
            if not site.array.endswith("_block"):
                self.fencers.update(threads)
            if not self.known.anything(block):
                continue
            for place in places:
                known = self.known.of(block, place)
                self.fenced_in_block.learn(block, place, known)
                if not site.array.endswith("_block"):
                    self.fenced.learn(block, place, known)

    def _access(
        self, wave: Wave, operand: Operand, lanes: Numbers, index: Any, stored: Any
    ) -> None:
        sizes = np.array([lanes.size])
        base = wave.addresses(operand, lanes, column((index,), sizes)) // self.grain
        kind = kind_of(operand.site)
        parts = max(1, operand.site.size // self.grain)
        flagged = np.zeros(lanes.shape, np.bool_)
        for part in range(parts):
            flagged |= np.isin(base + part, self.places)
        chosen = np.arange(lanes.size) if self._speaks(kind) else flagged.nonzero()[0]
        bits = None
        if kind == WRITE and stored is not None and chosen.size:
            bits = split(column((stored,), sizes), self.grain)
        for at in chosen.tolist():
            slot, place = divmod(int(lanes[at]), wave.padded)
            thread = wave.first_block + slot, place
            where = int(base[at])
            if kind in (UPDATE, LOOK) and operand.site.kind != "store":  # which reads nothing
                self._acquire(thread, where)
            before = self.count
            if flagged[at]:
                for part in range(parts):
                    value = 0 if bits is None else int(bits[at, part])
                    self._event(where + part, thread, kind, value, operand.site)
            if kind == UPDATE:
                self._release(thread, where, (1 << self.count) - (1 << before))

    def _speaks(self, kind: int) -> bool:
        """Whether accesses of a kind may hand over what threads know."""
        return kind in (UPDATE, LOOK) and self.any_fence

    def _acquire(self, thread: Thread, where: int) -> None:
        told = self.told.get(where, 0) | self.told_in_block.get((where, thread[0]), 0)
        self.known.learn(*thread, told)

    def _release(self, thread: Thread, where: int, own: int) -> None:
        """Tell what is fenced; a write behind a fence tells of itself, `own`, too."""
        if fenced := self.fenced.of(*thread) | (own if thread in self.fencers else 0):
            self.told[where] |= fenced
        own = own if thread in self.fencers_in_block else 0
        if fenced := self.fenced_in_block.of(*thread) | own:
            self.told_in_block[where, thread[0]] |= fenced

    def _event(self, where: int, thread: Thread, kind: int, value: int, site: Site) -> None:
        at = int(np.searchsorted(self.places, where))
        if at == self.places.size or self.places[at] != where:
            return
        events = self.events.setdefault(where, {})
        known = self.known.of(*thread)
        for (other, its_kind, its_value, _), (bit, its_site) in events.items():
            hostile = (kind, its_kind) in _HOSTILE or (its_kind, kind) in _HOSTILE
            if other != thread and hostile and not known >> bit & 1:
                same = kind == its_kind == WRITE and value == its_value
                sides = self._side(its_site, other, its_kind), self._side(site, thread, kind)
                self._clash(where, *sides, same)
        events[thread, kind, value, site.id] = self.count, site
        self.known.learn(*thread, 1 << self.count)
        self.count += 1

    def _side(self, site: Site, thread: Thread, kind: int) -> Side:
        return Side(site, thread[0] * self.padded + thread[1], kind)

    def _clash(self, place: int, first: Side, second: Side, same: bool) -> None:
        if not same:
            self.hostile.add(place)
        key = place, first.site.id, second.site.id, same
        if key not in self.found:
            self.found[key] = Meeting(place * self.grain, first, second, same)

    def meetings(self) -> Iterator[Meeting]:
        """What clashed; where something hostile did, equal values are not worth a word."""
        for (place, _, _, same), meeting in self.found.items():
            if not same or place not in self.hostile:
                yield meeting


def _by(wave: Wave, group: Numbers, lanes: Numbers) -> Iterator[tuple[int, list[int]]]:
    """The lanes of each group, which lie in one block: the block, and their places in it."""
    if not lanes.size:
        return
    order = np.argsort(group, kind="stable")
    group, lanes = group[order], lanes[order]
    for part in np.split(lanes, np.flatnonzero(group[1:] != group[:-1]) + 1):
        slot = int(part[0]) // wave.padded
        yield wave.first_block + slot, (part - slot * wave.padded).tolist()
