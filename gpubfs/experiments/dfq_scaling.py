"""How the two queues scale with the number of blocks that use them.

Hsieh et al., Section V-B and Figure 6: the speedup of BASE and DFQ-G-2048 over their own times with
one block of 1,024 threads. The figure's values are not in the text; its words are that DFQ scales
better except on appu, a small graph with few frontier vertices in each level, whose sub-queues are
filled unevenly.

Both are one cooperative launch for the whole search. The simulator cannot tell times, and so no
scaling; it tells the two things by which the paper explains it: how many atomics the busiest tail
gets, and how evenly blocks work. appu has about 14,000 vertices, which belong to 14 of 82 blocks;
er:14,66 has as many, and its degree. Other graphs have vertices for every block: what is small is
decided by that, and not by the size of levels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gpubfs.experiments.cells import TIME, notes, percent, pivot, times
from gpubfs.experiments.contention import (
    BASE,
    COUNTERS,
    DFQ_G,
    METRICS,
    REMARKS,
    TAIL,
    owners,
    scattered,
    uneven,
    weighed,
)
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.settings import values_for
from gpubfs.graphs.build import count
from gpubfs.render.drawing import lines, panels
from gpubfs.render.scales import logarithmic
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.papers import DFQ

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: What is measured; the first is what pictures are about.
MEASURED = {"sim": METRICS, "gpu": (TIME,)}

BLOCK = 1024
OPTIONS = {BASE: {"loop": "persistent"}, DFQ_G: {}}

#: Speedups that differ by less are the same. On er:14,66 an H200's went up and down by a tenth from
#: one number of blocks to the next: a search takes 0.1 ms there.
SAME = 1.1

PAPER = Sheet(
    "what the paper says of its figure",
    (Column("graph"), Column("speedup over one block", text=True)),
    (
        ("web-BerkStan, com-orkut", "DFQ-G-2048 scales better than BASE"),
        ("appu", "BASE scales better: a small graph with few frontier vertices in a level"),
    ),
    ("the figure's values are not in the text",),
)


def blocks_up_to(most: int) -> list[int]:
    """Powers of two below, and the most.

    >>> blocks_up_to(6)
    [1, 2, 4, 6]
    """
    return [1 << power for power in range(most.bit_length()) if 1 << power < most] + [most]


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a sheet for each metric: a row for each number of blocks."""
    points, first = report.points, _first(report.points)
    least = _least(points)
    what = "speedups over" if report.machine == "gpu" else "ratios to"
    remarks = REMARKS if report.machine == "sim" else ()
    return tuple(
        pivot(
            f"{metric.title}, with {what} {least}, on {report.where}",
            "blocks",
            [
                (p.graph, f"{p.at}", p.series, metric.against(p, first[p.graph, p.series]))
                for p in points
            ],
            [*notes(points, [metric]), *remarks, f"{BLOCK:,} threads in a block"],
        )
        for metric in MEASURED[report.machine]
    )


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """On gpu who gains more from blocks on each graph; on sim what the paper explains that by."""
    points = report.points
    graphs = list(dict.fromkeys(point.graph for point in points))
    most = int(max(point.at or 0 for point in points))
    if report.machine == "gpu":
        return tuple(_scaling(points, graph, most) for graph in graphs)
    falls = {
        graph: (_fall(points, graph, DFQ_G, TAIL), _fall(points, graph, BASE, TAIL))
        for graph in graphs
    }
    last = [point for point in points if point.at == most]
    claim = f"{DFQ_G} scales better, but worse on its small graph"
    return scattered(falls, most), uneven(last, most, BLOCK), weighed(last, claim)


def _fall(points: Sequence[Point], graph: str, series: str, name: str) -> float:
    """By which factor a value falls from the fewest blocks to the most."""
    chosen = [p for p in points if (p.graph, p.series) == (graph, series)]
    chosen.sort(key=lambda point: point.at or 0)
    return float(chosen[0].values[name] / chosen[-1].values[name])


def _scaling(points: Sequence[Point], graph: str, most: int) -> Verdict:
    """Who becomes faster by more blocks, and what the paper says of graphs of this kind."""
    ours, base = (_fall(points, graph, name, TIME.name) for name in (DFQ_G, BASE))
    vertices = next(p.values["vertices"] for p in points if p.graph == graph)
    own = owners(vertices, most, BLOCK)
    text = (
        f"{graph}: with {most} blocks {DFQ_G} is {times(ours)} as fast as with {_least(points)}, "
        f"and {BASE} {times(base)}"
    )
    small = own < most
    kind = f"{own} of them own vertices" if small else "all of them own vertices"
    theirs = "worse on its small graph, appu" if small else "better"
    detail = f"{text}; {kind}, and in the paper {DFQ_G} scales {theirs}"
    if 1 / SAME < ours / base < SAME:
        return Verdict(None, f"{detail}; here they differ by less than {percent(SAME - 1)}")
    return Verdict((ours > base) is not small, detail)


def draw(report: Report, figure: Figure) -> None:
    """Draw a panel for each graph: speedup, or atomics on one address, against blocks."""
    metric = MEASURED[report.machine][0]
    graphs = list(dict.fromkeys(point.graph for point in report.points))
    first = _first(report.points)
    over = f"speedup over {_least(report.points)}"
    up = over if metric.faster else "atomics on the busiest tail"
    for axes, graph in zip(panels(figure, graphs), graphs, strict=True):
        own = [point for point in report.points if point.graph == graph]
        series: dict[str, list[tuple[float, float | None]]] = {name: [] for name in OPTIONS}
        for p in own:
            ratio = metric.ratio(p, first[p.graph, p.series])
            height = ratio if metric.faster else p.values[metric.name]
            series[p.series].append((p.at or 0, height))
        lines(axes, series, "blocks", up, scale="ratio" if metric.faster else "log")
        logarithmic(axes, sorted({p.at or 0 for p in own}))


@reproduces(
    "dfq-scaling",
    paper=DFQ,
    figure="V-B, Figure 6",
    question="Does a queue for each block scale better with blocks than one for all?",
    graphs={
        "sim": ("er:14,66", "kron:17", "powerlaw:100000"),
        "gpu": ("er:14,66", "kron:19", "powerlaw:1000000"),
    },
    sheet=PAPER,
    published={"scales better": ["web-BerkStan", "com-orkut"], "scales worse": ["appu"]},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
    device="rtx3090",
    settings={"blocks": values_for("dfq-global", "blocks")},
)
def dfq_scaling(lab: Lab, *, blocks: Sequence[int] | None = None) -> Iterator[Point]:
    """Both queues with 1, 2, 4 … blocks up to all that are resident, or with those given."""
    names = (TIME.name,) if lab.timed else COUNTERS
    numbers = sorted(blocks or ()) or blocks_up_to(
        min(lab.resident(name, block=BLOCK, **own) for name, own in OPTIONS.items())
    )
    for graph in lab.graphs:
        for number in numbers:
            for technique, options in OPTIONS.items():
                given = {"block": BLOCK, "blocks": number, **options}
                yield lab.point(technique, graph, names, number, **given)


def _least(points: Sequence[Point]) -> str:
    return count(int(min(point.at or 0 for point in points)), "block")


def _first(points: Sequence[Point]) -> dict[tuple[str, str], Point]:
    """For each graph and queue the measurement with the fewest blocks."""
    ordered = sorted(points, key=lambda point: -(point.at or 0))
    return {(point.graph, point.series): point for point in ordered}
