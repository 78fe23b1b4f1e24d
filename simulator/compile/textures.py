"""Textures and surfaces: one line each, whose texels are an entry of the log by themselves."""

from __future__ import annotations

from simulator.builtins.lowerings import SurfaceRead, SurfaceWrite, TextureFetch
from simulator.compile.context import Context
from simulator.compile.dispatch import close, log, members, preempt, site, value
from simulator.compile.dtypes import numpy_dtype
from simulator.compile.expressions import plain_value
from simulator.compile.values import (
    Value,
    leaves,
    typed,
)
from simulator.ir import tree
from simulator.ir.events import FETCH, STORED, TEXEL, BasicBlock, EventSite, Operand
from simulator.ir.textures import Access, Shape
from simulator.ir.types import CType, Struct

#: How many bytes of a texel a fetch is logged to read. How many there are only the texture knows.
_LOGGED = 1


def fetched(how: TextureFetch, node: tree.Call, context: Context) -> list[Value]:
    """`tex2D<float4>(texture, x, y)`: the components of its value."""
    values = _values(node.arguments, context)
    access = _access(node, how.shape, node.type, how.gathers)
    if not how.gathers:  # levels and gradients come behind the coordinates
        values = values[: 1 + access.coordinates]
    at = _begun("load", "texture", _LOGGED, node, node.arguments[0], context)
    return _called("fetch", access, values, at, _types(node.type), context)


def surface_read(how: SurfaceRead, node: tree.Call, context: Context) -> list[Value]:
    """`surf2Dread<float4>(surface, x, y)`: the components of its value."""
    values = _values(node.arguments, context)
    access = _access(node, how.shape, node.type)
    at = _begun("load", "surface", access.size, node, node.arguments[0], context)
    return _called("read_surface", access, values, at, _types(node.type), context)


def surface_write(how: SurfaceWrite, node: tree.Call, context: Context) -> None:
    """`surf2Dwrite(value, surface, x, y)`."""
    given, *rest = node.arguments
    if isinstance(given.type, Struct):
        stored = list(members(given, context).values())
    else:
        stored = [value(given, context)]
    stored = [context.keep("part", part) for part in stored]
    values = _values(tuple(rest), context)
    access = _access(node, how.shape, given.type)
    at = _begun("store", "surface", access.size, node, rest[0], context)
    touched, where, what = (context.fresh(name) for name in ("touched", "texels", "stored"))
    call = _call("write_surface", access, [*values, *stored], context)
    context.put(f"{touched}, {where}, {what} = {call}", at)
    operands = {TEXEL: where}
    if context.build.values or context.build.steps:
        operands[STORED] = what
    _log(at, touched, operands, context)


def _values(arguments: tuple[tree.Expression, ...], context: Context) -> list[Value]:
    """Return the values of arguments, of structures the first members."""
    found = []
    for argument in arguments:
        if isinstance(argument.type, Struct):
            found.append(next(iter(members(argument, context).values())))
        else:
            found.append(context.keep("x", plain_value(argument, context)))
    return found


def _types(ctype: CType) -> list[CType]:
    """Return the types of the components of a value."""
    return [leaf.type for leaf in leaves(ctype)] if isinstance(ctype, Struct) else [ctype]


def _access(node: tree.Call, shape: Shape, ctype: CType, gathers: bool = False) -> Access:
    types = _types(ctype)
    return Access(node.name, shape, numpy_dtype(types[0]), len(types), gathers)


def _begun(
    kind: str, space: str, size: int, node: tree.Call, which: tree.Expression, context: Context
) -> EventSite:
    """Note an access in the basic block that is being written, which ends with it."""
    facts = {"array": which.span.text, "size": size, "read_only": kind == "load"}
    at = site(kind, node.span, context, space, **facts)
    preempt(context)
    log(FETCH, at, "None", context)
    close(context)
    return at


def _called(
    method: str,
    access: Access,
    values: list[Value],
    at: EventSite,
    types: list[CType],
    context: Context,
) -> list[Value]:
    """Write the call, and the entry of its texels; return the components that it gives."""
    parts = [Value(context.fresh("texel"), ctype) for ctype in types]
    touched, where = context.fresh("touched"), context.fresh("texels")
    names = ", ".join([*(part.code for part in parts), touched, where])
    context.put(f"{names} = {_call(method, access, values, context)}", at)
    _log(at, touched, {TEXEL: where}, context)
    return parts


def _call(method: str, access: Access, values: list[Value], context: Context) -> str:
    how = context.constant_object(access.name, access)
    return f"gang.{method}({', '.join([context.lanes, how, *map(typed, values)])})"


def _log(at: EventSite, touched: str, operands: dict[str, str], context: Context) -> None:
    """Write an entry for the lanes that have touched texels, apart from the lanes that run."""
    block = BasicBlock(len(context.kernel.plan.blocks), span=context.statement)
    block.operands = [Operand(form, at) for form in operands]
    block.lanes, block.codes = touched, [*operands.values()]
    context.kernel.plan.blocks.append(block)
    context.put(f"log(({', '.join([str(block.id), touched, *block.codes])}))")
