"""What it is worth to let a thread look at more edges, or fewer.

Tödling et al., Section III-B: the edges that a thread looks at decide where classes end and how
many registers a thread needs. Four worked well for most of the paper's graphs; some performed
better with another value, sometimes by a considerable factor. All of its measurements have four,
and values for others are not in the text.

The simulator cannot tell times. It tells how many statements warps execute, and how many sectors
they load.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from gpubfs.experiments.cells import (
    CLOSE,
    TIME,
    compared,
    counted,
    listed,
    notes,
    of_graphs,
    percent,
    pivot,
    times,
    untold,
)
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.settings import values_for
from gpubfs.experiments.toedling import GRAPHS, IMMEDIATE, start
from gpubfs.render.drawing import lines
from gpubfs.render.scales import logarithmic
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.papers import TOEDLING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


METRICS = {
    "sim": counted("warp_steps", "load_sectors", "launches", "work.imbalance"),
    "gpu": (TIME,),
}
EDGES = (1, 2, 4, 8, 16)

#: The paper's, in all its measurements.
USUAL = 4

PAPER = Sheet(
    "the paper's edges for each thread",
    (Column("edges", figures=True), Column("what it says", text=True)),
    (
        (f"{USUAL}", "worked well for most graphs"),
        ("others", "better for some, sometimes by a considerable factor"),
    ),
    ("its measurements are with 4 only",),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a row for each graph, a column for each number of edges."""
    points, metrics = report.points, METRICS[report.machine]
    base = _base(points)
    cells = compared(points, metrics, lambda p: p.at == base, lambda p: f"{p.at:g}")
    what = "speedups over" if report.machine == "gpu" else "ratios to"
    footnotes = [
        *notes(points, metrics),
        "searches begin at vertex 0, or the first with neighbours",
    ]
    return (pivot(f"{what} {base:g} edges a thread on {report.where}", "graph", cells, footnotes),)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """On gpu whether four edges do, on sim for what counters have their least."""
    if report.machine == "gpu":
        seconds = by_edges(report.points, TIME.name)
        return well(seconds), considerable(seconds)
    least = {name: best(by_edges(report.points, name)) for name in ("warp_steps", "load_sectors")}
    return (cheapest(least),)


def by_edges(points: Sequence[Point], name: str) -> dict[str, dict[int, float]]:
    """One value for each graph and each number of edges."""
    return {
        graph: {int(point.at or 0): point.values[name] for point in own}
        for graph, own in of_graphs(points).items()
    }


def best(values: Mapping[str, Mapping[int, float]]) -> dict[str, int]:
    """Return the number of edges with the least value, for each graph.

    Examples
    --------
    >>> best({"a": {1: 3.0, 4: 2.0}, "b": {1: 3.0, 4: 5.0}})
    {'a': 4, 'b': 1}
    """
    return {graph: min(own, key=lambda edges: own[edges]) for graph, own in values.items()}


def well(seconds: Mapping[str, Mapping[int, float]]) -> Verdict:
    """Whether four edges are about as fast as the best, on most graphs."""
    known = {graph: own for graph, own in seconds.items() if USUAL in own}
    if not known:
        return untold(f"{USUAL} edges a thread, the paper's choice, were not measured")
    lost = {graph: own[USUAL] / min(own.values()) for graph, own in known.items()}
    fine = [graph for graph, ratio in lost.items() if ratio <= 1 + CLOSE]
    text = (
        f"{USUAL} edges a thread take at most {percent(CLOSE)} longer than the best number on "
        f"{len(fine)} of {len(lost)} graphs; in the paper they worked well for most"
    )
    return Verdict(2 * len(fine) > len(lost), text)


def considerable(seconds: Mapping[str, Mapping[int, float]]) -> Verdict:
    """Whether another number of edges is better for some graphs, by more than a tenth."""
    known = {graph: own for graph, own in seconds.items() if USUAL in own}
    if not known:
        return untold(f"{USUAL} edges a thread, the paper's choice, were not measured")
    edges = best(known)
    gains = {graph: own[USUAL] / own[edges[graph]] for graph, own in known.items()}
    detail = listed(f"{edges[g]} on {g} ({times(gain)})" for g, gain in gains.items())
    text = (
        f"the fastest numbers of edges are {detail}, as fast as {USUAL}; in the paper the ideal "
        "number varies, and is better for some graphs by a considerable factor"
    )
    return Verdict(max(gains.values()) > 1 + CLOSE, text)


def cheapest(least: Mapping[str, Mapping[str, int]]) -> Verdict:
    """Return for which numbers of edges counters have their least; times they cannot tell."""
    detail = listed(
        f"the fewest {name} with {listed(f'{edges} on {graph}' for graph, edges in found.items())}"
        for name, found in least.items()
    )
    return untold(
        f"the simulator cannot tell times: {detail}; in the paper the ideal number varies from "
        "graph to graph"
    )


def draw(report: Report, figure: Figure) -> None:
    """Draw a line for each graph: speedups, or statements, relative to the paper's number."""
    metric = METRICS[report.machine][0]
    base = _base(report.points)
    first = {point.graph: point for point in report.points if point.at == base}
    curves = {
        graph: [(float(point.at or 0), metric.ratio(point, first[graph])) for point in own]
        for graph, own in of_graphs(report.points).items()
    }
    what = "speedup over" if metric.faster else "statements of warps relative to"
    axes = figure.subplots()
    lines(axes, curves, "edges for each thread", f"{what} {base:g} edges", scale="ratio")
    logarithmic(axes, sorted({float(point.at or 0) for point in report.points}))


@reproduces(
    "edges-per-thread",
    paper=TOEDLING,
    figure="III-B, edges for each thread",
    question="How many edges should a thread look at?",
    graphs=GRAPHS,
    sheet=PAPER,
    published={"edges": USUAL},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
    settings={"edges": values_for(IMMEDIATE, "edges_per_thread", fewest=2)},
)
def edges_per_thread(lab: Lab, *, edges: Sequence[int] = EDGES) -> Iterator[Point]:
    """Immediate classification with each number of edges."""
    names = [metric.name for metric in METRICS[lab.machine]]
    for graph in lab.graphs:
        for each in sorted(edges):
            options = {"source": start(graph), "edges_per_thread": each}
            yield lab.point(IMMEDIATE, graph, names, each, **options)


def _base(points: Sequence[Point]) -> int:
    """Return the number that others are compared with: the paper's, or the least."""
    known = {int(point.at or 0) for point in points}
    return USUAL if USUAL in known else min(known)
