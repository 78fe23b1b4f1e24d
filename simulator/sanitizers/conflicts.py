"""Conflicts: pairs of accesses of different threads that no barrier orders.

Three questions, each of all locations at once: did two lanes of a warp meet between two
synchronisations of the warp, two warps of a block between two barriers, two blocks between two
barriers of the grid?
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.sanitizers.epochs import Epochs
from simulator.sanitizers.rows import KINDS, LOOK, READ, UPDATE, WRITE, Coding, Numbers, Rows, Table

#: Kinds that conflict whatever the values are.
_HOSTILE = ((WRITE, READ), (WRITE, UPDATE), (WRITE, LOOK), (UPDATE, READ))


@dataclass
class Conflicts:
    """Pairs of accessors of one kind each that met at `place`; `same` if both wrote one value."""

    place: Numbers
    first: Numbers
    second: Numbers
    kinds: tuple[int, int]
    same: NDArray[np.bool_]


@dataclass
class _Groups:
    """Accesses of one kind, a group a location and epoch: who came first and last by number.

    `key` is ascending; members are lanes, warps or blocks.
    """

    key: Numbers
    place: Numbers
    members: tuple[Numbers, Numbers]
    whos: tuple[Numbers, Numbers]
    differ: NDArray[np.bool_]

    def at(self, chosen: Numbers) -> _Groups:
        """Some of them."""
        return _Groups(
            self.key[chosen],
            self.place[chosen],
            (self.members[0][chosen], self.members[1][chosen]),
            (self.whos[0][chosen], self.whos[1][chosen]),
            self.differ[chosen],
        )


def conflicts(
    table: Table, coding: Coding, epochs: Epochs, synced: bool, shared: bool
) -> Iterator[Conflicts]:
    """All conflicts among the accesses in `table`.

    `synced` if there were barriers at all, `shared` if no two blocks have a location in common.
    """
    rows = {kind: table.rows(kind) for kind in KINDS}
    if not (rows[WRITE].size or rows[UPDATE].size):
        return
    rows = _touched(rows)
    for level in _levels(coding, epochs, synced, shared):
        groups = {kind: level.groups(rows[kind]) for kind in KINDS}
        yield from _meetings(groups)


def _touched(rows: dict[int, Rows]) -> dict[int, Rows]:
    """Without reads of what nobody writes."""
    written = np.sort(np.concatenate([rows[WRITE].place, rows[UPDATE].place]))
    result = dict(rows)
    for kind in (READ, LOOK):
        if rows[kind].size:
            at = np.minimum(np.searchsorted(written, rows[kind].place), written.size - 1)
            result[kind] = rows[kind].take(written[at] == rows[kind].place)
    return result


@dataclass
class _Level:
    """Who counts as one: `group` and `member` of each segment; no member means the lane."""

    coding: Coding
    group: Numbers
    member: Numbers
    lanes: bool

    def groups(self, rows: Rows) -> _Groups:
        """The rows of one kind, grouped."""
        segment = self.coding.segment(rows.who)
        member = self.member[segment]
        if self.lanes:
            member = member * self.coding.width + self.coding.lane(rows.who)
        key = rows.place * (int(self.group.max(initial=0)) + 1) + self.group[segment]
        order = _order(key, member)
        key, member, ordered = key[order], member[order], rows.take(order)
        heads = np.flatnonzero(np.append(True, key[1:] != key[:-1])) if key.size else key
        tails = np.append(heads[1:], key.size)[: heads.size] - 1
        differ = np.zeros(heads.size, np.bool_)
        if ordered.low is not None and ordered.high is not None and heads.size:
            low, high = ordered.low, ordered.high
            differ = np.minimum.reduceat(low, heads) != np.maximum.reduceat(high, heads)
        return _Groups(
            key[heads],
            ordered.place[heads],
            (member[heads], member[tails]),
            (ordered.who[heads], ordered.who[tails]),
            differ,
        )


def _order(key: Numbers, member: Numbers) -> Numbers:
    if not key.size:
        return key
    bits, lowest = int(member.max()).bit_length(), int(key.min())
    if bits + (int(key.max()) - lowest).bit_length() > 62:
        return np.lexsort((member, key))
    return np.argsort(((key - lowest) << bits) | member)


def _levels(coding: Coding, epochs: Epochs, synced: bool, shared: bool) -> Iterator[_Level]:
    """The questions, the widest first: a barrier of the block orders a warp's lanes, too."""
    warp, block, barriers, grids = epochs.tables()
    if not synced:
        yield _Level(coding, np.zeros(warp.size, np.int64), warp, True)
        return
    if not shared:
        yield _Level(coding, grids, block, False)
    stretch = block * (int(barriers.max(initial=0)) + 1) + barriers
    yield _Level(coding, np.unique(stretch, return_inverse=True)[1], warp, False)
    yield _Level(coding, np.arange(warp.size), np.zeros(warp.size, np.int64), True)


def _meetings(groups: dict[int, _Groups]) -> Iterator[Conflicts]:
    for kinds in ((WRITE, WRITE), *_HOSTILE):
        left, right = groups[kinds[0]], groups[kinds[1]]
        if kinds[0] != kinds[1]:
            left, right = _common(left, right)
        found = _apart(left, right, kinds)
        if found.place.size:
            yield found


def _common(left: _Groups, right: _Groups) -> tuple[_Groups, _Groups]:
    """The groups of the same locations and epochs on both sides."""
    _, mine, its = np.intersect1d(left.key, right.key, assume_unique=True, return_indices=True)
    return left.at(mine), right.at(its)


def _apart(left: _Groups, right: _Groups, kinds: tuple[int, int]) -> Conflicts:
    """Where a member on the left is another than one on the right, and two such accessors."""
    tries = [(0, 1), (0, 0), (1, 0), (1, 1)]
    distinct = [left.members[i] != right.members[j] for i, j in tries]
    some = np.logical_or.reduce(distinct)
    first = np.select(distinct, [left.whos[i] for i, _ in tries], 0)[some]
    second = np.select(distinct, [right.whos[j] for _, j in tries], 0)[some]
    alike = ~left.differ[some] if kinds == (WRITE, WRITE) else np.zeros(first.size, np.bool_)
    return Conflicts(left.place[some], first, second, kinds, alike)
