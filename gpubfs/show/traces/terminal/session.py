"""Whether one can step through a trace here: on a terminal, and else its frames are printed."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING

from rich.console import Console

from gpubfs.show.traces.terminal.printing import print_frames
from gpubfs.show.traces.terminal.stepping import Stepper

if TYPE_CHECKING:
    from gpubfs.show.traces.steppable import Steppable


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
    gpubfs.show.traces.terminal.printing.print_frames : For pipes and files.
    """
    console = Console()
    if not can_step_through(console):
        print_frames(show, at)
        return
    # Here, since Textual takes 0.2 s to import, which nobody needs who prints.
    from gpubfs.show.traces.terminal.app import run

    run(Stepper(show, at), console.options.ascii_only)


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
