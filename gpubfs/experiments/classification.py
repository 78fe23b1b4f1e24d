"""Classes of vertices, by a pass of their own or at once, against searches without classes.

Tödling et al., Section III-B with Figure 2 and Section V with Figure 5, on graphs in compressed
sparse rows: deferred classification, immediate classification, which is often twice as fast or
more, and versions that give each vertex one thread. The figures' values are not in the text, but
what comes of them for GPMA is: of twelve graphs the paper's search is slower on two, and on average
78 % faster. Its own graph is on the pages of faimGraph there, and so it is here in one series, on
pages of 128 bytes; another experiment, faimgraph-overhead, has all sizes of pages.

The search of GPMA, to which both figures compare, goes through a packed memory array. It is based
on Merrill et al.; ours is cta-warp-scan's code, with GPMA's bound on the grid, and cta-warp-scan on
compressed sparse rows stands beside it, so that what gaps cost is seen by itself. GPMA's queue of
edges is in edge-frontier.

The paper's loop over the levels runs on the GPU, ours on the host for all techniques alike, so that
a launch and a read cost more here than there.

The simulator cannot tell times. It tells what immediate classification spares, launches and reads
of queues, what it adds, and how much a search without a queue looks at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from gpubfs.experiments.cells import (
    TIME,
    by_graph,
    compared,
    counted,
    listed,
    mean,
    notes,
    percent,
    pivot,
    quotients,
    ranged,
    times,
    unanimous,
    untold,
)
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.in_structures import InStructure
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.toedling import DEFERRED, FRONTIER, GRAPHS, IMMEDIATE, NAIVE, start
from gpubfs.graphs.build import count
from gpubfs.render.drawing import bars
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.papers import TOEDLING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


GPMA, MERRILL = "gpma", "cta-warp-scan"
PAGED = f"{IMMEDIATE} on pages"

#: On compressed sparse rows.
ON_ROWS = (NAIVE, FRONTIER, "edge-frontier", MERRILL, DEFERRED, IMMEDIATE)

#: Where a structure for graphs that change holds the graph.
IN_STRUCTURES = (
    InStructure(GPMA, "gpma", MERRILL, counted="gaps"),
    InStructure(PAGED, "faimgraph", IMMEDIATE, settings={"block_bytes": 128, "update": "thread"}),
)

SERIES = (*ON_ROWS, *(one.series for one in IN_STRUCTURES))

#: What is held against GPMA's search: the paper's search on pages, and the same one on rows.
CONTENDERS = PAGED, IMMEDIATE

METRICS = {
    "sim": counted("launches", "host_reads", "load_sectors", "atomic_sectors", "warp_steps"),
    "gpu": (TIME,),
}

#: By how much the paper's immediate classification is often faster than deferred, or more.
OFTEN = 2.0

#: On how many of how many graphs the paper's search is faster than GPMA's, and how many times: on
#: average, at least and at most.
FASTER, OF_GRAPHS, SPEEDUP, LEAST, MOST = 10, 12, 1.78, 0.37, 3.1

PAPER = Sheet(
    "the paper's comparison",
    (Column("versions"), Column("what it says", text=True)),
    (
        ("immediate to deferred", f"much better, often by a factor of {OFTEN:g} or more"),
        (
            "without a queue",
            "well enough on shallow graphs; each vertex is looked at in each level",
        ),
        (
            "GPMA",
            f"{FASTER} of {OF_GRAPHS} slower; the speed-up of faimGraph is {percent(SPEEDUP - 1)} "
            f"on average, {LEAST:g} to {MOST:g} times",
        ),
    ),
    ("the figures' values are not in the text", "every search begins at vertex 0"),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a row for each graph, a column for each technique."""
    points, metrics = report.points, METRICS[report.machine]
    cells = compared(points, metrics, lambda p: p.series == DEFERRED, lambda p: p.series)
    what = "speedups over" if report.machine == "gpu" else "ratios to"
    footnotes = [
        *notes(points, metrics),
        "searches begin at vertex 0, or the first with neighbours",
    ]
    return (pivot(f"{what} {DEFERRED} on {report.where}", "graph", cells, footnotes),)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """On gpu who is faster, on sim what is spared; on both who looks at too much."""
    points = report.points
    metric = "seconds" if report.machine == "gpu" else "load_sectors"
    costs = {name: by_graph(points, name, metric) for name in SERIES}
    gaps = in_vain(points, quotients(costs[GPMA], costs[MERRILL]), metric)
    levels = {p.graph: p.values["depth"] + 1 for p in points if p.series == IMMEDIATE}
    naive = shallow(quotients(costs[NAIVE], costs[FRONTIER]), levels, metric)
    if report.machine == "gpu":
        faster = (outperformed(quotients(costs[GPMA], costs[own]), own) for own in CONTENDERS)
        return twice(quotients(costs[DEFERRED], costs[IMMEDIATE])), naive, gaps, *faster
    launches = {name: by_graph(points, name, "launches") for name in (DEFERRED, IMMEDIATE)}
    fewer = {graph: n - launches[IMMEDIATE][graph] for graph, n in launches[DEFERRED].items()}
    ratios = {
        name: quotients(by_graph(points, IMMEDIATE, name), by_graph(points, DEFERRED, name))
        for name in ("load_sectors", "warp_steps")
    }
    return spared(fewer, levels), exchanged(ratios), naive, gaps


def twice(speedups: Mapping[str, float]) -> Verdict:
    """Whether immediate classification is faster, and often twice as fast or more."""
    detail = listed(f"{times(speedup)} on {graph}" for graph, speedup in speedups.items())
    often = [graph for graph, speedup in speedups.items() if speedup >= OFTEN]
    text = (
        f"{IMMEDIATE} is {detail} as fast as {DEFERRED}, {times(mean(speedups.values()))} on "
        f"average, and at least {times(OFTEN)} on {len(often)} of {len(speedups)} graphs; in the "
        f"paper it is much faster, often {times(OFTEN)} or more"
    )
    if mean(speedups.values()) <= 1 or not often:
        return Verdict(False, text)
    return Verdict(True if 2 * len(often) >= len(speedups) else None, text)


def spared(fewer: Mapping[str, int], levels: Mapping[str, int]) -> Verdict:
    """Whether the launch of classification is what immediate classification spares in each level.

    Parameters
    ----------
    fewer : mapping
        For each graph by how many launches immediate classification makes do.
    levels : mapping
        How many levels each search has.
    """
    detail = listed(
        f"{fewer[graph]:,} in {count(levels[graph], 'level')} of {graph}" for graph in fewer
    )
    text = f"{IMMEDIATE} makes fewer launches than {DEFERRED}: {detail}"
    return Verdict(all(fewer[graph] == levels[graph] for graph in fewer), text)


def exchanged(ratios: Mapping[str, Mapping[str, float]]) -> Verdict:
    """Return what immediate classification changes besides; counters cannot say what that gains."""
    changes = listed(
        f"the {name} {listed(f'{times(ratio)} on {graph}' for graph, ratio in found.items())}"
        for name, found in ratios.items()
    )
    return untold(
        f"the simulator cannot tell times: of what {DEFERRED} takes, {IMMEDIATE} takes {changes}, "
        f"and what a launch and a read a level are worth is not counted; in the paper it is often "
        f"{times(OFTEN)} as fast or more"
    )


def shallow(ratios: Mapping[str, float], levels: Mapping[str, int], metric: str) -> Verdict:
    """Whether looking at every vertex costs most in the deepest search, and more than a queue.

    Parameters
    ----------
    ratios : mapping
        How many times the cost of a search with a queue the naive version has; both give each
        vertex one thread.
    levels : mapping
        How many levels each search has.
    metric : str
        What the cost is.
    """
    detail = listed(
        f"{times(ratio)} on {graph} ({count(levels[graph], 'level')})"
        for graph, ratio in ratios.items()
    )
    text = (
        f"{NAIVE}, without a queue, takes in {metric} of {FRONTIER}, which also gives each vertex "
        f"a thread, {detail}"
    )
    claim = "in the paper that works well enough for shallow graphs, and not for large diameters"
    if len(ratios) < 2:
        return untold(f"{text}: one graph has nothing to be compared with; {claim}")
    deepest = max(ratios, key=lambda graph: levels[graph])
    if ratios[deepest] < max(ratios.values()):
        return Verdict(False, f"{text}; {claim}")
    if ratios[deepest] <= 1:
        return untold(
            f"{text}: most where there are the most levels, but less than with a queue "
            f"even there; {claim}"
        )
    return Verdict(True, f"{text}; {claim}")


def in_vain(points: Sequence[Point], ratios: Mapping[str, float], metric: str) -> Verdict:
    """Whether a search of a packed memory array costs more than the same one of sparse rows.

    Parameters
    ----------
    points : sequence of Point
        All measurements.
    ratios : mapping
        For each graph how many times the cost it has.
    metric : str
        What the cost is.
    """
    if not ratios:
        return untold(f"there is nothing here to compare {GPMA} and {MERRILL} on")
    gaps, edges = (by_graph(points, GPMA, name) for name in ("gaps_traversed", "looked_at"))
    shares = [gaps[graph] / max(gaps[graph] + edges[graph], 1) for graph in ratios]
    shown = " to ".join(dict.fromkeys(percent(share) for share in (min(shares), max(shares))))
    detail = listed(f"{times(ratio)} on {graph}" for graph, ratio in ratios.items())
    text = (
        f"{shown} of the positions that {GPMA}'s search looks at are gaps and ends of rows, and in "
        f"{metric} of {MERRILL} it takes {detail}; in "
        "the paper traversing an adjacency has some overhead that sparse rows have not"
    )
    return Verdict(unanimous([ratio > 1 for ratio in ratios.values()]), text)


def outperformed(speedups: Mapping[str, float], own: str) -> Verdict:
    """Whether a search outperforms GPMA's on about as many graphs as in the paper.

    Parameters
    ----------
    speedups : mapping
        For each graph how many times as fast as GPMA's it is.
    own : str
        The search.
    """
    if not speedups:
        return untold(f"there is nothing here to compare {own} and {GPMA} on")
    faster = [graph for graph, speedup in speedups.items() if speedup > 1]
    average = mean(speedups.values())
    text = (
        f"{own} is faster than {GPMA} on {len(faster)} of {len(speedups)} graphs, {times(average)} "
        f"as fast on average, {ranged(speedups.values())}; in the paper, on faimGraph, on "
        f"{FASTER} of {OF_GRAPHS}, {times(SPEEDUP)} on average, {LEAST:g} to {MOST:g}"
    )
    if average <= 1:
        return Verdict(False, text)
    wanted = FASTER / OF_GRAPHS * len(speedups)
    return Verdict(True if len(faster) >= int(wanted) else None, text)


def draw(report: Report, figure: Figure) -> None:
    """Bars: speedups over deferred classification, or sectors relative to it."""
    metric = TIME if report.machine == "gpu" else METRICS["sim"][2]
    base = {point.graph: point for point in report.points if point.series == DEFERRED}
    ratios = {(p.graph, p.series): metric.ratio(p, base[p.graph]) for p in report.points}
    series = {name: [ratios[graph, name] for graph in base] for name in SERIES}
    what = "speedup over" if metric.faster else "sectors loaded relative to"
    axes = figure.subplots()
    bars(axes, list(base), series, "graph", f"{what} {DEFERRED}", scale="ratio")


@reproduces(
    "classification",
    paper=TOEDLING,
    figure="III-B and V, Figures 2 and 5",
    question="Are vertices better classified when they are discovered, or in a pass of its own?",
    graphs=GRAPHS,
    sheet=PAPER,
    published={
        "immediate to deferred, often": OFTEN,
        "graphs on which faimGraph is faster than GPMA": FASTER,
        "of graphs": OF_GRAPHS,
        "faimGraph to GPMA, on average": SPEEDUP,
    },
    tables=tables,
    verdicts=verdicts,
    draw=draw,
)
def classification(lab: Lab) -> Iterator[Point]:
    """Each technique on each graph."""
    names = [metric.name for metric in METRICS[lab.machine]]
    for graph in lab.graphs:
        for technique in ON_ROWS:
            yield lab.point(technique, graph, names, source=start(graph))
        for held in IN_STRUCTURES:
            yield held.point(lab, graph, names, start(graph))
