"""Who is who: names of students' folders, and the rows of people that a platform exports."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gpubfs.grading.platforms.names import downloaded

_KEY = re.compile(r"(?P<name>.+)_(?P<user>\d+)", re.DOTALL)


@dataclass(frozen=True)
class Person:
    """A row of people.

    Attributes
    ----------
    ids : tuple of str
        What no one else has: numbers, logins, addresses.
    names : tuple of str
        Spellings of the name; ``Lovelace, Ada`` is also ``Ada Lovelace``.
    """

    ids: tuple[str, ...]
    names: tuple[str, ...]


def match(students: Iterable[str], people: Sequence[Person]) -> tuple[dict[int, str], list[str]]:
    """Find the rows of students.

    A student's folder is a person's by a login or another id, by the number that a download has in
    it, or else by the name, if no one else has that name.

    Parameters
    ----------
    students : iterable of str
        The names of students' folders.
    people : sequence of Person
        The rows.

    Returns
    -------
    dict of int to str
        Students by the number of their rows.
    list of str
        Students who are in no row, or in one with another student.
    """
    finder = _Finder(people)
    kept = list(students)
    found = {student: finder.row_of(student) for student in kept}
    taken = Counter(found.values())
    rows = {row: one for one, row in found.items() if row is not None and taken[row] == 1}
    placed = set(rows.values())
    return rows, [student for student in kept if student not in placed]


class _Finder:
    def __init__(self, people: Sequence[Person]) -> None:
        self._ids: dict[str, set[int]] = {}
        self._names: dict[str, set[int]] = {}
        for row, person in enumerate(people):
            for one in person.ids:
                self._ids.setdefault(one.strip().casefold(), set()).add(row)
            for spelling in (s for name in person.names for s in _spellings(name)):
                self._names.setdefault(spelling, set()).add(row)

    def row_of(self, student: str) -> int | None:
        """Return the only row that fits, by the best of what is known."""
        name, user = _parts(student)
        ways = (self._ids, student.strip().casefold()), (self._ids, user), (self._names, _key(name))
        for known, word in ways:
            rows = known.get(word, set()) if word else set()
            if rows:
                return next(iter(rows)) if len(rows) == 1 else None
        return None


def _parts(student: str) -> tuple[str, str]:
    """Return the name and the number in what a student's folder is called.

    >>> _parts("Ada Lovelace_77_assignsubmission_file_"), _parts("ada")
    (('Ada Lovelace', '77'), ('ada', ''))
    """
    one = downloaded(student)
    if one is not None:
        return one.student, one.user
    found = _KEY.fullmatch(student)
    return (found["name"], found["user"]) if found else (student, "")


def _spellings(name: str) -> set[str]:
    last, comma, first = name.partition(",")
    return {_key(name), _key(f"{first} {last}")} if comma else {_key(name)}


def _key(name: str) -> str:
    """Return the letters and digits of a name, without accents.

    >>> _key("Müller-Lüdenscheidt, Zoë")
    'mullerludenscheidtzoe'
    """
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(c for c in plain if c.isalnum())
