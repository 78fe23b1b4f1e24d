"""Asynchronous copies: the load and the store where one begins, and where its end is logged."""

from __future__ import annotations

from simulator.builtins import lowerings
from simulator.compile.context import Context
from simulator.compile.dispatch import close, members, pointer, value
from simulator.compile.dtypes import dtype_name
from simulator.compile.memory import access, as_stored, located, log_stored, once
from simulator.compile.values import (
    Element,
    Value,
    nothing,
    typed,
)
from simulator.compile.variables import packed
from simulator.ir import tree
from simulator.ir.events import COPIED, STORED, BasicBlock, EventSite, Operand
from simulator.ir.types import Struct, size_of

#: Bytes of a copy that does not go through the L1 cache.
_PAST_L1 = 16


def begin(how: lowerings.AsyncCopy, node: tree.Call, context: Context) -> Value:
    """Load a value, and say where it is to be copied: it is there once the thread has waited."""
    target, given = node.arguments
    whole = isinstance(given.type, Struct)
    context.past_l1 = _PAST_L1 if size_of(given.type) == _PAST_L1 else 0
    found = value(given, context) if not whole else _packed(given, context)
    context.past_l1 = 0
    found = context.keep("copied", found)
    where = once(pointer(target, context), context)
    where = located(where, context) if isinstance(where, Element) else where
    at, start = access("store", where, node.span, context, asynchronous=True)
    stored = as_stored(where, log_stored(at, found, context), context)
    codes = [context.lanes, start.code, stored.code, dtype_name(where.type)]
    codes += [str(node.span.line), str(how.strict), str(_end(at, context))]
    context.kernel.copies = True
    context.put(f"gang.copies.begin({', '.join(codes)})", at, start.code)
    return nothing(node.type)


def _packed(node: tree.Expression, context: Context) -> Value:
    assert isinstance(node.type, Struct)
    return packed(members(node, context), node.type, context)


def _end(at: EventSite, context: Context) -> int | None:
    """Return the basic block by which the end of a copy is logged, if somebody asks for it."""
    if not (context.build.values or context.build.locals):
        return None
    blocks = context.kernel.plan.blocks
    operands = [Operand(COPIED, at), Operand(STORED, at)]
    blocks.append(BasicBlock(len(blocks), operands=operands, span=at.span))
    return blocks[-1].id


def batch(how: lowerings.AsyncCopyBatch, node: tree.Call, context: Context) -> Value:
    """`__pipeline_commit()`."""
    context.kernel.copies = True
    context.put(f"gang.copies.commit({context.lanes})")
    return nothing(node.type)


def wait(how: lowerings.AsyncCopyWait, node: tree.Call, context: Context) -> Value:
    """`__pipeline_wait_prior(batches)`."""
    prior = typed(context.keep("prior", value(node.arguments[0], context)))
    context.kernel.copies = True
    close(context)
    context.put(f"gang.copies.wait({context.lanes}, {prior})")
    context.region.last = None
    return nothing(node.type)


def finish(context: Context) -> None:
    """End what is still in flight at the end of the kernel."""
    if context.kernel.copies:
        context.put("gang.copies.finish()")
