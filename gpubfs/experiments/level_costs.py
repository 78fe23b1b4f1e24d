"""What searches cost level by level: sectors on sim, seconds on gpu."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gpubfs.directions import BLOCK, MOST_BLOCKS
from gpubfs.host import Host
from gpubfs.technique import find

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpubfs.experiments.lab import Lab
    from gpubfs.graphs import Graph

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
    """The levels that a search finds, and what each kernel cost in each of them."""
    turns: list[dict[tuple[int, str], float]] = []
    for _ in range(lab.turns):
        run = lab.search(technique, graph, counters=True, **options)
        turns.append({})
        for launch in run.per_launch:
            key = launch.depth, launch.kernel
            turns[-1][key] = turns[-1].get(key, 0) + lab.cost(launch)
    return run.levels, {key: lab.steady([turn[key] for turn in turns]) for key in turns[0]}


def by_level(costs: Costs) -> dict[int, float]:
    """The cost of each level without what the choice of a direction costs.

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
    strided: Costs,
) -> dict[int, float]:
    """What a search costs whose every level begins with two strided scans.

    Parameters
    ----------
    lab, graph, levels
        Where, what, and the distances.
    top_down : sequence of int
        The levels that go top-down: their scans are launched, and expanded as single-scan does.
    single, strided : mapping
        The costs of single-scan, and of strided-scan where all levels go bottom-up.
    """
    lab.tell(f"strided scans of {len(top_down)} levels on {graph.spec}")
    scans = strided_scans(lab, graph, levels, top_down)
    down = {depth: scans[depth] + single[depth, EXPANSION] for depth in top_down}
    return by_level(strided) | down


def strided_scans(
    lab: Lab, graph: Graph, levels: NDArray[np.int32], depths: Sequence[int]
) -> dict[int, float]:
    """What the two scans of strided-scan cost where they make the queue of each of `depths`."""
    with lab.open() as machine:
        host = Host(machine, find("strided-scan").path, {"OFFSET": "int"})
        _scan(lab, host, graph, levels, depths)
        costs = [lab.cost(launch) for launch in host.finish()[1]]
    scans = [sum(costs[first : first + STAGES]) for first in range(0, len(costs), STAGES)]
    starts = range(0, len(scans), lab.turns)
    each = [lab.steady(scans[start : start + lab.turns]) for start in starts]
    return dict(zip(depths, each, strict=True))


def _scan(
    lab: Lab, host: Host, graph: Graph, levels: NDArray[np.int32], depths: Sequence[int]
) -> None:
    """Launch the scans of each level as often as the lab wants, on the statuses of that time."""
    block = int(BLOCK.default)
    widths = host.blocks(graph.vertices, host.warp_size)
    blocks = min(host.blocks(widths, block), MOST_BLOCKS)
    place, totals = host.empty("place", blocks * block), host.empty("block_totals", blocks)
    queue, size = host.empty("frontier", graph.vertices), host.empty("next_size", 1)
    for depth in depths:
        level = host.array("level", np.where(levels <= depth, levels, np.int32(-1)))
        scanned = (level, graph.vertices, depth, place, totals)
        for _ in range(lab.turns):
            host.launch("strided_scan_count", blocks, block, scanned)
            host.launch("segment_places", 1, MOST_BLOCKS, (totals, blocks, size))
            host.launch("strided_scan_place", blocks, block, (*scanned, queue))
        host.free(level)
