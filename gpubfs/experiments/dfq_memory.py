"""How much memory a frontier queue takes as the graph grows: one queue for all, or one a block.

Hsieh et al., Section V-D and Table II: a central queue must hold as many vertices as the graph has,
since a level may be all of them, while sub-queues that are drained in time hold a fixed number.
Their central queue seems to be allocated for the vertices that have an edge; ours is for all.

Figure 1 has two queues more, whose values are not in the text: a full queue for each block, and a
hierarchy. What these take by the paper's formulas, 4·V·|SQ| and 4·V·|H| bytes, stands beside what
was measured; a hierarchy has three levels, of a warp, of a block and of the grid (Section II-C).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from gpubfs.experiments.cells import by_graph, close, listed, mean, times, untold
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab
from gpubfs.render.drawing import lines
from gpubfs.render.scales import logarithmic
from gpubfs.render.sheets import Column, Sheet, figure
from gpubfs.search.papers import DFQ

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: The paper's megabytes by scale.
BASE = {18: 0.69, 20: 2.58, 22: 9.58, 24: 18.44, 26: 131.21}
DFQ_G = dict.fromkeys(BASE, 0.67)

#: By how many percent BASE has grown since the least scale, as printed.
GROWTH = {20: 207, 22: 1288, 24: 2572, 26: 18915}

#: The queue of each technique.
QUEUES = {"central-queue": "queue", "dfq-global": "sub_queues"}

MEGA = 1e6
HALF = 0.005  # of the last decimal that the paper prints
ENTRY = 4  # bytes of a vertex in a queue
HIERARCHY = 3  # levels of a hierarchical queue


def odd_ones(megabytes: Mapping[int, float]) -> Iterator[str]:
    """Yield what a table that should grow by a steady factor says of its own entries.

    Parameters
    ----------
    megabytes : mapping
        Megabytes by scale.

    Yields
    ------
    str
        For each entry without which the growth is steady and with which it is not, the scale that
        it would be of.

    Examples
    --------
    >>> list(odd_ones({1: 2.0, 2: 4.0, 3: 8.0, 4: 16.0}))
    []
    >>> list(odd_ones({1: 2.0, 2: 4.0, 3: 4.0, 4: 16.0, 5: 32.0}))
    ['without scale 3 every scale is ×2.00; its 4.0 would then be 8.00, and fits scale 2.00']
    """
    if steady(megabytes):
        return
    for scale in sorted(megabytes)[1:-1]:
        others = {s: size for s, size in megabytes.items() if s != scale}
        if steady(others):
            growth = mean(growths(others))
            before = max(s for s in others if s < scale)
            expected = others[before] * growth ** (scale - before)
            fits = before + math.log(megabytes[scale] / others[before], growth)
            yield (
                f"without scale {scale} every scale is {times(growth)}; its {megabytes[scale]} "
                f"would then be {expected:.2f}, and fits scale {fits:.2f}"
            )


def growths(megabytes: Mapping[int, float]) -> list[float]:
    """By which factor a table grows with each scale."""
    scales = sorted(megabytes)
    return [(megabytes[b] / megabytes[a]) ** (1 / (b - a)) for a, b in pairwise(scales)]


def steady(megabytes: Mapping[int, float]) -> bool:
    """Whether a table grows by nearly the same factor everywhere."""
    found = growths(megabytes)
    return close(max(found), min(found))


def factors(megabytes: Mapping[int, float]) -> str:
    """How a table grows from entry to entry.

    >>> factors({1: 2.0, 3: 8.0})
    'from scale 1 to 3 ×4.00'
    """
    return ", ".join(
        f"from scale {a} to {b} {times(megabytes[b] / megabytes[a])}"
        for a, b in pairwise(sorted(megabytes))
    )


def misprints(megabytes: Mapping[int, float], printed: Mapping[int, int]) -> Iterator[str]:
    """Where a table's printed growth is not what its own entries say.

    Parameters
    ----------
    megabytes : mapping
        Megabytes by scale.
    printed : mapping
        By how many percent they have grown since the least scale.

    Examples
    --------
    >>> list(misprints({1: 2.0, 2: 4.0, 3: 8.0}, {2: 100, 3: 400}))
    ['the growth to scale 3 is printed as 400 %, and from 2.0 to 8.0 it is 300 %']
    """
    least = megabytes[min(megabytes)]
    for scale, percent in printed.items():
        # An entry has two decimals, so its growth may be off by half of the last one.
        low, high = (100 * ((megabytes[scale] + e) / (least - e) - 1) for e in (-HALF, HALF))
        if not low - 1 <= percent <= high + 1:
            grown = 100 * (megabytes[scale] / least - 1)
            yield (
                f"the growth to scale {scale} is printed as {percent:,} %, and from {least} to "
                f"{megabytes[scale]} it is {grown:,.0f} %"
            )


PAPER = Sheet(
    "the paper's queues in megabytes",
    (Column("queue"), *(Column(f"scale {scale}", figures=True) for scale in BASE)),
    (
        ("BASE", *map(str, BASE.values())),
        ("its growth", "", *(f"{percent:,} %" for percent in GROWTH.values())),
        ("DFQ-G-2048", *map(str, DFQ_G.values())),
    ),
    (f"BASE grows {factors(BASE)}", *odd_ones(BASE), *misprints(BASE, GROWTH)),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a row for each graph."""
    columns = ("vertices", "with an edge", "central-queue", "4 B for those", "paper's BASE")
    formulas = ("|SQ| full queues", "hierarchy")
    central, sub = (by_graph(report.points, name, "bytes") for name in QUEUES)
    connected = by_graph(report.points, "central-queue", "connected")
    vertices = by_graph(report.points, "central-queue", "vertices")
    blocks = by_graph(report.points, "dfq-global", "blocks")
    rows = tuple(
        (
            graph,
            figure(vertices[graph]),
            figure(connected[graph]),
            _megabytes(central[graph]),
            _megabytes(ENTRY * connected[graph]),
            f"{published(graph):.2f}" if published(graph) else "–",
            _megabytes(sub[graph]),
            _megabytes(ENTRY * vertices[graph] * blocks[graph]),
            _megabytes(ENTRY * vertices[graph] * HIERARCHY),
        )
        for graph in central
    )
    titles = (*columns, "dfq-global", *formulas)
    made = (Column("graph"), *(Column(title, figures=True) for title in titles))
    footnotes = (
        "4 B for those: what a queue would take that has room for vertices with an edge only",
        f"computed by the paper's formulas, for its Figure 1: 4·V·|SQ| with a queue for each of "
        f"{listed(str(b) for b in sorted(set(blocks.values())))} blocks, and 4·V·|H| with "
        f"|H| = {HIERARCHY}",
    )
    return (
        Sheet(f"queues in megabytes (1,000,000 bytes) on {report.where}", made, rows, footnotes),
    )


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Return what the law of each queue is, and whether the paper's figures fit our graphs."""
    central, sub = (by_graph(report.points, name, "bytes") for name in QUEUES)
    vertices = by_graph(report.points, "central-queue", "vertices")
    connected = by_graph(report.points, "central-queue", "connected")
    return constant(sub), growing(central, vertices), fitting(connected)


def constant(sizes: Mapping[str, int]) -> Verdict:
    """Whether the decentralized queue takes the same for every graph."""
    found = sorted(set(sizes.values()))
    theirs = listed(f"{value:.2f}" for value in sorted(set(DFQ_G.values())))
    ours = " to ".join(f"{size / MEGA:.2f}" for size in found[:: max(len(found) - 1, 1)])
    text = f"the sub-queues of dfq-global take {ours} MB for all graphs, the paper's {theirs} MB"
    if len(found) > 1:
        return Verdict(False, f"{text}, which does not depend on the graph")
    return Verdict(True, f"{text}; that is {ENTRY} bytes × blocks × capacity, whatever the graph")


def growing(sizes: Mapping[str, int], vertices: Mapping[str, int]) -> Verdict:
    """Whether the central queue takes a fixed number of bytes for each vertex, as in the paper."""
    each = sorted({sizes[graph] / vertices[graph] for graph in sizes})
    growth = max(sizes.values()) / min(sizes.values())
    more = max(vertices.values()) / min(vertices.values())
    text = (
        f"from the smallest graph to the largest central-queue grows {times(growth)}, and the "
        f"vertices {times(more)}"
    )
    if len(each) > 1:
        return Verdict(False, f"{text}, the paper's BASE in proportion to them")
    return Verdict(True, f"{text}: {each[0]:g} bytes a vertex, as the paper's O(V) says")


def fitting(connected: Mapping[str, int]) -> Verdict:
    """Whether the paper's BASE is what the vertices with an edge need."""
    common = {graph: published(graph) for graph in connected if published(graph)}
    if not common:
        return untold(
            f"the paper's BASE is of kron graphs of the scales {listed(map(str, BASE))}, none of "
            "which was measured"
        )
    pairs = [(ENTRY * connected[graph] / MEGA, theirs) for graph, theirs in common.items()]
    detail = ", ".join(f"{ours:.2f} MB here and {theirs} in the paper" for ours, theirs in pairs)
    text = f"4 bytes for each vertex with an edge of {listed(common)}: {detail}"
    if all(close(ours, theirs) for ours, theirs in pairs):
        return Verdict(True, f"{text}; so BASE seems to have no room for others")
    return Verdict(False, f"{text}; so BASE does not seem to be a queue for these")


def published(graph: str) -> float:
    """Return the paper's BASE for a graph's specification, 0 where it has none.

    >>> published("kron:18"), published("kron:12")
    (0.69, 0)
    """
    return {f"kron:{scale}": theirs for scale, theirs in BASE.items()}.get(graph, 0)


def draw(report: Report, figure: Figure) -> None:
    """Megabytes against vertices, the paper's beside ours."""
    axes = figure.subplots()
    vertices = by_graph(report.points, "central-queue", "vertices")
    ours = {
        name: [(vertices[g], b / MEGA) for g, b in by_graph(report.points, name, "bytes").items()]
        for name in QUEUES
    }
    theirs = {"BASE in the paper": BASE, "DFQ-G-2048 in the paper": DFQ_G}
    paper = {name: [(2.0**s, mb) for s, mb in line.items()] for name, line in theirs.items()}
    lines(axes, {**ours, **paper}, "vertices", "queue, MB", scale="log")
    logarithmic(axes, sorted({at for line in (*ours.values(), *paper.values()) for at, _ in line}))


@reproduces(
    "dfq-memory",
    paper=DFQ,
    figure="V-D, Table II",
    question="Does a queue for each block take the same memory at every scale?",
    graphs={
        "sim": ("kron:12", "kron:14", "kron:16", "kron:18"),
        "gpu": ("kron:14", "kron:16", "kron:18", "kron:20"),
    },
    sheet=PAPER,
    published={"unit": "MB", "BASE": BASE, "growth of BASE, %": GROWTH, "DFQ-G-2048": DFQ_G},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
    device="rtx3090",
)
def dfq_memory(lab: Lab) -> Iterator[Point]:
    """One search a graph and queue; no counter is needed but that of allocations."""
    for graph in lab.graphs:
        connected = int(np.count_nonzero(graph.degrees))
        shape = {"vertices": graph.vertices, "connected": connected}
        for technique, array in QUEUES.items():
            done = lab.search(technique, graph, counters=False)
            size = done.counters["bytes_by_name"][array]
            own = {"bytes": size, "blocks": done.per_launch[0].grid[0]}
            yield Point(graph.spec, technique, graph.vertices, own | shape)


def _megabytes(size: int) -> str:
    return f"{size / MEGA:.3f}"
