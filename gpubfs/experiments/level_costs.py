"""What searches cost level by level: sectors on sim, seconds on gpu."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gpubfs.experiments.lab import Lab
from gpubfs.graphs import Graph
from gpubfs.host import DeviceArray, Host
from gpubfs.search.catalogue import find
from gpubfs.search.directions import BLOCK, MOST_BLOCKS

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: The kernel that counts a frontier's edges, to decide on the next level's direction.
DECIDING = "frontier_edges"

#: The kernel of single-scan that expands a level.
EXPANSION = "single_scan_expand"

#: The launches of one scan.
STAGES = 3

#: The cost of each kernel in each level.
Costs = Mapping[tuple[int, str], float]


def searched(
    lab: Lab, technique: str, graph: Graph, **options: int
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
        self._block = int(BLOCK.default)
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
