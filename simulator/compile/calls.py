"""Calls of every kind: device functions, and what CUDA brings."""

from __future__ import annotations

from simulator.compile.barriers import barrier, fence, warp_function, warp_value
from simulator.compile.context import Context
from simulator.compile.device_functions import inlined, recursive
from simulator.compile.dispatch import expression, structure, value
from simulator.compile.effects import REPORTS
from simulator.compile.expressions import plain_value
from simulator.compile.functions import BARRIERS, FENCES, FUNCTIONS, WARP
from simulator.compile.groups import group_call, is_group_call
from simulator.compile.lvalues import Members
from simulator.compile.memory import atomic
from simulator.compile.values import Value, typed
from simulator.ir import tree
from simulator.ir.types import Scalar, Struct
from simulator.source import CompileError

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
