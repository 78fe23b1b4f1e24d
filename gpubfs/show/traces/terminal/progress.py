"""The line of progress: a cell for some steps each, in the colour of their level."""

from __future__ import annotations

from rich.text import Text

from gpubfs.show.traces.frames.palette import of_level
from gpubfs.show.traces.terminal.stepping import Stepper

#: What stands for steps that have been passed, for the one that is shown, and for those to come.
SHAPES, ASCII = "━█─", "=#-"


def step_at(cell: int, width: int, steps: int) -> int:
    """Return a cell's first step; where there are fewer steps than cells, several share it.

    >>> [step_at(cell, 4, 8) for cell in range(4)], [step_at(cell, 4, 2) for cell in range(4)]
    ([0, 2, 4, 6], [0, 0, 1, 1])
    """
    return cell * steps // width


def progress_line(stepper: Stepper, width: int, ascii_only: bool = False) -> Text:
    """Return the whole trace in `width` cells."""
    steps = len(stepper.show)
    line = Text(no_wrap=True)
    for cell in range(width):
        first, after = step_at(cell, width, steps), step_at(cell + 1, width, steps)
        here = first <= stepper.at < max(after, first + 1)
        shape = (ASCII if ascii_only else SHAPES)[1 if here else 2 * (first > stepper.at)]
        line.append(shape, of_level(int(stepper.show.levels[first])))
    return line
