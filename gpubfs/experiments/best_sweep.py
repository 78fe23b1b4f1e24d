"""Whether any search of ours beats best, on any graph.

No paper's, so that there is nothing to agree with: the verdict says what was measured. On a GPU
each graph is searched once by every technique with its defaults, and by `best` with other options
than it chooses; a few that were the fastest are timed again, by turns; and then `best` and the
fastest of these, by turns, and these last times are compared. Where they differ by more than a
twentieth the last turns are begun anew, and are four times as many. As with `gpubfs bench`, each
timed search follows one from the same source that is not.

The simulator cannot tell times: there `best` and its own options are counted, on few graphs.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gpubfs.errors import UsageError
from gpubfs.experiments.cells import listed, mean, of_graphs, times, untold
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.settings import number
from gpubfs.graphs.build import count
from gpubfs.render.drawing import bars
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.catalogue import parse_call, techniques
from gpubfs.search.queues import QueueOverflowError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gpubfs.experiments.lab import Lab
    from gpubfs.graphs import Graph
    from gpubfs.measure.bench import Timing

BEST = "best"

#: Other choices than those of `best`, and grids that others are faster with.
OPTIONS = (
    "best:stages=grid",
    "best:stages=grid,alpha=0",
    "best:stages=bytemap",
    "best:stages=bytemap,lanes=8",
    "best:stages=bytemap,lanes=32",
    "best:stages=bytemap,filter=true",
    "best:stages=block-bytemap",
    "best:stages=cluster+grid,ranks=1,row=4,words=1",
    "best:stages=cluster+grid,ranks=1,row=4,words=4",
    "best:stages=cluster+grid,ranks=1,row=8,words=4",
    "best:stages=cluster+grid,ranks=8,row=4,words=1",
    "best:stages=cluster+grid,ranks=8,row=16,words=4",
    "persistent:blocks=132",
)

#: All kinds of generated graphs, from ten vertices to two millions.
ON_GPU = (
    *("toy", "karate", "path:10", "path:1000", "star:300", "star:1000", "star:100000"),
    *("kron:8", "kron:10", "kron:12,2", "kron:14", "kron:16", "kron:18", "kron:18,4", "kron:20"),
    *("er:8", "er:10", "er:12,8", "er:14", "er:14,8", "er:16", "er:16,64", "er:18"),
    *("er:18,2", "er:18,4", "er:20", "er:20,2", "er:20,4"),
    *("grid:8x8", "grid:16x16", "grid:32x32", "grid:128x128", "grid:512x512,shuffle"),
    *("grid:4000x50", "grid:1024x1024", "road:1024", "road:65536", "road:2097152"),
    *("rgg:1024", "rgg:4096", "rgg:65536", "rgg:262144"),
    *("delaunay:300", "delaunay:1024", "delaunay:4096", "delaunay:16384", "delaunay:65536"),
    *("delaunay:262144", "delaunay:1048576", "triangles:1024", "triangles:65536"),
    *("stencil:8x8x8", "stencil:32x32x32", "stencil:64x64x64", "stencil:50x50x50,27"),
    *("powerlaw:65536", "powerlaw:524288", "circuit:1024", "circuit:65536", "circuit:500000"),
    *("standin:hollywood-2009,100000", "standin:europa_osm,200000", "standin:ldoor,100000"),
    "standin:web-Google,200000",
)

WAYS, LOADS = "ways", "load_requests"

SEARCHES = Sheet(
    "searches besides all techniques with their defaults, as commands take them",
    (Column("search"),),
    tuple((call,) for call in OPTIONS),
    ("no paper compares them",),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a row for each graph: best, and the fastest of the others."""
    if report.machine == "sim":
        return (_counted(report),)
    columns = (
        Column("graph"),
        Column("best, ms", figures=True),
        Column("levels"),
        Column("the fastest other"),
        Column("ms", figures=True),
        Column("best to it", figures=True),
    )
    rows = []
    for graph, own in of_graphs(report.points).items():
        best, others = _own(own), _others(own)
        fastest = [others[0].series, _ms(others[0]), times(_ratio(best, others[0]))]
        rows.append((graph, _ms(best), str(best.values[WAYS]), *(fastest if others else "–––")))
    return (Sheet(f"measured on {report.where}", columns, tuple(rows)),)


def _counted(report: Report) -> Sheet:
    rows = tuple((p.graph, p.series, f"{p.values[LOADS]:,}") for p in report.points)
    columns = Column("graph"), Column("search"), Column("load requests", figures=True)
    return Sheet(f"measured on {report.where}", columns, rows, keys=2)


def _ms(point: Point) -> str:
    return f"{1e3 * point.values['seconds']:,.3f}"


def _ratio(point: Point, base: Point) -> float:
    return float(point.values["seconds"] / base.values["seconds"])


def _own(points: Sequence[Point]) -> Point:
    return next(point for point in points if point.series == BEST)


def _others(points: Sequence[Point]) -> list[Point]:
    """Return the points of others than best, the fastest first."""
    others = (point for point in points if point.series != BEST)
    return sorted(others, key=lambda point: float(point.values["seconds"]))


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Say how much longer best takes than the fastest of the others, at most and on average."""
    if report.machine == "sim":
        return (untold("the simulator cannot tell times; no paper compares them"),)
    return (compared(report.points),)


def compared(points: Sequence[Point]) -> Verdict:
    """Say where another search is faster than best.

    Parameters
    ----------
    points : sequence of Point
        For each graph the one of `best`, and those of others.
    """
    pairs = {g: (_own(own), _others(own)[0]) for g, own in of_graphs(points).items() if own[1:]}
    ratios = {graph: _ratio(*pair) for graph, pair in pairs.items()}
    if not ratios:
        return untold("nothing was compared with best")
    worst = max(ratios, key=lambda graph: ratios[graph])
    beaten = [g for g, ratio in ratios.items() if ratio > MARGIN]
    where = f"more than a tenth longer on {listed(beaten)}" if beaten else "nowhere a tenth longer"
    return untold(
        f"of {count(len(ratios), 'graph', 'graphs')} best is the fastest on "
        f"{sum(ratio <= 1 for ratio in ratios.values())}, and takes {where}; at most "
        f"{times(ratios[worst])} the time of another search ({pairs[worst][1].series} on {worst}), "
        f"{times(mean(ratios.values()))} that of the fastest other on average"
    )


#: From this ratio on another search is told to beat best.
MARGIN = 1.1

#: From this ratio on, either way, the two are timed anew, by this many times as many turns.
DOUBTFUL, MORE = 1.05, 4

#: Graphs of a picture, at most.
SHOWN = 20


def draw(report: Report, figure: Figure) -> None:
    """Bars: the time of best to the fastest other's, where it is highest, or load requests."""
    axes = figure.subplots()
    if report.machine == "sim":
        graphs = list(of_graphs(report.points))
        found = {(p.graph, p.series): float(p.values[LOADS]) for p in report.points}
        series = dict.fromkeys(p.series for p in report.points)
        counted = {one: [found.get((graph, one)) for graph in graphs] for one in series}
        bars(axes, graphs, counted, "graph", "load requests", scale="log")
        return
    own = {g: p for g, p in of_graphs(report.points).items() if p[1:]}
    ratios = {graph: _ratio(_own(points), _others(points)[0]) for graph, points in own.items()}
    shown = sorted(ratios, key=lambda graph: -ratios[graph])[:SHOWN]
    heights = {BEST: [ratios[graph] for graph in shown]}
    bars(axes, shown, heights, "graph", "time over the fastest other's", scale="ratio")


@reproduces(
    "best-sweep",
    question="Does any search of ours beat best, on any graph?",
    graphs={"sim": ("toy", "kron:8", "grid:6x6"), "gpu": ON_GPU},
    sheet=SEARCHES,
    published={"figures": "none"},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
    settings={"again": number(1)},
)
def best_sweep(lab: Lab, again: int = 4) -> Iterator[Point]:
    """Search each graph by all, by the fastest `again`, and by best and the fastest of these."""
    for graph in lab.graphs:
        if lab.timed:
            yield from _timed(lab, graph, again)
            continue
        for call in (BEST, *(call for call in OPTIONS if call.startswith(BEST))):
            technique, options = parse_call(call)
            try:
                point = lab.point(technique, graph, [LOADS], **options)
            except UsageError:  # there is no such cluster, or its map does not fit
                continue
            yield Point(graph.spec, call, None, point.values)


def _timed(lab: Lab, graph: Graph, again: int) -> Iterator[Point]:
    once = {}
    for call in (*(name for name in techniques() if name != BEST), *OPTIONS):
        try:
            once[call] = lab.rehearsed(call, graph, 1).seconds
        except (UsageError, QueueOverflowError):
            continue
    fastest = sorted(once, key=lambda call: once[call])[:again]
    chosen = _by_turns(lab, graph, fastest, -(-lab.repeats // 2))
    # Who was the fastest of several was lucky, too: so both are timed anew.
    pair = (BEST, *sorted(fastest, key=lambda call: _median(chosen[call]))[:1])
    final = _by_turns(lab, graph, pair, lab.repeats)
    if not 1 / DOUBTFUL <= _median(final[BEST]) / _median(final[pair[-1]]) <= DOUBTFUL:
        final = _by_turns(lab, graph, pair, MORE * lab.repeats)
    for call, timings in final.items():
        own = {WAYS: timings[-1].ways} if call == BEST else {}
        yield Point(graph.spec, call, None, {"seconds": _median(timings), **own})


def _median(timings: Sequence[Timing]) -> float:
    return statistics.median(timing.seconds for timing in timings)


def _by_turns(lab: Lab, graph: Graph, calls: Sequence[str], turns: int) -> dict[str, list[Timing]]:
    found: dict[str, list[Timing]] = {call: [] for call in calls}
    for turn in range(turns if calls else 0):
        first = turn % len(calls)  # for the first of a turn may find a slower machine
        for call in (*calls[first:], *calls[:first]):
            found[call].append(lab.rehearsed(call, graph, 3))
    return found
