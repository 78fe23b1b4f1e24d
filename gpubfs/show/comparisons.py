"""Comparisons as tables and as pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from gpubfs.arguments import texts
from gpubfs.errors import UsageError, unknown
from gpubfs.measure.comparison import Comparison
from gpubfs.render.drawing import bars
from gpubfs.render.sheets import Column, Row, Sheet, ratio, speed
from gpubfs.render.style import new_figure, styled
from gpubfs.render.views import view
from gpubfs.search.counters import shown, value
from gpubfs.search.result import OWN_TIME, Run
from gpubfs.show.tables import counter_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from simulator.observe.counters import Counter

#: The rows above the counters.
HEAD = {
    "verified": lambda run: "yes",
    "depth": lambda run: f"{run.depth:,}",
    "reached": lambda run: f"{run.reached:,}",
    "seconds": lambda run: f"{run.seconds:.6f}",
    "MTEPS": lambda run: speed(run.mteps),
}

#: Those of them that are times, or follow from one.
TIMES = ("seconds", "MTEPS")


@view(Comparison, "terminal")
def terminal(comparison: Comparison, width: int) -> Iterator[Sheet]:
    """Yield the table in a terminal."""
    yield sheet(comparison)


@view(Comparison, "html")
def html(comparison: Comparison) -> str:
    """Return the table in a notebook."""
    return sheet(comparison).html()


@view(Comparison)
def sheet(comparison: Comparison) -> Sheet:
    """Return the table: a row per counter, a column per run."""
    first = comparison.runs[0]
    title = f"{first.graph.label} from {first.source}: ratios to {comparison.labels[0]}"
    labels = (Column(label, figures=True) for label in comparison.labels)
    columns = (Column("counter"), Column("unit", optional=True), *labels)
    simulated = all(run.machine == "sim" for run in comparison.runs)
    rows: list[Row] = [_head(comparison.runs, name, cell, simulated) for name, cell in HEAD.items()]
    for group, members in groupby(shown(), key=lambda counter: counter.group):
        rows.append((group,))
        rows += [(c.name, c.unit, *_row(comparison.runs, c)) for c in members]
    reasons = {run.machine: run.not_counted for run in comparison.runs if run.not_counted}
    notes = [f"not counted on {machine}: {why}" for machine, why in reasons.items()]
    if any(run.machine == "sim" for run in comparison.runs):
        notes.append(OWN_TIME)
    notes += dict.fromkeys(first.graph.notes)
    return Sheet(title, columns, tuple(rows), tuple(notes))


def _head(runs: Sequence[Run], name: str, cell: Any, simulated: bool) -> Row:
    shown = f"simulator's {name}" if simulated and name in TIMES else name
    return (shown, "", *(cell(run) for run in runs))


def _row(runs: Sequence[Run], counter: Counter) -> Row:
    first = value(runs[0].counters, counter.name)
    cells = [counter_text(counter, runs[0].counters)]
    for other in runs[1:]:
        its = value(other.counters, counter.name)
        share = "" if isinstance(its, str) else f" {ratio(its, first):>7}"
        cells.append(counter_text(counter, other.counters) + share)
    return tuple(cells)


@view(Comparison)
@styled
def plot(comparison: Comparison, counters: Sequence[str]) -> Figure:
    """Draw each counter as a share of the first run's."""
    known = [counter.name for counter in shown()]
    counters = texts(counters, "counters", "give names such as 'load_requests'")
    for name in counters:
        if name not in known:
            raise unknown("counter", name, known)
    ratios = {name: comparison.ratios(name) for name in counters}
    drawn = [name for name in counters if ratios[name][0] is not None]
    if not drawn:
        first = comparison.runs[0]
        why = first.not_counted or f"{comparison.labels[0]} has none of these"
        raise UsageError(f"there is nothing to draw: {why}", "name other counters")
    spec = comparison.runs[0].graph.label
    figure = new_figure(f"{spec}: shares of {comparison.labels[0]}")
    axes = figure.subplots()
    series = {
        name: [ratios[counter][number] for counter in drawn]
        for number, name in enumerate(comparison.labels)
    }
    bars(axes, drawn, series, "counter", f"ratio to {comparison.labels[0]}", scale="ratio")
    return figure
