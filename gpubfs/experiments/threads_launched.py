"""How many threads classes of vertices launch, level by level.

Tödling et al., Section V: their search launches as many threads as the vertices of each class need,
so that very large frontiers slow it down by the scheduling of threads. On wikipedia-20070206 a few
levels have hundreds of thousands of medium vertices, thousands of large and several hundred huge
ones, and launch well over 20 million threads, the largest portion of them for medium vertices.

Deferred classification is searched with, whose pass is a row of its own; the other rows are those
of immediate classification, too. Grids for small, medium and large vertices are the same wherever
warps have 32 lanes. Those for huge vertices and for their maximum are bounded by the blocks that
run at the same time, which GPUs differ in: here the huge vertices of a level take turns, and the
paper's get as many threads each as the largest of them needs. How many these would be is told
beside the threads that were launched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gpubfs.experiments.cells import Cell, listed, percent, pivot, untold
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.toedling import DEFERRED, GRAPHS, start
from gpubfs.graphs.build import count
from gpubfs.render.drawing import lines, panels
from gpubfs.render.sheets import Column, Sheet, figure
from gpubfs.search.classes import CLASSES, Classification
from gpubfs.search.papers import TOEDLING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gpubfs.host import Launch
    from gpubfs.search.result import Run


#: What is launched, by kernel, in the order of tables.
KERNELS = {
    "classify_raw": "classification",
    **{f"explore_{name}": name for name in CLASSES},
    "largest_degree": "maximum",
}

#: Lanes of a warp, on every GPU that the simulator or NVIDIA has.
WARP = 32

#: The paper's threads on wikipedia-20070206, and that graph's edges.
THREADS, EDGES = 20_000_000, 45_030_389
MOST = "medium"

#: Levels of a long search that a table shows: those with the most threads.
SHOWN = 12

PAPER = Sheet(
    "the paper's threads",
    (Column("graph"), Column("edges", figures=True), Column("threads", text=True)),
    (("wikipedia-20070206", f"{EDGES:,}", f"well over {THREADS:,}, the largest portion {MOST}"),),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a sheet for each graph: a row for each level, a column for each class."""
    graphs = dict.fromkeys(point.graph for point in report.points)
    return tuple(_sheet(report, graph) for graph in graphs)


def _sheet(report: Report, graph: str) -> Sheet:
    own = [point for point in report.points if point.graph == graph]
    by_level: Counter[int] = Counter()
    for point in own:
        by_level[int(point.at or 0)] += point.values["threads"]
    shown = sorted(level for level, _ in by_level.most_common(SHOWN))
    found: dict[tuple[int, str], Point] = {(int(p.at or 0), p.series): p for p in own}
    cells: list[Cell] = [
        ("", str(level), name, _cell(found.get((level, name))))
        for level in shown
        for name in KERNELS.values()
    ]
    totals = by_series(own)
    cells += [("", "all", name, figure(totals.get(name, 0))) for name in KERNELS.values()]
    remarks = ["threads, and in brackets the vertices that they are for"]
    if len(by_level) > len(shown):
        remarks.append(f"of {len(by_level):,} levels those {SHOWN} with the most threads")
    return pivot(f"threads on {graph}: {sum(totals.values()):,}", "level", cells, remarks)


def _cell(point: Point | None) -> str:
    if point is None:
        return ""
    return f"{point.values['threads']:,} ({point.values['vertices']:,})"


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """How many threads there are, and whose."""
    totals: dict[str, Mapping[str, int]] = {}
    unbounded: dict[str, Mapping[str, int]] = {}
    edges: dict[str, int] = {}
    for graph in dict.fromkeys(point.graph for point in report.points):
        own = [point for point in report.points if point.graph == graph]
        totals[graph] = by_series(own)
        unbounded[graph] = by_series(own, "unbounded")
        edges[graph] = own[0].values["edges"]
    sums = {graph: sum(each.values()) for graph, each in totals.items()}
    return launched(sums, edges), share(totals, unbounded)


def by_series(points: Sequence[Point], name: str = "threads") -> dict[str, int]:
    """Threads of each class, added up over the levels."""
    found: Counter[str] = Counter()
    for point in points:
        found[point.series] += point.values[name]
    return dict(found)


def launched(threads: Mapping[str, int], edges: Mapping[str, int]) -> Verdict:
    """Whether graphs as large as the paper's launch as many threads.

    Parameters
    ----------
    threads, edges : mapping
        For each graph the threads of its search, and its edges.
    """
    detail = listed(
        f"{count(n, 'thread')} on {graph} ({count(edges[graph], 'edge')})"
        for graph, n in threads.items()
    )
    text = f"searches launch {detail}; the paper's well over {THREADS:,} with {EDGES:,} edges"
    large = [graph for graph in threads if edges[graph] >= EDGES]
    if not large:
        return untold(f"{text}; no graph here is as large")
    return Verdict(all(threads[graph] > THREADS for graph in large), text)


def share(
    totals: Mapping[str, Mapping[str, int]], unbounded: Mapping[str, Mapping[str, int]]
) -> Verdict:
    """Whether medium vertices have the largest portion of threads, where there are huge ones.

    Parameters
    ----------
    totals, unbounded : mapping
        For each graph the threads of each class, as they are launched and as they would be if huge
        vertices did not take turns.
    """
    uneven = {graph: each for graph, each in totals.items() if each.get("huge")}
    if not uneven:
        return untold("no search meets a huge vertex, as the paper's does")
    counted = [(graph, each, unbounded[graph]) for graph, each in uneven.items()]
    most = [
        max(each, key=lambda name: each[name]) == MOST
        for _, launched, wanted in counted
        for each in (launched, wanted)
    ]
    detail = listed(
        f"{_portion(launched)} on {graph}, {_portion(wanted)} if all huge ones had theirs at once"
        for graph, launched, wanted in counted
    )
    text = f"of graphs with huge vertices, {MOST} ones have this much of the threads: {detail}"
    agrees = most[0] if len(set(most)) == 1 else None
    return Verdict(agrees, f"{text}; in the paper the largest portion")


def _portion(threads: Mapping[str, int]) -> str:
    return percent(threads.get(MOST, 0) / sum(threads.values()))


def draw(report: Report, figure: Figure) -> None:
    """Draw a panel for each graph: threads over levels, a line for each class."""
    graphs = list(dict.fromkeys(point.graph for point in report.points))
    for axes, graph in zip(panels(figure, graphs), graphs, strict=True):
        curves: dict[str, list[tuple[float, float | None]]] = {}
        for point in report.points:
            if point.graph == graph:
                place = float(point.at or 0), float(point.values["threads"])
                curves.setdefault(point.series, []).append(place)
        lines(axes, curves, "level", "threads", scale="log")


def class_sizes(done: Run) -> list[dict[str, int]]:
    """Count the vertices of each class in each level; all of them are those of classification."""
    options = {name: int(done.options[name]) for name in ("edges_per_thread", "block")}
    limits = Classification(warp_size=WARP, **options).limits
    reached = done.levels >= 0
    kinds = np.searchsorted(limits, done.graph.degrees[reached])
    cells = done.levels[reached] * len(CLASSES) + kinds
    counts = np.bincount(cells, minlength=(done.depth + 1) * len(CLASSES))
    return [
        {"classification": sum(row)} | dict(zip(CLASSES, row, strict=True))
        for row in counts.reshape(-1, len(CLASSES)).tolist()
    ]


@reproduces(
    "threads-launched",
    paper=TOEDLING,
    figure="V, threads launched",
    question="How many threads does a level launch, and for which class of vertices?",
    graphs=GRAPHS,
    sheet=PAPER,
    published={"threads": THREADS, "edges": EDGES, "largest portion": MOST},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
)
def threads_launched(lab: Lab) -> Iterator[Point]:
    """One search of each graph; grids are known without counters."""
    for graph in lab.graphs:
        done = lab.search(DEFERRED, graph, counters=False, source=start(graph))
        sizes = class_sizes(done)
        for launch in done.per_launch:
            name = KERNELS[launch.kernel]
            vertices = sizes[launch.depth][{"maximum": "huge"}.get(name, name)]
            values = threads_of(launch, vertices) | {"vertices": vertices, "edges": graph.edges}
            yield Point(graph.spec, name, launch.depth, values)


def threads_of(launch: Launch, vertices: int) -> dict[str, int]:
    """Count the threads of a launch, and what they would be if no vertex had to wait for its turn.

    Parameters
    ----------
    launch : Launch
        One kernel of a search; that for huge vertices has a row of blocks for those at work.
    vertices : int
        How many it is for.
    """
    (across, rows), block = launch.grid[:2], int(np.prod(launch.block))
    wanted = vertices if launch.kernel == "explore_huge" else rows
    return {"threads": across * rows * block, "unbounded": across * wanted * block}
