"""Four frontier queues against each other: one for all, a hierarchy, one a block, one in the block.

Hsieh et al., Section V-C and Figure 5: execution times relative to BASE on eight graphs. The
figure's values are not in the text, but the range of HQ's, the average of DFQ's and the gain of
shared memory are. A speedup of -2.94x is read here as 2.94 times slower.

BASE and the two DFQ are one cooperative launch for the whole search, HQ is one launch a level. On
the simulator a block of the three has 64 threads and not the paper's 1,024, so that small graphs
have work for every block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpubfs.drawing import bars
from gpubfs.experiment import reproduces
from gpubfs.experiments.cells import (
    CLOSE,
    TIME,
    by_graph,
    close,
    compared,
    counted,
    listed,
    mean,
    notes,
    pivot,
    quotients,
    times,
    untold,
)
from gpubfs.experiments.report import Point, Report, Verdict
from gpubfs.papers import DFQ
from gpubfs.render import Column, Sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gpubfs.experiments.lab import Lab

METRICS = {"sim": counted("hottest_ops", "atomic_lanes", "load_sectors"), "gpu": (TIME,)}

BASE, HQ, DFQ_G, DFQ_S = "central-queue", "hierarchical-queue", "dfq-global", "dfq-shared"
TECHNIQUES: dict[str, dict[str, Any]] = {BASE: {"loop": "persistent"}, HQ: {}, DFQ_G: {}, DFQ_S: {}}

#: The paper's speedups: of HQ the least and the most, of DFQ the average, of DFQ-S over DFQ-G.
HQ_LEAST, HQ_MOST, DFQ_MEAN, SHARED = -2.94, 1.06, 1.04, 1.04
OVERFLOWING = ("com-lj", "com-orkut", "graph500")

REMARKS = (
    "hottest_ops counts shared memory, too, and is of one launch: of one level with HQ",
    "of dfq-global's sizes, [2b] counts what block b enqueues and [2b + 1] what its warps reserve",
)

PAPER = Sheet(
    "the paper's speedups",
    (Column("queues"), Column("speedup", text=True)),
    (
        ("HQ to BASE", f"{HQ_LEAST} to {HQ_MOST}; overflows on {listed(OVERFLOWING)}"),
        ("DFQ to BASE", f"{DFQ_MEAN} on average; not better on appu and com-orkut"),
        ("DFQ-S to DFQ-G", f"{SHARED}"),
    ),
    ("the figure's values are not in the text",),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """A row for each graph, a column for each queue."""
    points, metrics = report.points, METRICS[report.machine]
    cells = compared(points, metrics, lambda p: p.series == BASE, lambda p: p.series)
    what = "speedups over" if report.machine == "gpu" else "ratios to"
    said = [*(REMARKS if report.machine == "sim" else ()), *notes(points, metrics)]
    return (pivot(f"{what} {BASE} on {report.where}", "graph", cells, said),)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Times on gpu, contention on sim, and on both who overflows."""
    points = report.points
    degrees = by_graph(points, BASE, "max_degree")
    done = by_graph(points, HQ, METRICS[report.machine][0].name)
    last = overflowing({g: d for g, d in degrees.items() if g not in done}, degrees)
    if report.machine == "sim":
        hottest = {name: by_graph(points, name, "hottest_ops") for name in TECHNIQUES}
        where = by_graph(points, DFQ_G, "hottest_address")
        return contention(hottest[DFQ_G], hottest[BASE], where), last
    seconds = {name: by_graph(points, name, "seconds") for name in TECHNIQUES}
    base = seconds[BASE]
    return (
        average(quotients(base, seconds[DFQ_G]), DFQ_G),
        average(quotients(base, seconds[DFQ_S]), DFQ_S),
        shared(quotients(seconds[DFQ_G], seconds[DFQ_S])),
        hierarchy(quotients(base, seconds[HQ])),
        last,
    )


def contention(
    ours: Mapping[str, int], base: Mapping[str, int], where: Mapping[str, str]
) -> Verdict:
    """Whether the busiest address gets fewer atomics where every block has its own tail.

    Parameters
    ----------
    ours, base : mapping
        Atomics on the busiest address for each graph.
    where : mapping
        Our busiest address for each graph.
    """
    ratios = quotients(ours, base)
    said = listed(f"{times(ratio)} on {graph}" for graph, ratio in ratios.items())
    words = f"atomics on the busiest address of {DFQ_G}, relative to {BASE}'s, are {said}"
    worse = [graph for graph, ratio in ratios.items() if ratio >= 1]
    if not worse:
        return Verdict(True, f"{words}: less contention, as the paper says")
    places = listed(f"{graph} (busiest: {where.get(graph)})" for graph in worse)
    return Verdict(False, f"{words}; on {places} that is not less, and the paper says it is")


def average(speedups: Mapping[str, float], who: str) -> Verdict:
    """Whether a decentralized queue is faster on average."""
    if not speedups:
        return untold(f"{who} and {BASE} were not both measured on any graph")
    ours = mean(speedups.values())
    slower = [graph for graph, speedup in speedups.items() if speedup < 1]
    where = f", slower on {listed(slower)}" if slower else ""
    words = f"{who} is {times(ours)} as fast as {BASE} on average{where}"
    return Verdict(ours >= 1, f"{words}; the paper says {times(DFQ_MEAN)} of its two")


def shared(speedups: Mapping[str, float]) -> Verdict:
    """Whether shared memory makes the sub-queues a little faster."""
    if not speedups:
        return untold(f"{DFQ_S} and {DFQ_G} were not both measured on any graph")
    ours = mean(speedups.values())
    words = f"{DFQ_S} is {times(ours)} as fast as {DFQ_G}, in the paper {times(SHARED)}"
    return Verdict(ours >= 1 and close(ours, SHARED), words)


def hierarchy(speedups: Mapping[str, float]) -> Verdict:
    """Whether the hierarchical queue is within the paper's range."""
    if not speedups:
        return untold(f"{HQ} overflowed on every graph")
    least, most = min(speedups.values()), max(speedups.values())
    low, high = -1 / HQ_LEAST, HQ_MOST
    words = (
        f"{HQ} is {times(least)} to {times(most)} as fast as {BASE}, in the paper {times(low)} "
        f"({HQ_LEAST}) to {times(high)}"
    )
    return Verdict(low * (1 - CLOSE) <= least and most <= high * (1 + CLOSE), words)


def overflowing(failed: Mapping[str, int], degrees: Mapping[str, int]) -> Verdict:
    """Whether it is the graphs with the largest degrees on which the hierarchy overflows."""
    theirs = f"the paper's on {listed(OVERFLOWING)}, for their largest degrees"
    passed = {graph: degree for graph, degree in degrees.items() if graph not in failed}
    if not failed:
        most = max(degrees.values(), default=0)
        return untold(f"{HQ} overflows on no graph here, the largest degree is {most:,}; {theirs}")
    said = listed(f"{graph} (largest degree {degree:,})" for graph, degree in failed.items())
    spared = f"; of the others the largest is {max(passed.values()):,}" if passed else ""
    agrees = min(failed.values()) > max(passed.values(), default=0)
    return Verdict(agrees, f"{HQ} overflows on {said}{spared}; {theirs}")


def draw(report: Report, figure: Figure) -> None:
    """Bars: speedups, or atomics on one address relative to the central queue's."""
    metric = METRICS[report.machine][0]
    base = {point.graph: point for point in report.points if point.series == BASE}
    ratios = {(p.graph, p.series): metric.ratio(p, base[p.graph]) for p in report.points}
    series = {name: [ratios[graph, name] for graph in base] for name in TECHNIQUES}
    what = "speedup over" if metric.faster else "atomics on the busiest address relative to"
    axes = figure.subplots()
    bars(axes, list(base), series, "graph", f"{what} {BASE}")
    axes.axhline(1, color="black", linewidth=0.8)


@reproduces(
    "dfq-speedup",
    paper=DFQ,
    figure="V-C, Figure 5",
    question="Which of four frontier queues is the fastest, and which of them overflow?",
    graphs={
        "sim": ("kron:12", "er:12", "powerlaw:4096", "grid:32x32", "kron:16"),
        "gpu": ("kron:19", "er:19", "powerlaw:500000", "grid:1024x1024"),
    },
    sheet=PAPER,
    published={
        "HQ to BASE": [HQ_LEAST, HQ_MOST],
        "DFQ to BASE, average": DFQ_MEAN,
        "DFQ-S to DFQ-G": SHARED,
        "HQ overflows": list(OVERFLOWING),
    },
    tables=tables,
    verdicts=verdicts,
    draw=draw,
    device="rtx3090",
)
def dfq_speedup(lab: Lab) -> Iterator[Point]:
    """Each queue on each graph."""
    names = [*(metric.name for metric in METRICS[lab.machine]), "hottest_address"]
    for graph in lab.graphs:
        largest = {"max_degree": int(graph.degrees.max())}
        for technique, options in TECHNIQUES.items():
            small = {} if lab.timed or technique == HQ else {"block": 64}
            point = lab.point(technique, graph, names, **small, **options)
            yield replace(point, values={**point.values, **largest})
