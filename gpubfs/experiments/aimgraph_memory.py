"""Memory for a graph: blocks in one allocation, or an array for each vertex with room to grow.

Winter et al., Section IV-A: aimGraph has a lower footprint since it has indices of 4 bytes where
cuSTINGER has pointers of 8, and no pointers to members of edges, for which cuSTINGER takes a block
of 64 bytes for each vertex. It also has no room beyond the last block, where cuSTINGER allocates
half as much again (II-C, V-B). There is no table; what the text says of bytes is in Section III:
"each vertex hence requires at least 6 · 4 bytes = 24 bytes", which counts two arrays, weight and
type, that the same list calls optional. By the same rules luxembourg_osm (114,599 vertices, 239,332
edges) has 6 arrays of 458,496 bytes and, without a vertex of more than 15 edges, as many blocks of
64 bytes as vertices: 2,750,976 and 7,334,336 bytes.

Bytes are those that were asked for. What cudaMalloc keeps besides is its own matter; it aligns to
256 bytes, and `aligned` counts every allocation as so many. Nothing is timed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from gpubfs.dynamic.batch import MODES
from gpubfs.dynamic.custinger.edge_memory import ALIGNMENT
from gpubfs.dynamic.dynamic_graph import DynamicGraph
from gpubfs.experiments.cells import by_graph, listed, quotients, ranged
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.updating import AIMGRAPH, CUSTINGER, STRUCTURES, TABLE_1, held, opened
from gpubfs.graphs.build import count
from gpubfs.render.drawing import bars
from gpubfs.render.sheets import Column, Row, Sheet, figure
from gpubfs.search.papers import AIMGRAPH as PAPER_OF

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The paper's bytes of a vertex, and of the block of pointers that cuSTINGER has for each.
VERTEX, POINTERS = 24, 64
#: What follows for luxembourg_osm: static data and blocks.
LUXEMBOURG = 114_599
STATIC, BLOCKS = 2_750_976, 7_334_336

PAPER = Sheet(
    "the paper's bytes",
    (Column("of what"), Column("aimGraph", figures=True), Column("cuSTINGER", figures=True)),
    (
        ("a reference to edges", "4", "8"),
        ("pointers to members, a vertex", "none", str(POINTERS)),
        ("management, a vertex", f"at least {VERTEX}", "not said"),
        ("a block of simple edges", "64", "none"),
        ("room for more edges", "in the last block", "50 %"),
        ("luxembourg_osm, static data", figure(STATIC), "not said"),
        ("luxembourg_osm, blocks", figure(BLOCKS), "not said"),
    ),
    ("what aimGraph has in the last three follows from the layout that the paper describes",),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a row for each graph, structure and mode."""
    rows: list[Row] = []
    heading = ""
    for point in report.points:
        if point.graph != heading:
            heading = point.graph
            vertices = count(point.values["vertices"], "vertex", "vertices")
            rows.append((f"{heading}: {vertices}, {count(point.values['edges'], 'edge')}",))
        rows.append(_row(point))
    titles = ("management", "edges", "bytes", "aligned", "a vertex", "an edge")
    columns = (Column("structure and mode"), *(Column(title, figures=True) for title in titles))
    remarks = (
        "management: all but edges; of custinger with its records and our marks",
        f"aligned: with every allocation rounded up to {ALIGNMENT} bytes",
        "a vertex: management; an edge: the rest",
    )
    return (Sheet(f"memory that holds the graph on {report.where}", columns, tuple(rows), remarks),)


def _row(point: Point) -> Row:
    values = point.values
    figures = (figure(values[name]) for name in ("management", "edge_bytes", "bytes", "aligned"))
    each = values["management"] / values["vertices"], values["edge_bytes"] / max(values["edges"], 1)
    return (point.series, *figures, *(f"{one:.1f}" for one in each))


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Return whether aimgraph takes less in each mode, and what a vertex takes."""
    static = by_graph(report.points, series(AIMGRAPH, "simple"), "static")
    vertices = by_graph(report.points, series(AIMGRAPH, "simple"), "vertices")
    found = {mode: _ratios(report, mode) for mode in MODES}
    return smaller(found), managed(static, vertices), *_of_luxembourg(report)


def _ratios(report: Report, mode: str) -> dict[str, float]:
    both = (by_graph(report.points, series(name, mode), "bytes") for name in reversed(STRUCTURES))
    return quotients(*both)


def _of_luxembourg(report: Report) -> Iterator[Verdict]:
    for point in report.points:
        if point.series == series(AIMGRAPH, "simple") and point.values["vertices"] == LUXEMBOURG:
            yield printed(point.values["static"], point.values["edge_bytes"])


def smaller(found: Mapping[str, Mapping[str, float]]) -> Verdict:
    """Whether custinger takes more, in each mode and on each graph.

    Parameters
    ----------
    found : mapping
        For each mode and graph how many times the bytes of aimgraph.
    """
    every = [ratio for own in found.values() for ratio in own.values()]
    detail = listed(f"{ranged(own.values())} in mode {mode}" for mode, own in found.items())
    text = f"{CUSTINGER} takes {detail} the bytes of {AIMGRAPH}; in the paper it takes more"
    return Verdict(True if min(every) > 1 else False if max(every) <= 1 else None, text)


def managed(static: Mapping[str, float], vertices: Mapping[str, float]) -> Verdict:
    """Whether the static data of aimgraph are 24 bytes a vertex, and what pads them.

    Parameters
    ----------
    static, vertices : mapping
        Of each graph.
    """
    arrays = VERTEX // 4
    padded = {graph: arrays * -(-4 * size // 128) * 128 for graph, size in vertices.items()}
    each = ranged(static[graph] / vertices[graph] / VERTEX for graph in static)
    text = (
        f"static data of {AIMGRAPH} are {each} the paper's {VERTEX} bytes a vertex, in "
        f"{arrays} arrays that are padded to lines of 128 bytes"
    )
    return Verdict(static == padded, text)


def printed(static: float, blocks: float) -> Verdict:
    """Whether luxembourg_osm takes what follows from the paper.

    Parameters
    ----------
    static, blocks : int
        Bytes.
    """
    text = (
        f"with luxembourg_osm {AIMGRAPH} has {static:,.0f} bytes of static data and "
        f"{blocks:,.0f} of blocks; by the paper's layout {STATIC:,} and {BLOCKS:,}"
    )
    return Verdict((static, blocks) == (STATIC, BLOCKS), text)


def draw(report: Report, figure: Figure) -> None:
    """Bars: how many times the bytes of aimgraph custinger takes, in each mode."""
    axes = figure.subplots()
    found = {mode: _ratios(report, mode) for mode in MODES}
    graphs = list(dict.fromkeys(point.graph for point in report.points))
    heights = {mode: [own.get(graph) for graph in graphs] for mode, own in found.items()}
    up = f"bytes of {CUSTINGER}, times those of {AIMGRAPH}"
    bars(axes, graphs, heights, "graph", up, scale="ratio")


def series(name: str, mode: str) -> str:
    """Return what a structure in a mode is called.

    >>> series("aimgraph", "simple")
    'aimgraph, simple'
    """
    return f"{name}, {mode}"


@reproduces(
    "aimgraph-memory",
    paper=PAPER_OF,
    figure="IV-A, memory footprint",
    question="How much memory does a graph take in blocks, and in an array for each vertex?",
    graphs=TABLE_1,
    sheet=PAPER,
    published={
        "bytes of a vertex": VERTEX,
        "bytes of pointers to members": POINTERS,
        "luxembourg_osm": {"static": STATIC, "blocks": BLOCKS},
    },
    tables=tables,
    verdicts=verdicts,
    draw=draw,
)
def aimgraph_memory(lab: Lab) -> Iterator[Point]:
    """Put each graph into each structure, in each mode."""
    for graph in lab.graphs:
        shape = {"vertices": graph.vertices, "edges": graph.edges}
        for mode in MODES:
            for name in STRUCTURES:
                with opened(lab, name, graph, counters=False, mode=mode) as made:
                    made.from_csr(graph)
                    found = footprint(made)
                yield Point(graph.spec, series(name, mode), None, found | shape)


def footprint(made: DynamicGraph) -> dict[str, Any]:
    """Return the bytes of a structure: for edges, for all else, and with what alignment adds.

    Parameters
    ----------
    made : DynamicGraph
        With a graph in it.
    """
    regions = dict(made.stats().memory.bytes)
    edges = regions.get("blocks", 0) + regions.get("edges", 0)
    return {
        "bytes": held(made),
        "edge_bytes": edges,
        "management": held(made) - edges,
        "static": regions.get("static", 0),
        "aligned": held(made) + regions.get("alignment", 0),
    }
