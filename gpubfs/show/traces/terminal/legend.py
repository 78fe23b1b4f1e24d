"""The help page: all keys, what the mouse does, and what the signs in panes mean."""

from __future__ import annotations

import textwrap

from rich.text import Text

from gpubfs.show.traces.frames.palette import LANES, WORDS
from gpubfs.show.traces.terminal.panes.graph import ALONG
from gpubfs.show.traces.terminal.panes.strips import BETWEEN, END
from gpubfs.show.traces.terminal.stepping import BINDINGS, PANE_BINDINGS, Binding, Stepper
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
    ("?", "value never written"),
    ("↑3", "lanes that go to an element"),
    (f"{BETWEEN} {END}", "between sectors, queue's end"),
    ("▕·2▏", "sector: lanes at each element"),
    ("7:2 7:·", "vertex 7: level 2, unvisited"),
    ("[7:2]", "vertex of the frontier"),
    (ALONG * 3, "edge that is looked along"),
)

#: Cells between columns.
GAP = 2

Row = tuple[str, str]


def help_page(stepper: Stepper, width: int, height: int) -> list[Text]:
    """Return all keys, what the mouse does, and what signs in panes mean, as far as they fit."""
    title = Text(stepper.show.title, style="bold")
    if stepper.choice.panes:
        rows = [*_keys((*BINDINGS, *PANE_BINDINGS)), *MOUSE, *PANE_MOUSE, *SIGNS]
        whole = [
            title.append("   Any key closes this page.", "not bold"),
            *_columns(rows, width, height - 1),
        ]
    else:
        lines = _lines([*_keys(BINDINGS), *MOUSE])
        whole = [title, Text(), *lines, Text(), Text("Any key closes this page.")]
    if len(whole) > height:
        whole[height - 1 :] = [Text("A taller terminal shows more keys.")]
    return whole


def _keys(bindings: tuple[Binding, ...]) -> list[Row]:
    """Return a row for each binding, but for those that belong to the one before."""
    rows: list[Row] = []
    for binding in bindings:
        keys = " ".join(map(_shown, binding.keys))
        if binding.text:
            rows.append((keys, binding.text))
        else:
            rows[-1] = f"{rows[-1][0]} {keys}", rows[-1][1]
    return rows


def _lines(rows: list[Row]) -> list[Text]:
    """Return a line for each row, what is explained at its left."""
    widest = max(len(keys) for keys, _ in rows)
    return [Text.assemble((keys.ljust(widest), "bold"), f"  {message}") for keys, message in rows]


def _columns(rows: list[Row], width: int, height: int) -> list[Text]:
    """Return rows in as few columns as make them fit a height, if these have room."""
    count = max(-(-len(rows) // max(height, 1)), 1)
    most = -(-len(rows) // count)
    columns = [_lines(rows[at : at + most]) for at in range(0, len(rows), most)]
    widths = [max(line.cell_len for line in column) for column in columns]
    if sum(widths) + GAP * (count - 1) > width:
        return _lines(rows)
    lines = [Text() for _ in range(most)]
    begin = 0
    for column, wide in zip(columns, widths, strict=True):
        for line, part in zip(lines, column, strict=False):
            line.append(" " * (begin - line.cell_len)).append_text(part)
        begin += wide + GAP
    return lines


def _shown(key: str) -> str:
    return NAMES.get(key) or (key.capitalize() if len(key) > 1 else key)


def too_small(width: int, height: int) -> list[Text]:
    """Words instead of a picture, as many as fit."""
    least = "{} by {}".format(*LEAST)
    message = f"Too small: {width} by {height} characters, and a trace takes {least}. q quits."
    return [Text(line) for line in textwrap.wrap(message, width)[:height]]
