"""The pane of the timeline: levels, lanes at work and contention over the whole trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.text import Text

from gpubfs.show.traces.frames.palette import TOUCHED, WEAK, of_level
from gpubfs.show.traces.terminal.panes.source import BARS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpubfs.show.traces.frames.course import Course

#: A trace's course, and the step of it at each step of what is shown.
Track = tuple["Course", Sequence[int]]


def step_at(cell: int, width: int, steps: int) -> int:
    """Return a cell's first step; where there are fewer steps than cells, several share it.

    >>> [step_at(cell, 4, 8) for cell in range(4)], [step_at(cell, 4, 2) for cell in range(4)]
    ([0, 2, 4, 6], [0, 0, 1, 1])
    """
    return cell * steps // width


def timeline(
    levels: Sequence[int], tracks: Sequence[Track], at: int, width: int, searched: bool = True
) -> tuple[str, list[Text]]:
    """Return what its rows are, and a row of levels and for each trace two rows of bars.

    Where no graph is `searched`, each launch is a level, and is called a launch.
    """
    most = max([1, *(int(course.contention.max(initial=0)) for course, _ in tracks)])
    rows = [_levels(levels, width, searched)]
    for course, steps in tracks:
        rows += [_lanes(course, steps, width), _contention(course, steps, width, most)]
    here = here_cell(at, width, len(levels))
    for row in rows:
        row.stylize(TOUCHED, here, here + 1)
    what = "levels" if searched else "launches"
    note = f"{what}; lanes at work; lanes at one address of an atomic, at most {most}"
    return note, rows


def here_cell(at: int, width: int, steps: int) -> int:
    """Return the first cell that shows a step."""
    cells = range(width)
    return next(
        c for c in cells if at < max(step_at(c + 1, width, steps), step_at(c, width, steps) + 1)
    )


def _steps_in(cell: int, width: int, steps: int) -> range:
    first = step_at(cell, width, steps)
    return range(first, max(step_at(cell + 1, width, steps), first + 1))


def _levels(levels: Sequence[int], width: int, searched: bool) -> Text:
    """Return the names of levels where these begin, in their colours."""
    row = Text()
    cells = [levels[step_at(cell, width, len(levels))] for cell in range(width)]
    begin = 0
    for end in range(1, width + 1):
        if end == width or cells[end] != cells[begin]:
            text = next((t for t in _names(cells[begin], searched) if len(t) < end - begin), "")
            row.append(f"▏{text}"[: end - begin].ljust(end - begin), of_level(cells[begin]))
            begin = end
    return row


def _names(level: int, searched: bool) -> tuple[str, str]:
    return (f"level {level}", str(level)) if searched else (f"launch {level + 1}", str(level + 1))


def _lanes(course: Course, steps: Sequence[int], width: int) -> Text:
    """Return a bar for each cell: the least share of lanes at work in its steps."""
    row = Text()
    for cell in range(width):
        share = float(_of_cell(course.at_work, steps, cell, width).min())
        row.append(_bar(share), "green" if share == 1 else "yellow")
    return row


def _contention(course: Course, steps: Sequence[int], width: int, most: int) -> Text:
    """Return a bar for each cell with an atomic: the most lanes at one address in its steps."""
    row = Text()
    for cell in range(width):
        lanes = int(_of_cell(course.contention, steps, cell, width).max())
        row.append(_bar(lanes / most), "magenta" if lanes else WEAK)
    return row


def _of_cell(values: NDArray[Any], steps: Sequence[int], cell: int, width: int) -> NDArray[Any]:
    """Return the values of a cell's steps; those that are not known yet are 0."""
    own = _steps_in(cell, width, len(steps))
    if isinstance(steps, range):  # all steps of one trace
        return values[own.start : own.stop]
    found: NDArray[Any] = values[np.asarray(steps[own.start : own.stop])]
    return found


def _bar(share: float) -> str:
    """Return a bar; a blank for nothing."""
    return " " if share <= 0 else BARS[max(round(share * len(BARS)) - 1, 0)]
