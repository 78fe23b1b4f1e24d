"""Events of a replayed log: what threads know of them, which conflict, what releases a write."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from simulator.execute.wave import Wave
from simulator.ir.events import BasicBlock, EventSite
from simulator.observe.sanitizers.accesses import Numbers
from simulator.observe.sanitizers.conflicts import (
    ATOMIC_LOAD,
    ATOMIC_RMW,
    ATOMIC_STORE,
    READ,
    WRITE,
    kind_of,
)

# Which accesses of two threads conflict if nothing orders them; the first rule that fits decides:
#
# 1. Two that only read do not.
# 2. Two stores do, plain or volatile: harmlessly if both store one value, for that is what stays
#    there, whichever comes last.
# 3. A plain access and any other do, as one of them writes: compilers may split, repeat or leave
#    out what is plain.
# 4. Atomics and volatile accesses are indivisible among each other only if they touch the same
#    bytes, and atomics of a block only within it; else they conflict.
# 5. Atomics with atomics and with volatile reads do not.
# 6. A volatile store and who reads it do, unless it is a message. The reader of a message is a
#    volatile read or an atomic that does not combine what it finds: an exchange, a
#    compare-and-swap, or one that adds 0. What others add may be lost in a volatile store.
# 7. It is one if its reader polls, that is, if what it finds decides whether a loop goes on that
#    only memory can end;
# 8. or if it is released: its thread has passed a fence since it last accessed the location. Then
#    the reader may find it sooner or later. It must not find it too late: a volatile read conflicts
#    with a released store after all if its thread has already waited for something that the writer
#    did later, without a fence between the two.


#: A block, and an index in it.
Thread = tuple[int, int]

RACE, HARMLESS = "race", "harmless"

_READING = {READ, ATOMIC_LOAD}
_WRITING = {WRITE, ATOMIC_STORE}
_PLAIN = {READ, WRITE}


@dataclass(frozen=True)
class Event:
    """One access of one grain of memory, whose number among all is `bit`.

    `first` is the first grain of the access; `value` is what was stored here; `released` says for
    whom a volatile write stands behind a fence: "", "block" or "grid".
    """

    site: EventSite
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


def conflict(one: Event, other: Event, overtaken: bool) -> str:
    """Return RACE, HARMLESS or nothing for two accesses of different threads that nothing orders.

    `overtaken` if one of them is a volatile read whose thread has already waited for what the
    thread of the other did later.
    """
    kinds = {one.kind, other.kind}
    if kinds <= _READING:
        return ""  # rule 1
    if kinds <= _WRITING:
        return HARMLESS if one.value == other.value else RACE  # 2
    if kinds & _PLAIN or divided(one, other):
        return RACE  # 3, 4
    if ATOMIC_STORE not in kinds:
        return ""  # 5
    store, reader = (one, other) if one.kind == ATOMIC_STORE else (other, one)
    return "" if _is_message(store, reader, overtaken) else RACE


def divided(one: Event, other: Event) -> bool:
    """Return whether two accesses are divisible for each other: other bytes, or another scope."""
    if (one.first, one.site.size) != (other.first, other.site.size):
        return True
    scopes = one.site.scope, other.site.scope
    return "thread" in scopes or (one.thread[0] != other.thread[0] and "block" in scopes)


def _is_message(store: Event, reader: Event, overtaken: bool) -> bool:
    if reader.kind == ATOMIC_RMW and reader.site.combines:
        return False  # rule 6
    near = store.released == "block" and store.thread[0] == reader.thread[0]
    return reader.site.polls or ((near or store.released == "grid") and not overtaken)  # 7, 8


class KnownEvents:
    """Events that each thread knows of, before it or fenced, as sets: the bits of an int.

    Threads are named by their block and their index in it; those of one wave at a time.
    """

    def __init__(self, padded: int) -> None:
        self._padded = padded
        self._own: dict[int, dict[int, int]] = defaultdict(dict)
        self._pools: dict[tuple[int, int], int] = defaultdict(int)
        self._grid: dict[int, int] = defaultdict(int)
        self._clusters: dict[tuple[int, int], int] = defaultdict(int)
        self._informed: set[int] = set()
        self._first = -1

    def start(self, wave: Wave) -> None:
        """Take what follows to be of `wave`."""
        if wave.first_block != self._first:
            self._first = wave.first_block
            self._blocks = wave.cluster_blocks
            self._arrived = np.zeros(wave.lane_count, np.int64)
            self._waited = np.zeros(wave.lane_count, np.int64)
            self._passed = np.zeros(wave.lane_count, np.int64)
            self._grids = np.zeros(wave.lane_count, np.int64)

    def of(self, block: int, index: int) -> int:
        """Return the events that a thread knows."""
        return self._common(block, index) | self._own[block].get(index, 0)

    def _common(self, block: int, index: int) -> int:
        lane = (block - self._first) * self._padded + index
        pooled = self._pools.get((block, int(self._passed[lane])), 0)
        arrived = self._clusters.get((block // self._blocks, int(self._waited[lane])), 0)
        return pooled | arrived | self._grid.get(int(self._grids[lane]), 0)

    def anything(self, block: int) -> bool:
        """Return whether some thread of a block may know something."""
        return block in self._informed or bool(self._grid) or bool(self._clusters)

    def learn(self, block: int, index: int, events: int) -> None:
        """Add events to what a thread knows."""
        if events:
            own = self._own[block]
            own[index] = own.get(index, 0) | events
            self._informed.add(block)

    def share(self, block: int, indices: list[int]) -> None:
        """Join what some threads of a block know."""
        if not self.anything(block):
            return
        together = 0
        for index in indices:
            together |= self.of(block, index)
        for index in indices:
            self.learn(block, index, together)

    def pool(self, lanes: Numbers, gridwide: bool) -> None:
        """Pass the barrier of the lanes' blocks, or the grid's: what one knows, all learn."""
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

    def arrive(self, lanes: Numbers) -> None:
        """Arrive at the barrier of the cluster: who has waited there learns what the lanes know."""
        self._arrived[lanes] = self._waited[lanes] + 1
        for lane in lanes.tolist():
            slot, index = divmod(lane, self._padded)
            block = self._first + slot
            if self.anything(block) and (known := self.of(block, index)):
                self._clusters[block // self._blocks, int(self._arrived[lane])] |= known

    def wait(self, lanes: Numbers) -> None:
        """Wait at the barrier of the cluster, where all have arrived."""
        self._waited[lanes] = self._arrived[lanes]

    def _pool(self, block: int, indices: list[int], gridwide: bool) -> None:
        known, own = self._common(block, indices[0]), self._own[block]
        for index in own.keys() & set(indices):
            known |= own.pop(index)
        lane = (block - self._first) * self._padded + indices[0]
        self._pools[block, int(self._passed[lane]) + 1] |= known
        if gridwide and known:
            self._grid[int(self._grids[lane]) + 1] |= known


class Left:
    """What threads have left at each location to those who find there what they have stored.

    It is two sets of events: for all threads, and for those of the own block.
    """

    def __init__(self) -> None:
        self._far: dict[int, int] = {}
        self._near: dict[int, dict[int, int]] = {}
        #: Who has left something last, and what, since others have.
        self._last: dict[int, tuple[Thread, int, int]] = {}

    def found(self, thread: Thread, where: int) -> tuple[int, int]:
        """Return what is left for all, and for the block of this thread."""
        return self._far.get(where, 0), self._near.get(where, {}).get(thread[0], 0)

    def leave(self, thread: Thread, where: int, events: tuple[int, int], stores: bool) -> None:
        """Leave events for both; who `stores` overwrites what others have left, but not its own."""
        if where not in self._last and not any(events):
            return
        far, near = events
        who, *own = self._last.get(where, (thread, 0, 0))
        if who == thread:
            far, near = far | own[0], near | own[1]
        self._last[where] = thread, far, near
        if stores:
            self._far[where], self._near[where] = far, {thread[0]: near}
        else:
            self._far[where] = self._far.get(where, 0) | far
            blocks = self._near.setdefault(where, {})
            blocks[thread[0]] = blocks.get(thread[0], 0) | near


# Volatile writes as messages: which are behind a fence, and which threads waited for later ones.


Fences = tuple[int, int]


def any_atomic_store(blocks: Iterable[BasicBlock]) -> bool:
    """Return whether a kernel writes anything as volatile."""
    return any(kind_of(o.site) == ATOMIC_STORE for block in blocks for o in block.operands)


class Releases:
    """Follows what threads have waited for, and since when each has passed no fence.

    Parameters
    ----------
    padded : int
        Threads of a block, padded to whole warps.

    Attributes
    ----------
    followed : KnownEvents
        The events that must have happened by what threads have waited for, fences or not.
    """

    def __init__(self, padded: int) -> None:
        self.followed = KnownEvents(padded)
        self._touched: dict[tuple[Thread, int], Fences] = {}
        self._trails: dict[int, int] = defaultdict(int)

    def released(self, event: Event, where: int, fences: Fences) -> str:
        """Return for whom a volatile write is released; its thread has passed so many fences."""
        gridwide, near = self._touched.get((event.thread, where), (0, 0))
        self._touched[event.thread, where] = fences
        if event.kind != ATOMIC_STORE or fences[1] == near:
            return ""
        return "grid" if fences[0] > gridwide else "block"

    def follow(self, site: EventSite, thread: Thread, where: int) -> int:
        """Load from a location: return what the thread had followed before that."""
        before = self.followed.of(*thread)
        if site.polls:
            self.followed.learn(*thread, self._trails.get(where, 0))
        return before

    def lead(self, thread: Thread, where: int, known: int) -> None:
        """Store what others may wait for; the thread knows of some events besides."""
        self._trails[where] |= self.followed.of(*thread) | known
