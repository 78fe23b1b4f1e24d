"""Where the labels of vertices stand on a canvas, none over another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

Cell = tuple[int, int]
#: How far a label may stand from where its vertex would be, in columns and rows.
FAR_ACROSS, FAR_DOWN = 16, 4


@dataclass(frozen=True)
class Labels:
    """The middle of each vertex's label, on a canvas that is `width` cells wide."""

    middles: tuple[Cell, ...]
    width: int

    def around(self, vertex: int, length: int) -> Cell:
        """Return where a label of so many cells begins."""
        x, y = self.middles[vertex]
        return max(min(x - length // 2, self.width - length), 0), y


def placed(
    places: Sequence[Sequence[int]], sizes: Sequence[int], width: int, height: int
) -> Labels | None:
    """Return where labels of some sizes have room; None if they have not."""
    known = tuple((int(x), int(y)) for x, y in places)
    return _placed(known, tuple(sizes), width, height)


@lru_cache(maxsize=64)
def _placed(
    places: tuple[Cell, ...], sizes: tuple[int, ...], width: int, height: int
) -> Labels | None:
    across, down = (max(max(p[axis] for p in places), 1) for axis in (0, 1))
    if down > across:  # a pane is wider than high
        places, across, down = tuple((y, x) for x, y in places), down, across
    widest = max(sizes)
    if width < widest:
        return None
    taken: set[Cell] = set()
    middles: list[Cell] = [(0, 0)] * len(places)
    for vertex in sorted(range(len(places)), key=lambda v: (places[v][1], places[v][0])):
        x = widest // 2 + round(places[vertex][0] / across * (width - widest))
        y = round(places[vertex][1] / down * (height - 1))
        size = sizes[vertex]
        for place in _near((x, y)):
            cells = [(place[0] - size // 2 + by, place[1]) for by in range(size)]
            inside = 0 <= place[1] < height and cells[0][0] >= 0 and cells[-1][0] < width
            if inside and taken.isdisjoint(cells):
                break
        else:
            return None
        taken.update(cells)
        middles[vertex] = place
    return Labels(tuple(middles), width)


@lru_cache(maxsize=1)
def _ways() -> tuple[Cell, ...]:
    """Return ways from a place, the shortest first; a row is as far as two columns."""
    ways = [
        (x, y) for x in range(-FAR_ACROSS, FAR_ACROSS + 1) for y in range(-FAR_DOWN, FAR_DOWN + 1)
    ]
    return tuple(sorted(ways, key=lambda way: (way[0] ** 2 + 4 * way[1] ** 2, way)))


def _near(place: Cell) -> Iterator[Cell]:
    return ((place[0] + x, place[1] + y) for x, y in _ways())
