"""Calls of every kind: device functions, and what CUDA brings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from simulator.compile.active_lanes import lane_table, read
from simulator.compile.addresses import once, plain_address
from simulator.compile.basic_blocks import close, log, site
from simulator.compile.context import Context
from simulator.compile.copies import packed
from simulator.compile.device_functions import inlined, recursive
from simulator.compile.dispatch import expression, members, pointer, structure, value
from simulator.compile.expressions import plain_value
from simulator.compile.functions import BARRIERS, FENCES, FUNCTIONS, TABLES, WARP
from simulator.compile.lvalues import Element, Members
from simulator.compile.memory import atomic, store
from simulator.compile.values import Value, constant, nothing, typed
from simulator.ir import tree
from simulator.ir.events import BARRIER, FENCE, GRID, WARP_SYNC, Ordered, Site
from simulator.ir.tree import NO_VALUE
from simulator.ir.types import INT, UINT, Pointer, Scalar, Struct
from simulator.lanes.printing import Format
from simulator.source import CompileError

# Barriers, fences, and functions by which the lanes of a warp tell each other something.


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


# What reaches beyond memory: printf, assert and their like, the clock, launches of kernels.


@expression.register
def _print(node: tree.Print, context: Context) -> Value:
    """`printf("%d", x)`."""
    values = [context.keep("shown", plain_value(a, context)) for a in node.arguments]
    form = context.constant_object("format", Format(node.pieces, node.texts))
    codes = ", ".join([form, f"{context.lanes}.size", *map(typed, values)])
    context.put(f"launch.effects.show({codes})")
    return constant(len(node.arguments), INT)


def _assert(node: tree.Call, context: Context) -> Value:
    """`assert(test)`."""
    (test,) = node.arguments
    text = context.constant_object("text", test.span.text)
    held = context.keep("test", value(test, context))
    context.put(f"require({held.code}, {text})")
    return nothing(node.type)


def _trap(node: tree.Call, context: Context) -> Value:
    """`__trap()`."""
    context.put(f"trap({context.lanes})")
    return nothing(node.type)


def _no_value(node: tree.Call, context: Context) -> Value:
    """The end of a function that should have returned a value before."""
    name = context.constant_object("name", context.frame.function.name)
    context.put(f"no_value({context.lanes}, {name})")
    return nothing(node.type)


def _sleep(node: tree.Call, context: Context) -> Value:
    """`__nanosleep(time)`: others may run."""
    value(node.arguments[0], context)
    close(context)
    number, lanes, visit = -1, context.lanes, "None"
    if context.spins:
        spin = context.spins[-1]
        number, lanes, visit = spin.number, spin.lanes, spin.visit
    context.put(f"yield ('sleep', {number}, {lanes}, (0, {visit}))")
    return nothing(node.type)


def _clock(node: tree.Call, context: Context) -> Value:
    """`clock()`, `clock64()`."""
    return context.keep("clock", Value("launch.effects.clock()", node.type, True))


REPORTS: dict[str, Callable[[tree.Call, Context], Value]] = {
    "assert": _assert,
    "__trap": _trap,
    NO_VALUE: _no_value,
    "__nanosleep": _sleep,
    "clock": _clock,
    "clock64": _clock,
}


@expression.register
def _launch(node: tree.Launch, context: Context) -> Value:
    """`kernel<<<grid, block>>>(…)`."""
    grid, block = (_size(part, context) for part in node.configuration[:2])
    shared = typed(context.keep("bytes", value(node.configuration[2], context)))
    given = [_argument(argument, context) for argument in node.arguments]
    values, origins = (_tuple([pair[part] for pair in given]) for part in (0, 1))
    order = context.constant_object("order", Ordered(node.name, node.stream))
    codes = f"{order}, {context.lanes}.size, {grid}, {block}, {shared}, {values}, {origins}"
    close(context)
    context.put(f"launch.effects.children.add({codes})")
    return nothing(node.type)


def _size(node: tree.Expression, context: Context) -> str:
    values = [context.keep(name, value) for name, value in members(node, context).items()]
    return _tuple([typed(value) for value in values])


def _argument(node: tree.Expression, context: Context) -> tuple[str, str]:
    """An argument and, for a pointer into an array of the parent's, where that array begins.

    The child then binds it as the host does, checked against the bounds of the array.
    """
    if isinstance(node.type, Struct):
        return packed(members(node, context), node.type, context).code, "None"
    if not isinstance(node.type, Pointer):
        return typed(context.keep("given", value(node, context))), "None"
    found, origin = pointer(node, context), "None"
    if isinstance(found, Element) and found.base.view in context.kernel.bases:
        number, _ = context.kernel.bases[found.base.view]
        origin = f"arguments[{number}].base"
    return typed(context.keep("given", plain_address(found, node.type, context))), origin


def _tuple(codes: list[str]) -> str:
    return f"({', '.join(codes)},)" if codes else "()"


# Cooperative groups: the calls that the checker makes of what has no plain built-in.


#: Calls of helpers in `simulator.lanes.warp`.
_HELPERS = {
    "group rank": "group_rank",
    "group lane": "group_lane",
    "group lane before": "lane_before",
    "group lane behind": "lane_behind",
    "group part": "group_part",
    "group packed": "packed_bits",
    "group any size": "any_size",
    "group any rank": "any_rank",
}


def is_group_call(node: tree.Call) -> bool:
    """Whether a call is one of those below; `__match_all_sync` with all its arguments is."""
    whole = node.name == "__match_all_sync" and len(node.arguments) == 3
    return whole or node.name.startswith("group ")


def group_call(node: tree.Call, context: Context) -> Value:
    """`g.thread_rank()`, and what else groups know and do beyond CUDA's plain functions."""
    if node.name in TABLES:
        sizes = (str(a.value) for a in node.arguments if isinstance(a, tree.Literal))
        name = "_".join([TABLES[node.name], *sizes])
        return read(lane_table(name, context), node.type, context)
    if node.name == "__match_all_sync":
        return _match_all(node, context)
    if node.name == "group grid sync":
        return grid_barrier(node, context)
    if node.name in ("group tile count", "group part count", "group tile size"):
        return _count(node, context)
    arguments = [typed(value(argument, context)) for argument in node.arguments]
    codes = ", ".join([context.lanes, "warp_size", *arguments])
    return context.keep("group", Value(f"{_HELPERS[node.name]}({codes})", node.type))


def _match_all(node: tree.Call, context: Context) -> Value:
    """`__match_all_sync`, which also tells through its last argument whether all match."""
    where = once(pointer(node.arguments[2], context), context)
    found = value(replace(node, arguments=node.arguments[:2]), context)
    store(where, Value(f"({found.code} != 0).astype(i4)", INT), node.span, context)
    return found


def _count(node: tree.Call, context: Context) -> Value:
    """How many tiles a block has, or a tile parts; or how many threads a tile has."""
    threads, *outer = (a.value for a in node.arguments if isinstance(a, tree.Literal))
    if node.name == "group tile size":
        return Value(f"tile_size(warp_size, {threads})", UINT, True)
    whole = "blockDim_x * blockDim_y * blockDim_z"
    code = f"tile_count({outer[0] if outer else whole}, warp_size, {threads}, {bool(outer)})"
    return context.keep("tiles", Value(code, UINT, True))


#: How many calls a kernel may have after inlining, and lines of generated code.
MOST_INLINED, MOST_LINES = 20_000, 500_000


@expression.register
def _call(node: tree.Call, context: Context) -> Value:
    """`f(x)`."""
    if node.function is not None:
        result = _device_function(node, node.function, context)
        assert isinstance(result, Value)
        return result
    if node.name.startswith("atomic"):
        return atomic(node, context)
    if is_group_call(node):
        return group_call(node, context)
    if node.name in BARRIERS:
        return barrier(node, context)
    if node.name in REPORTS:
        return REPORTS[node.name](node, context)
    if node.name in FENCES:
        return fence(node, context)
    if node.name in WARP:
        return warp_function(node, context)
    return _plain_function(node, context)


@structure.register
def _call_members(node: tree.Call, context: Context) -> Members:
    """`f(x)` that returns a structure, or `make_float4(x, y, z, w)`."""
    if node.function is not None:
        result = _device_function(node, node.function, context)
        assert not isinstance(result, Value)
        return result
    assert isinstance(node.type, Struct)
    values = [context.keep("part", value(a, context)) for a in node.arguments]
    names = (name for name, _, _ in node.type.members)
    return dict(zip(names, values, strict=True))


def _device_function(node: tree.Call, function: tree.Function, context: Context) -> Value | Members:
    _count_inlined(node, function, context)
    if function.recursive:
        return recursive(node, function, context)
    return inlined(node, function, context)


def _count_inlined(node: tree.Call, function: tree.Function, context: Context) -> None:
    """Refuse a kernel that calls too often: what calls twice what calls twice has no end."""
    context.kernel.inlined += 1
    if context.kernel.inlined > MOST_INLINED or len(context.writer.lines) > MOST_LINES:
        raise CompileError(
            f"too many calls of `{function.name}` and other functions for the simulator",
            node.span,
            f"Each call is compiled anew, {MOST_INLINED:,} at most; call in a loop instead.",
        )


def _plain_function(node: tree.Call, context: Context) -> Value:
    """`sqrt(x)`, `__popc(x)`: a function of values alone."""
    name = node.name
    if name == "__activemask":
        code = "parted_mask(launch, " if context.build.shuffled else "active_mask("
        return warp_value(f"{code}{context.lanes}, warp_size)", node, context)
    if name not in FUNCTIONS:
        raise CompileError(f"{name} is not supported by the simulator", node.span)
    values = [context.keep("x", plain_value(a, context)) for a in node.arguments]
    if name in ("min", "max") and isinstance(node.type, Scalar) and node.type.is_float:
        name = f"f{name}"  # of a number and NaN, CUDA gives the number
    code = FUNCTIONS[name].format(*(typed(v) for v in values))
    return context.keep("f", Value(f"({code})", node.type, all(v.scalar for v in values)))
