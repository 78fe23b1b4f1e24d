"""Pairs of a class's submissions for one exercise, those that share most first.

Submissions with the same fingerprints are alike: they stand in a pair together, as if they were
one, and one more pair is made of them alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from gpubfs.grading.similarity.passages import Passage, passages
from gpubfs.grading.similarity.winnowing import Thresholds, grams, winnow
from gpubfs.grading.similarity.words import Word, words


@dataclass(frozen=True)
class Pair:
    """Two submissions that share something, and those that are like one of them.

    Attributes
    ----------
    firsts, seconds : tuple of str
        Whose they are: those of a tuple are alike.
    shared : int
        How many fingerprints they have in common.
    share : float
        How many of the smaller one's fingerprints these are.
    alike : bool
        Whether all are alike, of both tuples.
    """

    firsts: tuple[str, ...]
    seconds: tuple[str, ...]
    shared: int
    share: float
    alike: bool = False

    @property
    def first(self) -> str:
        """One of the first."""
        return self.firsts[0]

    @property
    def second(self) -> str:
        """One of the second."""
        return self.seconds[0]

    @property
    def students(self) -> tuple[str, ...]:
        """All whose submissions they are."""
        return self.firsts + self.seconds


class Comparison:
    """A class's submissions for one exercise, compared.

    Parameters
    ----------
    texts : mapping of str to str
        The submissions, by students.
    suffix : str
        Their ending.
    given : iterable of str
        Texts that everybody has, such as the starter: what stands in them does not count.
    thresholds : Thresholds, optional
        Which passages are found.
    common : int, optional
        What more than so many students have does not count, either; by default all counts.
    """

    def __init__(
        self,
        texts: Mapping[str, str],
        suffix: str,
        given: Iterable[str] = (),
        thresholds: Thresholds | None = None,
        common: int | None = None,
    ) -> None:
        self.thresholds = thresholds or Thresholds()
        noise = self.thresholds.noise
        self._words = {student: words(text, suffix) for student, text in texts.items()}
        all_grams = {student: grams(self.texts_of(student), noise) for student in texts}
        own_words = ([word.text for word in words(text, suffix)] for text in given)
        without = {value for text in own_words for value, _ in grams(text, noise)}
        if common is not None:
            sets = ({value for value, _ in found} for found in all_grams.values())
            counts = Counter(value for values in sets for value in values)
            without |= {value for value, count in counts.items() if count > common}
        self._prints = {
            student: _places(winnow(found, self.thresholds.window, without))
            for student, found in all_grams.items()
        }

    def texts_of(self, student: str) -> list[str]:
        """Return the words of a student's submission as they are compared."""
        return [word.text for word in self._words[student]]

    def words_of(self, student: str) -> list[Word]:
        """Return the words of a student's submission with their lines."""
        return self._words[student]

    def pairs(self) -> list[Pair]:
        """Return all pairs that share a fingerprint, those that share most first."""
        groups = self._alike()
        owners: dict[int, list[int]] = {}
        for number, students in enumerate(groups):
            for value in self._prints[students[0]]:
                owners.setdefault(value, []).append(number)
        counts: Counter[tuple[int, int]] = Counter()
        for numbers in owners.values():
            counts.update(combinations(numbers, 2))
        made = [self._pair(groups[one], groups[other], n) for (one, other), n in counts.items()]
        for first, *others in groups:
            if others:
                shared = len(self._prints[first])
                made.append(Pair((first,), tuple(others), shared, 1.0, alike=True))
        return sorted(made, key=lambda pair: (-pair.shared, -pair.share, *pair.students))

    def _alike(self) -> list[tuple[str, ...]]:
        """Return students with the same fingerprints together, all of which have some."""
        groups: dict[frozenset[int], list[str]] = {}
        for student, prints in self._prints.items():
            if prints:
                groups.setdefault(frozenset(prints), []).append(student)
        return [tuple(students) for students in groups.values()]

    def _pair(self, firsts: tuple[str, ...], seconds: tuple[str, ...], shared: int) -> Pair:
        fewer = min(len(self._prints[firsts[0]]), len(self._prints[seconds[0]]))
        return Pair(firsts, seconds, shared, shared / fewer)

    def passages(self, pair: Pair) -> list[Passage]:
        """Return the passages that a pair's first two submissions share."""
        one, other = self._prints[pair.first], self._prints[pair.second]
        shared = [(places, other[value]) for value, places in one.items() if value in other]
        texts = self.texts_of(pair.first), self.texts_of(pair.second)
        return passages(*texts, shared, self.thresholds.noise)


def _places(prints: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for value, at in prints:
        found.setdefault(value, []).append(at)
    return found
