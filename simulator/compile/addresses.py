"""Addresses of lvalues, and what stands before and behind them.

Pointers to shared arrays remember which array they were made from. Where the source tells the
array of a pointer, NumPy checks the index for nothing. A pointer that is chosen, stored or handed
on is an address, in which the number of its array travels as a mark (`execute.scratch`). Kernels
that make no such address pay nothing for it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from simulator.compile.active_lanes import lane_table, read
from simulator.compile.context import Context
from simulator.compile.layouts import Leaf, innermost
from simulator.compile.lvalues import (
    At,
    Base,
    Binding,
    Element,
    Location,
    PointerVariable,
    ReferenceVariable,
)
from simulator.compile.values import Value, convert, dtype_name, typed, zero
from simulator.compile.writer import Origin, Register
from simulator.ir.events import Site
from simulator.ir.pointer_tags import MASK, MOST, SHIFT
from simulator.ir.types import LONG, Array, CType, Pointer, size_of


def mark(address: str, number: int, context: Context) -> str:
    """The code of an address in the shared array of a number, with the mark of that."""
    if not 0 < number <= MOST:
        return address
    context.kernel.marked = True
    return f"({address} + {number << SHIFT})"


def unmarked(value: Value, context: Context) -> Value:
    """An address as the program sees it."""
    if not context.kernel.may_mark or not isinstance(value.type, Pointer) or value.code == "i8(0)":
        return value
    value = context.keep("address", value)
    return _if_marked("plain", f"{value.code} & {MASK}", value, context)


def kept(address: str, value: Value, context: Context) -> Value:
    """A pointer as memory holds it, whose mark is kept aside for who loads it as a pointer."""
    call = f"launch.kept({address}, {typed(value)})"
    return _if_marked("plain", call, value, context)


def recalled(address: str, value: Value, context: Context) -> Value:
    """A pointer that was loaded, with the mark that it had when it was stored."""
    return _if_marked("marked", f"launch.recalled({address}, {value.code})", value, context)


def owned(address: Value, size: int, site: Site, context: Context) -> Value:
    """The address that an access goes to, which lies in the array that it is marked with."""
    if context.kernel.may_mark:
        context.kernel.constants["shared_arrays"] = context.kernel.plan.shared
    call = f"launch.owned(shared_arrays, {context.lanes}, {address.code}, {size}, {site.kind!r})"
    return _if_marked("plain", call, address, context, site)


def _if_marked(
    hint: str, code: str, value: Value, context: Context, site: Site | None = None
) -> Value:
    """`code` in kernels of which some address bears a mark, else `value`."""
    kernel = context.kernel
    if not kernel.may_mark:
        return value
    name = context.fresh(hint)
    origin = Origin(context.span, context.lanes, site) if context.span else None
    context.writer.put(lambda: [f"{name} = {code if kernel.marked else value.code}"], origin)
    return Value(name, value.type, value.scalar)


Where = TypeVar("Where", Location, Element | At)


def location_of(binding: Binding, context: Context) -> Location:
    """Where a variable is that is bound to memory or to a register."""
    if isinstance(binding, Base):
        return Element(binding, zero())
    if isinstance(binding, ReferenceVariable):
        where = read(binding.where, LONG, context)
        return Element(binding.base, where) if binding.base else At(where, binding.element)
    assert isinstance(binding, Register | Element | At)
    return binding


def bound(variable: PointerVariable, context: Context) -> Element:
    """What a pointer variable points to."""
    index = variable.index
    if isinstance(index, Register):
        index = read(index, variable.index_type, context)
    return Element(variable.base, index)


def once(where: Where, context: Context) -> Where:
    """The same with its index or address named, so that using it twice evaluates it once."""
    if isinstance(where, Element):
        return replace(where, index=context.keep("at", where.index))
    if isinstance(where, At):
        return replace(where, address=context.keep("address", where.address))
    return where


def step(pointer: Element | At, index: Value, sign: str = "+") -> Element | At:
    """`pointer + index` or `pointer - index`."""
    wide = convert(index, LONG)
    if isinstance(pointer, Element):
        if sign == "+" and pointer.index.constant == 0:
            return Element(pointer.base, index)
        left = convert(pointer.index, LONG)
        code = f"({typed(left)} {sign} {wide.code})"
        return Element(pointer.base, Value(code, LONG, left.scalar and wide.scalar))
    start = pointer.address
    code = f"({typed(start)} {sign} {typed(wide)} * {size_of(pointer.type)})"
    return At(Value(code, start.type, start.scalar and wide.scalar), pointer.type)


def address(pointer: Element | At, ctype: CType, context: Context, marked: bool = True) -> Value:
    """The byte address of an lvalue, as a value of pointer type `ctype`.

    One in shared memory is `marked` with its array, unless the program sees the number itself.
    """
    if isinstance(pointer, At):
        return replace(pointer.address, type=ctype)
    base, wide = pointer.base, convert(pointer.index, LONG)
    start = base.address
    if not base.flat:
        start = f"({base.address} + {row(base, context)} * {base.view}.strides[0])"
    if marked:
        start = mark(start, base.number, context)
    return Value(f"({start} + {typed(wide)} * {base.step})", ctype, base.flat and wide.scalar)


def plain_address(pointer: Element | At, ctype: CType, context: Context) -> Value:
    """The byte address of an lvalue as the program sees it."""
    if isinstance(pointer, Element):
        return address(pointer, ctype, context, marked=False)
    return unmarked(address(pointer, ctype, context), context)


def row(base: Base, context: Context) -> str:
    """The rows of shared or local memory that belong to the active lanes."""
    if base.space == "local":
        return context.lanes
    return read(lane_table("slot_of", context), LONG, context).code


def located(where: Element, context: Context) -> At:
    """The same by its address."""
    return At(address(where, LONG, context), where.type, where.volatile)


def member(where: Element | At, name: str, ctype: CType, at: int, context: Context) -> Element | At:
    """A member of the structure at `where`; of an array, its first innermost element."""
    element, count = innermost(ctype)
    if isinstance(where, At):
        return behind(where, at, element)
    if not isinstance(ctype, Array):
        return _part(where, f"[{name!r}]", f".{name}", element, at, context)
    base, index = where.base, where.index.constant
    if base.length is None or index is None or not 0 <= index < base.length:
        return behind(located(where, context), at, element)
    accessor = f"[{name!r}][{index}]" if base.flat else f"[{name!r}][:, {index}]"
    one = "" if base.length == 1 else f"[{index}]"
    part = _part(where, accessor, f"{one}.{name}", element, at + int(index) * base.step, context)
    row_base = replace(part.base, length=count, stride=size_of(element))
    return Element(row_base, zero(), where.volatile)


def part_at(where: Element | At, leaf: Leaf, context: Context) -> Element | At:
    """A leaf of the structure at `where`."""
    if isinstance(where, At):
        return behind(where, leaf.offset, leaf.type)
    return _part(where, leaf.accessor, leaf.label, leaf.type, leaf.offset, context)


def behind(where: At, at: int, ctype: CType) -> At:
    """What stands `at` bytes behind the start of `where`."""
    start = where.address
    code = f"({typed(start)} + {at})"
    return At(Value(code, start.type, start.scalar), ctype, where.volatile)


def _part(
    where: Element, accessor: str, label: str, ctype: CType, at: int, context: Context
) -> Element:
    """What `accessor` picks out of the structures in a known array, `at` bytes in each."""
    base = where.base
    part = replace(
        base,
        name=base.name + label,
        element=ctype,
        address=f"({base.address} + {at})",
        offset=base.offset + at if base.offset >= 0 else base.offset - at,
        stride=base.step,
    )
    part = replace(part, view=_alias(base, part, accessor, at, context))
    return Element(part, where.index, where.volatile)


def _alias(base: Base, part: Base, accessor: str, at: int, context: Context) -> str:
    """A view of what `accessor` picks out of the structures in `base`, `at` bytes in each."""
    kernel, key = context.kernel, (base.view, accessor)
    if key in kernel.aliases:
        return kernel.aliases[key]
    view = kernel.aliases[key] = context.fresh(base.view.rsplit("_", 1)[0])
    line = f"{view} = {base.view}{accessor}"
    if base.space == "local" and context.stack is not None:
        context.stack.append((line, ""))
        return view
    kernel.prologue.append(line)
    if base.space == "shared":
        flat = f"flat({part.address}, {dtype_name(part.element)})"
        kernel.prologue.append(f"flat_{view} = {flat}")
    if base.view in kernel.bases:
        number, offset = kernel.bases[base.view]
        kernel.bases[view] = (number, offset + at)
    return view
