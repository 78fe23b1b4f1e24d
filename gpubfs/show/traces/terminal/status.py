"""The status line and the line of progress, the last two lines of a terminal."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from gpubfs.show.traces.frames.palette import of_level
from gpubfs.show.traces.terminal.panes.timeline import step_at
from gpubfs.show.traces.terminal.stepping import Stepper

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
#: Hints where there are panes.
PANE_HINTS = ((7, "/ find"), (8, "f alone"), (9, "[] lane"))

#: Keys that hints have arrows for.
ARROWS = {"←": "left", "→": "right", "↑": "up", "↓": "down"}

#: What stands for steps that have been passed, for the one that is shown, and for those to come.
SHAPES, ASCII = "━█─", "=#-"


def status_line(stepper: Stepper, width: int, ascii_only: bool = False) -> Text:
    """Return which step this is, and beside it what is asked for, or to say, or some keys."""
    line = Text(f" step {stepper.at + 1:,} of {len(stepper.show):,}  ", "reverse", no_wrap=True)
    message = _words(stepper)
    hints = (*HINTS, *(PANE_HINTS if stepper.choice.panes else ()))
    room = width - line.cell_len + 2
    line.append_text(Text(message) if message else _hints(hints, room, ascii_only))
    line.truncate(width, overflow="crop" if ascii_only else "ellipsis", pad=True)
    return line


def _words(stepper: Stepper) -> str:
    if stepper.prompt:
        asked = f"{stepper.prompt.text}: {stepper.prompt.typed}_"
        return f"{asked}  (Enter goes, Escape cancels)"
    if stepper.playing:
        return f"playing, {stepper.speed:g} steps a second: + - change it, any key stops"
    return stepper.message


def _hints(known: tuple[tuple[int, str], ...], width: int, ascii_only: bool) -> Text:
    """As many hints as fit, each two blanks after what stands before it."""
    hints = [(rank, _in_ascii(message) if ascii_only else message) for rank, message in known]
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
        hint.append(key, _press(key) if keys == "/" or key != "/" else None)
    return hint.append(f" {what}", _press(keys) if len(keys) == 1 else None)


def _press(key: str) -> Style:
    return Style.from_meta({"@click": f"app.press({ARROWS.get(key, key)!r})"})


def progress_line(stepper: Stepper, width: int, ascii_only: bool = False) -> Text:
    """Return the whole trace in `width` cells, each in the colour of the level of its steps."""
    steps = len(stepper.show)
    line = Text(no_wrap=True)
    for cell in range(width):
        first, after = step_at(cell, width, steps), step_at(cell + 1, width, steps)
        here = first <= stepper.at < max(after, first + 1)
        shape = (ASCII if ascii_only else SHAPES)[1 if here else 2 * (first > stepper.at)]
        line.append(shape, of_level(int(stepper.show.levels[first])))
    return line
