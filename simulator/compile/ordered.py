"""Accesses and fences with a memory order and a scope, which are constants where they are used."""

from __future__ import annotations

from collections.abc import Sequence
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
#: By the numbers of CUDA's macros, too; from a cluster on, threads of several blocks are meant.
_SCOPES = ("thread", "block", "", "", "")
#: The orders that an access of one kind cannot have, and what it may have.
_WRONG = {
    "load": (("release", "acq_rel"), "acquire, relaxed or seq_cst"),
    "store": (("acquire", "acq_rel"), "release, relaxed or seq_cst"),
    "failure": (("release", "acq_rel"), "acquire, relaxed or seq_cst"),
}
_NAMES = {
    "load": "an atomic load",
    "store": "an atomic store",
    "failure": "a compare-and-swap that fails",
}


def ordering(node: tree.OrderedCall, context: Context, kind: str = "") -> dict[str, Any]:
    """Return the orders and the scope of an access as facts of its site.

    A load or a store of a thread's own scope has none: to other threads it is a plain one.
    """
    facts = {"order": _allowed(node.order, kind, node, context)}
    if node.failure is not None:
        facts["failure"] = _allowed(node.failure, "failure", node, context)
    scope = scope_of(node.scope, context)
    return {} if kind and scope == "thread" else {**facts, "scope": scope}


def _allowed(given: tree.Expression, kind: str, node: tree.OrderedCall, context: Context) -> str:
    """Return an order, which is one that such an access can have."""
    order = _order(given, context)
    wrong, right = _WRONG.get(kind, ((), ""))
    if order in wrong:
        what = f"{_NAMES[kind]} cannot have the order `memory_order_{order}`"
        raise CompileError(what, context.span or node.span, f"it may have {right}")
    return order


def _order(node: tree.Expression, context: Context) -> str:
    return _named(node, "memory order", _ORDERS, "cuda::memory_order_acquire", context)


def scope_of(node: tree.Expression, context: Context) -> str:
    """Return the scope that a number means: "thread", "block", or nothing for all wider ones."""
    return _named(node, "scope", _SCOPES, "cuda::thread_scope_device", context)


def _named(
    node: tree.Expression, what: str, names: Sequence[str], example: str, context: Context
) -> str:
    """Return what a constant number means."""
    number = _constant(node, what, context)
    if not 0 <= number < len(names):
        raise CompileError(
            f"{number} is no {what}", context.span or node.span, f"write `{example}`"
        )
    return names[number]


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
    orders, narrow = _order(order, context), scope_of(scope, context)
    orders_others = orders != "relaxed" and narrow != "thread"
    if orders_others and (context.build.values or context.build.steps):
        at = site("fence", node.span, context, array=node.name, scope=narrow, order=orders)
        log(FENCE, at, "None", context)
        close(context)
    return nothing(node.type)
