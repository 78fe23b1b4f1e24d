"""What one of XBFS's phases gains: xbfs as it is, and with scan-free in the phase's place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpubfs.experiments.cells import Cell, listed, mean, pivot, times, untold
from gpubfs.experiments.experiment import Point, Verdict
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.level_costs import by_level, graphs_of, searched
from gpubfs.experiments.xbfs_stages import ADAPTIVE, STAGES
from gpubfs.graphs import Graph
from gpubfs.render.sheets import Sheet
from gpubfs.search.phases import NO_QUEUE, SCAN_FREE, SINGLE_SCAN

#: The search, with adaptive generation of frontiers and nothing else.
SYSTEM, OPTIONS = STAGES[ADAPTIVE]

#: The phases that top-down levels could do without. In the place of no-queue, double-scan's two
#: scans make a queue for scan-free.
REPLACED = (SINGLE_SCAN, NO_QUEUE)

#: What sums are called: of the search as it is, and without a phase.
WHOLE = SYSTEM
WITHOUT = {phase: f"{SYSTEM} without {phase}" for phase in REPLACED}


def phases_of(lab: Lab, graph: Graph, source: int) -> list[str]:
    """Return the phases that xbfs chooses, by what it has counted until then.

    Parameters
    ----------
    lab, graph, source
        Where, what, and from which vertex.
    """
    done = lab.search(SYSTEM, graph, counters=False, source=source, **OPTIONS)
    return [str(done.facts[depth]["phase"]) for depth in sorted(done.facts)]


def without(phases: Sequence[str], phase: str) -> str:
    """Return a plan with scan-free in the place of a phase, as far as it must be forced.

    Parameters
    ----------
    phases : sequence of str
        The phases of all levels.
    phase : str
        The one to replace.

    Examples
    --------
    >>> without(["scan-free", "single-scan", "bottom-up", "no-queue"], "single-scan")
    'scan-free+scan-free'
    >>> without(["scan-free", "bottom-up"], "no-queue")
    ''
    """
    last = max((depth for depth, own in enumerate(phases) if own == phase), default=-1)
    return "+".join(SCAN_FREE if own == phase else own for own in phases[: last + 1])


def measured(
    lab: Lab, graph: Graph, source: int, phases: Sequence[str]
) -> dict[str, dict[int, float]]:
    """Return what each level costs in the search as it is, and without each phase that it has.

    Parameters
    ----------
    lab, graph, source, phases
        Where, what, from which vertex, and in which phases.
    """
    plans = {WITHOUT[phase]: without(phases, phase) for phase in REPLACED}
    searches: dict[str, dict[str, str]] = {WHOLE: {}}
    searches |= {name: {"phases": plan} for name, plan in plans.items() if plan}
    return {
        name: by_level(searched(lab, SYSTEM, graph, source=source, **OPTIONS, **forced)[1])
        for name, forced in searches.items()
    }


def totals(points: Sequence[Point]) -> dict[str, dict[str, float]]:
    """Add up the levels of each search with and without phases, for each graph.

    Parameters
    ----------
    points : sequence of Point
        A cost for each level and series.
    """
    found: dict[str, dict[str, float]] = {graph: {} for graph in graphs_of(points)}
    for point in points:
        if point.series in (WHOLE, *WITHOUT.values()):
            own = found[point.graph]
            own[point.series] = own.get(point.series, 0) + (point.values["cost"] or 0)
    return found


def gains_sheet(points: Sequence[Point], scale: float, digits: int, unit: str) -> Sheet:
    """Return a row for each graph: what the search costs, and what it costs without a phase.

    Parameters
    ----------
    points : sequence of Point
        A cost for each level and series.
    scale, digits, unit
        What to multiply costs by, after how many decimals, and what they are.
    """
    cells: list[Cell] = []
    for graph, sums in totals(points).items():
        for name in (WHOLE, *WITHOUT.values()):
            if name not in sums:
                cells.append(("", graph, name, "no such level"))
                continue
            ratio = "" if name == WHOLE else f" {times(sums[name] / sums[WHOLE])}"
            cells.append(("", graph, name, f"{sums[name] * scale:,.{digits}f}{ratio}"))
    title = f"{unit} of all levels, and with scan-free in a phase's place"
    return pivot(title, "graph", cells, ("balance=static, asynchronous=false",))


def gained(phase: str, sums: Mapping[str, Mapping[str, float]], unit: str) -> Verdict:
    """Whether a search costs more without a phase.

    Parameters
    ----------
    phase : str
        The phase.
    sums : mapping
        For each graph what the search costs as it is, and without phases that it has.
    unit : str
        What costs are counted in.
    """
    name = WITHOUT[phase]
    ratios = {graph: own[name] / own[WHOLE] for graph, own in sums.items() if name in own}
    if not ratios:
        return untold(f"no search has a level of {phase}, so that it gains nothing here")
    detail = listed(f"{times(ratio)} on {graph}" for graph, ratio in ratios.items())
    text = (
        f"with scan-free in the place of {phase}, a search costs {detail} in {unit}, "
        f"{times(mean(ratios.values()))} on average; in the paper {phase} gains"
    )
    more = sum(ratio > 1 for ratio in ratios.values())
    if 0 < more < len(ratios):
        return Verdict(None, f"{text}: here it depends on the graph")
    return Verdict(more > 0, text)
