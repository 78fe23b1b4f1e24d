"""How things look in traces: a shape and a colour each, so that neither is needed alone."""

from __future__ import annotations

from typing import NamedTuple

from rich.text import Text

from simulator.observe.trace import ACTIVE, ENDED, MASKED, NOBODY, WAITING


class Look(NamedTuple):
    """One character and its style."""

    shape: str
    style: str


#: What lanes do.
LANES = {
    ACTIVE: Look("■", "bold green"),
    MASKED: Look("□", "yellow"),
    WAITING: Look("▲", "magenta"),
    ENDED: Look("·", "dim"),
    NOBODY: Look(" ", ""),
}
WORDS = {
    ACTIVE: "active",
    MASKED: "masked",
    WAITING: "waiting at a barrier",
    ENDED: "returned",
    NOBODY: "no thread",
}

#: Levels in turn.
LEVELS = ("cyan", "green", "yellow", "magenta", "blue", "red")
UNVISITED = "dim"

RULE, HERE, TOUCHED, CHANGED, WEAK = "dim", "bold", "reverse", "bold reverse", "dim"
#: What goes wrong.
WRONG = "bold red"


def of_level(level: int) -> str:
    """Return the colour of a level; -1 is not visited.

    >>> of_level(0), of_level(6), of_level(-1)
    ('cyan', 'cyan', 'dim')
    """
    return LEVELS[level % len(LEVELS)] if level >= 0 else UNVISITED


def styled(text: str, style: str) -> Text:
    """Return the beginning of a line; what is appended has a style of its own."""
    return Text().append(text, style)


def cut(line: Text, width: int) -> Text:
    """Return the line, shortened to `width` cells with an ellipsis if it is longer.

    >>> cut(Text("abcdef"), 4).plain
    'abc…'
    """
    if line.cell_len > width:
        line = line.copy()
        line.truncate(max(width, 0), overflow="ellipsis")
    return line


def rule(title: str, width: int, right: str = "") -> Text:
    """Return a heading that begins a part of a frame.

    >>> rule("memory", 20).plain
    '── memory ──────────'
    """
    line = styled("── ", RULE).append(title, "bold").append(" ")
    room = width - line.cell_len - (len(right) + 1 if right else 0)
    if room < 1:
        return cut(line, width)
    line.append("─" * room, RULE)
    return line.append(f" {right}" if right else "", WEAK)
