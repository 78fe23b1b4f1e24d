"""How often the frontier is loaded where lanes load vertices of their own and shuffle them.

Busato and Bombieri, Section 3.1 and Figure 2: the 8 threads of a group load the same vertex in the
standard approach, 8 accesses for 8 vertices, which are one coalesced access where each thread loads
a different one. A request is what a warp loads at once. The figure is literal on a GPU whose warps
have eight lanes; with 32 lanes there must be 32 vertices for groups of 8 to ask 8 times. A frontier
of fewer vertices than that leaves less to be saved.

What shuffles cost is, the paper says, a minimum overhead. A group takes a turn for each of its
lanes, with or without a vertex, so that warps of a small frontier execute many statements for few
vertices.

On the simulator requests and statements are counted, in the one level of a star that is drawn, and
in whole searches. What either costs it cannot tell. On a GPU whole searches are timed for several
widths.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpubfs.experiments.balance import minimal
from gpubfs.experiments.cells import (
    CLOSE,
    TIME,
    Cell,
    by_graph,
    counted,
    listed,
    mean,
    notes,
    pivot,
    quotients,
    times,
    untold,
)
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.settings import values_for
from gpubfs.graphs import graph as make_graph
from gpubfs.host import Launch
from gpubfs.render.drawing import bars
from gpubfs.render.sheets import Column, Sheet, figure
from gpubfs.search.papers import BUSATO
from gpubfs.search.result import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure


STANDARD, SHUFFLE = "virtual-warp", "warp-shuffle"
WIDTH = 8

#: Widths that are timed.
WIDTHS = (2, 8, 32)

#: Levels of a star: vertices of the frontier, the simulated GPU, its lanes a warp, a block.
LEVELS = ((8, "toy8", 8, 8), (32, "h200", 32, 256), (8, "h200", 32, 256))

#: The paper's accesses for loading 8 vertices, in groups and by shuffles.
PUBLISHED = (8, 1)

FRONTIER = "requests for frontier"
METRICS = {"sim": (FRONTIER, "load_requests", "warp_steps"), "gpu": (TIME.name,)}

PAPER = Sheet(
    "the paper's accesses to the frontier",
    (Column("mapping"), Column("accesses", figures=True)),
    (("standard", f"{PUBLISHED[0]}"), ("warp shuffle", f"{PUBLISHED[1]}")),
    ("for the 8 vertices of a group of 8 threads; Figure 2 has no times",),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a row for each level or graph, a column for each technique."""
    if report.machine == "gpu":
        cells = [(p.graph, f"width {p.at:g}", p.series, TIME.text(p)) for p in report.points]
        return (pivot(f"milliseconds on {report.where}", "width", cells, notes([], (TIME,))),)
    found: list[Cell] = [
        (name, point.graph, point.series, figure(point.values[name]))
        for name in METRICS["sim"]
        for point in report.points
    ]
    meant = notes([], counted(*METRICS["sim"][1:]))
    footnotes = [
        f"{FRONTIER}: of warps, in the level or in the whole search; width {WIDTH}",
        *meant,
    ]
    return (pivot(f"frontier loads on {report.where}", "frontier", found, footnotes),)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """On sim whether the figure's accesses are counted, on gpu whether fewer are faster."""
    if report.machine == "gpu":
        return (faster(speedups(report.points)),)
    loads = requests(report.points)
    drawn, whole, few = (level_name(*level[:3:2]) for level in LEVELS)
    searches = {name: its for name, its in loads.items() if name not in (drawn, whole, few)}
    return (
        as_drawn(drawn, loads[drawn]),
        as_drawn(whole, loads[whole]),
        fewer(few, loads[few]),
        saved(searches),
        minimal(steps(report.points), STANDARD, SHUFFLE),
    )


def level_name(vertices: int, lanes: int) -> str:
    """Name a level of a star.

    >>> level_name(8, 32)
    '8 vertices, 32 lanes a warp'
    """
    return f"{vertices} vertices, {lanes} lanes a warp"


def requests(points: Sequence[Point]) -> dict[str, tuple[int, int]]:
    """For each level and graph the requests for the frontier: in groups, and by shuffles."""
    groups, shuffles = (by_graph(points, series, FRONTIER) for series in (STANDARD, SHUFFLE))
    return {name: (groups[name], shuffles[name]) for name in groups}


def steps(points: Sequence[Point]) -> dict[str, float]:
    """For each level and graph how many times the statements of groups the shuffles take."""
    shuffles, groups = (by_graph(points, series, "warp_steps") for series in (SHUFFLE, STANDARD))
    return quotients(shuffles, groups)


def as_drawn(where: str, loads: tuple[int, int]) -> Verdict:
    """Whether a level's accesses are those that the figure shows."""
    theirs = f"in the paper {PUBLISHED[0]} and {PUBLISHED[1]}"
    text = f"{where}: groups load the frontier by {loads[0]} requests, shuffles by {loads[1]}"
    return Verdict(loads == PUBLISHED, f"{text}; {theirs}")


def fewer(where: str, loads: tuple[int, int]) -> Verdict:
    """Say what is saved where a warp has fewer vertices than lanes, which the figure has not."""
    ratio = loads[0] / loads[1]
    text = f"{where}: {loads[0]} requests and {loads[1]}, {times(ratio)}"
    if ratio == PUBLISHED[0] / PUBLISHED[1]:
        return Verdict(True, f"{text}, as much as the paper saves")
    return Verdict(None, f"{text}: not the paper's ratio, which needs a vertex for every lane")


def saved(loads: Mapping[str, tuple[int, int]]) -> Verdict:
    """Whether whole searches load the frontier by fewer requests."""
    ratios = {name: groups / shuffles for name, (groups, shuffles) in loads.items()}
    if not ratios:
        return untold("no graph was searched")
    detail = listed(f"{times(ratio)} on {name}" for name, ratio in ratios.items())
    text = f"in whole searches groups ask for the frontier {detail} as often as shuffles"
    text += "; the simulator cannot tell what that is worth in time"
    return Verdict(min(ratios.values()) > 1, text)


def speedups(points: Sequence[Point]) -> dict[str, float]:
    """How many times as fast shuffles are, for each graph and width."""
    seconds = {
        series: {_place(p): p.values[TIME.name] for p in points if p.series == series}
        for series in (STANDARD, SHUFFLE)
    }
    return quotients(seconds[STANDARD], seconds[SHUFFLE])


def faster(found: Mapping[str, float]) -> Verdict:
    """Whether shuffles are faster: somewhere by more than a tenth, and nowhere slower by that."""
    if not found:
        return untold("nothing was timed")
    detail = listed(f"{times(ratio)} on {name}" for name, ratio in found.items())
    text = f"{SHUFFLE} is {times(mean(found.values()))} as fast as {STANDARD} on average: {detail}"
    theirs = f"{text}; the paper says that it is faster"
    gained = any(ratio > 1 + CLOSE for ratio in found.values())
    if any(1 / ratio > 1 + CLOSE for ratio in found.values()):
        return Verdict(None, f"{theirs}, and it is in a part") if gained else Verdict(False, theirs)
    return Verdict(gained or None, theirs if gained else f"{theirs}; here as good as equal")


def draw(report: Report, figure: Figure) -> None:
    """Bars: requests for the frontier, or times."""
    name = METRICS[report.machine][0]
    axes = figure.subplots()
    found = {(_place(p), p.series): p.values[name] for p in report.points}
    groups = list(dict.fromkeys(_place(point) for point in report.points))
    series = {one: [found[group, one] for group in groups] for one in (STANDARD, SHUFFLE)}
    bars(axes, groups, series, "frontier", name, scale="log")


@reproduces(
    "busato-frontier-loads",
    paper=BUSATO,
    figure="3.1, Figure 2",
    question="How often is the frontier loaded where lanes share its vertices by shuffles?",
    graphs={
        "sim": ("kron:10", "grid:32x32"),
        "gpu": ("kron:20", "er:20", "grid:1024x1024"),
    },
    sheet=PAPER,
    published={"accesses": list(PUBLISHED)},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
    settings={"widths": values_for(SHUFFLE, "width")},
)
def busato_frontier_loads(lab: Lab, *, widths: Sequence[int] = WIDTHS) -> Iterator[Point]:
    """Count the figure's level and whole searches on sim; on gpu time these with each width."""
    if lab.timed:
        for graph in lab.graphs:
            for width in widths:
                for name in (STANDARD, SHUFFLE):
                    yield lab.point(name, graph, (), width, width=width)
        return
    for vertices, device, lanes, block in LEVELS:
        star = make_graph(f"star:{vertices}")
        for name in (STANDARD, SHUFFLE):
            options = {"width": WIDTH, "block": block, "source": 0}
            done = replace(lab, device=device).search(name, star, counters=True, **options)
            yield Point(level_name(vertices, lanes), name, None, _loads(done.per_launch[1]))
    for graph in lab.graphs:
        for name in (STANDARD, SHUFFLE):
            done = lab.search(name, graph, counters=True, width=WIDTH)
            yield Point(graph.spec, name, None, _loads(done))


def _loads(done: Run | Launch) -> dict[str, Any]:
    """Return requests for the frontier, and what all else costs."""
    own = sum(s.requests for s in done.sites or () if (s.kind, s.array) == ("load", "frontier"))
    counters = done.counters
    others = METRICS["sim"][1:]
    if isinstance(counters, Mapping):
        return {FRONTIER: own} | {name: counters[name] for name in others}
    return {FRONTIER: own} | {name: getattr(counters, name) for name in others}


def _place(point: Point) -> str:
    return point.graph if point.at is None else f"{point.graph} with width {point.at:g}"
