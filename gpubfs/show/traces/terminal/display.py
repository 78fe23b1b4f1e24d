"""What a terminal shows of a trace: the frame or the help page, and the status line."""

from __future__ import annotations

import textwrap

from rich.style import Style
from rich.text import Text

from gpubfs.show.traces.terminal.stepping import BINDINGS, Stepper

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
