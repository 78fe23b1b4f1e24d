"""Places for heavy vertices by a ballot, and by threads that vie for their turn.

Busato and Bombieri, Section 3.4 and Figure 4: vertices V1 and V3 of a warp are heavy, and a binary
prefix sum of four instructions, mask, ballot, and, popc, gives them the places 0 and 1. Its kernel
is launched here alone. The paper compares the searches with B40C, Merrill, Garland and Grimshaw's,
whose threads vie for a warp or a block with one heavy vertex after another; that is the technique
cta-warp-scan, where the package has it. What the paper says is that its sums avoid "sequential
iterations over high-degree vertices", and that with supports it is from 1 to 9.7 times as fast.

Which iterations it means is not said. Both ways a warp or a block looks at one heavy vertex after
another, a turn for each; a prefix sum finds all of them at once, and threads that vie meet at
barriers before each turn of a block. So turns are counted, and barriers. The mapping of vertices
that are not heavy is scan-based, as in the paper's comparison. The simulator counts accesses to
shared memory and statements besides; it cannot tell times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.experiments.cells import (
    CLOSE,
    TIME,
    Metric,
    by_graph,
    compared,
    counted,
    listed,
    notes,
    pivot,
    quotients,
    times,
    untold,
)
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab
from gpubfs.host import Host
from gpubfs.kernels import KERNELS
from gpubfs.render.drawing import bars
from gpubfs.render.sheets import Column, Row, Sheet
from gpubfs.search.catalogue import techniques
from gpubfs.search.papers import BUSATO

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gpubfs.graphs import Graph
    from gpubfs.search.result import Run


#: The figure's example: which of the first lanes have a heavy vertex, and the places these get.
EXAMPLE, PLACES = (1, 0, 1, 0), {"V1": 0, "V3": 1}
FIGURE = "Figure 4"

VYING = "cta-warp-scan"
SUPPORTS = ("none", "warp", "block", "warp+block")
GATHERING = f"scan-based, {SUPPORTS[-1]}"

#: The paper's speedups over B40C, with supports.
LEAST, MOST = 1.0, 9.7

#: What counts a turn: the store of where a heavy vertex's edges begin, made once for each.
TURN = ("won_begin = begin", "warp_begin[warp] = begin", "ranges[rank] = own->begin")

TURNS = Metric("turns", "turns", "heavy vertices, which warps or blocks take one after another")
COUNTED = counted("barriers", "shared_requests", "load_requests", "warp_steps")
METRICS = {
    "sim": (*COUNTED, TURNS),
    "gpu": (TIME,),
}

PAPER = Sheet(
    "the paper's filtered prefix sum, and its speedups",
    (Column("what"), Column("value", text=True)),
    (
        ("places of V1 and V3", "0 and 1"),
        ("lower mask of thread 3", "111"),
        ("scan-based with supports, to B40C", f"{LEAST:.0f} to {MOST} times as fast"),
    ),
    ("the figure's plots are not in the text",),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return the example's lanes, then a row for each graph, a column for each support."""
    points, metrics = _searches(report.points), METRICS[report.machine]
    rows: list[Row] = [
        (vertex, f"{its['predicate']}", f"{its['mask']:b}", f"{its['rank']}")
        for vertex, its in _example(report.points).items()
    ]
    titles = ("heavy", "lower mask", "rank")
    columns = (Column("vertex"), *(Column(title, figures=True) for title in titles))
    example = Sheet(f"the figure's example on {report.where}", columns, tuple(rows))
    base = points[0].series
    cells = compared(points, metrics, lambda p: p.series == base, lambda p: p.series)
    title = f"searches on {report.where}, and ratios to {base}"
    return example, pivot(title, "graph", cells, notes(points, metrics))


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Whether the example comes out, and what gathering is against vying."""
    points = _searches(report.points)
    example = _example(report.points)
    found = {vertex: its["rank"] for vertex, its in example.items() if its["predicate"]}
    if report.machine == "gpu":
        ours, theirs = (by_graph(points, one, TIME.name) for one in (GATHERING, VYING))
        return placed(found), faster(quotients(theirs, ours))
    return placed(found), sequential(counts(points, GATHERING), counts(points, VYING))


def placed(found: Mapping[str, int]) -> Verdict:
    """Whether the heavy vertices of the example get the figure's places."""
    text = listed(f"{vertex} gets place {place}" for vertex, place in found.items())
    theirs = listed(f"{vertex} place {place}" for vertex, place in PLACES.items())
    return Verdict(dict(found) == PLACES, f"{text}; in the paper {theirs}")


#: For each graph turns, and barriers over a block.
Counts = Mapping[str, tuple[int, int]]


def counts(points: Sequence[Point], series: str) -> Counts:
    """Return the turns and the barriers of one way to gather."""
    turns, barriers = (by_graph(points, series, name) for name in (TURNS.name, "barriers"))
    return {graph: (turns[graph], barriers[graph]) for graph in turns}


def sequential(ours: Counts, theirs: Counts) -> Verdict:
    """Whether heavy vertices take fewer turns than where threads vie, or at least fewer barriers.

    Parameters
    ----------
    ours, theirs : mapping
        Turns and barriers of gathering by prefix sums, and of threads that vie.
    """
    if not theirs:
        return untold(f"there is no {VYING} here to compare with, whose threads vie")
    each = {graph: (*ours[graph], *theirs[graph]) for graph in theirs}
    detail = listed(
        f"{turns:,} and {vied:,} turns and {barriers:,} and {waited:,} barriers on {graph}"
        for graph, (turns, barriers, vied, waited) in each.items()
    )
    text = f"{GATHERING} and {VYING} take heavy vertices in {detail}; the paper says that prefix"
    text += " sums avoid sequential iterations over them, and a barrier's cost the simulator cannot"
    text += " tell"
    if all((1 + CLOSE) * turns < vied for turns, _, vied, _ in each.values()):
        return Verdict(True, text)
    spared = any(
        turns < vied or barriers < waited for turns, barriers, vied, waited in each.values()
    )
    return Verdict(None if spared else False, text)


def faster(found: Mapping[str, float]) -> Verdict:
    """Whether gathering by prefix sums is as much faster as in the paper."""
    if not found:
        return untold(f"there is no {VYING} here to compare with, whose threads vie")
    detail = listed(f"{times(ratio)} on {graph}" for graph, ratio in found.items())
    text = f"{GATHERING} is {detail} as fast as {VYING}; in the paper {LEAST:.0f} to {MOST} times"
    within = {LEAST <= ratio <= MOST for ratio in found.values()}
    return Verdict(within.pop() if len(within) == 1 else None, text)


def draw(report: Report, figure: Figure) -> None:
    """Bars: barriers, or times, of each support and of vying threads."""
    name = METRICS[report.machine][0].name
    points = _searches(report.points)
    graphs = list(dict.fromkeys(point.graph for point in points))
    found = {(p.graph, p.series): p.values.get(name) for p in points}
    series = {
        one: [found[graph, one] for graph in graphs]
        for one in dict.fromkeys(point.series for point in points)
    }
    bars(figure.subplots(), graphs, series, "graph", name)


@reproduces(
    "busato-gathering",
    paper=BUSATO,
    figure="3.4, Figure 4",
    question="Which places does a binary prefix sum give to heavy vertices, and what does it save?",
    graphs={
        "sim": ("kron:10", "powerlaw:2048", "grid:32x32"),
        "gpu": ("kron:20", "powerlaw:1000000", "grid:1024x1024"),
    },
    sheet=PAPER,
    published={"places": PLACES, "speedups over B40C": [LEAST, MOST]},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
)
def busato_gathering(lab: Lab) -> Iterator[Point]:
    """Launch the prefix sum for the example, then search with each support, and with vying."""
    lab.tell("the example")
    for lane, (predicate, rank) in enumerate(zip(EXAMPLE, ranks(lab, EXAMPLE), strict=True)):
        values = {"predicate": predicate, "mask": (1 << lane) - 1, "rank": rank}
        yield Point(FIGURE, "binary prefix sum", lane, values)
    for graph in lab.graphs:
        for supports in SUPPORTS:
            options = {"basic": "scan-based", "supports": supports}
            yield measured(lab, f"scan-based, {supports}", "supports", graph, **options)
        if VYING in techniques():
            yield measured(lab, VYING, VYING, graph)


def measured(lab: Lab, series: str, technique: str, graph: Graph, **options: Any) -> Point:
    """Search once and count, turns too, or time it."""
    if lab.timed:
        timed = lab.point(technique, graph, [TIME.name], **options)
        return replace(timed, series=series)
    done = lab.search(technique, graph, counters=True, **options)
    values = {metric.name: done.counters[metric.name] for metric in COUNTED}
    return Point(graph.spec, series, None, values | {TURNS.name: turns(done)})


def turns(done: Run) -> int:
    """Return how many times a warp or a block has taken a heavy vertex.

    Parameters
    ----------
    done : Run
        A search on the simulator, whose statements were counted.
    """
    return sum(site.lanes for site in done.sites or () if site.text in TURN)


def ranks(lab: Lab, predicates: Sequence[int]) -> list[int]:
    """Return the places that the binary prefix sum gives to the first lanes of a warp."""
    with lab.open() as machine:
        host = Host(machine, KERNELS / "binary_ranks.cu", {})
        padded = np.zeros(host.warp_size, np.int32)
        padded[: len(predicates)] = predicates
        rank = host.empty("rank", host.warp_size)
        given = host.array("predicates", padded)
        host.launch("binary_ranks", 1, host.warp_size, (given, rank))
        return [int(one) for one in host.read(rank)[: len(predicates)]]


def _searches(points: Sequence[Point]) -> list[Point]:
    return [point for point in points if point.graph != FIGURE]


def _example(points: Sequence[Point]) -> dict[str, Mapping[str, int]]:
    """Return what each of the figure's vertices has."""
    return {f"V{(p.at or 0) + 1:g}": p.values for p in points if p.graph == FIGURE}
