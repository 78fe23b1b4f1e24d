"""What a student reads of a grade: case by case, what was called, expected and got, and a hint."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from gpubfs.grading.outcome import Failure, Grade, Outcome
from gpubfs.grading.writing import shown

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

#: Marks of a case: shape, what stands for it in ASCII, and colour.
PASSED, LOST, SKIPPED = ("✓", "+", "green"), ("✗", "x", "bold red"), ("–", "-", "dim")
INDENT = 4
_CARET = re.compile(r" +\^~*")


@dataclass(frozen=True)
class Feedback:
    """A grade, laid out for a terminal.

    Attributes
    ----------
    grade : Grade
        The grade.
    """

    grade: Grade

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        grade = self.grade
        yield Text(f"{grade.title} ({grade.exercise})", "bold")
        seen: dict[tuple[str, str], Outcome] = {}
        for outcome in grade.outcomes:
            key = _reason(outcome)
            yield Told(outcome, seen.get(key))
            seen.setdefault(key, outcome)
        yield Text(f"{grade.got:g} of {grade.points:g} points", "bold")


def _reason(outcome: Outcome) -> tuple[str, str]:
    """What two lost cases have in common that are lost for one reason, at one place."""
    failure = outcome.failure
    return (failure.message, failure.detail) if failure else ("", "")


@dataclass(frozen=True)
class Told:
    """What there is to say of one case, in lines.

    Attributes
    ----------
    outcome : Outcome
        What became of it.
    before : Outcome, optional
        One that was told before and lost for the same reason at the same place.
    """

    outcome: Outcome
    before: Outcome | None = None

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        yield _line(self.outcome, options.ascii_only)
        failure = _clean(self.outcome.failure)
        if failure is not None:
            for row in self._rows(failure, options.max_width - INDENT):
                yield Padding(row, (0, 0, 0, INDENT), expand=False)
        for row in _printed(self.outcome.printed):
            yield Padding(row, (0, 0, 0, INDENT), expand=False)

    def _rows(self, failure: Failure, width: int) -> Iterator[Text]:
        if self.before is not None and failure == _clean(self.before.failure):
            yield Text(f'as in "{self.before.case}"', "dim")
            return
        if failure.message not in failure.detail:
            yield Text(failure.message)
        for name in ("called", "expected", "got"):
            if words := getattr(failure, name):
                yield Text().append(f"{name:<9}", "dim").append(words)
        if self.before is not None and failure.detail:
            yield Text(f'otherwise as in "{self.before.case}"', "dim")
        elif failure.detail:
            yield from _detailed(failure.detail.splitlines(), width)


def _clean(failure: Failure | None) -> Failure | None:
    """A failure with nothing in it that a terminal would obey, and carets where they were.

    What is handed in is shown with it: lines of a source, texts of its own errors.
    """
    if failure is None:
        return None
    parts = {name: _printable(text) for name, text in vars(failure).items()}
    return replace(failure, **parts)


def _printable(text: str) -> str:
    r"""The text with another character for each one that cannot be printed, but for line ends.

    >>> _printable("/* \x1b[2J */\n^\u202e")
    '/* �[2J */\n^�'
    """
    return "".join(c if c.isprintable() or c == "\n" else "�" for c in text.replace("\t", " "))


def _line(outcome: Outcome, ascii_only: bool) -> Text:
    shapes = SKIPPED if outcome.skipped else LOST if outcome.failure else PASSED
    line = Text().append(f"{shapes[ascii_only]} ", shapes[2]).append(outcome.case)
    if outcome.hidden:
        line.append(" (hidden)", "dim")
    if outcome.skipped:
        return line.append("  not graded here", "dim")
    return line.append(f"  {outcome.got:g} of {outcome.points:g}", "dim")


def _printed(text: str) -> Iterator[Text]:
    """What a submission printed, with nothing in it that a terminal would obey."""
    if text:
        yield Text("printed", "dim")
    for line in text.expandtabs().splitlines():
        yield Text(f"  {shown(line)}")


def _detailed(lines: list[str], width: int) -> Iterator[Text]:
    """Lines that may be broken, but for those of a source, which keep the carets under them."""
    first = 0
    for line, below in pairwise(["", *lines, ""]):
        if _CARET.fullmatch(line):
            yield Text(_window(line, first, width))
        elif _CARET.fullmatch(below):
            start = below.index("^")
            first = max(0, min(start - width // 3, len(line) - width))
            yield Text(_window(line, first, width))
        elif line:
            yield Text(line)


def _window(line: str, first: int, width: int) -> str:
    """The part of a line that begins at `first`, with dots where something is left out.

    >>> _window("0123456789", 2, 6), _window("0123", 0, 6)
    ('…3456…', '0123')
    """
    shown = line[first : first + width]
    if first and not shown.startswith(" "):
        shown = f"…{shown[1:]}"
    return f"{shown[:-1]}…" if first + width < len(line) and shown[-1] not in "^~" else shown
