"""An array as rows of cells: its elements in sectors, pointers below, and how full it is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from rich.text import Text

from gpubfs.show.traces.frames.arrays import (
    element,
    first_shown,
    fullness,
    mark_of,
    style_of,
    touch_of,
)
from gpubfs.show.traces.frames.lanes import numbers
from gpubfs.show.traces.frames.palette import WEAK, styled
from simulator.observe.counters.counters import SECTOR

if TYPE_CHECKING:
    from gpubfs.show.traces.frames.accessed import Strip
    from gpubfs.show.traces.frames.scene import Scene

#: How many elements decide on the width of all.
LOOKED_AT = 2048
#: What stands between sectors, and behind the last element of a queue.
BETWEEN, END = "┊", "│"
#: How many sectors have room in a line that has whole ones.
MANY = 3
#: The array of which rows of vertices are named, up to so many elements.
ROWS, MOST_NAMED = "neighbours", 512


class Touched:
    """An array, and what the step does to it.

    Parameters
    ----------
    strip : Strip
        The array.
    marks : dict
        Its elements that are touched, and how.
    scene : Scene
        The step.

    Attributes
    ----------
    lanes : dict of int to list of int
        The lanes of the warp that go to each of its elements.
    """

    def __init__(self, strip: Strip, marks: dict[int, bool | None], scene: Scene) -> None:
        self.strip = strip
        self.marks = marks
        self.lanes: dict[int, list[int]] = {}
        self.graph = scene.graph
        size = strip.values.dtype.itemsize
        for access in scene.accesses:
            elements = (access.addresses - strip.start) // size
            for lane, at in zip(access.lanes.tolist(), elements.tolist(), strict=True):
                if 0 <= at < strip.values.size and lane not in self.lanes.setdefault(at, []):
                    self.lanes[at].append(lane)
        self.lanes = {at: lanes for at, lanes in self.lanes.items() if lanes}


@dataclass(frozen=True)
class Row:
    """An array that is drawn in a row of cells, or several."""

    touched: Touched

    @property
    def strip(self) -> Strip:
        """The array."""
        return self.touched.strip

    @cached_property
    def used(self) -> int:
        """How many elements there are to show: of a queue those that it has, and touched ones."""
        size, fill = self.strip.values.size, self.strip.fill
        accessed = [at for at, how in self.touched.marks.items() if how is not None]
        return min(size if fill is None else max(fill, max(accessed, default=-1) + 1), size)

    @cached_property
    def wide(self) -> int:
        """Cells of an element and the mark before it."""
        some = range(min(self.used, LOOKED_AT))
        return 1 + max((len(element(self.strip, at)) for at in some), default=1)

    @cached_property
    def names(self) -> dict[int, int]:
        """Of neighbours the elements at which a vertex's row begins, with the vertex."""
        graph = self.touched.graph
        if graph is None or self.strip.name != ROWS or self.used > MOST_NAMED:
            return {}
        begins = graph.offsets[:-1]
        return {int(begins[v]): int(v) for v in np.flatnonzero(np.diff(graph.offsets))}


class Shelf:
    """Where names, elements and figures of all arrays of a pane stand.

    Parameters
    ----------
    rows : list of Row
        The arrays.
    width : int
        Cells of a line.
    """

    def __init__(self, rows: list[Row], width: int) -> None:
        self.width = width
        most = max(width // 4, 8)
        names = [len(row.strip.name) for row in rows]
        self.label = 1 + max((n for n in names if n <= most), default=0)
        self.label = max(self.label, 9) if any(row.names for row in rows) else self.label
        ends = [len(fullness(row.strip)) for row in rows]
        self.end = 1 + max(ends, default=0)
        self.room = max(width - self.label - self.end - 2, 4)

    def index(self, row: Row) -> int:
        """Return the cells for the number of a line's first element, where there are several."""
        return len(str(row.used)) + 3 if self._each(row, self.room) < row.used else 0

    def each(self, row: Row) -> int:
        """Return how many elements a line has: whole sectors, or halves where few have room."""
        return self._each(row, self.room - self.index(row))

    def _each(self, row: Row, room: int) -> int:
        in_sector = max(SECTOR // row.strip.values.dtype.itemsize, 1)
        sectors = (room + 1) // (in_sector * row.wide + 1)
        if sectors >= MANY:
            return sectors * in_sector
        half = max(in_sector // 2, 1)  # with a cell between any two
        return max(room // (half * row.wide + 1) * half, 1)

    def wanted(self, row: Row) -> int:
        """Return how many lines show all of an array."""
        each = self.each(row)
        lines = -(-max(row.used, 1) // each)
        pointed = len({at // each for at in row.touched.lanes})
        return lines + pointed + (lines if row.names else 0) + self._apart(row)

    def _apart(self, row: Row) -> int:
        """Whether the name has a line of its own."""
        return int(len(row.strip.name) >= self.label)

    def _style(self, row: Row) -> str:
        return "bold" if row.strip.block < 0 else "italic"

    def lines(self, row: Row, most: int) -> list[Text]:
        """Return at most so many lines of an array, around what is touched."""
        each, whole = self.each(row), most >= self.wanted(row)
        lines: list[Text] = []
        apart = self._apart(row) and most > 1
        if apart:
            lines.append(styled(row.strip.name, self._style(row)))
        room = most - len(lines)
        count = room if whole else max(room - bool(row.touched.lanes), 1)
        first = self._first(row, count)
        for begin in range(first, max(row.used, first + 1), each):
            if len(lines) >= most:
                break
            name = "" if apart or begin > first else row.strip.name
            lines += self._line(row, begin, name, whole, begin == first)
        return lines[:most]

    def _first(self, row: Row, count: int) -> int:
        """Return the first element of so many lines, which begin with whole sectors."""
        each = self.each(row)
        accessed = [at for at, how in row.touched.marks.items() if how is not None]
        first = first_shown(row.strip, accessed, row.used, count * each)
        least = min(accessed, default=0) // each - count + 1
        return max(first // each, least) * each

    def _line(self, row: Row, begin: int, name: str, whole: bool, end: bool) -> list[Text]:
        """Return the elements from one on, with whose rows they are above, and pointers below."""
        index = self.index(row)
        head = f"{name:<{self.label}}"
        if len(head) > self.label:
            head = f"{name[: self.label - 2]}… "
        line = styled(head, self._style(row)).append(
            f"{f'[{begin}]':<{index}}" if index else "", WEAK
        )
        above, below = Text(), Text()
        for at in range(begin, min(begin + self.each(row), row.used)):
            self._between(line, row, at, begin)
            place = line.cell_len
            _put(above, place + 1, str(row.names[at])) if at in row.names else None
            _put(below, place, _pointer(row.touched.lanes[at])) if at in row.touched.lanes else None
            text = element(row.strip, at)
            line.append(mark_of(row.touched.marks, at), "bold")
            line.append(text, touch_of(row.touched.marks, at) or style_of(row.strip, at))
            line.append(" " * (row.wide - 1 - len(text)))
            if at + 1 == row.strip.fill:
                line.append(END, "bold")
        if not row.used:
            line.append(f"{END} empty" if row.strip.fill is not None else "", WEAK)
        if end:
            self._end(line, row)
        above = Text("row of").append(above.plain[6:]) if whole and row.names else Text()
        above.stylize("dim italic")
        below.stylize("bold")
        return [part for part in (above, line, below) if part.plain.strip()]

    def _between(self, line: Text, row: Row, at: int, begin: int) -> None:
        size = row.strip.values.dtype.itemsize
        if at > begin and (row.strip.start + at * size) % SECTOR < size:
            line.append(BETWEEN, WEAK)

    def _end(self, line: Text, row: Row) -> None:
        """Say at the end of a line how full the array is."""
        end = fullness(row.strip)
        line.append(" " * (self.width - line.cell_len - len(end))).append(end, WEAK)


def _pointer(lanes: list[int]) -> str:
    return f"↑{numbers(np.sort(lanes)).replace(', ', ',')}"


def _put(line: Text, place: int, text: str) -> None:
    """Put a text at a place, or as soon behind it as what stands there ends; too late is left."""
    if line.cell_len <= place:
        line.append(" " * (place - line.cell_len)).append(text)
