"""What each way of generating frontiers costs in each level, and what each contributes.

Gaihre et al., Section 6.3, Figure 13: of the gain that XBFS's generation of frontiers brings over
Enterprise, scan-free, single-scan, no queue and double-scan have these shares on average. Here the
techniques run by themselves, level costs are taken from each, and every level is given the method
that XBFS gives it (Figure 7): single-scan before the switch to bottom-up, double-scan bottom-up, no
queue in the first top-down level afterwards, scan-free elsewhere.

What it is compared with is Enterprise's scan and not Enterprise: a level scans the status array
twice by strided segments, and then goes in the same direction as XBFS does. Enterprise's four
queues by degree and its cache of hubs are not there, and the switch is known afterwards, not
predicted. Costs are sectors on sim and the seconds of launches on gpu; counting the frontier's
edges, which decides on the direction, is left out of all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gpubfs.drawing import bars, lines, panels
from gpubfs.experiment import reproduces
from gpubfs.experiments.cells import listed, untold
from gpubfs.experiments.level_costs import Costs, baseline, by_level, edge_shares, searched
from gpubfs.experiments.report import Point, Report, Verdict
from gpubfs.papers import XBFS
from gpubfs.render import Column, Row, Sheet, percentage

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gpubfs.experiments.lab import Lab

SCAN_FREE, SINGLE, NO_QUEUE, DOUBLE = "scan-free", "single-scan", "no-queue", "double-scan"
STRIDED, BASELINE = "strided-scan", "baseline"

#: With alpha=0 every level is bottom-up.
METHODS: dict[str, dict[str, int]] = {
    SCAN_FREE: {},
    SINGLE: {},
    NO_QUEUE: {},
    DOUBLE: {"alpha": 0},
    STRIDED: {"alpha": 0},
}

#: Lanes to a frontier vertex, the same for all that go top-down.
WIDTH = 32

#: A kernel that only bottom-up levels launch.
BOTTOM_UP = "double_scan_count"

#: The paper's shares of the gain, in percent.
SHARES = {SCAN_FREE: 18.0, SINGLE: 15.7, NO_QUEUE: 11.4, DOUBLE: 54.9}

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
    "baseline: two strided scans, then the level in the direction that XBFS takes",
    "double-scan and strided-scan: as they are when every level is bottom-up (alpha=0)",
    "not the paper's set-up: its baseline is the whole of Enterprise, its graphs are other ones",
)


def plan(upward: Sequence[bool]) -> list[str]:
    """The method that XBFS gives each level.

    Parameters
    ----------
    upward : sequence of bool
        For each level whether it is bottom-up.

    Examples
    --------
    >>> plan([False, False, True, False, False])
    ['scan-free', 'single-scan', 'double-scan', 'no-queue', 'scan-free']
    """
    before = upward.index(True) - 1 if True in upward else -1
    methods = []
    for depth, up in enumerate(upward):
        if up:
            methods.append(DOUBLE)
        elif depth and upward[depth - 1]:
            methods.append(NO_QUEUE)
        else:
            methods.append(SINGLE if depth == before else SCAN_FREE)
    return methods


def savings(points: Sequence[Point], graph: str) -> dict[str, float]:
    """What each method saves on a graph, as a part of what the baseline costs there."""
    saved = dict.fromkeys(SHARES, 0.0)
    whole = 0.0
    for level, costs in _levels(points, graph):
        method = level.values["method"]
        saved[method] += (costs[BASELINE] or 0) - (costs[method] or 0)
        whole += costs[BASELINE] or 0
    return {name: part / whole if whole else 0.0 for name, part in saved.items()}


def contributions(points: Sequence[Point], graph: str) -> dict[str, float] | None:
    """The share of each method in what is saved on a graph; None if nothing is."""
    return _shared(savings(points, graph)) or None


def average(points: Sequence[Point]) -> dict[str, float]:
    """The shares in what is saved on average over the graphs that are searched bottom-up at all.

    A graph counts for as much of its baseline as is saved there, so that shares of next to nothing
    weigh next to nothing. It is empty if nothing is saved.
    """
    each = [savings(points, graph) for graph in _upward(points)]
    return _shared({name: float(np.mean([one[name] for one in each])) for name in SHARES if each})


def _shared(saved: Mapping[str, float]) -> dict[str, float]:
    total = sum(saved.values())
    return {name: part / total for name, part in saved.items()} if total > 0 else {}


def tables(report: Report) -> tuple[Sheet, ...]:
    """A sheet of levels for each graph, and one of shares."""
    levels = [_level_sheet(report, graph) for graph in _graphs(report.points)]
    return (*levels, _shares(report.points))


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Who contributes most, where scan-free does, and how often the plan is the cheapest."""
    graphs = _graphs(report.points)
    found = {graph: contributions(report.points, graph) for graph in graphs}
    free = {graph: one[SCAN_FREE] for graph, one in found.items() if one}
    levels = {graph: _levels(report.points, graph) for graph in graphs}
    each = [level for graph in _upward(report.points) for level in levels[graph]]
    right = sum(level.values["method"] == cheapest(costs) for level, costs in each)
    return (
        largest(average(report.points)),
        deepest(free, {graph: len(levels[graph]) for graph in free}),
        planned(right, len(each)),
    )


def largest(shares: Mapping[str, float]) -> Verdict:
    """Whether the method that contributes most is the paper's."""
    if not shares:
        return untold("no graph here has bottom-up levels, or nothing is saved on those that have")
    ours, theirs = (max(found, key=lambda name: found[name]) for found in (shares, SHARES))
    said = listed(f"{name} {percentage(share)}" for name, share in shares.items())
    words = f"of what is saved over the baseline where levels are bottom-up, on average, {said}"
    more = f"the paper's largest share is {theirs}'s, {SHARES[theirs]} %"
    return Verdict(ours == theirs, f"{words}; {more}")


def deepest(free: Mapping[str, float], depths: Mapping[str, int]) -> Verdict:
    """Whether scan-free contributes more where there are more levels."""
    if len(set(depths.values())) < 2:
        return untold("there are no two graphs with different numbers of levels to compare")
    most = max(depths, key=lambda graph: depths[graph])
    words = (
        f"scan-free's share is largest on {max(free, key=lambda graph: free[graph])}, and {most} "
        f"has the most levels, {depths[most]}"
    )
    agrees = free[most] == max(free.values())
    return Verdict(agrees, f"{words}; the paper's is large on graphs of large diameter")


def planned(right: int, levels: int) -> Verdict:
    """Whether the method that XBFS gives a level is mostly the cheapest that was measured."""
    if not levels:
        return untold("no graph here has bottom-up levels, so XBFS has nothing to choose")
    words = f"XBFS's choice is the cheapest of the methods in {right} of {levels} levels"
    more = "of graphs with bottom-up levels; the paper's plan is meant to be the best"
    return Verdict(2 * right > levels, f"{words} {more}")


def cheapest(costs: Mapping[str, float | None]) -> str:
    """The method that cost least, of those that a level was measured with.

    >>> cheapest({"scan-free": 7, "no-queue": None, "double-scan": 3, "baseline": 1})
    'double-scan'
    """
    measured = {name: costs[name] for name in METHODS if costs.get(name) is not None}
    return min(measured, key=lambda name: measured[name] or 0)


def draw(report: Report, figure: Figure) -> None:
    """A panel of levels for each graph, and one of shares beside the paper's."""
    scale, _, unit = UNITS[report.machine]
    graphs = _graphs(report.points)
    *levels, last = panels(figure, [*graphs, "shares of what is saved"])
    for axes, graph in zip(levels, graphs, strict=True):
        found = _levels(report.points, graph, scale)
        series = {
            name: [(level.at or 0, costs[name]) for level, costs in found]
            for name in (*METHODS, BASELINE)
        }
        lines(axes, series, "level", f"cost, {unit}", legend=graph == graphs[0])
        axes.set_yscale("log")
    ours = average(report.points)
    heights = {"here": [100 * ours.get(name, 0) for name in SHARES], "paper": [*SHARES.values()]}
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
    """Every technique on every graph, and the strided scans of its levels by themselves."""
    for graph in lab.graphs:
        costs: dict[str, Costs] = {}
        for name, options in METHODS.items():
            levels, costs[name] = searched(lab, name, graph, width=WIDTH, **options)
        shares = edge_shares(graph, levels)
        methods = plan([(depth, BOTTOM_UP) in costs[NO_QUEUE] for depth in range(len(shares))])
        found = {name: by_level(own) for name, own in costs.items()}
        again = [depth for depth, method in enumerate(methods) if method == NO_QUEUE]
        found[NO_QUEUE] = {depth: found[NO_QUEUE][depth] for depth in again}
        forward = [depth for depth, method in enumerate(methods) if method != DOUBLE]
        found[BASELINE] = baseline(lab, graph, levels, forward, costs[SINGLE], costs[STRIDED])
        for name, own in found.items():
            for depth, method in enumerate(methods):
                about = {"frontier": int(np.count_nonzero(levels == depth))}
                shape = {"edges": shares[depth], "method": method}
                yield Point(graph.spec, name, depth, {"cost": own.get(depth), **about, **shape})


def _graphs(points: Sequence[Point]) -> list[str]:
    return list(dict.fromkeys(point.graph for point in points))


def _upward(points: Sequence[Point]) -> list[str]:
    """The graphs that are searched bottom-up at all."""
    return _graphs([point for point in points if point.values["method"] == DOUBLE])


def _levels(
    points: Sequence[Point], graph: str, scale: float = 1
) -> list[tuple[Point, dict[str, float | None]]]:
    """For each level of a graph the baseline's point, and the costs of all."""
    found: dict[float, dict[str, float | None]] = {}
    own = [point for point in points if point.graph == graph]
    for point in own:
        cost = point.values["cost"]
        found.setdefault(point.at or 0, {})[point.series] = None if cost is None else scale * cost
    return [(point, found[point.at or 0]) for point in own if point.series == BASELINE]


def _text(cost: float | None, digits: int) -> str:
    return "–" if cost is None else f"{cost:,.{digits}f}"


def _level_sheet(report: Report, graph: str) -> Sheet:
    scale, digits, unit = UNITS[report.machine]
    titles = ("level", "frontier", "edges", *METHODS, BASELINE)
    columns = [Column(title, figures=True) for title in titles]
    columns += [Column("XBFS takes"), Column("cheapest")]
    rows: list[Row] = [
        (
            f"{level.at}",
            f"{level.values['frontier']:,}",
            percentage(level.values["edges"]),
            *(_text(costs[name], digits) for name in (*METHODS, BASELINE)),
            level.values["method"],
            cheapest(costs),
        )
        for level, costs in _levels(report.points, graph, scale)
    ]
    left_out = len(rows) - 2 * ENDS
    said = (f"{left_out} levels in the middle are not shown",) if left_out > 0 else ()
    shown = rows if left_out <= 0 else rows[:ENDS] + rows[-ENDS:]
    return Sheet(f"{graph}: {unit} on {report.where}", tuple(columns), tuple(shown), said)


def _shares(points: Sequence[Point]) -> Sheet:
    rows: list[Row] = []
    for graph in _graphs(points):
        found = contributions(points, graph)
        saved = percentage(sum(savings(points, graph).values()))
        shares = (percentage(found[name]) if found else "–" for name in SHARES)
        rows.append((graph, saved, *shares))
    mean = average(points)
    means = (percentage(mean[name]) if mean else "–" for name in SHARES)
    rows.append(("average where bottom-up", "", *means))
    titles = ("saved", *SHARES)
    columns = (Column("graph"), *(Column(title, figures=True) for title in titles))
    return Sheet("shares of what is saved over the baseline", columns, tuple(rows), NOTES)
