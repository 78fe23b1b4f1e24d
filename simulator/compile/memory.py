"""Loads, stores and atomics, and what is logged of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from simulator.builtins.lowerings import Atomic
from simulator.compile import dispatch
from simulator.compile.active_lanes import read, write
from simulator.compile.addresses import address, kept, located, owned, recalled, row, unmarked
from simulator.compile.basic_blocks import log, preempt, site
from simulator.compile.context import Context
from simulator.compile.facts import combines
from simulator.compile.layouts import padding
from simulator.compile.lvalues import At, Base, Element, Location
from simulator.compile.merging import merged_atomics
from simulator.compile.values import Value, convert, dtype_name, typed
from simulator.compile.writer import Register
from simulator.ir import tree
from simulator.ir.events import ADDRESS, FOUND, SERVED, SHARED, STORED, SWAPPED, VALUE, VIEW, Site
from simulator.ir.types import LONG, CType, Pointer, size_of
from simulator.lanes import extensions
from simulator.source import CompileError, Span


def load(where: Location, ctype: CType, span: Span, context: Context) -> Value:
    """Read an lvalue for the active lanes."""
    if isinstance(where, Register):
        return read(where, ctype, context)
    at, start = access("load", where, span, context)
    if isinstance(where, At):
        result = Value(context.fresh("loaded"), ctype)
        code = f"load({context.lanes}, {start.code}, {dtype_name(where.type)})"
    else:
        base = where.base
        result = Value(context.fresh(base.name), ctype, start.scalar and base.flat)
        fetched = f"fetch({base.view}, {start.code})"
        code = fetched if result.scalar else f"{base.view}[{_subscript(base, start, context)}]"
    context.put(f"{result.code} = {code}", at, start.code)
    log_found(at, result, context)
    return recalled_from(where, result, context)


def store(where: Location, value: Value, span: Span, context: Context) -> None:
    """Write an lvalue for the active lanes.

    Of lanes with the same address the highest wins, or any where builds are shuffled. What goes to
    constant memory by a pointer is found out at the address.
    """
    if isinstance(where, Register):
        write(where, note(where.label, value, context), context)
        return
    if isinstance(where, Element) and where.base.space == "constant":
        where = located(where, context)
    at, start = access("store", where, span, context)
    value = kept_for(where, _log_stored(at, value, context), context)
    if isinstance(where, At):
        line = f"store({context.lanes}, {start.code}, {value.code}, {dtype_name(where.type)})"
    else:
        line = _assignment(where.base, start, value, context)
    context.put(line, at, start.code)


def _assignment(base: Base, index: Value, value: Value, context: Context) -> str:
    """The line that stores to a known array."""
    subscript = _subscript(base, index, context)
    if context.build.shuffled and not value.scalar:
        return f"store_any(launch.lane_dice, {base.view}, {subscript}, {value.code})"
    one = index.scalar and base.flat and not value.scalar
    return f"{base.view}[{subscript}] = {value.code}{'[-1]' if one else ''}"


def _subscript(base: Base, index: Value, context: Context) -> str:
    """What picks the element of each active lane out of the view."""
    at = f"inside({index.code})" if index.scalar else index.code
    return at if base.flat else f"({row(base, context)}, {at})"


def access(
    kind: str, where: Element | At, span: Span, context: Context, **facts: Any
) -> tuple[Site, Value]:
    """Log an access to memory: its site, and the index or the address that it goes to."""
    facts |= {"volatile": where.volatile, "read_only": where.read_only}
    facts |= {"size": size_of(where.type), "padding": padding(where.type)}
    if isinstance(where, Element):
        return _access_known(kind, where, span, context, facts)
    start = context.keep("address", where.address)
    at = site(kind, span, context, "generic", **facts)
    preempt(context)
    start = owned(start, at.size, at, context)
    log(ADDRESS, at, start.code, context)
    return at, start


def _access_known(
    kind: str, where: Element, span: Span, context: Context, facts: dict[str, Any]
) -> tuple[Site, Value]:
    """Log an access to a known array."""
    base = where.base
    facts |= {"array": base.name, "view": base.view, "offset": base.offset, "stride": base.step}
    at = site(kind, span, context, base.space, **facts)
    index = _index64(where.index, at, base.shift, context)
    if base.space == "local":
        if context.build.locals and not (context.unneeded or context.copying):
            start = context.keep("address", address(Element(base, index), LONG, context))
            log(ADDRESS, at, start.code, context)
    elif base.space != "constant":  # which nobody writes while a kernel runs
        preempt(context)
        log(VIEW if base.space == "global" else SHARED, at, index.code, context)
    return at, index


def _index64(index: Value, at: Site, shift: str, context: Context) -> Value:
    """An index as NumPy wants it.

    Negative ones become too large or raise, so that none wraps around.
    """
    if dtype_name(index.type) == "u8":
        index = convert(index, LONG)
    known = index.constant
    if index.scalar:
        code = str(int(known)) if known is not None else f"int({index.code})"
        return context.keep(
            "at", Value(f"({code} + {shift})" if shift else f"({code})", LONG, True)
        )
    dtype, name = dtype_name(index.type), context.fresh("at")
    if shift or dtype == "i8":
        code = index.code if dtype == "i8" else f"{index.code}.astype(i8)"
        context.put(f"{name} = {code}{' + ' + shift if shift else ''}")
        context.put(f"nonnegative({name})", at, name)
    elif dtype[0] == "i":
        code = index.code if dtype == "i4" else f"{index.code}.astype(i4)"
        context.put(f"{name} = {code}.view(u4).astype(i8)")
    else:
        context.put(f"{name} = {index.code}.astype(i8)")
    return Value(name, LONG)


def kept_for(where: Element | At, value: Value, context: Context) -> Value:
    """What goes to an lvalue: of a pointer, the plain address."""
    if not isinstance(value.type, Pointer):
        return value
    return kept(typed(address(where, LONG, context, marked=False)), value, context)


def recalled_from(where: Element | At, value: Value, context: Context) -> Value:
    """What was found at an lvalue: a pointer with the mark that it was stored with."""
    if not isinstance(value.type, Pointer):
        return value
    return recalled(typed(address(where, LONG, context, marked=False)), value, context)


def note(name: str, value: Value, context: Context) -> Value:
    """Log what a variable is set to, for traces."""
    if not context.build.steps or context.span is None:
        return value
    value = context.keep(name, value)
    shown = unmarked(value, context)
    log(VALUE, site("value", context.span, context, array=name), typed(shown), context)
    return value


def _log_stored(at: Site, value: Value, context: Context) -> Value:
    """Log what a store writes, for the race checker and traces."""
    if at.space == "local":
        return note(at.array, value, context)
    if not (context.build.values or context.build.steps):
        return value
    value = context.keep("stored", value)
    log(STORED, at, typed(unmarked(value, context)), context)
    return value


def log_found(at: Site, value: Value, context: Context) -> None:
    """Log what a load or an atomic found in memory, for traces."""
    if context.build.steps and at.space not in ("local", "constant"):
        log(FOUND, at, typed(unmarked(value, context)), context)


def atomic(how: Atomic, node: tree.Call, context: Context) -> Value:
    """`atomicAdd(p, x)` and its like: the lanes are served one after another."""
    where = replace(dispatch.pointer(node.arguments[0], context), volatile=False, read_only=False)
    values = [context.keep("operand", dispatch.value(a, context)) for a in node.arguments[1:]]
    view, index, at = _flat(where, how, node, context)
    old, order = context.fresh("old"), ""
    codes = [view, index, *(v.code for v in values), f"{context.lanes}.size"]
    call = f"{_operation(how, node, context)}({', '.join(codes)})"
    if context.build.shuffled:
        order = context.fresh("order")
        context.put(f"{order} = shuffled_order(launch, {context.lanes}, {at.merged!r})")
        call = f"any_order({order}, {call.replace('(', ', ', 1)}"
    if how.swaps:
        swapped = context.fresh("swapped")
        context.put(f"{old}, {swapped} = {call}", at, index)
        log(SWAPPED, at, swapped, context)
    else:
        context.put(f"{old} = {call}", at, index)
    log_found(at, Value(old, node.type), context)
    if order and (context.build.steps or context.build.values):
        log(SERVED, at, order, context)
    return Value(old, node.type)


def _operation(how: Atomic, node: tree.Call, context: Context) -> str:
    """The name by which generated code calls an atomic's NumPy code."""
    if isinstance(how.code, str):
        return how.code
    guarded = extensions.atomic(how.code, node.name, how.swaps)
    return context.constant_object(node.name, guarded)


def _flat(
    where: Element | At, how: Atomic, node: tree.Call, context: Context
) -> tuple[str, str, Site]:
    """The flat view and the index that an atomic works on, and its site."""
    if isinstance(where, Element) and where.base.space == "constant":
        where = located(where, context)
    if isinstance(where, At):
        where = replace(where, address=context.spread(context.keep("address", where.address)))
    elif where.base.space == "local":
        raise CompileError(
            f"{node.name} on {where.base.name}, which belongs to one thread",
            node.span,
            "Atomics are for shared and global memory; a plain assignment is enough here.",
        )
    merged = merged_atomics(context.kernel.frame.function).get(node, "")
    facts = {"merged": merged, "scope": how.scope, "combines": combines(how, node)}
    at, start = access("atomic", where, node.span, context, **facts)
    if isinstance(where, At):
        flat, index = context.fresh("flat"), context.fresh("at")
        call = f"resolve({context.lanes}, {start.code}, {dtype_name(where.type)})"
        context.put(f"{flat}, {index} = {call}", at, start.code)
        return flat, index, at
    return *_flat_array(where.base, start, at, context), at


def _flat_array(base: Base, index: Value, at: Site, context: Context) -> tuple[str, str]:
    """The flat view of a known array, and an index in it."""
    if base.space == "global":
        if index.scalar:
            context.put(f"inside({index.code})", at, index.code)
        return base.view, index.code
    flat = context.fresh("at")
    call = f"row_index({base.view}, {row(base, context)}, {index.code})"
    context.put(f"{flat} = {call}", at, index.code)
    return f"flat_{base.view}", flat
