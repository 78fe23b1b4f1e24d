"""What threads know while a log is replayed, which accesses clash, and what releases a write."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from simulator.execute.geometry import Wave
from simulator.ir.events import BasicBlock, Site
from simulator.observe.sanitizers.accesses import Numbers
from simulator.observe.sanitizers.conflicts import LOOK, READ, TELL, UPDATE, WRITE, kind_of

# Which accesses of two threads clash if nothing orders them.
#
# Plain accesses clash as soon as one of them writes. Volatile accesses are plain ones that do take
# place: they clash like these, with each other, too. They do not if they are a message:
#
# * the reader polls, that is, what it finds decides whether a loop goes on that only memory can
#   end;
# * or the write is released: its thread has passed a fence since it last accessed the location.
#   Then who looks may find it sooner or later. It must not find it too late: a volatile read
#   clashes with a released write after all if its thread has already waited for something that the
#   writer did later, without a fence between the two.
#
# The reader of a message is a volatile read or an atomic that does not build on what it finds: an
# exchange, a compare-and-swap, or one that adds 0. What others add may be lost in a volatile write.
#
# Atomics and volatile accesses are indivisible among each other only if they touch the same bytes,
# and atomics of a block only within it.


#: A block, and a place in it.
Thread = tuple[int, int]

RACE, HARMLESS = "race", "harmless"

_READING = {READ, LOOK}
_WRITING = {WRITE, TELL}
_PLAIN = {READ, WRITE}


@dataclass(frozen=True)
class Event:
    """One access of one grain of memory, whose number among all is `bit`.

    `first` is the first grain of the access; `value` is what was stored here; `released` says for
    whom a volatile write stands behind a fence: "", "block" or "grid".
    """

    site: Site
    thread: Thread
    kind: int
    value: int
    first: int
    released: str = ""
    bit: int = 0

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two events of one grain the same for all that follows, but for their order."""
        return self.thread, self.kind, self.value, self.site.id, self.first, self.released


def clash(one: Event, other: Event, overtaken: bool) -> str:
    """RACE, HARMLESS or nothing, for two accesses of different threads that nothing orders.

    `overtaken` if one of them looks although its thread has waited for what the thread of the
    other did later.
    """
    kinds = {one.kind, other.kind}
    if kinds <= _READING:
        return ""
    if kinds <= _WRITING:
        return HARMLESS if one.value == other.value else RACE
    if kinds & _PLAIN or divided(one, other):
        return RACE
    if TELL not in kinds:
        return ""
    tell, reader = (one, other) if one.kind == TELL else (other, one)
    return "" if _is_message(tell, reader, overtaken) else RACE


def divided(one: Event, other: Event) -> bool:
    """Whether two accesses are not indivisible for each other: other bytes, or another scope."""
    if (one.first, one.site.size) != (other.first, other.site.size):
        return True
    return one.thread[0] != other.thread[0] and "block" in (one.site.scope, other.site.scope)


def _is_message(tell: Event, reader: Event, overtaken: bool) -> bool:
    if reader.kind == UPDATE and reader.site.combines:
        return False
    near = tell.released == "block" and tell.thread[0] == reader.thread[0]
    return reader.site.polls or ((near or tell.released == "grid") and not overtaken)


class Knowledge:
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


# Volatile writes as messages: which are behind a fence, and who has waited for what came later.


Fences = tuple[int, int]


def any_tells(blocks: Iterable[BasicBlock]) -> bool:
    """Whether a kernel writes anything as volatile."""
    return any(kind_of(o.site) == TELL for block in blocks for o in block.operands)


class Releases:
    """Follows what threads have waited for, and since when each has passed no fence.

    Parameters
    ----------
    padded : int
        Threads of a block, padded to whole warps.

    Attributes
    ----------
    followed : Knowledge
        The events that must have happened by what threads have waited for, fences or not.
    """

    def __init__(self, padded: int) -> None:
        self.followed = Knowledge(padded)
        self._touched: dict[tuple[Thread, int], Fences] = {}
        self._trails: dict[int, int] = defaultdict(int)

    def released(self, event: Event, where: int, fences: Fences) -> str:
        """For whom a volatile write is released; its thread has passed so many fences."""
        gridwide, near = self._touched.get((event.thread, where), (0, 0))
        self._touched[event.thread, where] = fences
        if event.kind != TELL or fences[1] == near:
            return ""
        return "grid" if fences[0] > gridwide else "block"

    def follow(self, site: Site, thread: Thread, where: int) -> int:
        """A thread looks at a location: what it had followed before that."""
        before = self.followed.of(*thread)
        if site.polls:
            self.followed.learn(*thread, self._trails.get(where, 0))
        return before

    def lead(self, thread: Thread, where: int, known: int) -> None:
        """A thread writes what others may wait for; it knows of some events besides."""
        self._trails[where] |= self.followed.of(*thread) | known
