"""A frame: its parts one below the other, each with as many lines as there are for it."""

from __future__ import annotations

from rich.text import Text

from gpubfs.show.traces.frames.arrays import MOST, arrays, wanted
from gpubfs.show.traces.frames.figures import heading, totals
from gpubfs.show.traces.frames.lanes import lanes
from gpubfs.show.traces.frames.levels import levels
from gpubfs.show.traces.frames.memory import memory
from gpubfs.show.traces.frames.palette import RULE, cut
from gpubfs.show.traces.frames.scene import Scene
from gpubfs.show.traces.frames.source import source

#: Lines that the source has at least and, where there is room, at most.
FEW, MANY = 4, 24
#: Lines for memory and graph from which on an array may have several.
SPACIOUS = 20
#: Columns from which on memory and graph stand beside the source and the warp.
WIDE = 150


def frame(scene: Scene, width: int, height: int) -> list[Text]:
    """Return the picture of a step in at most `height` lines of at most `width` cells."""
    room = max(height - 2, 0)
    if width < WIDE:
        below = _data(scene, width, room // 2)
        parts = [*_code(scene, width, room - len(below)), *below]
    else:
        left = width * 11 // 20
        parts = beside(_code(scene, left, room), _data(scene, width - left - 3, room), left)
    rows = [heading(scene, width), *parts[:room], totals(scene, width)][:height]
    return [cut(row, width) for row in rows]  # no lane has room in the narrowest


def _code(scene: Scene, width: int, room: int) -> list[Text]:
    """Return the source, the warp and what it asks of memory."""
    warp = lanes(scene, width, max(min(room - FEW, max(7, room // 4)), 3))
    rest = room - len(warp)
    asked = memory(scene, width, max(rest // 2, min(2 * len(scene.accesses), rest - 3), 2))
    text = source(scene, width, max(min(room - len(warp) - len(asked), MANY), 2))
    return [*text, *warp, *asked]


def _data(scene: Scene, width: int, room: int) -> list[Text]:
    """Return the arrays and the graph."""
    most = MOST if room >= SPACIOUS else 1
    own = arrays(scene, width, max(min(wanted(scene, width, most), room - 2), 3))
    return [*own, *levels(scene, width, max(room - len(own), 2))]


def beside(left: list[Text], right: list[Text], width: int) -> list[Text]:
    """Lines beside others; the left ones have `width` cells."""
    rows = []
    for at in range(max(len(left), len(right))):
        row = left[at].copy() if at < len(left) else Text()
        row.append(" " * (width - row.cell_len)).append(" │ ", RULE)
        rows.append(row.append_text(right[at]) if at < len(right) else row)
    return rows
