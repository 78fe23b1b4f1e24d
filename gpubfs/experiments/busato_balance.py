"""Which way to share out a level's edges pays on which class of graphs.

Busato and Bombieri, Section 4 and Figure 6: three searches, each with its own load balancing and
with one of the paper's in its place, without and with supports. Gunrock's device-wide binary search
gives way to the one with unordered prefix sums, BFS-4K's mapping of vertices to warp shuffles,
B40C's scan to theirs. Bars are throughputs on 19 graphs; their values are not in the text, only the
least and the most that is gained. Section 3.3 says besides for whom the binary search is: the best
balance for very irregular graphs, and too much computation for regular ones.

Here all are techniques of one package, which differ in nothing else. What stands for the originals
is the same idea as it was before: `binary-search` with none of the paper's three optimizations, its
prefix sums scanned, its chunks as large as shared memory, leaves in its queue; `virtual-warp`,
without the children that BFS-4K launches for large vertices; `cta-warp-scan`, which like B40C
gathers large vertices always. As in the paper, searches begin at random vertices that have
neighbours, and throughput is all edges of the graph over the mean time. Graphs whose degrees have a
Gini coefficient below 0.3 count as regular: in the paper's Table 1 roads, meshes, and other graphs
without hubs have 0.23 at most, those with hubs 0.35 and more.

The simulator cannot tell throughputs; it tells what they are explained by: how even threads' work
is, how many lanes are at work, how often memory is asked, how many statements are executed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.experiments.balance import (
    BASE,
    BASIC,
    BINARY,
    IMBALANCE,
    MTEPS,
    ORDERED,
    REQUESTS,
    SCAN,
    SHUFFLE,
    STEPS,
    SUPPORTED,
    evener,
    faster,
    fewer,
    found,
    kind,
    minimal,
    minimized,
    most_even,
    mostly,
    overhead,
    ratios,
    spread,
    suited,
)
from gpubfs.experiments.cells import Metric, untold
from gpubfs.experiments.checked import MOST
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.settings import number
from gpubfs.graphs.statistics import gini
from gpubfs.render.drawing import bars
from gpubfs.render.sheets import Column, Row, Sheet
from gpubfs.search.catalogue import techniques
from gpubfs.search.papers import BUSATO

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gpubfs.graphs import Graph
    from gpubfs.search.result import Run

#: What bars are called, and of which technique with which options they are.
SERIES: dict[str, tuple[str, dict[str, Any]]] = {
    BASE: (BASE, {}),
    "virtual-warp": ("virtual-warp", {}),
    SHUFFLE: (SHUFFLE, {"supports": "none"}),
    SHUFFLE + SUPPORTED: (SHUFFLE, {"supports": "auto"}),
    "cta-warp-scan": ("cta-warp-scan", {}),
    SCAN: (SCAN, {"supports": "none"}),
    SCAN + SUPPORTED: (SCAN, {"supports": "auto"}),
    BASIC: (BINARY, {"prefix": "ordered", "chunk": "shared", "leaves": "keep"}),
    ORDERED: (BINARY, {"prefix": "ordered"}),
    BINARY: (BINARY, {}),
}

#: The originals that map vertices and that scan, and what takes their place without supports.
VERTICES, SCANS = ("virtual-warp", SHUFFLE), ("cta-warp-scan", SCAN)

#: For each part of the figure the original, what takes its place, and the paper's speedups.
PARTS = (
    (BASIC, BINARY, (1.0, 12.7)),
    ("virtual-warp", SHUFFLE + SUPPORTED, (0.9, 4.2)),
    ("cta-warp-scan", SCAN + SUPPORTED, (1.0, 9.7)),
)

MEASURED = {
    "sim": (
        Metric(
            IMBALANCE,
            IMBALANCE,
            "accesses of every launch's busiest thread, added up, to those of its threads' mean",
            digits=2,
        ),
        Metric("simt_efficiency", "lanes at work", digits=2),
        Metric(REQUESTS, REQUESTS),
        Metric(STEPS, STEPS),
        Metric("launches", "launches"),
    ),
    "gpu": (Metric(MTEPS, "MTEPS", "millions of the graph's edges per second of the mean time"),),
}

#: Where searches begin, as random numbers have it.
SEED = 1

PAPER = Sheet(
    "what the paper says of its figure",
    (
        Column("original", text=True),
        Column("with the paper's balancing", text=True),
        Column("speedups", figures=True),
    ),
    (
        ("Gunrock", "binary search, unordered prefix sums: better on all graphs", "1 to 12.7"),
        ("BFS-4K", "warp shuffles: better in most cases, but for very irregular degrees", ""),
        ("", "with supports: the best on all graphs", "0.9 to 4.2"),
        ("B40C", "scan: almost always better", "up to 2"),
        ("", "with supports", "1 to 9.7"),
    ),
    ("the figure's values are not in the text",),
)


def present() -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the series whose techniques are in this package.

    Returns
    -------
    dict
        For each name, the technique and its options.
    """
    known = techniques()
    return {name: made for name, made in SERIES.items() if made[0] in known}


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return one sheet: a heading for each graph, a row for each technique."""
    metrics = MEASURED[report.machine]
    rows: list[Row] = []
    heading = ""
    for point in report.points:
        if point.graph != heading:
            heading = point.graph
            rows.append((f"{heading}: {kind(point)}, Gini {point.values['gini']:.2f}",))
        rows.append((point.series, *(metric.text(point) for metric in metrics)))
    columns = (Column("technique"), *(Column(metric.title, figures=True) for metric in metrics))
    meant = tuple(f"{metric.title}: {metric.meaning}" for metric in metrics if metric.meaning)
    return (Sheet(f"ways to share out edges on {report.where}", columns, tuple(rows), meant),)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """On gpu whether each part's replacement is the faster; on sim what the paper gives for it."""
    points = report.points
    if report.machine == "gpu":
        speeds = found(points, MTEPS)
        parts = [faster(speeds, old, new, span) for old, new, span in PARTS]
        plain = [mostly(speeds, old, new) for old, new in (VERTICES, SCANS)]
        classes = (found(points, MTEPS, one) for one in ("irregular", "regular"))
        return (*parts, *plain, suited(*classes))
    return (
        fewer(found(points, REQUESTS), ORDERED, BINARY),
        minimized(found(points, STEPS), found(points, REQUESTS)),
        fewer(found(points, REQUESTS), *VERTICES),
        minimal(ratios(found(points, STEPS), SHUFFLE, VERTICES[0]), *VERTICES),
        spread(found(points, IMBALANCE, "regular"), *VERTICES),
        *(
            evener(found(points, IMBALANCE, "irregular"), name, name + SUPPORTED)
            for name in (SHUFFLE, SCAN)
        ),
        most_even(found(points, IMBALANCE, "irregular")),
        overhead(found(points, STEPS, "regular")),
        untold(
            "the simulator cannot tell throughputs: whether fewer requests, or lanes that do not "
            "wait, pay for the statements that it takes to get there is a matter of time"
        ),
    )


def draw(report: Report, figure: Figure) -> None:
    """Bars for each graph on a scale of powers of ten: throughput, or imbalance."""
    metric = MEASURED[report.machine][0]
    measured = found(report.points, metric.name)
    names = dict.fromkeys(point.series for point in report.points)
    heights = {name: [of.get(name) for of in measured.values()] for name in names}
    axes = figure.subplots()
    up, scale = "imbalance: busiest thread to mean", "ratio"
    if report.machine == "gpu":
        up, scale = metric.title, "log"
    bars(axes, list(measured), heights, "graph", up, scale=scale)


@reproduces(
    "busato-balance",
    paper=BUSATO,
    figure="4, Figure 6",
    question="Which way to share out a level's edges pays on which class of graphs?",
    graphs={
        "sim": ("grid:32x32", "road:1000", "er:10", "kron:11", "powerlaw:4000"),
        "gpu": ("grid:1024x1024", "road:1000000", "er:20", "kron:20", "powerlaw:1000000"),
    },
    sheet=PAPER,
    published={"speedups": {f"{new} to {old}": list(span) for old, new, span in PARTS}},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
    settings={"sources": number(1, MOST)},
)
def busato_balance(lab: Lab, sources: int = 3) -> Iterator[Point]:
    """Every way on every graph, from as many random sources on gpu, from one on sim."""
    for graph in lab.graphs:
        starts = beginnings(graph, sources if lab.timed else 1)
        shape = {"gini": gini(graph.degrees), "vertices": graph.vertices, "edges": graph.edges}
        for series, (technique, options) in present().items():
            given = {**options, "counters": not lab.timed}
            # The first search on a GPU warms up.
            runs = [
                lab.search(technique, graph, source=start, **given)
                for start in (starts[:1] if lab.timed else []) + starts
            ]
            measured = throughput(runs[1:]) if lab.timed else counts(runs[0])
            yield Point(graph.spec, series, None, measured | shape)


def beginnings(graph: Graph, wanted: int) -> list[int]:
    """Return so many random vertices that have neighbours, or vertex 0 where none has.

    Parameters
    ----------
    graph : Graph
        The graph.
    wanted : int
        How many vertices; one may come twice.

    Examples
    --------
    >>> from gpubfs.graphs import graph
    >>> beginnings(graph("star:3"), 2) == beginnings(graph("star:3"), 2)
    True
    """
    connected = np.flatnonzero(graph.degrees)
    chosen = np.random.default_rng(SEED).choice(connected if len(connected) else [0], wanted)
    return [int(start) for start in chosen]


def throughput(runs: Sequence[Run]) -> dict[str, float]:
    """Return millions of all edges, as they are stored, per second of the mean time.

    Parameters
    ----------
    runs : sequence of Run
        Searches of one graph from several sources.
    """
    seconds = sum(done.seconds for done in runs) / len(runs)
    return {MTEPS: runs[0].graph.edges / seconds / 1e6 if seconds else 0.0}


def counts(done: Run) -> dict[str, float]:
    """Return what the simulator counted of one search, and how even its launches were.

    Parameters
    ----------
    done : Run
        A search whose launches were counted.
    """
    works = [launch.counters.work for launch in done.per_launch if launch.counters is not None]
    mean = sum(work.mean for work in works)
    even = sum(work.maximum for work in works) / mean if mean else 0.0
    names = (REQUESTS, STEPS, "simt_efficiency", "launches")
    return {IMBALANCE: even} | {name: done.counters[name] for name in names}
