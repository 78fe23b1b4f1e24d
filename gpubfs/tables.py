"""What the tables say: runs, levels and annotated kernels as sheets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

from gpubfs.counters import CATALOGUE, PERCENTAGES, Counter, total, value
from gpubfs.render import Column, Row, Sheet, figure, percentage

if TYPE_CHECKING:
    from gpubfs.host import Launch
    from gpubfs.runs import Run
    from gpubfs.technique import Technique
    from simulator.count import Site

#: The levels that a long table shows at each end.
ENDS = 20


def counter_text(counter: Counter, values: Mapping[str, Any]) -> str:
    """One counter's value for people."""
    found = value(values, counter.name)
    if counter.name == "hottest_address" and found is None and values.get("hottest_ops") == 0:
        return "none"
    return percentage(found) if counter.name in PERCENTAGES else figure(found)


def run_sheets(run: Run) -> tuple[Sheet, ...]:
    """What a run found, and what it cost."""
    return _summary(run), _counters(run)


def level_sheet(run: Run) -> Sheet:
    """What each level cost."""
    columns = tuple(Column(title, figures=True) for title in LEVEL_COLUMNS)
    by_depth = groupby(run.per_launch, key=lambda launch: launch.depth)
    rows = [_level_row(depth, list(launches)) for depth, launches in by_depth]
    if len(rows) > 2 * ENDS:
        gap: Row = (f"… {len(rows) - 2 * ENDS} levels not shown",)
        rows = [*rows[:ENDS], gap, *rows[-ENDS:]]
    return Sheet("levels", columns, tuple(rows), _reason(run))


def techniques_sheet(known: Iterable[Technique]) -> Sheet:
    """The catalogue of techniques."""
    columns = (Column("technique"), Column("paper", text=True), Column("idea", text=True))
    rows: list[Row] = []
    for family, members in groupby(known, key=lambda technique: technique.family):
        rows.append((family,))
        rows += [
            (t.name, f"{t.paper} ({t.year}), {t.section}", t.idea + _option_words(t))
            for t in members
        ]
    return Sheet("techniques, each on the machines sim and gpu", columns, tuple(rows))


def lines_sheets(run: Run, kernel: str) -> tuple[Sheet, ...]:
    """The kernel file, then the headers it used, with what each place in them cost."""
    files: dict[str, list[Site]] = {}
    for site in run.sites or ():
        files.setdefault(site.span.source.name, []).append(site)
    return tuple(
        _lines(run, name, files[name]) for name in sorted(files, key=lambda n: n != kernel)
    )


LEVEL_COLUMNS = (
    "level",
    "frontier",
    "launches",
    "seconds",
    "load req.",
    "load sectors",
    "store req.",
    "atomic req.",
    "hottest ops",
    "imbalance",
)
LEVEL_COUNTERS = (
    "load_requests",
    "load_sectors",
    "store_requests",
    "atomic_requests",
    "hottest_ops",
)


def _summary(run: Run) -> Sheet:
    schedule = f", {run.schedule}" if run.schedule else ""
    options = ", ".join(f"{name}={chosen}" for name, chosen in run.options.items())
    rows: tuple[Row, ...] = (
        (
            "graph",
            f"{run.graph.spec}: {run.graph.vertices:,} vertices, {run.graph.edges:,} entries",
        ),
        ("source", f"{run.source}{' (highest degree)' if run.source == run.graph.hub else ''}"),
        ("machine", f"{run.machine}: {run.device}{schedule}"),
        ("options", options or "none"),
        ("depth", f"{run.depth:,}"),
        ("reached", f"{run.reached:,} vertices"),
        ("verified", "yes"),
        ("time", f"{run.seconds:.6f} s, {run.mteps:,.2f} MTEPS"),
    )
    return Sheet(run.technique, (Column(""), Column("", text=True)), rows)


def _counters(run: Run) -> Sheet:
    columns = (
        Column("counter"),
        Column("value", figures=True),
        Column("unit"),
        Column("meaning", text=True),
    )
    rows: list[Row] = []
    for group, members in groupby(CATALOGUE, key=lambda counter: counter.group):
        rows.append((group,))
        rows += [(c.name, counter_text(c, run.counters), c.unit, c.meaning) for c in members]
    arrays = run.counters["bytes_by_name"].items()
    rows += [(f"  {name}", figure(size), "bytes", "") for name, size in arrays]
    return Sheet("counters", columns, tuple(rows), _reason(run), keys=len(columns))


def _reason(run: Run) -> tuple[str, ...]:
    return (f"not counted: {run.not_counted}",) if run.not_counted else ()


def _level_row(depth: int, launches: list[Launch]) -> Row:
    counted = total(launch.counters for launch in launches)
    figures = [None if counted is None else getattr(counted, name) for name in LEVEL_COUNTERS]
    imbalance = None if counted is None else counted.work.imbalance
    frontier, spent = launches[0].frontier, [launch.seconds or 0.0 for launch in launches]
    return (
        str(depth),
        "unknown" if frontier is None else figure(frontier),
        str(len(launches)),
        f"{sum(spent):.6f}",
        *map(figure, figures),
        figure(imbalance),
    )


def _lines(run: Run, name: str, sites: list[Site]) -> Sheet:
    columns = (
        *(Column(title, figures=True) for title in ("requests", "sectors", "per req.", "lanes")),
        Column("what"),
        Column("line", figures=True),
        Column("source", text=True),
    )
    by_line: dict[int, list[Site]] = {}
    for site in sites:
        by_line.setdefault(site.line, []).append(site)
    source = sites[0].span.source.text.expandtabs(4)
    rows: list[Row] = []
    for number, text in enumerate(source.splitlines(), 1):
        rows += _line_rows(number, text, by_line.get(number, []))
    title = f"{name}: {run.technique} on {run.graph.spec} from {run.source}"
    return Sheet(title, columns, tuple(rows), keys=len(columns))


def _option_words(technique: Technique) -> str:
    words = [f"{o.name}={o.default}: {o.meaning}" for o in technique.options]
    return f"\n{'; '.join(words)}" if words else ""


def _line_rows(number: int, text: str, sites: list[Site]) -> list[Row]:
    if not sites:
        return [("", "", "", "", "", str(number), text)]
    first, *others = (_site_cells(site) for site in sites)
    return [(*first, str(number), text), *((*cells, "", "") for cells in others)]


def _site_cells(site: Site) -> Row:
    spread = f"{site.sectors / site.requests:.2f}" if site.sectors and site.requests else ""
    sectors = figure(site.sectors) if site.sectors else ""
    return (figure(site.requests), sectors, spread, figure(site.lanes), _site_words(site))


def _site_words(site: Site) -> str:
    if site.kind == "branch":
        return f"branch, {figure(site.divergent)} divergent" if site.divergent else "branch"
    words = " ".join(part for part in (site.kind.replace("_", " "), site.array) if part)
    words += f", {figure(site.cas_failed)} failed" if site.cas_failed else ""
    return words + (f", {figure(site.bank_conflicts)} conflicts" if site.bank_conflicts else "")
