"""Expressions: literals, names, operators, assignments, and what pointers point to."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from simulator.compile.bit_fields import fitted
from simulator.compile.context import Context, is_pure
from simulator.compile.dispatch import (
    close,
    expression,
    lane_table,
    location,
    log_condition,
    lvalue,
    pointed,
    pointer,
    predicated,
    read,
    value,
)
from simulator.compile.dtypes import dtype_name, innermost
from simulator.compile.memory import (
    address,
    bound,
    load,
    location_of,
    once,
    plain_address,
    step,
    store,
)
from simulator.compile.values import (
    AtAddress,
    BitField,
    Element,
    Location,
    Lvalue,
    PointerVariable,
    Register,
    StructureVariable,
    Value,
    beside_array,
    constant,
    convert,
    folded,
    known,
    negated,
    pointee,
    typed,
    widened,
)
from simulator.ir import tree
from simulator.ir.types import (
    BFLOAT16,
    BOOL,
    FLOAT,
    INT,
    LONG,
    Array,
    CType,
    Pointer,
    Scalar,
    Void,
    size_of,
)

# Pointers and what they point to: which element of an array, or which address.


@lvalue.register
def _variable(node: tree.Name, context: Context) -> Lvalue:
    """`x`."""
    assert node.symbol is not None
    binding = context.bindings[node.symbol]
    if isinstance(binding, StructureVariable):
        return binding
    return _qualified(location_of(binding, context), node)


@lvalue.register
def _indexed(node: tree.Index, context: Context) -> Lvalue:
    """`p[i]`."""
    array = pointer(node.base, context)
    return _qualified(step(array, value(node.index, context)), node)


@lvalue.register
def _dereferenced(node: tree.Deref, context: Context) -> Lvalue:
    """`*p`."""
    return _qualified(pointer(node.pointer, context), node, node.read_only)


def _qualified(where: Location, node: tree.Expression, read_only: bool = False) -> Location:
    if isinstance(where, Register | BitField):
        return where
    return replace(where, volatile=tree.is_volatile(node), read_only=read_only)


@pointed.register
def _pointed_by_name(node: tree.Name, context: Context) -> Element | AtAddress:
    """`p`."""
    assert node.symbol is not None
    binding = context.bindings[node.symbol]
    if isinstance(binding, PointerVariable):
        return bound(binding, context)
    return AtAddress(value(node, context), pointee(node.type))


@pointed.register
def _pointed_by_address(node: tree.AddressOf, context: Context) -> Element | AtAddress:
    """`&x`; the address of an array is that of its first innermost element."""
    if isinstance(node.operand.type, Array):
        first = tree.Decay(node.operand, span=node.span, type=Pointer(node.operand.type.of))
        return pointer(first, context)
    return _in_memory(location(node.operand, context))


@pointed.register
def _pointed_by_array(node: tree.Decay, context: Context) -> Element | AtAddress:
    """`array`, as a pointer; rows of nested arrays are flattened into the innermost elements."""
    array = node.operand
    assert isinstance(array.type, Array)
    if not isinstance(array, tree.Index):
        return _flattened(_in_memory(location(array, context)))
    start = _flattened(pointer(array.base, context))
    return step(start, _times(value(array.index, context), _flat_length(array.type)))


def _flattened(row: Element | AtAddress) -> Element | AtAddress:
    """Return the first innermost element of a row that is known by its address."""
    return replace(row, type=innermost(row.type)[0]) if isinstance(row, AtAddress) else row


def _in_memory(where: Location) -> Element | AtAddress:
    assert not isinstance(where, Register | BitField)
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
def _pointed_by_sum(node: tree.Binary, context: Context) -> Element | AtAddress:
    """`p + i` and `p - i`, or `x, p`."""
    if node.op == ",":
        return AtAddress(value(node, context), pointee(node.type))
    start = pointer(node.left, context)
    return step(start, value(node.right, context), node.op)


@pointed.register
def _pointed_by_cast(node: tree.Cast, context: Context) -> Element | AtAddress:
    """`(T *)p`."""
    if not isinstance(node.operand.type, Pointer):
        return AtAddress(value(node, context), pointee(node.type))
    inner = pointer(node.operand, context)
    if _same_elements(node.operand.type, node.type):
        return inner
    return AtAddress(address(inner, node.type, context), pointee(node.type))


def _same_elements(left: CType, right: CType) -> bool:
    a, b = pointee(left), pointee(right)
    if a == b:
        return True
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return a.code == b.code
    return isinstance(a, Pointer) and isinstance(b, Pointer)


@expression.register(tree.Index)
@expression.register(tree.Word)
@expression.register(tree.Deref)
def _loaded(node: tree.Expression, context: Context) -> Value:
    """`p[i]` and `*p`."""
    return load(location(node, context), node.type, node.span, context)


@expression.register(tree.Decay)
@expression.register(tree.AddressOf)
def address_value(node: tree.Expression, context: Context) -> Value:
    """`array`, as a pointer, and `&x`."""
    return address(pointer(node, context), node.type, context)


# Expressions: literals, names, operators and assignments.


@expression.register
def _literal(node: tree.Literal, context: Context) -> Value:
    """`7`, `nullptr`."""
    if isinstance(node.type, Pointer):
        return Value("i8(0)", node.type, True)
    return constant(node.value, node.type)


@expression.register
def _is_evaluated(node: tree.IsEvaluated, context: Context) -> Value:
    """`__builtin_is_constant_evaluated()`, where a kernel runs."""
    return constant(False, node.type)


@expression.register
def _builtin(node: tree.Builtin, context: Context) -> Value:
    """`threadIdx.x`, `warpSize`."""
    if node.name == "warpSize":
        return Value("warp_size", INT, True)
    if node.name == "clusterDim":
        context.kernel.plan.clustered = True
        cluster = context.kernel.frame.function.cluster or (1, 1, 1)
        return constant(cluster["xyz".index(node.axis)], node.type)
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


@expression.register(tree.Assign)
@expression.register(tree.FirstValue)
def _assign(node: tree.Assign, context: Context) -> Value:
    """`x = y`."""
    new = context.keep("value", value(node.value, context))  # C++17: the right side comes first
    where = location(node.target, context)
    store(where, new, node.span, context)
    return fitted(where, new) if isinstance(where, BitField) else new


@expression.register
def _compound_assign(node: tree.CompoundAssign, context: Context) -> Value:
    """`x += y`."""
    given, target = value(node.value, context), node.target
    where = once(location(target, context), context)
    old = load(where, target.type, target.span, context)
    new = _updated(node.op, old, given, node.compute, target.type, context)
    store(where, new, node.span, context)
    return fitted(where, new) if isinstance(where, BitField) else new


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
    if not node.prefix:
        return old
    return fitted(where, new) if isinstance(where, BitField) else new


def _updated(
    op: str, old: Value, given: Value, compute: CType, target: CType, context: Context
) -> Value:
    """`old op given`, computed in type `compute`."""
    if isinstance(target, Pointer):
        moved = step(AtAddress(old, target.to), given, op)
        return context.keep("value", address(moved, target, context))
    wide = combine(op, convert(old, compute), given, compute, context)
    return context.keep("value", convert(wide, target))


_FOLD_UNARY: dict[str, Callable[[Any], Any]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": operator.invert,
    "!": operator.not_,
}


def plain_value(node: tree.Expression, context: Context) -> Value:
    """Compile an expression; the value of a pointer is the address that the program sees."""
    if not isinstance(node.type, Pointer):
        return value(node, context)
    return plain_address(pointer(node, context), node.type, context)


@expression.register
def _cast(node: tree.Cast, context: Context) -> Value:
    """`(T)x`."""
    table = computed_table(node, context)
    if table is not None:
        return read(table, node.type, context)
    if isinstance(node.operand.type, Pointer) and isinstance(node.type, Pointer):
        return address_value(node, context)
    return convert(plain_value(node.operand, context), node.type)


@expression.register
def _unary(node: tree.Unary, context: Context) -> Value:
    """`-x`, `~x`, `!x`."""
    operand = value(node.operand, context)
    if operand.constant is not None:
        with np.errstate(all="ignore"):
            result = np.asarray(_FOLD_UNARY[node.op](known(operand)))
        return constant(result.item(), node.type)
    if node.op == "!":
        return negated(operand)
    if node.type == BFLOAT16:
        code = operand.code if node.op == "+" else f"({operand.code} ^ u2(32768))"
        return Value(code, node.type, operand.scalar)
    return Value(f"({node.op}{operand.code})", node.type, operand.scalar)


@expression.register
def _binary(node: tree.Binary, context: Context) -> Value:
    """`x + y`, `x < y`, or `x, y`."""
    if node.op == ",":
        value(node.left, context)
        return value(node.right, context)
    table = computed_table(node, context)
    if table is not None:
        return read(table, node.type, context)
    if isinstance(node.left.type, Pointer):
        return _pointer_arithmetic(node, context)
    left, right = value(node.left, context), value(node.right, context)
    return combine(node.op, left, right, node.type, context)


def _pointer_arithmetic(node: tree.Binary, context: Context) -> Value:
    """`p + i`, `p - q`, `p == q`."""
    if not isinstance(node.right.type, Pointer):
        return address_value(node, context)
    left, right = plain_value(node.left, context), plain_value(node.right, context)
    code = f"({left.code} {node.op} {right.code})"
    if node.op == "-":
        code = f"({code} // {size_of(pointee(node.left.type))})"
    return Value(code, node.type, left.scalar and right.scalar)


def combine(op: str, left: Value, right: Value, ctype: CType, context: Context) -> Value:
    """`left op right`, both already of the type that C computes in."""
    scalar = left.scalar and right.scalar
    if left.constant is not None and right.constant is not None:
        result = folded(op, left, right, ctype)
        if result is not None:
            return result
    if left.type == BFLOAT16:
        wide = BOOL if ctype == BOOL else FLOAT
        return convert(combine(op, widened(left), widened(right), wide, context), ctype)
    if op in ("/", "%") and isinstance(left.type, Scalar) and not left.type.is_float:
        return context.keep("q", Value(_divided(op, left, right), ctype, scalar))
    if op in ("<<", ">>"):
        count = right if right.constant is not None else convert(right, left.type)
        return Value(f"({typed(left)} {op} {count.code})", ctype, scalar)
    if right.scalar:
        other = right.code if left.scalar else beside_array(right)
        return Value(f"({typed(left)} {op} {other})", ctype, scalar)
    return Value(f"({beside_array(left)} {op} {right.code})", ctype, scalar)


# What depends on nothing but where a thread is, such as `threadIdx.x % warpSize`, is computed once.


def computed_table(node: tree.Expression, context: Context) -> Register | None:
    """Return the table of an expression of the thread's position alone; None where it is not one.

    A gang computes it once for all its lanes. What is the same for all threads, such as
    `gridDim.x * blockDim.x`, is a number.
    """
    if isinstance(node, tree.Literal | tree.Builtin):
        return None
    found = _of_position(node, context)
    if found is None or found.constant is not None:
        return None
    tables = context.kernel.computed
    if found.code not in tables:
        name = context.fresh("T_launch" if found.scalar else "T_position")
        tables[found.code] = Register(name, "", table=True, uniform=found.scalar)
    return tables[found.code]


def _of_position(node: tree.Expression, context: Context) -> Value | None:
    """Compile integer arithmetic of built-in variables over all lanes of a gang."""
    if not isinstance(node.type, Scalar) or not node.type.is_integer or node.type.is_bool:
        return None
    if isinstance(node, tree.Literal):
        return constant(node.value, node.type)
    if isinstance(node, tree.Builtin):
        if node.name == "clusterDim":
            return None
        if node.name in ("threadIdx", "blockIdx"):
            return Value(lane_table(f"{node.name}_{node.axis}", context).name, node.type)
        return _builtin(node, context)
    if isinstance(node, tree.Cast):
        inner = _of_position(node.operand, context)
        return None if inner is None else convert(inner, node.type)
    if isinstance(node, tree.Binary) and node.op in _ARITHMETIC:
        return _arithmetic_of_position(node, context)
    return None


def _arithmetic_of_position(node: tree.Binary, context: Context) -> Value | None:
    """Compile an operation that is never a fault."""
    left, right = _of_position(node.left, context), _of_position(node.right, context)
    if left is None or right is None or (left.constant is not None and right.constant is not None):
        return None
    if node.op in ("/", "%"):
        number = right.constant
        if not right.scalar or (number is not None and number <= 0):
            return None
        return Value(_divided(node.op, left, right), node.type, left.scalar)
    return combine(node.op, left, right, node.type, context)


_ARITHMETIC = frozenset(("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"))


def _divided(op: str, left: Value, right: Value) -> str:
    """`left / right` or `left % right` of integers; a number that is positive needs no test."""
    number, parts = right.constant, f"({typed(left)}, {typed(right)})"
    if number is None or number <= 0:
        return f"{'divide' if op == '/' else 'remainder'}{parts}"
    if dtype_name(left.type).startswith("i"):
        return f"{'divide_by' if op == '/' else 'np.fmod'}{parts}"
    if op == "/":
        return f"({typed(left)} // {typed(right)})"
    if int(number).bit_count() == 1:
        return f"({typed(left)} & {typed(constant(int(number) - 1, right.type))})"
    return f"({typed(left)} % {typed(right)})"


@expression.register
def _logical(node: tree.Logical, context: Context) -> Value:
    """`x && y`, `x || y`."""
    left = value(node.left, context)
    short = node.op == "||"
    if left.constant is not None:
        return left if bool(left.constant) == short else value(node.right, context)
    if is_pure(node.right):
        right = _unneeded(node.right, context)
        op = "|" if short else "&"
        return Value(f"({left.code} {op} {typed(right)})", BOOL, left.scalar and right.scalar)
    left = context.keep("test", left)
    # Rule 4 of branches, at `log_condition`.
    branched(left, node.left if context.build.steps else node.right, context)
    return _partly(negated(left) if short else left, node.right, left, BOOL, context)


@expression.register
def _conditional(node: tree.Conditional, context: Context) -> Value:
    """`test ? x : y`."""
    test = value(node.test, context)
    if test.constant is not None:
        return value(node.then if test.constant else node.other, context)
    if is_pure(node.then) and is_pure(node.other):
        then, other = _unneeded(node.then, context), _unneeded(node.other, context)
        return select(test, then, other, node.type)
    test = branched(test, node.test, context)
    start = Value(f"{dtype_name(node.type)}(0)", node.type, True)
    first = _partly(test, node.then, start, node.type, context)
    return _partly(negated(test), node.other, first, node.type, context)


def _unneeded(node: tree.Expression, context: Context) -> Value:
    """Compile a pure expression for lanes that do not need it, too."""
    outer, context.unneeded = context.unneeded, True
    result = value(node, context)
    context.unneeded = outer
    return result


def select(test: Value, then: Value, other: Value, ctype: CType) -> Value:
    """`then` where `test` holds, else `other`."""
    if test.scalar and then.scalar and other.scalar:
        return Value(f"({typed(then)} if {test.code} else {typed(other)})", ctype, True)
    return Value(f"np.where({test.code}, {typed(then)}, {typed(other)})", ctype)


def branched(test: Value, node: tree.Expression, context: Context) -> Value:
    """Note that the lanes part by `test`, where `node` stands."""
    test = context.keep("test", test)
    log_condition(test.code, node.span, context)
    return test


def _partly(
    test: Value, node: tree.Expression, rest: Value, ctype: CType, context: Context
) -> Value:
    """`node` for the lanes where `test` holds, `rest` for the others."""
    test = context.keep("test", test)
    close(context)
    result = "" if isinstance(ctype, Void) else context.fresh("either")
    if result:
        kind = dtype_name(ctype)
        context.put(f"{result} = filled({rest.code}, {context.lanes}.size, {kind})")
    with predicated(test, context) as picked:
        found = value(node, context)
        if result:
            context.put(f"{result}[{picked or ':'}] = {found.code}")
    return Value(result, ctype) if result else rest
