"""What each method of generating frontiers saves of a baseline, and what a paper says of that.

The points are those of the experiment xbfs-generation: what each method and each baseline costs in
each level, and which method XBFS gives the level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gpubfs.experiments.cells import listed, mean, times, untold
from gpubfs.experiments.experiment import Point, Verdict
from gpubfs.render.sheets import percentage

SCAN_FREE, SINGLE, NO_QUEUE, DOUBLE = "scan-free", "single-scan", "no-queue", "double-scan"
STRIDED, RESCAN = "strided-scan", "scan again"

#: Each baseline, and whose scans begin its top-down levels.
BASELINES = {"coalesced baseline": DOUBLE, "strided baseline": STRIDED}
COALESCED, STRIDED_BASELINE = BASELINES

#: Each method's technique and options. With alpha=0 every level is bottom-up.
METHODS: dict[str, tuple[str, dict[str, int]]] = {
    SCAN_FREE: (SCAN_FREE, {}),
    SINGLE: (SINGLE, {}),
    NO_QUEUE: (NO_QUEUE, {}),
    RESCAN: (DOUBLE, {}),
    DOUBLE: (DOUBLE, {"alpha": 0}),
    STRIDED: (STRIDED, {"alpha": 0}),
}

#: The paper's shares of the gain, in percent.
SHARES = {SCAN_FREE: 18.0, SINGLE: 15.7, NO_QUEUE: 11.4, DOUBLE: 54.9}


def savings(points: Sequence[Point], graph: str, baseline: str) -> dict[str, float]:
    """Return what each method saves on a graph, as a part of what the baseline costs there."""
    saved = dict.fromkeys(SHARES, 0.0)
    whole = 0.0
    for level, costs in levels_of(points, graph):
        method = level.values["method"]
        saved[method] += (costs[baseline] or 0) - (costs[method] or 0)
        whole += costs[baseline] or 0
    return {name: part / whole if whole else 0.0 for name, part in saved.items()}


def contributions(points: Sequence[Point], graph: str, baseline: str) -> dict[str, float] | None:
    """Return the share of each method in what is saved on a graph; None if nothing is."""
    return _shared(savings(points, graph, baseline)) or None


def average(points: Sequence[Point], baseline: str) -> dict[str, float]:
    """Average the shares in what is saved over the graphs that are searched bottom-up at all.

    A graph counts for as much of its baseline as is saved there, so that shares of next to nothing
    weigh next to nothing. It is empty if nothing is saved.
    """
    each = [savings(points, graph, baseline) for graph in upward(points)]
    return _shared({name: float(np.mean([one[name] for one in each])) for name in SHARES if each})


def _shared(saved: Mapping[str, float]) -> dict[str, float]:
    total = sum(saved.values())
    return {name: part / total for name, part in saved.items()} if total > 0 else {}


def graphs_of(points: Sequence[Point]) -> list[str]:
    """Return the graphs, in the order of the points."""
    return list(dict.fromkeys(point.graph for point in points))


def upward(points: Sequence[Point]) -> list[str]:
    """Return the graphs that are searched bottom-up at all."""
    return graphs_of([point for point in points if point.values["method"] == DOUBLE])


def levels_of(
    points: Sequence[Point], graph: str, scale: float = 1
) -> list[tuple[Point, dict[str, float | None]]]:
    """For each level of a graph one of its points, and the costs of all."""
    found: dict[float, dict[str, float | None]] = {}
    own = [point for point in points if point.graph == graph]
    for point in own:
        cost = point.values["cost"]
        found.setdefault(point.at or 0, {})[point.series] = None if cost is None else scale * cost
    return [(point, found[point.at or 0]) for point in own if point.series == COALESCED]


def largest(shares: Mapping[str, Mapping[str, float]], unit: str) -> Verdict:
    """Whether the method that contributes most is the paper's, whatever the baseline.

    Parameters
    ----------
    shares : mapping
        For each baseline the share of each method.
    unit : str
        What costs are counted in.
    """
    if not all(shares.values()):
        return untold("no graph here has bottom-up levels, or nothing is saved on those that have")
    theirs = max(SHARES, key=lambda name: SHARES[name])
    first = {base: max(own, key=lambda name: own[name]) for base, own in shares.items()}
    detail = "; ".join(
        f"over the {base} {listed(f'{name} {percentage(part)}' for name, part in own.items())}"
        for base, own in shares.items()
    )
    text = f"of the {unit} saved where levels are bottom-up, on average, {detail}"
    more = f"the paper's largest share, of times over Enterprise, is {theirs}'s, {SHARES[theirs]} %"
    same = {name == theirs for name in first.values()}
    if len(same) > 1:
        depends = listed(f"{name} over the {base}" for base, name in first.items())
        return Verdict(None, f"{text}; {more}; here it depends on the baseline: {depends}")
    return Verdict(same.pop(), f"{text}; {more}")


def deepest(
    free: Mapping[str, float], depths: Mapping[str, int], upward: Sequence[str] = ()
) -> Verdict:
    """Whether scan-free contributes more where there are more levels.

    Parameters
    ----------
    free, depths : mapping
        For each graph scan-free's share, and how many levels there are.
    upward : sequence of str
        The graphs that are searched bottom-up at all.
    """
    if len(set(depths.values())) < 2:
        return untold("there are no two graphs with different numbers of levels to compare")
    most = max(depths, key=lambda graph: depths[graph])
    text = (
        f"scan-free's share is largest on {max(free, key=lambda graph: free[graph])}, and {most} "
        f"has the most levels, {depths[most]}"
    )
    if most not in upward:
        text += ", none of them bottom-up, so that scan-free is all that there is"
    agrees = free[most] == max(free.values())
    return Verdict(agrees, f"{text}; the paper's is large on graphs of large diameter")


def planned(levels: Sequence[tuple[str, str]]) -> Verdict:
    """Whether each method is mostly the cheapest where XBFS takes it.

    Parameters
    ----------
    levels : sequence of (str, str)
        For each level the method that XBFS gives it, and the cheapest of those that could be taken.
    """
    if not levels:
        return untold("no graph here has bottom-up levels, so XBFS has nothing to choose")
    taken = {name: [best for method, best in levels if method == name] for name in SHARES}
    right = {name: bests.count(name) for name, bests in taken.items() if bests}
    detail = listed(f"{name} in {many} of {len(taken[name])}" for name, many in right.items())
    text = (
        "of the methods that a level could be given, the one that XBFS gives it is the cheapest: "
        f"{detail} levels"
    )
    seldom = [name for name, many in right.items() if 2 * many <= len(taken[name])]
    if not seldom:
        return Verdict(True, f"{text}; the paper's plan is meant to be the best")
    return Verdict(False, f"{text}: not mostly {listed(seldom)}, and the plan is meant to be best")


def reused(costs: Sequence[tuple[float | None, float | None]]) -> Verdict:
    """Whether taking a bottom-up level's queue costs less than to scan for one and expand it.

    Parameters
    ----------
    costs : sequence
        For each level what no-queue costs there, and what scanning and expanding does; None where a
        level before was not bottom-up.
    """
    ratios = [ours / other for ours, other in costs if ours is not None and other]
    if not ratios:
        return untold("no top-down level comes after a bottom-up one, so that no queue is reused")
    fewer = sum(ratio < 1 for ratio in ratios)
    text = (
        f"in the first top-down level after bottom-up ones, no-queue costs {times(mean(ratios))} "
        f"on average of what two scans and an expansion do, and less in {fewer} of {len(ratios)}"
    )
    detail = f"{text}; the paper reuses the queue to save the scans"
    if 0 < fewer < len(ratios):
        return Verdict(None, f"{detail}: here it depends on the graph")
    return Verdict(fewer > 0, detail)


def cheapest(costs: Mapping[str, float | None]) -> str:
    """Return the method that cost least, of those that a level was measured with.

    >>> cheapest({"scan-free": 7, "no-queue": None, "double-scan": 3, "coalesced baseline": 1})
    'double-scan'
    """
    measured = {name: costs[name] for name in METHODS if costs.get(name) is not None}
    return min(measured, key=lambda name: measured[name] or 0)
