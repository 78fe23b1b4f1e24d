"""What cuSTINGER gains by room for more edges than there are, and how long that lasts.

Winter et al., Section V-B: turned off, over-allocation costs cuSTINGER up to a factor of 10; and
"changing the update strategy by first inserting 10 batches of updates and then removing them again
also worsens performance for cuSTINGER significantly, while aimGraph does not see a major effect".
There are no figures beyond that, and nothing is said of aimGraph without over-allocation, which it
has not.

`in turn` inserts each of ten batches and deletes its edges before the next; `piled up` inserts all
ten, then deletes their edges. With them go edges that the graph had before, so that in turn, too,
later batches meet a graph of a few edges less. The batches are the same. What is compared are sums
over the insertions, on gpu means of them over `repeats` initialisations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gpubfs.dynamic.batch import Batch
from gpubfs.dynamic.dynamic_graph import DynamicGraph
from gpubfs.experiments.cells import (
    Cell,
    Metric,
    by_graph,
    listed,
    notes,
    pivot,
    quotients,
    ranged,
    untold,
)
from gpubfs.experiments.checked import MOST
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.settings import number
from gpubfs.experiments.updating import (
    AIMGRAPH,
    CUSTINGER,
    DEVICE,
    HOST,
    MOST_UPDATES,
    MOVED,
    TABLE_1,
    TIME,
    average,
    batches,
    cost,
    in_turn,
    initialisations,
    opened,
    updatable,
)
from gpubfs.graphs import Graph
from gpubfs.graphs.build import count
from gpubfs.render.drawing import bars
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.papers import AIMGRAPH as PAPER_OF

if TYPE_CHECKING:
    from matplotlib.figure import Figure


PEAK = Metric(
    "bytes_peak",
    "bytes at the most",
    "of device memory with batches; aimgraph has it from the start",
)
METRICS = {"sim": (*HOST, MOVED, *DEVICE, PEAK), "gpu": (TIME, *HOST, MOVED, PEAK)}

#: What is compared: structures, with and without room.
EXACT = f"{CUSTINGER} without room"
SYSTEMS: Mapping[str, tuple[str, dict[str, Any]]] = {
    AIMGRAPH: (AIMGRAPH, {}),
    CUSTINGER: (CUSTINGER, {}),
    EXACT: (CUSTINGER, {"over_allocation": False}),
}

#: The two orders of updates.
TURN, PILED = "in turn", "piled up"

#: Batches, and the updates of each.
ROUNDS, UPDATES = 10, {"sim": 100, "gpu": 100_000}

#: The paper's factor at the most, what "significantly" is here, and "no major effect".
FACTOR, WORSE, SAME = 10, 1.5, 1.25

PAPER = Sheet(
    "what the paper's text says of insertions",
    (Column("of what"), Column("aimGraph"), Column("cuSTINGER")),
    (
        ("without room for more", "not said", f"up to {FACTOR} times as slow"),
        ("10 batches, then removed", "no major effect", "significantly worse"),
    ),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a row for each graph and order, a column for each structure."""
    metrics = METRICS[report.machine]
    cells: list[Cell] = []
    for metric in metrics:
        for point in report.points:
            system, order = parts(point.series)
            if metric.name in point.values:
                cells.append((metric.title, f"{point.graph}, {order}", system, metric.text(point)))
    title = f"insertions of {_batches(report)} batches together on {report.where}"
    often = report.points[0].values["initialisations"]
    remarks = [*notes(report.points, metrics), f"means of {count(often, 'initialisation')}"]
    return (pivot(title, "graph, order", cells, remarks),)


def _batches(report: Report) -> int:
    return int(report.points[0].values["batches"])


def called(system: str, order: str) -> str:
    """Return what a structure under an order of updates is called."""
    return f"{system}, {order}"


def parts(series: str) -> tuple[str, str]:
    """Return the structure and the order of a series.

    >>> parts("custinger without room, in turn")
    ('custinger without room', 'in turn')
    """
    system, _, order = series.partition(", ")
    return system, order


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Return what room for more saves, and what ten batches at once cost each."""
    name = TIME.name if report.machine == "gpu" else "host work"
    found = {p.series: _costs(report, p.series) for p in report.points}
    turn = {system: found[called(system, TURN)] for system in SYSTEMS}
    piled = {system: found[called(system, PILED)] for system in SYSTEMS}
    theirs = quotients(piled[CUSTINGER], turn[CUSTINGER])
    ours = quotients(piled[AIMGRAPH], turn[AIMGRAPH])
    return (
        spared(quotients(turn[EXACT], turn[CUSTINGER]), name),
        piling(theirs, ours, name, _batches(report)),
    )


def _costs(report: Report, series: str) -> dict[str, float]:
    """Return seconds on gpu; on sim what the host does: launches, allocations, copies and reads."""
    if report.machine == "gpu":
        return by_graph(report.points, series, TIME.name)
    counts = [by_graph(report.points, series, metric.name) for metric in HOST]
    return {graph: sum(own[graph] for own in counts) for graph in counts[0]}


def spared(ratios: Mapping[str, float], name: str) -> Verdict:
    """Whether insertions cost several times as much without room.

    Parameters
    ----------
    ratios : mapping
        For each graph how many times.
    name : str
        Seconds, or what the host does.
    """
    text = (
        f"without room for more {CUSTINGER} takes {ranged(ratios.values())} the {name}; in the "
        f"paper up to {FACTOR} times"
    )
    if name != TIME.name:
        return untold(f"counters tell no times: {text}")
    if min(ratios.values()) <= 1:
        return Verdict(False if max(ratios.values()) <= 1 else None, text)
    return Verdict(max(ratios.values()) <= FACTOR * WORSE, text)


def piling(
    theirs: Mapping[str, float], ours: Mapping[str, float], name: str, batches: int
) -> Verdict:
    """Whether batches that pile up cost custinger more, and aimgraph nothing.

    Parameters
    ----------
    theirs, ours : mapping
        For each graph how many times of updates in turn, with custinger and aimgraph.
    name : str
        Seconds, or what the host does.
    batches : int
        How many are inserted before one is deleted.
    """
    worse = [graph for graph, ratio in theirs.items() if ratio >= WORSE]
    where = f" ({listed(worse)})" if worse else ""
    text = (
        f"{batches:,} batches before any is deleted take {ranged(theirs.values())} the {name} of "
        f"batches in turn with {CUSTINGER}, at least {WORSE} times on {len(worse)} of "
        f"{count(len(theirs), 'graph')}{where}, and {ranged(ours.values())} with {AIMGRAPH}; in "
        f"the paper, with {ROUNDS} batches, that is significantly worse, and no major effect"
    )
    if name != TIME.name:
        return untold(f"counters tell no times: {text}")
    fits = bool(worse) and max(ours.values()) <= SAME
    return Verdict(True if fits and len(worse) == len(theirs) else None if worse else False, text)


def draw(report: Report, figure: Figure) -> None:
    """Bars: on gpu seconds, on sim what the host does."""
    up = "seconds" if report.machine == "gpu" else "launches, allocations, copies and reads"
    graphs = list(dict.fromkeys(point.graph for point in report.points))
    names = list(dict.fromkeys(point.series for point in report.points))
    heights = {
        series: [own.get(graph) for graph in graphs]
        for series, own in ((one, _costs(report, one)) for one in names)
    }
    axes = figure.subplots()
    bars(axes, graphs, heights, "graph", up, scale="log")


@reproduces(
    "custinger-overallocation",
    paper=PAPER_OF,
    figure="V-B, over-allocation",
    question="What does room for more edges save, and what do batches cost that pile up?",
    graphs={machine: TABLE_1[machine][:4] for machine in TABLE_1},
    sheet=PAPER,
    published={"times as slow without room, at most": FACTOR},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
    settings={"updates": number(1, MOST_UPDATES), "rounds": number(2, MOST)},
)
def custinger_overallocation(
    lab: Lab, *, updates: int | None = None, rounds: int = ROUNDS
) -> Iterator[Point]:
    """Insert batches in turn and piled up into each structure, with room and without."""
    for graph in updatable(lab):
        drawn = list(batches(graph, updates or UPDATES[lab.machine], rounds))
        for system, (name, options) in SYSTEMS.items():
            for order in (TURN, PILED):
                found = _inserted(lab, graph, name, options, order, drawn)
                yield Point(graph.spec, called(system, order), None, found)


def _inserted(
    lab: Lab,
    graph: Graph,
    name: str,
    options: Mapping[str, Any],
    order: str,
    drawn: Sequence[Batch],
) -> dict[str, float]:
    """Return what all insertions take together, on average over initialisations."""
    sums: list[dict[str, float]] = []
    for _ in range(initialisations(lab)):
        with opened(lab, name, graph, **options) as made:
            made.from_csr(graph)
            costs = in_turn(made, iter(drawn))["insert"] if order == TURN else _piled(made, drawn)
            own = {key: sum(one[key] for one in costs) for key in costs[0]}
            sums.append(own | {"bytes_peak": made.host.bytes_peak})
    return average(sums) | {"batches": len(drawn), "initialisations": len(sums)}


def _piled(made: DynamicGraph, drawn: Sequence[Batch]) -> list[dict[str, float]]:
    """Insert all batches, then delete them; return what the insertions take."""
    costs = [cost(made.insert_edges(batch)) for batch in drawn]
    for batch in drawn:
        made.delete_edges(batch)
    return costs
