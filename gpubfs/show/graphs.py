"""How graphs and statistics show themselves in a terminal and in a notebook."""

from __future__ import annotations

import html as escaping
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gpubfs.graphs.csr import Graph
from gpubfs.graphs.labels import label
from gpubfs.graphs.paper_tables import Figures
from gpubfs.graphs.standins import papers
from gpubfs.graphs.statistics import Rows, Statistics
from gpubfs.render.views import view

if TYPE_CHECKING:
    from rich.console import RenderableType

#: Rows of a table, each with as many cells.
Cells = Sequence[tuple[str, ...]]


@view(Graph, "terminal")
def graph_table(graph: Graph, width: int) -> Iterator[RenderableType]:
    """Return a graph in a terminal."""
    return table(graph.label, summary(graph), width)


@view(Graph, "html")
def graph_html(graph: Graph) -> str:
    """Return a graph in a notebook."""
    return html(graph.label, summary(graph))


@view(Statistics, "terminal")
def statistics_table(found: Statistics, width: int) -> Iterator[RenderableType]:
    """Statistics in a terminal; the notes of a stand-in stand below the papers' figures."""
    from rich.text import Text

    heads, *rows = compared(found)
    notes = [row[1] for row in rows if heads and row[0] == "note"]
    yield from table(label(found.name), rows[: len(rows) - len(notes)], width, heads)
    yield from (Text(f"note: {note}") for note in notes)


@view(Statistics, "html")
def statistics_html(found: Statistics) -> str:
    """Statistics in a notebook."""
    columns = compared(found)
    return html(label(found.name), columns[1:], columns[0])


#: Rows of statistics by the columns of papers' tables.
COMPARED = {
    "vertices": "vertices",
    "edges": "edges",
    "average degree": "average_degree",
    "standard deviation": "degree_deviation",
    "Gini coefficient": "gini",
    "max degree": "max_degree",
    "average eccentricity": "average_eccentricity",
}


def compared(found: Statistics) -> Sequence[tuple[str, ...]]:
    """Return the heads of the columns, and the rows; a stand-in's have the papers' figures, too."""
    tables = papers(found.name)
    if not tables:
        return [(), *found.rows()]
    heads = ("", "here", *(row.table.source for row in tables))
    return [heads, *((*row, *(_cell(one, row[0]) for one in tables)) for row in found.rows())]


def _cell(row: Figures, name: str) -> str:
    """Return what a paper's table has for a row of statistics; nothing if it has none."""
    depth = row.printed("depth")
    if name.startswith("depth from ") and depth:
        return f"{int(depth):,} from 0"
    column = COMPARED.get(name, "")
    text = row.printed(column) or ""
    if column == "average_degree" and not text and row.average_degree:
        return f"{row.average_degree:.1f} by the rows above"
    if column == "edges" and text:
        return text + _direction(row)
    return text


def summary(graph: Graph) -> Rows:
    """Return what a graph says of itself without a traversal."""
    degrees = graph.degrees
    rows = [
        ("vertices", f"{graph.vertices:,}"),
        ("edges", edges(graph.edges, graph.directed)),
        ("average degree", f"{degrees.mean():.1f}"),
        ("standard deviation", f"{degrees.std():.1f}"),
        ("max degree", f"{degrees.max():,} at vertex {graph.hub}"),
    ]
    return rows + [("note", note) for note in graph.notes]


@view(Statistics)
def rows(found: Statistics) -> Rows:
    """Names and values of statistics."""
    rows = [
        ("vertices", f"{found.vertices:,}"),
        ("edges", edges(found.edges, found.directed)),
        ("average degree", f"{found.average_degree:.1f}"),
        ("standard deviation", f"{found.degree_deviation:.1f}"),
        ("Gini coefficient", f"{found.gini:.2f}"),
        ("max degree", f"{found.max_degree:,}"),
        ("average eccentricity", f"{found.average_eccentricity:,.1f} ({found.samples} sources)"),
        (f"depth from {found.source}", f"{found.depth:,}"),
        (f"reached from {found.source}", f"{found.reached:,}"),
        ("components", f"{found.components:,}, the largest of {found.largest_component:,}"),
        ("self loops", f"{found.self_loops:,}"),
        ("without edges", f"{found.isolated:,}"),
    ]
    bins = found.histogram
    if (0, 0, found.isolated) == bins[0]:
        bins = bins[1:]  # in the row above
    rows += [(f"degree {_range(low, high)}", f"{n:,}") for low, high, n in bins]
    return rows + [("note", note) for note in found.notes]


def _direction(row: Figures) -> str:
    """Return which edges a table counts, where it says that."""
    if row.directed is None:
        return " (one direction)" if row.table.stored == 2 else ""
    return " (directed)" if row.directed else " (both directions)"


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low:,}–{high:,}"


def edges(number: int, directed: bool) -> str:
    """Return the number of edges as they are stored.

    >>> edges(4202, directed=False)
    '4,202 (both directions)'
    """
    return f"{number:,} ({'directed' if directed else 'both directions'})"


def table(
    title: str, rows: Cells, width: int, heads: tuple[str, ...] = ()
) -> Iterator[RenderableType]:
    """Return columns for a terminal; values below their names where words would be cut."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    every = [heads, *rows] if heads else rows
    widths = [max(cells(row[side]) for row in every) for side in range(len(rows[0]))]
    if sum(widths) + 3 * len(widths) + 1 <= width:
        made = Table(title=Text(title), show_header=bool(heads), title_justify="left")
        for side, column in enumerate(widths):
            made.add_column(Text(heads[side]) if heads else "", min_width=column)
        for row in rows:
            made.add_row(*map(Text, row))
        yield made
        return
    yield Text(title, style="bold")
    for row in rows:
        yield Text(row[0])
        for side, value in enumerate(row[1:], 1):
            if value:
                named = f"{heads[side]}: {value}" if heads else value
                yield Padding(Text(named), (0, 0, 0, 2))


def cells(text: str) -> int:
    """Return the width of the longest word.

    >>> cells("1,818,806 (both directions)")
    11
    """
    from rich.cells import cell_len

    return max(map(cell_len, text.split()), default=0)


def html(title: str, rows: Cells, heads: tuple[str, ...] = ()) -> str:
    """Return the same table for a notebook.

    >>> html("a<b", [("vertices", "3")])
    '<table><caption>a&lt;b</caption><tr><th>vertices</th><td>3</td></tr></table>'
    """
    body = "".join(f"<th>{escaping.escape(head)}</th>" for head in heads)
    body = f"<tr>{body}</tr>" if heads else ""
    for name, *values in rows:
        data = "".join(f"<td>{escaping.escape(value)}</td>" for value in values)
        body += f"<tr><th>{escaping.escape(name)}</th>{data}</tr>"
    return f"<table><caption>{escaping.escape(title)}</caption>{body}</table>"
