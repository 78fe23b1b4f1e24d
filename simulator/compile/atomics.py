"""Atomics: lanes served one after another, and what is logged of them."""

from __future__ import annotations

from dataclasses import replace

from simulator.builtins.lowerings import Atomic
from simulator.compile import dispatch
from simulator.compile.context import Context, combines
from simulator.compile.dispatch import log
from simulator.compile.dtypes import dtype_name
from simulator.compile.memory import access, located, log_found, row
from simulator.compile.merging import merged_atomics
from simulator.compile.ordered import ordering
from simulator.compile.values import (
    AtAddress,
    Base,
    Element,
    Value,
)
from simulator.ir import tree
from simulator.ir.events import SERVED, SWAPPED, EventSite
from simulator.lanes import extensions
from simulator.source import CompileError


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
        context.put(f"{order} = shuffled_order(gang, {context.lanes}, {at.merged!r})")
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
    """Return the name by which generated code calls an atomic's NumPy code."""
    if isinstance(how.code, str):
        return how.code
    guarded = extensions.atomic(how.code, node.name, how.swaps)
    return context.constant_object(node.name, guarded)


def _flat(
    where: Element | AtAddress, how: Atomic, node: tree.Call, context: Context
) -> tuple[str, str, EventSite]:
    """Return the flat view and the index that an atomic works on, and its site."""
    if isinstance(where, Element) and where.base.space == "constant":
        where = located(where, context)
    if isinstance(where, AtAddress):
        where = replace(where, address=context.broadcast(context.keep("address", where.address)))
    elif where.base.space == "local":
        raise CompileError(
            f"{node.name} on {where.base.name}, which belongs to one thread",
            context.library or node.span,
            "Atomics are for shared and global memory; a plain assignment is enough here.",
        )
    merged = merged_atomics(context.kernel.frame.function).get(node, "")
    facts = {"merged": merged, "scope": how.scope, "combines": combines(how, node)}
    if isinstance(node, tree.OrderedCall):
        facts |= ordering(node, context)
    at, start = access("atomic", where, node.span, context, **facts)
    if isinstance(where, AtAddress):
        flat, index = context.fresh("flat"), context.fresh("at")
        call = f"resolve({context.lanes}, {start.code}, {dtype_name(where.type)})"
        context.put(f"{flat}, {index} = {call}", at, start.code)
        return flat, index, at
    return *_flat_array(where.base, start, at, context), at


def _flat_array(base: Base, index: Value, at: EventSite, context: Context) -> tuple[str, str]:
    """Return the flat view of a known array, and an index in it."""
    if base.space == "global":
        if index.scalar:
            context.put(f"inside({index.code})", at, index.code)
        return base.view, index.code
    flat = context.fresh("at")
    call = f"row_index({base.view}, {row(base, context)}, {index.code})"
    context.put(f"{flat} = {call}", at, index.code)
    return f"flat_{base.view}", flat
