"""Barriers in memory: what lanes do there, where they wait, and what is logged of both."""

from __future__ import annotations

from simulator.builtins import lowerings
from simulator.compile.context import Context
from simulator.compile.dispatch import close, log, pointer, preempt, site, value
from simulator.compile.dtypes import dtype_name
from simulator.compile.memory import address, checked_tag
from simulator.compile.ordered import scope_of
from simulator.compile.values import Value, nothing, typed
from simulator.ir import tree
from simulator.ir.events import BARRIERS, MBARRIER, PHASE, EventSite
from simulator.ir.types import LONG, Void

#: Bytes of a barrier.
_SIZE = 8
#: What accesses of barriers mean to other threads, by their kinds.
_ORDERS = {"atomic": "release", "load": "acquire"}


def memory_barrier(how: lowerings.MemoryBarrier, node: tree.Call, context: Context) -> Value:
    """`__mbarrier_arrive(&barrier)` and its like."""
    context.kernel.plan.meets = True
    where = pointer(node.arguments[0], context)
    start = context.keep("barrier", address(where, LONG, context))
    _, *rest = node.arguments
    scope = scope_of(rest.pop(), context) if how.scoped else ""
    given = [context.keep("given", value(one, context)) for one in rest]
    given = given[:1] if how.tests else given  # what comes behind says how long a GPU may wait
    order = _ORDERS.get(how.site, "")
    at = site(how.site, node.span, context, BARRIERS, size=_SIZE, order=order, scope=scope)
    preempt(context)
    start = checked_tag(start, _SIZE, at, context)
    codes = ", ".join([context.lanes, *(typed(one) for one in (start, *given))])
    call = f"gang.memory_barriers.{how.method}({codes})"
    if how.blocks:
        return _waited(call, start, at, node, context)
    result = context.fresh("found")
    close(context)
    context.put(f"{result} = {call}", at, start.code)
    context.region.last = None
    if context.build.values:
        log(MBARRIER, at, start.code, context)
        if how.tests:
            seen = f"gang.memory_barriers.{how.method}_phase({codes}, {result})"
            log(PHASE, at, seen, context)
        elif how.phases:
            log(PHASE, at, result, context)
        close(context)
    if isinstance(node.type, Void):
        return nothing(node.type)
    return Value(f"{result}.astype({dtype_name(node.type)})", node.type)


def _waited(call: str, start: Value, at: EventSite, node: tree.Call, context: Context) -> Value:
    """Stop until the lanes need not wait any more."""
    context.kernel.frame.exited_used = True
    waits, phases = context.fresh("wait"), context.fresh("phases")
    close(context)
    context.put(f"{waits} = {call}", at, start.code)
    context.put(f"{phases} = yield ('memory', {at.id}, {context.lanes}, {waits})", at)
    context.region.last = None
    if context.build.values:
        log(MBARRIER, at, start.code, context)
        log(PHASE, at, phases, context)
        close(context)
    return nothing(node.type)
