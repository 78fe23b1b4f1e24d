"""Initialisation: one allocation and kernels, or allocations for each vertex by the host.

Winter et al., Section V-A, Table II: milliseconds of both frameworks on a GTX 780. By these figures
aimGraph is 12.8 to 137.8 times as fast. That contradicts the text beside it, "nearly 300 times
faster", and the abstract, "up to 300x faster", neither of which any row comes near; "even for a low
number of vertices with a high degree the speed up achieved still reaches double digits" agrees with
the rows. Section V gives the GTX 780 "2496 CUDA Cores, 12 SMs and 192 TMUs per SM": 12
multiprocessors with 192 cores each are 2,304.

Both are given the graph as CSR in host memory, and copy it to the device. Times are the host's, of
the whole call; before, kernels were loaded by another graph. They are medians of `repeats`
initialisations, 3 by default, after one that is dropped; the paper's are means of ten. cuSTINGER's
allocations are calls of cudaMalloc, one after another, made from Python: its own host code is C++,
and what Python takes for a call is counted with it. On sim there are counters, from which no
speedups follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from gpubfs.errors import UsageError
from gpubfs.experiments.cells import (
    Metric,
    by_graph,
    listed,
    notes,
    pivot,
    quotients,
    ranged,
    times,
    untold,
)
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.updating import (
    AIMGRAPH,
    CUSTINGER,
    DEVICE,
    HOST,
    ON_DEVICE,
    STRUCTURES,
    TABLE_1,
    TIME,
    average,
    cost,
    held,
    opened,
)
from gpubfs.graphs import Graph
from gpubfs.render.drawing import bars
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.papers import AIMGRAPH as PAPER_OF

if TYPE_CHECKING:
    from matplotlib.figure import Figure


BYTES = Metric("bytes", "bytes", "of device memory that hold the graph, as they were asked for")
#: What stands in the place of figures.
NO_MEMORY = "no memory"

METRICS = {"sim": (*HOST, *DEVICE, BYTES), "gpu": (TIME, ON_DEVICE, *HOST, BYTES)}

#: Table II: milliseconds of aimGraph and of cuSTINGER, which ran out of memory on the last.
MILLISECONDS: Mapping[str, tuple[float, float | None]] = {
    "Luxembourg": (3.13, 110.5),
    "coAuthorsDBLP": (6.687, 289.6),
    "ldoor": (53.704, 1053.2),
    "audikw1": (86.713, 1108.6),
    "Germany": (101.68, 14010.7),
    "nlpkt160": (228.13, None),
}
#: What the rows give, and what the text and the abstract say.
RATIOS = {name: theirs / ours for name, (ours, theirs) in MILLISECONDS.items() if theirs}
SAID = 300

PAPER = Sheet(
    "the paper's Table II in milliseconds",
    (
        Column("graph"),
        *(Column(title, figures=True) for title in ("aimGraph", "cuSTINGER", "ratio")),
    ),
    tuple(
        (name, str(ours), *((str(theirs), times(theirs / ours)) if theirs else (NO_MEMORY, "–")))
        for name, (ours, theirs) in MILLISECONDS.items()
    ),
    (
        f"the text says nearly {SAID} times, the abstract up to {SAID}x; by the rows it is at most "
        f"{times(max(RATIOS.values()))}",
        "means of ten initialisations",
    ),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a row for each graph, a column for each structure."""
    metrics = METRICS[report.machine]
    points = [point for point in report.points if not point.note]
    base = {point.graph: point for point in points if point.series == AIMGRAPH}
    cells = [
        (metric.title, p.graph, p.series, NO_MEMORY if p.note else metric.against(p, base[p.graph]))
        for metric in metrics
        for p in report.points
        if p.graph in base
    ]
    title = f"initialisation, ratios to {AIMGRAPH}, on {report.where}"
    return (pivot(title, "graph", cells, notes(report.points, metrics)),)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Return who allocates how often; on gpu by how much aimgraph is faster, and where most."""
    counts = {name: by_graph(report.points, name, "allocations") for name in STRUCTURES}
    vertices = by_graph(report.points, AIMGRAPH, "vertices")
    who = allocating(counts[AIMGRAPH], counts[CUSTINGER], vertices)
    if report.machine == "sim":
        return who, untold(f"counters tell no times: {_table()}")
    seconds = {name: by_graph(report.points, name, "seconds") for name in STRUCTURES}
    speedups = quotients(seconds[CUSTINGER], seconds[AIMGRAPH])
    degrees = by_graph(report.points, AIMGRAPH, "degree")
    return who, faster(speedups), sparsest(speedups, degrees)


def allocating(
    once: Mapping[str, float], often: Mapping[str, float], vertices: Mapping[str, float]
) -> Verdict:
    """Whether one structure allocates once, and the other for every vertex.

    Parameters
    ----------
    once, often : mapping
        For each graph the allocations of aimgraph and of custinger.
    vertices : mapping
        Of each graph.
    """
    single = set(once.values()) == {1}
    ours = "once" if single else f"{max(once.values()):,.0f} times at the most"
    text = f"{AIMGRAPH} allocates {ours}, whatever the graph"
    if not often:
        return untold(f"{text}, and no graph fitted into {CUSTINGER}")
    each = ranged(often[graph] / vertices[graph] for graph in often)
    text = f"{text}, and {CUSTINGER} {each} for each vertex"
    return Verdict(single and all(often[graph] >= vertices[graph] for graph in often), text)


def faster(speedups: Mapping[str, float]) -> Verdict:
    """Whether aimgraph initialises as many times as fast as in the paper's table.

    Parameters
    ----------
    speedups : mapping
        For each graph how many times as fast.
    """
    if not speedups:
        return untold("no graph fitted into both structures")
    detail = listed(f"{times(ratio)} on {graph}" for graph, ratio in speedups.items())
    text = f"{AIMGRAPH} initialises {detail} as fast as {CUSTINGER}; {_table()}"
    least = min(RATIOS.values())
    if min(speedups.values()) >= least:
        return Verdict(True, text)
    return Verdict(False if max(speedups.values()) < least else None, text)


def sparsest(speedups: Mapping[str, float], degrees: Mapping[str, float]) -> Verdict:
    """Whether the advantage is largest where there are few edges for each vertex.

    Parameters
    ----------
    speedups : mapping
        For each graph how many times as fast.
    degrees : mapping
        For each graph the edges of a vertex on average.
    """
    if len(speedups) < 2:
        return untold("one graph has nothing to be compared with")
    best = max(speedups, key=lambda graph: speedups[graph])
    ranks = sorted(speedups, key=lambda graph: degrees[graph])
    text = (
        f"the advantage is largest on {best}, with {degrees[best]:.1f} edges a vertex; in the "
        "paper where there are many vertices and few edges"
    )
    return Verdict(ranks.index(best) < len(ranks) / 2, text)


def _table() -> str:
    return (
        f"in the paper's table {ranged(RATIOS.values())}, in its text nearly {SAID} times and in "
        f"its abstract up to {SAID}x"
    )


def draw(report: Report, figure: Figure) -> None:
    """Bars: on gpu milliseconds, on sim allocations."""
    name, up = ("seconds", "seconds") if report.machine == "gpu" else (HOST[1].name, HOST[1].title)
    graphs = list(dict.fromkeys(point.graph for point in report.points))
    found = {(p.graph, p.series): p.values.get(name) for p in report.points}
    axes = figure.subplots()
    heights = {s: [found.get((g, s)) for g in graphs] for s in STRUCTURES}
    bars(axes, graphs, heights, "graph", up, scale="log")


@reproduces(
    "aimgraph-init",
    paper=PAPER_OF,
    figure="V-A, Table II",
    question="How much faster is a graph put into one allocation than into one for each vertex?",
    graphs=TABLE_1,
    sheet=PAPER,
    published={"milliseconds": MILLISECONDS, "ratio in text and abstract": SAID},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
)
def aimgraph_init(lab: Lab) -> Iterator[Point]:
    """Each graph into each structure; what finds no memory is a point with a note."""
    for graph in lab.graphs:
        for name in STRUCTURES:
            yield _initialised(lab, name, graph)


def _initialised(lab: Lab, name: str, graph: Graph) -> Point:
    """Return what an initialisation takes: on gpu of the median one."""
    import simulator

    shape = {"vertices": graph.vertices, "degree": graph.edges / graph.vertices}
    found = []
    try:
        for _ in range(lab.repetitions):
            with opened(lab, name, graph) as made:
                found.append(cost(made.from_csr(graph)) | {"bytes": held(made)})
    except (UsageError, simulator.OutOfMemoryError) as error:
        return Point(graph.spec, name, None, shape, f"{name} on {graph.spec}: {error.message}")
    times = {key: lab.steady([one[key] for one in found]) for key in (TIME.name, ON_DEVICE.name)}
    return Point(graph.spec, name, None, average(found) | times | shape)
