"""Which lanes are active, and what is known of their registers: a C variable, an element a lane."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from simulator.compile.basic_blocks import close
from simulator.compile.context import Context, Entry, Region, Shrink
from simulator.compile.values import Value
from simulator.compile.writer import Register
from simulator.ir.types import CType


def enter(selection: str | None, lanes: str, context: Context) -> Region:
    """Begin a region.

    `selection` picks its lanes out of its parent's; "" means all of them, under a condition that
    they share, None that its lanes change, as those of a loop do.
    """
    close(context)
    outer, context.region = context.lanes, Region(lanes, context.region, selection)
    if selection:
        context.put(f"{lanes} = {outer}[{selection}]")
    return context.region


def leave(context: Context) -> Region:
    """End the region and its guards, and go on with its parent."""
    close(context)
    unguard(context)
    region = context.region
    assert region.parent is not None
    context.region = region.parent
    return region


@contextmanager
def predicated(test: Value, context: Context) -> Iterator[str]:
    """What is written meanwhile is for the lanes where `test` holds.

    Gives the name of their positions among the active lanes, "" where all lanes agree on `test`.
    """
    close(context)
    picked, lanes, head = "", context.lanes, f"if {test.code}:"
    if not test.scalar:
        picked, lanes, head = pick(test, context)
    with context.indented(head):
        enter(picked, lanes, context)
        yield picked
        leave(context)
        context.put("pass")


def pick(test: Value, context: Context) -> tuple[str, str, str]:
    """Pick the lanes where `test` holds: names for their positions and for them, and the branch."""
    picked, lanes = context.fresh("pick"), context.fresh("lanes")
    context.put(f"{picked} = {test.code}.nonzero()[0]")
    return picked, lanes, f"if {picked}.size:"


def shrink(selection: str, context: Context) -> None:
    """The region goes on with the lanes that `selection` picks.

    Cached values follow as far as they are used.
    """
    region, record = context.region, Shrink(selection)
    lanes = region.lanes
    context.writer.put(
        lambda: [f"{name} = {name}[{selection}]" for name in dict.fromkeys([lanes, *record.names])]
    )
    for entry in region.cache.values():
        entry.pending.append(record)
    _others(region)


def become(lanes: str, context: Context) -> None:
    """The region goes on with other `lanes`, if there are any."""
    context.put(f"{context.lanes} = {lanes}")
    changed(context)
    guard(context)


def without_exited(context: Context) -> None:
    """Lanes that have returned do not go on here."""
    context.frame.asked = True
    become(f"{context.lanes}[~{context.frame.exited}[{context.lanes}]]", context)


def changed(context: Context) -> None:
    """The active lanes of the region are others from here on."""
    context.region.cache.clear()
    _others(context.region)


def _others(region: Region) -> None:
    region.last = None
    region.full = False
    region.shrunk = True
    region.selection = None


def guard(context: Context) -> None:
    """What follows in this region is only for iterations in which it has lanes left."""
    unguard(context)
    context.put(f"if {context.lanes}.size:")
    context.writer.indent += 1
    context.region.guarded = True


def unguard(context: Context) -> None:
    """End the region's guard, if it has one."""
    if context.region.guarded:
        context.writer.indent -= 1
        context.region.guarded = False


def new_register(name: str, code: str, context: Context) -> Register:
    """A new register of NumPy type `code`."""
    register = Register(context.fresh("R_" + name), code, label=name)
    context.registers.append(register)
    return register


def lane_table(name: str, context: Context) -> Register:
    """A read-only array of the launch with one element a lane."""
    tables = context.kernel.tables
    if name not in tables:
        # Not as names end that the writer makes of variables: theirs is a number.
        tables[name] = Register(f"{name}_table", "", table=True)
    return tables[name]


def read(register: Register, ctype: CType, context: Context) -> Value:
    """The active lanes' values of a register."""
    region = context.region
    value = _known(region, register, context)
    if value is None:
        register.gathered = True
        value = Value(context.fresh(register.name.split("_", 1)[1]), ctype)
        code = f"{register.name}[{region.lanes}]"
        if register.table and region.full:
            code = f"{register.name} if {region.lanes}.size == lane_count else {code}"
        context.put(f"{value.code} = {code}")
        region.cache[register] = Entry(value)
    return replace(value, type=ctype)


def _known(region: Region, register: Register, context: Context) -> Value | None:
    """The value that a region keeps by name, or one around it."""
    if register in region.cache:
        return region.cache[register].use()
    if region.parent is None or region.selection is None:
        return None
    value = _known(region.parent, register, context)
    if value is None:
        return None
    if not value.scalar and (region.selection or region.lanes != region.parent.lanes):
        name = context.fresh(value.code.rsplit("_", 1)[0])
        picked = f"[{region.selection}]" if region.selection else ""
        context.put(f"{name} = {value.code}{picked}")
        value = Value(name, value.type)
    if region is context.region:
        region.cache[register] = Entry(value)
    return value


def write(register: Register, value: Value, context: Context) -> None:
    """Set a register for the active lanes."""
    value = context.keep(register.name.split("_", 1)[1].rsplit("_", 1)[0], value)
    line = f"{register.name}[{context.lanes}] = {value.code}"
    context.writer.put(line, None, register)
    region: Region | None = context.region
    while region is not None:
        region.cache.pop(register, None)
        region = region.parent
    context.region.cache[register] = Entry(value)


def allocations(registers: list[Register]) -> list[str]:
    """The lines that make those registers that something reads."""
    return [
        f"{register.name} = np.zeros(lane_count, {register.code.replace('?', 'b1')})"
        for register in registers
        if register.gathered
    ]
