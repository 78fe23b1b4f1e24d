"""Conflicts: pairs of accesses of different threads that no barrier orders.

Four questions, each of all locations at once: did two lanes of a warp access it between two
synchronisations of the warp, two warps of a block between two barriers, two blocks of a cluster
between two barriers of the cluster, two clusters between two barriers of the grid? Where there are
no clusters, each block is one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.ir.events import EventSite
from simulator.observe.sanitizers.accesses import Epochs, changes

# Accesses in bulk, sorted by location: which thread accessed it first and last.
#
# An accessor is one number: the segment of its warp, its lane in the warp and the site, in this
# order of weight. Of a group of accessors of one location only the first and the last are kept,
# because every question asked of a group is whether all of it is one thread, warp or block.


Numbers = NDArray[np.int64]

#: What an access does, as far as races are concerned: atomic functions are read-modify-writes, and
#: so are stores with a memory order, for they conflict with the same; volatile loads and stores are
#: atomic ones that order nothing by themselves.
READ, WRITE, ATOMIC_RMW, ATOMIC_LOAD, ATOMIC_STORE = range(5)
#: What is kept apart in bulk besides: read-modify-writes that are atomic only in their block, or
#: only for their thread, and loads by the read-only cache, which are among the reads, too. Atomic
#: stores are among the writes.
BLOCK_RMW, CACHED_LOAD, OWN_RMW = 5, 6, 7
KINDS = (READ, WRITE, ATOMIC_RMW, ATOMIC_LOAD, BLOCK_RMW, CACHED_LOAD, OWN_RMW)


def kind_of(site: EventSite) -> int:
    """Return what the accesses of a site do, as far as races are concerned."""
    if site.kind == "atomic" or (site.kind == "store" and site.order):
        return ATOMIC_RMW
    if site.kind == "load":
        return ATOMIC_LOAD if site.volatile or site.order else READ
    return ATOMIC_STORE if site.volatile else WRITE


#: Rows of one kind that are worth bringing together before the launch ends.
_MANY = 1 << 21


@dataclass(frozen=True)
class Coding:
    """How accessors are numbered: lanes of a warp, and more sites than there are."""

    width: int
    sites: int

    def accessor(self, segment: Numbers, lane: Numbers, site: int) -> Numbers:
        """Return the number of an accessor; `lane` is counted in its warp."""
        return (segment * self.width + lane) * self.sites + site

    def segment(self, accessor: Numbers) -> Numbers:
        """Return the segments of accessors."""
        return accessor // (self.sites * self.width)

    def lane(self, accessor: Numbers) -> Numbers:
        """Return their lanes in the warp."""
        return accessor // self.sites % self.width


@dataclass
class Rows:
    """Accesses of one kind.

    `location` numbers it, `who` the accessor; `low` and `high` are the least and the largest value
    stored there by what a row stands for, where values matter; of atomics and volatile reads their
    least and largest size, where they differ.
    """

    location: Numbers
    who: Numbers
    low: Numbers | None = None
    high: Numbers | None = None

    @property
    def size(self) -> int:
        """How many."""
        return int(self.location.size)

    def take(self, chosen: Any) -> Rows:
        """Select some of them."""
        low = None if self.low is None else self.low[chosen]
        high = None if self.high is None else self.high[chosen]
        return Rows(self.location[chosen], self.who[chosen], low, high)

    def ends(self, divisor: int) -> Rows:
        """Select the first and the last row of each group.

        Rows of one location are a group if their accessors are the same after division by
        `divisor`; 0 takes all of a location together.
        """
        ordered = self._sorted()
        if not ordered.size:
            return ordered
        location, who = ordered.location, ordered.who
        fresh = changes(location)
        if divisor:
            fresh |= changes(who // divisor)
        chosen = (fresh | lasts(fresh)).nonzero()[0]
        result = Rows(location[chosen], who[chosen])
        if ordered.low is not None and ordered.high is not None:
            heads = fresh.nonzero()[0]
            group_of = np.searchsorted(heads, chosen, "right") - 1
            result.low = np.minimum.reduceat(ordered.low, heads)[group_of]
            result.high = np.maximum.reduceat(ordered.high, heads)[group_of]
        return result

    def _sorted(self) -> Rows:
        """Sort by location, then accessor."""
        if not self.size:
            return self
        lowest = int(self.location.min())
        bits = int(self.who.max()).bit_length()
        if bits + (int(self.location.max()) - lowest).bit_length() > 62:
            return self.take(np.lexsort((self.who, self.location)))
        key = ((self.location - lowest) << bits) | self.who
        if self.low is not None:
            return self.take(np.argsort(key, kind="stable"))
        key.sort()
        return Rows((key >> bits) + lowest, key & ((1 << bits) - 1))


def lasts(fresh: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which elements are the last of their groups, given which are the first."""
    result = np.empty(fresh.size, np.bool_)
    result[:-1] = fresh[1:]
    result[-1:] = True
    return result


def joined(parts: list[Rows]) -> Rows:
    """All rows of several tables."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return _NO_ROWS
    location = np.concatenate([p.location for p in parts])
    who = np.concatenate([p.who for p in parts])
    low, high = [p.low for p in parts], [p.high for p in parts]
    if any(part is None for part in low):
        return Rows(location, who)
    return Rows(location, who, np.concatenate(low), np.concatenate(high))  # type: ignore[arg-type]


_NO_ROWS = Rows(np.empty(0, np.int64), np.empty(0, np.int64))


@dataclass
class Table:
    """The rows of every kind in one memory space, brought together from time to time.

    `divisor` says which accessors of a location may be taken together, as in `Rows.ends`.
    """

    divisor: int
    parts: dict[int, list[Rows]] = field(default_factory=lambda: defaultdict(list))

    def add(self, kind: int, rows: Rows) -> None:
        """More rows of one kind."""
        parts = self.parts[kind]
        parts.append(rows.ends(self.divisor))
        if len(parts) > 1 and sum(part.size for part in parts[1:]) > max(_MANY, parts[0].size):
            self.parts[kind] = [joined(parts).ends(self.divisor)]

    def rows(self, kind: int) -> Rows:
        """All rows of one kind."""
        return joined(self.parts.get(kind, []))


Pairs = tuple[tuple[int, int], ...]

#: Kinds that conflict: writes if their values differ, others whatever the values are.
_HOSTILE = (
    (WRITE, WRITE),
    (WRITE, READ),
    (WRITE, ATOMIC_RMW),
    (WRITE, ATOMIC_LOAD),
    (WRITE, BLOCK_RMW),
    (ATOMIC_RMW, READ),
    (BLOCK_RMW, READ),
    *((OWN_RMW, kind) for kind in (OWN_RMW, READ, WRITE, ATOMIC_RMW, ATOMIC_LOAD, BLOCK_RMW)),
)
#: Kinds that conflict between blocks.
_OF_BLOCKS = ((BLOCK_RMW, BLOCK_RMW), (BLOCK_RMW, ATOMIC_RMW), (BLOCK_RMW, ATOMIC_LOAD))
#: Kinds that conflict if their sizes differ.
_SIZED = (
    (ATOMIC_RMW, ATOMIC_RMW),
    (ATOMIC_RMW, ATOMIC_LOAD),
    (ATOMIC_RMW, BLOCK_RMW),
    (BLOCK_RMW, BLOCK_RMW),
    (BLOCK_RMW, ATOMIC_LOAD),
)
#: Kinds that change memory.
CHANGING = (WRITE, ATOMIC_RMW, BLOCK_RMW, OWN_RMW)


@dataclass
class Conflicts:
    """Conflicting accessors of `location`, of one kind each; `same` if both wrote one value."""

    location: Numbers
    first: Numbers
    second: Numbers
    kinds: tuple[int, int]
    same: NDArray[np.bool_]


@dataclass
class _Groups:
    """Accesses of one kind, a group a location and epoch: who came first and last by number.

    `key` is ascending; members are lanes, warps or blocks; `low` and `high` are as in `Rows`.
    """

    key: Numbers
    location: Numbers
    members: tuple[Numbers, Numbers]
    whos: tuple[Numbers, Numbers]
    low: Numbers
    high: Numbers

    def at(self, chosen: Numbers | NDArray[np.bool_]) -> _Groups:
        """Select some of them."""
        return _Groups(
            self.key[chosen],
            self.location[chosen],
            (self.members[0][chosen], self.members[1][chosen]),
            (self.whos[0][chosen], self.whos[1][chosen]),
            self.low[chosen],
            self.high[chosen],
        )


@dataclass(frozen=True)
class Question:
    """What decides which accesses are ordered.

    `synced` if there were barriers at all, `apart` if no two clusters have a location in common, as
    in shared memory, `sized` if sizes matter; `cluster` counts the blocks of a cluster.
    """

    synced: bool
    apart: bool
    sized: bool
    cluster: int = 1


def conflicts(
    table: Table, coding: Coding, epochs: Epochs, question: Question
) -> Iterator[Conflicts]:
    """All conflicts among the accesses in `table`."""
    rows = {kind: table.rows(kind) for kind in KINDS if kind != CACHED_LOAD}
    if not any(rows[kind].size for kind in CHANGING):
        return
    rows = _touched(rows)
    pairs = _present(_HOSTILE + _SIZED if question.sized else _HOSTILE, rows)
    for level in _levels(coding, epochs, question) if pairs else ():
        yield from _races(level, rows, pairs, question.sized)
    pairs = _present(_OF_BLOCKS, rows)
    for level in _between_blocks(coding, epochs, question) if pairs else ():
        yield from _races(level, rows, pairs, sized=False)


def _present(pairs: Pairs, rows: dict[int, Rows]) -> Pairs:
    """Select the pairs of kinds of which both have rows."""
    kinds = {kind for kind in rows if rows[kind].size}
    return tuple(pair for pair in pairs if kinds.issuperset(pair))


def stale(table: Table) -> Iterator[Conflicts]:
    """Where something reads through the read-only cache what something changes, in any order.

    Both may be one thread.
    """
    cached = table.rows(CACHED_LOAD)
    if not cached.size:
        return
    for kind in CHANGING:
        changed = table.rows(kind)
        location, one, other = np.intersect1d(
            changed.location, cached.location, return_indices=True
        )
        if location.size:
            same = np.zeros(location.size, np.bool_)
            yield Conflicts(
                location, changed.who[one], cached.who[other], (kind, CACHED_LOAD), same
            )


def _touched(rows: dict[int, Rows]) -> dict[int, Rows]:
    """Drop reads of what nothing writes."""
    written = np.sort(np.concatenate([rows[kind].location for kind in CHANGING]))
    result = dict(rows)
    for kind in (READ, ATOMIC_LOAD):
        if rows[kind].size:
            at = np.minimum(np.searchsorted(written, rows[kind].location), written.size - 1)
            result[kind] = rows[kind].take(written[at] == rows[kind].location)
    return result


@dataclass
class _Level:
    """Who counts as one: `group` and `member` of each segment, or with `lanes` of each lane of it.

    `also` is a second group that each segment is in, the same one for most.
    """

    coding: Coding
    group: Numbers
    member: Numbers
    lanes: bool
    also: Numbers | None = None

    def __post_init__(self) -> None:
        also = 0 if self.also is None else int(self.also.max(initial=0))
        self._groups = 1 + max(int(self.group.max(initial=0)), also)

    def alike(self) -> bool:
        """Return whether all segments count as one."""
        return not self.lanes and not changes(self.member)[1:].any()

    def groups(self, rows: Rows) -> _Groups:
        """Group the rows of one kind, of which there are some."""
        segment = self.coding.segment(rows.who)
        group = self.group[segment]
        if self.also is not None:
            second = np.flatnonzero(self.also[segment] != group)
            group = np.concatenate([group, self.also[segment[second]]])
            rows = joined([rows, rows.take(second)])
            segment = self.coding.segment(rows.who)
        member = self.member[segment]
        if self.lanes:
            member = member * self.coding.width + self.coding.lane(rows.who)
        key = rows.location * self._groups + group
        order = _order(key, member)
        key, member, ordered = key[order], member[order], rows.take(order)
        fresh = changes(key)
        heads, tails = fresh.nonzero()[0], lasts(fresh).nonzero()[0]
        low = high = np.zeros(heads.size, np.int64)
        if ordered.low is not None and ordered.high is not None:
            low = np.minimum.reduceat(ordered.low, heads)
            high = np.maximum.reduceat(ordered.high, heads)
        return _Groups(
            key[heads],
            ordered.location[heads],
            (member[heads], member[tails]),
            (ordered.who[heads], ordered.who[tails]),
            low,
            high,
        )


def _order(key: Numbers, member: Numbers) -> Numbers:
    bits, lowest = int(member.max()).bit_length(), int(key.min())
    if bits + (int(key.max()) - lowest).bit_length() > 62:
        return np.lexsort((member, key))
    return np.argsort(((key - lowest) << bits) | member)


def _levels(coding: Coding, epochs: Epochs, question: Question) -> Iterator[_Level]:
    """Yield the questions, the widest first: a barrier of the block orders lanes, too."""
    segments = epochs.tables()
    warp = segments.warp
    if not question.synced:
        yield _Level(coding, np.zeros(warp.size, np.int64), warp, True)
        return
    yield from _between_blocks(coding, epochs, question)
    yield _phased(coding, epochs, (segments.block, segments.barriers), warp)
    lanes = np.zeros(warp.size, np.int64)
    if epochs.split:
        yield replace(_phased(coding, epochs, (warp, segments.syncs), lanes), lanes=True)
    else:
        yield _Level(coding, np.arange(warp.size), lanes, True)


def _between_blocks(coding: Coding, epochs: Epochs, question: Question) -> Iterator[_Level]:
    """Yield the questions about clusters, of which each block may be one, and blocks in them."""
    segments = epochs.tables()
    cluster = segments.block // question.cluster
    if not question.apart:
        yield _Level(coding, segments.grids, cluster, False)
    if question.cluster > 1:
        yield _phased(coding, epochs, (cluster, segments.grids), segments.block)


def _phased(coding: Coding, epochs: Epochs, within: tuple[Numbers, ...], member: Numbers) -> _Level:
    """Return the question about what is alike `within`, and not ordered by a cluster's barrier.

    A segment belongs to the phase that its warp has waited for last. What lies between an arrival
    and its wait belongs to the next one, too: it is ordered with neither of both.
    """
    segments = epochs.tables()
    phases = [segments.waited, segments.arrived] if epochs.split else [segments.waited]
    alike = (np.concatenate([part] * len(phases)) for part in within)
    key = _joined(*alike, np.concatenate(phases))
    group, *also = np.split(np.unique(key, return_inverse=True)[1], len(phases))
    return _Level(coding, group, member, False, also[0] if also else None)


def _joined(first: Numbers, *others: Numbers) -> Numbers:
    """Return one number for each combination of numbers."""
    for other in others:
        first = first * (int(other.max(initial=0)) + 1) + other
    return first


def _races(level: _Level, rows: dict[int, Rows], pairs: Pairs, sized: bool) -> Iterator[Conflicts]:
    """Find the conflicts of some pairs of kinds; `sized` if some are none where sizes agree."""
    if level.alike():
        return
    groups = {kind: level.groups(rows[kind]) for kind in {kind for pair in pairs for kind in pair}}
    for kinds in pairs:
        left, right = groups[kinds[0]], groups[kinds[1]]
        if kinds[0] != kinds[1]:
            left, right = _common(left, right)
        if sized and kinds in _SIZED:
            uneven = np.minimum(left.low, right.low) != np.maximum(left.high, right.high)
            left, right = left.at(uneven), right.at(uneven)
        found = _apart(left, right, kinds) if left.key.size else None
        if found is not None:
            yield found


def _common(left: _Groups, right: _Groups) -> tuple[_Groups, _Groups]:
    """Select the groups of the same locations and epochs on both sides."""
    at = np.minimum(right.key.searchsorted(left.key), right.key.size - 1)
    mine = (right.key[at] == left.key).nonzero()[0]
    return left.at(mine), right.at(at[mine])


#: Which of two members and accessors on the left, and on the right, to compare, in this order.
_LEFT, _RIGHT = np.array([0, 0, 1, 1]), np.array([1, 0, 0, 1])


def _apart(left: _Groups, right: _Groups, kinds: tuple[int, int]) -> Conflicts | None:
    """Where a member on the left is another than one on the right, and two such accessors."""
    tries = zip(_LEFT.tolist(), _RIGHT.tolist(), strict=True)
    distinct = np.array([left.members[i] != right.members[j] for i, j in tries])
    some = np.flatnonzero(distinct.any(axis=0))
    if not some.size:
        return None
    tried = distinct[:, some].argmax(axis=0)
    first = np.choose(_LEFT[tried], [who[some] for who in left.whos])
    second = np.choose(_RIGHT[tried], [who[some] for who in right.whos])
    alike = (left.low == left.high)[some] & (kinds == (WRITE, WRITE))
    return Conflicts(left.location[some], first, second, kinds, alike)
