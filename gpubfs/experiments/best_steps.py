"""From scan-free to best in eight searches, each with an idea more: what each idea gains.

No paper's, so that there is nothing to agree with: verdicts say what was measured. Each step is a
search that `gpubfs run` takes by the name and the options that the table of steps has.

*A launch a level*: the host launches a kernel for each level, and reads whether it found vertices.
*One launch*: the grid stays, and waits at a barrier between two levels. *Edges shared out*: a bit
for each vertex says whether it was visited, and all warps share the edges of a level, whoever has
them. *Bottom-up levels*: vertices of large levels look for a parent. *One block*: a block alone
expands small levels, with its queues in shared memory and the first neighbours of each vertex in a
row; large levels stay the grid's. *Eight blocks*: so does a cluster of eight, with longer rows.
*Chosen by graph*: whether a block, a cluster or the grid alone is of use depends on the graph, and
the host chooses.

A step that does not run where it is measured, as eight blocks on a GPU without clusters, is told
with its reason, and the next one is compared with the last before it that ran.

The simulator cannot tell times. It tells how often the host launches and reads, who waits at which
barrier, and how often warps ask for global memory. On its small graphs all levels have a place in
one block, and most warps of the grid have nothing to do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gpubfs.experiments.best_searches import FIRST, LAST, STEPS, Pairs, chosen, pairs
from gpubfs.experiments.best_sentences import arrived, changed, fastest, gained, led
from gpubfs.experiments.cells import TIME, Cell, Metric, by_graph, notes, pivot, quotients, times
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab
from gpubfs.render.drawing import bars
from gpubfs.render.sheets import Column, Sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOADS = Metric("load_requests", "loads")
METRICS = {
    "sim": (
        Metric("launches", "launches"),
        Metric("host_reads", "reads"),
        Metric("grid_syncs", "grid syncs"),
        Metric("cluster_syncs", "cluster syncs"),
        LOADS,
        Metric("atomic_requests", "atomics"),
    ),
    "gpu": (TIME,),
}

#: What notes say beside what is measured.
REMARKS = {
    "sim": ("reads: with those that only tell how best expanded each level, and are not timed",),
    "gpu": ("the step before: the last one that ran on the graph",),
}

#: The key of what the last step has chosen, in the values of its point.
CHOSEN = "chosen"

NO_FIGURE = "–"

PAPER = Sheet(
    "the steps, as commands take them",
    (Column("step"), Column("search")),
    tuple((step.title, step.call) for step in STEPS),
    ("no paper has these steps",),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return for each graph a row a step: counters, or times with what they gain."""
    points, metrics = report.points, METRICS[report.machine]
    cells = _timed(points) if report.machine == "gpu" else _counted(points, metrics)
    calls = by_graph(points, LAST, CHOSEN)
    own = (f"{LAST} on {graph}: {call}" for graph, call in calls.items())
    remarks = [*notes(points, metrics), *REMARKS[report.machine], *own]
    return (replace(pivot(f"measured on {report.where}", "step", cells, remarks), gap=2),)


def _counted(points: Iterable[Point], metrics: Iterable[Metric]) -> Iterator[Cell]:
    for metric in metrics:
        for point in points:
            yield point.graph, point.series, metric.title, _shown(point, metric)


def _shown(point: Point, metric: Metric) -> str:
    return NO_FIGURE if point.values.get(metric.name) is None else metric.text(point)


def _timed(points: Sequence[Point]) -> Iterator[Cell]:
    first = {point.graph: point for point in points if point.series == FIRST}
    before = {
        (graph, step): its for step, own in pairs(points).items() for graph, (its, _) in own.items()
    }
    for point in points:
        one = point.graph, point.series
        yield *one, TIME.title, _shown(point, TIME)
        yield *one, "over the step before", _gain(point, before.get(one))
        yield *one, f"over {FIRST}", _gain(point, first.get(point.graph))


def _gain(point: Point, base: Point | None) -> str:
    ratio = TIME.ratio(point, base) if base else None
    return NO_FIGURE if ratio is None else times(ratio)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Say what was measured: on gpu what each step gains, on sim what it changes."""
    points = report.points
    beside = pairs(points)
    if report.machine == "sim":
        return led(points), *(changed(step, own) for step, own in beside.items())
    seconds = {step.title: by_graph(points, step.title, TIME.name) for step in STEPS}
    gains = (gained(step, speedups(own)) for step, own in beside.items())
    return *gains, arrived(quotients(seconds[FIRST], seconds[LAST])), fastest(seconds)


def speedups(beside: Pairs) -> dict[str, float]:
    """Return for each graph how many times as fast a step is as the one before.

    Parameters
    ----------
    beside : mapping
        For each graph the points of both.
    """
    ratios = {graph: TIME.ratio(point, before) for graph, (before, point) in beside.items()}
    return {graph: ratio for graph, ratio in ratios.items() if ratio is not None}


def draw(report: Report, figure: Figure) -> None:
    """Bars: speedups over the first step, or how often warps load relative to it."""
    metric = TIME if report.machine == "gpu" else LOADS
    base = {point.graph: point for point in report.points if point.series == FIRST}
    found = {(p.graph, p.series): metric.ratio(p, base[p.graph]) for p in report.points}
    heights = {step.title: [found.get((graph, step.title)) for graph in base] for step in STEPS[1:]}
    what = "speedup over" if metric.faster else "loads relative to"
    axes = figure.subplots()
    bars(axes, list(base), heights, "graph", f"{what} {FIRST}", scale="ratio")


@reproduces(
    "best-steps",
    question="What does each idea gain on the way from scan-free to best?",
    graphs={
        "sim": ("kron:10", "er:10", "grid:8x8", "delaunay:300"),
        "gpu": ("kron:20", "er:20", "grid:1024x1024", "road:65536", "delaunay:65536"),
    },
    sheet=PAPER,
    published={"figures": "none"},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
)
def best_steps(lab: Lab) -> Iterator[Point]:
    """Search each graph by each step."""
    names = [metric.name for metric in METRICS[lab.machine]]
    for graph in lab.graphs:
        for step in STEPS:
            point = step.point(lab, graph, names)
            own = {CHOSEN: chosen(lab, graph)} if step.title == LAST else {}
            yield replace(point, values={**point.values, **own})
