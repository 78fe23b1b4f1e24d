"""Stepping through a trace on a terminal: the screen, and the loop from a key to a picture."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any

from rich.console import Console
from rich.control import Control
from rich.segment import ControlType, Segment, Segments
from rich.text import Text

from gpubfs.show.traces.steppable import Steppable
from gpubfs.show.traces.terminal.display import picture
from gpubfs.show.traces.terminal.keys import Keys, can_read_keys
from gpubfs.show.traces.terminal.printing import print_frames
from gpubfs.show.traces.terminal.signals import CONTINUED, RESIZED, SUSPEND
from gpubfs.show.traces.terminal.stepping import Stepper

#: Erases the rest of a row.
ERASE = Control((ControlType.ERASE_IN_LINE, 0))


def step_through(show: Steppable, at: int = 0, console: Console | None = None) -> None:
    """Let somebody step through a trace on the terminal until they quit.

    The terminal is afterwards as it was before, whatever happens. Where there is no terminal that
    gives single keys and moves its cursor, the frames are printed instead.

    Parameters
    ----------
    show : Steppable
        What to step through.
    at : int
        The step to begin with.
    console : rich.console.Console, optional
        The terminal; by default the one on standard output.

    See Also
    --------
    gpubfs.show.traces.terminal.printing.print_frames : For pipes and files.
    """
    terminal = console or Console()
    if not can_step_through(terminal):
        print_frames(show, at, console)
        return
    with suppress(KeyboardInterrupt), Keys(sys.stdin.fileno()) as keys, Screen(terminal) as screen:
        _loop(Stepper(show, at), keys, screen)


def can_step_through(console: Console) -> bool:
    """Whether keys can be read, and drawing is more than printing lines."""
    draws = console.file.isatty() and console.is_terminal and not console.is_dumb_terminal
    return draws and can_read_keys()


def _loop(stepper: Stepper, keys: Keys, screen: Screen) -> None:
    while not stepper.over:
        if not keys.waiting():  # else the next picture would be late
            size = screen.size
            screen.draw(picture(stepper, *size, screen.ascii_only), size)
        key = keys.read(stepper.delay)
        if not key:
            stepper.tick()
        elif key == SUSPEND:
            screen.leave()
            keys.stop()
            screen.enter()
        elif key == CONTINUED:  # whoever had the terminal meanwhile has changed it
            keys.take()
            screen.enter()
        elif key != RESIZED:
            stepper.press(key)


class Screen:
    """The alternate screen of a terminal, without a cursor; a context that leaves it again."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._drawn = (0, 0)

    def __enter__(self) -> Screen:
        try:
            self.enter()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exception: Any) -> None:
        with suppress(OSError):  # the terminal may be gone
            self.leave()

    def enter(self) -> None:
        """Show an empty screen."""
        self._drawn = (0, 0)
        self._console.set_alt_screen(True)
        self._console.show_cursor(False)

    def leave(self) -> None:
        """Show what was there before."""
        self._console.show_cursor(True)
        self._console.set_alt_screen(False)

    @property
    def ascii_only(self) -> bool:
        """Whether the terminal has no arrows."""
        return self._console.options.ascii_only

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows at this moment, whatever the environment says."""
        columns, rows = os.get_terminal_size(self._console.file.fileno())
        return columns or self._console.width, rows or self._console.height

    def draw(self, lines: list[Text], size: tuple[int, int]) -> None:
        """Draw the lines for a screen of this size at once, over what was drawn before."""
        segments = [] if size == self._drawn else [Control.clear().segment]
        self._drawn = size
        for row, line in enumerate(lines):
            segments += [Control.move_to(0, row).segment, *self._row(line, size[0])]
        self._console.print(Segments(segments), end="", crop=False)

    def _row(self, line: Text, width: int) -> list[Segment]:
        """One line, cut to the width, and what erases the rest of its row."""
        options = self._console.options.update(width=width, no_wrap=True, overflow="ignore")
        row = self._console.render_lines(line, options, pad=False)[0]
        # Behind a full row the cursor is still on the last character, which would be erased.
        full = Segment.get_line_length(row) >= width
        return row if full else [*row, ERASE.segment]
