"""Contention: what insertions cost as they favour fewer and fewer vertices.

Winter et al., Section III-D: a lock for each vertex "results in a high update rate, if the edge
updates do not particularly favor a small set of vertices over the majority"; of updates "close to a
uniform random distribution" 1,000,000 take a few milliseconds. Of updates that do favour a small
set the paper says nothing more.

Here edges begin at a share of the vertices and end at any; the same batch is inserted by a thread
for each update, and by a warp. Deletion locks nothing, and stands beside it: between insertions of
the batch its edges are deleted, also those that the graph had before the first.

On sim how often locks are tried for depends on the order of threads, which is lockstep: all that
want a lock try at once, and again when one of them gives it back, so that n updates of one vertex
take n (n + 1) / 2 attempts. Many edges of one vertex also make a long adjacency, which each further
update looks through: what few vertices cost is not waiting alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gpubfs.dynamic.batch import skewed
from gpubfs.experiments import settings
from gpubfs.experiments.cells import Cell, listed, notes, pivot, times, untold
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.updating import (
    AIMGRAPH,
    DEVICE,
    INSIDE,
    LOCKS,
    MOST_UPDATES,
    RATE,
    TIME,
    average,
    cost,
    opened,
    updatable,
    values_of,
)
from gpubfs.graphs import Graph
from gpubfs.graphs.build import count
from gpubfs.render.drawing import lines, panels
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.papers import AIMGRAPH as PAPER_OF

if TYPE_CHECKING:
    from matplotlib.figure import Figure


METRICS = {"sim": (LOCKS, *DEVICE), "gpu": (TIME, RATE, INSIDE, LOCKS)}

#: Updates of a batch, and shares of the vertices at which its edges begin; 0 is a single vertex.
UPDATES = {"sim": 250, "gpu": 1_000_000}
SHARES = {"sim": (1.0, 0.1, 0.01, 0.0), "gpu": (1.0, 0.1, 0.01, 0.001)}

#: What does an update; deletions are by threads.
THREAD, WARP, DELETION = "thread", "warp", "deletion"

#: How many times the attempts of uniform updates are contention.
CONTENDED = 2

#: "A few milliseconds" for a million updates, as a rate.
FEW_MILLISECONDS = 1e6 / 10e-3

PAPER = Sheet(
    "what the paper's text says",
    (Column("of updates"), Column("rate")),
    (
        ("that do not particularly favour a small set of vertices", "high"),
        ("close to uniform", "1,000,000 insertions in a few milliseconds"),
        ("that favour a small set of vertices", "not said"),
    ),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a row for each share of vertices, a column for each way."""
    metrics = METRICS[report.machine]
    cells: list[Cell] = [
        (f"{p.graph}: {metric.title}", called(p.at), p.series, metric.text(p))
        for metric in metrics
        for p in report.points
        if metric.name in p.values
    ]
    title = f"batches of {_sizes(report)} on {report.where}"
    return (pivot(title, "edges begin at", cells, notes(report.points, metrics)),)


def _sizes(report: Report) -> str:
    sizes = dict.fromkeys(int(point.values["updates"]) for point in report.points)
    return listed(count(size, "update") for size in sizes)


def called(share: Any) -> str:
    """Write a share of vertices.

    >>> called(0.1), called(0.001), called(0.0)
    ('10 % of vertices', '0.1 % of vertices', 'one vertex')
    """
    return f"{100 * share:g} % of vertices" if share else "one vertex"


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Whether few vertices are contended; on gpu how much slower they are."""
    attempts = {way: values_of(report.points, way, "lock_attempts") for way in (THREAD, WARP)}
    updates = values_of(report.points, THREAD, "updates")
    contention = [contended(way, own, updates) for way, own in attempts.items()]
    if report.machine == "sim":
        return (*contention, untold("counters tell no rates of updates"))
    rates = values_of(report.points, THREAD, "rate")
    return (*contention, slower(rates))


def contended(
    way: str, attempts: Mapping[tuple[str, Any], float], updates: Mapping[tuple[str, Any], float]
) -> Verdict:
    """Whether locks are tried for more often where few vertices are favoured.

    Parameters
    ----------
    way : str
        What does an update.
    attempts, updates : mapping
        For each graph and share: attempts on locks, and updates.
    """
    each = {where: attempts[where] / updates[where] for where in attempts}
    worst = {graph: max(own for (g, _), own in each.items() if g == graph) for graph, _ in each}
    even = {graph: each[graph, share] for graph, share in each if share == 1.0}
    if not even:
        return untold("no batch was uniform")
    detail = listed(
        f"{even[graph]:.2f} on {graph} with uniform updates, and up to {worst[graph]:.2f}"
        for graph in even
    )
    text = (
        f"with a {way} for an update, attempts on locks for each are {detail} as they favour few "
        "vertices; in the paper rates are high if they do not"
    )
    more = [worst[graph] > CONTENDED * even[graph] for graph in even]
    return Verdict(True if all(more) else None if any(more) else False, text)


def slower(rates: Mapping[tuple[str, Any], float]) -> Verdict:
    """Whether uniform updates are as fast as in the paper, and those that favour few are slower.

    Parameters
    ----------
    rates : mapping
        For each graph and share insertions a second.
    """
    even = {graph: rates[graph, share] for graph, share in rates if share == 1.0}
    if not even:
        return untold("no batch was uniform")
    least = {graph: min(own for (g, _), own in rates.items() if g == graph) for graph, _ in rates}
    detail = listed(
        f"{even[graph] / 1e6:.1f} million a second on {graph}, "
        f"{times(even[graph] / least[graph])} those of the worst share"
        for graph in even
    )
    text = f"uniform insertions are {detail}; in the paper a million takes a few milliseconds"
    fits = [
        even[graph] >= FEW_MILLISECONDS and even[graph] > CONTENDED * least[graph] for graph in even
    ]
    return Verdict(True if all(fits) else None if any(fits) else False, text)


def draw(report: Report, figure: Figure) -> None:
    """Lines over the share: on gpu rates, on sim attempts for each update."""
    graphs = list(dict.fromkeys(point.graph for point in report.points))
    timed = report.machine == "gpu"
    for axes, graph in zip(panels(figure, graphs), graphs, strict=True):
        curves: dict[str, list[tuple[float, float | None]]] = {}
        for point in report.points:
            if point.graph == graph and "lock_attempts" in point.values:
                each = point.values["lock_attempts"] / point.values["updates"]
                height = point.values["rate"] if timed else each
                curves.setdefault(point.series, []).append((float(point.at or 0), height))
        up = "updates/s" if timed else "attempts on locks for an update"
        places = sorted({at for curve in curves.values() for at, _ in curve})
        across = "share of vertices at which edges begin"
        lines(axes, curves, across, up, scale="log")
        least = min((at for at in places if at), default=1.0)
        axes.set_xscale("symlog", linthresh=least)
        axes.set_xticks(places, [f"{at:g}" for at in places])
        axes.set_xlim(left=-least / 5)


@reproduces(
    "aimgraph-skew",
    paper=PAPER_OF,
    figure="III-D",
    question="What do insertions cost that favour a small set of vertices?",
    graphs={"sim": ("kron:9",), "gpu": ("kron:20",)},
    sheet=PAPER,
    published={"uniform insertions a second, a few milliseconds for a million": FEW_MILLISECONDS},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
    settings={"updates": settings.number(1, MOST_UPDATES), "shares": settings.shares(zero=True)},
)
def aimgraph_skew(
    lab: Lab, *, updates: int | None = None, shares: Sequence[float] | None = None
) -> Iterator[Point]:
    """Insert a batch for each share by threads and by warps, and delete its edges."""
    for graph in updatable(lab):
        for share in shares or SHARES[lab.machine]:
            size = updates or UPDATES[lab.machine]
            found = {way: _updated(lab, graph, size, share, way) for way in (THREAD, WARP)}
            for way, (inserted, _) in found.items():
                yield Point(graph.spec, way, share, inserted)
            yield Point(graph.spec, DELETION, share, found[THREAD][1])


def _updated(
    lab: Lab, graph: Graph, size: int, share: float, way: str
) -> tuple[dict[str, float], dict[str, float]]:
    """Return what insertions and deletions of one batch take."""
    batch = skewed(graph.vertices, size, 1, favoured=share)
    inserted, deleted = [], []
    with opened(lab, AIMGRAPH, graph, update=way) as made:
        made.from_csr(graph)
        for _ in range(lab.repetitions):
            inserted.append(cost(made.insert_edges(batch)))
            deleted.append(cost(made.delete_edges(batch)))
    return average(inserted[-lab.repeats :]), average(deleted[-lab.repeats :])
