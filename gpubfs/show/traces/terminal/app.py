"""Stepping through a trace as a Textual application: panes, status line and progress."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import partial
from typing import Any

from rich.console import Group
from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.timer import Timer
from textual.widget import Widget

from gpubfs.show.traces.terminal.arrangement import has_room
from gpubfs.show.traces.terminal.board import Board, Seekable, Sought
from gpubfs.show.traces.terminal.driver import TerminalDriver, handlers_kept
from gpubfs.show.traces.terminal.gallery import Panes
from gpubfs.show.traces.terminal.legend import LEAST, help_page, too_small
from gpubfs.show.traces.terminal.panes.ascii import in_ascii
from gpubfs.show.traces.terminal.status import progress_line, status_line
from gpubfs.show.traces.terminal.stepping import Stepper

#: Rows of a terminal from which on one of them is the line of progress.
TALL = 20

#: Other keys that send what one of ours does.
SAME = {"ctrl+j": "enter"}


def picture(stepper: Stepper, width: int, height: int, columns: int, rows: int) -> list[Text]:
    """Return `height` lines above the status line; the terminal has `columns` and `rows`.

    Lines that are not there are blank.
    """
    if columns < LEAST[0] or rows < LEAST[1]:
        return too_small(columns, rows)
    if stepper.helping:
        return help_page(stepper, width, height)
    return stepper.show.frame(stepper.at, width, height)[:height]


def run(stepper: Stepper, ascii_only: bool = False) -> None:
    """Step through a trace until somebody quits; what fails meanwhile is raised afterwards.

    Raises
    ------
    SystemExit
        If a signal ended it, with the exit code that a shell gives for it.
    """
    app = SteppingApp(stepper, ascii_only)
    with handlers_kept():
        failure = app.run()
    if failure is not None:
        raise failure
    if app.return_code:
        raise SystemExit(app.return_code)


class SteppingApp(App[Exception], inherit_bindings=False):
    """Panes, the line of progress below them, and the status line with keys to click.

    Where panes have no room, and of what has only pictures, there is a picture instead.

    Parameters
    ----------
    stepper : Stepper
        Where somebody stands in a trace.
    ascii_only : bool
        Whether the terminal has only the characters of ASCII.
    """

    CSS = """
    Picture { height: 1fr; }
    Progress, Status { height: 1; }
    Progress { display: none; }
    .-tall Progress { display: block; }
    .-narrow Progress, .-narrow Status, .-low Status { display: none; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (LEAST[0], "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (LEAST[1], "-high"), (TALL, "-tall")]  # noqa: RUF012
    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False

    def __init__(self, stepper: Stepper, ascii_only: bool = False) -> None:
        # The terminal's own colours, which fit its background, be it light or dark.
        super().__init__(driver_class=TerminalDriver, ansi_color=True)
        self.stepper = stepper
        self.ascii_only = ascii_only
        self._due: Timer | None = None
        self._panes = Panes(stepper, ascii_only) if len(stepper.show.tracks) else None

    def compose(self) -> ComposeResult:
        """Yield the parts, from the top to the bottom; of the first two one is seen."""
        yield Picture()
        if self._panes is not None:
            yield Board(self._panes)
        yield Progress()
        yield Status()

    def on_mount(self) -> None:
        """Draw anew when the terminal has been somebody else's."""
        self.app_resume_signal.subscribe(self, lambda _: self.refresh(layout=True))
        self._choose_part()

    def on_resize(self, event: events.Resize) -> None:
        """Show panes where they have room."""
        self._choose_part(event.size.width, event.size.height)

    def _choose_part(self, *size: int) -> None:
        """Show either the panes or the picture."""
        columns, rows = size or self.size
        seen = self._panes is not None and not self.stepper.helping and has_room(columns, rows)
        for board in self.query(Board):
            board.display = seen
        for shown in self.query(Picture):
            shown.display = not seen

    def on_sought(self, message: Sought) -> None:
        """Go to a step that has been pointed at."""
        self.stepper.go_to(message.at)
        self.show_state()

    def action_step(self, at: int) -> None:
        """Go to a step that has been named and clicked."""
        self.stepper.go_to(at)
        self.show_state()

    def action_line(self, track: int, line: int) -> None:
        """Go to the next step at a line that has been clicked."""
        self.attempt(partial(self.stepper.point_at, line, track))
        self.show_state()

    def action_lane(self, lane: int) -> None:
        """Describe a lane that has been clicked."""
        self.stepper.choice.lane = lane
        self.show_state()

    def action_pane(self, pane: str) -> None:
        """Choose a pane that has been clicked."""
        self.stepper.choice.chosen = pane
        self.show_state()

    def on_key(self, event: events.Key) -> None:
        """Press a key, unless it stops this program as the terminal otherwise does."""
        event.prevent_default()
        if event.key == "ctrl+z":
            os.kill(0, signal.SIGTSTP)
        else:
            self.action_press(name(event))

    def on_mouse_scroll_down(self) -> None:
        """Step on."""
        self.action_press("right")

    def on_mouse_scroll_up(self) -> None:
        """Step back."""
        self.action_press("left")

    def action_press(self, key: str) -> None:
        """Do what a key does."""
        self.attempt(partial(self.stepper.press, key))
        self.show_state()

    def show_state(self) -> None:
        """Draw what has changed, leave if that is wanted, and let time pass while it plays."""
        self._choose_part()
        for part in self.screen.children:
            if isinstance(part, Board):
                part.show_state()
            else:
                part.refresh()
        if self.stepper.over:
            self.exit()
        if self._due:
            self._due.stop()
        delay = self.stepper.delay
        self._due = self.set_timer(delay, self._tick) if delay else None

    def _tick(self) -> None:
        self.attempt(self.stepper.tick)
        self.show_state()

    def attempt(self, act: Callable[[], Any]) -> Any:
        """Do something, or else leave with what went wrong; returns what it returns."""
        try:
            return act()
        except Exception as error:
            self.exit(error)
            return None


def name(event: events.Key) -> str:
    """Name a key as `Stepper` does: a printable character as it is, others by their names."""
    typed = event.character if event.is_printable and "+" not in event.key else None
    return typed or SAME.get(event.key, event.key)


class Part(Widget):
    """A part of the screen."""

    @property
    def stepping(self) -> SteppingApp:
        """The application, which knows where somebody stands."""
        assert isinstance(self.app, SteppingApp)
        return self.app


class Picture(Part):
    """The frame of a step, the help page, or words on a terminal that is too small."""

    def render(self) -> Group:
        """Return the lines, which are drawn once for all keys that came since the last time."""
        app = self.stepping
        lines = app.attempt(partial(picture, app.stepper, *self.size, *app.size)) or []
        return Group(*map(in_ascii, lines) if app.ascii_only else lines)


class Progress(Part, Seekable):
    """Where in the trace somebody is; a click leads elsewhere."""

    def render(self) -> Group:
        """Return a cell for some steps each."""
        app = self.stepping
        return Group(progress_line(app.stepper, self.size.width, app.ascii_only))

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return len(self.stepping.stepper.show)


class Status(Part):
    """The status line, whose keys can be clicked."""

    def render(self) -> Group:
        """Return the line, as wide as the terminal."""
        app = self.stepping
        return Group(status_line(app.stepper, self.size.width, app.ascii_only))
