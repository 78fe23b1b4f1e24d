"""What is read of a grade: by students, case by case, and by Gradescope's autograder."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.text import Text

from gpubfs.grading.outcome import Failure, Grade, Outcome
from gpubfs.grading.writing import encoded, shown
from gpubfs.grading.writing import write as write_whole


def gradescope_results(grades: Iterable[Grade]) -> dict[str, Any]:
    """Return the content of results.json.

    A test for each case; hidden ones are shown to students after the due date only. The marks of
    each exercise are in `extra_data`, which Gradescope keeps as it is.

    Examples
    --------
    >>> grade = Grade("00-warp/sum", "Sum", "sum.cu", (Outcome("one warp", 2),))
    >>> made = gradescope_results([grade])
    >>> made["score"], made["tests"][0]["name"], made["tests"][0]["status"]
    (2, '00-warp/sum: one warp', 'passed')
    """
    kept = list(grades)
    tests = [_gradescope_test(g, o) for g in kept for o in g.outcomes if not o.skipped]
    marks = [
        {"exercise": g.exercise, "title": g.title, "got": g.got, "points": g.points} for g in kept
    ]
    more = {"exercises": marks, "points": sum(g.points for g in kept)}
    return {"score": sum(g.got for g in kept), "tests": tests, "extra_data": more}


def write_gradescope(grades: Iterable[Grade], to: Path) -> None:
    """Write results.json, or print it where `to` is ``-``."""
    text = json.dumps(gradescope_results(grades), indent=2, ensure_ascii=False) + "\n"
    if str(to) == "-":
        click.echo(text, nl=False)
    else:
        _write_results(to, text)


def _write_results(to: Path, text: str) -> None:
    """Write a file whole or not at all; what is none, such as a pipe, is written as it is."""
    if to.is_symlink() or (to.exists() and not to.is_file()):
        to.write_bytes(encoded(text))
    else:
        write_whole(to, text)


def _gradescope_test(grade: Grade, outcome: Outcome) -> dict[str, Any]:
    test: dict[str, Any] = {
        "name": f"{grade.exercise}: {outcome.case}",
        "score": outcome.got,
        "max_score": outcome.points,
        "status": "failed" if outcome.failure else "passed",
        "output": _gradescope_output(outcome),
    }
    return test | ({"visibility": "after_due_date"} if outcome.hidden else {})


def _gradescope_output(outcome: Outcome) -> str:
    failure = outcome.failure
    rows = [] if failure is None else failure_lines(failure)
    if outcome.printed:
        rows += ["printed:", *printed_lines(outcome.printed)]
    return "\n".join(rows).rstrip()


def printed_lines(text: str) -> list[str]:
    r"""Return what a submission printed as lines, with nothing in them that a terminal would obey.

    >>> printed_lines("a\tb\x1b[2J\n")
    ['a       b\\x1b[2J']
    """
    return [shown(line) for line in text.expandtabs().splitlines()]


def failure_lines(failure: Failure) -> list[str]:
    """Return all that there is to say of a failure, in lines."""
    rows = [failure.message]
    for name in ("called", "expected", "got"):
        if words := getattr(failure, name):
            rows.append(f"{name}: {words}")
    return [*rows, failure.detail] if failure.detail else rows


#: Marks of a case: shape, what stands for it in ASCII, and colour.
PASSED, LOST, SKIPPED = ("✓", "+", "green"), ("✗", "x", "bold red"), ("–", "-", "dim")
INDENT = 4
#: Lines that are shown of what further cases print.
FEW = 3
_CARET = re.compile(r" +\^~*")


@dataclass(frozen=True)
class Feedback:
    """A grade, laid out for a terminal.

    Attributes
    ----------
    grade : Grade
        The grade.
    commands : mapping of str to str
        What shows by which step a case is lost, by the case's name.
    printed : bool
        Whether all is shown that cases print. Otherwise that of the first case that is lost and
        prints, the beginning of others that are lost, and nothing of cases that are not.
    """

    grade: Grade
    commands: Mapping[str, str] = field(default_factory=dict)
    printed: bool = True

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        grade = self.grade
        yield Text(f"{grade.title} ({grade.exercise})", "bold")
        seen: dict[tuple[str, str], Outcome] = {}
        told_of = {} if self.printed else _shortened(grade.outcomes)
        for outcome in grade.outcomes:
            key = _key(outcome)
            told = replace(outcome, printed=told_of.get(outcome.case, outcome.printed))
            yield CaseFeedback(told, seen.get(key), self.commands.get(outcome.case, ""))
            seen.setdefault(key, outcome)
        if any(told_of.get(one.case, one.printed) != one.printed for one in grade.outcomes):
            yield Text("gpubfs grade --printed shows all that is printed", "dim")
        yield Text(f"{grade.got:g} of {grade.points:g} points", "bold")


def _shortened(outcomes: Iterable[Outcome]) -> dict[str, str]:
    """Return for each case what is shown of what it prints, where not all of it is asked for."""
    lost = [one for one in outcomes if one.failure is not None and one.printed]
    found = {one.case: "" for one in outcomes}
    for number, one in enumerate(lost):
        lines = one.printed.splitlines(keepends=True)
        whole = not number or len(lines) <= FEW + 1
        found[one.case] = one.printed if whole else "".join(lines[:FEW]) + "…\n"
    return found


def _key(outcome: Outcome) -> tuple[str, str]:
    """Return what two lost cases have in common that are lost for one reason, at one location."""
    failure = outcome.failure
    return (failure.message, failure.detail) if failure else ("", "")


@dataclass(frozen=True)
class CaseFeedback:
    """What there is to say of one case, in lines.

    Attributes
    ----------
    outcome : Outcome
        What became of it.
    before : Outcome, optional
        One that was shown before and lost for the same reason at the same location.
    command : str
        What shows by which step it is lost; printed in one line, however long.
    """

    outcome: Outcome
    before: Outcome | None = None
    command: str = ""

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        yield _headline(self.outcome, options.ascii_only)
        failure = self.outcome.failure
        if failure is not None:
            for row in self._rows(clean(failure), options.max_width - INDENT):
                yield Padding(row, (0, 0, 0, INDENT), expand=False)
        if self.command:
            line = Text(" " * INDENT, no_wrap=True, overflow="ignore")
            yield line.append("see it   ", "dim").append(self.command)
        for row in _printed(self.outcome.printed):
            yield Padding(row, (0, 0, 0, INDENT), expand=False)

    def _rows(self, failure: Failure, width: int) -> Iterator[Text]:
        before = None if self.before is None else self.before.failure
        if self.before is not None and before is not None and failure == clean(before):
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


def clean(failure: Failure) -> Failure:
    """Return a failure with nothing in it that a terminal would obey, and carets where they were.

    Submissions are shown with it: lines of a source, texts of its own errors.
    """
    parts = {name: _printable(text) for name, text in vars(failure).items()}
    return replace(failure, **parts)


def _printable(text: str) -> str:
    r"""Return the text with each character replaced that cannot be printed, but for line ends.

    >>> _printable("/* \x1b[2J */\n^\u202e")
    '/* �[2J */\n^�'
    """
    return "".join(c if c.isprintable() or c == "\n" else "�" for c in text.replace("\t", " "))


def _headline(outcome: Outcome, ascii_only: bool) -> Text:
    shapes = SKIPPED if outcome.skipped else LOST if outcome.failure else PASSED
    line = Text().append(f"{shapes[ascii_only]} ", shapes[2]).append(outcome.case)
    if outcome.hidden:
        line.append(" (hidden)", "dim")
    if outcome.skipped:
        return line.append("  not graded here", "dim")
    return line.append(f"  {outcome.got:g} of {outcome.points:g}", "dim")


def _printed(text: str) -> Iterator[Text]:
    """Yield what a submission printed, with nothing in it that a terminal would obey."""
    if text:
        yield Text("printed", "dim")
    for line in printed_lines(text):
        yield Text(f"  {line}")


def _detailed(lines: list[str], width: int) -> Iterator[Text]:
    """Yield lines that may be wrapped, but for source lines, which keep the carets below them."""
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
    """Return the part of a line that begins at `first`, with dots where something is left out.

    >>> _window("0123456789", 2, 6), _window("0123", 0, 6)
    ('…3456…', '0123')
    """
    shown = line[first : first + width]
    if first and not shown.startswith(" "):
        shown = f"…{shown[1:]}"
    return f"{shown[:-1]}…" if first + width < len(line) and shown[-1] not in "^~" else shown


def plain_text(feedback: Feedback | CaseFeedback, width: int) -> str:
    """Return feedback as lines without colours."""
    console = Console(
        file=io.StringIO(),
        width=width,
        color_system=None,
        force_terminal=False,
        force_jupyter=False,
        highlight=False,
        legacy_windows=False,
    )
    with console.capture() as made:
        console.print(feedback)
    return "".join(f"{line.rstrip()}\n" for line in made.get().splitlines())
