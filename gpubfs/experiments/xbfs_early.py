"""How many vertices of the second bottom-up level the first one finds, in which order of threads.

Gaihre et al., Section 5.2, Figure 10: of the vertices of the second level of bottom-up search, the
first asynchronous pass has found 88 % on average, more than 99 % on six of ten graphs, and nearly
40 % on USpatent. How many there are depends on who comes first, so here is a band over the orders
in which the simulator lets warps run, beside what a GPU does in each of several searches. Lockstep,
in which all threads take the same step at the same time, is nothing that a GPU does: what it says
hangs on a single instruction. `behind` is the same pass with the store behind the loop.

Beside them stand Lemma 3's probabilities, averaged over the vertices of the level: as printed,
(1 - s / |Q|)^N, and corrected, 1 - (1 - s / |Q|)^N, for a vertex at place s of a queue of |Q|
vertices that has N neighbours in the level before. Its proof assumes that the queue is worked in
order, a vertex after the other, and that vertices of the level before stand anywhere in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gpubfs.experiments.cells import Cell, listed, of_graphs, percent, pivot, untold
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.gaihre import ALPHA
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.xbfs_searches import GRAPHS, orders, typical
from gpubfs.graphs import Graph
from gpubfs.render.drawing import bars
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.papers import XBFS
from gpubfs.search.phases import BOTTOM_UP

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from gpubfs.search.result import Run


TECHNIQUE = "bottom-up-async"
LOCKSTEP = "lockstep"
CORRECTED, PRINTED = "Lemma 3, corrected", "Lemma 3, as printed"
LEMMA = (CORRECTED, PRINTED)

#: The paper's average, its least, and what "nearly all" is there.
MEAN, LEAST, NEARLY = 0.88, 0.4, 0.99

#: How far from a measured band the formula may be and still describe it.
NEAR = 0.15

PAPER = Sheet(
    "the paper's ratios of the second level that the first bottom-up pass finds",
    (Column("graphs"), Column("found early", figures=True)),
    (
        ("on average", percent(MEAN)),
        ("DP, OR, LJ, EW, TR, FR", f"> {percent(NEARLY)}"),
        ("US", f"nearly {percent(LEAST)}"),
    ),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a row for each order or formula, a column for each graph."""
    cells: list[Cell] = [("", p.series, p.graph, _cell(p)) for p in report.points]
    notes = dict.fromkeys(point.note for point in report.points if point.note)
    remarks = ("of the vertices of the second bottom-up level, how many the first pass has", *notes)
    return (pivot(f"found early on {report.where}", "order", cells, remarks),)


def _cell(point: Point) -> str:
    share = point.values.get("share")
    return "" if share is None else percent(share)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Whether most are found early, whether the order matters, and what the lemma says of it."""
    measured = [p for p in report.points if p.series not in LEMMA and "behind" not in p.series]
    concurrent = shares([p for p in measured if p.series != LOCKSTEP])
    formula = {
        series: {g: each[0] for g, each in shares(_of(report.points, series)).items()}
        for series in LEMMA
    }
    return most(concurrent), *_of_lockstep(report), lemma(concurrent, formula)


def _of(points: Sequence[Point], series: str) -> list[Point]:
    return [point for point in points if point.series == series]


def _of_lockstep(report: Report) -> tuple[Verdict, ...]:
    if report.machine != "sim":
        return ()
    both = (shares(_of(report.points, name)) for name in (LOCKSTEP, f"{LOCKSTEP}, behind"))
    return (one_instruction(*({g: each[0] for g, each in found.items()} for found in both)),)


def shares(points: Sequence[Point]) -> dict[str, list[float]]:
    """For each graph the shares that were measured."""
    found = {g: [p.values.get("share") for p in own] for g, own in of_graphs(points).items()}
    return {g: known for g, each in found.items() if (known := [s for s in each if s is not None])}


def band(found: Sequence[float]) -> str:
    """Write the least and the greatest share.

    >>> band([0.5, 0.6]), band([0.5])
    ('50 % to 60 %', '50 %')
    """
    return " to ".join(dict.fromkeys((percent(min(found)), percent(max(found)))))


def most(found: Mapping[str, Sequence[float]]) -> Verdict:
    """Whether most of the second level is found early.

    Parameters
    ----------
    found : mapping
        For each graph the shares in several orders.
    """
    if not found:
        return untold("no search has two bottom-up levels, one after the other")
    middle = float(np.mean([np.mean(each) for each in found.values()]))
    detail = listed(f"{band(each)} on {graph}" for graph, each in found.items())
    text = (
        f"in orders other than lockstep the first pass finds {detail} of the second level, "
        f"{percent(middle)} on average; in the paper {percent(MEAN)}, {percent(LEAST)} at the least"
    )
    if middle >= MEAN - 0.1:
        return Verdict(True, text)
    return Verdict(None if middle >= LEAST else False, text)


def one_instruction(at_once: Mapping[str, float], behind: Mapping[str, float]) -> Verdict:
    """Return what lockstep says with the store inside of the loop, and behind it.

    Parameters
    ----------
    at_once, behind : mapping
        For each graph the share.
    """
    detail = (
        listed(
            f"{percent(at_once[graph])} and {percent(behind[graph])} on {graph}"
            for graph in at_once
        )
        if at_once
        else "nothing"
    )
    return untold(
        f"lockstep says nothing of a GPU: with the store inside of the loop and behind it, it has "
        f"{detail}"
    )


def lemma(
    found: Mapping[str, Sequence[float]], formula: Mapping[str, Mapping[str, float]]
) -> Verdict:
    """Which form of Lemma 3 is nearer to what is measured.

    Parameters
    ----------
    found : mapping
        For each graph the shares in several orders.
    formula : mapping
        For each form of the lemma and each graph the probability on average.
    """
    if not found:
        return untold("there is nothing to hold Lemma 3 against")
    off = {
        name: float(np.mean([abs(own[graph] - np.mean(found[graph])) for graph in found]))
        for name, own in formula.items()
    }
    detail = listed(f"{percent(formula[CORRECTED][graph])} on {graph}" for graph in found)
    text = (
        f"the corrected formula gives {detail}, and is {percent(off[CORRECTED])} off on average; "
        f"as printed it is {percent(off[PRINTED])} off"
    )
    if off[CORRECTED] >= off[PRINTED]:
        return Verdict(False, f"{text}: the printed one is as near")
    return Verdict(True if off[CORRECTED] <= NEAR else None, text)


def draw(report: Report, figure: Figure) -> None:
    """Bars: the shares of each graph."""
    graphs = list(of_graphs(report.points))
    series = dict.fromkeys(point.series for point in report.points)
    found = {(p.graph, p.series): p.values.get("share") for p in report.points}
    heights = {name: [found.get((graph, name)) for graph in graphs] for name in series}
    up = "share of the second level found early, 0 to 1"
    bars(figure.subplots(), graphs, heights, "graph", up)


def second(done: Run) -> int | None:
    """Return the level that the second of two bottom-up passes would find; None without such.

    Parameters
    ----------
    done : Run
        A search whose levels say their phases.
    """
    phases = [done.facts[depth]["phase"] for depth in sorted(done.facts)]
    if BOTTOM_UP not in phases:
        return None
    level = phases.index(BOTTOM_UP) + 2
    return level if level < len(phases) and phases[level - 1] == BOTTOM_UP else None


def found_early(done: Run, level: int) -> dict[str, float]:
    """Count a level, and those of it that were found one pass ahead."""
    size = int(np.count_nonzero(done.levels == level))
    early = int(done.facts[level]["early"] or 0)
    return {"level": level, "vertices": size, "early": early, "share": early / size}


def probability(graph: Graph, levels: NDArray[np.int32], level: int) -> float:
    """Average Lemma 3's corrected probability over the vertices of a level.

    Parameters
    ----------
    graph : Graph
        What was searched.
    levels : int32 array of shape (V,)
        Distances.
    level : int
        The level that the second pass finds.

    Examples
    --------
    >>> import gpubfs
    >>> probability(gpubfs.graph("path:5"), np.arange(5, dtype=np.int32), 2)
    0.25
    """
    queue = np.flatnonzero((levels >= level - 1) | (levels < 0))
    members = np.flatnonzero(levels == level)
    places = np.searchsorted(queue, members)
    nearer = [np.count_nonzero(levels[graph.adjacent(v)] == level - 1) for v in members.tolist()]
    return float(np.mean(1 - (1 - places / len(queue)) ** np.array(nearer)))


def expected(graph: Graph, done: Run, level: int) -> dict[str, float]:
    """Return the lemma's two forms, by their names; what one finds, the other misses."""
    found = probability(graph, done.levels, level)
    return {CORRECTED: found, PRINTED: 1 - found}


@reproduces(
    "xbfs-early",
    paper=XBFS,
    figure="Figure 10",
    question="How many vertices of the second bottom-up level does the first pass find?",
    graphs=GRAPHS,
    sheet=PAPER,
    published={"average": MEAN, "US, nearly": LEAST, "six graphs, more than": NEARLY},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
)
def xbfs_early(lab: Lab) -> Iterator[Point]:
    """Search each graph in each order, on gpu several times; the lemma is asked of the last."""
    for graph in lab.graphs:
        for name, options in _searches(lab):
            options |= {"source": typical(graph), "alpha": ALPHA}
            done = lab.search(TECHNIQUE, graph, counters=False, **options)
            level = second(done)
            if level is None:
                note = f"{graph.spec}: there are no two bottom-up levels one after the other"
                yield Point(graph.spec, name, None, {"share": None}, note)
            else:
                yield Point(graph.spec, name, None, found_early(done, level))
        if level is not None:
            for name, share in expected(graph, done, level).items():
                yield Point(graph.spec, name, None, {"share": share})


def _searches(lab: Lab) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the series and the options of each search."""
    if lab.timed:
        for number in range(lab.repeats):
            yield f"search {number + 1}", {}
        yield "behind", {"store": "behind"}
        return
    for order in orders(lab.machine):
        yield order, {"schedule": order}
    yield f"{LOCKSTEP}, behind", {"schedule": LOCKSTEP, "store": "behind"}
