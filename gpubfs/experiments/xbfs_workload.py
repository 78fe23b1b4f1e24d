"""How many edges vertices look at in bottom-up passes, beside how many they have.

Gaihre et al., Section 5.1.1, Figure 9 and Example 5: a vertex that looks for its parent stops at
the first, so that what it has to do is not proportional to its degree. Two observations are made.
The work of most vertices of high degree is small, so that a warp or a block for each of them, as
Enterprise has it, is wasted; and on some graphs there are vertices of high degree with much work.

The paper says neither what high and small are, nor of which passes its figure is. Here the passes
are those of levels whose frontier has a tenth of all edges, all of them together. A vertex has a
high degree if it has 32 edges, for that is where Enterprise gives it a warp; and its work is small
below 32 edges, which a warp would look at in one turn. Work is proportional to degree if they
correlate by 0.9 or more.

Who has much work depends on where a search begins: if at the vertex of most edges, next to nobody
on these graphs. The paper does not say where; here it is at random vertices that have neighbours.

Without asynchrony a pass looks at the same edges in every order: up to the first neighbour of the
level before, or all. So they follow from the graph and from the levels that the search found. On
the simulator the loads of neighbours are counted beside that, and the accesses of threads, each of
which has one vertex as long as the GPU holds as many threads. On a GPU graphs are larger.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gpubfs.experiments.busato_balance import beginnings
from gpubfs.experiments.cells import CLOSE, listed, of_graphs, percent, unanimous, untold
from gpubfs.experiments.checked import MOST
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.gaihre import ALPHA, STATIC, accesses, looks, passes
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.settings import number
from gpubfs.experiments.work_by_degree import HIGH, by_degree, classes, correlation, total
from gpubfs.graphs import Graph
from gpubfs.graphs import graph as make_graph
from gpubfs.render.drawing import lines, panels
from gpubfs.render.scales import logarithmic
from gpubfs.render.sheets import Column, Row, Sheet
from gpubfs.render.sheets import figure as shown
from gpubfs.search.papers import XBFS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gpubfs.host import Launch


#: The level of Example 5 in the paper's toy graph, and the work of three vertices in it.
TOY, LEVEL = "toy", 3
EXAMPLE = {3: 1, 4: 2, 8: 1}

#: What a point's series begins with: vertices of a pass, its threads, the example's vertices.
VERTICES, THREADS, DRAWN = "vertices", "threads", "Example 5"

#: Graphs of the paper with much work at high degrees, by Section 5.1.1, and one more by 6.3.
LARGE, OUTLIERS = ("DP", "US", "WL"), "DB"

PAPER = Sheet(
    "the paper's observations",
    (Column("vertices of high degree"), Column("what it says", text=True)),
    (
        ("most", "a small volume of work"),
        ("some", f"a large volume: for example on {listed(LARGE)} (5.1.1)"),
        ("outliers", f"work close to their degrees on {OUTLIERS} (6.3)"),
        ("Example 5", "vertices 3, 4 and 8 have degrees 3, 2 and 2, and look at 1, 2 and 1"),
    ),
    (
        "the figure's values are not in the text",
        f"5.1.1 names {listed(LARGE)} of Figure 9, for example, and 6.3 sees outliers on "
        f"{OUTLIERS} in it",
        "a stand-in has the paper's ratio of edges to vertices, and not the structure of its graph",
        "2.2 says that vertex 3 leaves {2, 4, 9} untouched; 2 is its parent, at which it looks",
    ),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return degrees and work of vertices, and on sim the accesses of threads."""
    classes = [point for point in report.points if point.series.startswith(VERTICES)]
    threads = [point for point in report.points if point.series.startswith(THREADS)]
    sheets = [_classes(report, classes)]
    return (*sheets, _threads(report, threads)) if threads else tuple(sheets)


def _classes(report: Report, points: Sequence[Point]) -> Sheet:
    titles = ("vertices", "edges", "looked at", "mean", "most", "all", f"{HIGH} up")
    rows: list[Row] = []
    for graph, own in of_graphs(points).items():
        rows.append((graph,))
        rows += [_class(f"{at:,}", members) for at, members in by_degree(own).items()]
        rows.append(_class("any", own))
    columns = (Column("degree from"), *(Column(title, figures=True) for title in titles))
    notes = (
        "each row: vertices whose degree is that or more, and less than that of the next row, in "
        "all bottom-up passes together",
        "mean, most: edges that a vertex looks at; all: vertices that look at every edge they "
        f"have; {HIGH} up: vertices that look at {HIGH} edges or more",
    )
    return Sheet(f"work in bottom-up passes on {report.where}", columns, tuple(rows), notes)


def _class(title: str, points: Sequence[Point]) -> Row:
    sums = total(points)
    mean = sums["looked_at"] / sums["vertices"]
    figures = [sums["vertices"], sums["edges"], sums["looked_at"]]
    most = max(point.values["most"] for point in points)
    exhausted, large = sums["exhausted"] / sums["vertices"], sums["vertices"] - sums["small"]
    return (
        title,
        *map(shown, figures),
        f"{mean:.1f}",
        f"{most:,}",
        percent(exhausted),
        f"{large:,}",
    )


def _threads(report: Report, points: Sequence[Point]) -> Sheet:
    titles = ("threads", "looked at", "mean", "most", "Gini")
    rows: list[Row] = []
    for graph, own in of_graphs(points).items():
        rows.append((graph,))
        for point in own:
            its = point.values
            figures = (f"{its['mean']:.1f}", f"{its['maximum']:,}", f"{its['gini']:.2f}")
            where = point.series.removeprefix(f"{THREADS} of ")
            rows.append((where, f"{its['threads']:,}", f"{its['loads']:,}", *figures))
    columns = (Column("pass"), *(Column(title, figures=True) for title in titles))
    notes = (
        "looked at: loads of neighbours, as they were counted",
        f"mean, most, Gini: accesses of the threads of {STATIC} to all arrays, how many and how "
        "unequal they are",
    )
    return Sheet(f"work of threads on {report.where}", columns, tuple(rows), notes)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Judge what the paper observes of vertices of high degree, and its example."""
    points = [point for point in report.points if point.series.startswith(VERTICES)]
    graphs = of_graphs(points)
    high = {graph: [p for p in own if (p.at or 0) >= HIGH] for graph, own in graphs.items()}
    sums = {graph: total(own) for graph, own in high.items() if own}
    most = {graph: max(p.values["most"] for p in own) for graph, own in high.items() if own}
    ratios = {graph: own[0].values["correlation"] for graph, own in graphs.items()}
    drawn = {int(p.at or 0): p.values["looked_at"] for p in report.points if p.series == DRAWN}
    return (
        as_drawn(drawn),
        tied(
            {graph: ratio for graph, ratio in ratios.items() if ratio is not None},
            {graph: total(own) for graph, own in graphs.items()},
        ),
        mostly_small(sums),
        sometimes_large(sums, most),
    )


def as_drawn(found: Mapping[int, int]) -> Verdict:
    """Whether the vertices of Example 5 look at as many edges as it says.

    Parameters
    ----------
    found : mapping
        Edges that each vertex looks at.
    """
    ours = listed(f"{found[v]} of vertex {v}" for v in EXAMPLE)
    theirs = listed(map(str, EXAMPLE.values()))
    text = f"in level {LEVEL} of the toy graph the work is {ours}; in the paper {theirs}"
    return Verdict(dict(found) == EXAMPLE, text)


def tied(correlations: Mapping[str, float], sums: Mapping[str, Mapping[str, int]]) -> Verdict:
    """Whether work is not proportional to degree: whether they correlate by less than 0.9.

    Parameters
    ----------
    correlations : mapping
        Of degrees and work, by graph.
    sums : mapping
        Edges of vertices, and those looked at, by graph.
    """
    if not correlations:
        return untold("no vertices of different degrees are in bottom-up passes here")
    detail = listed(
        f"{ratio:.2f} on {graph} ({percent(sums[graph]['looked_at'] / sums[graph]['edges'])} of "
        "edges looked at)"
        for graph, ratio in correlations.items()
    )
    text = f"degrees and work correlate by {detail}; in the paper they need not be proportional"
    return Verdict(unanimous([ratio < 1 - CLOSE for ratio in correlations.values()]), text)


def mostly_small(sums: Mapping[str, Mapping[str, int]]) -> Verdict:
    """Whether the work of most vertices of high degree is small.

    Parameters
    ----------
    sums : mapping
        Of vertices of high degree, by graph: how many there are, and how many with small work.
    """
    if not sums:
        return untold(f"no vertex with {HIGH} edges is in a bottom-up pass here")
    shares = {graph: its["small"] / its["vertices"] for graph, its in sums.items()}
    detail = listed(
        f"{percent(share)} of {sums[graph]['vertices']:,} on {graph}"
        for graph, share in shares.items()
    )
    text = f"of vertices with {HIGH} edges or more these look at fewer: {detail}; in the paper most"
    return Verdict(unanimous([share > 0.5 for share in shares.values()]), text)


def sometimes_large(sums: Mapping[str, Mapping[str, int]], most: Mapping[str, int]) -> Verdict:
    """Whether there are graphs on which vertices of high degree have much work.

    Parameters
    ----------
    sums : mapping
        Of vertices of high degree, by graph: how many there are, and how many with small work.
    most : mapping
        The most edges that one of them looks at.
    """
    if not sums:
        return untold(f"no vertex with {HIGH} edges is in a bottom-up pass here")
    large = {graph: its["vertices"] - its["small"] for graph, its in sums.items()}
    detail = listed(
        f"{count:,} on {graph} (at most {most[graph]:,})" for graph, count in large.items()
    )
    text = f"so many vertices look at {HIGH} edges or more: {detail}; in the paper there are such "
    text += f"on some graphs, such as {listed(LARGE)}"
    return Verdict(any(large.values()) or None, text)


def draw(report: Report, figure: Figure) -> None:
    """Draw a panel for each graph: work over degree, of the mean vertex and of the busiest."""
    points = [point for point in report.points if point.series.startswith(VERTICES)]
    graphs = of_graphs(points) or {"no bottom-up level": []}
    for axes, own in zip(panels(figure, list(graphs)), graphs.values(), strict=True):
        classes = {at: members for at, members in by_degree(own).items() if at}
        sums = {at: total(members) for at, members in classes.items()}
        series = {
            "mean degree": [(at, its["edges"] / its["vertices"]) for at, its in sums.items()],
            "mean work": [(at, its["looked_at"] / its["vertices"]) for at, its in sums.items()],
            "most work": [
                (at, max(point.values["most"] for point in members))
                for at, members in classes.items()
            ],
        }
        lines(axes, series, "degree from", "edges a vertex", scale="log")
        logarithmic(axes, sorted(classes))


@reproduces(
    "xbfs-workload",
    paper=XBFS,
    figure="5.1.1, Figure 9",
    question="Is what a vertex has to do bottom-up proportional to its degree?",
    graphs={
        "sim": (
            "kron:15",
            "powerlaw:16000",
            "standin:DBLP-author,16000",
            "standin:DBpedia,16000",
            "standin:Orkut,8000",
            "standin:USpatent,16000",
            "standin:Wiki-link,8000",
        ),
        "gpu": (
            "kron:20",
            "powerlaw:1000000",
            "standin:DBLP-author,1000000",
            "standin:DBpedia,1000000",
            "standin:Orkut,100000",
            "standin:USpatent,1000000",
            "standin:Wiki-link,200000",
        ),
    },
    sheet=PAPER,
    published={
        "work of vertices 3, 4 and 8 of the toy graph": list(EXAMPLE.values()),
        "much work at high degrees": [*LARGE, OUTLIERS],
    },
    tables=tables,
    verdicts=verdicts,
    draw=draw,
    device="p6000",
    settings={"sources": number(1, MOST)},
)
def xbfs_workload(lab: Lab, sources: int = 3) -> Iterator[Point]:
    """Every bottom-up pass of searches from so many random sources, and Example 5."""
    toy = make_graph(TOY)
    example = lab.search(STATIC, toy, source=0, counters=False)
    work = looks(toy, example.levels, LEVEL)
    for v in EXAMPLE:
        yield Point(TOY, DRAWN, v, {"looked_at": int(work[v]), "edges": int(toy.degrees[v])})
    for graph in lab.graphs:
        yield from measured(lab, graph, dict.fromkeys(beginnings(graph, sources)))


def measured(lab: Lab, graph: Graph, sources: Iterable[int]) -> Iterator[Point]:
    """Return the points of one graph.

    Parameters
    ----------
    lab : Lab
        Where to search.
    graph : Graph
        What.
    sources : iterable of int
        From where.
    """
    found: dict[str, tuple[Launch, NDArray[np.int64]]] = {}
    for source in sources:
        done = lab.search(STATIC, graph, source=source, counters=not lab.timed, alpha=ALPHA)
        for at in passes(done):
            where = f"level {at.depth} from {source:,}"
            found[where] = at, looks(graph, done.levels, at.depth + 1)
    shared = {"correlation": correlation(graph.degrees, [work for _, work in found.values()])}
    for where, (at, work) in found.items():
        for low, values in classes(graph.degrees, work).items():
            yield Point(graph.spec, f"{VERTICES} of {where}", low, values | shared)
        if at.counters is not None:
            yield Point(graph.spec, f"{THREADS} of {where}", at.depth, threads(at))


def threads(launch: Launch) -> dict[str, float]:
    """Return how the accesses of a counted pass are spread over its threads.

    Parameters
    ----------
    launch : Launch
        The pass.
    """
    counters = launch.counters
    assert counters is not None
    work = counters.work
    spread = {"mean": work.mean, "maximum": work.maximum, "gini": work.gini}
    loads = accesses([launch], "load", "neighbours")
    return {"threads": launch.grid[0] * launch.block[0], "loads": loads, **spread}
