"""What is printed of a course: a line for each exercise, and what an exercise wants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from gpubfs.grading.exercise import Exercise
from gpubfs.grading.learning.course import TASKS, lesson_of
from gpubfs.grading.learning.standing import BEGUN, DONE, NOT_BEGUN, Standing

#: What stands for a state: a shape, the same in ASCII, and a style.
SHAPES = {DONE: ("✓", "+", "green"), BEGUN: ("~", "~", "yellow"), NOT_BEGUN: (" ", " ", "dim")}
#: The fewest columns with minutes, and with titles.
WITH_MINUTES, WITH_TITLES = 52, 76


@dataclass(frozen=True)
class Overview:
    """A line for each exercise below its lesson, and the sums.

    Attributes
    ----------
    found : sequence of Standing
        How far the exercises are, lesson by lesson.
    current : str
        The name of the exercise that is marked, if any.
    """

    found: Sequence[Standing]
    current: str = ""

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        width = max(len(one.exercise.folder.name) for one in self.found)
        for lesson, group in groupby(self.found, lambda one: lesson_of(one.exercise)):
            own = list(group)
            yield Text(f"{lesson}  {_sum(own)}", "bold")
            for one in own:
                yield self._row(one, width, options)
        done = sum(one.state == DONE for one in self.found)
        yield Text(f"{done} of {len(self.found)} exercises done, {_sum(self.found)} points", "bold")

    def _row(self, one: Standing, width: int, options: ConsoleOptions) -> Text:
        record = one.record
        shape = SHAPES[one.state]
        marks = f"{record.best:g}" if record.graded_once else "–"[: not options.ascii_only] or "-"
        here = one.exercise.name == self.current
        line = Text(">" if here else " ", no_wrap=True, overflow="ellipsis")
        line.append(f"{shape[options.ascii_only]} ", shape[2])
        line.append(f"{one.exercise.folder.name:<{width}} ", "bold" if here else "")
        line.append(f"{marks:>3} of {one.points:<3g} {one.state:<9}", shape[2])
        if options.max_width >= WITH_MINUTES:
            minutes = f"{record.seconds / 60:.0f} min" if record.seconds >= 30 else ""
            line.append(f" {minutes:>7}", "dim")
        if options.max_width >= WITH_TITLES:
            line.append(f"  {one.exercise.title}")
        return line


def _sum(found: Sequence[Standing]) -> str:
    return f"{sum(one.record.best for one in found):g} of {sum(one.points for one in found):g}"


@dataclass(frozen=True)
class Task:
    """What an exercise wants: its title, the file to edit, and what is to be done there.

    Attributes
    ----------
    exercise : Exercise
        The exercise.
    file : str
        The file, as it is called from here.
    word : str
        What stands before its title.
    """

    exercise: Exercise
    file: str
    word: str = ""

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        one = self.exercise
        yield Text(f"{self.word}{one.title} ({one.name})", "bold")
        task = TASKS.get(one.kind)
        yield Text(f"{one.kind}: {task}" if task else one.kind)
        # A path that is broken into lines cannot be copied.
        line = Text("edit  ", "dim", no_wrap=True, overflow="ignore")
        yield line.append(self.file, "not dim")
        yield Text("Its comments say what is wanted.", "dim")
