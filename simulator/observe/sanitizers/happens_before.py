"""Happens-before, exactly: a replay of the log for the locations where threads seem to clash.

Every access of such a location is an event with a bit of its own, and every thread carries the
events that are known to have happened before what it does next. Barriers and `__syncwarp` bring
together what threads know, and what they know to be fenced. A fence adds to this all that its
thread knows. An atomic or volatile write tells others what is fenced; an atomic or volatile read
learns what the location has been told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from simulator.execute.geometry import Wave
from simulator.ir.events import (
    BARRIER,
    FENCE,
    GRID,
    MEMORY,
    SERVED,
    STORED,
    WARP_SYNC,
    BasicBlock,
    Operand,
    Site,
)
from simulator.observe.log import column
from simulator.observe.sanitizers.accesses import Numbers
from simulator.observe.sanitizers.conflicts import LOOK, TELL, UPDATE, WRITE, kind_of
from simulator.observe.sanitizers.history import History
from simulator.observe.sanitizers.knowledge import (
    HARMLESS,
    Event,
    Knowledge,
    Releases,
    Thread,
    any_tells,
    clash,
)
from simulator.observe.sanitizers.race import Meeting, Side, elements, split

#: Locations of one replay: events of more make the sets of known ones slow.
_PLACES = 1 << 13

_TELLING = frozenset({UPDATE, TELL})
_LEARNING = frozenset({UPDATE, LOOK})
_STRONG = _TELLING | _LEARNING


def unordered(history: History, places: Numbers, grain: int, wave: int | None) -> Iterator[Meeting]:
    """The clashes at `places`, counted in grains of memory, that nothing orders.

    `wave` is the number of the wave whose shared memory they are in, None for global memory.
    """
    merged: dict[tuple[int, int, bool], Meeting] = {}
    where: dict[tuple[int, int, bool], list[int]] = defaultdict(list)
    for start in range(0, places.size, _PLACES):
        replay = _Replay(places[start : start + _PLACES], grain, history)
        replay.run(wave)
        for meeting in replay.meetings():
            key = meeting.first.site.id, meeting.second.site.id, meeting.same
            merged.setdefault(key, meeting)
            where[key].append(meeting.address)
    shared = None if wave is None else next(s.wave for s in history.stretches if s.number == wave)
    for key, found in merged.items():
        yield replace(found, count=elements(where[key], found.first.site, shared), wave=wave)


class _Replay:
    def __init__(self, places: Numbers, grain: int, history: History) -> None:
        self.places = places
        self.grain = grain
        self.history = history
        self.padded = history.stretches[0].wave.padded
        self.known = Knowledge(self.padded)
        self.fenced = Knowledge(self.padded)
        self.fenced_in_block = Knowledge(self.padded)
        self.any_fence = False
        self.releases = Releases(self.padded) if any_tells(history.blocks) else None
        #: How many fences for the grid and for its block each thread has passed.
        self.fences: dict[Thread, tuple[int, int]] = {}
        self.told: dict[int, int] = defaultdict(int)
        self.told_in_block: dict[tuple[int, int], int] = defaultdict(int)
        self.events: dict[int, dict[tuple[object, ...], Event]] = {}
        self.count = 0
        self.found: dict[tuple[int, int, int, bool], Meeting] = {}
        self.hostile: set[int] = set()

    def run(self, number: int | None) -> None:
        """All of the history, or what is of wave `number`."""
        for wave, block, lanes, values in self.history.entries(number):
            if lanes.size:
                for knowledge in self._all_knowledge():
                    knowledge.start(wave)
                self._entry(wave, block, lanes, values)

    def _all_knowledge(self) -> tuple[Knowledge, ...]:
        plain = self.known, self.fenced, self.fenced_in_block
        return plain if self.releases is None else (*plain, self.releases.followed)

    def _entry(
        self, wave: Wave, block: BasicBlock, lanes: Numbers, values: tuple[Any, ...]
    ) -> None:
        for at, operand in enumerate(block.operands):
            if operand.form in MEMORY:
                own = zip(block.operands[at + 1 :], values[at + 1 :], strict=True)
                behind = {o.form: value for o, value in own if o.site is operand.site}
                self._access(wave, operand, lanes, values[at], behind)
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
        gridwide = site.scope != "block"
        for block, places in _by(wave, lanes // wave.padded, lanes):
            for place in places:
                whole, near = self.fences.get((block, place), (0, 0))
                self.fences[block, place] = whole + gridwide, near + 1
            if not self.known.anything(block):
                continue
            for place in places:
                known = self.known.of(block, place)
                self.fenced_in_block.learn(block, place, known)
                if gridwide:
                    self.fenced.learn(block, place, known)

    def _access(
        self, wave: Wave, operand: Operand, lanes: Numbers, index: Any, behind: dict[str, Any]
    ) -> None:
        """What the lanes do at one operand, in the order in which they are served."""
        site, sizes = operand.site, np.array([lanes.size])
        base = wave.addresses(operand, lanes, column((index,), sizes)) // self.grain
        kind = kind_of(site)
        parts = max(1, site.size // self.grain)
        flagged = np.zeros(lanes.shape, np.bool_)
        for part in range(parts):
            flagged |= np.isin(base + part, self.places)
        speaks = kind in _STRONG and self.any_fence
        chosen = np.arange(lanes.size) if speaks else flagged.nonzero()[0]
        if SERVED in behind:
            chosen = behind[SERVED][np.isin(behind[SERVED], chosen)]
        bits = None
        if kind in (WRITE, TELL) and STORED in behind and chosen.size:
            bits = split(column((behind[STORED],), sizes), self.grain)
        for at in chosen.tolist():
            slot, place = divmod(int(lanes[at]), wave.padded)
            thread, first = (wave.first_block + slot, place), int(base[at])
            before = self._acquire(site, thread, first) if kind in _LEARNING else None
            count = self.count
            if flagged[at]:
                for part in range(parts):
                    value = 0 if bits is None else int(bits[at, part])
                    self._event(first, part, Event(site, thread, kind, value, first), before)
            if kind in _TELLING:
                self._release(site, thread, first, (1 << self.count) - (1 << count))

    def _acquire(self, site: Site, thread: Thread, where: int) -> tuple[int, int]:
        """Learn what a location has been told; what the thread knew, and what it has followed."""
        before = self.known.of(*thread), 0
        told = self.told_in_block.get((where, thread[0]), 0)
        if site.scope != "block":
            told |= self.told.get(where, 0)
        self.known.learn(*thread, told)
        if self.releases is not None:
            before = before[0], self.releases.follow(site, thread, where)
        return before

    def _release(self, site: Site, thread: Thread, where: int, own: int) -> None:
        """Tell what is fenced; a write behind a fence tells of itself, `own`, too."""
        gridwide, near = self.fences.get(thread, (0, 0))
        fenced = self.fenced.of(*thread) | (own if gridwide else 0)
        if fenced and site.scope != "block":
            self.told[where] |= fenced
        if fenced := self.fenced_in_block.of(*thread) | (own if near else 0):
            self.told_in_block[where, thread[0]] |= fenced
        if self.releases is not None:
            self.releases.lead(thread, where, self.known.of(*thread))

    def _event(self, first: int, part: int, event: Event, before: tuple[int, int] | None) -> None:
        """Note one more event in grain `part` of an access, and with which others it clashes.

        `before` is what its thread knew, and had followed, before it learned from the location.
        """
        where = first + part
        at = int(np.searchsorted(self.places, where))
        if at == self.places.size or self.places[at] != where:
            return
        events = self.events.setdefault(where, {})
        if self.releases is not None:
            fences = self.fences.get(event.thread, (0, 0))
            event = replace(event, released=self.releases.released(event, where, fences))
        known = self.known.of(*event.thread)
        for other in events.values():
            if other.thread != event.thread:
                past = before if before is not None and other.kind in _STRONG else (known, 0)
                if not past[0] >> other.bit & 1:
                    overtaken = event.kind == LOOK and past[1] >> other.bit & 1 != 0
                    self._judge(where, other, event, clash(event, other, overtaken))
        events[event.key] = replace(event, bit=self.count)
        for knowledge in (self.known, *([self.releases.followed] if self.releases else [])):
            knowledge.learn(*event.thread, 1 << self.count)
        self.count += 1

    def _judge(self, place: int, first: Event, second: Event, how: str) -> None:
        if not how:
            return
        same = how == HARMLESS
        if not same:
            self.hostile.add(place)
        key = place, first.site.id, second.site.id, same
        if key not in self.found:
            address = place * self.grain
            self.found[key] = Meeting(address, self._side(first), self._side(second), same)

    def _side(self, event: Event) -> Side:
        block, place = event.thread
        return Side(event.site, block * self.padded + place, event.kind)

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
