"""Barriers, fences, and functions by which the lanes of a warp tell each other something."""

from __future__ import annotations

from simulator.compile.basic_blocks import close, log, site
from simulator.compile.context import Context
from simulator.compile.dispatch import value
from simulator.compile.functions import BARRIERS, WARP
from simulator.compile.values import Value, nothing, typed
from simulator.ir import tree
from simulator.ir.events import BARRIER, FENCE, GRID, WARP_SYNC, Site
from simulator.ir.types import INT


def barrier(node: tree.Call, context: Context) -> Value:
    """`__syncthreads()` and its counting forms."""
    at = site("barrier", node.span, context)
    argument = "None"
    if node.arguments:
        argument = context.spread(value(node.arguments[0], context)).code
    log(BARRIER, at, "None", context)
    call = _wait(BARRIERS[node.name], at, argument, context)
    if not node.arguments:
        context.put(call, at)
        return nothing(node.type)
    result = context.fresh("voted")
    context.put(f"{result} = {call}", at)
    return Value(result, INT)


def grid_barrier(node: tree.Call, context: Context) -> Value:
    """`grid.sync()`: all threads of the grid wait for each other."""
    at = site("grid barrier", node.span, context)
    log(GRID, at, "None", context)
    context.put(_wait("grid", at, "None", context), at)
    return nothing(node.type)


def _wait(kind: str, at: Site, argument: str, context: Context) -> str:
    """The call by which the active lanes wait, behind the current basic block."""
    context.kernel.frame.asked = True
    close(context)
    context.region.last = None
    return f"yield ({kind!r}, {at.id}, {context.lanes}, {argument})"


def fence(node: tree.Call, context: Context) -> Value:
    """`__threadfence()` and its kin, and `__syncwarp(mask)`."""
    if node.name == "__syncwarp":
        _warp_sync(node, value(node.arguments[0], context), context)
    elif context.build.values or context.build.steps:
        log(FENCE, site("fence", node.span, context, array=node.name), "None", context)
        close(context)
    return nothing(node.type)


def warp_function(node: tree.Call, context: Context) -> Value:
    """`__shfl_sync(mask, x, lane)`, `__ballot_sync(mask, x)` and their like."""
    mask, *given = node.arguments
    values = [value(mask, context), _offered(node, context)]
    values += [value(a, context) for a in given[1:]]
    values[0] = _warp_sync(node, values[0], context)
    codes = ", ".join([context.lanes, "warp_size", *map(typed, values)])
    return warp_value(f"{WARP[node.name]}({codes})", node, context)


def warp_value(code: str, node: tree.Call, context: Context) -> Value:
    """The result of a function of a warp, by a name of its own."""
    name = context.fresh("warp")
    context.put(f"{name} = {code}")
    return Value(name, node.type)


def _offered(node: tree.Call, context: Context) -> Value:
    """What each lane offers to others; a variable need not be set where nobody takes it."""
    offered = node.arguments[1]
    variable = offered
    while isinstance(variable, tree.Cast):
        variable = variable.operand
    outer = context.unneeded
    context.unneeded |= node.name.startswith("__shfl") and isinstance(variable, tree.Name)
    result = context.spread(value(offered, context))
    context.unneeded = outer
    return result


def _warp_sync(node: tree.Call, mask: Value, context: Context) -> Value:
    """Check and log the mask of a function that synchronises the lanes it names.

    Memory is ordered by `__syncwarp` alone: of votes, matches, reductions and shuffles CUDA's
    programming guide says that they guarantee no memory ordering.
    """
    build = context.build
    if not (build.values or build.masks or build.steps):
        return mask
    mask = context.keep("mask", mask)
    at = site("warp sync", node.span, context, array=node.name)
    if build.masks:
        context.kernel.frame.asked = True
        context.put(f"check_mask(launch, {context.lanes}, {typed(mask)}, gone)", at)
    if node.name == "__syncwarp" and (build.values or build.steps):
        log(WARP_SYNC, at, typed(mask), context)
        if build.values:
            close(context)
    return mask
