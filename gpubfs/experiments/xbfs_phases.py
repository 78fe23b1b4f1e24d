"""How a search divides between top-down and bottom-up levels, from Enterprise to XBFS.

Gaihre et al., Section 6.2, Figure 12: 30 and 70 % of the time in the baseline, 32 and 68 % with
adaptive generation of frontiers, 43 and 57 % in all of XBFS, whose optimizations are mainly of
bottom-up levels. A level is bottom-up if its launches are; scans belong to the level that launches
them, so that Enterprise's scan for a level is counted with the one before it, but for that of the
switch. Costs are sectors moved on sim, of which no shares of times follow, and the seconds of
launches on gpu, where the gaps between launches are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from gpubfs.experiments.cells import Cell, listed, percent, pivot, untold
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.xbfs_searches import GRAPHS, typical
from gpubfs.experiments.xbfs_stages import ADAPTIVE, BASELINE, STAGES, WHOLE
from gpubfs.render.drawing import bars
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.papers import XBFS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gpubfs.search.result import Run


TOP_DOWN, BOTTOM_UP = "top-down", "bottom-up"

#: What costs are on each machine.
COSTS = {"sim": "sectors", "gpu": "time"}

#: The stages of the figure, and the paper's share of bottom-up levels.
PUBLISHED = {BASELINE: 0.70, ADAPTIVE: 0.68, WHOLE: 0.57}

#: How far a share may be from the paper's and still agree.
NEAR = 0.1

PAPER = Sheet(
    "the paper's shares of the time",
    (Column("stage"), Column(TOP_DOWN, figures=True), Column(BOTTOM_UP, figures=True)),
    tuple((stage, percent(1 - up), percent(up)) for stage, up in PUBLISHED.items()),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a row for each graph, a column for each stage."""
    cells: list[Cell] = []
    for point in report.points:
        up = point.values["share"]
        text = "" if up is None else f"{percent(1 - up)} / {percent(up)}"
        cells.append(("", point.graph, point.series, text))
    notes = ("searches begin at a vertex of median degree",)
    title = f"{TOP_DOWN} / {BOTTOM_UP} in {COSTS[report.machine]} on {report.where}"
    return (pivot(title, "graph", cells, notes),)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Return whether the shares are the paper's, and whether they move in the same direction."""
    found = {
        stage: [p.values["share"] for p in report.points if p.series == stage]
        for stage in PUBLISHED
    }
    means = {
        stage: sum(known) / len(known)
        for stage, each in found.items()
        if (known := [share for share in each if share is not None])
    }
    return alike(means, report.machine), moved(means, report.machine)


def _detail(means: Mapping[str, float]) -> str:
    return listed(f"{percent(means[stage])} in {stage}" for stage in PUBLISHED)


def alike(means: Mapping[str, float], machine: str) -> Verdict:
    """Whether bottom-up levels have the paper's shares; counters cannot tell.

    Parameters
    ----------
    means : mapping
        For each stage the share of bottom-up levels, on average over the graphs.
    machine : str
        "sim" or "gpu".
    """
    if len(means) < len(PUBLISHED):
        return untold("no search has bottom-up levels at every stage")
    paper = listed(percent(share) for share in PUBLISHED.values())
    text = f"bottom-up levels have {_detail(means)} of the {COSTS[machine]}; in the paper {paper}"
    if machine == "sim":
        return untold(f"{text} of the time, of which sectors say nothing")
    return Verdict(all(abs(means[stage] - up) <= NEAR for stage, up in PUBLISHED.items()), text)


def moved(means: Mapping[str, float], machine: str) -> Verdict:
    """Whether all of XBFS leaves less to bottom-up levels than the baseline.

    Parameters
    ----------
    means, machine
        As for `alike`.
    """
    if len(means) < len(PUBLISHED):
        return untold("there is no baseline to compare with")
    less = means[WHOLE] < means[BASELINE]
    what = COSTS[machine]
    text = (
        f"bottom-up levels have {'a smaller' if less else 'no smaller'} share of the {what} in "
        f"all of XBFS than in the baseline; in the paper a smaller one"
    )
    return Verdict(less, text) if machine == "gpu" else untold(f"{text}, of the time")


def draw(report: Report, figure: Figure) -> None:
    """Bars: the share of bottom-up levels in each stage."""
    graphs = list(dict.fromkeys(point.graph for point in report.points))
    found = {(p.graph, p.series): p.values["share"] for p in report.points}
    heights = {stage: [found.get((graph, stage)) for graph in graphs] for stage in PUBLISHED}
    up = f"share of bottom-up levels in {COSTS[report.machine]}, 0 to 1"
    bars(figure.subplots(), graphs, heights, "graph", up)


def costs(done: Run, lab: Lab) -> dict[str, float]:
    """Add up what levels cost, by their direction.

    Parameters
    ----------
    done : Run
        A search.
    lab : Lab
        Where it was made.
    """
    up = {at for at, known in done.facts.items() if known.get("phase") == BOTTOM_UP}
    if not up:  # who tells no phases
        up = {at.depth for at in done.per_launch if "bottom_up" in at.kernel}
    return {
        way: sum(lab.cost(at) for at in done.per_launch if (at.depth in up) == (way == BOTTOM_UP))
        for way in (TOP_DOWN, BOTTOM_UP)
    }


@reproduces(
    "xbfs-phases",
    paper=XBFS,
    figure="Figure 12",
    question="How do top-down and bottom-up levels share a search, from Enterprise to XBFS?",
    graphs=GRAPHS,
    sheet=PAPER,
    published={stage: {BOTTOM_UP: share} for stage, share in PUBLISHED.items()},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
)
def xbfs_phases(lab: Lab) -> Iterator[Point]:
    """Search each graph at each stage; on gpu several times, of which each cost is the median."""
    for graph in lab.graphs:
        for stage in PUBLISHED:
            technique, options = STAGES[stage]
            searches = [
                costs(
                    lab.search(technique, graph, counters=True, source=typical(graph), **options),
                    lab,
                )
                for _ in range(lab.repetitions)
            ]
            both = {way: lab.steady([each[way] for each in searches]) for way in searches[0]}
            share = both[BOTTOM_UP] / sum(both.values()) if both[BOTTOM_UP] else None
            note = "" if share is not None else f"{graph.spec}: {stage} has no bottom-up level"
            yield Point(graph.spec, stage, None, both | {"share": share}, note)
