"""How much memory each technique takes beside the graph, in bytes for each vertex.

Tödling et al., Section V: an array of distances is all that a search without queues needs; two
queues more hold this level and the next; deferred classification takes five queues and immediate
classification eight, and both, they say, typically still less than a queue of edges.

Where one array holds a queue for each class, one behind the other, these are counted one by one.
What CUDA keeps of launches by kernels is in a pool of its own, which is not among the arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from gpubfs.experiments.cells import by_graph, listed
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.toedling import DEFERRED, IMMEDIATE
from gpubfs.graphs.build import count
from gpubfs.render.drawing import bars
from gpubfs.render.scales import mark
from gpubfs.render.sheets import Column, Row, Sheet, figure
from gpubfs.search.classes import CLASSES
from gpubfs.search.papers import TOEDLING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


DYNAMIC, EDGES = "dynamic-parallelism", "edge-frontier"
TECHNIQUES = (
    "status-array",
    "central-queue",
    "dfq-global",
    "scan-free",
    "block-prefix-sum",
    DYNAMIC,
    DEFERRED,
    IMMEDIATE,
    EDGES,
)

#: Queues of the paper's versions.
QUEUES = {"naive": 0, "dynamic parallelism": 2, "deferred": 5, "immediate": 8}

#: Those of our techniques that are made as one of the paper's versions.
LIKE = {
    "status-array": "naive",
    DYNAMIC: "dynamic parallelism",
    DEFERRED: "deferred",
    IMMEDIATE: "immediate",
}

#: Arrays with a queue for each class.
BY_CLASS = {DEFERRED: ("classes",), IMMEDIATE: ("current", "next")}
#: Arrays that are no queues: of a few words, which on a tiny graph are as many as its vertices, and
#: of a bit for each vertex.
NO_QUEUES = {
    *("found", "size", "sizes", "next_size", "raw_size", "edges_size", "tails", "largest"),
    *("launched", "failures", "visited"),
}
GRAPH = ("offsets", "neighbours")
ENTRY = 4  # bytes of a distance, or of a vertex in a queue

PAPER = Sheet(
    "the paper's versions",
    (Column("version"), *(Column(t, figures=True) for t in ("distances", "queues", "bytes/V"))),
    tuple((name, "1", str(queues), str(ENTRY * (1 + queues))) for name, queues in QUEUES.items()),
    ("bytes/V follow from a queue's having room for every vertex",),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a row for each technique."""
    titles = ("arrays", "queues", "bytes beside the graph", "bytes/V", "paper's queues")
    rows: list[Row] = []
    heading = ""
    for point in report.points:
        if point.graph != heading:
            heading = point.graph
            rows.append((f"{heading}: {count(point.values['vertices'], 'vertex', 'vertices')}",))
        rows.append(_row(point))
    columns = (Column("technique"), *(Column(title, figures=True) for title in titles))
    footnotes = (
        "queues: arrays beside the distances with at least one entry for each vertex; of one that "
        "holds a queue for each class, each of these",
        f"{DYNAMIC}: without what CUDA takes for its pool of pending launches",
    )
    return (Sheet(f"memory beside the graph on {report.where}", columns, tuple(rows), footnotes),)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Whether techniques have the queues of the paper's versions, and what one of edges takes."""
    verdicts = []
    for version in dict.fromkeys(LIKE.values()):
        own = [point for point in report.points if LIKE.get(point.series) == version]
        verdicts.append(as_many(version, [(p.series, p.graph, p.values["queues"]) for p in own]))
    sizes = (by_graph(report.points, name, "per_vertex") for name in (EDGES, IMMEDIATE))
    return (*verdicts, most(*sizes))


def as_many(version: str, ours: Sequence[tuple[str, str, int]]) -> Verdict:
    """Whether techniques have as many queues as a version of the paper's.

    Parameters
    ----------
    version : str
        The paper's.
    ours : sequence of (str, str, int)
        Techniques, graphs, and the queues that they have there.
    """
    theirs = QUEUES[version]
    who = f"the paper's {version} version has {theirs} queues beside the distances"
    other = [f"{name} has {queues} on {graph}" for name, graph, queues in ours if queues != theirs]
    if other:
        return Verdict(False, f"{who}; {listed(other)}")
    return Verdict(True, f"{who}, and {listed(dict.fromkeys(name for name, _, _ in ours))} too")


def most(edges: Mapping[str, float], classes: Mapping[str, float]) -> Verdict:
    """Whether a queue of edges takes more than eight queues of vertices, on most graphs.

    Parameters
    ----------
    edges, classes : mapping
        Bytes a vertex of the technique with a queue of edges, and of immediate classification.
    """
    detail = listed(
        f"{each:.1f} on {graph} ({classes[graph]:.1f})" for graph, each in edges.items()
    )
    more = [graph for graph, each in edges.items() if each > classes[graph]]
    text = (
        f"in bytes a vertex {EDGES} takes {detail}, in brackets {IMMEDIATE}; so a queue of edges "
        f"takes more on {len(more)} of {len(edges)} graphs, and the paper says that it typically "
        "does"
    )
    return Verdict(2 * len(more) > len(edges), text)


def draw(report: Report, figure: Figure) -> None:
    """Bars of bytes a vertex, the paper's versions as lines."""
    axes = figure.subplots()
    graphs = list(dict.fromkeys(point.graph for point in report.points))
    found = {(p.graph, p.series): p.values["per_vertex"] for p in report.points}
    series = {graph: [found[graph, name] for name in TECHNIQUES] for graph in graphs}
    up = "bytes a vertex, beside the graph"
    bars(axes, TECHNIQUES, series, "technique", up, scale="log")
    for name, queues in QUEUES.items():
        height = ENTRY * (1 + queues)
        mark(axes, "x", height, f"{name}, in the paper")


@reproduces(
    "queue-memory",
    paper=TOEDLING,
    figure="V, memory footprint",
    question="How much memory do queues take beside the graph?",
    graphs={
        "sim": ("kron:12", "kron:14", "grid:32x32"),
        "gpu": ("kron:16", "kron:20", "grid:1024x1024"),
    },
    sheet=PAPER,
    published={"queues": QUEUES},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
)
def queue_memory(lab: Lab) -> Iterator[Point]:
    """One search with each technique; no counter is needed but that of allocations."""
    for graph in lab.graphs:
        for technique in TECHNIQUES:
            done = lab.search(technique, graph, counters=False)
            sizes = done.counters["bytes_by_name"]
            own = {name: size for name, size in sizes.items() if name not in GRAPH}
            by_class = BY_CLASS.get(technique, ())
            yield Point(graph.spec, technique, None, footprint(own, graph.vertices, by_class))


def footprint(
    sizes: Mapping[str, int], vertices: int, by_class: Sequence[str] = ()
) -> dict[str, float]:
    """Return what arrays of these bytes are together, and how many queues they hold.

    Parameters
    ----------
    sizes : mapping
        Bytes of each array.
    vertices : int
        V, the entries of a queue.
    by_class : sequence of str
        The arrays that hold a queue for each class, as far as they have room for that many.

    Examples
    --------
    >>> footprint({"level": 40, "next": 40, "next_size": 4}, 10)
    {'vertices': 10, 'arrays': 3, 'queues': 1, 'bytes': 84, 'per_vertex': 8.4}
    >>> footprint({"level": 40, "raw": 40, "classes": 160}, 10, ["classes"])["queues"]
    5
    """
    room = {
        name: size // (ENTRY * vertices)
        for name, size in sizes.items()
        if name != "level" and name not in NO_QUEUES
    }
    most = {name: len(CLASSES) if name in by_class else 1 for name in room}
    total = sum(sizes.values())
    return {
        "vertices": vertices,
        "arrays": len(sizes),
        "queues": sum(min(held, most[name]) for name, held in room.items()),
        "bytes": total,
        "per_vertex": total / vertices,
    }


def _row(point: Point) -> Row:
    version = LIKE.get(point.series, "")
    found = (figure(point.values[name]) for name in ("arrays", "queues", "bytes"))
    theirs = str(QUEUES[version]) if version else "–"
    return (point.series, *found, f"{point.values['per_vertex']:.1f}", theirs)
