"""Happens-before, exactly: a replay of the log for the locations where threads may race.

Every access of such a location is an event with a bit of its own, and every thread carries the set
of events that happened before what it does next. The rules, in CUDA's terms:

1. Barriers and `__syncwarp` join the sets of those that pass them, and what these have fenced. At
   the barrier of a cluster who has waited gets the sets that those who arrived had then.
2. A fence adds to what its thread has fenced all that the thread knows.
3. An atomic or volatile store releases: it leaves at its location what its thread has fenced. It
   does so after its own event, so that behind a fence it releases itself, too. One whose memory
   order is a release leaves all that its thread knows. An update leaves what others have left
   besides; a store does not, for who finds its value learns nothing of theirs. A compare-and-swap
   with an order that fails is a load.
4. An atomic or volatile load acquires: its thread learns what the location was left. It does so
   before its own event, for all that was released is ordered before this event. One whose memory
   order is no acquire lets its thread learn that at its next fence.
5. Against atomic and volatile accesses of the same location, however, an event is judged by what
   its thread knew before it acquired: these order others, and not themselves.
6. Lanes of an atomic are replayed as they were served (SERVED): each acquires what those before it
   released.
7. Only events of locations that may race have bits. Others are replayed for what they release and
   acquire, from the first fence on: before it, nothing can have been released but by memory orders.
8. At a barrier in memory, who arrives leaves what its thread knows to the phase; who has waited for
   a phase learns what was left to it, if the barrier's scope has both. A barrier that is made anew
   has no phases.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from simulator.execute.wave import Wave
from simulator.ir.events import (
    ACQUIRING,
    BARRIER,
    CLUSTER_ARRIVE,
    CLUSTER_WAIT,
    FENCE,
    GRID,
    MBARRIER,
    PHASE,
    SERVED,
    STORED,
    SWAPPED,
    WARP_SYNC,
    BasicBlock,
    EventSite,
    Operand,
)
from simulator.observe.log import column
from simulator.observe.sanitizers.accesses import History, Numbers
from simulator.observe.sanitizers.conflicts import (
    ATOMIC_LOAD,
    ATOMIC_RMW,
    ATOMIC_STORE,
    WRITE,
    kind_of,
)
from simulator.observe.sanitizers.known_events import (
    HARMLESS,
    Event,
    KnownEvents,
    Left,
    Releases,
    Thread,
    any_atomic_store,
    conflict,
)
from simulator.observe.sanitizers.planned import TOUCHING
from simulator.observe.sanitizers.race import Race, RaceAccess, elements, split

#: Locations of one replay: events of more make the sets of known ones slow.
_LOCATIONS = 1 << 13

_RELEASING = frozenset({ATOMIC_RMW, ATOMIC_STORE})
_ACQUIRING = frozenset({ATOMIC_RMW, ATOMIC_LOAD})
_STRONG = _RELEASING | _ACQUIRING
#: In the place of a block.
_ANYWHERE = -1


def unordered(history: History, locations: Numbers, grain: int, wave: int | None) -> Iterator[Race]:
    """Find the conflicts at `locations`, counted in grains of memory, that nothing orders.

    `wave` is the number of the wave whose shared memory they are in, None for global memory.
    """
    merged: dict[tuple[int, int, bool], Race] = {}
    where: dict[tuple[int, int, bool], list[int]] = defaultdict(list)
    for start in range(0, locations.size, _LOCATIONS):
        replay = _Replay(locations[start : start + _LOCATIONS], grain, history)
        replay.run(wave)
        for race in replay.races():
            key = race.first.site.id, race.second.site.id, race.same
            merged.setdefault(key, race)
            where[key].append(race.address)
    shared = None if wave is None else next(s.wave for s in history.stretches if s.number == wave)
    for key, found in merged.items():
        yield replace(found, count=elements(where[key], found.first.site, shared), wave=wave)


class _Replay:
    def __init__(self, locations: Numbers, grain: int, history: History) -> None:
        self.locations = locations
        self.grain = grain
        self.history = history
        self.padded = history.stretches[0].wave.padded
        self.known = KnownEvents(self.padded)
        self.fenced = KnownEvents(self.padded)
        self.fenced_in_block = KnownEvents(self.padded)
        self.any_fence = any(o.site.releases for b in history.blocks for o in b.operands)
        #: What threads learn at their next fence: of the grid, and of their block.
        self.pending: dict[Thread, tuple[int, int]] = {}
        #: By where a barrier is, the phase, and the block if it is for that alone.
        self.phases: dict[tuple[int, int, int], int] = defaultdict(int)
        self.releases = Releases(self.padded) if any_atomic_store(history.blocks) else None
        #: How many fences for the grid and for its block each thread has passed.
        self.fences: dict[Thread, tuple[int, int]] = {}
        self.left = Left()
        self.events: dict[int, dict[tuple[object, ...], Event]] = {}
        self.count = 0
        self.found: dict[tuple[int, int, int, bool], Race] = {}
        self.harmful: set[int] = set()

    def run(self, number: int | None) -> None:
        """Replay all of the history, or what is of wave `number`."""
        for wave, block, lanes, values in self.history.entries(number):
            if lanes.size:
                for knowledge in self._all_knowledge():
                    knowledge.start(wave)
                self._entry(wave, block, lanes, values)

    def _all_knowledge(self) -> tuple[KnownEvents, ...]:
        plain = self.known, self.fenced, self.fenced_in_block
        return plain if self.releases is None else (*plain, self.releases.followed)

    def _entry(
        self, wave: Wave, block: BasicBlock, lanes: Numbers, values: tuple[Any, ...]
    ) -> None:
        for at, operand in enumerate(block.operands):
            if operand.form in TOUCHING:
                own = zip(block.operands[at + 1 :], values[at + 1 :], strict=True)
                behind = {o.form: value for o, value in own if o.site is operand.site}
                replay = self._meet if operand.form == MBARRIER else self._access
                replay(wave, operand, lanes, values[at], behind)
            elif operand.form in (BARRIER, GRID):
                for knowledge in self._all_knowledge():  # rule 1
                    knowledge.pool(lanes, operand.form == GRID)
            elif operand.form in (CLUSTER_ARRIVE, CLUSTER_WAIT):
                for knowledge in self._all_knowledge():
                    arrives = operand.form == CLUSTER_ARRIVE
                    (knowledge.arrive if arrives else knowledge.wait)(lanes)
            elif operand.form == WARP_SYNC:
                self._sync(wave, lanes, values[at])
            elif operand.form == FENCE:
                self._fence(wave, lanes, operand.site)

    def _sync(self, wave: Wave, lanes: Numbers, mask: Any) -> None:
        masks = np.broadcast_to(np.asarray(mask), lanes.shape).astype(np.int64)
        named = (masks >> (lanes % wave.warp_size)) & 1 != 0
        group = (lanes // wave.warp_size << 32) | masks
        for block, indices in _by(wave, group[named], lanes[named]):
            for knowledge in self._all_knowledge():  # rule 1
                knowledge.share(block, indices)

    def _fence(self, wave: Wave, lanes: Numbers, site: EventSite) -> None:
        gridwide = site.scope != "block"
        fences = not site.order or site.releases
        self.any_fence |= fences
        for block, indices in _by(wave, lanes // wave.padded, lanes):
            for index in indices if site.acquires else ():
                self._learn_pending((block, index), gridwide)
            if not fences:
                continue
            for index in indices:
                whole, near = self.fences.get((block, index), (0, 0))
                self.fences[block, index] = whole + gridwide, near + 1
            if not self.known.anything(block):
                continue
            for index in indices:
                known = self.known.of(block, index)  # rule 2
                self.fenced_in_block.learn(block, index, known)
                if gridwide:
                    self.fenced.learn(block, index, known)

    def _learn_pending(self, thread: Thread, gridwide: bool) -> None:
        """Learn at a fence what relaxed loads have found."""
        if thread in self.pending:
            far, near = self.pending.pop(thread)
            self.known.learn(*thread, near | (far if gridwide else 0))

    def _access(
        self, wave: Wave, operand: Operand, lanes: Numbers, index: Any, behind: dict[str, Any]
    ) -> None:
        """Replay what the lanes do at one operand, in the order in which they are served."""
        site, sizes = operand.site, np.array([lanes.size])
        base = wave.addresses(operand, lanes, column((index,), sizes)) // self.grain
        kind = kind_of(site)
        parts = max(1, site.size // self.grain)
        flagged = np.zeros(lanes.shape, np.bool_)
        for part in range(parts):
            flagged |= np.isin(base + part, self.locations)
        strong = kind in _STRONG and self.any_fence  # rule 7
        chosen = np.arange(lanes.size) if strong else flagged.nonzero()[0]
        failed = ~behind[SWAPPED] if site.failure else np.zeros(lanes.shape, np.bool_)
        if SERVED in behind:
            chosen = behind[SERVED][np.isin(behind[SERVED], chosen)]  # rule 6
        bits = None
        if kind in (WRITE, ATOMIC_STORE) and STORED in behind and chosen.size:
            bits = split(column((behind[STORED],), sizes), self.grain)
        for at in chosen.tolist():
            slot, member = divmod(int(lanes[at]), wave.padded)
            thread, first = (wave.first_block + slot, member), int(base[at])
            before = None
            if kind in _ACQUIRING:  # rule 4
                acquires = site.failure in ACQUIRING if failed[at] else site.acquires
                before = self._acquire(site, thread, first, acquires)
            count = self.count
            if flagged[at]:
                for part in range(parts):
                    value = 0 if bits is None else int(bits[at, part])
                    self._event(first, part, Event(site, thread, kind, value, first), before)
            if kind in _RELEASING and not failed[at]:  # rule 3
                self._release(site, thread, first, (1 << self.count) - (1 << count))

    def _meet(
        self, wave: Wave, operand: Operand, lanes: Numbers, index: Any, behind: dict[str, Any]
    ) -> None:
        """Replay what the lanes do at barriers in memory: they make them, arrive or have waited."""
        site, sizes = operand.site, np.array([lanes.size])
        base = column((index,), sizes) // self.grain
        phases = column((behind[PHASE],), sizes).tolist() if PHASE in behind else None
        kind, parts = kind_of(site), range(max(1, site.size // self.grain))
        near = np.isin(base[:, None] + np.array(parts), self.locations)
        flagged: list[bool] = np.any(near, axis=1).tolist()
        padded, first_block = wave.padded, wave.first_block
        for at, lane in enumerate(lanes.tolist()):
            slot, member = divmod(lane, padded)
            thread, first = (first_block + slot, member), int(base[at])
            before = (self.known.of(*thread), 0) if flagged[at] and kind in _STRONG else None
            within = thread[0] if site.scope == "block" else _ANYWHERE
            if kind == ATOMIC_LOAD and phases is not None:  # rule 8
                self.known.learn(*thread, self.phases.get((first, phases[at], within), 0))
            for part in parts if flagged[at] else ():
                self._event(first, part, Event(site, thread, kind, 0, first), before)
            if kind == ATOMIC_RMW and phases is not None:
                self.phases[first, phases[at], within] |= self.known.of(*thread)
            elif kind == WRITE:
                self.phases = defaultdict(
                    int, {key: known for key, known in self.phases.items() if key[0] != first}
                )

    def _acquire(
        self, site: EventSite, thread: Thread, where: int, acquires: bool
    ) -> tuple[int, int]:
        """Learn what a location was left; return what the thread knew, and had followed, before."""
        before = self.known.of(*thread), 0
        if site.kind == "store" or site.scope == "thread":
            return before
        far, near = self.left.found(thread, where)
        far = far if site.scope != "block" else 0
        if acquires:
            self.known.learn(*thread, near | far)
        elif near | far:
            known = self.pending.get(thread, (0, 0))
            self.pending[thread] = known[0] | far, known[1] | near
        if self.releases is not None:
            before = before[0], self.releases.follow(site, thread, where)
        return before

    def _release(self, site: EventSite, thread: Thread, where: int, own: int) -> None:
        """Leave what is fenced at a location; behind a fence, the store's `own` event, too."""
        gridwide, near = self.fences.get(thread, (0, 0))
        far = self.fenced.of(*thread) | (own if gridwide else 0)
        fenced = self.fenced_in_block.of(*thread) | (own if near else 0)
        if site.releases:
            far = fenced = self.known.of(*thread) | own
        far = far if not site.scope else 0
        fenced = fenced if site.scope != "thread" else 0
        self.left.leave(thread, where, (far, fenced), site.kind == "store")
        if self.releases is not None:
            self.releases.lead(thread, where, self.known.of(*thread))

    def _event(self, first: int, part: int, event: Event, before: tuple[int, int] | None) -> None:
        """Note one more event in grain `part` of an access, and with which others it conflicts.

        `before` is what its thread knew, and had followed, before it learned from the location.
        """
        where = first + part
        at = int(np.searchsorted(self.locations, where))
        if at == self.locations.size or self.locations[at] != where:
            return
        events = self.events.setdefault(where, {})
        if self.releases is not None:
            fences = self.fences.get(event.thread, (0, 0))
            event = replace(event, released=self.releases.released(event, where, fences))
        known = self.known.of(*event.thread)
        for other in events.values():
            if other.thread != event.thread:
                # Rule 5.
                past = before if before is not None and other.kind in _STRONG else (known, 0)
                if not past[0] >> other.bit & 1:
                    overtaken = event.kind == ATOMIC_LOAD and past[1] >> other.bit & 1 != 0
                    self._judge(where, other, event, conflict(event, other, overtaken))
        events[event.key] = replace(event, bit=self.count)
        for knowledge in (self.known, *([self.releases.followed] if self.releases else [])):
            knowledge.learn(*event.thread, 1 << self.count)
        self.count += 1

    def _judge(self, location: int, first: Event, second: Event, how: str) -> None:
        if not how:
            return
        same = how == HARMLESS
        if not same:
            self.harmful.add(location)
        key = location, first.site.id, second.site.id, same
        if key not in self.found:
            address = location * self.grain
            self.found[key] = Race(
                address, self._race_access(first), self._race_access(second), same
            )

    def _race_access(self, event: Event) -> RaceAccess:
        block, index = event.thread
        return RaceAccess(event.site, block * self.padded + index, event.kind)

    def races(self) -> Iterator[Race]:
        """Yield the races; where one is harmful, writes of equal values are left out."""
        for (location, _, _, same), race in self.found.items():
            if not same or location not in self.harmful:
                yield race


def _by(wave: Wave, group: Numbers, lanes: Numbers) -> Iterator[tuple[int, list[int]]]:
    """Yield for each group of lanes in one block the block and their indices in it."""
    if not lanes.size:
        return
    order = np.argsort(group, kind="stable")
    group, lanes = group[order], lanes[order]
    for part in np.split(lanes, np.flatnonzero(group[1:] != group[:-1]) + 1):
        slot = int(part[0]) // wave.padded
        yield wave.first_block + slot, (part - slot * wave.padded).tolist()
