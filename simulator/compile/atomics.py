"""Atomics: one call of a helper that serves the lanes one after another."""

from __future__ import annotations

from dataclasses import replace

from simulator.compile.addresses import located, row
from simulator.compile.basic_blocks import log
from simulator.compile.context import Context
from simulator.compile.dispatch import pointer, value
from simulator.compile.lvalues import At, Element
from simulator.compile.memory import access, log_found
from simulator.compile.merging import merged_atomics
from simulator.compile.messages import combines
from simulator.compile.values import Value, dtype_name
from simulator.ir import tree
from simulator.ir.events import SERVED, SWAPPED, Site
from simulator.source import CompileError


def atomic(node: tree.Call, context: Context) -> Value:
    """`atomicAdd(p, x)` and its like."""
    where = replace(pointer(node.arguments[0], context), volatile=False, read_only=False)
    values = [context.keep("operand", value(a, context)) for a in node.arguments[1:]]
    view, index, at = _operands(where, node, context)
    old, function = context.fresh("old"), f"atomic_{node.name[6:].lower()}"
    operands = ", ".join([view, index, *(v.code for v in values), f"{context.lanes}.size"])
    order = ""
    if context.build.shuffled:
        order = context.fresh("order")
        context.put(f"{order} = shuffled_order(launch, {context.lanes}, {at.merged!r})")
        function, operands = "any_order", f"{order}, {function}, {operands}"
    if node.name == "atomicCAS":
        swapped = context.fresh("swapped")
        context.put(f"{old}, {swapped} = {function}({operands})", at, index)
        log(SWAPPED, at, swapped, context)
    else:
        context.put(f"{old} = {function}({operands})", at, index)
    log_found(at, Value(old, node.type), context)
    if order and (context.build.steps or context.build.values):
        log(SERVED, at, order, context)
    return Value(old, node.type)


def _operands(where: Element | At, node: tree.Call, context: Context) -> tuple[str, str, Site]:
    """The flat view and the index that an atomic works on, and its site."""
    if isinstance(where, Element) and where.base.space == "constant":
        where = located(where, context)
    if isinstance(where, At):
        start = context.spread(context.keep("address", where.address))
        at, start = _access(replace(where, address=start), node, context)
        flat, index = context.fresh("flat"), context.fresh("at")
        call = f"resolve({context.lanes}, {start.code}, {dtype_name(where.type)})"
        context.put(f"{flat}, {index} = {call}", at, start.code)
        return flat, index, at
    base = where.base
    if base.space == "local":
        raise CompileError(
            f"{node.name} on {base.name}, which belongs to one thread",
            node.span,
            "Atomics are for shared and global memory; a plain assignment is enough here.",
        )
    at, found = _access(where, node, context)
    if base.space == "global":
        if found.scalar:
            context.put(f"inside({found.code})", at, found.code)
        return base.view, found.code, at
    index = context.fresh("at")
    call = f"row_index({base.view}, {row(base, context)}, {found.code})"
    context.put(f"{index} = {call}", at, found.code)
    return f"flat_{base.view}", index, at


def _access(where: Element | At, node: tree.Call, context: Context) -> tuple[Site, Value]:
    merged = merged_atomics(context.kernel_frame.function).get(node, "")
    facts = {"merged": merged, "scope": node.scope, "combines": combines(node)}
    return access("atomic", where, node.span, context, **facts)
