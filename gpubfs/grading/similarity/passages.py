"""Passages that two submissions share: fingerprints in common, as far as the words around agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

#: How many places of one fingerprint are tried in each of two submissions.
_PLACES = 8


@dataclass(frozen=True, order=True)
class Passage:
    """Words that two submissions share: where they begin in both, and how many there are."""

    length: int
    first: int
    second: int


def passages(
    one: Sequence[str],
    other: Sequence[str],
    shared: Iterable[tuple[list[int], list[int]]],
    noise: int,
) -> list[Passage]:
    """Return the passages that two texts share, in the order of the first text.

    Parameters
    ----------
    one, other : sequence of str
        Their words.
    shared : iterable of (list of int, list of int)
        For each fingerprint in common, where it stands in both.
    noise : int
        The words of a fingerprint.

    Returns
    -------
    list of Passage
        None overlaps with another in either text; longer ones go before shorter ones.
    """
    found: set[Passage] = set()
    ends: dict[int, list[range]] = {}  # by the distance of the two places
    for here, there in shared:
        for first in here[:_PLACES]:
            for second in there[:_PLACES]:
                known = ends.setdefault(second - first, [])
                if any(first in span for span in known):
                    continue
                made = _extended(one, other, first, second, noise)
                known.append(range(made.first, made.first + made.length))
                found.add(made)
    return sorted(_apart(found), key=lambda passage: passage.first)


def _extended(
    one: Sequence[str], other: Sequence[str], first: int, second: int, noise: int
) -> Passage:
    """Return the whole passage around a fingerprint in common."""
    before = 0
    while min(first, second) > before and one[first - before - 1] == other[second - before - 1]:
        before += 1
    length, most = noise, min(len(one) - first, len(other) - second)
    while length < most and one[first + length] == other[second + length]:
        length += 1
    return Passage(length + before, first - before, second - before)


def _apart(found: Iterable[Passage]) -> list[Passage]:
    """Return passages that do not overlap, the longest first."""
    kept: list[Passage] = []
    for passage in sorted(found, key=lambda p: (-p.length, p.first, p.second)):
        if not any(_overlap(passage, other) for other in kept):
            kept.append(passage)
    return kept


def _overlap(one: Passage, other: Passage) -> bool:
    return _meet(one.first, one.length, other.first, other.length) or _meet(
        one.second, one.length, other.second, other.length
    )


def _meet(start: int, length: int, other: int, more: int) -> bool:
    return start < other + more and other < start + length
