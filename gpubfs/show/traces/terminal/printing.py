"""Frames one after another, for pipes, files and terminals that can only print."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import suppress

from rich.console import Console
from rich.text import Text

from gpubfs.show.traces.steppable import Steppable

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
