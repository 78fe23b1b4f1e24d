"""A solution with one change, and the part of it in which changes are made."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_MARK = re.compile(r"\s*(?://|#)\s*(BEGIN|END) SOLUTION\s*$")
_REMARK = re.compile(r"//.*| +# .*")


@dataclass(frozen=True)
class Place:
    """From a line and column up to, not including, another; both counted from 1."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Edit:
    """What is written in the place of some text, and what kind of change it is."""

    kind: str
    place: Place
    text: str


@dataclass(frozen=True)
class Mutant:
    """A whole file with one change.

    Attributes
    ----------
    kind : str
        What was done, such as "operator".
    line : int
        Where, in the solution.
    name : str
        The lines before and after: it stays when lines above are added.
    text : str
        The file.
    """

    kind: str
    line: int
    name: str
    text: str


def student_lines(text: str) -> set[int]:
    """The numbers of the lines between the marks.

    >>> student_lines("a\\n// BEGIN SOLUTION\\n//| x\\nb\\n// END SOLUTION\\nc\\n")
    {3, 4}
    """
    inside, found = False, set()
    for number, line in enumerate(text.splitlines(), 1):
        if mark := _MARK.match(line):
            inside = mark[1] == "BEGIN"
        elif inside:
            found.add(number)
    return found


def mutants(text: str, edits: Iterable[Edit]) -> Iterator[Mutant]:
    """The files that edits make of a text: each once, and none that is as it was."""
    known, names = {text}, set[str]()
    lines = student_lines(text)
    for edit in edits:
        place = edit.place
        if not lines.issuperset(range(place.line, place.end_line + 1)):
            continue
        changed = _edited(text, edit)
        if changed in known:
            continue
        known.add(changed)
        name = _name(text, changed, place.line)
        if name in names:  # another line with the same words
            name += f" (line {place.line})"
        names.add(name)
        yield Mutant(edit.kind, place.line, name, changed)


def taken(text: str, place: Place) -> str:
    """The text at a place."""
    first, last = _offsets(text, place)
    return text[first:last]


def _edited(text: str, edit: Edit) -> str:
    first, last = _offsets(text, edit.place)
    return text[:first] + edit.text + text[last:]


def _offsets(text: str, place: Place) -> tuple[int, int]:
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    first = starts[place.line - 1] + place.column - 1
    return first, starts[place.end_line - 1] + place.end_column - 1


def _name(before: str, after: str, line: int) -> str:
    """What the lines that differ were and are, without remarks, their white space folded."""
    old, new = before.split("\n"), after.split("\n")
    behind = 0
    while behind < min(len(old), len(new)) - line and old[-1 - behind] == new[-1 - behind]:
        behind += 1
    parts = (lines[line - 1 : len(lines) - behind] for lines in (old, new))
    words = ([_REMARK.sub("", line) for line in part] for part in parts)
    return " -> ".join(" ".join(" ".join(part).split()) for part in words)
