"""Registers: C's variables as arrays with one element a lane, and what is known of them."""

from __future__ import annotations

from dataclasses import replace

from simulator.compile.context import Context
from simulator.compile.frames import Entry, Region
from simulator.compile.values import Value
from simulator.compile.writer import Register
from simulator.ir.types import CType


def new_register(name: str, code: str, context: Context) -> Register:
    """A new register of NumPy type `code`."""
    register = Register(context.fresh("R_" + name), code, label=name)
    context.registers.append(register)
    return register


def lane_table(name: str, context: Context) -> Register:
    """A read-only array of the launch with one element a lane."""
    tables = context.around.tables
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
