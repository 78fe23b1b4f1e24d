"""A drawing in characters: dots of braille for lines, and labels over them."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

#: The bits of the dots in a cell, by their column and row.
DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
#: The first character of braille, and dots of a cell across and down.
BRAILLE, ACROSS, DOWN = 0x2800, 2, 4

Cell = tuple[int, int]


class Canvas:
    """So many cells across and down, on which later things cover earlier ones.

    Parameters
    ----------
    width, height : int
        Cells.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self._dots: dict[Cell, int] = {}
        self._cells: dict[Cell, tuple[str, str]] = {}

    def line(self, begin: Cell, end: Cell, style: str, sign: str = "") -> None:
        """Draw a line from the middle of a cell to that of another, in dots or in a sign."""
        for x, y in _between(begin, end):
            cell = x // ACROSS, y // DOWN
            if not self._inside(cell):
                continue
            self._dots[cell] = self._dots.get(cell, 0) | DOTS[x % ACROSS][y % DOWN]
            if sign:
                self._cells[cell] = sign, style
            elif cell not in self._cells:
                self._cells[cell] = "", style

    def write(self, at: Cell, text: str, style: str) -> None:
        """Write a text from a cell on."""
        for by, letter in enumerate(text):
            if self._inside((at[0] + by, at[1])):
                self._cells[at[0] + by, at[1]] = letter, style

    def _inside(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self.width and 0 <= cell[1] < self.height

    def lines(self) -> list[Text]:
        """Return what has been drawn."""
        return [self._row(y) for y in range(self.height)]

    def _row(self, y: int) -> Text:
        row = Text()
        for x in range(self.width):
            sign, style = self._cells.get((x, y), (" ", ""))
            row.append(sign or chr(BRAILLE + self._dots[x, y]), style)
        return row


def _between(begin: Cell, end: Cell) -> Iterator[Cell]:
    """Yield the dots of a line."""
    x1, y1 = begin[0] * ACROSS, begin[1] * DOWN + DOWN // 2 - 1
    x2, y2 = end[0] * ACROSS, end[1] * DOWN + DOWN // 2 - 1
    count = max(abs(x2 - x1), abs(y2 - y1), 1)
    for step in range(count + 1):
        yield round(x1 + (x2 - x1) * step / count), round(y1 + (y2 - y1) * step / count)
