"""How long what is printed of a trace will be, and whether that is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from gpubfs.errors import UsageError
from gpubfs.show.traces.pair import Pair
from gpubfs.show.traces.steppable import Steppable
from gpubfs.show.traces.terminal.printing import default_console, page
from gpubfs.show.traces.trace import LaunchTrace

#: Bytes that are printed without a question.
MOST = 20_000_000

#: Bytes of the largest character that pictures are made of.
WIDEST = 3

#: Steps whose pictures are drawn to know how long the others are.
SAMPLES = 16


def check_length(
    show: Steppable, at: int, as_json: bool, wanted: bool, report: Callable[[str], None]
) -> None:
    """Say how long a long trace will be before it is printed.

    Parameters
    ----------
    show : Steppable
        The trace.
    at : int
        The step to begin with; JSON has them all.
    as_json : bool
        Whether JSON is printed, and not pictures.
    wanted : bool
        Whether it is to be printed however long it is.
    tell : callable
        Called with words, if it is long and wanted.

    Raises
    ------
    UsageError
        If it is long and nobody said that it is wanted.
    """
    size = _json_size(show) if as_json else _pictures_size(show, at)
    if size <= MOST:
        return
    steps = len(show) if as_json else len(show) - at
    size_note = f"{show.title}: {steps:,} steps, about {size / 1e6:,.0f} MB"
    if wanted:
        report(size_note)
        return
    raise UsageError(
        f"{size_note}, are too many to print unasked",
        "--level 2-4 takes some levels, --device toy2 with small blocks a small machine; "
        "--all prints them all",
    )


def _sample(first: int, end: int) -> list[int]:
    """Return some steps from the `first` on, evenly spread."""
    count = min(SAMPLES, end - first)
    return [first + (end - first) * number // count for number in range(count)]


def _pictures_size(show: Steppable, at: int) -> int:
    printer = default_console()
    width, height = printer.size
    number = len(show) - at
    if number * width * height * WIDEST <= MOST:
        return 0
    steps = _sample(at, len(show))
    drawn = sum(len(page(show, step, printer).encode()) for step in steps)
    return drawn * number // len(steps)


def _json_size(show: Any) -> int:
    """JSON is indented, and each step has its lanes on lines of their own."""
    return sum(map(_steps_size, (show.left, show.right) if isinstance(show, Pair) else (show,)))


def _steps_size(trace: LaunchTrace) -> int:
    steps = _sample(0, len(trace))
    drawn = sum(len(json.dumps(trace.step_as_dict(step), indent=6)) for step in steps)
    return drawn * len(trace) // len(steps)
