"""How graphs and statistics show themselves in a terminal and in a notebook."""

from __future__ import annotations

import html as escaping
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

    from gpubfs.graphs.csr import Graph

Rows = Sequence[tuple[str, str]]

#: Columns of a table's rules, and of the blanks beside them.
FRAME = 7


def summary(graph: Graph) -> Rows:
    """What a graph says of itself without a traversal."""
    degrees = graph.degrees
    rows = [
        ("vertices", f"{graph.vertices:,}"),
        ("edges", edges(graph.edges, graph.directed)),
        ("average degree", f"{degrees.mean():.1f}"),
        ("standard deviation", f"{degrees.std():.1f}"),
        ("max degree", f"{degrees.max():,} at vertex {graph.hub}"),
    ]
    return rows + [("note", note) for note in graph.notes]


def edges(number: int, directed: bool) -> str:
    """The number of edges as they are stored.

    >>> edges(4202, directed=False)
    '4,202 (both directions)'
    """
    return f"{number:,} ({'directed' if directed else 'both directions'})"


def table(title: str, rows: Rows, width: int) -> Iterator[RenderableType]:
    """A two-column table for a terminal; each value below its name where words would be cut."""
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
    """The width of the longest word.

    >>> cells("1,818,806 (both directions)")
    11
    """
    from rich.cells import cell_len

    return max(map(cell_len, text.split()), default=0)


def html(title: str, rows: Rows) -> str:
    """The same table for a notebook.

    >>> html("a<b", [("vertices", "3")])
    '<table><caption>a&lt;b</caption><tr><th>vertices</th><td>3</td></tr></table>'
    """
    body = "".join(
        f"<tr><th>{escaping.escape(name)}</th><td>{escaping.escape(value)}</td></tr>"
        for name, value in rows
    )
    return f"<table><caption>{escaping.escape(title)}</caption>{body}</table>"
