"""Pointers and what they point to: which element of an array, or which address."""

from __future__ import annotations

from dataclasses import replace

from simulator.compile.addresses import address, bound, location_of, step
from simulator.compile.context import Context
from simulator.compile.dispatch import expression, location, lvalue, pointed, pointer, value
from simulator.compile.lvalues import (
    At,
    Element,
    Location,
    Lvalue,
    PointerVariable,
    StructureVariable,
    pointee,
)
from simulator.compile.memory import load
from simulator.compile.values import Value, constant, convert
from simulator.compile.writer import Register
from simulator.ir import tree
from simulator.ir.types import LONG, Array, CType, Pointer, Scalar


@lvalue.register
def _name(node: tree.Name, context: Context) -> Lvalue:
    """`x`."""
    assert node.symbol is not None
    binding = context.bindings[node.symbol]
    if isinstance(binding, StructureVariable):
        return binding
    return _qualified(location_of(binding, context), node)


@lvalue.register
def _index(node: tree.Index, context: Context) -> Lvalue:
    """`p[i]`."""
    array = pointer(node.base, context)
    return _qualified(step(array, value(node.index, context)), node)


@lvalue.register
def _deref(node: tree.Deref, context: Context) -> Lvalue:
    """`*p`."""
    return _qualified(pointer(node.pointer, context), node, node.read_only)


def _qualified(where: Location, node: tree.Expression, read_only: bool = False) -> Location:
    if isinstance(where, Register):
        return where
    return replace(where, volatile=tree.is_volatile(node), read_only=read_only)


@pointed.register
def _pointed_by_name(node: tree.Name, context: Context) -> Element | At:
    """`p`."""
    assert node.symbol is not None
    binding = context.bindings[node.symbol]
    if isinstance(binding, PointerVariable):
        return bound(binding, context)
    return At(value(node, context), pointee(node.type))


@pointed.register
def _pointed_by_address(node: tree.AddressOf, context: Context) -> Element | At:
    """`&x`."""
    return _in_memory(location(node.operand, context))


@pointed.register
def _pointed_by_array(node: tree.Decay, context: Context) -> Element | At:
    """`a`, an array; rows of nested arrays are flattened into the innermost elements."""
    array = node.operand
    assert isinstance(array.type, Array)
    if not isinstance(array, tree.Index):
        return _in_memory(location(array, context))
    start = pointer(array.base, context)
    return step(start, _times(value(array.index, context), _flat_length(array.type)))


def _in_memory(where: Location) -> Element | At:
    assert not isinstance(where, Register)
    return where


def _flat_length(row: Array) -> int:
    count = 1
    inner: CType = row
    while isinstance(inner, Array):
        count *= inner.length or 1
        inner = inner.of
    return count


def _times(index: Value, count: int) -> Value:
    wide = convert(index, LONG)
    if wide.constant is not None:
        return constant(int(wide.constant) * count, LONG)
    return Value(f"({wide.code} * {count})", LONG, wide.scalar)


@pointed.register
def _pointed_by_sum(node: tree.Binary, context: Context) -> Element | At:
    """`p + i` and `p - i`, or `x, p`."""
    if node.op == ",":
        return At(value(node, context), pointee(node.type))
    start = pointer(node.left, context)
    return step(start, value(node.right, context), node.op)


@pointed.register
def _pointed_by_cast(node: tree.Cast, context: Context) -> Element | At:
    """`(T *)p`."""
    if not isinstance(node.operand.type, Pointer):
        return At(value(node, context), pointee(node.type))
    inner = pointer(node.operand, context)
    if _same_elements(node.operand.type, node.type):
        return inner
    return At(address(inner, node.type, context), pointee(node.type))


def _same_elements(left: CType, right: CType) -> bool:
    a, b = pointee(left), pointee(right)
    if a == b:
        return True
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return a.code == b.code
    return isinstance(a, Pointer) and isinstance(b, Pointer)


@expression.register(tree.Index)
@expression.register(tree.Deref)
def _loaded(node: tree.Expression, context: Context) -> Value:
    """`p[i]` and `*p`."""
    return load(location(node, context), node.type, node.span, context)


@expression.register(tree.Decay)
@expression.register(tree.AddressOf)
def address_value(node: tree.Expression, context: Context) -> Value:
    """`a`, an array, and `&x`."""
    return address(pointer(node, context), node.type, context)
