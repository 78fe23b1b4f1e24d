"""What each level costs with each method, and the share of each method in what is saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.experiments.cells import listed, mean, times, untold
from gpubfs.experiments.experiment import Point, Verdict
from gpubfs.experiments.lab import Lab
from gpubfs.graphs import Graph
from gpubfs.host import DeviceArray, Host
from gpubfs.render.sheets import percentage
from gpubfs.search.catalogue import find
from gpubfs.search.queues import BLOCK_256
from gpubfs.search.status_scan import MOST_BLOCKS

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What each method of generating frontiers saves of a baseline, and what a paper says of that.
#
# The points are those of the experiment xbfs-generation: what each method and each baseline costs
# in each level, and which method XBFS gives the level.


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


# What searches cost level by level: sectors on sim, seconds on gpu.


#: The kernel that counts a frontier's edges, to decide on the next level's direction.
DECIDING = "frontier_edges"

#: The kernel of single-scan that expands a level.
EXPANSION = "single_scan_expand"

#: The launches of one scan.
STAGES = 3

#: The cost of each kernel in each level.
Costs = Mapping[tuple[int, str], float]


def searched(
    lab: Lab, technique: str, graph: Graph, **options: Any
) -> tuple[NDArray[np.int32], Costs]:
    """Return the levels that a search finds, and what each kernel cost in each of them."""
    repetitions: list[dict[tuple[int, str], float]] = []
    for _ in range(lab.repetitions):
        run = lab.search(technique, graph, counters=True, **options)
        repetitions.append({})
        for launch in run.per_launch:
            key = launch.depth, launch.kernel
            repetitions[-1][key] = repetitions[-1].get(key, 0) + lab.cost(launch)
    return run.levels, {
        key: lab.steady([repetition[key] for repetition in repetitions]) for key in repetitions[0]
    }


def by_level(costs: Costs) -> dict[int, float]:
    """Return the cost of each level without what the choice of a direction costs.

    >>> by_level({(0, "scan_free"): 5, (0, "frontier_edges"): 1, (1, "scan_free"): 7})
    {0: 5, 1: 7}
    """
    found: dict[int, float] = {}
    for (depth, kernel), cost in costs.items():
        if kernel != DECIDING:
            found[depth] = found.get(depth, 0) + cost
    return found


def edge_shares(graph: Graph, levels: NDArray[np.int32]) -> list[float]:
    """For each level, its vertices' share of all edges."""
    reached = levels >= 0
    edges = np.bincount(levels[reached], weights=graph.degrees[reached])
    return [float(share) for share in edges / max(graph.edges, 1)]


def baseline(
    lab: Lab,
    graph: Graph,
    levels: NDArray[np.int32],
    top_down: Sequence[int],
    single: Costs,
    bottom_up: Costs,
    scan: str,
) -> dict[int, float]:
    """Return what a search costs whose every level begins with two scans.

    Parameters
    ----------
    lab, graph, levels
        Where, what, and the distances.
    top_down : sequence of int
        The levels that go top-down: their scans are launched, and expanded as single-scan does.
    single, bottom_up : mapping
        The costs of single-scan, and of a technique whose levels all go bottom-up.
    scan : str
        The technique whose two scans make the queues of `top_down`.
    """
    lab.tell(f"{scan}'s scans of {len(top_down)} levels on {graph.spec}")
    scans = scanned(lab, graph, levels, top_down, scan)
    down = {depth: scans[depth] + single[depth, EXPANSION] for depth in top_down}
    return by_level(bottom_up) | down


def scanned(
    lab: Lab, graph: Graph, levels: NDArray[np.int32], depths: Sequence[int], scan: str
) -> dict[int, float]:
    """Return what a technique's two scans cost where they make the queue of each of `depths`."""
    with lab.open() as machine:
        host = Host(machine, find(scan).path, {"OFFSET": "int"})
        _scan(lab, host, graph, levels, depths, scan.replace("-", "_"))
        costs = [lab.cost(launch) for launch in host.finish()[1]]
    scans = [sum(costs[first : first + STAGES]) for first in range(0, len(costs), STAGES)]
    starts = range(0, len(scans), lab.repetitions)
    each = [lab.steady(scans[start : start + lab.repetitions]) for start in starts]
    return dict(zip(depths, each, strict=True))


def _scan(
    lab: Lab,
    host: Host,
    graph: Graph,
    levels: NDArray[np.int32],
    depths: Sequence[int],
    kernels: str,
) -> None:
    """Launch the scans of each level as often as the lab wants, on the statuses of that time."""
    scan = TwoScans(host, kernels, graph.vertices)
    queue = host.empty("frontier", graph.vertices)
    for depth in depths:
        level = host.array("level", np.where(levels <= depth, levels, np.int32(-1)))
        for _ in range(lab.repetitions):
            scan.launch(level, depth, queue)
        host.free(level)


class TwoScans:
    """The two scans of double-scan or strided-scan, with a prefix sum between, by themselves.

    Parameters
    ----------
    host : Host
        Of one of the two kernel files.
    kernels : str
        What the names of its scans begin with: double_scan or strided_scan.
    vertices : int
        Entries of the status array.
    """

    def __init__(self, host: Host, kernels: str, vertices: int) -> None:
        self._host, self._kernels, self._vertices = host, kernels, vertices
        self._block = int(BLOCK_256.default)
        widths = host.blocks(vertices, host.warp_size)
        self._blocks = min(host.blocks(widths, self._block), MOST_BLOCKS)
        self._place = host.empty("place", self._blocks * self._block)
        self._totals = host.empty("block_totals", self._blocks)
        #: How many vertices the last queue has.
        self.size = host.empty("next_size", 1)

    def launch(self, level: DeviceArray, wanted: int, queue: DeviceArray) -> None:
        """Put the vertices whose level is `wanted` into a queue: three launches."""
        shape = self._blocks, self._block
        args = (level, self._vertices, wanted, self._place, self._totals)
        self._host.launch(f"{self._kernels}_count", *shape, args)
        totals = (self._totals, self._blocks, self.size)
        self._host.launch("segment_places", 1, MOST_BLOCKS, totals)
        self._host.launch(f"{self._kernels}_place", *shape, (*args, queue))
