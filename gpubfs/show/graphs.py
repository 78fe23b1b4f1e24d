"""How graphs and statistics show themselves in a terminal and in a notebook."""

from __future__ import annotations

import html as escaping
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpubfs.graphs.csr import Graph
from gpubfs.graphs.labels import label
from gpubfs.graphs.statistics import Rows, Statistics
from gpubfs.render.views import view

if TYPE_CHECKING:
    from rich.console import RenderableType

#: Columns of a table's rules, and of the blanks beside them.
FRAME = 7


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
    """Statistics in a terminal."""
    return table(label(found.name), found.rows(), width)


@view(Statistics, "html")
def statistics_html(found: Statistics) -> str:
    """Statistics in a notebook."""
    return html(label(found.name), found.rows())


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


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low:,}–{high:,}"


def edges(number: int, directed: bool) -> str:
    """Return the number of edges as they are stored.

    >>> edges(4202, directed=False)
    '4,202 (both directions)'
    """
    return f"{number:,} ({'directed' if directed else 'both directions'})"


def table(title: str, rows: Rows, width: int) -> Iterator[RenderableType]:
    """Return two columns for a terminal; each value below its name where words would be cut."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    widths = [max(cells(row[side]) for row in rows) for side in (0, 1)]
    if sum(widths) + FRAME <= width:
        made = Table(title=Text(title), show_header=False, title_justify="left")
        for column in widths:
            made.add_column(min_width=column)
        for name, value in rows:
            made.add_row(Text(name), Text(value))
        yield made
        return
    yield Text(title, style="bold")
    for name, value in rows:
        yield Text(name)
        yield Padding(Text(value), (0, 0, 0, 2))


def cells(text: str) -> int:
    """Return the width of the longest word.

    >>> cells("1,818,806 (both directions)")
    11
    """
    from rich.cells import cell_len

    return max(map(cell_len, text.split()), default=0)


def html(title: str, rows: Rows) -> str:
    """Return the same table for a notebook.

    >>> html("a<b", [("vertices", "3")])
    '<table><caption>a&lt;b</caption><tr><th>vertices</th><td>3</td></tr></table>'
    """
    body = "".join(
        f"<tr><th>{escaping.escape(name)}</th><td>{escaping.escape(value)}</td></tr>"
        for name, value in rows
    )
    return f"<table><caption>{escaping.escape(title)}</caption>{body}</table>"
