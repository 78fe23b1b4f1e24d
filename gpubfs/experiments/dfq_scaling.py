"""How the two queues scale with the number of blocks that use them.

Hsieh et al., Section V-B and Figure 6: the speedup of BASE and DFQ-G-2048 over their own times with
one block. The figure's values are not in the text; its words are that DFQ scales better except on
appu, a small graph with few frontier vertices in each level.

Both are one cooperative launch for the whole search. The simulator cannot tell times; it tells what
is behind them: how many atomics the busiest address of the launch gets. There a block has 64
threads and not the paper's 1,024, so that even small graphs have work for every block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gpubfs.drawing import lines, logarithmic, panels
from gpubfs.experiment import reproduces
from gpubfs.experiments.cells import TIME, counted, notes, pivot, times
from gpubfs.experiments.report import Point, Report, Verdict
from gpubfs.graphs.build import count
from gpubfs.papers import DFQ
from gpubfs.render import Column, Sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gpubfs.experiments.lab import Lab

#: What is measured; the first is what verdicts and pictures are about.
METRICS = {"sim": counted("hottest_ops", "atomic_lanes"), "gpu": (TIME,)}

BLOCK = {"sim": 64, "gpu": 1024}
BASE, DFQ_G = "central-queue", "dfq-global"
OPTIONS = {BASE: {"loop": "persistent"}, DFQ_G: {}}

#: Levels with fewer vertices on average are small: one sub-queue could hold them.
SMALL = 2048

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
    """A sheet for each metric: a row for each number of blocks."""
    points, first = report.points, _first(report.points)
    least = _least(points)
    what = "speedups over" if report.machine == "gpu" else "ratios to"
    return tuple(
        pivot(
            f"{metric.title}, with {what} {least}, on {report.where}",
            "blocks",
            [
                (p.graph, f"{p.at}", p.series, metric.against(p, first[p.graph, p.series]))
                for p in points
            ],
            [*notes(points, [metric]), f"{BLOCK[report.machine]} threads in a block"],
        )
        for metric in METRICS[report.machine]
    )


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """For each graph who gains more from blocks."""
    graphs = dict.fromkeys(point.graph for point in report.points)
    return tuple(_verdict(report, graph) for graph in graphs)


def gain(report: Report, graph: str, series: str) -> float:
    """What the first metric falls by from the fewest blocks to the most."""
    chosen = [p for p in report.points if (p.graph, p.series) == (graph, series)]
    chosen.sort(key=lambda point: point.at or 0)
    name = METRICS[report.machine][0].name
    return float(chosen[0].values[name] / chosen[-1].values[name])


def _verdict(report: Report, graph: str) -> Verdict:
    ours, base = gain(report, graph, DFQ_G), gain(report, graph, BASE)
    own = [point for point in report.points if point.graph == graph]
    most = max(point.at or 0 for point in own)
    frontier = own[0].values["reached"] / (own[0].values["depth"] + 1)
    if report.machine == "sim":
        return Verdict(
            ours > base,
            f"{graph}: from the fewest blocks to {most:g} the atomics on the busiest address fall "
            f"by a factor of {ours:.2f} with {DFQ_G} and of {base:.2f} with {BASE}; that it "
            "scatters them is the paper's reason for scaling better",
        )
    words = f"{graph}: {most:g} blocks make {DFQ_G} {times(ours)} as fast and {BASE} {times(base)}"
    if frontier < SMALL:
        return Verdict(
            ours <= base,
            f"{words}; its levels have {frontier:,.0f} vertices on average, and on its small "
            f"graph, appu, the paper finds that {DFQ_G} scales worse",
        )
    return Verdict(ours > base, f"{words}; the paper finds that {DFQ_G} scales better")


def draw(report: Report, figure: Figure) -> None:
    """A panel for each graph: speedup, or atomics on one address, against blocks."""
    metric = METRICS[report.machine][0]
    graphs = list(dict.fromkeys(point.graph for point in report.points))
    first = _first(report.points)
    over = f"speedup over {_least(report.points)}"
    up = over if metric.faster else "atomics on the busiest address"
    for axes, graph in zip(panels(figure, graphs), graphs, strict=True):
        own = [point for point in report.points if point.graph == graph]
        series: dict[str, list[tuple[float, float | None]]] = {name: [] for name in OPTIONS}
        for p in own:
            ratio = metric.ratio(p, first[p.graph, p.series])
            height = ratio if metric.faster else p.values[metric.name]
            series[p.series].append((p.at or 0, height))
        lines(axes, series, "blocks", up)
        logarithmic(axes, sorted({p.at or 0 for p in own}))


@reproduces(
    "dfq-scaling",
    paper=DFQ,
    figure="V-B, Figure 6",
    question="Does a queue for each block scale better with blocks than one for all?",
    graphs={
        "sim": ("kron:12", "er:12", "grid:24x24"),
        "gpu": ("kron:18", "er:16", "grid:512x512"),
    },
    sheet=PAPER,
    published={"scales better": ["web-BerkStan", "com-orkut"], "scales worse": ["appu"]},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
    device="rtx3090",
)
def dfq_scaling(lab: Lab, *, blocks: Sequence[int] = ()) -> Iterator[Point]:
    """Both queues with 1, 2, 4 … blocks, or with those given."""
    names = [metric.name for metric in METRICS[lab.machine]]
    for graph in lab.graphs:
        for number in sorted(blocks) or blocks_up_to(lab.multiprocessors):
            for technique, options in OPTIONS.items():
                given = {"block": BLOCK[lab.machine], "blocks": number, **options}
                yield lab.point(technique, graph, names, number, **given)


def _least(points: Sequence[Point]) -> str:
    return count(int(min(point.at or 0 for point in points)), "block")


def _first(points: Sequence[Point]) -> dict[tuple[str, str], Point]:
    """For each graph and queue the measurement with the fewest blocks."""
    ordered = sorted(points, key=lambda point: -(point.at or 0))
    return {(point.graph, point.series): point for point in ordered}
