"""Sheets: tables that show themselves in a terminal and in a notebook; they compute only widths."""

from __future__ import annotations

import html as escaping
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gpubfs.render.heat import STYLES, page_style

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.table import Table

#: The least width that a column of running text is squeezed to.
NARROWEST = 18

#: How a page shows a table of source: in one width, at the left, its lines close to each other.
LISTING = "font-family:monospace;margin:0;border-collapse:collapse;line-height:1.25"

#: Blanks before the cells of a row that stand below its name.
INDENT = 2

NOT_COUNTED = "not counted"

Row = tuple[str, ...]


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes
    ----------
    title : str
        Its heading.
    figures : bool
        Whether it holds figures, which stand to the right.
    text : bool
        Whether it holds text that may wrap.
    code : bool
        Whether a page shows it as source: in one width, with its indentation.
    optional : bool
        Whether it may be left out where the sheet would be too wide.
    """

    title: str
    figures: bool = False
    text: bool = False
    code: bool = False
    optional: bool = False

    @property
    def side(self) -> str:
        """Where a page puts its cells; notebooks put them to the right unless told otherwise."""
        return "right" if self.figures else "left"

    @property
    def style(self) -> str:
        """How a page shows its cells."""
        source = ";white-space:pre;font-family:monospace" if self.code else ""
        return f"text-align:{self.side}{source}"


@dataclass(frozen=True)
class Sheet:
    """A table with notes below it.

    Attributes
    ----------
    title : str
        Its caption.
    columns : tuple of Column
        What the columns are.
    rows : tuple of tuple of str
        The cells. A row of a single cell is the heading of the rows below it.
    notes : tuple of str
        Sentences below the table.
    keys : int
        How many leading columns are repeated where the sheet is too wide and continues below.
    gap : int
        Blanks between columns.
    heats : tuple of int
        The heat of each row, from 0 to 2 (`gpubfs.render.heat`); empty if all are cold.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    keys: int = 1
    gap: int = 3
    heats: tuple[int, ...] = ()

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.text import Text

        parts = self._parts(options.max_width)
        if not parts:
            yield Text(self.title, style="bold")
            yield from self._stacked(options.max_width)
        for part, chosen in enumerate(parts):
            title = f"{self.title}, continued" if part else self.title
            yield Text(title, style="bold")
            yield self._table(chosen)
        yield from (Text(note, style="dim") for note in self.notes)

    def translated(self, translate: Callable[[str], str]) -> Sheet:
        """Return the same sheet with every text as `translate` gives it."""
        columns = tuple(replace(column, title=translate(column.title)) for column in self.columns)
        rows = tuple(tuple(map(translate, row)) for row in self.rows)
        notes = tuple(map(translate, self.notes))
        title = translate(self.title)
        return replace(self, title=title, columns=columns, rows=rows, notes=notes)

    def html(self) -> str:
        r"""Return the sheet for a notebook.

        Examples
        --------
        >>> print(Sheet("a<b", (Column("n"),), (("3",),)).html().replace("><", ">\n<"))
        <table>
        <caption>a&lt;b</caption>
        <tr>
        <th style="text-align:left">n</th>
        </tr>
        <tr>
        <td style="text-align:left">3</td>
        </tr>
        </table>
        """
        title = escaping.escape(self.title)
        head = "".join(
            f'<th style="text-align:{side}{self._padding}">{escaping.escape(heading)}</th>'
            for side, heading in ((column.side, column.title) for column in self.columns)
        )
        body = "".join(
            f"<tr{page_style(degree)}>{self._cells(row)}</tr>"
            for row, degree in zip(self.rows, self._heats(), strict=True)
        )
        below = "".join(f"<p>{escaping.escape(note)}</p>" for note in self.notes)
        table, end, caption = "<table>", "</table>", "<caption>"
        if self._is_source:
            table = f'<div style="overflow-x:auto"><table style="{LISTING}">'
            end, caption = "</table></div>", '<caption style="text-align:left">'
        return f"{table}{caption}{title}</caption><tr>{head}</tr>{body}{end}{below}"

    def _repr_html_(self) -> str:
        return self.html()

    @property
    def _is_source(self) -> bool:
        return any(column.code for column in self.columns)

    @property
    def _padding(self) -> str:
        """How a page sets cells apart: those of source little, so that its lines have room."""
        return ";padding:1px .35em" if self._is_source else ""

    def _heats(self) -> tuple[int, ...]:
        return self.heats or (0,) * len(self.rows)

    def markdown(self) -> str:
        r"""Return the sheet for a page in Markdown.

        Examples
        --------
        >>> sheet = Sheet("t", (Column("a|b"), Column("n", figures=True)), (("x", "3"),), ("why",))
        >>> print(sheet.markdown())
        | a\|b | n |
        | --- | ---: |
        | x | 3 |
        <BLANKLINE>
        why
        """
        head = [column.title.strip() for column in self.columns]
        rule = ["---:" if column.figures else "---" for column in self.columns]
        rows = [[*row, *[""] * (len(head) - len(row))] for row in self.rows]
        lines = [head, rule, *rows]
        table = ("| " + " | ".join(c.replace("|", "\\|") for c in line) + " |" for line in lines)
        return "\n".join([*table, *(f"\n{note}" for note in self.notes)])

    def _cells(self, row: Row) -> str:
        if self._heads(row):
            span = len(self.columns)
            return f'<th colspan="{span}" style="text-align:left">{escaping.escape(row[0])}</th>'
        cells = (escaping.escape(cell) for cell in row)
        return "".join(
            f'<td style="{column.style}{self._padding}">{cell}</td>'
            for column, cell in zip(self.columns, cells, strict=True)
        )

    def _heads(self, row: Row) -> bool:
        return len(row) == 1 < len(self.columns)

    def _width(self, index: int) -> int:
        from rich.cells import cell_len

        column = self.columns[index]
        cells = [row[index] for row in self.rows if index == 0 or not self._heads(row)]
        widest = max((cell_len(cell) for cell in [column.title, *cells]), default=0)
        return self.gap + (min(widest, NARROWEST) if column.text else widest)

    def _shown(self, room: int) -> list[int]:
        """Return the columns for which there is room; optional ones go first, from the last on."""
        shown = list(range(len(self.columns)))
        for index in reversed(shown[:]):
            if self.columns[index].optional and sum(map(self._width, shown)) > room:
                shown.remove(index)
        return shown

    def _parts(self, width: int) -> list[list[int]]:
        """Which columns are shown together: as many as fit, the key columns always.

        There are none if some column does not fit beside the key columns.
        """
        room = width + self.gap  # nothing stands to the right of the last column
        shown = self._shown(room)
        keys, others = shown[: self.keys], shown[self.keys :]
        fixed = sum(map(self._width, keys))
        if fixed + max(map(self._width, others), default=0) > room:
            return []
        parts, used = [list(keys)], fixed
        for index in others:
            if used + self._width(index) > room:
                parts.append(list(keys))
                used = fixed
            parts[-1].append(index)
            used += self._width(index)
        return parts

    def _stacked(self, width: int) -> Iterator[RenderableType]:
        """Where columns do not fit: each row's keys, and its other cells below them."""
        from rich.padding import Padding
        from rich.text import Text

        keys = self.keys if self.keys < len(self.columns) else 1
        for row, degree in zip(self.rows, self._heats(), strict=True):
            if self._heads(row):
                yield Text(row[0], style="bold")
                continue
            if lead := " ".join(filter(None, row[:keys])):
                yield Text(lead, style=STYLES[degree])
            cells = list(zip(self.columns, row, strict=True))[keys:]
            full = [(c, cell) for c, cell in cells if cell.strip() and not c.optional]
            figures = [f"{c.title} {cell}" for c, cell in full if not c.text]
            texts = [cell for c, cell in full if c.text]
            for line in (*packed(figures, width - INDENT), *texts):
                yield Padding(Text(line), (0, 0, 0, INDENT))

    def _table(self, chosen: list[int]) -> Table:
        from rich import box
        from rich.table import Table
        from rich.text import Text

        ruled = self.gap > 1  # the rule's own dividers are one blank wide
        padding = (0, self.gap - ruled, 0, 0)
        table = Table(box=box.SIMPLE_HEAD if ruled else None, padding=padding, pad_edge=False)
        table.show_edge = False
        table.show_header = any(column.title for column in self.columns)
        for index in chosen:
            column = self.columns[index]
            side: Any = "right" if column.figures else "left"
            table.add_column(column.title, justify=side, no_wrap=not column.text, overflow="fold")
        for row, degree in zip(self.rows, self._heats(), strict=True):
            if self._heads(row):
                table.add_row(Text(row[0], style="bold"))
            else:
                table.add_row(*(Text(row[index]) for index in chosen), style=STYLES[degree])
        return table


def packed(pieces: Iterable[str], width: int) -> list[str]:
    """Pieces in lines of at most `width`, as many as fit; a longer one has a line of its own.

    >>> packed(["one 1", "two 2", "three 3"], 13)
    ['one 1   two 2', 'three 3']
    """
    lines: list[str] = []
    for piece in pieces:
        if lines and len(lines[-1]) + 3 + len(piece) <= width:
            lines[-1] += f"   {piece}"
        else:
            lines.append(piece)
    return lines


def figure(value: Any) -> str:
    """Return a counter's value for people.

    Examples
    --------
    >>> figure(881833), figure(4.2031), figure(None), figure("next_size[0]"), figure(8.97e-5)
    ('881,833', '4.20', 'not counted', 'next_size[0]', '0.0000897')
    """
    if value is None:
        return NOT_COUNTED
    if isinstance(value, float):
        small = 0 < abs(value) < 0.1 and math.isfinite(value)
        return f"{value:,.{2 - math.floor(math.log10(abs(value))) if small else 2}f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def short(value: int) -> str:
    """Return a count in at most six characters, exact below a hundred thousand.

    >>> short(98304), short(1818314), short(438722), short(12_345_678_901)
    ('98,304', '1.82 M', '439 k', '12.3 G')
    """
    if value < 100_000:
        return f"{value:,}"
    scaled, unit = value / 1e3, "k"
    for larger in ("M", "G", "T"):
        if scaled >= 999.5:
            scaled, unit = scaled / 1e3, larger
    return f"{scaled:.3g} {unit}"


def speed(mteps: float) -> str:
    """Millions of edges a second, to three digits.

    >>> speed(0.0021), speed(3.1252), speed(51234.5)
    ('0.0021', '3.13', '51,234')
    """
    return f"{mteps:,.0f}" if mteps >= 1000 else f"{mteps:.3g}"


def percentage(value: float | None) -> str:
    """Return a fraction as a percentage.

    >>> percentage(0.9312)
    '93.1 %'
    """
    return NOT_COUNTED if value is None else f"{100 * value:.1f} %"


def bar(share: float, width: int) -> str:
    """Return a bar that is `share` of `width` characters long; what is there at all shows.

    >>> bar(0.5, 4), bar(0.9, 4), bar(0.001, 4), bar(0, 4)
    ('██', '███▋', '▏', '')
    """
    eighths = max(round(8 * width * share), 1) if share > 0 else 0
    return "█" * (eighths // 8) + "▏▎▍▌▋▊▉"[eighths % 8 - 1 : eighths % 8]


def ratio(value: Any, first: Any) -> str:
    """How many times `first` `value` is; a dash where that has no meaning.

    >>> ratio(3, 2), ratio(3, 0), ratio("a", "b"), ratio(3, None)
    ('×1.50', '–', '–', '–')
    """
    numbers = all(isinstance(part, int | float) for part in (value, first))
    return f"×{value / first:.2f}" if numbers and first else "–"
