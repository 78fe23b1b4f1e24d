"""Accesses and fences with a memory order and a scope, which are constants where they are used."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from simulator.builtins import lowerings
from simulator.compile import dispatch
from simulator.compile.context import Context
from simulator.compile.dispatch import close, log, site
from simulator.compile.memory import load, store
from simulator.compile.values import AtAddress, Element, Value, nothing
from simulator.ir import tree
from simulator.ir.events import FENCE
from simulator.source import CompileError

#: By the numbers of CUDA's macros; `consume` is what compilers make of it.
_ORDERS = ("relaxed", "acquire", "acquire", "release", "acq_rel", "seq_cst")
#: Scopes from which on threads of several blocks are meant: that of a thread is taken as a block's.
_WIDE = 2
#: The orders that an access of one kind cannot have, and what it may have.
_WRONG = {
    "load": (("release", "acq_rel"), "acquire, relaxed or seq_cst"),
    "store": (("acquire", "acq_rel"), "release, relaxed or seq_cst"),
}


def ordering(node: tree.OrderedCall, context: Context, kind: str = "") -> dict[str, Any]:
    """Return the order and the scope of an access as facts of its site."""
    order = _order(node.order, context)
    wrong, right = _WRONG.get(kind, ((), ""))
    if order in wrong:
        what = f"an atomic {kind} cannot have the order `memory_order_{order}`"
        raise CompileError(what, context.span or node.span, f"it may have {right}")
    return {"order": order, "scope": _scope(node.scope, context)}


def _order(node: tree.Expression, context: Context) -> str:
    number = _constant(node, "memory order", context)
    if not 0 <= number < len(_ORDERS):
        what = f"{number} is no memory order"
        raise CompileError(what, context.span or node.span, "write `cuda::memory_order_acquire`")
    return _ORDERS[number]


def _scope(node: tree.Expression, context: Context) -> str:
    return "" if _constant(node, "scope", context) >= _WIDE else "block"


def _constant(node: tree.Expression, what: str, context: Context) -> int:
    found = dispatch.value(node, context).constant
    if found is None:
        hint = f"write it at the call: the simulator takes no {what} that a variable holds"
        raise CompileError(f"this {what} is no constant", context.span or node.span, hint)
    return int(found)


def _target(node: tree.Call, context: Context) -> Element | AtAddress:
    return replace(dispatch.pointer(node.arguments[0], context), volatile=False, read_only=False)


def ordered_load(how: lowerings.OrderedLoad, node: tree.OrderedCall, context: Context) -> Value:
    """`__nv_atomic_load_n(address, order, scope)`."""
    where = _target(node, context)
    facts = ordering(node, context, "load")
    return load(where, node.type, node.span, context, **facts)


def ordered_store(how: lowerings.OrderedStore, node: tree.OrderedCall, context: Context) -> Value:
    """`__nv_atomic_store_n(address, value, order, scope)`."""
    where = _target(node, context)
    given = context.keep("desired", dispatch.value(node.arguments[1], context))
    store(where, given, node.span, context, **ordering(node, context, "store"))
    return nothing(node.type)


def ordered_fence(how: lowerings.OrderedFence, node: tree.Call, context: Context) -> Value:
    """`__nv_atomic_thread_fence(order, scope)`."""
    order, scope = node.arguments
    orders, narrow = _order(order, context), _scope(scope, context)
    if orders != "relaxed" and (context.build.values or context.build.steps):
        at = site("fence", node.span, context, array=node.name, scope=narrow, order=orders)
        log(FENCE, at, "None", context)
        close(context)
    return nothing(node.type)
