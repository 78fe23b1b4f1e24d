"""What counters say of a queue for each block against one for all: contention, and balance.

Hsieh et al. (Sections V-B and V-C) explain their times by two things. Atomics are scattered over as
many tails as there are blocks; and where a level's vertices belong to few blocks, the others wait,
which hurts on appu, a small graph, and hides what less contention gains. Both are counted here, in
whole searches of one launch. Which of the two weighs more is a matter of time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpubfs.experiments.cells import (
    Metric,
    by_graph,
    counted,
    listed,
    quotients,
    ranged,
    times,
    untold,
)
from gpubfs.experiments.experiment import Point, Verdict

#: The two queues whose searches are one launch.
BASE, DFQ_G = "central-queue", "dfq-global"

TAIL, IMBALANCE = "hottest_ops", "work_per_block.imbalance"

#: What the simulator measures; the first is what pictures show.
METRICS = (
    Metric(
        TAIL,
        "atomics on the busiest tail",
        "atomics on a queue's tail in the whole search; of sub-queues, on the busiest counter",
    ),
    Metric(IMBALANCE, "imbalance of work", "accesses of the busiest block to the mean", digits=2),
    *counted("atomic_lanes"),
)

#: The counters that these are made of.
COUNTERS = (TAIL, "hottest_address", IMBALANCE, "atomic_lanes")

REMARKS = (
    f"of {DFQ_G}'s sizes, [2b] counts what block b enqueues and [2b + 1] what its warps reserve",
)


def owners(vertices: int, blocks: int, block: int) -> int:
    """How many blocks have a vertex of their own to scan.

    >>> owners(16_384, 82, 1024), owners(1 << 20, 82, 1024)
    (16, 82)
    """
    return min(blocks, -(-vertices // block))


def scattered(falls: Mapping[str, tuple[float, float]], most: int) -> Verdict:
    """Whether more blocks scatter atomics where each has a queue, and more than with one queue.

    Parameters
    ----------
    falls : mapping
        For each graph by which factors the atomics on the busiest tail fall: ours and BASE's.
    most : int
        Blocks at which they have fallen so far.
    """
    detail = listed(
        f"{times(ours)} on {graph} ({BASE}: {times(base)})" for graph, (ours, base) in falls.items()
    )
    text = f"with {most} blocks {DFQ_G}'s busiest tail gets fewer atomics than with the fewest"
    agrees = all(ours > base for ours, base in falls.values())
    so = "contention is scattered" if agrees else "contention is not scattered everywhere"
    return Verdict(agrees, f"{text}, by factors of {detail}: {so}, and the paper says that it is")


def contended(points: Sequence[Point]) -> Verdict:
    """Whether the busiest tail gets fewer atomics where every block has its own."""
    ratios = quotients(by_graph(points, DFQ_G, TAIL), by_graph(points, BASE, TAIL))
    where = by_graph(points, DFQ_G, "hottest_address")
    detail = listed(f"{times(ratio)} on {graph}" for graph, ratio in ratios.items())
    text = f"atomics on the busiest counter of {DFQ_G}, relative to {BASE}'s tail, are {detail}"
    worse = [graph for graph, ratio in ratios.items() if ratio >= 1]
    if not worse:
        return Verdict(True, f"{text}: less contention, as the paper says")
    places = listed(f"{graph} (busiest: {where.get(graph)})" for graph in worse)
    return Verdict(False, f"{text}; on {places} that is not less, and the paper says it is")


def uneven(points: Sequence[Point], blocks: int, block: int) -> Verdict:
    """Whether blocks without vertices make our work less even than BASE's, as on appu.

    Parameters
    ----------
    points : sequence of Point
        Both queues, with as many blocks.
    blocks, block : int
        Blocks, and threads of each.
    """
    ours, base = (by_graph(points, name, IMBALANCE) for name in (DFQ_G, BASE))
    vertices = by_graph(points, BASE, "vertices")
    idle = {
        graph: blocks - owners(vertices[graph], blocks, block)
        for graph in ours
        if owners(vertices[graph], blocks, block) < blocks
    }
    if not idle:
        return untold(f"no graph here leaves any of {blocks} blocks without vertices, as appu does")
    detail = "; ".join(
        f"{graph}, where {idle[graph]} of {blocks} blocks own no vertex: {ours[graph]:.2f} against "
        f"{base[graph]:.2f}"
        for graph in idle
    )
    agrees = all(ours[graph] > base[graph] for graph in idle)
    so = "less even" if agrees else "not everywhere less even"
    text = f"the work of {DFQ_G}'s blocks is {so} than {BASE}'s (busiest to mean): {detail}"
    return Verdict(agrees, f"{text}; by such imbalance the paper explains its times on appu")


def weighed(points: Sequence[Point], claim: str) -> Verdict:
    """Return what is to be weighed, and that counters cannot do it.

    Parameters
    ----------
    points : sequence of Point
        Both queues, with as many blocks.
    claim : str
        What the paper says of times.
    """
    tails, works = (
        quotients(by_graph(points, DFQ_G, name), by_graph(points, BASE, name))
        for name in (TAIL, IMBALANCE)
    )
    return untold(
        f"the simulator cannot tell times: {DFQ_G}'s busiest tail gets {ranged(tails.values())} "
        f"the atomics of {BASE}'s, and its imbalance of work is {ranged(works.values())} of "
        f"{BASE}'s; which of the two weighs more is not counted. The paper: {claim}"
    )
