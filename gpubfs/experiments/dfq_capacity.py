"""What larger sub-queues are worth, which need not be drained so often.

Hsieh et al., Section V-E and Figure 7: speedups of DFQ-G with capacities up to 8,192 over the least
one, 1,024, the threads of a block. The figure's values are not in the text; the average is.

On the simulator, graphs are too small for the sub-queues of a whole GPU ever to fill, so there are
two blocks there, each with thousands of vertices to find. It counts how often sub-queues are
drained, in barriers, and what else changes; it cannot tell what a barrier costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from gpubfs.experiments.cells import (
    TIME,
    alike,
    compared,
    counted,
    gain,
    listed,
    mean,
    notes,
    percent,
    pivot,
    times,
    untold,
)
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.settings import values_for
from gpubfs.render.drawing import bars
from gpubfs.render.scales import mark
from gpubfs.render.sheets import Column, Sheet, percentage
from gpubfs.search.papers import DFQ

if TYPE_CHECKING:
    from matplotlib.figure import Figure


METRICS = {
    "sim": counted("barriers", "grid_syncs", "hottest_ops", "load_sectors", "warp_steps"),
    "gpu": (TIME,),
}
CAPACITIES = (1024, 2048, 4096, 8192)

#: Blocks; 0 is as many as run at the same time.
BLOCKS = {"sim": 2, "gpu": 0}

#: The paper's average speedup over the least capacity, and its two best capacities.
MEAN, BEST = 1.09, (2048, 4096)

#: Speedups that differ by less are the same. On an H200 the slowest of three searches of kron:20
#: took 2.40 ms, the median 2.37.
SAME = 1.02

PAPER = Sheet(
    "the paper's speedups over capacity 1,024",
    (Column("capacities"), Column("speedup", text=True)),
    (("all, on average", f"{MEAN}"), (listed(map(str, BEST)), "the two that compete")),
    ("the figure's values are not in the text", "its GPU is an RTX 3080 there, elsewhere a 3090"),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a row for each graph, a column for each capacity."""
    points, metrics = report.points, METRICS[report.machine]
    least = _capacities(points)[0]
    cells = compared(points, metrics, lambda p: p.at == least, lambda p: f"{p.at:,}")
    what = "speedups over" if report.machine == "gpu" else "ratios to"
    blocks = BLOCKS[report.machine] or "as many as run at the same time"
    footnotes = [*notes(points, metrics), f"blocks: {blocks}"]
    return (pivot(f"{what} capacity {least:,} on {report.where}", "graph", cells, footnotes),)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """On gpu what capacity is worth, on sim what it changes besides."""
    if report.machine == "gpu":
        gains = speedups(report.points)
        return average(gains), best(gains)
    return drained(report.points), changed(report.points)


def speedups(points: Sequence[Point]) -> dict[int, float]:
    """For each capacity its speedup over the least one, on average over the graphs."""
    least, *others = _capacities(points)
    base = {point.graph: point for point in points if point.at == least}
    ratios = {
        capacity: [TIME.ratio(p, base[p.graph]) for p in points if p.at == capacity]
        for capacity in others
    }
    return {capacity: mean(filter(None, found)) for capacity, found in ratios.items()}


def average(gains: Mapping[int, float]) -> Verdict:
    """Whether larger sub-queues gain about what they do in the paper."""
    ours = mean(gains.values())
    text = f"capacities above the least gain {gain(ours)} on average"
    return Verdict(alike(ours, MEAN), f"{text}, in the paper {gain(MEAN)}")


def best(gains: Mapping[int, float]) -> Verdict:
    """Whether the paper's best capacities are best here."""
    detail = listed(
        f"{times(speedup)} with capacity {capacity:,}" for capacity, speedup in gains.items()
    )
    text = f"the speedups are {detail}; in the paper {listed(map(str, BEST))} are competitive"
    most = max(gains.values())
    near = {capacity in BEST for capacity, speedup in gains.items() if most / speedup < SAME}
    if len(near) > 1:
        return Verdict(None, f"{text}; here others come within {percent(SAME - 1)} of the best")
    return Verdict(near.pop(), text)


def drained(points: Sequence[Point]) -> Verdict:
    """Whether larger sub-queues are drained less often, as they are made for."""
    least, *_, most = _capacities(points)
    barriers = _change(points, "barriers")
    text = f"from capacity {least:,} to {most:,} barriers change by {percentage(barriers)}"
    if barriers == 0:
        return untold(f"{text}: no sub-queue fills here, so capacity changes nothing")
    so = "less often" if barriers < 0 else "more often"
    return Verdict(
        barriers < 0, f"{text}: larger sub-queues are drained {so}, and less is what they are for"
    )


def changed(points: Sequence[Point]) -> Verdict:
    """Return what else changes; what that gains, counters cannot say."""
    least, *_, most = _capacities(points)
    sectors, steps = (_change(points, name) for name in ("load_sectors", "warp_steps"))
    return untold(
        f"the simulator cannot tell times: from capacity {least:,} to {most:,} sectors loaded "
        f"change by {percentage(sectors)} and statements by {percentage(steps)}, and what fewer "
        f"barriers gain is not counted; the paper gains {gain(MEAN)} on average"
    )


def draw(report: Report, figure: Figure) -> None:
    """Bars: speedups, or barriers, relative to the least capacity."""
    metric = METRICS[report.machine][0]
    least, *_ = capacities = _capacities(report.points)
    base = {point.graph: point for point in report.points if point.at == least}
    ratios = {(p.graph, p.at): metric.ratio(p, base[p.graph]) for p in report.points}
    series = {f"capacity {c:,}": [ratios[graph, c] for graph in base] for c in capacities}
    what = "speedup over" if metric.faster else "barriers of blocks relative to"
    axes = figure.subplots()
    bars(axes, list(base), series, "graph", f"{what} capacity {least:,}", scale="ratio")
    if metric.faster:
        mark(axes, "x", MEAN, f"the paper's average, {times(MEAN)}")


@reproduces(
    "dfq-capacity",
    paper=DFQ,
    figure="V-E, Figure 7",
    question="How much faster are larger sub-queues?",
    graphs={
        "sim": ("kron:14", "er:14", "powerlaw:16384"),
        "gpu": ("kron:21", "powerlaw:1000000", "er:20"),
    },
    sheet=PAPER,
    published={"average speedup": MEAN, "best capacities": list(BEST)},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
    device="rtx3090",
    settings={"capacities": values_for("dfq-global", "capacity", fewest=2)},
)
def dfq_capacity(lab: Lab, *, capacities: Sequence[int] = CAPACITIES) -> Iterator[Point]:
    """DFQ in global memory with each capacity."""
    names = [metric.name for metric in METRICS[lab.machine]]
    for graph in lab.graphs:
        for capacity in sorted(capacities):
            given = {"capacity": capacity, "blocks": BLOCKS[lab.machine]}
            yield lab.point("dfq-global", graph, names, capacity, **given)


def _capacities(points: Sequence[Point]) -> list[int]:
    return sorted({int(point.at or 0) for point in points})


def _change(points: Sequence[Point], name: str) -> float:
    """By what share a counter's sum over the graphs changes from the least capacity to the most."""
    capacities = _capacities(points)
    low, high = (
        sum(point.values[name] for point in points if point.at == capacity)
        for capacity in (capacities[0], capacities[-1])
    )
    return float(high / low - 1)
