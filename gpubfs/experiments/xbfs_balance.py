"""How bottom-up passes share out their vertices: dealt out before, or fetched while they run.

Gaihre et al., Section 6.3, Figure 14, and Section 5.1.2: how long a vertex looks for its parent is
not known before, so threads, or warps, fetch the next vertices by an atomic when they are done; and
lanes that are done may help the last one of their warp. All four have the same fixed grid here, and
go bottom-up in the same levels, those whose frontiers have a tenth of all edges.

Of the paper's baseline, which shares out vertices by their degrees on a grid for each class, there
is no version here that has that grid: what the static way gains over it cannot be told.

The paper gives the gains of balancing several times, and differently. Its figure's 1.4, 1.6 and 1.6
fit the sum of Section 1.2, where the dynamic ways bring 13.3 % over the static one, and balancing
59 % in all. In Figure 11 it brings 3.1 / 2.3 = 1.35. Both are possible if Figure 14 is of bottom-up
levels, and Figure 11 of whole searches, of which these levels were 68 % (Figure 12); the text does
not say so.

Fetching can make warps end together; the lanes of a warp wait for each other in every way but the
last. So if all warps are equally fast, a pass takes at least as long as the mean warp, or as the
longest round of one, and dealt out, as long as the busiest. That follows from the levels: in each
round a warp loads as often as the lane that looks longest. It bounds what fetching can gain.

The simulator cannot tell times. It tells that bound, what atomics and statements it takes, how many
edges are looked at, and how even accesses are. The last is of one order, the one most like a GPU's:
in another one a fast warp fetches more, which is no fault. Lanes meet behind each loop, which on a
GPU they need not, so that what they fetch together is one request. A GPU holds many thousand
threads, and its graphs have tens or hundreds of vertices for each; for small graphs the grid must
be small, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gpubfs.experiments.cells import (
    TIME,
    Metric,
    by_graph,
    compared,
    gain,
    notes,
    percent,
    pivot,
    quotients,
    times,
    untold,
)
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.fetching import (
    AFTER,
    ANOTHER,
    BEFORE,
    DONATED,
    EXTRA,
    FIGURE_14,
    SHARE,
    asking,
    donated,
    equal,
    fewer,
    gained,
    helped,
    room,
    slightly,
    whole_search,
)
from gpubfs.experiments.gaihre import (
    ALPHA,
    DONATE,
    STATIC,
    THREAD,
    WARP,
    accesses,
    passes,
)
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.pass_loads import bound, dealt, uneven, unvisited
from gpubfs.experiments.settings import number
from gpubfs.graphs.build import count
from gpubfs.render.drawing import bars, panels
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.papers import XBFS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gpubfs.graphs import Graph
    from gpubfs.host import Launch

SERIES = (STATIC, THREAD, WARP, DONATE)

#: On the simulator, how warps take turns. Its grid has 512 threads, a GPU's all that it holds.
SCHEDULE = "round-robin:1"
BLOCK = 256
BLOCKS = {"sim": 2, "gpu": 0}

WARPS, THREADS, FETCHES, REQUESTS = "uneven_warps", "uneven_threads", "fetches", "fetch_requests"
LOOKED, STEPS, EFFICIENCY, PASSES = "looked_at", "warp_steps", "simt_efficiency", "pass_seconds"
ROOM = "room"

_EVEN = "accesses of every pass's busiest {0}, added up, to those of its {0}s' mean"
MEASURED = {
    "sim": (
        Metric(WARPS, "imbalance of warps", _EVEN.format("warp"), digits=2),
        Metric(THREADS, "imbalance of threads", _EVEN.format("thread"), digits=2),
        Metric(FETCHES, "fetches", "atomics of threads by which vertices are fetched"),
        Metric(REQUESTS, "requests of fetches", "what the threads of a warp fetch together is one"),
        Metric(LOOKED, "edges looked at", "loads of neighbours"),
        Metric(STEPS, STEPS),
        Metric(EFFICIENCY, EFFICIENCY, digits=1),
    ),
    "gpu": (
        Metric(PASSES, "milliseconds of passes", "medians of sums over passes", 1e3, 4, True),
        TIME,
    ),
}

PAPER = Sheet(
    "the paper's speedups by balancing bottom-up levels",
    (Column("way"), Column("speedup", figures=True), Column("said where", text=True)),
    (
        ("static", times(FIGURE_14[STATIC]), "6.3, Figure 14; 1.2"),
        ("warps fetch", times(FIGURE_14[WARP]), "6.3, Figure 14"),
        ("threads fetch", times(FIGURE_14[THREAD]), "6.3, Figure 14; slightly fewer instructions"),
        ("dynamic to static", times(EXTRA), "1.2"),
        ("balancing in all", times(ANOTHER), "1.2"),
        ("balancing in all", times(AFTER / BEFORE), f"Figure 11: {AFTER} / {BEFORE}"),
        ("donation", f"{gain(1 / DONATED[1])} to {gain(1 / DONATED[0])}", "5.1.2"),
    ),
    (
        f"the figures contradict each other: {times(ANOTHER)} in 1.2, {times(FIGURE_14[WARP])} in "
        f"Figure 14, {times(AFTER / BEFORE)} in Figure 11; they would fit if Figure 14 were of "
        f"bottom-up levels alone, {percent(SHARE)} of the time before (Figure 12), for that makes "
        f"{times(whole_search(FIGURE_14[WARP], SHARE))} of whole searches",
        "all lose on DB, whose outliers have almost as much work as edges",
        "the baseline, shares by degrees, is in no column here: it has not the same grid",
    ),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a heading for each metric, a row for each graph, a column for each way."""
    points, metrics = report.points, MEASURED[report.machine]
    cells = compared(points, metrics, lambda p: p.series == STATIC, lambda p: p.series)
    footnotes = [*notes(points, metrics), *shapes(points)]
    what = "speedups over" if report.machine == "gpu" else "ratios to"
    return (
        pivot(f"bottom-up passes, {what} {STATIC}, on {report.where}", "graph", cells, footnotes),
    )


def shapes(points: Sequence[Point]) -> list[str]:
    """Say of each graph how many passes there are, over how many vertices for how many threads.

    Parameters
    ----------
    points : sequence of Point
        The measurements.
    """
    own = {point.graph: point.values for point in points if point.series == STATIC}
    return [
        f"{graph}: {count(its['passes'], 'bottom-up pass', 'bottom-up passes')} over "
        f"{count(its['vertices'], 'vertex', 'vertices')} by {count(its['threads'], 'thread')}; "
        "fetching can gain "
        f"{times(its[ROOM])} at most"
        if its["passes"]
        else f"{graph}: no level is bottom-up"
        for graph, its in own.items()
    ]


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """On gpu what fetching and donation gain; on sim what the paper gives for it."""
    points = report.points

    def found(name: str) -> dict[str, dict[str, float]]:
        return {series: by_graph(points, series, name) for series in SERIES}

    if report.machine == "gpu":
        seconds = found(PASSES)
        return (
            room(found(ROOM)[STATIC]),
            *(gained(quotients(seconds[STATIC], seconds[one]), one) for one in (THREAD, WARP)),
            equal(quotients(seconds[THREAD], seconds[WARP])),
            donated(quotients(seconds[DONATE], seconds[WARP])),
        )
    fetches, asked, steps = found(FETCHES), found(REQUESTS), found(STEPS)
    looked = quotients(found(LOOKED)[DONATE], found(LOOKED)[WARP])
    return (
        room(found(ROOM)[STATIC]),
        fewer(quotients(fetches[THREAD], fetches[WARP])),
        asking(quotients(asked[THREAD], asked[WARP])),
        slightly(quotients(steps[WARP], steps[THREAD])),
        helped(quotients(steps[DONATE], steps[WARP]), looked),
        untold(
            "the simulator cannot tell times: neither what fetching gains nor what it costs; "
            f"in the paper it gains {gain(FIGURE_14[WARP] / FIGURE_14[STATIC])} over {STATIC}"
        ),
    )


def draw(report: Report, figure: Figure) -> None:
    """Draw speedups of passes, or their statements, and the most that fetching can gain."""
    points = report.points
    metric = next(one for one in MEASURED[report.machine] if one.name in (STEPS, PASSES))
    base = {point.graph: point for point in points if point.series == STATIC}
    own = {(p.graph, p.series): metric.ratio(p, base[p.graph]) for p in points}
    what = "speedup over" if metric.faster else "statements, relative to"
    measured, most = panels(figure, ["passes", "the most that fetching can gain"], 1)
    heights = {name: [own[graph, name] for graph in base] for name in SERIES}
    bars(measured, list(base), heights, "graph", f"{what} {STATIC}", scale="ratio")
    gains = by_graph(points, STATIC, ROOM)
    bounds = {"by loads of warps": [gains.get(graph) for graph in base]}
    bars(most, list(base), bounds, "graph", "speedup of passes", scale="ratio")


@reproduces(
    "xbfs-balance",
    paper=XBFS,
    figure="6.3, Figure 14",
    question="Do bottom-up passes gain if vertices are fetched and not dealt out before?",
    graphs={
        "sim": ("kron:13", "standin:Orkut,4000", "standin:USpatent,8000", "standin:DBpedia,8000"),
        "gpu": (
            "kron:20",
            "powerlaw:1000000",
            "standin:USpatent,1000000",
            "standin:DBpedia,1000000",
        ),
    },
    sheet=PAPER,
    published={
        "speedups over the baseline": FIGURE_14,
        "dynamic to static (1.2)": EXTRA,
        "balancing (1.2)": ANOTHER,
        "balancing (Figure 11)": [BEFORE, AFTER],
        "donation, times as long": list(DONATED),
    },
    tables=tables,
    verdicts=verdicts,
    draw=draw,
    device="p6000",
    settings={"blocks": number(-1, 65535)},
)
def xbfs_balance(lab: Lab, blocks: int = -1) -> Iterator[Point]:
    """Each way on each graph, on a grid of so many blocks; -1 chooses, 0 is all that fit."""
    options: dict[str, Any] = {"alpha": ALPHA, "block": BLOCK}
    options["blocks"] = BLOCKS[lab.machine] if blocks < 0 else blocks
    if not lab.timed:
        options["schedule"] = SCHEDULE
    for graph in lab.graphs:
        for technique in SERIES:
            yield Point(graph.spec, technique, None, searched(lab, technique, graph, options))


def searched(lab: Lab, technique: str, graph: Graph, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the passes of a search cost, and over how many vertices they go.

    Parameters
    ----------
    lab : Lab
        Where.
    technique, graph, options
        What to search, and how.
    """
    runs = [lab.search(technique, graph, counters=True, **options) for _ in range(lab.repetitions)]
    own = passes(runs[0])
    threads = max((at.grid[0] * at.block[0] for at in own), default=0)
    deals = [dealt(graph, runs[0], at) for at in own] if technique == STATIC else []
    shape: dict[str, Any] = {"passes": len(own), "threads": threads, "vertices": unvisited(runs[0])}
    shape |= {ROOM: bound(deals)} if deals else {}
    if not lab.timed:
        return counted(own) | shape
    sums = [sum(at.seconds or 0.0 for at in passes(done)) for done in runs]
    whole_runs = lab.point(technique, graph, [TIME.name], **options)
    return {
        PASSES: lab.steady(sums) if own else None,
        TIME.name: whole_runs.values[TIME.name],
    } | shape


def counted(own: Sequence[Launch]) -> dict[str, float | None]:
    """Return what the simulator counted of passes; None of each if there are none.

    Parameters
    ----------
    own : sequence of Launch
        The passes.
    """
    known = [at.counters for at in own if at.counters is not None]
    if not known:
        return dict.fromkeys(metric.name for metric in MEASURED["sim"])
    steps = sum(its.warp_steps for its in known)
    lanes = sum(its.warp_size * its.warp_steps for its in known)
    return {
        WARPS: uneven([its.work_per_warp for its in known]),
        THREADS: uneven([its.work for its in known]),
        FETCHES: accesses(own, "atomic", "taken"),
        REQUESTS: accesses(own, "atomic", "taken", "requests"),
        LOOKED: accesses(own, "load", "neighbours"),
        STEPS: steps,
        EFFICIENCY: 100 * sum(its.thread_steps for its in known) / lanes,
    }
