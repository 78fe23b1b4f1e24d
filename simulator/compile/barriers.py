"""Barriers of a block, a cluster and the grid: what is logged of them, and where gangs stop."""

from __future__ import annotations

from simulator.builtins import lowerings
from simulator.compile.context import Context
from simulator.compile.dispatch import close, log, site, value
from simulator.compile.values import Value, nothing
from simulator.ir import tree
from simulator.ir.events import BARRIER, CLUSTER_ARRIVE, CLUSTER_WAIT, GRID, EventSite
from simulator.ir.types import INT


def of_block(how: lowerings.Barrier, node: tree.Call, context: Context) -> Value:
    """`__syncthreads()` and its counting forms."""
    at = site("barrier", node.span, context)
    argument = "None"
    if node.arguments:
        argument = context.broadcast(value(node.arguments[0], context)).code
    log(BARRIER, at, "None", context)
    call = _stop(how.kind, at, argument, context)
    if not node.arguments:
        context.put(call, at)
        return nothing(node.type)
    result = context.fresh("voted")
    context.put(f"{result} = {call}", at)
    return Value(result, INT)


def of_cluster(how: lowerings.ClusterBarrier, node: tree.Call, context: Context) -> Value:
    """`cluster.sync()`, `cluster.barrier_arrive()` and `cluster.barrier_wait()`."""
    context.kernel.plan.clustered = True
    at = site("cluster barrier" if how.waits else "cluster arrival", node.span, context)
    for form in [CLUSTER_ARRIVE] * how.arrives + [CLUSTER_WAIT] * how.waits:
        log(form, at, "None", context)
        context.put(_stop(form, at, "None", context), at)
    return nothing(node.type)


def of_grid(how: lowerings.GridBarrier, node: tree.Call, context: Context) -> Value:
    """`grid.sync()`: all threads of the grid wait for each other."""
    at = site("grid barrier", node.span, context)
    log(GRID, at, "None", context)
    context.put(_stop("grid", at, "None", context), at)
    return nothing(node.type)


def _stop(kind: str, at: EventSite, argument: str, context: Context) -> str:
    """Return the call by which the active lanes stop, behind the current basic block."""
    context.kernel.frame.exited_used = True
    close(context)
    context.region.last = None
    return f"yield ({kind!r}, {at.id}, {context.lanes}, {argument})"
