"""The help page: all keys, what the mouse does, and what the signs in panes mean."""

from __future__ import annotations

import textwrap

from rich.text import Text

from gpubfs.show.traces.frames.palette import LANES, WORDS
from gpubfs.show.traces.terminal.panes.graph import ALONG
from gpubfs.show.traces.terminal.panes.strips import BETWEEN, END
from gpubfs.show.traces.terminal.stepping import BINDINGS, PANE_BINDINGS, Stepper
from simulator.observe.trace import ACTIVE, ENDED, MASKED, WAITING

#: The least width and height in which there is anything to see.
LEAST = (40, 10)

NAMES = {
    " ": "Space",
    "pageup": "PageUp",
    "pagedown": "PageDown",
    "ctrl+c": "Ctrl-C",
    "ctrl+d": "Ctrl-D",
    "tab": "Tab",
    "shift+tab": "Shift-Tab",
}

#: What the mouse does, for the help page.
MOUSE = (("Wheel", "on and back"), ("Click", "a key, or a step"))
PANE_MOUSE = (("Click", "a line: next step there"), ("Click", "a lane, a pane, the timeline"))

#: What signs in panes mean.
SIGNS = (
    *((LANES[state].shape, f"lane: {WORDS[state]}") for state in (ACTIVE, MASKED, WAITING, ENDED)),
    ("▶", "line that is executed"),
    ("▃ 12", "sectors that a line moved"),
    ("2×", "how often a line ran"),
    ("› * +", "read; written; by other warps"),
    ("?", "element never written"),
    ("↑3", "lanes that go to an element"),
    (f"{BETWEEN} {END}", "between sectors; queue's end"),
    ("▕·2▏", "sector: lanes at each element"),
    ("7:2 7:·", "vertex 7: level 2; not visited"),
    ("[7:2]", "vertex of the frontier"),
    (ALONG * 3, "edge that is looked along"),
)

#: Cells between columns.
GAP = 3

Row = tuple[str, str]


def help_page(stepper: Stepper, width: int, height: int) -> list[Text]:
    """All keys, what the mouse does and where there are panes what signs mean, as far as they fit."""
    panes = bool(stepper.choice.panes)
    bindings = (*BINDINGS, *(PANE_BINDINGS if panes else ()))
    rows = [(" ".join(map(_shown, binding.keys)), binding.text) for binding in bindings]
    lines = _lines([*rows, *MOUSE, *(PANE_MOUSE if panes else ())])
    if panes:
        lines = _columns([lines, _lines(list(SIGNS))], width, height - 4)
    whole = [Text(stepper.show.title, style="bold"), Text(), *lines, Text()]
    whole.append(Text("Any key closes this page."))
    if len(whole) > height:
        whole[height - 1 :] = [Text("A taller terminal shows more keys.")]
    return whole


def _lines(rows: list[Row]) -> list[Text]:
    """Return a line for each row, what is explained at its left."""
    widest = max(len(keys) for keys, _ in rows)
    return [Text.assemble((keys.ljust(widest), "bold"), f"  {message}") for keys, message in rows]


def _columns(groups: list[list[Text]], width: int, height: int) -> list[Text]:
    """Return groups beside each other, cut into columns that are as high, if these have room."""
    most = max(height, 1)
    columns = [own[at : at + most] for own in groups for at in range(0, len(own), most)]
    widths = [max(line.cell_len for line in column) for column in columns]
    if sum(widths) + GAP * (len(widths) - 1) > width:
        return [line for group in groups for line in group]
    lines = []
    for number in range(max(map(len, columns))):
        line = Text()
        for column, wide in zip(columns, widths, strict=True):
            line.append_text(column[number] if number < len(column) else Text())
            begin = sum(widths[: columns.index(column) + 1]) + GAP * (columns.index(column) + 1)
            line.append(" " * (begin - line.cell_len))
        line.rstrip()
        lines.append(line)
    return lines


def _shown(key: str) -> str:
    return NAMES.get(key) or (key.capitalize() if len(key) > 1 else key)


def too_small(width: int, height: int) -> list[Text]:
    """Words instead of a picture, as many as fit."""
    least = "{} by {}".format(*LEAST)
    message = f"Too small: {width} by {height} characters, and a trace takes {least}. q quits."
    return [Text(line) for line in textwrap.wrap(message, width)[:height]]
