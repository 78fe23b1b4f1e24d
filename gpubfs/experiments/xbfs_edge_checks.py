"""How many edges asynchronous bottom-up passes save, by order of threads.

Gaihre et al., Section 6.3, Figure 15: asynchronous search makes 23.2 % fewer edge checks than the
synchronous one on average, from 1 % on Orkut to 51 % on DBLP-author. A vertex that was found one
pass ahead is not looked at in the next pass, and that is all that is saved: no pass looks at more
edges. How many vertices these are depends on who comes first, so that the synchronous count is one
number, and the asynchronous one a band over the orders of warps, or over the searches of a GPU,
where the build that counts does the counting.

An edge check is a load of a neighbour, bottom-up or top-down; both searches are xbfs, with `alpha`
0.1. Section 6.3 does not say whether its count has top-down levels: `passes` is without them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gpubfs.experiments.cells import Cell, listed, of_graphs, percent, pivot, untold
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.gaihre import SYSTEM, accesses, passes
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.xbfs_searches import GRAPHS, orders, typical
from gpubfs.graphs import Graph
from gpubfs.render.drawing import bars
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.papers import XBFS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


SYNCHRONOUS = "synchronous"
LOCKSTEP = "lockstep"

#: The paper's reduction on average, its least and its greatest.
MEAN, LEAST, MOST = 0.232, 0.01, 0.51

#: How far an average may be from the paper's and still agree.
NEAR = 0.1

PAPER = Sheet(
    "the paper's reduction of edge checks",
    (Column("graphs"), Column("fewer", figures=True)),
    (("on average", "23.2 %"), ("least, OR", percent(LEAST)), ("most, DP", percent(MOST))),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a row for each order, a column for each graph: checks, and how many are saved."""
    base = {p.graph: p.values["passes"] for p in report.points if p.series == SYNCHRONOUS}
    cells: list[Cell] = []
    for heading in ("passes", "checks"):
        for point in report.points:
            own, text = point.values[heading], ""
            if heading == "passes" and point.series != SYNCHRONOUS and base[point.graph]:
                text = f" (-{percent(1 - own / base[point.graph])})"
            cells.append((heading, point.series, point.graph, f"{own:,}{text}"))
    notes = (
        "passes: edges that bottom-up levels look at; checks: those of top-down levels with them",
        "searches begin at a vertex of median degree",
    )
    return (pivot(f"edges looked at on {report.where}", "order", cells, notes),)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Whether no search looks at more edges, and how many are saved."""
    found = saved(report.points)
    return never_more(found), fewer({g: each for g, each in found.items() if each})


def saved(points: Sequence[Point]) -> dict[str, list[float]]:
    """For each graph the share of checks that each asynchronous search saves in its passes.

    Parameters
    ----------
    points : sequence of Point
        The measurements; lockstep is left out, which says nothing of a GPU.
    """
    found: dict[str, list[float]] = {}
    for graph, own in of_graphs(points).items():
        base = next(p.values["passes"] for p in own if p.series == SYNCHRONOUS)
        others = [p for p in own if p.series not in (SYNCHRONOUS, LOCKSTEP)]
        found[graph] = [1 - p.values["passes"] / base for p in others] if base else []
    return found


def never_more(found: Mapping[str, Sequence[float]]) -> Verdict:
    """Whether no asynchronous search looks at more edges than the synchronous one.

    Parameters
    ----------
    found : mapping
        For each graph the shares that are saved.
    """
    every = [share for each in found.values() for share in each]
    if not every:
        return untold("no search has a bottom-up level")
    more = sum(share < 0 for share in every)
    text = f"of {len(every)} asynchronous searches {more} look at more edges bottom-up"
    return Verdict(more == 0, f"{text}; none can, for who was found early is not looked at again")


def fewer(found: Mapping[str, Sequence[float]]) -> Verdict:
    """Whether as many checks are saved as in the paper.

    Parameters
    ----------
    found : mapping
        For each graph the shares that are saved.
    """
    if not found:
        return untold("there is nothing to save")
    middle = float(np.mean([np.mean(each) for each in found.values()]))
    detail = listed(
        f"{' to '.join(dict.fromkeys((percent(min(each)), percent(max(each)))))} on {graph}"
        for graph, each in found.items()
    )
    text = (
        f"asynchronous passes look at {detail} fewer edges, {percent(middle)} on average; in the "
        f"paper 23.2 %, {percent(LEAST)} to {percent(MOST)}"
    )
    if abs(middle - MEAN) <= NEAR:
        return Verdict(True, text)
    return Verdict(None if LEAST <= middle <= MOST else False, text)


def draw(report: Report, figure: Figure) -> None:
    """Bars: the edges that bottom-up levels look at."""
    graphs = list(of_graphs(report.points))
    series = dict.fromkeys(point.series for point in report.points)
    found = {(p.graph, p.series): p.values["passes"] for p in report.points}
    heights = {name: [found.get((graph, name)) for graph in graphs] for name in series}
    bars(figure.subplots(), graphs, heights, "graph", "edges looked at bottom-up")


@reproduces(
    "xbfs-edge-checks",
    paper=XBFS,
    figure="Figure 15",
    question="How many edge checks does asynchronous bottom-up search save?",
    graphs=GRAPHS,
    sheet=PAPER,
    published={"average": MEAN, "OR": LEAST, "DP": MOST},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
)
def xbfs_edge_checks(lab: Lab) -> Iterator[Point]:
    """Search each graph once synchronously, and asynchronously in each order."""
    for graph in lab.graphs:
        yield checks(lab, graph, SYNCHRONOUS, asynchronous=False)
        if lab.timed:
            for number in range(lab.repeats):
                yield checks(lab, graph, f"search {number + 1}")
        else:
            for order in orders(lab.machine):
                yield checks(lab, graph, order, schedule=order)


def checks(lab: Lab, graph: Graph, series: str, **options: object) -> Point:
    """Count one search's edge checks, on either machine by the build that counts.

    Parameters
    ----------
    lab : Lab
        Where to search.
    graph : Graph
        What to search.
    series : str
        What the point is called.
    **options
        The technique's, and perhaps a schedule.
    """
    lab.tell(f"{SYSTEM} on {graph.spec}, {series}")
    where = {"machine": lab.machine, "device": lab.device, "counters": True}
    done = lab.run(SYSTEM, graph, source=typical(graph), **where, **options)
    counted = {
        name: accesses(launches, "load", "neighbours")
        for name, launches in (("passes", passes(done)), ("checks", done.per_launch))
    }
    return Point(graph.spec, series, None, counted)
