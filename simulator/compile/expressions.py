"""Literals, names, built-in variables and assignments."""

from __future__ import annotations

from simulator.compile.addresses import address, bound, once, step
from simulator.compile.context import Context
from simulator.compile.dispatch import expression, location, value
from simulator.compile.lvalues import At, PointerVariable
from simulator.compile.memory import load, store
from simulator.compile.operators import combine
from simulator.compile.registers import lane_table, read
from simulator.compile.values import Value, constant, convert
from simulator.ir import tree
from simulator.ir.types import INT, LONG, CType, Pointer, Scalar


@expression.register
def _literal(node: tree.Literal, context: Context) -> Value:
    """`7`, `nullptr`."""
    if isinstance(node.type, Pointer):
        return Value("i8(0)", node.type, True)
    return constant(node.value, node.type)


@expression.register
def _builtin(node: tree.Builtin, context: Context) -> Value:
    """`threadIdx.x`, `warpSize`."""
    if node.name == "warpSize":
        return Value("warp_size", INT, True)
    name = f"{node.name}_{node.axis}"
    if node.name in ("blockDim", "gridDim"):
        return Value(name, node.type, True)
    return read(lane_table(name, context), node.type, context)


@expression.register
def _name(node: tree.Name, context: Context) -> Value:
    """`x`."""
    assert node.symbol is not None
    binding = context.bindings[node.symbol]
    if isinstance(binding, Value):
        return Value(binding.code, node.type, binding.scalar, binding.constant)
    if isinstance(binding, PointerVariable):
        return address(bound(binding, context), node.type, context)
    return load(location(node, context), node.type, node.span, context)


@expression.register
def _assign(node: tree.Assign, context: Context) -> Value:
    """`x = y`."""
    new = context.keep("value", value(node.value, context))  # C++17: the right side comes first
    store(location(node.target, context), new, node.span, context)
    return new


@expression.register
def _compound_assign(node: tree.CompoundAssign, context: Context) -> Value:
    """`x += y`."""
    given, target = value(node.value, context), node.target
    where = once(location(target, context), context)
    old = load(where, target.type, target.span, context)
    new = _updated(node.op, old, given, node.compute, target.type, context)
    store(where, new, node.span, context)
    return new


@expression.register
def _increment(node: tree.Increment, context: Context) -> Value:
    """`++x`, `x--`."""
    target = node.target
    where = once(location(target, context), context)
    old = load(where, target.type, target.span, context)
    compute: CType = LONG
    if isinstance(target.type, Scalar):
        compute = INT if target.type.rank < INT.rank else target.type
    new = _updated(node.op[0], old, constant(1, compute), compute, target.type, context)
    store(where, new, node.span, context)
    return new if node.prefix else old


def _updated(
    op: str, old: Value, given: Value, compute: CType, target: CType, context: Context
) -> Value:
    """`old op given`, computed in type `compute`."""
    if isinstance(target, Pointer):
        moved = step(At(old, target.to), given, op)
        return context.keep("value", address(moved, target, context))
    wide = combine(op, convert(old, compute), given, compute, context)
    return context.keep("value", convert(wide, target))
