"""What the tables say of graphs that change: rounds of updates, and the catalogue of structures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields

from gpubfs.dynamic.operation import Operation
from gpubfs.dynamic.rounds import Rounds
from gpubfs.dynamic.structure import Structure
from gpubfs.graphs.build import count
from gpubfs.render.sheets import Column, Row, Sheet, figure, speed
from gpubfs.render.views import view
from gpubfs.search.counters import plain, shown, total
from gpubfs.search.result import OWN_TIME
from gpubfs.show.tables import counter_text, findings_sheet, observer_sheets

#: What the host counts of an operation.
COUNTED = [one.name for one in fields(Operation) if one.type == "int" and one.name != "updates"]

#: What is said below the table of operations.
WHAT = "seconds are from the first launch to the last read; batches are copied before"


def rounds_sheets(done: Rounds) -> tuple[Sheet, ...]:
    """Return what rounds of updates did, and what they cost."""
    watched = (findings_sheet(done.sanitizers, done.findings),) if done.sanitizers else ()
    return (
        _summary(done),
        _operations(done),
        _counters(done),
        _memory(done),
        *watched,
        *observer_sheets(done.observers),
    )


@view(Rounds, "terminal")
def terminal(done: Rounds, width: int) -> Iterator[Sheet | str]:
    """Yield the tables in a terminal."""
    for sheet in rounds_sheets(done):
        yield sheet
        yield ""


@view(Rounds, "html")
def html(done: Rounds) -> str:
    """Return the tables in a notebook."""
    return "".join(sheet.html() for sheet in rounds_sheets(done))


def structures_sheet(known: Iterable[Structure]) -> Sheet:
    """Return the catalogue of structures."""
    columns = (Column("structure"), Column("paper", text=True), Column("idea", text=True))
    rows = []
    for one in known:
        options = "; ".join(f"{o.name}={o.default}: {o.meaning}" for o in one.options)
        rows.append((one.name, one.origin or "of your own", f"{one.idea}\n{options}"))
    return Sheet("structures of graphs that change", columns, tuple(rows))


def _summary(done: Rounds) -> Sheet:
    schedule = f", {done.schedule}" if done.schedule else ""
    options = ", ".join(f"{name}={chosen}" for name, chosen in done.options.items())
    vertices = count(done.graph.vertices, "vertex", "vertices")
    rows: tuple[Row, ...] = (
        ("graph", f"{done.graph.label}: {vertices}, {count(done.graph.edges, 'edge')}"),
        ("machine", f"{done.machine}: {done.device}{schedule}"),
        ("options", options or "none"),
        ("batches", f"{done.distribution}, {count(len(done.named('insert_edges')), 'round')}"),
        ("checked", "after each operation"),
    )
    return Sheet(done.structure, (Column(""), Column("", text=True)), rows)


def _names(done: Rounds) -> list[str]:
    return list(dict.fromkeys(operation.name for operation in done.operations))


def _operations(done: Rounds) -> Sheet:
    """Lay out the operations of each name together: a column for each name."""
    columns = (Column("operations"), *(Column(name, figures=True) for name in _names(done)))
    sums = [_sums(done.named(name)) for name in _names(done)]
    titles = dict.fromkeys(title for own in sums for title in own)
    rows = tuple((title, *(own.get(title, "") for own in sums)) for title in titles)
    notes = (WHAT,) + ((OWN_TIME.replace(" and MTEPS", ""),) if done.machine == "sim" else ())
    return Sheet("operations", columns, rows, notes)


def _sums(operations: tuple[Operation, ...]) -> dict[str, str]:
    """Return what operations of one name did and cost, by the titles of rows."""
    effects = [operation.effect for operation in operations]
    seconds = sum(operation.seconds for operation in operations)
    updates = sum(operation.updates for operation in operations)
    facts = dict.fromkeys(name for effect in effects for name in effect.facts)
    return {
        "times": figure(len(operations)),
        "updates": figure(updates),
        "applied": figure(sum(effect.applied for effect in effects)),
        "unchanged": figure(sum(effect.unchanged for effect in effects)),
        **{name: figure(sum(e.facts.get(name, 0) for e in effects)) for name in facts},
        **{name: figure(sum(getattr(one, name) for one in operations)) for name in COUNTED},
        "seconds": f"{seconds:.6f}",
        "million updates a second": speed(updates / seconds / 1e6) if seconds else "",
    }


def _counters(done: Rounds) -> Sheet:
    """Lay out the device counters: a column for the operations of each name."""
    columns = (Column("counter"), *(Column(name, figures=True) for name in _names(done)))
    found = []
    for name in _names(done):
        launches = [launch for operation in done.named(name) for launch in operation.per_launch]
        counted = total(launch.counters for launch in launches)
        found.append({} if counted is None else plain(counted))
    rows: list[Row] = []
    group = ""
    for counter in (one for one in shown() if one.scope == "launch"):
        if any(found):
            if counter.group != group:
                group = counter.group
                rows.append((group,))
            rows.append((counter.name, *(counter_text(counter, own) for own in found)))
    notes = (f"not counted: {done.not_counted}",) if done.not_counted else ()
    return Sheet("counters", columns, tuple(rows), notes)


def _memory(done: Rounds) -> Sheet:
    memory = done.stats.memory
    rows = [(name, figure(size), "bytes") for name, size in memory.bytes.items()]
    blocks = {"used": memory.blocks_used, "free": memory.blocks_free}
    rows += [(f"blocks {k}", figure(n), "blocks") for k, n in blocks.items() if n is not None]
    rows.append(("bytes_peak", figure(done.stats.bytes_peak), "bytes"))
    return Sheet(
        "device memory at the end",
        (Column("region"), Column("value", figures=True), Column("unit")),
        tuple(rows),
    )
