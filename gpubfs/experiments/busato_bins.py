"""How many vertices of a Kronecker graph wait in supplementary queues, by bin and level.

Busato and Bombieri, Section 3.4 and Figure 5, an example on kron_g500-logn21, whose numbers are not
in the text. Vertices of more edges than half of the device's threads wait in bins, the i-th for
degrees in [2^(b + i), 2^(b + i + 1)], which as it is printed is two bins for a power of two; here
the upper bound belongs to the next bin. A vertex gets as many threads as its bin's lower bound, so
that none has more than two edges, but in the last bin, which is bounded by the device's threads.

The threshold is the paper's, 16,384 of a GeForce GTX 980's 32,768 threads, on a GPU as well: half
of an H200's would be 135,168. The simulator's graphs are too small to have such vertices; there the
threshold is the same share of the largest degree as in the paper, or the power of two below that.
The last bin is the one of the GPU that searches: that of a GTX 980 begins at 32,768 edges, an
H200's at 262,144. Nothing is timed: what is asked is where vertices go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gpubfs.experiments.cells import Cell, close, listed, of_graphs, percent, pivot, untold
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab
from gpubfs.graphs import Graph
from gpubfs.graphs.build import count
from gpubfs.render.drawing import bars
from gpubfs.render.sheets import Column, Sheet, figure
from gpubfs.search.papers import BUSATO
from gpubfs.search.result import Run
from gpubfs.search.supports import QUEUES, Bins

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray


#: The paper's graph: vertices, edges, and the largest degree.
VERTICES, EDGES, MOST = 2_100_000, 182_100_000, 213_906
#: The paper's GPU, and the threshold of its queues.
RESIDENT, THRESHOLD = 32_768, 16_384

BLOCK = 256

PAPER = Sheet(
    "the paper's kron_g500-logn21",
    (Column("what"), Column("value", figures=True)),
    (
        ("vertices", f"{VERTICES / 1e6:.1f} M"),
        ("edges", f"{EDGES / 1e6:.1f} M"),
        ("maximum degree", f"{MOST:,}"),
        ("threshold of the queues", f"{THRESHOLD:,}"),
    ),
    ("how many vertices are in which bin and level is in the figure only",),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a row for each level that has heavy vertices, a column for each bin."""
    cells: list[Cell] = [
        (point.graph, point.series, _bin(point), figure(point.values["vertices"]))
        for point in report.points
    ]
    footnotes = [
        f"{graph}: threshold {points[0].values['threshold']:,}, largest degree "
        f"{points[0].values['max_degree']:,}"
        for graph, points in of_graphs(report.points).items()
    ]
    return (pivot(f"vertices in bins on {report.where}", "level", cells, footnotes),)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Whether bins hold what they are for, and what the paper's graph has to do with ours."""
    given = report.points
    own = [point for point in given if point.values["vertices"]]
    if not own:
        return (untold("no vertex has more edges than the threshold"), alike(given))
    return placed(own), balanced(own), bounds(own), shared(own), alike(given)


def placed(points: Sequence[Point]) -> Verdict:
    """Whether each bin with vertices was launched, with its lower bound in threads for each."""
    wrong = [p for p in points if p.values["launched"] != p.values["wanted"]]
    where = listed(f"{p.series} of {p.graph}, {_bin(p)}" for p in wrong) if wrong else ""
    text = f"in {len(points) - len(wrong)} of {len(points)} bins the threads that were launched are"
    text += " the lower bound times the vertices, as in the paper"
    return Verdict(not wrong, f"{text}; not in {where}" if where else text)


def balanced(points: Sequence[Point]) -> Verdict:
    """Whether no thread has more than two edges, but in the last bin."""
    inner = [p.values["edges_per_thread"] for p in points if not p.values["last"]]
    if not inner:
        return untold("no vertex is in a bin that has a next one")
    text = f"below the last bin a thread has up to {max(inner)} edges"
    return Verdict(max(inner) <= 2, f"{text}; in the paper at most two")


def bounds(points: Sequence[Point]) -> Verdict:
    """Return how many vertices the paper's closed intervals would put into two bins."""
    on = sum(p.values["on_bounds"] for p in points)
    return untold(
        f"{on} of {sum(p.values['vertices'] for p in points):,} vertices have a power of two as "
        "degree, and would be in two bins with intervals that are closed on both sides"
    )


def shared(points: Sequence[Point]) -> Verdict:
    """Return which share of vertices and edges waits in bins."""
    parts = []
    for graph, own in of_graphs(points).items():
        edges = sum(p.values["edges"] for p in own) / own[0].values["all_edges"]
        vertices = sum(p.values["vertices"] for p in own)
        held = count(vertices, "vertex", "vertices")
        parts.append(f"{held} with {percent(edges)} of the edges of {graph}")
    return untold(f"in bins are {listed(parts)}; the paper has no such figures in its text")


def alike(points: Sequence[Point]) -> Verdict:
    """Whether a graph is like the paper's: its largest degree by its edges."""
    parts = {
        graph: (own[0].values["max_degree"], own[0].values["all_edges"])
        for graph, own in of_graphs(points).items()
    }
    detail = listed(
        f"{most:,} of {edges:,} edges on {graph}" for graph, (most, edges) in parts.items()
    )
    text = f"the largest degree is {detail}; of the paper's graph {MOST:,} of {EDGES:,}"
    same = all(close(edges, EDGES) and close(most, MOST) for most, edges in parts.values())
    return Verdict(True, text) if same else untold(f"{text}: another graph, with other bins")


def draw(report: Report, figure: Figure) -> None:
    """Bars: vertices of each bin, by level."""
    axes = figure.subplots()
    rows = list(dict.fromkeys(f"{p.graph}, {p.series}" for p in report.points))
    found = {(f"{p.graph}, {p.series}", _bin(p)): p.values["vertices"] for p in report.points}
    names = sorted({(p.values["lower"], _bin(p)) for p in report.points})
    series = {name: [found.get((row, name)) for row in rows] for _, name in names}
    # There are bins without vertices.
    bars(axes, rows, series, "level", "vertices in a bin", scale="symlog")


@reproduces(
    "busato-bins",
    paper=BUSATO,
    figure="3.4, Figure 5",
    question="How many vertices wait in which supplementary queue, level by level?",
    graphs={"sim": ("kron:12,48", "kron:14,48"), "gpu": ("kron:21,48",)},
    sheet=PAPER,
    published={"maximum degree": MOST, "threshold": THRESHOLD, "resident threads": RESIDENT},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
    device="gtx980",
)
def busato_bins(lab: Lab) -> Iterator[Point]:
    """Search once with supplementary queues, and look at the levels of vertices and launches."""
    for graph in lab.graphs:
        bins = bins_of(lab, graph)
        options = {"supports": QUEUES, "block": BLOCK, "queue_threshold": bins.threshold}
        done = lab.search("supports", graph, counters=False, base=bins.base, **options)
        heavy = np.unique(done.levels[graph.degrees > bins.threshold])
        # A graph without heavy vertices has a level with empty bins.
        for depth in heavy[heavy >= 0].tolist() or [0]:
            yield from _level(done, bins, depth)


def bins_of(lab: Lab, graph: Graph) -> Bins:
    """Return the paper's bins on a GPU, and on the simulator such for a smaller graph."""
    with lab.open() as machine:
        resident = machine.resident_threads
    most = int(graph.degrees.max(initial=1))
    threshold = THRESHOLD if lab.timed else 1 << max(most * THRESHOLD // MOST, 1).bit_length() - 1
    return Bins.of(resident, threshold)


def _level(done: Run, bins: Bins, depth: int) -> Iterator[Point]:
    graph = done.graph
    degrees = graph.degrees[done.levels == depth].astype(np.int64)
    heavy = degrees[degrees > bins.threshold]
    powers = np.frexp(heavy.astype(np.float64))[1] - 1
    numbers = np.minimum(powers - bins.base, bins.count - 1)
    of_bins = (one for one in done.per_launch if (one.kernel, one.depth) == ("expand_bin", depth))
    launches = dict(zip(np.unique(numbers).tolist(), of_bins, strict=True))
    whole = {
        "threshold": bins.threshold,
        "max_degree": int(graph.degrees.max(initial=0)),
        "all_edges": graph.edges,
    }
    for number in range(bins.count):
        grid = launches[number].grid[0] if number in launches else 0
        values = _filled(heavy[numbers == number], bins, number) | {"launched": grid}
        yield Point(graph.spec, f"level {depth}", number, values | whole)


def _filled(degrees: NDArray[np.int64], bins: Bins, number: int) -> dict[str, int | float]:
    """Return what a bin holds, and the blocks that it should get."""
    threads = bins.threads(number)
    return {
        "vertices": len(degrees),
        "edges": int(degrees.sum()),
        "lower": 1 << bins.base + number,
        "last": number == bins.count - 1,
        "wanted": -(-len(degrees) * threads // BLOCK),
        "edges_per_thread": int((-(-degrees // threads)).max(initial=0)),
        "on_bounds": int((degrees & (degrees - 1) == 0).sum()),
    }


def _bin(point: Point) -> str:
    lower = point.values["lower"]
    return f"from {lower:,}" if point.values["last"] else f"{lower:,} to {2 * lower - 1:,}"
