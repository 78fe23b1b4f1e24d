"""Structures: the values of their leaves, the numbers and pointers at their bottom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from simulator.builtins.registry import operator_of
from simulator.compile.calls import composed
from simulator.compile.context import Context, is_pure
from simulator.compile.dispatch import expression, lvalue, members, predicated, structure, value
from simulator.compile.expressions import branched, select
from simulator.compile.memory import load, location_of, member, once
from simulator.compile.values import (
    Lvalue,
    Members,
    Register,
    StructureVariable,
    Value,
    leaves_by_path,
    negated,
    under,
)
from simulator.compile.variables import in_registers, load_members, store_members
from simulator.ir import tree
from simulator.ir.conversions import is_lvalue
from simulator.ir.types import Array, Struct


@structure.register(tree.Name)
@structure.register(tree.Index)
@structure.register(tree.Word)
@structure.register(tree.Deref)
def _loaded(node: tree.Expression, context: Context) -> Members:
    """`s`, `s[i]`, `*s`."""
    return load_members(lvalue(node, context), node.span, context)


@structure.register
def _member_members(node: tree.Member, context: Context) -> Members:
    """`s.inner`, or `f(x).inner`."""
    if is_lvalue(node):
        return _loaded(node, context)
    return under(node.name, members(node.base, context))


@structure.register
def _cast(node: tree.Cast, context: Context) -> Members:
    """`(S)s`."""
    return members(node.operand, context)


@structure.register
def _comma(node: tree.Binary, context: Context) -> Members:
    """`x, s`."""
    value(node.left, context)
    return members(node.right, context)


@structure.register
def _assign(node: tree.Assign, context: Context) -> Members:
    """`s = t`."""
    values = {n: context.keep("part", v) for n, v in members(node.value, context).items()}
    store_members(lvalue(node.target, context), values, node.span, context)
    return values


@structure.register
def _compound_assign(node: tree.CompoundAssign, context: Context) -> Members:
    """`s += t`, of pairs."""
    given = [context.keep("part", v) for v in members(node.value, context).values()]
    where = lvalue(node.target, context)
    where = where if isinstance(where, StructureVariable) else once(where, context)
    old = load_members(where, node.target.span, context).values()
    how = operator_of(node.op, node.type)
    found = composed(how, node, [*old, *given], context)
    store_members(where, found, node.span, context)
    return found


@structure.register
def _aggregate(node: tree.Aggregate, context: Context) -> Members:
    """`S{a, b}`."""
    return dict(_leaves_of(node, context))


def _leaves_of(node: tree.Aggregate, context: Context) -> Iterator[tuple[str, Value]]:
    assert isinstance(node.type, Struct)
    for (name, inner, _), given in zip(node.type.members, node.values, strict=True):
        if isinstance(inner, Array):
            for at, element in enumerate(tree.elements_of(given)):
                yield from _leaf_values(f"{name}.{at}", element, context)
        else:
            yield from _leaf_values(name, given, context)


def _leaf_values(path: str, node: tree.Expression, context: Context) -> Iterator[tuple[str, Value]]:
    if isinstance(node.type, Struct):
        for inner, leaf in members(node, context).items():
            yield f"{path}.{inner}", leaf
    else:
        yield path, context.keep("part", value(node, context))


@structure.register
def _conditional(node: tree.Conditional, context: Context) -> Members:
    """`test ? s : t`, each side evaluated by its lanes only."""
    test = context.keep("test", value(node.test, context))
    if test.constant is not None:
        return members(node.then if test.constant else node.other, context)
    assert isinstance(node.type, Struct)
    if is_pure(node.then) and is_pure(node.other):
        then, other = members(node.then, context), members(node.other, context)
        return {
            path: context.keep("one", select(test, then[path], other[path], leaf.type))
            for path, leaf in leaves_by_path(node.type).items()
        }
    test = branched(test, node.test, context)
    chosen = in_registers("chosen", node.type, None, context)
    for chooses, side in ((test, node.then), (negated(test), node.other)):
        with predicated(chooses, context):
            store_members(chosen, members(side, context), side.span, context)
    return load_members(chosen, node.span, context)


@expression.register
def _member_value(node: tree.Member, context: Context) -> Value:
    """`s.x`, or `f(x).x`."""
    if not is_lvalue(node):
        return replace(members(node.base, context)[node.name], type=node.type)
    found = lvalue(node, context)
    assert not isinstance(found, StructureVariable)
    return load(found, node.type, node.span, context)


@lvalue.register
def _member(node: tree.Member, context: Context) -> Lvalue:
    """`s.x`, or `s->x`."""
    base = lvalue(node.base, context)
    if isinstance(base, StructureVariable):
        binding = base.members[node.name]
        return binding if isinstance(binding, StructureVariable) else location_of(binding, context)
    assert isinstance(node.base.type, Struct)
    assert not isinstance(base, Register)
    ctype, at = node.base.type.member(node.name) or (node.type, 0)
    found = member(base, node.name, ctype, at, context)
    return replace(found, volatile=tree.is_volatile(node), read_only=base.read_only)
