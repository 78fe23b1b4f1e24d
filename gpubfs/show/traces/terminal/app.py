"""Stepping through a trace as a Textual application: frame, status line and progress."""

from __future__ import annotations

import os
import signal
import textwrap
from collections.abc import Callable
from functools import partial
from typing import Any

from rich.console import Group
from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.timer import Timer
from textual.widget import Widget

from gpubfs.show.traces.frames.palette import of_level
from gpubfs.show.traces.terminal.driver import TerminalDriver, handlers_kept
from gpubfs.show.traces.terminal.stepping import BINDINGS, Stepper

# What a terminal shows of a trace: the frame or the help page, and the status line.


#: The least width and height in which there is anything to see.
LEAST = (40, 10)

#: The status line's hints, each with its rank: what does not fit is left out from the highest on.
HINTS = (
    (2, "←→ step"),
    (3, "↑↓ level"),
    (5, "j line"),
    (6, "w warp"),
    (4, "p play"),
    (0, "? keys"),
    (1, "q quit"),
)

NAMES = {
    " ": "Space",
    "pageup": "PageUp",
    "pagedown": "PageDown",
    "ctrl+c": "Ctrl-C",
    "ctrl+d": "Ctrl-D",
}

#: What the mouse does, for the help page.
MOUSE = (("Wheel", "on and back"), ("Click", "a key, or a step"))

#: Keys that hints have arrows for.
ARROWS = {"←": "left", "→": "right", "↑": "up", "↓": "down"}


def picture(stepper: Stepper, width: int, height: int, columns: int, rows: int) -> list[Text]:
    """Return `height` lines above the status line; the terminal has `columns` and `rows`.

    Lines that are not there are blank.
    """
    if columns < LEAST[0] or rows < LEAST[1]:
        return too_small(columns, rows)
    if stepper.helping:
        return help_page(stepper.show.title, height)
    return stepper.show.frame(stepper.at, width, height)[:height]


def status_line(stepper: Stepper, width: int, ascii_only: bool = False) -> Text:
    """Which step this is, and beside it what is asked for, what is to say, or some keys."""
    line = Text(f" step {stepper.at + 1:,} of {len(stepper.show):,}  ", "reverse", no_wrap=True)
    message = _words(stepper)
    line.append_text(Text(message) if message else _hints(width - line.cell_len + 2, ascii_only))
    line.truncate(width, overflow="crop" if ascii_only else "ellipsis", pad=True)
    return line


def _words(stepper: Stepper) -> str:
    if stepper.prompt:
        asked = f"{stepper.prompt.text}: {stepper.prompt.digits}_"
        return f"{asked}  (Enter goes, Escape cancels)"
    if stepper.playing:
        return f"playing, {stepper.speed:g} steps a second: + - change it, any key stops"
    return stepper.message


def _hints(width: int, ascii_only: bool) -> Text:
    """As many hints as fit, each two blanks after what stands before it."""
    hints = [(rank, _in_ascii(message) if ascii_only else message) for rank, message in HINTS]
    while hints and sum(len(message) + 2 for _, message in hints) > width:
        hints.remove(max(hints))
    return Text("  ").join(_clickable(message) for _, message in hints)


def _in_ascii(message: str) -> str:
    return message.replace("←→", "n/b").replace("↑↓", "N/B")


def _clickable(message: str) -> Text:
    """Return a hint, a click on which does what its key does: of several keys, on the key."""
    keys, _, what = message.partition(" ")
    hint = Text()
    for key in keys:
        hint.append(key, _press(key) if key != "/" else None)
    return hint.append(f" {what}", _press(keys) if len(keys) == 1 else None)


def _press(key: str) -> Style:
    return Style.from_meta({"@click": f"app.press({ARROWS.get(key, key)!r})"})


def help_page(title: str, height: int) -> list[Text]:
    """All keys and what the mouse does, as far as they fit."""
    rows = [(" ".join(map(_shown, binding.keys)), binding.text) for binding in BINDINGS]
    rows += MOUSE
    widest = max(len(keys) for keys, _ in rows)
    lines = [Text.assemble((keys.ljust(widest), "bold"), f"  {message}") for keys, message in rows]
    lines = [Text(title, style="bold"), Text(), *lines, Text(), Text("Any key closes this page.")]
    if len(lines) > height:
        lines[height - 1 :] = [Text("A taller terminal shows more keys.")]
    return lines


def _shown(key: str) -> str:
    return NAMES.get(key) or (key.capitalize() if len(key) > 1 else key)


def too_small(width: int, height: int) -> list[Text]:
    """Words instead of a picture, as many as fit."""
    least = "{} by {}".format(*LEAST)
    message = f"Too small: {width} by {height} characters, and a trace takes {least}. q quits."
    return [Text(line) for line in textwrap.wrap(message, width)[:height]]


# The line of progress: a cell for some steps each, in the colour of their level.


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


# The Textual application that shows a trace and hands keys and the mouse to a `Stepper`.


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
