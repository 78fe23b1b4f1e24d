"""The Textual application that shows a trace and hands keys and the mouse to a `Stepper`."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import partial
from typing import Any

from rich.console import Group
from textual import events
from textual.app import App, ComposeResult
from textual.timer import Timer
from textual.widget import Widget

from gpubfs.show.traces.terminal.display import LEAST, picture, status_line
from gpubfs.show.traces.terminal.driver import TerminalDriver, handlers_kept
from gpubfs.show.traces.terminal.progress import progress_line, step_at
from gpubfs.show.traces.terminal.stepping import Stepper

#: Rows of a terminal from which on one of them is the line of progress.
TALL = 20

#: Other keys that send what one of ours does.
SAME = {"ctrl+j": "enter"}


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
    """A picture, the line of progress below it, and the status line with keys to click.

    Parameters
    ----------
    stepper : Stepper
        Where somebody stands in a trace.
    ascii_only : bool
        Whether the terminal has no arrows.
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

    def compose(self) -> ComposeResult:
        """Yield the three parts, from the top to the bottom."""
        yield Picture()
        yield Progress()
        yield Status()

    def on_mount(self) -> None:
        """Draw anew when the terminal has been somebody else's."""
        self.app_resume_signal.subscribe(self, lambda _: self.refresh(layout=True))

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
        for part in self.screen.children:
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
        lines = app.attempt(partial(picture, app.stepper, *self.size, *app.size))
        return Group(*lines or [])


class Progress(Part):
    """Where in the trace somebody is; a click leads elsewhere."""

    def render(self) -> Group:
        """Return a cell for some steps each."""
        app = self.stepping
        return Group(progress_line(app.stepper, self.size.width, app.ascii_only))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Go to the step of a cell, and follow the mouse until its button is released."""
        self.capture_mouse()
        self._go(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Go to the step below the mouse while its button is held."""
        if self.app.mouse_captured is self:
            self._go(event)

    def on_mouse_up(self) -> None:
        """Let go."""
        self.release_mouse()

    def _go(self, event: events.MouseEvent) -> None:
        stepper = self.stepping.stepper
        cell = min(max(event.x, 0), self.size.width - 1)
        stepper.go_to(step_at(cell, self.size.width, len(stepper.show)))
        self.stepping.show_state()


class Status(Part):
    """The status line, whose keys can be clicked."""

    def render(self) -> Group:
        """Return the line, as wide as the terminal."""
        app = self.stepping
        return Group(status_line(app.stepper, self.size.width, app.ascii_only))
