"""What a terminal shows of a trace: the frame or the help page, and the status line below it."""

from __future__ import annotations

import textwrap

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
    "page up": "PageUp",
    "page down": "PageDown",
    "ctrl-c": "Ctrl-C",
    "ctrl-d": "Ctrl-D",
}


def picture(stepper: Stepper, width: int, height: int, ascii_only: bool = False) -> list[Text]:
    """All lines of a terminal of this size, the status line last."""
    if width < LEAST[0] or height < LEAST[1]:
        return too_small(width, height)
    room = height - 1
    if stepper.helping:
        lines = help_page(stepper.show.title, room)
    else:
        lines = stepper.show.frame(stepper.at, width, room)[:room]
    blank = [Text() for _ in range(room - len(lines))]
    return [*lines, *blank, status_line(stepper, width, ascii_only)]


def status_line(stepper: Stepper, width: int, ascii_only: bool = False) -> Text:
    """Which step this is, and beside it what is asked for, what is to say, or some keys."""
    step = f" step {stepper.at + 1:,} of {len(stepper.show):,}"
    words = _words(stepper) or _hints(width - len(step), ascii_only)
    line = Text(f"{step}  {words}", style="reverse", no_wrap=True)
    line.truncate(width, overflow="crop" if ascii_only else "ellipsis", pad=True)
    return line


def _words(stepper: Stepper) -> str:
    if stepper.prompt:
        asked = f"{stepper.prompt.words}: {stepper.prompt.digits}_"
        return f"{asked}  (Enter goes, Escape cancels)"
    if stepper.playing:
        return f"playing, {stepper.speed:g} steps a second: + - change it, any key stops"
    return stepper.message


def _hints(width: int, ascii_only: bool) -> str:
    """As many hints as fit, each two blanks after what stands before it."""
    hints = [(rank, _in_ascii(words) if ascii_only else words) for rank, words in HINTS]
    while hints and sum(len(words) + 2 for _, words in hints) > width:
        hints.remove(max(hints))
    return "  ".join(words for _, words in hints)


def _in_ascii(words: str) -> str:
    return words.replace("←→", "n/b").replace("↑↓", "N/B")


def help_page(title: str, height: int) -> list[Text]:
    """All keys, as far as they fit."""
    rows = [(" ".join(map(_shown, binding.keys)), binding.words) for binding in BINDINGS]
    widest = max(len(keys) for keys, _ in rows)
    lines = [Text.assemble((keys.ljust(widest), "bold"), f"  {words}") for keys, words in rows]
    lines = [Text(title, style="bold"), Text(), *lines, Text(), Text("Any key closes this page.")]
    if len(lines) > height:
        lines[height - 1 :] = [Text("A taller terminal shows more keys.")]
    return lines


def _shown(key: str) -> str:
    return NAMES.get(key) or (key.capitalize() if len(key) > 1 else key)


def too_small(width: int, height: int) -> list[Text]:
    """Words instead of a picture, as many as fit."""
    least = "{} by {}".format(*LEAST)
    words = f"Too small: {width} by {height} characters, and a trace takes {least}. q quits."
    return [Text(line) for line in textwrap.wrap(words, width)[:height]]
