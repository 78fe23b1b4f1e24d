"""Calls of every kind: device functions, and what CUDA brings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch

from simulator.builtins import lowering_of, lowerings
from simulator.builtins.lowerings import Code, Lowering, WarpFunction
from simulator.compile import (
    barriers,
    copies,
    matrices,
    memory_barriers,
    ordered,
    textures,
)
from simulator.compile.atomics import atomic
from simulator.compile.context import Context
from simulator.compile.device_functions import inlined, recursive
from simulator.compile.dispatch import (
    close,
    expression,
    lane_table,
    log,
    members,
    pointer,
    read,
    site,
    structure,
    value,
)
from simulator.compile.dtypes import numpy_dtype
from simulator.compile.expressions import plain_value
from simulator.compile.memory import once, plain_address, store
from simulator.compile.stateful import stateful
from simulator.compile.values import (
    Element,
    Members,
    Value,
    constant,
    leaves_by_path,
    nothing,
    pointee,
    typed,
)
from simulator.compile.variables import packed
from simulator.ir import tree
from simulator.ir.events import FENCE, WARP_SYNC, EventSite, LaunchTarget
from simulator.ir.format_strings import Conversion
from simulator.ir.types import CHAR, INT, UINT, Pointer, Scalar, Struct, Void
from simulator.lanes.extensions import elementwise, leafwise, of_warp
from simulator.lanes.printing import Format
from simulator.source import CompileError


@singledispatch
def lowered(how: Lowering, node: tree.Call, context: Context) -> Value:
    """Return the value of a call of a built-in function, compiled as its row says."""
    raise CompileError(f"{node.name} is not supported by the simulator", node.span)


lowered.register(lowerings.Atomic, atomic)
lowered.register(lowerings.OrderedLoad, ordered.ordered_load)
lowered.register(lowerings.OrderedStore, ordered.ordered_store)
lowered.register(lowerings.OrderedFence, ordered.ordered_fence)
lowered.register(lowerings.MemoryBarrier, memory_barriers.memory_barrier)
lowered.register(lowerings.AsyncCopy, copies.begin)
lowered.register(lowerings.AsyncCopyBatch, copies.batch)
lowered.register(lowerings.AsyncCopyWait, copies.wait)
lowered.register(lowerings.Barrier, barriers.of_block)
lowered.register(lowerings.ClusterBarrier, barriers.of_cluster)
lowered.register(lowerings.GridBarrier, barriers.of_grid)
lowered.register(lowerings.MatrixFill, matrices.fill)
lowered.register(lowerings.MatrixLoad, matrices.load_matrix)
lowered.register(lowerings.MatrixStore, matrices.store_matrix)
lowered.register(lowerings.MatrixProduct, matrices.multiply)


@lowered.register
def _elementwise(how: lowerings.Elementwise, node: tree.Call, context: Context) -> Value:
    """`sqrt(x)`, `__popc(x)`: a function of values alone."""
    values = [context.keep("x", plain_value(a, context)) for a in node.arguments]
    codes = [typed(value) for value in values]
    if not isinstance(how.code, str):
        code = f"{_function(how.code, elementwise, node, context)}({', '.join(codes)})"
    elif how.floats and isinstance(node.type, Scalar) and node.type.is_float:
        code = how.floats.format(*codes)
    else:
        code = how.code.format(*codes)
    return context.keep("f", Value(f"({code})", node.type, all(v.scalar for v in values)))


def _function(code: Code, guard: Callable[..., object], node: tree.Call, context: Context) -> str:
    """Return by what name generated code calls a function; `guard` wraps Python functions."""
    if isinstance(code, str):
        return code
    name = node.name.partition("(")[0]
    return context.constant_object(name, guard(code, name, numpy_dtype(node.type)))


@lowered.register
def _composite(how: lowerings.Composite, node: tree.Call, context: Context) -> Value:
    """`__low2half(pair)`: a number that is made of members."""
    return composed(how, node, _spread(node.arguments, context), context)[""]


def _spread(arguments: Sequence[tree.Expression], context: Context) -> list[Value]:
    """Return the members of all arguments, one after another."""
    found: list[Value] = []
    for argument in arguments:
        whole = isinstance(argument.type, Struct)
        parts = members(argument, context).values() if whole else [value(argument, context)]
        found += [context.keep("part", part) for part in parts]
    return found


def composed(
    how: lowerings.Composite, node: tree.Expression, values: Sequence[Value], context: Context
) -> Members:
    """Return the members of what a function makes of these values; a number's path is empty."""
    ctype = node.type
    made = leaves_by_path(ctype) if isinstance(ctype, Struct) else {"": None}
    types = {path: leaf.type if leaf is not None else ctype for path, leaf in made.items()}
    dtypes = tuple(numpy_dtype(one) for one in types.values())
    name = context.constant_object("composite", leafwise(how.code, dtypes))
    scalar = all(one.scalar for one in values)
    found = {path: Value(context.fresh("part"), one, scalar) for path, one in types.items()}
    names = "".join(f"{one.code}, " for one in found.values())
    context.put(f"{names}= {name}({', '.join(map(typed, values))})")
    return found


@lowered.register
def _outputs(how: lowerings.Outputs, node: tree.Call, context: Context) -> Value:
    """`sincos(x, &s, &c)`: results are stored as assignments would store them."""
    pointers = [a for a in node.arguments if isinstance(a.type, Pointer)]
    given = [a for a in node.arguments if not isinstance(a.type, Pointer)]
    values = [context.keep("x", plain_value(argument, context)) for argument in given]
    targets = [once(pointer(argument, context), context) for argument in pointers]
    types = [pointee(argument.type) for argument in pointers]
    types = types if isinstance(node.type, Void) else [node.type, *types]
    function = leafwise(how.code, tuple(map(numpy_dtype, types)))
    name = context.constant_object(node.name, function)
    scalar = all(one.scalar for one in values)
    results = [Value(context.fresh("result"), ctype, scalar) for ctype in types]
    names = "".join(f"{one.code}, " for one in results)
    context.put(f"{names}= {name}({', '.join(map(typed, values))})")
    for where, result in zip(targets, results[-len(targets) :], strict=True):
        store(where, result, node.span, context)
    return nothing(node.type) if isinstance(node.type, Void) else results[0]


@lowered.register
def _texture_fetch(how: lowerings.TextureFetch, node: tree.Call, context: Context) -> Value:
    """`tex2D<float>(texture, x, y)`."""
    return textures.fetched(how, node, context)[0]


@lowered.register
def _surface_read(how: lowerings.SurfaceRead, node: tree.Call, context: Context) -> Value:
    """`surf2Dread<float>(surface, x, y)`."""
    return textures.surface_read(how, node, context)[0]


@lowered.register
def _surface_write(how: lowerings.SurfaceWrite, node: tree.Call, context: Context) -> Value:
    """`surf2Dwrite(value, surface, x, y)`."""
    textures.surface_write(how, node, context)
    return nothing(node.type)


@lowered.register
def _stateful(how: lowerings.Stateful, node: tree.Call, context: Context) -> Value:
    """`curand(&state)`: a number, made of members of a structure, which changes."""
    return stateful(how, node, context).get("", nothing(node.type))


@lowered.register
def _address_space(how: lowerings.AddressSpace, node: tree.Call, context: Context) -> Value:
    """`__isShared(p)` and its like."""
    at = typed(plain_value(node.arguments[0], context))
    return _named(f"gang.in_space({how.space!r}, {context.lanes}, {at})", node, context)


@lowered.register
def _shared_address(how: lowerings.SharedAddress, node: tree.Call, context: Context) -> Value:
    """`__cvta_generic_to_shared(p)`, and back."""
    at = typed(plain_value(node.arguments[0], context))
    return _named(f"gang.{how.method}({context.lanes}, {at})", node, context)


# Fences, and functions by which the lanes of a warp exchange values.


@lowered.register
def _fence(how: lowerings.Fence, node: tree.Call, context: Context) -> Value:
    """`__threadfence()` and its kin: memory has no order of its own here, and the log tells."""
    if context.build.values or context.build.steps:
        at = site("fence", node.span, context, array=node.name, scope=how.scope)
        log(FENCE, at, "None", context)
        close(context)
    return nothing(node.type)


@lowered.register
def _warp_barrier(how: lowerings.WarpBarrier, node: tree.Call, context: Context) -> Value:
    """`__syncwarp(mask)`, which alone of a warp's functions orders memory.

    Of votes, matches, reductions and shuffles CUDA's programming guide says that they guarantee no
    memory ordering.
    """
    found = _mask(value(node.arguments[0], context), node, context)
    if found is None:
        return nothing(node.type)
    mask, at = found
    if context.build.values or context.build.steps:
        log(WARP_SYNC, at, typed(mask), context)
        if context.build.values:
            close(context)
    return nothing(node.type)


@lowered.register
def _warp_function(how: WarpFunction, node: tree.Call, context: Context) -> Value:
    """`__shfl_sync(mask, x, lane)`, `__ballot_sync(mask, x)` and their like."""
    where, given = None, node.arguments
    if how.tells:
        where, given = once(pointer(given[-1], context), context), given[:-1]
    values = [value(given[0], context), _offered(how, given[1], context)]
    values += [value(a, context) for a in given[2:]]
    found = _mask(values[0], node, context)
    if found is not None:
        values[0] = found[0]
    codes = ", ".join([context.lanes, "warp_size", *map(typed, values)])
    result = _named(f"{_function(how.code, of_warp, node, context)}({codes})", node, context)
    if where is not None:
        flag = Value(f"({result.code} != 0).astype(i4)", INT)
        store(where, flag, node.span, context)
    return result


@lowered.register
def _partition_alone(how: lowerings.Partition, node: tree.Call, context: Context) -> Value:
    """Part a group for nothing."""
    _partition(how, node, context)
    return nothing(node.type)


def _partition(how: lowerings.Partition, node: tree.Call, context: Context) -> Members:
    """`cg::labeled_partition(group, label)`: the members of the part."""
    assert isinstance(node.type, Struct)
    given, label = (value(argument, context) for argument in node.arguments)
    found = _mask(given, node, context)
    mask = given if found is None else found[0]
    names = [name for name, _, _ in node.type.members]
    parts = {name: Value(context.fresh("part"), UINT) for name in names}
    codes = ", ".join([context.lanes, "warp_size", typed(mask), context.broadcast(label).code])
    context.put(f"{', '.join(part.code for part in parts.values())} = {how.code}({codes})")
    return parts


@lowered.register
def _active_mask(how: lowerings.ActiveMask, node: tree.Call, context: Context) -> Value:
    """`__activemask()`."""
    code = "parted_mask(gang, " if context.build.shuffled else "active_mask("
    return _named(f"{code}{context.lanes}, warp_size)", node, context)


def _named(code: str, node: tree.Call, context: Context) -> Value:
    """Return the result of a function of a warp, by a name of its own."""
    name = context.fresh("warp")
    context.put(f"{name} = {code}")
    return Value(name, node.type)


def _offered(how: WarpFunction, offered: tree.Expression, context: Context) -> Value:
    """Return what each lane offers to others; a variable need not be set where nobody takes it."""
    variable = offered
    while isinstance(variable, tree.Cast):
        variable = variable.operand
    outer = context.unneeded
    context.unneeded |= how.shuffles and isinstance(variable, tree.Name)
    result = context.broadcast(value(offered, context))
    context.unneeded = outer
    return result


def _mask(mask: Value, node: tree.Call, context: Context) -> tuple[Value, EventSite] | None:
    """Check the mask of a function of a warp where a build watches masks, and give it a site."""
    build = context.build
    if not (build.values or build.masks or build.steps):
        return None
    mask = context.keep("mask", mask)
    at = site("warp sync", node.span, context, array=node.name)
    if build.masks:
        context.kernel.frame.exited_used = True
        context.put(f"check_mask(gang, {context.lanes}, {typed(mask)}, exited)", at)
    return mask, at


# What reaches beyond memory: printf, assert and their like, the clock, launches of kernels.


@expression.register
def _print(node: tree.Print, context: Context) -> Value:
    """`printf("%d", x)`."""
    most = (
        limit
        for piece in node.pieces
        if isinstance(piece, Conversion)
        for limit in ([None, piece.precision] if piece.width == "*" else [piece.precision])
    )
    pairs = zip(node.arguments, most, strict=True)
    values = [_shown(argument, limit, context) for argument, limit in pairs]
    form = context.constant_object("format", Format(node.pieces, node.texts))
    codes = ", ".join([form, f"{context.lanes}.size", *map(typed, values)])
    context.put(f"gang.effects.printf({codes})")
    return constant(len(node.arguments), INT)


def _shown(node: tree.Expression, most: int | None, context: Context) -> Value:
    """Return what is printed: a value, or the texts to which pointers to char lead.

    Of a text no more than `most` characters are read.
    """
    found = context.keep("shown", plain_value(node, context))
    if node.type != Pointer(CHAR, const=True):
        return found
    code = f"gang.texts({context.lanes}, {found.code}, {most})"
    return context.keep("text", Value(code, node.type))


@lowered.register
def _assert(how: lowerings.Assertion, node: tree.Call, context: Context) -> Value:
    """`assert(test)`."""
    (test,) = node.arguments
    text = context.constant_object("text", test.span.text)
    held = context.keep("test", value(test, context))
    context.put(f"require({held.code}, {text})")
    return nothing(node.type)


@lowered.register
def _trap(how: lowerings.Trap, node: tree.Call, context: Context) -> Value:
    """`__trap()`."""
    context.put(f"trap({context.lanes})")
    return nothing(node.type)


@lowered.register
def _unreachable(how: lowerings.Unreachable, node: tree.Call, context: Context) -> Value:
    """`__builtin_unreachable()`."""
    context.put(f"unreachable({context.lanes})")
    return nothing(node.type)


@lowered.register
def _no_value(how: lowerings.MissingValue, node: tree.Call, context: Context) -> Value:
    """Fault at the end of a function that should have returned a value before."""
    name = context.constant_object("name", context.frame.function.name)
    context.put(f"no_value({context.lanes}, {name})")
    return nothing(node.type)


@lowered.register
def _sleep(how: lowerings.Sleep, node: tree.Call, context: Context) -> Value:
    """`__nanosleep(time)`: others may run."""
    value(node.arguments[0], context)
    close(context)
    number, lanes, visit = -1, context.lanes, "None"
    if context.spins:
        spin = context.spins[-1]
        number, lanes, visit = spin.number, spin.lanes, spin.visit
    context.put(f"yield ('sleep', {number}, {lanes}, (0, {visit}))")
    return nothing(node.type)


@lowered.register
def _clock(how: lowerings.Clock, node: tree.Call, context: Context) -> Value:
    """`clock()`, `clock64()`."""
    return context.keep("clock", Value("gang.effects.clock()", node.type, True))


@expression.register
def _launch(node: tree.DeviceLaunch, context: Context) -> Value:
    """`kernel<<<grid, block>>>(…)`."""
    grid, block = (_size(part, context) for part in node.configuration[:2])
    shared = typed(context.keep("bytes", value(node.configuration[2], context)))
    given = [_argument(argument, context) for argument in node.arguments]
    values, origins = (_tuple([pair[part] for pair in given]) for part in (0, 1))
    order = context.constant_object("order", LaunchTarget(node.name, node.stream))
    codes = f"{context.lanes}, {order}, {grid}, {block}, {shared}, {values}, {origins}"
    close(context)
    context.put(f"gang.launch({codes})")
    return nothing(node.type)


@lowered.register
def _last_error(how: lowerings.LastError, node: tree.Call, context: Context) -> Value:
    """`cudaGetLastError()`, `cudaPeekAtLastError()`."""
    return _named(f"gang.last_errors({context.lanes}, {how.takes})", node, context)


def _size(node: tree.Expression, context: Context) -> str:
    values = [context.keep(name, value) for name, value in members(node, context).items()]
    return _tuple([typed(value) for value in values])


def _argument(node: tree.Expression, context: Context) -> tuple[str, str]:
    """Return an argument and, for a pointer into an array of the parent's, where that array begins.

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


@lowered.register
def _lane_table(how: lowerings.LaneTable, node: tree.Call, context: Context) -> Value:
    """`block.thread_rank()`: a table of the launch."""
    name = "_".join([how.table, *map(str, _numbers(node))])
    return read(lane_table(name, context), node.type, context)


def _numbers(node: tree.Call) -> list[bool | int | float]:
    """Return the arguments of a call that are numbers."""
    return [a.value for a in node.arguments if isinstance(a, tree.Literal)]


@lowered.register
def _group_function(how: lowerings.GroupFunction, node: tree.Call, context: Context) -> Value:
    """`coalesced.thread_rank()`: a function of lanes in `simulator.lanes.warp`."""
    arguments = [typed(value(argument, context)) for argument in node.arguments]
    codes = ", ".join([context.lanes, "warp_size", *arguments])
    return context.keep("group", Value(f"{how.code}({codes})", node.type))


@lowered.register
def _cluster_pointer(how: lowerings.ClusterPointer, node: tree.Call, context: Context) -> Value:
    """`cluster.map_shared_rank(p, 1)`: an address, tagged with the block that it leads to."""
    context.kernel.plan.clustered = context.kernel.tagged = True
    values = [typed(context.keep("x", value(a, context))) for a in node.arguments]
    return _named(f"gang.{how.method}({', '.join([context.lanes, *values])})", node, context)


@lowered.register
def _tile_size(how: lowerings.TileSize, node: tree.Call, context: Context) -> Value:
    """How many threads a tile has."""
    return Value(f"tile_size(warp_size, {_numbers(node)[0]})", UINT, True)


@lowered.register
def _tile_count(how: lowerings.TileCount, node: tree.Call, context: Context) -> Value:
    """How many tiles a block has, or a tile parts."""
    threads, *outer = _numbers(node)
    whole = "blockDim_x * blockDim_y * blockDim_z"
    code = f"tile_count({outer[0] if outer else whole}, warp_size, {threads}, {bool(outer)})"
    return context.keep("tiles", Value(code, UINT, True))


# Calls of any function.

#: How many calls a kernel may have after inlining, and lines of generated code.
MOST_INLINED, MOST_LINES = 20_000, 500_000


@expression.register(tree.Call)
@expression.register(tree.OrderedCall)
def _call(node: tree.Call, context: Context) -> Value:
    """`f(x)`."""
    if node.function is not None:
        result = _device_function(node, node.function, context)
        assert isinstance(result, Value)
        return result
    how = lowering_of(node)
    assert how is not None, node.name
    return lowered.dispatch(type(how))(how, node, context)


@structure.register
def _call_members(node: tree.Call, context: Context) -> Members:
    """`f(x)` that returns a structure, or `make_float4(x, y, z, w)`."""
    if node.function is not None:
        result = _device_function(node, node.function, context)
        assert not isinstance(result, Value)
        return result
    assert isinstance(node.type, Struct)
    how = lowering_of(node)
    if isinstance(how, lowerings.Stateful):
        return stateful(how, node, context)
    if isinstance(how, lowerings.Composite):
        return composed(how, node, _spread(node.arguments, context), context)
    names = [name for name, _, _ in node.type.members]
    if isinstance(how, lowerings.TextureFetch):
        return dict(zip(names, textures.fetched(how, node, context), strict=True))
    if isinstance(how, lowerings.SurfaceRead):
        return dict(zip(names, textures.surface_read(how, node, context), strict=True))
    if isinstance(how, lowerings.Partition):
        return _partition(how, node, context)
    values = [context.keep("part", value(a, context)) for a in node.arguments]
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
