"""A trace on a terminal: stepped through, or printed frame by frame, and how long that is."""

from __future__ import annotations

import io
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from rich.console import Console
from rich.text import Text

from gpubfs.errors import UsageError
from gpubfs.show.traces.pair import Pair
from gpubfs.show.traces.steppable import Steppable, opening
from gpubfs.show.traces.terminal.stepping import Stepper
from gpubfs.show.traces.trace import LaunchTrace

# Frames one after another, for pipes, files and terminals that can only print.


#: Columns and lines of a frame where neither a terminal nor COLUMNS and LINES say so.
WIDTH, HEIGHT = 80, 24


def print_frames(show: Steppable, at: int = 0, console: Console | None = None) -> None:
    """Print frames, from one on, each below a line that counts it, until the reader has gone.

    Parameters
    ----------
    show : Steppable
        What to print.
    at : int
        The step to begin with.
    console : rich.console.Console, optional
        Where to, and how large frames are; by default standard output, with the terminal's size or
        else that of COLUMNS and LINES, or 80 by 24.
    """
    printer = console or default_console()
    try:
        for number, step in enumerate(_steps(show, at)):
            printer.file.write(("\n" if number else "") + page(show, step, printer))
            printer.file.flush()  # here, since rich ends the program if its own flush fails
    except BrokenPipeError:
        _drop_output(printer)


def default_console() -> Console:
    """Return a console on standard output, as wide and high as its frames are."""
    if sys.stdout.isatty():
        return Console()
    return Console(width=_number("COLUMNS", WIDTH), height=_number("LINES", HEIGHT))


def plain_console() -> Console:
    """Return a console for text without colours, as wide and high as its frames are."""
    width, height = default_console().size
    return Console(width=width, height=height, no_color=True, color_system=None)


def _number(variable: str, otherwise: int) -> int:
    value = os.environ.get(variable, "")
    return int(value) if value.isdecimal() and int(value) > 0 else otherwise


def _steps(show: Steppable, at: int) -> Iterator[int]:
    """Yield the steps that somebody passes on the way from one to the last."""
    before = -1
    while at != before:
        yield at
        at, before = show.onward(at), at


def page(show: Steppable, at: int, console: Console) -> str:
    """Return a frame below the line that counts it."""
    width, height = console.size
    lines = show.frame(at, width, height)[:height]
    with console.capture() as page:
        console.print(Text(f"step {at + 1:,} of {len(show):,}", style="bold"))
        for line in lines:
            console.print(line, no_wrap=True, overflow="ignore")
    return page.get()


def _drop_output(console: Console) -> None:
    """Drop what is still to be flushed: it has nowhere to go."""
    with suppress(io.UnsupportedOperation):
        os.dup2(os.open(os.devnull, os.O_WRONLY), console.file.fileno())


# How long what is printed of a trace will be, and whether that is asked for.


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


# Whether one can step through a trace here: on a terminal, and else its frames are printed.


def step_through(show: Steppable, at: int = 0) -> None:
    """Let somebody step through a trace on the terminal until they quit.

    The terminal is afterwards as it was before, whatever happens. Where there is no terminal that
    gives single keys and moves its cursor, the frames are printed instead.

    Parameters
    ----------
    show : Steppable
        What to step through.
    at : int
        The step to begin with.

    See Also
    --------
    gpubfs.show.traces.terminal.session.print_frames : For pipes and files.
    """
    console = Console()
    if not can_step_through(console):
        print_frames(show, at)
        return
    message = opening(show, at, "Home leads to the first step")
    # Here, since Textual takes 0.2 s to import, which nobody needs who prints.
    from gpubfs.show.traces.terminal.app import run

    run(Stepper(show, at, message), console.options.ascii_only)


def can_step_through(console: Console) -> bool:
    """Whether keys can be read, and drawing is more than printing lines."""
    draws = console.file.isatty() and console.is_terminal and not console.is_dumb_terminal
    return draws and can_read_keys()


def can_read_keys() -> bool:
    """Whether single keys can be read from standard input.

    That takes a POSIX terminal, and the main thread, which alone is told of signals.
    """
    here = threading.current_thread() is threading.main_thread()
    try:
        return os.name == "posix" and here and os.isatty(sys.stdin.fileno())
    except (AttributeError, OSError, ValueError):  # there is none, or it is not a file
        return False
