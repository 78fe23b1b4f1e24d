"""The pane of memory: arrays and queues as cells, with pointers to what the warp's lanes touch."""

from __future__ import annotations

from rich.text import Text

from gpubfs.show.traces.frames.accessed import strips_of
from gpubfs.show.traces.frames.arrays import (
    element,
    mark_of,
    marks_of,
    order_of,
    touch_of,
    touched_bytes,
)
from gpubfs.show.traces.frames.lanes import shown
from gpubfs.show.traces.frames.palette import WEAK, styled
from gpubfs.show.traces.terminal.panes.flow import flow
from gpubfs.show.traces.terminal.panes.moment import Content, Moment
from gpubfs.show.traces.terminal.panes.strips import Row, Shelf, Touched

#: Lines that an array has at most before all others have theirs.
FAIR = 3


def memory(moment: Moment, width: int, height: int) -> Content:
    """Return the arrays, the status array first and then those that matter most now."""
    scene = moment.scene
    touched = touched_bytes(scene)
    strips = sorted(strips_of(scene), key=lambda strip: order_of(strip, touched))
    found = [Touched(strip, marks_of(strip, touched), scene) for strip in strips]
    single = _singles([one for one in found if one.strip.values.size == 1], moment, width)
    rows = [Row(one) for one in found if one.strip.values.size != 1]
    shelf = Shelf(rows, width)
    lines: list[Text] = []
    focus = range(0)
    for row, most in zip(rows, _shares(shelf, rows, height - len(single)), strict=True):
        drawn = shelf.lines(row, most)
        if row.touched.lanes and not focus:
            focus = range(len(lines), len(lines) + len(drawn))
        lines += drawn
    count = sum(len(one.marks) for one in found)
    note = f"{count:,} element{'' if count == 1 else 's'} touched" if count else "none touched"
    return Content([*lines, *single], note, focus)


def _shares(shelf: Shelf, rows: list[Row], room: int) -> list[int]:
    """Return how many lines each array has: one, then some more, then all that are left."""
    wanted = [shelf.wanted(row) for row in rows]
    shares = [1] * len(rows)
    spare = room - len(rows)
    for most in (FAIR, room):
        for at, wants in enumerate(wanted):
            more = max(min(wants, most) - shares[at], 0)
            more = min(more, max(spare, 0))
            shares[at] += more
            spare -= more
    return shares


def _singles(found: list[Touched], moment: Moment, width: int) -> list[Text]:
    """Return arrays of one element, and the kernel's parameters that are numbers."""
    parts = []
    for one in found:
        part = styled(one.strip.name, "bold" if one.strip.block < 0 else "italic")
        part.append(mark_of(one.marks, 0), "bold")
        parts.append(part.append(element(one.strip, 0), touch_of(one.marks, 0)).append("  "))
    for name, value in moment.scene.launch.scalars.items():
        parts.append(styled(f"{name} {shown(value)}  ", WEAK))
    return flow(parts, width) if parts else []
