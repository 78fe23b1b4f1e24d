"""Four frontier queues against each other: one for all, a hierarchy, one a block, one in the block.

Hsieh et al., Section V-C and Figure 5: execution times relative to BASE on eight graphs. The
figure's values are not in the text, but the range of HQ's, the average of DFQ's and the gain of
shared memory are. A speedup of -2.94x is read here as 2.94 times slower.

BASE and the two DFQ are one cooperative launch for the whole search, of blocks of 1,024 threads. HQ
is one launch a level here, and the host reads how many vertices it found. So that what is said of
HQ is about the queue and not about who runs the loop, BASE is measured with such a loop, too.

The simulator cannot tell times. It tells how many atomics a queue's tail gets and how evenly
blocks work, by which the paper explains them. er:14,66 is as small as the paper's appu, and has its
degree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpubfs.experiments.cells import (
    CLOSE,
    TIME,
    alike,
    by_graph,
    compared,
    gain,
    listed,
    mean,
    notes,
    pivot,
    quotients,
    ranged,
    times,
    untold,
)
from gpubfs.experiments.contention import (
    BASE,
    COUNTERS,
    DFQ_G,
    IMBALANCE,
    METRICS,
    REMARKS,
    contended,
    uneven,
    weighed,
)
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab
from gpubfs.render.drawing import bars
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.papers import DFQ

if TYPE_CHECKING:
    from matplotlib.figure import Figure


MEASURED = {"sim": METRICS, "gpu": (TIME,)}
BLOCK = 1024

HQ, DFQ_S, BY_HOST = "hierarchical-queue", "dfq-shared", "central-queue by host"

#: Each series' technique and options.
SERIES: dict[str, tuple[str, dict[str, Any]]] = {
    BASE: (BASE, {"loop": "persistent"}),
    BY_HOST: (BASE, {"loop": "host"}),
    HQ: (HQ, {}),
    DFQ_G: (DFQ_G, {}),
    DFQ_S: (DFQ_S, {}),
}

#: Those that the simulator runs: the loop makes a difference for times only.
COUNTED = (BASE, HQ, DFQ_G, DFQ_S)

#: The paper's speedups: of HQ the least and the most, of DFQ the average, of DFQ-S over DFQ-G.
HQ_LEAST, HQ_MOST, DFQ_MEAN, SHARED = -2.94, 1.06, 1.04, 1.04
OVERFLOWING = ("com-lj", "com-orkut", "graph500")

LOOPS = f"{HQ}: {METRICS[0].title} is of one launch, which is one level"

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
    """Return a row for each graph, a column for each queue."""
    points, metrics = report.points, MEASURED[report.machine]
    cells = compared(points, metrics, lambda p: p.series == BASE, lambda p: p.series)
    what = "speedups over" if report.machine == "gpu" else "ratios to"
    footnotes = [*((*REMARKS, LOOPS) if report.machine == "sim" else ()), *notes(points, metrics)]
    return (pivot(f"{what} {BASE} on {report.where}", "graph", cells, footnotes),)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Compare times on gpu, what explains them on sim, and on both who overflows."""
    points = report.points
    degrees = by_graph(points, BASE, "max_degree")
    done = by_graph(points, HQ, MEASURED[report.machine][0].name)
    last = overflowing({g: d for g, d in degrees.items() if g not in done}, degrees)
    if report.machine == "sim":
        blocks = next(point.values["blocks"] for point in points if point.series == BASE)
        claim = f"its two DFQs gain {gain(DFQ_MEAN)} on average, and nothing on appu and com-orkut"
        return contended(points), uneven(points, blocks, BLOCK), weighed(points, claim), last
    seconds = {name: by_graph(points, name, TIME.name) for name in SERIES}
    base, hosted = seconds[BASE], seconds[BY_HOST]
    return (
        average(quotients(base, seconds[DFQ_G]), DFQ_G),
        average(quotients(base, seconds[DFQ_S]), DFQ_S),
        shared(quotients(seconds[DFQ_G], seconds[DFQ_S])),
        hierarchy(quotients(hosted, seconds[HQ]), quotients(base, seconds[HQ])),
        last,
    )


def average(speedups: Mapping[str, float], who: str) -> Verdict:
    """Whether a decentralized queue gains on average what the paper's two do."""
    if not speedups:
        return untold(f"{who} and {BASE} were not both measured on any graph")
    ours = mean(speedups.values())
    text = f"{who}'s gain over {BASE} is {gain(ours)} on average, {_extremes(speedups)}"
    theirs = f"in the paper the two DFQs' is {gain(DFQ_MEAN)} on average"
    return Verdict(alike(ours, DFQ_MEAN), f"{text}; {theirs}")


def shared(speedups: Mapping[str, float]) -> Verdict:
    """Whether shared memory gains what it does in the paper."""
    if not speedups:
        return untold(f"{DFQ_S} and {DFQ_G} were not both measured on any graph")
    ours = mean(speedups.values())
    text = f"{DFQ_S}'s gain over {DFQ_G} is {gain(ours)} on average, {_extremes(speedups)}"
    return Verdict(alike(ours, SHARED), f"{text}; in the paper it is {gain(SHARED)}")


def _extremes(speedups: Mapping[str, float]) -> str:
    """Between which speedups an average is: it hides them."""
    ends = (choose(speedups, key=lambda graph: speedups[graph]) for choose in (min, max))
    least, most = (f"{times(speedups[graph])} on {graph}" for graph in ends)
    return f"from {least} to {most}" if least != most else least


def hierarchy(by_host: Mapping[str, float], persistent: Mapping[str, float]) -> Verdict:
    """Whether the hierarchical queue is within the paper's range, where the loops are the same.

    Parameters
    ----------
    by_host, persistent : mapping
        Its speedups over the central queue with a loop of the host, and over the persistent one.
    """
    if not by_host:
        return untold(f"{HQ} overflowed on every graph")
    low, high = -1 / HQ_LEAST, HQ_MOST
    least, most = min(by_host.values()), max(by_host.values())
    text = (
        f"{HQ} is {ranged(by_host.values())} as fast as {BY_HOST}, which launches for each level "
        f"as it does; in the paper {times(low)} ({HQ_LEAST}) to {times(high)}"
    )
    loop = (
        f"{HQ} is {ranged(persistent.values())} as fast as the persistent {BASE}, whose loop is "
        "another one, too"
    )
    agrees = low * (1 - CLOSE) <= least and most <= high * (1 + CLOSE)
    return Verdict(agrees, f"{text}; {loop}")


def overflowing(failed: Mapping[str, int], degrees: Mapping[str, int]) -> Verdict:
    """Whether it is the graphs with the largest degrees on which the hierarchy overflows."""
    theirs = f"in the paper on {listed(OVERFLOWING)}, whose largest degrees are too large for it"
    passed = {graph: degree for graph, degree in degrees.items() if graph not in failed}
    if not failed:
        most = max(degrees.values(), default=0)
        return untold(f"{HQ} overflows on no graph here, the largest degree is {most:,}; {theirs}")
    detail = listed(f"{graph} (largest degree {degree:,})" for graph, degree in failed.items())
    spared = f"; the other graphs' largest is {max(passed.values()):,}" if passed else ""
    agrees = min(failed.values()) > max(passed.values(), default=0)
    return Verdict(agrees, f"{HQ} overflows on {detail}{spared}; {theirs}")


def draw(report: Report, figure: Figure) -> None:
    """Bars: speedups, or atomics on one address relative to the central queue's."""
    metric = MEASURED[report.machine][0]
    base = {point.graph: point for point in report.points if point.series == BASE}
    ratios = {(p.graph, p.series): metric.ratio(p, base[p.graph]) for p in report.points}
    shown = dict.fromkeys(point.series for point in report.points)
    series = {name: [ratios[graph, name] for graph in base] for name in shown}
    what = "speedup over" if metric.faster else "atomics on the busiest tail relative to"
    axes = figure.subplots()
    bars(axes, list(base), series, "graph", f"{what} {BASE}", scale="ratio")


@reproduces(
    "dfq-speedup",
    paper=DFQ,
    figure="V-C, Figure 5",
    question="Which of four frontier queues is the fastest, and which of them overflow?",
    graphs={
        "sim": ("er:14,66", "kron:16", "kron:17", "powerlaw:100000"),
        "gpu": ("er:14,66", "kron:20", "er:20", "powerlaw:1000000", "grid:1024x1024"),
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
    names = (TIME.name,) if lab.timed else COUNTERS
    blocks = None if lab.timed else lab.resident(BASE, block=BLOCK, loop="persistent")
    for graph in lab.graphs:
        shape: dict[str, Any] = {"max_degree": int(graph.degrees.max()), "blocks": blocks}
        for series in SERIES if lab.timed else COUNTED:
            technique, options = SERIES[series]
            point = replace(lab.point(technique, graph, names, **options), series=series)
            # Blocks of different launches are different blocks: there is nothing to compare.
            blind = {IMBALANCE: None} if series == HQ and not lab.timed else {}
            yield replace(point, values={**point.values, **shape, **blind})
