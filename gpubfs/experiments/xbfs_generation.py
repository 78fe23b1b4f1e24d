"""What each way of generating frontiers costs in each level, and what each contributes.

Gaihre et al., Section 6.3, Figure 13: of the gain that XBFS's generation of frontiers brings over
Enterprise, scan-free, single-scan, no queue and double-scan have these shares on average. Here the
techniques run by themselves, level costs are taken from each, and every level is given the method
that xbfs gives it (Figure 7): single-scan where lambda predicts the switch to bottom-up, rightly or
not, double-scan bottom-up, no queue in the first top-down level afterwards, scan-free elsewhere.

What it is compared with is not Enterprise but scans: a level scans the status array twice, and then
goes in the same direction as XBFS does. Bottom-up the scans are strided, which is what XBFS blames
(Section 4.2). For top-down levels the paper does not say how Enterprise scans, and in its public
code these scans are coalesced. So there are two baselines, which differ in that: the shares depend
on it, and both are shown. Enterprise's four queues by degree and its cache of hubs are in neither.
Costs are sectors on sim and the seconds of launches on gpu; counting the frontier's edges, which
decides on the direction, is left out of all of the techniques. Sectors are no times, so what is
compared on sim is who contributes most, and not how much.

What single-scan and no queue each gain in the system itself is another question: xbfs is searched
with, with scan-free in the place of the one and of the other. There, what adds up edges is in the
kernels that do everything else, and counted; the scan that measures a level after single-scan, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.level_costs import (
    BASELINES,
    COALESCED,
    DOUBLE,
    METHODS,
    NO_QUEUE,
    RESCAN,
    SCAN_FREE,
    SHARES,
    SINGLE,
    STRIDED,
    Costs,
    average,
    baseline,
    by_level,
    cheapest,
    contributions,
    deepest,
    edge_shares,
    graphs_of,
    largest,
    levels_of,
    planned,
    reused,
    savings,
    searched,
    upward,
)
from gpubfs.experiments.phase_gains import (
    REPLACED,
    gained,
    gains_sheet,
    measured,
    phases_of,
    totals,
)
from gpubfs.experiments.xbfs_searches import typical
from gpubfs.graphs.build import count
from gpubfs.render.drawing import bars, lines, panels
from gpubfs.render.sheets import Column, Row, Sheet, percentage
from gpubfs.search.papers import XBFS
from gpubfs.search.phases import BOTTOM_UP

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: Lanes to a frontier vertex, the same for all that go top-down.
WIDTH = 32

#: What costs are multiplied by in tables, how many decimals they have there, and what they are.
UNITS = {"sim": (1, 0, "sectors"), "gpu": (1e6, 1, "microseconds")}

#: Rows of a long table at each end.
ENDS = 6

PAPER = Sheet(
    "the paper's shares of the gain over Enterprise",
    tuple(Column(name, figures=True) for name in SHARES),
    (tuple(f"{share} %" for share in SHARES.values()),),
)

NOTES = (
    "baselines: two scans, then the level in the direction that XBFS takes; bottom-up they are "
    "strided in both, top-down coalesced in the one and strided in the other",
    "scan again: after a bottom-up level, double-scan's two scans, and expansion",
    "double-scan and strided-scan: as they are when every level is bottom-up (alpha=0)",
    "searches begin at a vertex of median degree",
    "not the paper's set-up: its baseline is the whole of Enterprise, its graphs are other ones",
)


def methods_of(phases: Sequence[str]) -> list[str]:
    """Return the method of each level: its phase, bottom-up that of its queue.

    Parameters
    ----------
    phases : sequence of str
        What xbfs says of each level.

    Examples
    --------
    >>> methods_of(["scan-free", "single-scan", "bottom-up", "no-queue"])
    ['scan-free', 'single-scan', 'double-scan', 'no-queue']
    """
    return [DOUBLE if phase == BOTTOM_UP else phase for phase in phases]


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a sheet of levels for each graph, one of shares, and one of what phases gain."""
    levels = [_level_sheet(report, graph) for graph in graphs_of(report.points)]
    return (*levels, _shares(report.points), gains_sheet(report.points, *UNITS[report.machine]))


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Who contributes most, where scan-free does, and where the plan is the cheapest."""
    points = report.points
    graphs = graphs_of(points)
    found = {graph: contributions(points, graph, COALESCED) for graph in graphs}
    free = {graph: one[SCAN_FREE] for graph, one in found.items() if one}
    levels = {graph: levels_of(points, graph) for graph in graphs}
    bottom_up = upward(points)
    each = [level for graph in bottom_up for level in levels[graph]]
    return (
        largest({name: average(points, name) for name in BASELINES}, UNITS[report.machine][2]),
        deepest(free, {graph: len(levels[graph]) for graph in free}, bottom_up),
        planned([(level.values["method"], cheapest(costs)) for level, costs in each]),
        reused([(costs[NO_QUEUE], costs[RESCAN]) for _, costs in each]),
        *(gained(phase, totals(points), UNITS[report.machine][2]) for phase in REPLACED),
    )


def draw(report: Report, figure: Figure) -> None:
    """Draw a panel of levels for each graph, and one of shares beside the paper's."""
    scale, _, unit = UNITS[report.machine]
    graphs = graphs_of(report.points)
    *levels, last = panels(figure, [*graphs, "shares of what is saved"])
    for axes, graph in zip(levels, graphs, strict=True):
        found = levels_of(report.points, graph, scale)
        series = {
            name: [(level.at or 0, costs[name]) for level, costs in found]
            for name in (*METHODS, *BASELINES)
        }
        lines(axes, series, "level", f"cost, {unit}", scale="log")
    heights = {
        base: [100 * own.get(name, 0) for name in SHARES]
        for base, own in ((base, average(report.points, base)) for base in BASELINES)
    } | {"paper": [*SHARES.values()]}
    bars(last, list(SHARES), heights, "method", "share, %")


@reproduces(
    "xbfs-generation",
    paper=XBFS,
    figure="6.3, Figure 13",
    question="What does each way of generating frontiers contribute?",
    graphs={
        "sim": ("kron:14", "er:12", "powerlaw:4096", "grid:24x24"),
        "gpu": ("kron:19", "er:17", "powerlaw:300000", "grid:256x256"),
    },
    sheet=PAPER,
    published={"shares of the gain, %": SHARES},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
    device="p6000",
)
def xbfs_generation(lab: Lab) -> Iterator[Point]:
    """Every technique on every graph, and the scans of its levels by themselves."""
    for graph in lab.graphs:
        source = typical(graph)
        costs: dict[str, Costs] = {}
        for name, (technique, options) in METHODS.items():
            own_options = {"width": WIDTH, "source": source, **options}
            levels, costs[name] = searched(lab, technique, graph, **own_options)
        shares = edge_shares(graph, levels)
        phases = phases_of(lab, graph, source)
        methods = methods_of(phases)
        found = _candidates({name: by_level(own) for name, own in costs.items()}, methods)
        forward = [depth for depth, method in enumerate(methods) if method != DOUBLE]
        for base, scan in BASELINES.items():
            own = (costs[SINGLE], costs[STRIDED], scan)
            found[base] = baseline(lab, graph, levels, forward, *own)
        found |= measured(lab, graph, source, phases)
        for name, each in found.items():
            for depth, method in enumerate(methods):
                about = {"frontier": int(np.count_nonzero(levels == depth))}
                shape = {"edges": shares[depth], "method": method}
                yield Point(graph.spec, name, depth, {"cost": each.get(depth), **about, **shape})


def _candidates(
    found: dict[str, dict[int, float]], methods: Sequence[str]
) -> dict[str, dict[int, float]]:
    """Return the costs of each method in the levels in which it could be taken.

    A level after a bottom-up one has no queue of its own, which scan-free and single-scan expand;
    only there does a bottom-up level's queue wait to be used, or to be made anew by scans.
    """
    depths = range(len(methods))
    queued = [depth for depth in depths if not depth or methods[depth - 1] != DOUBLE]
    again = [depth for depth in depths if methods[depth] == NO_QUEUE]
    could = {SCAN_FREE: queued, SINGLE: queued, NO_QUEUE: again, RESCAN: again}
    return {
        name: {depth: own[depth] for depth in could.get(name, depths)}
        for name, own in found.items()
    }


def _text(cost: float | None, digits: int) -> str:
    return "–" if cost is None else f"{cost:,.{digits}f}"


def _level_sheet(report: Report, graph: str) -> Sheet:
    scale, digits, unit = UNITS[report.machine]
    titles = ("level", "frontier", "edges", *METHODS, *BASELINES)
    columns = [Column(title, figures=True) for title in titles]
    columns += [Column("XBFS takes"), Column("cheapest")]
    rows: list[Row] = [
        (
            f"{level.at}",
            f"{level.values['frontier']:,}",
            percentage(level.values["edges"]),
            *(_text(costs[name], digits) for name in (*METHODS, *BASELINES)),
            level.values["method"],
            cheapest(costs),
        )
        for level, costs in levels_of(report.points, graph, scale)
    ]
    left_out = len(rows) - 2 * ENDS
    footnotes = (f"left out: {count(left_out, 'level')} in the middle",) if left_out > 0 else ()
    shown = rows if left_out <= 0 else rows[:ENDS] + rows[-ENDS:]
    return Sheet(f"{graph}: {unit} on {report.where}", tuple(columns), tuple(shown), footnotes)


def _shares(points: Sequence[Point]) -> Sheet:
    rows: list[Row] = []
    for base in BASELINES:
        rows.append((base,))
        for graph in graphs_of(points):
            found = contributions(points, graph, base)
            saved = percentage(sum(savings(points, graph, base).values()))
            rows.append((graph, saved, *_percentages(found)))
        rows.append(("average where bottom-up", "", *_percentages(average(points, base))))
    titles = ("saved", *SHARES)
    columns = (Column("graph"), *(Column(title, figures=True) for title in titles))
    return Sheet("shares of what is saved over each baseline", columns, tuple(rows), NOTES)


def _percentages(shares: Mapping[str, float] | None) -> list[str]:
    return [percentage(shares[name]) if shares else "–" for name in SHARES]
