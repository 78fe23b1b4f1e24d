"""What the tables say: runs, levels and the catalogue as sheets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

from gpubfs.graphs.build import count
from gpubfs.host import Fact, Launch
from gpubfs.render.sheets import Column, Row, Sheet, figure, percentage, speed
from gpubfs.render.views import view
from gpubfs.search.comparators import COMPARATORS
from gpubfs.search.counters import shown, total, value
from gpubfs.search.result import OWN_TIME, Run
from gpubfs.search.technique import BOTH, Technique

if TYPE_CHECKING:
    from simulator.observe.counters import Counter
    from simulator.observe.sanitizers import Finding

#: The levels that a long table shows at each end.
ENDS = 20


def counter_text(counter: Counter, values: Mapping[str, Any]) -> str:
    """Lay out one counter's value for people."""
    found = value(values, counter.name)
    if found is None and values.get(counter.merge) == 0:  # of nothing there is no address
        return "none"
    return percentage(found) if counter.percent else figure(found)


def run_sheets(run: Run) -> tuple[Sheet, ...]:
    """Return what a run found, and what it cost."""
    watched = (findings_sheet(run.sanitizers, run.findings),) if run.sanitizers else ()
    return _summary(run), _counters(run), *watched, *observer_sheets(run.observers)


@view(Run, "terminal")
def terminal(run: Run, width: int) -> Iterator[Sheet | str]:
    """Yield a run's tables in a terminal."""
    for sheet in run_sheets(run):
        yield sheet
        yield ""


@view(Run, "html")
def html(run: Run) -> str:
    """Return a run's tables in a notebook."""
    return "".join(sheet.html() for sheet in run_sheets(run))


def level_sheet(run: Run) -> Sheet:
    """Return what each level cost; without columns of counters if none of them was counted."""
    counters = [c for c in shown() if c.heading and c.scope == "launch"]
    if not any(launch.counters for launch in run.per_launch):
        counters = []
    facts = tuple(dict.fromkeys(name for known in run.facts.values() for name in known))
    titles = (*LEVEL_COLUMNS, *facts, *(counter.heading for counter in counters))
    columns = tuple(Column(title, figures=True) for title in titles)
    by_depth = groupby(run.per_launch, key=lambda launch: launch.depth)
    names = ["" if value(run.counters, c.name) is None else c.name for c in counters]
    rows = []
    for depth, launches in by_depth:
        known = run.facts.get(depth, {})
        rows.append(_level_row(depth, list(launches), [known.get(name) for name in facts], names))
    notes = _reason(run) + ((OWN_TIME,) if run.machine == "sim" else ())
    if len(rows) > 2 * ENDS:
        left_out = len(rows) - 2 * ENDS
        are = "is" if left_out == 1 else "are"
        notes = (f"{count(left_out, 'level')} in the middle {are} not shown", *notes)
        rows = rows[:ENDS] + rows[-ENDS:]
    return Sheet("levels", columns, tuple(rows), notes)


def techniques_sheet(known: Iterable[Technique]) -> Sheet:
    """Return the catalogue of techniques."""
    columns = (Column("technique"), Column("paper", text=True), Column("idea", text=True))
    rows: list[Row] = []
    for family, members in groupby(known, key=lambda technique: technique.family):
        rows.append((family,))
        rows += [(t.name, t.origin or "of your own", t.idea + _small_print(t)) for t in members]
    return Sheet("techniques on the machines sim and gpu", columns, tuple(rows))


def comparators_sheet() -> Sheet:
    """Return the searches that techniques are compared with, which are none themselves."""
    columns = (Column("search"), Column("paper", text=True), Column("idea", text=True))
    rows = tuple((one.name, f"{one.paper}, {one.year}", one.idea) for one in COMPARATORS.values())
    return Sheet("on the CPU, to compare with", columns, rows)


#: The columns of a level before its counters.
LEVEL_COLUMNS = ("level", "frontier", "launches", "seconds")


def _summary(run: Run) -> Sheet:
    schedule = f", {run.schedule}" if run.schedule else ""
    options = ", ".join(f"{name}={chosen}" for name, chosen in run.options.items())
    directions = "directed" if run.graph.directed else "both directions"
    edges = f"{count(run.graph.edges, 'edge')} ({directions})"
    rows: tuple[Row, ...] = (
        ("graph", f"{run.graph.label}: {_vertices(run.graph.vertices)}, {edges}"),
        ("source", f"{run.source}{' (highest degree)' if run.source == run.graph.hub else ''}"),
        ("machine", f"{run.machine}: {run.device}{schedule}"),
        ("options", options or "none"),
        ("depth", f"{run.depth:,}"),
        ("reached", _vertices(run.reached)),
        ("verified", "yes"),
        ("time", f"{run.seconds:.6f} s, {speed(run.mteps)} MTEPS{_whose(run)}"),
        *(("note", note) for note in run.graph.notes),
    )
    return Sheet(run.technique, (Column(""), Column("", text=True)), rows)


def _whose(run: Run) -> str:
    return " (the simulator's own time, not a GPU's)" if run.machine == "sim" else ""


def _vertices(number: int) -> str:
    return count(number, "vertex", "vertices")


def _counters(run: Run) -> Sheet:
    columns = (
        Column("counter"),
        Column("value", figures=True),
        Column("unit", optional=True),
        Column("meaning", text=True, optional=True),
    )
    rows: list[Row] = []
    known = {c.group for c in shown() if value(run.counters, c.name) is not None}
    for group, members in groupby(shown(), key=lambda counter: counter.group):
        if group not in known:  # the note says why
            continue
        rows.append((group,))
        rows += [(c.name, counter_text(c, run.counters), c.unit, c.meaning) for c in members]
    arrays = run.counters["bytes_by_name"].items()
    rows += [(f"  {name}", figure(size), "bytes", "") for name, size in arrays]
    return Sheet("counters", columns, tuple(rows), _reason(run), keys=len(columns))


def findings_sheet(sanitizers: str, findings: Iterable[Finding]) -> Sheet:
    """Return what sanitizers, named with commas between them, let pass."""
    columns = (
        Column("finding"),
        Column("array"),
        Column("lines"),
        Column("elements", figures=True),
        Column("why it is let pass", text=True),
    )
    rows = tuple(
        (
            f"{f.kind}, {f.verdict}",
            f.array,
            " and ".join(dict.fromkeys(str(span.line) for span in f.spans)),
            figure(f.count),
            f.reason,
        )
        for f in findings
    )
    notes = () if rows else ("nothing found",)
    return Sheet(f"sanitizers: {sanitizers}", columns, rows, notes)


def observer_sheets(observers: Mapping[str, Any]) -> Iterator[Sheet]:
    """Yield what each observer reports: a row for each name, or for each mapping in a list."""
    for name, report in observers.items():
        parts = dict(enumerate(report, 1)) if isinstance(report, list) else report
        rows = {k: part if isinstance(part, dict) else {"value": part} for k, part in parts.items()}
        titles = dict.fromkeys(title for row in rows.values() for title in row)
        cells = tuple(
            (str(key), *(figure(row[title]) if title in row else "" for title in titles))
            for key, row in rows.items()
        )
        columns = (Column(""), *(Column(title, figures=True) for title in titles))
        yield Sheet(f"observer: {name}", columns, cells, () if rows else ("nothing reported",))


def _reason(run: Run) -> tuple[str, ...]:
    return (f"not counted: {run.not_counted}",) if run.not_counted else ()


def _level_row(depth: int, launches: list[Launch], facts: list[Fact], names: list[str]) -> Row:
    """Lay out one level, with the counters of these names; those without one are not counted."""
    counted = total(launch.counters for launch in launches)
    figures = [counted[name] if counted and name else None for name in names]
    frontier, spent = launches[0].frontier, [launch.seconds or 0.0 for launch in launches]
    return (
        str(depth),
        "unknown" if frontier is None else figure(frontier),
        str(len(launches)),
        f"{sum(spent):.6f}",
        *map(_fact, facts),
        *map(figure, figures),
    )


def _fact(known: Fact) -> str:
    """Lay out what a driver said of a level; a word as it is, and nothing where it is unknown."""
    return "" if known is None else known if isinstance(known, str) else figure(known)


def _small_print(technique: Technique) -> str:
    lines = [f"{o.name}={o.default}: {o.meaning}" for o in technique.options]
    lines += [f"only on {name}" for name in technique.machines if technique.machines != BOTH]
    return f"\n{'; '.join(lines)}" if lines else ""
