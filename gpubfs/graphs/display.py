"""How graphs and statistics show themselves in a terminal and in a notebook."""

from __future__ import annotations

import html as escaping
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from gpubfs.graphs.csr import Graph

Rows = Sequence[tuple[str, str]]


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


def table(title: str, rows: Rows) -> Table:
    """A two-column table for the terminal."""
    from rich.table import Table
    from rich.text import Text

    made = Table(title=Text(title), show_header=False, title_justify="left")
    made.add_column()
    made.add_column()
    for name, value in rows:
        made.add_row(Text(name), Text(value))
    return made


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
