"""Accesses in bulk, sorted by location: who read, wrote or updated it first and last.

An accessor is one number: the segment of its warp, its lane in the warp and the site, in this order
of weight. Of a group of accessors of one location only the first and the last are kept, because
every question asked of a group is whether all of it is one thread, warp or block.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.ir.events import Site

Numbers = NDArray[np.int64]

#: What an access does, as far as others care: reads, writes, updates atomically, looks (reads as
#: volatile), tells (writes as volatile).
READ, WRITE, UPDATE, LOOK, TELL = range(5)
#: What is kept apart in bulk besides: updates that are atomic only in their block, and reads by
#: the read-only cache, which are among the reads, too. What tells is among the writes.
SCOPED, CACHED = 5, 6
KINDS = (READ, WRITE, UPDATE, LOOK, SCOPED, CACHED)


def kind_of(site: Site) -> int:
    """What the accesses of a site do, as far as others care."""
    if site.kind == "atomic":
        return UPDATE
    if site.kind == "load":
        return LOOK if site.volatile else READ
    return TELL if site.volatile else WRITE


#: Rows of one kind that are worth bringing together before the launch ends.
_MANY = 1 << 21


@dataclass(frozen=True)
class Coding:
    """How accessors are numbered: lanes of a warp, and more sites than there are."""

    width: int
    sites: int

    def accessor(self, segment: Numbers, lane: Numbers, site: int) -> Numbers:
        """The number of an accessor; `lane` is counted in its warp."""
        return (segment * self.width + lane) * self.sites + site

    def segment(self, accessor: Numbers) -> Numbers:
        """The segment of accessors."""
        return accessor // (self.sites * self.width)

    def lane(self, accessor: Numbers) -> Numbers:
        """The lane in its warp."""
        return accessor // self.sites % self.width


@dataclass
class Rows:
    """Accesses of one kind.

    `place` numbers the location, `who` the accessor; `low` and `high` are the least and the largest
    value stored there by what a row stands for, where values matter; of atomics and volatile reads
    their least and largest size, where they differ.
    """

    place: Numbers
    who: Numbers
    low: Numbers | None = None
    high: Numbers | None = None

    @property
    def size(self) -> int:
        """How many."""
        return int(self.place.size)

    def take(self, chosen: Any) -> Rows:
        """Some of them."""
        low = None if self.low is None else self.low[chosen]
        high = None if self.high is None else self.high[chosen]
        return Rows(self.place[chosen], self.who[chosen], low, high)

    def ends(self, divisor: int) -> Rows:
        """The first and the last row of each group.

        Rows of one location are a group if their accessors are the same after division by
        `divisor`; 0 takes all of a location together.
        """
        ordered = self._sorted()
        if not ordered.size:
            return ordered
        place, who = ordered.place, ordered.who
        fresh = np.empty(place.size, np.bool_)
        fresh[0] = True
        np.not_equal(place[1:], place[:-1], out=fresh[1:])
        if divisor:
            group = who // divisor
            fresh[1:] |= group[1:] != group[:-1]
        heads = fresh.nonzero()[0]
        tails = np.append(heads[1:], place.size) - 1
        ends = fresh
        ends[tails] = True
        chosen = ends.nonzero()[0]
        result = Rows(place[chosen], who[chosen])
        if ordered.low is not None and ordered.high is not None:
            group_of = np.searchsorted(heads, chosen, "right") - 1
            result.low = np.minimum.reduceat(ordered.low, heads)[group_of]
            result.high = np.maximum.reduceat(ordered.high, heads)[group_of]
        return result

    def _sorted(self) -> Rows:
        """By location, then accessor."""
        if not self.size:
            return self
        lowest = int(self.place.min())
        bits = int(self.who.max()).bit_length()
        if bits + (int(self.place.max()) - lowest).bit_length() > 62:
            return self.take(np.lexsort((self.who, self.place)))
        key = ((self.place - lowest) << bits) | self.who
        if self.low is not None:
            return self.take(np.argsort(key, kind="stable"))
        key.sort()
        return Rows((key >> bits) + lowest, key & ((1 << bits) - 1))


def joined(parts: list[Rows]) -> Rows:
    """All rows of several tables."""
    if len(parts) == 1:
        return parts[0]
    place = np.concatenate([p.place for p in parts]) if parts else np.empty(0, np.int64)
    who = np.concatenate([p.who for p in parts]) if parts else np.empty(0, np.int64)
    low, high = [p.low for p in parts], [p.high for p in parts]
    if any(part is None for part in low) or not parts:
        return Rows(place, who)
    return Rows(place, who, np.concatenate(low), np.concatenate(high))  # type: ignore[arg-type]


@dataclass
class Table:
    """The rows of every kind in one memory space, brought together from time to time.

    `divisor` says which accessors of a location may be taken together, as in `Rows.ends`.
    """

    divisor: int
    parts: dict[int, list[Rows]] = field(default_factory=lambda: {kind: [] for kind in KINDS})

    def add(self, kind: int, rows: Rows) -> None:
        """More rows of one kind."""
        parts = self.parts[kind]
        parts.append(rows.ends(self.divisor))
        if sum(part.size for part in parts[1:]) > max(_MANY, parts[0].size):
            self.parts[kind] = [joined(parts).ends(self.divisor)]

    def rows(self, kind: int) -> Rows:
        """All rows of one kind."""
        return joined(self.parts[kind])
