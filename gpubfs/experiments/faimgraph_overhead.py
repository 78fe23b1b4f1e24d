"""What it costs to search a graph on faimGraph's pages in the place of compressed rows.

Tödling et al., Section IV with Figure 4: the search by classes of vertices, on compressed sparse
rows and on the pages of faimGraph. Lanes of a warp read a page side by side, with the same pattern
of accesses as in compressed rows; what is added is that the pages must be walked to, from the
vertex's first one along all links. The overhead is "on average around 10 %", and depends on the
average degree; the introduction says 5 to 10 %. The figure's values are not in the text.

The kernels are the same here, compiled with another adjacency
(`gpubfs.dynamic.faimgraph.paged_search`). The naive search stands beside both classified ones,
because the paper integrated all its algorithms. Pages have 64 bytes, as in the authors' published
search, and 128. The graph is put into faimGraph as it is, so that the pages of a vertex follow each
other in memory; after many updates they do not.

What is not in the paper stands beside it: walks in which the lanes of a warp follow links together
(``walk="lanes"``), which only pages that follow each other allow.

The simulator cannot tell times. It tells how many requests of warps load links, and what the search
loads otherwise.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from gpubfs.dynamic.faimgraph.faimgraph import FaimGraph
from gpubfs.dynamic.faimgraph.paged_search import WALKS, link_loads
from gpubfs.dynamic.opening import placed
from gpubfs.dynamic.structure import find
from gpubfs.experiments.cells import (
    CLOSE,
    TIME,
    Metric,
    by_graph,
    compared,
    counted,
    gain,
    listed,
    notes,
    percent,
    pivot,
    quotients,
    ranged,
    times,
    untold,
)
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.toedling import DEFERRED, GRAPHS, IMMEDIATE, NAIVE, start
from gpubfs.graphs import Graph
from gpubfs.render.drawing import bars
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.papers import TOEDLING
from gpubfs.search.result import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TECHNIQUES = (NAIVE, DEFERRED, IMMEDIATE)
CLASSIFIED = (DEFERRED, IMMEDIATE)

#: Bytes of a page.
PAGES = (64, 128)

#: Who follows links: in the paper the leader of a warp.
LEADER, LANES = WALKS

LINKS = Metric("link_loads", "link_loads", "requests of warps that load the link of a page")
METRICS = {
    "sim": (*counted("load_requests", "load_sectors", "warp_steps"), LINKS),
    "gpu": (TIME,),
}

#: The paper's overhead on average, and what its introduction says.
AVERAGE, INTRODUCED = 0.10, (0.05, 0.10)

PAPER = Sheet(
    "the paper's overhead of pages",
    (Column("where"), Column("what it says", text=True)),
    (
        ("Section IV", f"on average around {percent(AVERAGE)}, by the average degree"),
        ("introduction", f"{percent(INTRODUCED[0])} to {percent(INTRODUCED[1])}"),
    ),
    ("the values of Figure 4 are not in the text", "every search begins at vertex 0"),
)


def walks(technique: str) -> tuple[str, ...]:
    """Return who may follow links in a technique: in the naive one each thread by itself."""
    return WALKS if technique in CLASSIFIED else (LEADER,)


def on_pages(technique: str, size: int, walk: str = LEADER) -> str:
    """Return what tables call a search over pages of `size` bytes."""
    return f"{technique} on pages of {size} bytes{', by lanes' if walk == LANES else ''}"


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a sheet for each technique: a row for each graph, a column for each layout."""
    metrics = METRICS[report.machine]
    return tuple(_sheet(report, technique, metrics) for technique in TECHNIQUES)


def _sheet(report: Report, technique: str, metrics: tuple[Metric, ...]) -> Sheet:
    titles = {technique: "compressed rows"} | {
        on_pages(technique, size, walk): f"pages of {size}{', by lanes' if walk == LANES else ''}"
        for walk in walks(technique)
        for size in PAGES
    }
    points = [point for point in report.points if point.series in titles]
    cells = compared(points, metrics, lambda p: p.series == technique, lambda p: titles[p.series])
    what = "speedups over" if report.machine == "gpu" else "ratios to"
    remarks = [
        *notes(points, metrics),
        "searches begin at vertex 0, or the first with neighbours",
    ]
    title = f"{technique}: {what} compressed rows on {report.where}"
    return pivot(title, "graph", cells, remarks)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """On gpu the overhead; on sim where it goes, and that accesses are otherwise the same."""
    searches = [(technique, size) for technique in CLASSIFIED for size in PAGES]
    if report.machine == "gpu":
        return tuple(
            overhead(on_pages(*one), relative(report, "seconds", *one)) for one in searches
        )
    links = {one: by_graph(report.points, on_pages(*one), LINKS.name) for one in searches}
    rows = {name: by_graph(report.points, name, "load_requests") for name in CLASSIFIED}
    requests = {one: relative(report, "load_requests", *one) for one in searches}
    sectors = {on_pages(*one): relative(report, "load_sectors", *one) for one in searches}
    shares = {one: quotients(links[one], rows[one[0]]) for one in searches}
    more = [added(on_pages(*one), requests[one], shares[one]) for one in searches]
    fewer = {
        on_pages(name, size): quotients(
            by_graph(report.points, on_pages(name, size, LANES), LINKS.name), links[name, size]
        )
        for name, size in searches
    }
    return (*more, pattern(sectors), together(fewer))


def relative(
    report: Report, metric: str, technique: str, size: int, walk: str = LEADER
) -> dict[str, float]:
    """Return for each graph how many times of compressed rows pages take."""
    paged = by_graph(report.points, on_pages(technique, size, walk), metric)
    return quotients(paged, by_graph(report.points, technique, metric))


def overhead(what: str, ratios: Mapping[str, float]) -> Verdict:
    """Whether pages cost on average about what they cost in the paper, or less.

    Parameters
    ----------
    what : str
        The search.
    ratios : mapping
        For each graph how many times as long it takes as on compressed rows.
    """
    detail = listed(f"{gain(ratio)} on {graph}" for graph, ratio in ratios.items())
    average, median = statistics.mean(ratios.values()), statistics.median(ratios.values())
    text = (
        f"{what} take {detail} longer than compressed rows, {gain(average)} on average, "
        f"{gain(median)} at the median; in the paper around {percent(AVERAGE)} on average"
    )
    return Verdict(average - 1 <= AVERAGE * (1 + CLOSE), text)


def added(what: str, ratios: Mapping[str, float], links: Mapping[str, float]) -> Verdict:
    """Return what pages add to the requests that load, and how much of that is links.

    Parameters
    ----------
    what : str
        The search.
    ratios : mapping
        For each graph how many times as many requests there are as on compressed rows.
    links : mapping
        For each graph how many requests load links, as a share of those on compressed rows.
    """
    detail = listed(
        f"{gain(ratio)} on {graph} (links {gain(1 + links.get(graph, 0))})"
        for graph, ratio in ratios.items()
    )
    return untold(
        f"the simulator cannot tell times: requests that load are for {what}, against compressed "
        f"rows, {detail}; in the paper pages take around {percent(AVERAGE)} longer on average"
    )


def together(ratios: Mapping[str, Mapping[str, float]]) -> Verdict:
    """Return how many requests load links where the lanes of a warp follow them together.

    Parameters
    ----------
    ratios : mapping
        For each search, for each graph that has links, their share of those of leaders.
    """
    detail = listed(f"{ranged(own.values())} for {what}" for what, own in ratios.items() if own)
    text = "with lanes that follow links together, requests that load links are"
    return untold(f"{text} {detail or 'none'}, where the leaders of warps are ×1.00; ours")


def pattern(ratios: Mapping[str, Mapping[str, float]]) -> Verdict:
    """Whether pages are read with the same pattern of accesses: as many sectors, at the median.

    Parameters
    ----------
    ratios : mapping
        For each search, for each graph, the sectors that are loaded against compressed rows.
    """
    middles = {what: statistics.median(found.values()) for what, found in ratios.items()}
    detail = listed(f"{times(middle)} for {what}" for what, middle in middles.items())
    text = (
        f"pages load sectors, links and records of vertices with them, at the median {detail} as "
        "many as compressed rows; in the paper the pattern of accesses is the same"
    )
    return Verdict(max(middles.values()) <= 1 + AVERAGE * (1 + CLOSE), text)


def draw(report: Report, figure: Figure) -> None:
    """Bars: the times of searches over pages relative to compressed rows, or the requests."""
    metric = "seconds" if report.machine == "gpu" else "load_requests"
    graphs = list(dict.fromkeys(point.graph for point in report.points))
    ratios = {
        on_pages(technique, size, walk): relative(report, metric, technique, size, walk)
        for technique in TECHNIQUES
        for size in PAGES
        for walk in walks(technique)
    }
    heights = {name: [found.get(graph) for graph in graphs] for name, found in ratios.items()}
    axes = figure.subplots()
    up = f"{metric.replace('_', ' ')} relative to compressed rows"
    bars(axes, graphs, heights, "graph", up, scale="ratio")


def searched(
    changing: FaimGraph, done: list[Run], walk: str, technique: str, graph: Graph, **given: Any
) -> Run:
    """Search a graph on pages, as `gpubfs.run` does one in compressed rows; `done` notes it."""
    options = {name: value for name, value in given.items() if name not in ("machine", "device")}
    record = options.pop("counters") is not False
    done.append(changing.search(technique, record=record, walk=walk, **options))
    return done[-1]


@reproduces(
    "faimgraph-overhead",
    paper=TOEDLING,
    figure="IV, Figure 4",
    question="What does it cost to search a graph on pages in the place of compressed rows?",
    graphs=GRAPHS,
    sheet=PAPER,
    published={"average overhead": AVERAGE, "overhead, introduction": INTRODUCED},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
)
def faimgraph_overhead(lab: Lab) -> Iterator[Point]:
    """Each technique on each graph: compressed rows, and pages of both sizes."""
    names = [metric.name for metric in METRICS[lab.machine] if metric is not LINKS]
    for graph in lab.graphs:
        for technique in TECHNIQUES:
            point = lab.point(technique, graph, names, source=start(graph))
            none = {} if lab.timed else {LINKS.name: 0}
            yield replace(point, values={**point.values, **none})
        for size in PAGES:
            yield from _points_on_pages(lab, graph, names, size)


def _points_on_pages(lab: Lab, graph: Graph, names: list[str], size: int) -> Iterator[Point]:
    """Put a graph on pages, and search it by each technique."""
    structure = find("faimgraph")
    with lab.open() as machine:
        asked = {"block_bytes": size, "update": "thread"}
        options = structure.settled(structure.complete(asked), graph, machine)
        changing = placed(structure, graph, machine, options, record=False)
        assert isinstance(changing, FaimGraph)
        changing.from_csr(graph)
        for technique, walk in ((one, walk) for one in TECHNIQUES for walk in walks(one)):
            done: list[Run] = []
            paged = replace(lab, run=partial(searched, changing, done, walk))
            point = paged.point(technique, graph, names, source=start(graph))
            links = {} if lab.timed else {LINKS.name: link_loads(done[-1])}
            values = {**point.values, **links}
            yield replace(point, series=on_pages(technique, size, walk), values=values)
