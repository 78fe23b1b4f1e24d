"""Where new variables live: in registers, in a thread's own memory, in shared memory."""

from __future__ import annotations

from dataclasses import replace

from simulator.compile.active_lanes import new_register, write
from simulator.compile.addresses import once
from simulator.compile.context import Context
from simulator.compile.copies import store_members
from simulator.compile.dispatch import lvalue
from simulator.compile.facts import Facts
from simulator.compile.layouts import innermost
from simulator.compile.lvalues import (
    At,
    Base,
    Binding,
    Element,
    Members,
    PointerVariable,
    ReferenceVariable,
    StructureVariable,
)
from simulator.compile.memory import note, store
from simulator.compile.values import Value, convert, dtype_code, dtype_name, numpy_dtype, zero
from simulator.compile.writer import Register
from simulator.ir import tree
from simulator.ir.events import SharedArray
from simulator.ir.types import LONG, Array, CType, Struct, align_of, size_of
from simulator.source import Span


def variable(
    symbol: tree.Symbol, value: Value | None, facts: Facts | None, context: Context
) -> Binding:
    """Make a variable: in memory if its address is taken, else in a register."""
    watched = facts is None or symbol not in facts.shuffled
    unset = value is None and context.build.locals and watched  # is it read before it is set?
    if unset or (facts is not None and symbol in facts.addressed):
        base = local_array(symbol.name, symbol.type, context)
        if value is not None:
            store(Element(base, zero()), value, symbol.span, context)
        return base
    register = new_register(symbol.name, dtype_code(symbol.type), context)
    if value is not None:
        write(register, note(symbol.name, value, context), context)
    return register


def structure_variable(
    symbol: tree.Symbol, values: Members | None, facts: Facts, span: Span, context: Context
) -> Binding:
    """Make a variable of structure type."""
    ctype = symbol.type
    assert isinstance(ctype, Struct)
    if symbol not in facts.addressed:
        return in_registers(symbol.name, ctype, values, context)
    base = local_array(symbol.name, ctype, context)
    if values is not None:
        store_members(Element(base, zero()), values, span, context)
    return base


def in_registers(
    name: str, ctype: Struct, values: Members | None, context: Context
) -> StructureVariable:
    """A structure as a register a leaf; arrays in it are arrays of their own."""
    members: dict[str, Register | Base | StructureVariable] = {}
    for member, inner, _ in ctype.members:
        label = f"{name}.{member}"
        if isinstance(inner, Struct):
            members[member] = in_registers(label, inner, None, context)
        elif isinstance(inner, Array):
            members[member] = local_array(label, inner, context)
        else:
            members[member] = new_register(label, dtype_code(inner), context)
    made = StructureVariable(ctype, members)
    if values is not None and context.span is not None:
        store_members(made, values, context.span, context)
    return made


def local_array(name: str, ctype: CType, context: Context) -> Base:
    """An array in every thread's own memory."""
    element, count = innermost(ctype)
    view = context.fresh("L_" + name)
    wanted = f"{count}, {dtype_name(element)}"
    if context.stack is None:
        context.kernel.prologue.append(f"{view}, address_{view} = local({wanted})")
    else:
        made = f"{view}, address_{view} = launch.calls.local({wanted})"
        context.stack.append((made, f"launch.calls.leave({wanted})"))
    return Base("local", name, view, element, f"address_{view}", "", count)


def shared_variable(symbol: tree.Symbol, context: Context) -> Base:
    """A shared variable: one for a block, however often its function is inlined."""
    shared = context.kernel.shared
    if symbol not in shared:
        shared[symbol] = _shared(symbol, context)
    return shared[symbol]


def _shared(symbol: tree.Symbol, context: Context) -> Base:
    kernel, (element, count) = context.kernel, innermost(symbol.type)
    view = context.fresh("S_" + symbol.name)
    length: int | None = count
    if isinstance(symbol.type, Array) and symbol.type.length is None:  # dynamic shared memory
        offset, length = -1, None
    else:
        align = max(symbol.align, align_of(element))
        offset = -(-kernel.shared_bytes // align) * align
        kernel.shared_bytes = offset + count * size_of(element)
    arguments = f"{offset}, {length}, {dtype_name(element)}"
    kernel.prologue.append(f"{view}, flat_{view}, address_{view} = shared({arguments})")
    array = SharedArray(symbol.name, numpy_dtype(element), length, offset)
    if array not in context.kernel.plan.shared:  # a dynamic one may be declared several times
        context.kernel.plan.shared.append(array)
    number = context.kernel.plan.shared.index(array) + 1
    position = (f"address_{view}", "", length, offset)
    return Base("shared", symbol.name, view, element, *position, number=number)


def reference(node: tree.Expression, context: Context) -> Binding:
    """What to bind a reference to an lvalue to."""
    where = lvalue(node, context)
    if isinstance(where, StructureVariable):
        return where
    if isinstance(where, Element) and not where.index.scalar:
        register = new_register(where.base.name, "i8", context)
        write(register, convert(where.index, LONG), context)
        return ReferenceVariable(where.base, node.type, register)
    if isinstance(where, At) and not where.address.scalar:
        register = new_register("address", "i8", context)
        write(register, where.address, context)
        return ReferenceVariable(None, node.type, register)
    return once(where, context)


def pointer_variable(symbol: tree.Symbol, pointer: Element | At, context: Context) -> Binding:
    """What to bind a pointer variable to that is set once, to `pointer`."""
    if isinstance(pointer, At):
        value = replace(pointer.address, type=symbol.type)
        if value.scalar:
            return context.keep(symbol.name, value)
        return variable(symbol, value, None, context)
    if pointer.index.scalar:
        index = context.keep(symbol.name, pointer.index)
        return PointerVariable(pointer.base, index, index.type)
    register = new_register(symbol.name, "i8", context)
    write(register, convert(pointer.index, LONG), context)
    return PointerVariable(pointer.base, register, LONG)
