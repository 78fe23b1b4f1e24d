"""Tables, sentences and pictures of the experiments on insertions and deletions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gpubfs.experiments.cells import (
    Cell,
    Metric,
    listed,
    mean,
    notes,
    pivot,
    quotients,
    ranged,
    times,
    untold,
)
from gpubfs.experiments.experiment import Point, Report, Verdict
from gpubfs.experiments.updating import (
    AIMGRAPH,
    CUSTINGER,
    PAPER_ROUNDS,
    STRUCTURES,
    TIME,
    values_of,
)
from gpubfs.graphs.build import count
from gpubfs.render.drawing import bars, panels
from gpubfs.render.sheets import Sheet, figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Of a measurement: a graph, and updates of a batch.
Where = tuple[str, Any]


def update_tables(report: Report, metrics: Iterable[Metric], what: str) -> Sheet:
    """Return a row for each graph and size of batches, with ratios to aimgraph.

    Parameters
    ----------
    report : Report
        The measurements.
    metrics : iterable of Metric
        What to show; a structure that has not the value has an empty cell.
    what : str
        Insertions or deletions.
    """
    base = {(p.graph, p.at): p for p in report.points if p.series == AIMGRAPH}
    shown = list(metrics)
    cells: list[Cell] = [
        (
            metric.title,
            f"{p.graph}, {figure(p.at)}",
            p.series,
            metric.against(p, base[p.graph, p.at]),
        )
        for metric in shown
        for p in report.points
        if metric.name in p.values
    ]
    title = f"{what} of a batch on average, ratios to {AIMGRAPH}, on {report.where}"
    remarks = [*notes(report.points, shown), *_protocol(report.points)]
    return pivot(title, "graph, updates", cells, remarks)


def _protocol(points: Iterable[Point]) -> Iterator[str]:
    """Say of how many batches the means are, and of how many the paper's."""
    found = dict.fromkeys((p.values["rounds"], p.values["initialisations"]) for p in points)
    for rounds, initialisations in found:
        own = count(rounds, "batch", "batches")
        each = "" if initialisations == 1 else "each of "
        yield (
            f"means of {own} after {each}{count(initialisations, 'initialisation')}; the paper's "
            f"of {PAPER_ROUNDS} after each of {PAPER_ROUNDS}"
        )


def launched(
    once: Mapping[Where, float],
    several: Mapping[Where, float],
    published: tuple[int, int],
    what: str,
) -> Verdict:
    """Whether one structure launches once a batch, and the other as often as in the paper.

    Parameters
    ----------
    once, several : mapping
        The most launches for a batch of aimgraph and of custinger.
    published : (int, int)
        The least and the most launches of cuSTINGER.
    what : str
        An insertion, or a deletion.
    """
    ours, theirs = (listed(figure(n) for n in sorted(set(own.values()))) for own in (once, several))
    low, high = published
    said = f"{low} to {high}" if low < high else f"{high}"
    text = (
        f"launches for {what} are {ours} with {AIMGRAPH} and at most {theirs} with {CUSTINGER}; "
        f"in the paper 1 and {said}"
    )
    fits = low <= min(several.values()) and max(several.values()) <= high
    return Verdict(set(once.values()) == {1} and fits, text)


def rated(rates: Mapping[Where, float], published: tuple[float, float], what: str) -> Verdict:
    """Whether updates are as fast as in the paper, or faster.

    Parameters
    ----------
    rates : mapping
        Updates a second of aimgraph.
    published : (float, float)
        The least and the greatest rate of the paper.
    what : str
        Insertions or deletions.
    """
    low, high = (f"{rate / 1e6:.0f}" for rate in published)
    detail = listed(
        f"{rate / 1e6:.1f} with batches of {figure(at)} on {graph}"
        for (graph, at), rate in rates.items()
    )
    text = (
        f"{AIMGRAPH} does {detail}, in million {what} a second; in the paper {low} to {high} on a "
        "GTX 780"
    )
    if min(rates.values()) >= published[0]:
        return Verdict(True, text)
    return Verdict(False if max(rates.values()) < published[0] else None, text)


def speedups(points: Sequence[Point]) -> dict[Where, float]:
    """Return how many times as fast aimgraph is as custinger, for each graph and size."""
    seconds = (values_of(points, name, TIME.name) for name in reversed(STRUCTURES))
    ours: dict[Where, float] = quotients(*seconds)  # type: ignore[arg-type, assignment]
    return ours


def advantage(
    ratios: Mapping[Where, float], degrees: Mapping[Where, float], large: int, claim: str
) -> Verdict:
    """Whether aimgraph is faster with small degrees, and loses its advantage with large ones.

    Parameters
    ----------
    ratios : mapping
        How many times as fast aimgraph is.
    degrees : mapping
        The edges of a vertex on average.
    large : int
        From where on degrees are large.
    claim : str
        What the paper says of large degrees.
    """
    sides = [
        [ratio for where, ratio in ratios.items() if (degrees[where] >= large) == side]
        for side in (False, True)
    ]
    if not all(sides):
        return untold(f"all graphs have degrees on the same side of {large}")
    text = (
        f"{AIMGRAPH} is {ranged(sides[0])} as fast as {CUSTINGER} with fewer than {large} edges a "
        f"vertex, {ranged(sides[1])} with more; in the paper it is faster with few, and {claim}"
    )
    small, many = (mean(own) for own in sides)
    return Verdict(small > 1 and many < small, f"{text} (means {times(small)} and {times(many)})")


def drawn(report: Report, figure: Figure) -> None:
    """Bars for each graph, a panel for each size: on gpu rates, on sim sectors.

    Parameters
    ----------
    report : Report
        The measurements.
    figure : Figure
        Where to.
    """
    counted = "sectors", "sectors of 32 bytes"
    name, up = ("rate", "updates/s") if report.machine == "gpu" else counted
    sizes = list(dict.fromkeys(point.at for point in report.points))
    graphs = list(dict.fromkeys(point.graph for point in report.points))
    found = {one: values_of(report.points, one, name) for one in STRUCTURES}
    titles = [count(int(size or 0), "update") for size in sizes]
    for axes, size in zip(panels(figure, titles, across=1), sizes, strict=True):
        heights = {one: [own.get((graph, size)) for graph in graphs] for one, own in found.items()}
        bars(axes, graphs, heights, "graph", up, scale="log")
