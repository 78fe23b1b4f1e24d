"""XBFS against four other systems, as far as techniques of this package stand for them.

Gaihre et al., Section 6.1, Table 2: times of XBFS, Enterprise, Tigr and Gunrock on a P6000, and of
Ligra on 24 cores of a Xeon, on ten graphs. What stands for them here is their idea, not their code:
`enterprise`; `virtual-split` for Tigr; `edge-frontier` for Gunrock, whose advance and filter it has
in common with B40C; and for Ligra its rule for the direction, in `direction-optimizing`, on the
same machine as all others. Ligra's CPU, and what the systems do besides, is not in that. The graphs
are generated in the place of the paper's: they have their ratios of edges to vertices, and fewer of
both. Searches begin at the vertex of most edges; where the paper's begin is not said.

The averages are of ratios, as the paper's are, so that one graph may make most of one: of Gunrock's
11.2 times, Orkut's 54 are more than half. Ligra's average is printed as 6.1, and its ten ratios
make 6.4.

The simulator cannot tell times. It tells what each looks at, moves, executes, launches and takes.
At how many edges XBFS's asynchronous passes look depends on who comes first; here all threads run
in lockstep.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpubfs.experiments.cells import (
    TIME,
    Metric,
    alike,
    by_graph,
    compared,
    counted,
    listed,
    notes,
    pivot,
    quotients,
    ranged,
    times,
    unanimous,
    untold,
)
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.gaihre import SYSTEM, TABLE_1, accesses
from gpubfs.experiments.lab import Lab
from gpubfs.render.drawing import bars
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.papers import XBFS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gpubfs.search.result import Run


#: Who is compared: the paper's system, and the technique and options that stand for it.
OURS = "XBFS"
SERIES: dict[str, tuple[str, dict[str, Any]]] = {
    OURS: (SYSTEM, {}),
    "Enterprise": ("enterprise", {}),
    "Tigr": ("virtual-split", {}),
    "Gunrock": ("edge-frontier", {}),
    "Ligra": ("direction-optimizing", {"rule": "ligra"}),
}
OTHERS = tuple(name for name in SERIES if name != OURS)
ELSEWHERE = "Ligra"
#: The one with a queue of edges, and what arrays are the graph's.
EDGES = "Gunrock"
GRAPH = ("offsets", "neighbours")

#: Table 2: milliseconds of each system on each graph, and None where memory did not suffice.
TABLE: dict[str, tuple[float | None, ...]] = {
    "DB": (7.9, 30.2, 12.9, 16.4, 54),
    "DP": (5.3, 14, 8.1, 22.9, 48.2),
    "EW": (19.6, 88.7, 74.7, 145.0, 71.9),
    "FR": (102.8, 408, 883.9, None, 526.7),
    "LJ": (6.9, 24, 17.0, 34.9, 29.4),
    "OR": (2.83, 14.2, 48.7, 154.1, 29.8),
    "TR": (28.1, 101.3, 73.4, 171.2, 95.1),
    "US": (10.2, 21.2, 17.7, 28.3, 62.6),
    "WK": (21.4, 76.9, 92.1, 168.5, 259.3),
    "WL": (23.6, 59.5, 120.7, 262.8, 58.3),
}
#: The average speedups of XBFS, as they are printed.
PRINTED = {"Enterprise": 3.5, "Tigr": 4.9, "Gunrock": 11.2, "Ligra": 6.1}

LOOKED, BYTES = "looked_at", "bytes"
METRICS = {
    "sim": (
        Metric(LOOKED, "edges looked at", "loads of neighbours"),
        *counted("load_sectors", "atomic_sectors", "warp_steps", "launches"),
        Metric(BYTES, "bytes", "arrays beside the graph"),
    ),
    "gpu": (TIME,),
}


def table_speedups(name: str) -> dict[str, float]:
    """Return XBFS's speedups over a system by the entries of Table 2, by graph.

    Parameters
    ----------
    name : str
        One of `OTHERS`.

    Examples
    --------
    >>> round(table_speedups("Enterprise")["DB"], 2), len(table_speedups("Gunrock"))
    (3.82, 9)
    """
    column = list(SERIES).index(name)
    entries = ((graph, row[0], row[column]) for graph, row in TABLE.items())
    return {graph: its / ours for graph, ours, its in entries if ours and its}


def misprints(printed: Mapping[str, float]) -> list[str]:
    """Return where a printed average is not that of the table's entries.

    Parameters
    ----------
    printed : mapping
        Average speedups by system.

    Examples
    --------
    >>> misprints({"Enterprise": 3.5, "Tigr": 5.9})
    ['the average over Tigr is printed as 5.9, and the entries make 4.9']
    """
    averages = {name: statistics.fmean(table_speedups(name).values()) for name in printed}
    # An average has one decimal; an entry's own last decimal moves it by less than that.
    return [
        f"the average over {name} is printed as {printed[name]}, and the entries make {own:.1f}"
        for name, own in averages.items()
        if abs(own - printed[name]) > 0.1
    ]


PAPER = Sheet(
    "the paper's milliseconds",
    (Column("graph"), *(Column(name, figures=True) for name in SERIES)),
    (
        *(
            (graph, *("out of memory" if entry is None else f"{entry:g}" for entry in row))
            for graph, row in TABLE.items()
        ),
        ("average speedup", "", *(f"{PRINTED[name]:g}" for name in OTHERS)),
        (
            "its median",
            "",
            *(f"{statistics.median(table_speedups(name).values()):.1f}" for name in OTHERS),
        ),
    ),
    (
        *misprints(PRINTED),
        "the averages are means of ratios; medians are beside them, computed from the entries",
        "Ligra on 24 cores of a Xeon Platinum 8175M, the others on a Quadro P6000",
    ),
)


def stands_for(name: str) -> str:
    """Say which technique stands for a system.

    Examples
    --------
    >>> stands_for("Tigr")
    'Tigr: virtual-split'
    """
    technique, options = SERIES[name]
    return f"{name}: {technique}{''.join(f', {key}={its}' for key, its in options.items())}"


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a heading for each metric, a row for each graph, a column for each system."""
    points, metrics = report.points, METRICS[report.machine]
    cells = compared(points, metrics, lambda p: p.series == OURS, lambda p: p.series)
    footnotes = [*map(stands_for, SERIES), *notes(points, metrics)]
    what = "speedups over" if report.machine == "gpu" else "ratios to"
    return (pivot(f"{what} what stands for {OURS}, on {report.where}", "graph", cells, footnotes),)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """On gpu how much faster XBFS is; on sim what it does less of, or more."""
    points = report.points

    def ratios(name: str) -> dict[str, dict[str, float]]:
        ours = by_graph(points, OURS, name)
        return {other: quotients(by_graph(points, other, name), ours) for other in OTHERS}

    if report.machine == "gpu":
        gains = ratios(TIME.name)
        return fastest(gains), *(gained(gains[name], name) for name in OTHERS)
    taken = {metric.title: ratios(metric.name) for metric in METRICS["sim"]}
    others = (told(name, {title: of[name] for title, of in taken.items()}) for name in OTHERS)
    return roomiest({name: by_graph(points, name, BYTES) for name in SERIES}), *others


def _each(ratios: Mapping[str, float]) -> str:
    return listed(f"{times(ratio)} on {graph}" for graph, ratio in ratios.items())


def fastest(gains: Mapping[str, Mapping[str, float]]) -> Verdict:
    """Whether XBFS is the fastest on every graph, as in the paper.

    Parameters
    ----------
    gains : mapping
        Its speedups over each system, by graph.
    """
    graphs = dict.fromkeys(graph for own in gains.values() for graph in own)
    if not graphs:
        return untold("nothing was timed")
    slower = {
        graph: [name for name, own in gains.items() if own.get(graph, 1) < 1] for graph in graphs
    }
    lost = {graph: names for graph, names in slower.items() if names}
    theirs = "in the paper it is the fastest on every graph"
    if not lost:
        return Verdict(
            True, f"what stands for {OURS} is the fastest on all {len(graphs)} graphs; {theirs}"
        )
    detail = listed(
        f"than what stands for {listed(names)} on {graph}" for graph, names in lost.items()
    )
    return Verdict(False, f"what stands for {OURS} is slower {detail}; {theirs}")


def gained(speedups: Mapping[str, float], name: str) -> Verdict:
    """Whether XBFS gains on average over a system what it does in the paper.

    Parameters
    ----------
    speedups : mapping
        By graph.
    name : str
        The system.
    """
    if not speedups:
        return untold(f"what stands for {name} was not timed")
    ours, theirs = statistics.fmean(speedups.values()), PRINTED[name]
    text = (
        f"what stands for {OURS} is {times(ours)} as fast as what stands for {name} on average: "
        f"{_each(speedups)}; in the paper {times(theirs)}"
    )
    if name == ELSEWHERE:
        return untold(f"{text}, over another machine, a CPU, which is not measured here")
    return Verdict(alike(ours, theirs), text)


def roomiest(taken: Mapping[str, Mapping[str, float]]) -> Verdict:
    """Whether a queue of edges takes the most memory of all, for which the paper's Gunrock fails.

    Parameters
    ----------
    taken : mapping
        Bytes beside the graph, by system and graph.
    """
    own = taken.get(EDGES, {})
    others = {
        graph: max(of[graph] for name, of in taken.items() if name != EDGES and graph in of)
        for graph in own
    }
    if not others:
        return untold(f"what stands for {EDGES} was not measured")
    detail = _each({graph: own[graph] / most for graph, most in others.items()})
    text = (
        f"beside the graph what stands for {EDGES} takes as many bytes as the most of the others "
        f"{detail}; in the paper edge queues take enormous space, and {EDGES} has none on FR"
    )
    return Verdict(unanimous([own[graph] > most for graph, most in others.items()]), text)


def told(name: str, ratios: Mapping[str, Mapping[str, float]]) -> Verdict:
    """Say what a system does, in multiples of what XBFS does; the paper has times only.

    Parameters
    ----------
    name : str
        The system.
    ratios : mapping
        By counter and graph.
    """
    spans = [f"{ranged(own.values())} the {metric}" for metric, own in ratios.items() if own]
    if not spans:
        return untold(f"what stands for {name} was not counted")
    return untold(
        f"the simulator cannot tell times: what stands for {name} takes {listed(spans)} of what "
        f"stands for {OURS}; in the paper {OURS} is {times(PRINTED[name])} as fast"
    )


def draw(report: Report, figure: Figure) -> None:
    """Bars for each graph: speedups over each system, or edges looked at; and the paper's."""
    metric = METRICS[report.machine][0]
    base = by_graph(report.points, OURS, metric.name)
    heights: dict[str, list[float | None]] = {}
    for name in OTHERS:
        ratios = quotients(by_graph(report.points, name, metric.name), base)
        heights[name] = [ratios.get(graph) for graph in base]
        heights[name] += [PRINTED[name]] if metric.faster else []
    groups = [*base, "the paper's average"] if metric.faster else list(base)
    axes = figure.subplots()
    up = f"speedup of {OURS}" if metric.faster else f"{metric.title}, relative to {OURS}"
    bars(axes, groups, heights, "graph", up, scale="ratio")


@reproduces(
    "xbfs-others",
    paper=XBFS,
    figure="6.1, Table 2",
    question="Is XBFS faster than what stands for Enterprise, Tigr, Gunrock and Ligra?",
    graphs=TABLE_1,
    sheet=PAPER,
    published={"milliseconds": TABLE, "average speedups": PRINTED},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
    device="p6000",
)
def xbfs_others(lab: Lab) -> Iterator[Point]:
    """Search every graph by what stands for each system."""
    for graph in lab.graphs:
        for name, (technique, options) in SERIES.items():
            if lab.timed:
                point = lab.point(technique, graph, [TIME.name], **options)
                yield replace(point, series=name)
                continue
            run = lab.search(technique, graph, counters=True, **options)
            yield Point(graph.spec, name, None, counts(run))


def counts(done: Run) -> dict[str, float]:
    """Return what was counted of a search.

    Parameters
    ----------
    done : Run
        A search on the simulator.
    """
    sizes = done.counters["bytes_by_name"]
    own = {
        LOOKED: accesses(done.per_launch, "load", "neighbours"),
        BYTES: sum(size for name, size in sizes.items() if name not in GRAPH),
    }
    return own | {m.name: done.counters[m.name] for m in METRICS["sim"] if m.name not in own}
