"""What a student reads of a grade: case by case, what was called, expected and got, and a hint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from gpubfs.grading.outcome import Failure, Grade, Outcome

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

#: Marks of a case: shape and colour.
PASSED, LOST, SKIPPED = ("✓", "green"), ("✗", "bold red"), ("–", "dim")
INDENT = (0, 0, 0, 4)


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
        told: set[tuple[str, ...]] = set()
        for outcome in grade.outcomes:
            yield _line(outcome)
            failure = outcome.failure
            if failure is not None and _place(failure) in told:
                yield Padding(Text("for the same reason", "dim"), INDENT)
            elif failure is not None:
                yield from _reasons(failure)
                told.add(_place(failure))
        yield Text(f"{grade.got:g} of {grade.points:g} points", "bold")


def _place(failure: Failure) -> tuple[str, ...]:
    """What makes two reasons the same: a place of the source, or else everything that is said."""
    if failure.detail:
        return failure.message, failure.detail
    return failure.message, failure.called, failure.expected, failure.got


def told(outcome: Outcome) -> Iterator[RenderableType]:
    """What there is to say of one case, in lines."""
    yield _line(outcome)
    if outcome.failure is not None:
        yield from _reasons(outcome.failure)


def _line(outcome: Outcome) -> Text:
    shape, style = SKIPPED if outcome.skipped else LOST if outcome.failure else PASSED
    line = Text().append(f"{shape} ", style).append(outcome.case)
    if outcome.hidden:
        line.append(" (hidden)", "dim")
    if outcome.skipped:
        return line.append("  not graded here", "dim")
    return line.append(f"  {outcome.got:g} of {outcome.points:g}", "dim")


def _reasons(failure: Failure) -> Iterator[RenderableType]:
    rows = [] if failure.message in failure.detail else [Text(failure.message)]
    for name in ("called", "expected", "got"):
        if words := getattr(failure, name):
            rows.append(Text().append(f"{name:<9}", "dim").append(words))
    if failure.detail:
        rows.append(Text(failure.detail))
    yield from (Padding(row, INDENT) for row in rows)
