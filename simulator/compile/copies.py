"""Copies of whole structures: between registers, a register a leaf, and memory.

Structures of up to 16 bytes that are aligned to their size, such as CUDA's vector types of two and
four elements, move whole, by one instruction a warp. Any other structure moves member by member.
"""

from __future__ import annotations

from simulator.compile.addresses import behind, located, location_of, once, part_at
from simulator.compile.context import Context
from simulator.compile.layouts import Leaf, leaves, leaves_by_path, padding, under, units
from simulator.compile.lvalues import (
    At,
    Base,
    Element,
    Location,
    Lvalue,
    Members,
    StructureVariable,
)
from simulator.compile.memory import kept_for, load, recalled_from, store
from simulator.compile.values import Value, constant, dtype_name
from simulator.compile.writer import Register
from simulator.ir.types import INT, Struct
from simulator.source import Span


def load_members(where: Lvalue, span: Span, context: Context) -> Members:
    """Read a whole structure."""
    assert not isinstance(where, Register)
    outer, context.copying = context.copying, True
    if isinstance(where, StructureVariable):
        found = {
            leaf.path: load(_leaf_of(where, leaf, context), leaf.type, span, context)
            for leaf in leaves(where.type)
        }
    else:
        found = _load_from_memory(where, span, context)
    context.copying = outer
    return found


def store_members(where: Lvalue, values: Members, span: Span, context: Context) -> None:
    """Write a whole structure."""
    assert not isinstance(where, Register)
    if isinstance(where, StructureVariable):
        for leaf in leaves(where.type):
            store(_leaf_of(where, leaf, context), values[leaf.path], span, context)
    else:
        _store_to_memory(where, values, span, context)


def _leaf_of(variable: StructureVariable, leaf: Leaf, context: Context) -> Location:
    """Where a leaf of a variable is."""
    name, _, rest = leaf.path.partition(".")
    binding = variable.members[name]
    if isinstance(binding, StructureVariable):
        return _leaf_of(binding, leaves_by_path(binding.type)[rest], context)
    if isinstance(binding, Base):
        return _leaf_of_array(binding, rest, context)
    return location_of(binding, context)


def _leaf_of_array(base: Base, path: str, context: Context) -> Location:
    """A leaf of an array member, which is an array of its own."""
    index, _, rest = path.partition(".")
    element = Element(base, constant(int(index), INT))
    if not isinstance(base.element, Struct):
        return element
    return part_at(element, leaves_by_path(base.element)[rest], context)


def _load_from_memory(where: Element | At, span: Span, context: Context) -> Members:
    """Read a structure in memory: by one access, or by several."""
    ctype, where = where.type, once(where, context)
    assert isinstance(ctype, Struct)
    if ctype.whole:
        return _unpacked(load(where, ctype, span, context), ctype, where, context)
    found: Members = {}
    for unit in units(ctype):
        value = load(part_at(where, unit, context), unit.type, span, context)
        if isinstance(unit.type, Struct):
            parts = _unpacked(value, unit.type, part_at(where, unit, context), context)
            found |= {f"{unit.path}.{path}": part for path, part in parts.items()}
        else:
            found[unit.path] = value
    return found


def _store_to_memory(where: Element | At, values: Members, span: Span, context: Context) -> None:
    """Write a structure in memory: by one access, or by several."""
    ctype, where = where.type, once(where, context)
    assert isinstance(ctype, Struct)
    if ctype.whole:
        store(where, _packed_for(where, values, ctype, context), span, context)
        return
    for unit in units(ctype):
        part = part_at(where, unit, context)
        if isinstance(unit.type, Struct):
            value = _packed_for(part, under(unit.path, values), unit.type, context)
        else:
            value = values[unit.path]
        store(part, value, span, context)


def _unpacked(whole: Value, ctype: Struct, where: Element | At, context: Context) -> Members:
    """The leaves of a structure that was loaded by one access."""
    found = {}
    for leaf in leaves(ctype):
        code = whole.code + (leaf.scalar_accessor if whole.scalar else leaf.accessor)
        value = context.keep(leaf.name, Value(code, leaf.type, whole.scalar))
        found[leaf.path] = recalled_from(_by_address(where, leaf, context), value, context)
    return found


def _packed_for(where: Element | At, values: Members, ctype: Struct, context: Context) -> Value:
    """The structures that leaves make, one a lane, as memory holds them."""
    parts = {
        leaf.path: kept_for(_by_address(where, leaf, context), values[leaf.path], context)
        for leaf in leaves(ctype)
    }
    return packed(parts, ctype, context)


def _by_address(where: Element | At, leaf: Leaf, context: Context) -> At:
    """A leaf of what is in memory, by its address."""
    start = where if isinstance(where, At) else located(where, context)
    return behind(start, leaf.offset, leaf.type)


def packed(values: Members, ctype: Struct, context: Context) -> Value:
    """The structures that leaves make, one a lane."""
    name = context.fresh("packed")
    made = "zeros" if padding(ctype) else "empty"  # what no member sets is the same always
    context.put(f"{name} = np.{made}({context.lanes}.size, {dtype_name(ctype)})")
    for leaf in leaves(ctype):
        context.put(f"{name}{leaf.accessor} = {values[leaf.path].code}")
    return Value(name, ctype)
