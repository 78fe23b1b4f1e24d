"""Which panes are seen on a terminal of some size, and where; knows of no terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gpubfs.show.traces.terminal.panes.table import KINDS

#: Columns and lines of a terminal from which on there are panes, and not the frame of a step.
LEAST = (60, 14)
#: Cells of a trace from which on its panes stand in two columns, and in three.
TWO, THREE = 100, 160
#: Lines from which on panes in columns are all seen at once, and the timeline stands below them.
TALL = 26
#: Lines from which on a single column has two sheets, and one.
LONG, LONGEST = 34, 64
#: How wide three columns are, compared to each other.
WIDTHS = (5, 4, 3)
#: Cells between columns, of which the first is a line.
BETWEEN = 2
#: The pane that may stand below all others.
TIMELINE = "timeline"

Columns = list[list[str]]


class Shown(NamedTuple):
    """What is shown.

    Attributes
    ----------
    panes : sequence of str
        All panes of a trace.
    chosen : str
        The pane that must be among those that are seen.
    alone : bool
        Whether no other is seen.
    tracks : int
        How many traces stand beside each other.
    lanes : int
        Lanes of a warp.
    vertices : int
        How many vertices the graph's drawing has.
    """

    panes: Sequence[str]
    chosen: str
    alone: bool = False
    tracks: int = 1
    lanes: int = 32
    vertices: int = 0


class Room(NamedTuple):
    """Where the panes of one trace have room, from the first line on."""

    x: int
    width: int
    height: int


class Place(NamedTuple):
    """Where a pane of a trace is, and whether a line stands at its left."""

    pane: str
    track: int
    x: int
    y: int
    width: int
    height: int
    edge: bool


class Arrangement(NamedTuple):
    """All places of panes, and the panes that are seen at the same time."""

    places: list[Place]
    sheets: list[list[str]]


def has_room(width: int, height: int) -> bool:
    """Whether panes have room."""
    return width >= LEAST[0] and height >= LEAST[1]


def sheets_of(panes: Sequence[str], width: int, height: int) -> list[Columns]:
    """Return the sheets, the columns of each, and the panes of each column."""
    if width >= TWO and height >= TALL:
        found = (
            [[["source", "warp"], ["requests", "memory", "counters"], ["graph"]]]
            if width >= THREE
            else [[["source", "warp", "requests"], ["memory", "graph", "counters"]]]
        )
    elif width >= TWO:
        found = [[["source", "warp"], ["requests", "memory"]], [["graph"], ["counters", TIMELINE]]]
    elif height >= LONGEST:
        found = [[["source", "warp", "requests", "memory", "graph", "counters"]]]
    elif height >= LONG:
        found = [[["source", "warp", "requests", "memory"]], [["graph", "counters", TIMELINE]]]
    else:
        found = [[["source", "warp", "requests"]], [["memory", "graph"]], [["counters", TIMELINE]]]
    kept = [[[pane for pane in own if pane in panes] for own in columns] for columns in found]
    return [[own for own in columns if own] for columns in kept if any(columns)]


def arranged(shown: Shown, width: int, height: int) -> Arrangement:
    """Return where the panes of each trace are, in so many columns and lines.

    Parameters
    ----------
    shown : Shown
        What is shown.
    width, height : int
        Columns and lines.
    """
    tracks = shown.tracks
    each = (width - (tracks - 1) * BETWEEN) // tracks
    below = 2 + 2 * tracks if _timeline_below(each, width, height) else 0
    panes = [pane for pane in shown.panes if pane != TIMELINE or not below]
    found = sheets_of(panes, each, height)
    sheets = [[pane for column in columns for pane in column] for columns in found]
    at = next((n for n, sheet in enumerate(sheets) if shown.chosen in sheet), 0)
    columns = [[shown.chosen]] if shown.alone else found[at]
    if below:
        sheets = [[*sheet, TIMELINE] for sheet in sheets]
    below = 0 if shown.alone else below
    places = []
    for track in range(tracks):
        x = track * (each + BETWEEN)
        room = Room(x, width - x if track == tracks - 1 else each, height - below)
        places += _columns(columns, track, shown, room)
    if below:
        places.append(Place(TIMELINE, 0, 0, height - below, width, below, False))
    return Arrangement(places, sheets)


def _timeline_below(each: int, width: int, height: int) -> bool:
    """Whether the timeline stands below all panes."""
    enough = (each >= TWO and height >= TALL) or (width >= TWO and height >= LONG)
    return enough or height >= LONGEST


def _columns(columns: Columns, track: int, shown: Shown, room: Room) -> list[Place]:
    """Return the places of one trace's panes."""
    places, count = [], len(columns)
    for number, column in enumerate(columns):
        begin = room.x + _before(number, count) * room.width // _before(count, count)
        end = room.x + _before(number + 1, count) * room.width // _before(count, count)
        edge, y = bool(begin), 0
        shares = _shares(column, end - begin, room.height, shown)
        for pane, lines in zip(column, shares, strict=True):
            places.append(Place(pane, track, begin, y, end - begin, lines, edge))
            y += lines
    return places


def _before(number: int, count: int) -> int:
    """Return how much of the width the first columns of so many have; the source needs most.

    >>> [_before(number, 3) for number in range(4)], _before(1, 2)
    ([0, 5, 9, 12], 1)
    """
    return sum(WIDTHS[:number]) if count == len(WIDTHS) else number


def _shares(column: list[str], width: int, height: int, shown: Shown) -> list[int]:
    """Return how many lines each pane of a column has; together they have all."""
    kinds = [KINDS[pane] for pane in column]
    most = [_enough(pane, width, shown.lanes) for pane in column]
    shares = [min(kind.least, height // len(column)) for kind in kinds]
    if "graph" in column:
        spare = min(shown.vertices // 4, height // 4, height - sum(shares))
        shares[column.index("graph")] += spare
    for _ in range(height - sum(shares)):
        open_to = [n for n in range(len(column)) if shares[n] < most[n]] or [0]
        chosen = min(open_to, key=lambda n: (shares[n] + 1) / max(kinds[n].weight, 0.1))
        shares[chosen] += 1
    return shares


def _enough(pane: str, width: int, lanes: int) -> int:
    """Return how many lines are enough for a pane."""
    if pane == "warp":  # numbers, states and values of lanes four cells wide, and words below
        return 6 + 3 * -(-lanes * 4 // max(width - 8, 4))
    return KINDS[pane].most
