"""Structures: the values of their leaves, the numbers and pointers at their bottom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from simulator.builtins.registry import operator_of
from simulator.compile.bit_fields import bit_field, bits_inserted, bits_of_words
from simulator.compile.calls import composed
from simulator.compile.context import Context, is_pure
from simulator.compile.dispatch import expression, lvalue, members, predicated, structure, value
from simulator.compile.dtypes import dtype_name
from simulator.compile.expressions import branched, select
from simulator.compile.memory import load, location_of, member, once, untagged
from simulator.compile.values import (
    AtAddress,
    Element,
    Lvalue,
    Members,
    Register,
    StructureVariable,
    Value,
    constant,
    leaves,
    leaves_by_path,
    leaves_of_member,
    negated,
    under,
)
from simulator.compile.variables import in_registers, load_members, store_members
from simulator.ir import tree
from simulator.ir.conversions import is_lvalue
from simulator.ir.types import VOID, Array, Bits, CType, Struct


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
    ctype, values = node.base.type, members(node.base, context)
    assert isinstance(ctype, Struct)
    if ctype.union:
        where = lvalue_of_member(_stored(ctype, values, context), node, context)
        return load_members(where, node.span, context)
    return under(node.name, values)


@structure.register
def _cast(node: tree.Cast, context: Context) -> Members:
    """`(S)s`."""
    return members(node.operand, context)


@structure.register
def _comma(node: tree.Binary, context: Context) -> Members:
    """`x, s`."""
    value(node.left, context)
    return members(node.right, context)


@structure.register(tree.Assign)
@structure.register(tree.FirstValue)
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
    assert isinstance(node.type, Struct)
    if node.type.union:
        return _union_of(node, node.type, context)
    return _with_words(dict(_leaves_of(node, context)), node.type, context)


def _leaves_of(node: tree.Aggregate, context: Context) -> Iterator[tuple[str, Value]]:
    assert isinstance(node.type, Struct)
    for name, inner, _, given in node.parts:
        yield from _leaves_of_member(name, inner, given, context)


def _leaves_of_member(
    name: str, ctype: CType, given: tree.Expression, context: Context
) -> Iterator[tuple[str, Value]]:
    if isinstance(ctype, Array):
        for at, element in enumerate(tree.elements_of(given)):
            yield from _leaf_values(f"{name}.{at}", element, context)
    else:
        yield from _leaf_values(name, given, context)


def _union_of(node: tree.Aggregate, ctype: Struct, context: Context) -> Members:
    """Return the words of a union that begins with a value of one member; the others are zero."""
    ((name, inner, _, given),) = node.parts if node.values else [("", VOID, 0, node)]
    values = dict(_leaves_of_member(name, inner, given, context)) if name else {}
    made = context.fresh("union")
    context.put(f"{made} = np.zeros({context.lanes}.size, {dtype_name(ctype)})")
    if isinstance(inner, Bits):
        at = made + f"[{inner.unit!r}]"
        bits = f"{at}, {inner.shift}, {inner.width}, {values[name].code}"
        context.put(f"{at} = insert_bits({bits})")
    else:
        for leaf in leaves_of_member(ctype, name) if name else ():
            context.put(f"{made}{leaf.accessor} = {untagged(values[leaf.path], context).code}")
    return {
        leaf.path: context.keep("word", Value(made + leaf.accessor, leaf.type))
        for leaf in leaves(ctype)
    }


def _with_words(values: Members, ctype: Struct, context: Context) -> Members:
    """Return values of members with those of bit fields put together to words."""
    if not ctype.words:
        return values
    for word, word_type, _ in ctype.words:
        values[word] = constant(0, word_type)
    for name, inner, _ in ctype.members:
        if isinstance(inner, Bits):
            given = values.pop(name)
            for word, code in zip(
                inner.words, _inserted(inner, given, values, context), strict=True
            ):
                values[word] = context.keep("word", code)
    return values


def _inserted(inner: Bits, given: Value, values: Members, context: Context) -> list[Value]:
    words = [values[word] for word in inner.words]
    return bits_inserted(words, inner.bit, inner.width, given, context)


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
        return _member_of_value(node, context)
    found = lvalue(node, context)
    assert not isinstance(found, StructureVariable)
    return load(found, node.type, node.span, context)


def _member_of_value(node: tree.Member, context: Context) -> Value:
    """`f(x).x` of what is stored nowhere."""
    ctype, values = node.base.type, members(node.base, context)
    assert isinstance(ctype, Struct)
    inner, _ = ctype.member(node.name) or (node.type, 0)
    if ctype.union:
        where = lvalue_of_member(_stored(ctype, values, context), node, context)
        assert not isinstance(where, StructureVariable)
        return load(where, node.type, node.span, context)
    if isinstance(inner, Bits):
        words = [values[word] for word in inner.words]
        return context.keep(node.name, bits_of_words(words, inner.bit, inner.width, inner.of))
    return replace(values[node.name], type=node.type)


def _stored(ctype: Struct, values: Members, context: Context) -> Element:
    """Store a union that is a mere value, so that its members can be read."""
    made = in_registers("value", ctype, values, context)
    assert isinstance(made, Element)
    return made


@lvalue.register
def _member(node: tree.Member, context: Context) -> Lvalue:
    """`s.x`, or `s->x`."""
    return lvalue_of_member(lvalue(node.base, context), node, context)


def lvalue_of_member(base: Lvalue, node: tree.Member, context: Context) -> Lvalue:
    """Where a member of the structure at `base` is."""
    assert isinstance(node.base.type, Struct)
    ctype, at = node.base.type.member(node.name) or (node.type, 0)
    if isinstance(base, StructureVariable):
        if isinstance(ctype, Bits):
            return _bits_in_registers(base, node, ctype)
        binding = base.members[node.name]
        return binding if isinstance(binding, StructureVariable) else location_of(binding, context)
    assert isinstance(base, Element | AtAddress)
    if isinstance(ctype, Bits):
        return _bits_in_memory(base, node, ctype, context)
    found = member(base, node.name, ctype, at, context)
    return replace(found, volatile=tree.is_volatile(node), read_only=base.read_only)


def _bits_in_memory(
    base: Element | AtAddress, node: tree.Member, ctype: Bits, context: Context
) -> Lvalue:
    """Where a bit field in memory is: a part of its unit, or all bits of a smaller number."""
    assert isinstance(node.base.type, Struct)
    units = {one[0]: one for one in node.base.type.units}

    def part(name: str) -> Element | AtAddress:
        found = member(base, *units[name], context, f".{node.name}")
        return replace(found, volatile=tree.is_volatile(node), read_only=base.read_only)

    made = bit_field((part(ctype.unit),), (units[ctype.unit][1],), ctype, ctype.shift, node.name)
    if not ctype.alone:
        return made
    return replace(made, alone=part(ctype.alone), alone_type=units[ctype.alone][1])


def _bits_in_registers(base: StructureVariable, node: tree.Member, ctype: Bits) -> Lvalue:
    """Where a bit field of a variable is: a part of the registers that are its words."""
    registers = tuple(base.members[word] for word in ctype.words)
    words = tuple(one for one in registers if isinstance(one, Register))
    types = {name: word for name, word, _ in base.type.words}
    label = f"{words[0].label.rpartition('.')[0]}.{node.name}"
    return bit_field(words, tuple(types[word] for word in ctype.words), ctype, ctype.bit, label)
