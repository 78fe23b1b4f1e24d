"""The marks of several exercises below each other, with the sum of each lesson and of all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from gpubfs.grading.outcome import Grade


@dataclass(frozen=True)
class Totals:
    """A line for each exercise, and their sum; of several lessons the sum of each, too.

    Attributes
    ----------
    grades : sequence of Grade
        The grades, lesson by lesson.
    """

    grades: Sequence[Grade]

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        lessons = [(name, list(own)) for name, own in groupby(self.grades, _lesson)]
        names = [grade.exercise for grade in self.grades]
        width = max(map(len, (*names, "all exercises")))
        for name, own in lessons:
            for grade in own:
                yield _line(grade.exercise, [grade], width)
            if len(lessons) > 1:
                yield _line(name, own, width, "bold")
        last = lessons[0][0] if len(lessons) == 1 else "all exercises"
        yield _line(last, self.grades, width, "bold")


def _lesson(grade: Grade) -> str:
    return grade.exercise.partition("/")[0]


def _line(name: str, grades: Sequence[Grade], width: int, style: str = "") -> Text:
    got, points = sum(one.got for one in grades), sum(one.points for one in grades)
    return Text(f"{name:<{width}}  {got:g} of {points:g}", style)
