"""What repairing a search takes after a batch of updates, and what searching anew takes.

Tödling et al., Section VI-A, name it as a next step to investigate "partially updating a previous
BFS result after a change to the graph". They have no algorithm and no figures, so that there is
nothing to agree with: verdicts say what was measured. The algorithm is described with
`gpubfs.dynamic.repair`.

Batches are random: deletions are drawn from the edges, insertions from all pairs of vertices, and
`both` is half of each. Their size is a share of the graph's edges. A vertex is touched if its own
edges are looked at; a new search touches all that it reaches. It is host-loop, which makes one
launch and one read a level, as the repair does in each of its two passes, with as many lanes for a
vertex.

Times are of the device, from the first launch to the last. Neither counts copying the graph, and
the repair not the batch; both fill arrays of all vertices before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.dynamic import Batch
from gpubfs.dynamic.incremental_bfs import IncrementalSearch
from gpubfs.experiments import settings
from gpubfs.experiments.cells import Cell, listed, of_graphs, pivot, ranged, times, untold
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.gaihre import accesses
from gpubfs.experiments.lab import Lab
from gpubfs.graphs import Graph
from gpubfs.graphs.reference import reference_levels
from gpubfs.render.drawing import lines, panels
from gpubfs.render.scales import scaled
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.papers import TOEDLING

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Ends = tuple[NDArray[np.int32], NDArray[np.int32]]

SEARCH = "host-loop"
INSERTIONS, DELETIONS, BOTH = KINDS = ("insertions", "deletions", "both")

#: The parts of a batch that are insertions.
INSERTED = {INSERTIONS: 1.0, DELETIONS: 0.0, BOTH: 0.5}

#: Sizes of batches, as shares of the graph's edges.
SHARES = (0.0001, 0.001, 0.01, 0.1)

SEED = 7

#: The arrays that edges are looked up in: of a directed graph there are two.
ADJACENCIES = ("neighbours", "in_neighbours")

#: What is measured, and its heading; of the new search it has NEW in front.
TITLES = {
    "sim": {"touched": "touched vertices", "looked": "edges looked at", "launches": "launches"},
    "gpu": {"seconds": "milliseconds", "touched": "touched vertices", "launches": "launches"},
}
NEW = "new_"

PAPER = Sheet(
    "the paper's words",
    (Column("section"), Column("text"), Column("figures")),
    (("VI-A", '"partially updating a previous BFS result", as future work', "none"),),
)


@dataclass(frozen=True)
class Change:
    """A graph before and after a batch of updates."""

    before: Graph
    after: Graph
    inserted: Batch
    deleted: Batch


def random_change(graph: Graph, kind: str, size: int, rng: np.random.Generator) -> Change:
    """Draw a batch of updates.

    Parameters
    ----------
    graph : Graph
        Before it.
    kind : str
        insertions, deletions or both.
    size : int
        How many updates.
    rng : numpy.random.Generator
        Whose draws they are.
    """
    tails, heads = _listed(graph)
    coming = round(size * INSERTED[kind])
    inserted = rng.integers(0, graph.vertices, (2, coming), np.int32)
    going = rng.choice(len(tails), min(size - coming, len(tails)), replace=False)
    left = np.ones(len(tails), bool)
    left[going] = False
    after = Graph.from_edges(
        np.concatenate([tails[left], inserted[0]]),
        np.concatenate([heads[left], inserted[1]]),
        graph.vertices,
        name=graph.spec,
        directed=graph.directed,
    )
    return Change(graph, after, Batch(*inserted), Batch(tails[going], heads[going]))


def _listed(graph: Graph) -> Ends:
    """Return the ends of edges: of an undirected graph each edge once."""
    tails = np.repeat(np.arange(graph.vertices, dtype=np.int32), graph.degrees)
    if graph.directed:
        return tails, graph.neighbours
    once = tails <= graph.neighbours
    return tails[once], graph.neighbours[once]


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a row for each graph and kind of batch, a column for each size."""
    cells: list[Cell] = [
        (title, f"{p.graph}, {p.series}", _share(p.at), _text(p, name))
        for name, title in TITLES[report.machine].items()
        for p in report.points
    ]
    footnotes = (
        f"columns: updates as a share of the edges; ×: to a new search of the same graph, {SEARCH}",
        "touched vertices: those whose own edges are looked at",
    )
    return (pivot(f"what a repair takes, on {report.where}", "batch", cells, footnotes),)


def ratio(point: Point, name: str) -> float | None:
    """How many times what a new search takes; None if that takes nothing."""
    new = point.values[NEW + name]
    return point.values[name] / new if new else None


def _text(point: Point, name: str) -> str:
    value, against = point.values[name], ratio(point, name)
    text = f"{1e3 * value:,.3f}" if name == "seconds" else f"{value:,}"
    return text if against is None else f"{text} {times(against):>7}"


def _share(share: float | None) -> str:
    return f"{100 * (share or 0):g} %"


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Say what was measured: nothing in the paper can be agreed with."""
    names = [name for name in TITLES[report.machine] if name != "launches"]
    return tuple(
        said(report.machine, name, [p for p in report.points if p.graph == graph])
        for graph in of_graphs(report.points)
        for name in names
    )


def said(machine: str, name: str, points: Sequence[Point]) -> Verdict:
    """Compare a repair with a new search on one graph.

    Parameters
    ----------
    machine : str
        Where it was measured.
    name : str
        What.
    points : sequence of Point
        Those of the graph.
    """
    by_share: dict[str, list[float]] = {}
    for point in points:
        own = ratio(point, name)
        if own is not None:
            by_share.setdefault(_share(point.at), []).append(own)
    what = TITLES[machine][name]
    if not by_share:
        return untold(f"on {points[0].graph} a new search has no {what}")
    found = listed(f"{ranged(ratios)} for batches of {at}" for at, ratios in by_share.items())
    text = f"on {points[0].graph} {what} of a repair are to those of a new search {found}"
    return untold(f"{text}; the paper has the idea alone, and no number")


def draw(report: Report, figure: Figure) -> None:
    """Draw a panel for each graph: ratios to a new search over the size of the batch."""
    name = next(iter(TITLES[report.machine]))
    found = of_graphs(report.points)
    for axes, own in zip(panels(figure, [*found]), found.values(), strict=True):
        curves = {
            kind: [(100 * (p.at or 0), ratio(p, name)) for p in own if p.series == kind]
            for kind in KINDS
        }
        what = TITLES[report.machine][name]
        up = f"{what}, to a new search's"
        lines(axes, curves, "updates, % of the edges", up, scale="ratio")
        scaled(axes, "x", "log", [100 * (p.at or 0) for p in own])


@reproduces(
    "incremental-bfs",
    paper=TOEDLING,
    figure="VI-A, future work",
    question="What does it take to repair a search after a batch of updates, and to search anew?",
    graphs={
        "sim": ("kron:12", "er:12", "grid:64x64", "road:4000"),
        "gpu": ("kron:18", "er:18", "grid:512x512", "road:1000000"),
    },
    sheet=PAPER,
    published={"figures": "none"},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
    settings={"shares": settings.shares()},
)
def incremental(lab: Lab, *, shares: Sequence[float] = SHARES) -> Iterator[Point]:
    """Repair after batches of each kind and size, and search the same graphs anew."""
    for graph in lab.graphs:
        earlier = reference_levels(graph, graph.hub)
        rng = np.random.default_rng(SEED)
        edges = len(_listed(graph)[0])
        for share in shares:
            for kind in KINDS:
                lab.tell(f"{kind} of {_share(share)} of the edges of {graph.spec}")
                change = random_change(graph, kind, max(1, round(share * edges)), rng)
                values = _repaired(lab, change, earlier) | _anew(lab, change)
                yield Point(graph.spec, kind, share, values)


def _repaired(lab: Lab, change: Change, earlier: NDArray[np.int32]) -> dict[str, Any]:
    """Return what a repair takes."""
    repair = IncrementalSearch(earlier, change.after, change.inserted, change.deleted)
    values = _taken(lab, repair.technique, change)
    return {"size": repair.size, **values, "touched": repair.work.touched}


def _anew(lab: Lab, change: Change) -> dict[str, Any]:
    """Return what a new search takes, by other names."""
    return {NEW + name: value for name, value in _taken(lab, SEARCH, change).items()}


def _taken(lab: Lab, technique: Any, change: Change) -> dict[str, Any]:
    """Return what runs of a technique take, with counters on sim and times on gpu."""
    where = {"machine": lab.machine, "device": lab.device, "counters": not lab.timed}
    given = where | {"source": change.before.hub}
    runs = [lab.run(technique, change.after, **given) for _ in range(lab.repetitions)]
    values = {"touched": runs[0].reached, "launches": runs[0].launches}
    if lab.timed:
        return values | {"seconds": lab.steady([done.seconds for done in runs])}
    looked = (accesses(runs[0].per_launch, "load", array) for array in ADJACENCIES)
    return values | {"looked": sum(looked)}
