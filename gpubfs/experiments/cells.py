"""From an experiment's measured points to its tables and sentences: metrics, pivots, ratios."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpubfs.experiments.experiment import Point, Verdict
from gpubfs.render.sheets import NOT_COUNTED, Column, Row, Sheet, figure
from gpubfs.search.counters import described

#: How far from a paper's figure a measured one may be and still agree.
CLOSE = 0.1

#: How many times one gain may be the other, and the two still agree.
ALIKE = 1.5

#: A cell, as a heading, a row's key, a column's title and a text.
Cell = tuple[str, str, str, str]


@dataclass(frozen=True)
class Metric:
    """Something that is measured, and how tables show it.

    Attributes
    ----------
    name : str
        Its key in a point's values.
    title : str
        Its heading.
    meaning : str
        What a note says of it; by default, what the counter of this name means.
    scale : float
        What to multiply it by.
    digits : int
        After the decimal point; counts have none.
    faster : bool
        Whether its ratios are speedups, first value to this one, and not this one to the first.
    """

    name: str
    title: str
    meaning: str = ""
    scale: float = 1
    digits: int = 0
    faster: bool = False

    def text(self, point: Point) -> str:
        """Lay out the value for people; "overflow" where a queue was too small."""
        value = point.values.get(self.name)
        if value is None:
            return "overflow" if point.note else NOT_COUNTED
        return f"{value * self.scale:,.{self.digits}f}" if self.digits else figure(value)

    def against(self, point: Point, base: Point) -> str:
        """Lay out the value with its ratio to another's."""
        ratio = self.ratio(point, base)
        return self.text(point) + ("" if ratio is None else f" {f'×{ratio:.2f}':>7}")

    def ratio(self, point: Point, base: Point) -> float | None:
        """How many times the other value, or how many times as fast; None where not measured."""
        its, first = point.values.get(self.name), base.values.get(self.name)
        if self.faster:
            its, first = first, its
        return its / first if first and its is not None else None


TIME = Metric("seconds", "milliseconds", "medians of whole searches", 1e3, 3, faster=True)


def counted(*names: str) -> tuple[Metric, ...]:
    """Make metrics of counters.

    Examples
    --------
    >>> notes([], counted("warp_steps"))
    ['warp_steps: statements executed by warps']
    """
    return tuple(Metric(name, name) for name in names)


def pivot(title: str, corner: str, cells: Iterable[Cell], notes: Iterable[str] = ()) -> Sheet:
    """Make a sheet of cells, rows and columns in the order of their first cells.

    Examples
    --------
    >>> pivot("t", "k", [("", "a", "x", "1"), ("", "a", "y", "2"), ("", "b", "y", "3")]).rows
    (('a', '1', '2'), ('b', '', '3'))
    """
    table: dict[str, dict[str, dict[str, str]]] = {}
    titles: dict[str, None] = {}
    for heading, key, column, text in cells:
        table.setdefault(heading, {}).setdefault(key, {})[column] = text
        titles[column] = None
    rows: list[Row] = []
    for heading, members in table.items():
        rows += [(heading,)] if heading else []
        rows += [(key, *(its.get(column, "") for column in titles)) for key, its in members.items()]
    columns = (Column(corner), *(Column(column, figures=True) for column in titles))
    return Sheet(title, columns, tuple(rows), tuple(dict.fromkeys(notes)))


def compared(
    points: Sequence[Point],
    metrics: Iterable[Metric],
    base: Callable[[Point], Any],
    column: Callable[[Point], str],
) -> list[Cell]:
    """Cells with ratios: a heading for each metric, a row for each graph.

    Parameters
    ----------
    points : sequence of Point
        The measurements.
    metrics : iterable of Metric
        What to show of them.
    base : callable
        Whether a point is the one that its graph's others are compared with.
    column : callable
        A point's column.
    """
    first = {point.graph: point for point in points if base(point)}
    return [
        (metric.title, point.graph, column(point), metric.against(point, first[point.graph]))
        for metric in metrics
        for point in points
    ]


def notes(points: Iterable[Point], metrics: Iterable[Metric] = ()) -> list[str]:
    """Say what metrics mean, and why points are missing."""
    meant = [f"{m.title}: {m.meaning or described()[m.name].meaning}" for m in metrics]
    return meant + [point.note for point in points if point.note]


def percent(share: float) -> str:
    """Write a share without decimal places.

    >>> percent(0.5)
    '50 %'
    """
    return f"{100 * share:.0f} %"


def of_graphs(points: Iterable[Point]) -> dict[str, list[Point]]:
    """For each graph its points, in the order of the first ones.

    >>> points = [Point("a", "x", 1, {}), Point("b", "x", 1, {}), Point("a", "y", 1, {})]
    >>> {graph: [point.series for point in own] for graph, own in of_graphs(points).items()}
    {'a': ['x', 'y'], 'b': ['x']}
    """
    found: dict[str, list[Point]] = {}
    for point in points:
        found.setdefault(point.graph, []).append(point)
    return found


def by_graph(points: Iterable[Point], series: str, name: str) -> dict[str, Any]:
    """One value of one series for each graph, as far as it was measured."""
    chosen = (point for point in points if point.series == series)
    found = {point.graph: point.values.get(name) for point in chosen}
    return {graph: value for graph, value in found.items() if value is not None}


def quotients(above: Mapping[str, float], below: Mapping[str, float]) -> dict[str, float]:
    """For each graph that is in both, the one value divided by the other.

    >>> quotients({"a": 6.0, "b": 1.0}, {"a": 4.0})
    {'a': 1.5}
    """
    return {graph: above[graph] / below[graph] for graph in above if below.get(graph)}


def mean(ratios: Iterable[float]) -> float:
    """Compute the geometric mean, under which a ratio and its inverse cancel.

    >>> round(mean([2.0, 0.5]), 3)
    1.0
    """
    return statistics.geometric_mean(list(ratios))


def close(measured: float, published: float) -> bool:
    """Whether a measured amount is a published one, give or take a tenth; see `alike` for gains.

    >>> close(0.70, 0.69), close(1.05, 0.69)
    (True, False)
    """
    return abs(measured / published - 1) <= CLOSE


def alike(measured: float, published: float) -> bool:
    """Whether two ratios say that about the same is gained, or lost.

    Ratios near 1 are all near each other; what they say is how far from 1 they are.

    >>> alike(1.05, 1.04), alike(1.19, 1.09), alike(1.0, 1.04), alike(0.9, 1.1)
    (True, False, False, False)
    """
    ours, theirs = measured - 1, published - 1
    return ours * theirs > 0 and 1 / ALIKE <= ours / theirs <= ALIKE


def gain(ratio: float) -> str:
    """Say what a ratio gains.

    >>> gain(1.09), gain(0.5)
    ('+9.0 %', '-50.0 %')
    """
    return f"{100 * (ratio - 1):+.1f} %"


def ranged(values: Iterable[float]) -> str:
    """Write ratios from the least to the most.

    >>> ranged([2.0, 0.5]), ranged([2.0])
    ('×0.50 to ×2.00', '×2.00')
    """
    found = list(values)
    return " to ".join(dict.fromkeys((times(min(found)), times(max(found)))))


def times(ratio: float) -> str:
    """Write a ratio.

    >>> times(1.0423)
    '×1.04'
    """
    return f"×{ratio:.2f}"


def listed(names: Iterable[str]) -> str:
    """Names in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    *most, last = list(names)
    return f"{', '.join(most)} and {last}" if most else last


def untold(what: str) -> Verdict:
    """Give the verdict that there is nothing to judge by."""
    return Verdict(None, what)


def unanimous(holds: Sequence[bool]) -> bool | None:
    """Whether something holds of all, or of none; None where it holds of some, or nothing is there.

    Examples
    --------
    >>> unanimous([True, True]), unanimous([False]), unanimous([True, False]), unanimous([])
    (True, False, None, None)
    """
    return holds[0] if len(set(holds)) == 1 else None
