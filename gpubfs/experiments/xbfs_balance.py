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
last. So it gains at most what the busiest warp has more to do than the mean one where vertices are
dealt out, if all warps are equally fast. That follows from the levels: a warp loads as often as the
lane that looks longest, round after round.

The simulator cannot tell times. It tells that bound, what atomics and statements it takes, how many
edges are looked at, and how even accesses are. The last is of one order, the one most like a GPU's:
in another one a fast warp fetches more, which is no fault. A GPU holds many thousand threads, and
its graphs have tens or hundreds of vertices for each; for small graphs the grid must be small, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpubfs.arguments import whole
from gpubfs.experiments.cells import (
    ALIKE,
    CLOSE,
    TIME,
    Metric,
    alike,
    by_graph,
    compared,
    gain,
    listed,
    mean,
    notes,
    percent,
    pivot,
    quotients,
    times,
    untold,
)
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.gaihre import (
    ALPHA,
    DONATE,
    STATIC,
    THREAD,
    WARP,
    accesses,
    looks,
    passes,
    unanimous,
)
from gpubfs.experiments.lab import Lab
from gpubfs.graphs.build import count
from gpubfs.render.drawing import bars, panels
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.papers import XBFS
from simulator.observe.counters import Work

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gpubfs.graphs import Graph
    from gpubfs.host import Launch
    from gpubfs.search.result import Run

SERIES = (STATIC, THREAD, WARP, DONATE)

#: On the simulator, how warps take turns. Its grid has 512 threads, a GPU's all that it holds.
SCHEDULE = "round-robin:1"
BLOCK = 256
BLOCKS = {"sim": 2, "gpu": 0}

WARPS, THREADS, FETCHES, REQUESTS = "uneven_warps", "uneven_threads", "fetches", "fetch_requests"
LOOKED, STEPS, EFFICIENCY, PASSES = "looked_at", "warp_steps", "simt_efficiency", "pass_seconds"
ROOM = "room"

#: What a warp loads for each round beside the edges that it looks at, and for each of these: an
#: entry of the queue, where its edges begin and end; a neighbour and its level.
ROUND, EDGE = 3, 2

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

#: Lanes of a warp.
LANES = 32

#: The paper's speedups over its baseline, in Figure 14; what the dynamic ways gain over the static
#: one and what balancing gains in all, in Section 1.2; two bars of Figure 11; shares of bottom-up
#: levels in Figure 12 (b); and between which slowdowns donation is.
FIGURE_14 = {STATIC: 1.4, WARP: 1.6, THREAD: 1.6}
EXTRA, ANOTHER = 1.133, 1.59
BEFORE, AFTER = 2.3, 3.1
SHARE = 0.68
DONATED = (1.01, 1.05)


def whole_search(speedup: float, share: float) -> float:
    """Return by how much a search gains if a share of its time gains that much.

    Parameters
    ----------
    speedup : float
        Of a part.
    share : float
        The part's share of the time before.

    Examples
    --------
    >>> whole_search(2.0, 0.5)
    1.3333333333333333
    """
    return 1 / (1 - share + share / speedup)


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
        f"{its['vertices']:,} vertices by {its['threads']:,} threads; fetching can gain "
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


def _each(ratios: Mapping[str, float], write: Callable[[float], str] = times) -> str:
    return listed(f"{write(ratio)} on {graph}" for graph, ratio in ratios.items())


#: What is said where no level is bottom-up.
NOTHING = "no level is bottom-up on any graph here"


def room(most: Mapping[str, float]) -> Verdict:
    """Whether dealing out leaves room for what fetching gains in the paper.

    Parameters
    ----------
    most : mapping
        What the busiest warp has to do, to what the mean warp has, by graph.
    """
    if not most:
        return untold(NOTHING)
    theirs = FIGURE_14[WARP] / FIGURE_14[STATIC]
    text = (
        f"the busiest warp of {STATIC} loads as often as the mean one {_each(most)}: that is the "
        f"most that fetching can gain if warps are equally fast; in the paper it gains "
        f"{times(theirs)}"
    )
    return Verdict(unanimous([bound >= theirs for bound in most.values()]), text)


def fewer(ratios: Mapping[str, float]) -> Verdict:
    """Whether fetching by warps makes a warp's width fewer atomics, as the paper has it.

    Parameters
    ----------
    ratios : mapping
        Atomics of threads where threads fetch, to those where warps do, by graph.
    """
    if not ratios:
        return untold(f"no thread has to fetch: {NOTHING}, or the grid has room for all vertices")
    detail = listed(f"{ratio:.1f} on {graph}" for graph, ratio in ratios.items())
    near = [abs(ratio / LANES - 1) <= CLOSE for ratio in ratios.values()]
    text = (
        f"{THREAD} makes as many times the atomics of {WARP}: {detail}; in the paper {LANES} times"
    )
    return Verdict(unanimous(near), text)


def asking(ratios: Mapping[str, float]) -> Verdict:
    """Whether both ways ask memory as often, which is why the paper finds them equally fast.

    Parameters
    ----------
    ratios : mapping
        Requests of fetches where threads fetch, to those where warps do, by graph.
    """
    if not ratios:
        return untold(f"no thread has to fetch: {NOTHING}, or the grid has room for all vertices")
    text = (
        f"warps of {THREAD} ask for vertices as often as those of {WARP} {_each(ratios)}: lanes "
        "that look together for parents fetch together; by nvprof, which counts what warps "
        "execute, the paper finds atomics there as cheap as shuffles here"
    )
    return Verdict(unanimous([abs(ratio - 1) <= CLOSE for ratio in ratios.values()]), text)


def slightly(ratios: Mapping[str, float]) -> Verdict:
    """Whether warps that fetch execute slightly more than threads that do: up to a tenth.

    Parameters
    ----------
    ratios : mapping
        Statements of the one to those of the other, by graph.
    """
    if not ratios:
        return untold(NOTHING)
    text = f"{WARP} executes as many statements as {THREAD} {_each(ratios)}; the paper has "
    text += "slightly more, which is taken here for up to a tenth"
    return Verdict(unanimous([1 < ratio <= 1 + CLOSE for ratio in ratios.values()]), text)


def helped(steps: Mapping[str, float], looked: Mapping[str, float]) -> Verdict:
    """Say what donation takes; the paper's slowdown is a time.

    Parameters
    ----------
    steps, looked : mapping
        Statements and edges looked at, to those without donation, by graph.
    """
    if not steps:
        return untold(NOTHING)
    return untold(
        f"{DONATE} executes as many statements as {WARP} {_each(steps)}, and looks at as many "
        f"edges {_each(looked)}; in the paper it is slower by 1 to 5 %"
    )


def gained(speedups: Mapping[str, float], who: str) -> Verdict:
    """Whether fetching gains over dealing out what it does in the paper.

    Parameters
    ----------
    speedups : mapping
        By graph.
    who : str
        Which way fetches.
    """
    if not speedups:
        return untold(NOTHING)
    ours, theirs = mean(speedups.values()), FIGURE_14[who] / FIGURE_14[STATIC]
    text = (
        f"passes of {who} gain {gain(ours)} over {STATIC} on average: {_each(speedups)}; in the "
        f"paper {FIGURE_14[who]} to {FIGURE_14[STATIC]}, {gain(theirs)}, and {gain(EXTRA)} in 1.2"
    )
    return Verdict(alike(ours, theirs), text)


def equal(speedups: Mapping[str, float]) -> Verdict:
    """Whether fetching by warps and by threads are equally fast, give or take a tenth.

    Parameters
    ----------
    speedups : mapping
        Of warps over threads, by graph.
    """
    if not speedups:
        return untold(NOTHING)
    ours = mean(speedups.values())
    text = f"passes of {WARP} are {times(ours)} as fast as those of {THREAD} on average: "
    text += f"{_each(speedups)}; in the paper they are similar"
    return Verdict(abs(ours - 1) <= CLOSE, text)


def donated(slowdowns: Mapping[str, float]) -> Verdict:
    """Whether donation costs about what it does in the paper, 1 to 5 %.

    Parameters
    ----------
    slowdowns : mapping
        How many times as long passes take, by graph.
    """
    if not slowdowns:
        return untold(NOTHING)
    ours = mean(slowdowns.values())
    low, high = ((DONATED[0] - 1) / ALIKE, (DONATED[1] - 1) * ALIKE)
    text = (
        f"passes of {DONATE} take {times(ours)} as long as those of {WARP} on average: "
        f"{_each(slowdowns)}; in the paper 1 to 5 % longer"
    )
    return Verdict(low <= ours - 1 <= high, text)


def draw(report: Report, figure: Figure) -> None:
    """Draw speedups of passes, or their statements, and the most that fetching can gain."""
    points = report.points
    metric = next(one for one in MEASURED[report.machine] if one.name in (STEPS, PASSES))
    base = {point.graph: point for point in points if point.series == STATIC}
    own = {(p.graph, p.series): metric.ratio(p, base[p.graph]) for p in points}
    what = "speedup over" if metric.faster else "statements, relative to"
    measured, bound = panels(figure, ["passes", "the most that fetching can gain"])
    heights = {name: [own[graph, name] for graph in base] for name in SERIES}
    bars(measured, list(base), heights, "graph", f"{what} {STATIC}")
    most = by_graph(points, STATIC, ROOM)
    gains = {"busiest warp to mean": [most.get(graph) for graph in base]}
    bars(bound, list(base), gains, "graph", "speedup of passes")
    for axes in (measured, bound):
        axes.axhline(1, color="black", linewidth=0.8)


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
)
def xbfs_balance(lab: Lab, blocks: int = -1) -> Iterator[Point]:
    """Each way on each graph, on a grid of so many blocks; -1 chooses, 0 is all that fit."""
    chosen = whole(blocks, "blocks", -1)
    options: dict[str, Any] = {"alpha": ALPHA, "block": BLOCK}
    options["blocks"] = BLOCKS[lab.machine] if chosen < 0 else chosen
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
    works = [dealt(graph, runs[0], at) for at in own] if technique == STATIC else []
    shape: dict[str, Any] = {"passes": len(own), "threads": threads, "vertices": unvisited(runs[0])}
    shape |= {ROOM: uneven([Work.of(work) for work in works])} if works else {}
    if not lab.timed:
        return counted(own) | shape
    sums = [sum(at.seconds or 0.0 for at in passes(done)) for done in runs]
    whole_runs = lab.point(technique, graph, [TIME.name], **options)
    return {
        PASSES: lab.steady(sums) if own else None,
        TIME.name: whole_runs.values[TIME.name],
    } | shape


def dealt(graph: Graph, done: Run, launch: Launch) -> NDArray[np.int64]:
    """Return how often each warp loads for itself in a pass that deals its vertices out.

    Parameters
    ----------
    graph : Graph
        The graph.
    done : Run
        The search.
    launch : Launch
        A pass of it.

    Examples
    --------
    >>> from gpubfs import graph, run
    >>> done = run("bottom-up", "star:40", 0)
    >>> dealt(graph("star:40"), done, passes(done)[0]).tolist()
    [5, 5, 0, 0, 0, 0, 0, 0]
    """
    work = looks(graph, done.levels, launch.depth + 1)
    queue = work[work >= 0]
    threads = launch.grid[0] * launch.block[0]
    rounds = np.full(-(-queue.size // threads) * threads, -1)
    rounds[: queue.size] = queue
    longest = rounds.reshape(-1, threads // LANES, LANES).max(axis=2)
    loads: NDArray[np.int64] = np.where(longest >= 0, ROUND + EDGE * longest, 0).sum(axis=0)
    return loads


def unvisited(done: Run) -> int:
    """Return the vertices of all passes' queues together: who was not visited before each.

    Parameters
    ----------
    done : Run
        A search with synchronous passes.

    Examples
    --------
    >>> from gpubfs import run
    >>> unvisited(run("bottom-up", "path:4", 0))
    6
    """
    return sum(int(((done.levels < 0) | (done.levels > at.depth)).sum()) for at in passes(done))


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


def uneven(works: Sequence[Work]) -> float:
    """Return the accesses of the busiest of each launch, added up, to those of the mean.

    Parameters
    ----------
    works : sequence of Work
        Of threads, or of warps, one a launch.

    Examples
    --------
    >>> import numpy as np
    >>> from simulator.observe.counters import Work
    >>> uneven([Work.of(np.array([1, 3])), Work.of(np.array([6, 10]))])
    1.3
    """
    mean_work = sum(work.mean for work in works)
    return sum(work.maximum for work in works) / mean_work if mean_work else 0.0
