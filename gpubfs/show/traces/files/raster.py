"""Frames as pixels of a projector: the text of a frame, cell by cell, in a font of one width."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

from gpubfs.show.traces.files.picture import LIGHT, painted
from gpubfs.show.traces.files.styled import runs

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont
    from rich.style import Style
    from rich.text import Text

#: Pixels of a picture, and those that stay free at each side.
SIZE, MARGIN = (1920, 1080), 24


class Grid(NamedTuple):
    """Where characters stand: points of the font, pixels of a cell, and of the first one's place.

    Attributes
    ----------
    points : int
        The size of the font.
    cell : tuple of int
        Width and height of a cell.
    origin : tuple of int
        The left upper corner of the first cell.
    """

    points: int
    cell: tuple[int, int]
    origin: tuple[int, int]


@cache
def grid(columns: int, rows: int) -> Grid:
    """Return the largest characters of which so many fit, in the middle of the picture."""
    wide, high = (side - 2 * MARGIN for side in SIZE)
    for points in range(96, 3, -1):
        cell = _cell(points)
        if cell[0] * columns <= wide and cell[1] * rows <= high:
            break
    left, top = (SIZE[0] - cell[0] * columns) // 2, (SIZE[1] - cell[1] * rows) // 2
    return Grid(points, cell, (max(left, 0), max(top, 0)))


def raster(lines: Sequence[Text], columns: int, rows: int) -> Image:
    """Draw lines of text on light paper.

    Parameters
    ----------
    lines : sequence of Text
        At most `rows` of them, of at most `columns` cells.
    columns, rows : int
        By which the size of characters is chosen.

    Returns
    -------
    Image
        Of Pillow, in RGB, of `SIZE` pixels.
    """
    from PIL import Image, ImageDraw

    image = Image.new("RGB", SIZE, LIGHT.paper)
    draw = ImageDraw.Draw(image)
    place = grid(columns, rows)
    for row, line in enumerate(lines):
        column = 0
        for run in runs(line):
            cells = cell_len(run.text)
            _draw(draw, place, (column, row), cells, run.text, run.style)
            column += cells
    return image


def _draw(
    draw: ImageDraw, place: Grid, at: tuple[int, int], cells: int, text: str, style: Style
) -> None:
    """Draw a run of one style: what is behind it, its characters, and lines below or through it."""
    (wide, high), (left, top) = place.cell, place.origin
    x, y = left + at[0] * wide, top + at[1] * high
    end = x + cells * wide
    front, behind = painted(style, LIGHT)
    if behind is not None:
        draw.rectangle((x, y, end - 1, y + high - 1), fill=tuple(behind))
    font = _font(place.points, bool(style.bold), bool(style.italic))
    draw.text((x, y), text, fill=tuple(front), font=font)
    thick = max(place.points // 14, 1)
    for wanted, height in ((style.underline, high - thick - 1), (style.strike, high // 2)):
        if wanted:
            draw.rectangle((x, y + height, end - 1, y + height + thick - 1), fill=tuple(front))


@cache
def _font(points: int, bold: bool = False, italic: bool = False) -> FreeTypeFont:
    """Return the font that comes with matplotlib; every character of it has the same width."""
    import matplotlib
    from PIL.ImageFont import Layout, truetype

    kind = ("Bold" if bold else "") + ("Oblique" if italic else "")
    name = f"DejaVuSansMono{'-' if kind else ''}{kind}.ttf"
    path = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name
    return truetype(str(path), points, layout_engine=Layout.BASIC)


@cache
def _cell(points: int) -> tuple[int, int]:
    """Return the width and the height of a cell, so that lines of boxes meet those below."""
    font = _font(points)
    above, below = font.getmetrics()
    return round(font.getlength("M")), above + below
