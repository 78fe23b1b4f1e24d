"""XBFS on four GPUs of three generations: what of their differences can be seen without them.

Gaihre et al., Section 6.4, Figure 16: times of XBFS on a K80, a P6000, a Titan Xp and a V100, each
faster than the one before; the figure's values are not in the text, but the averages are. The paper
takes them for the effect of XBFS's optimizations.

The simulator has profiles of the four, which differ in how many threads and blocks a GPU holds. It
cannot tell times. It tells whether the same search moves more or less memory on one of them,
executes more or less, and has busier threads; for the grid of bottom-up passes is as large as the
GPU. What profiles do not have are clocks, caches and the speed of memory. The speeds of memory are
beside the paper's averages, from NVIDIA's specifications of the products, and the paper's own for
the V100: of a K80, which is two GPUs, half. Threads run in lockstep: what asynchronous passes do
depends on their order.

On one real GPU a search is timed with passes on a grid for as many threads as each of the four
holds: that is what the size of the grid makes, and nothing else of these GPUs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpubfs.experiments.cells import (
    TIME,
    Metric,
    by_graph,
    compared,
    counted,
    listed,
    notes,
    pivot,
    quotients,
    ranged,
    times,
    untold,
)
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.gaihre import SYSTEM
from gpubfs.experiments.lab import Lab
from gpubfs.render.drawing import bars, panels
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.papers import XBFS
from simulator import PROFILES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gpubfs.search.result import Run


#: The paper's GPUs, and how many times as fast as the first each is on average.
BASE = "k80"
PUBLISHED = {BASE: 1.0, "p6000": 1.8, "titan-xp": 2.3, "v100": 4.1}

#: Gigabytes a second that their memories move, by their specifications.
BANDWIDTH = {BASE: 240.0, "p6000": 432.0, "titan-xp": 547.7, "v100": 900.0}

#: The grid of a real GPU, for all threads that it holds.
WHOLE = "as many as it holds"

BLOCK = 256
SECTORS, STEPS, BUSIEST = "sectors", "warp_steps", "busiest"

METRICS = {
    "sim": (
        Metric(SECTORS, "sectors", "loads, stores and atomics"),
        *counted(STEPS),
        Metric(BUSIEST, "busiest threads", "accesses of every launch's busiest thread, added up"),
    ),
    "gpu": (TIME,),
}


def relative(figures: Mapping[str, float]) -> dict[str, float]:
    """Return figures of GPUs as multiples of the first one's.

    Examples
    --------
    >>> relative({"k80": 2.0, "v100": 5.0})
    {'k80': 1.0, 'v100': 2.5}
    """
    return {name: value / figures[BASE] for name, value in figures.items()}


THREADS = {name: float(PROFILES[name].resident_threads) for name in PUBLISHED}

PAPER = Sheet(
    "the paper's speedups over a K80",
    (
        Column("GPU"),
        Column("speedup", figures=True),
        Column("memory's speed", figures=True),
        Column("threads that it holds", figures=True),
    ),
    tuple(
        (
            PROFILES[name].title,
            times(PUBLISHED[name]),
            times(relative(BANDWIDTH)[name]),
            times(relative(THREADS)[name]),
        )
        for name in PUBLISHED
    ),
    (
        "speedups are averages; the figure's values are not in the text",
        "memory's speed is by the products' specifications, threads are by the profiles",
    ),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a heading for each metric, a row for each graph, a column for each GPU."""
    points, metrics = report.points, METRICS[report.machine]
    cells = compared(points, metrics, lambda p: p.series == BASE, lambda p: p.series)
    if report.machine == "gpu":
        title = f"speedups over passes on a {BASE}'s grid, on {report.where}"
    else:
        title = f"{SYSTEM} by profiles, ratios to {BASE}, on the simulator"
    return (pivot(title, "graph", cells, notes(points, metrics)),)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Tell what can be seen of the four GPUs; nothing of it decides on their times."""
    points = report.points
    if report.machine == "gpu":
        return (grids(against(points, TIME.name, faster=True)),)
    ratios = {name: against(points, name) for name in (SECTORS, STEPS, BUSIEST)}
    return worked(ratios), alike(points)


#: For each GPU its ratios to the first, by graph.
Ratios = Mapping[str, Mapping[str, float]]


def against(
    points: Sequence[Point], name: str, faster: bool = False
) -> dict[str, dict[str, float]]:
    """Return for each GPU but the first a value's ratios to that on the first.

    Parameters
    ----------
    points : sequence of Point
        The measurements.
    name : str
        Which value.
    faster : bool
        Whether to return speedups.
    """
    base = by_graph(points, BASE, name)
    others = dict.fromkeys(point.series for point in points if point.series != BASE)
    own = {series: by_graph(points, series, name) for series in others}
    pairs = {series: (base, its) if faster else (its, base) for series, its in own.items()}
    return {series: quotients(*pair) for series, pair in pairs.items()}


def _ranges(ratios: Ratios) -> str:
    return listed(f"{ranged(own.values())} ({series})" for series, own in ratios.items() if own)


THEIRS = ", ".join(f"{times(gain)} ({name})" for name, gain in PUBLISHED.items() if name != BASE)
MEMORIES = ", ".join(
    f"{times(gain)} ({name})" for name, gain in relative(BANDWIDTH).items() if name != BASE
)


def worked(ratios: Mapping[str, Ratios]) -> Verdict:
    """Say how much more or less there is to do on each GPU, beside what the paper gains.

    Parameters
    ----------
    ratios : mapping
        By metric, GPU and graph, to the first GPU.
    """
    detail = "; ".join(f"{name} {_ranges(own)}" for name, own in ratios.items())
    return untold(
        f"the simulator cannot tell times. To {BASE}, the same search has {detail}. The paper's "
        f"speedups are {THEIRS}; memory is faster {MEMORIES}"
    )


def alike(points: Sequence[Point]) -> Verdict:
    """Say whether the profiles of P6000 and Titan Xp, between which the paper gains, differ.

    Parameters
    ----------
    points : sequence of Point
        The measurements.
    """
    pair = [
        {
            (point.graph, metric.name): point.values[metric.name]
            for point in points
            if point.series == series
            for metric in METRICS["sim"]
        }
        for series in ("p6000", "titan-xp")
    ]
    gained = times(PUBLISHED["titan-xp"] / PUBLISHED["p6000"])
    same = "the same to the digit" if pair[0] == pair[1] else "not the same"
    return untold(
        f"on p6000 and titan-xp all counters are {same}: the profiles hold as many threads; the "
        f"{gained} between them in the paper is of what profiles do not have"
    )


def grids(speedups: Ratios) -> Verdict:
    """Say what the size of passes' grids makes of the time on one GPU.

    Parameters
    ----------
    speedups : mapping
        By grid and graph, over the first GPU's grid.
    """
    return untold(
        f"one GPU cannot tell the times of four: with passes on larger grids than for the threads "
        f"of a {BASE} its searches are {_ranges(speedups)} as fast; the paper's speedups are "
        f"{THEIRS}, and memory is faster {MEMORIES}"
    )


def draw(report: Report, figure: Figure) -> None:
    """Draw ratios to the first GPU for each graph, and the paper's beside its figures."""
    metric = METRICS[report.machine][0]
    base = {point.graph: point for point in report.points if point.series == BASE}
    own = {(p.graph, p.series): metric.ratio(p, base[p.graph]) for p in report.points}
    series = dict.fromkeys(point.series for point in report.points)
    measured, theirs = panels(figure, ["measured", "the paper's GPUs"], 1)
    what = "speedup over" if metric.faster else f"{metric.title} relative to"
    heights = {name: [own[graph, name] for graph in base] for name in series}
    bars(measured, list(base), heights, "graph", f"{what} {BASE}", scale="ratio")
    figures = {"speedup": PUBLISHED, "memory's speed": BANDWIDTH, "threads": THREADS}
    ratios = {name: [*relative(its).values()] for name, its in figures.items()}
    bars(theirs, list(PUBLISHED), ratios, "GPU", f"relative to {BASE}", scale="ratio")


@reproduces(
    "xbfs-devices",
    paper=XBFS,
    figure="6.4, Figure 16",
    question="How much does XBFS gain by a larger GPU?",
    graphs={
        "sim": ("kron:16", "powerlaw:64000", "standin:USpatent,64000", "standin:DBpedia,64000"),
        "gpu": ("kron:20", "powerlaw:1000000", "standin:USpatent,1000000"),
    },
    sheet=PAPER,
    published={"speedups over a K80": PUBLISHED},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
    device=BASE,
)
def xbfs_devices(lab: Lab) -> Iterator[Point]:
    """On sim the search on each profile, on gpu with passes on the grid of each, and its own."""
    for graph in lab.graphs:
        if lab.timed:
            for name, blocks in grid_sizes().items():
                point = lab.point(SYSTEM, graph, [TIME.name], block=BLOCK, blocks=blocks)
                yield replace(point, series=name)
            continue
        for name in PUBLISHED:
            done = replace(lab, device=name).search(SYSTEM, graph, counters=True)
            yield Point(graph.spec, name, None, work(done))


def grid_sizes() -> dict[str, int]:
    """Return the blocks of passes for each GPU; 0 is as many as the real one holds.

    Examples
    --------
    >>> grid_sizes()["k80"]
    104
    """
    return {name: int(held) // BLOCK for name, held in THREADS.items()} | {WHOLE: 0}


def work(done: Run) -> dict[str, Any]:
    """Return what a search did.

    Parameters
    ----------
    done : Run
        A search whose launches were counted.
    """
    works = [at.counters.work for at in done.per_launch if at.counters is not None]
    moved = (done.counters[f"{kind}_sectors"] for kind in ("load", "store", "atomic"))
    busiest = sum(one.maximum for one in works)
    return {SECTORS: sum(moved), STEPS: done.counters[STEPS], BUSIEST: busiest}
