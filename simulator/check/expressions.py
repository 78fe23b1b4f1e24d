"""Check expressions: one handler for each kind of node, registered with `dispatch`."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

from simulator.check import calls, groups, initializers
from simulator.check.operators import (
    alike,
    bracketed,
    check_bound,
    combined,
    declared_where,
    is_power,
    no_member,
    pointee,
    updated,
)
from simulator.check.scopes import (
    COORDINATES,
    AliasOf,
    Scope,
    complete,
    condition,
    effect,
    expression,
    has_auto,
    resolved,
    sized,
    value,
    valued,
)
from simulator.hints import foreign
from simulator.hints.similar import nearest
from simulator.hints.unsupported import declaration, refuse_name
from simulator.ir import tree
from simulator.ir.constants import folded
from simulator.ir.conversions import (
    as_lvalue,
    cast,
    convert_explicitly,
    is_const,
    is_lvalue,
    writable,
)
from simulator.ir.group_types import is_group, operation_of
from simulator.ir.types import (
    BOOL,
    INT,
    TYPE_NAMES,
    UINT,
    ULONG,
    VECTORS,
    VOID,
    Array,
    CType,
    Pointer,
    Scalar,
    Struct,
    Void,
    common,
    promoted,
)
from simulator.ir.unchecked import Checked, Construct, Direct, InitializerList, Made, Method, Text
from simulator.source import CompileError


@expression.register
def _literal(node: tree.Literal, scope: Scope) -> tree.Expression:
    return node


@expression.register
def _text(node: Text, scope: Scope) -> tree.Expression:
    hint = "kernels have numbers and arrays; printf and assert take strings"
    raise CompileError("strings are not supported here", node.span, hint)


@expression.register
def _name(node: tree.Name, scope: Scope) -> tree.Expression:
    meaning = scope.lookup(node.name)
    if isinstance(meaning, tree.Symbol):
        return tree.Name(node.name, meaning, span=node.span, type=meaning.type)
    if meaning is None and node.name == "warpSize":
        return tree.Builtin("warpSize", "", span=node.span, type=INT)
    if meaning is None and node.name in COORDINATES:
        remedy = f"write `{node.name}.x`, `.y` or `.z`"
        raise CompileError(f"`{node.name}` needs an axis", node.span, remedy)
    if isinstance(meaning, AliasOf):
        raise CompileError(f"`{node.name}` is a type", node.span)
    if meaning is not None or calls.is_builtin(node.name):
        what = f"the function `{node.name}` is not called here"
        hint = f"write `{node.name}(…)`; function pointers are not supported"
        raise CompileError(what, node.span, hint)
    refuse_name(node.name, node.span)
    raise CompileError(f"`{node.name}` is not declared", node.span, declared_where(node, scope))


@expression.register
def _member(node: tree.Member, scope: Scope) -> tree.Expression:
    base = node.base
    if isinstance(base, tree.Name) and base.name in COORDINATES and not scope.lookup(base.name):
        if node.name not in ("x", "y", "z"):
            what = f"`{base.name}` has no `{node.name}`"
            raise CompileError(what, node.span.ending(node.name), "its axes are x, y and z")
        return tree.Builtin(base.name, node.name, span=node.span, type=UINT)
    checked = _pointed(base, scope) if _is_arrow(base) else expression(base, scope)
    if isinstance(checked.type, Struct):
        return _member_of(node, checked, checked.type)
    verb = "points to" if _is_arrow(base) else "is"
    what = f"`{checked.span.text}` {verb} `{checked.type}`, which has no members"
    raise CompileError(what, node.span.ending(node.name), no_member(node.name, checked))


def _is_arrow(base: tree.Expression) -> TypeGuard[tree.Deref]:
    """Whether the source writes `base` with `->`, which the reader makes a star in its place."""
    return isinstance(base, tree.Deref) and base.span is base.pointer.span


def _member_of(node: tree.Member, base: tree.Expression, ctype: Struct) -> tree.Expression:
    found = ctype.member(node.name)
    if found is None:
        names = ", ".join(name for name, _, _ in ctype.members)
        what = f"`{ctype}` has no `{node.name}`"
        raise CompileError(what, node.span.ending(node.name), f"its members are {names}")
    return tree.Member(base, node.name, span=node.span, type=found[0])


@expression.register
def _unary(node: tree.Unary, scope: Scope) -> tree.Expression:
    if node.op == "!":
        test = condition(node.operand, scope)
        return folded(tree.Unary("!", test, span=node.span, type=BOOL))
    operand = value(node.operand, scope)
    ctype = operand.type
    if not isinstance(ctype, Scalar) or (node.op == "~" and ctype.is_float):
        needs = "an integer" if node.op == "~" else "a number"
        what = f"`{node.op}` needs {needs}, not `{ctype}`"
        raise CompileError(what, node.span, "cast it first" if isinstance(ctype, Scalar) else "")
    result = promoted(ctype)
    return folded(tree.Unary(node.op, cast(operand, result), span=node.span, type=result))


@expression.register
def _deref(node: tree.Deref, scope: Scope) -> tree.Expression:
    return _pointed(node, scope, "*")


def _pointed(node: tree.Deref, scope: Scope, sign: str = "->") -> tree.Deref:
    """Return what a pointer points to; `sign` is what the source writes for it."""
    pointer = value(node.pointer, scope)
    if sign == "*" and not isinstance(pointer.type, Pointer) and is_power(node.span):
        star = node.span.starting("*")
        raise CompileError("C has no operator `**`", star, "write `x * x`, or call pow")
    return tree.Deref(pointer, span=node.span, type=pointee(pointer, sign))


@expression.register
def _index(node: tree.Index, scope: Scope) -> tree.Expression:
    return _element(node, scope, 0)


def _element(node: tree.Index, scope: Scope, beyond: int) -> tree.Expression:
    """`base[index]`; a constant index may go `beyond` the last element of a known array."""
    base = value(node.base, scope)
    of = pointee(base, "[…]")
    position = value(node.index, scope)
    if not isinstance(position.type, Scalar) or not position.type.is_integer:
        what = f"a subscript must be an integer, not `{position.type}`"
        raise CompileError(what, position.span, f"cast it: `(int){bracketed(position)}`")
    if _is_comma(node.index) and isinstance(of, Array):
        raise CompileError("a subscript takes one index", position.span, "write `[…][…]`")
    if isinstance(position, tree.Literal) and isinstance(base, tree.Decay):
        check_bound(base.operand, position, beyond)
    return tree.Index(base, position, span=node.span, type=of)


def _is_comma(node: tree.Expression) -> bool:
    return isinstance(node, tree.Binary) and node.op == ","


@expression.register
def _address_of(node: tree.AddressOf, scope: Scope) -> tree.Expression:
    inner = node.operand
    element = _element(inner, scope, 1) if isinstance(inner, tree.Index) else None
    operand = as_lvalue(element or expression(inner, scope))
    if not is_lvalue(operand):
        what = f"`{operand.span.text}` has no address"
        raise CompileError(what, node.span, "copy it to a variable first")
    if isinstance(operand, tree.Name) and _is_global(operand):
        what = f"the constant `{operand.name}` has no address"
        raise CompileError(what, node.span, "copy it to a variable first")
    if is_group(operand.type):
        what = f"pointers to `{operand.type}` are not supported"
        raise CompileError(what, node.span, "pass the group itself")
    pointer = Pointer(operand.type, is_const(operand), tree.is_volatile(operand))
    return tree.AddressOf(operand, span=node.span, type=pointer)


def _is_global(node: tree.Name) -> bool:
    return node.symbol is not None and node.symbol.storage is tree.Storage.LITERAL


@expression.register
def _increment(node: tree.Increment, scope: Scope) -> tree.Expression:
    target = writable(expression(node.target, scope))
    if isinstance(target.type, Pointer):
        pointee(target, node.op)
    elif target.type == BOOL or isinstance(target.type, Struct):
        what = f"`{node.op}` cannot be used on {target.type}"
        hint = "assign true or false" if target.type == BOOL else "change one of its members"
        raise CompileError(what, node.span, hint)
    return tree.Increment(node.op, node.prefix, target, span=node.span, type=target.type)


@expression.register
def _binary(node: tree.Binary, scope: Scope) -> tree.Expression:
    if node.op != ",":
        return combined(node, value(node.left, scope), value(node.right, scope))
    left, right = effect(node.left, scope), effect(node.right, scope)
    right = right if right.type == VOID else valued(right, scope)
    return tree.Binary(",", left, right, span=node.span, type=right.type)


@expression.register
def _logical(node: tree.Logical, scope: Scope) -> tree.Expression:
    left, right = condition(node.left, scope), condition(node.right, scope)
    return folded(tree.Logical(node.op, left, right, span=node.span, type=BOOL))


@expression.register
def _conditional(node: tree.Conditional, scope: Scope) -> tree.Expression:
    test = condition(node.test, scope)
    then, other = effect(node.then, scope), effect(node.other, scope)
    if then.type == VOID == other.type:
        return tree.Conditional(test, then, other, span=node.span, type=VOID)
    then, other = valued(then, scope), valued(other, scope)
    if isinstance(then.type, Scalar) and isinstance(other.type, Scalar):
        ctype = then.type if then.type == other.type else common(then.type, other.type)
        then, other = cast(then, ctype), cast(other, ctype)
    elif not isinstance(then.type, Struct) or then.type != other.type:
        then, other = alike(node, then, other)
    return folded(tree.Conditional(test, then, other, span=node.span, type=then.type))


@expression.register
def _assign(node: tree.Assign, scope: Scope) -> tree.Expression:
    target = writable(expression(node.target, scope))
    new = initializers.first_value(node.value, target.type, "the assigned value", scope)
    return tree.Assign(target, new, span=node.span, type=target.type)


@expression.register
def _compound_assign(node: tree.CompoundAssign, scope: Scope) -> tree.Expression:
    return updated(node, writable(expression(node.target, scope)), value(node.value, scope))


@expression.register
def _explicit_cast(node: tree.Cast, scope: Scope) -> tree.Expression:
    target: CType = resolved(node.type, scope, node.span)
    if isinstance(target, Array) or has_auto(target):
        raise CompileError(f"nothing can be cast to `{target}`", node.span)
    checked = effect if target == VOID else value
    operand = checked(node.operand, scope)
    if target in VECTORS.values() and isinstance(operand.type, Scalar):
        what, made = f"`{target}` is made by a function", f"write `make_{target}(…)`"
        raise CompileError(what, node.span, made)
    return replace(convert_explicitly(operand, target), span=node.span)


@expression.register
def _made(node: Made, scope: Scope) -> tree.Expression:
    return _value_of(node.values, resolved(node.made, scope, node.span), node, scope)


@expression.register
def _size_of(node: tree.SizeOf, scope: Scope) -> tree.Expression:
    if node.operand is not None:
        _check_known(node.operand, scope)
        ctype = expression(node.operand, scope).type
    else:
        assert node.of is not None
        ctype = resolved(node.of, scope, node.span)
    return tree.Literal(sized(ctype, node.span), span=node.span, type=ULONG)


def _check_known(node: tree.Expression, scope: Scope) -> None:
    """Refuse `sizeof(name)` of a name that means nothing: a type may be meant."""
    if not isinstance(node, tree.Name) or scope.lookup(node.name) is not None:
        return
    if node.name == "warpSize":
        return
    span = node.span
    if span.text.startswith("("):
        span = replace(span, column=span.column + 1, end_column=span.end_column - 1)
    refuse_name(node.name, span)
    known = [*TYPE_NAMES, *scope.names(tree.Symbol, AliasOf)]
    hint = foreign.TYPES.get(node.name) or nearest(node.name, known)
    hint = hint or declaration(node.name)
    raise CompileError(f"`{node.name}` is neither a type nor a variable", span, hint)


@expression.register
def _method(node: Method, scope: Scope) -> tree.Expression:
    return groups.method(node, scope)


@expression.register
def _checked(node: Checked, scope: Scope) -> tree.Expression:
    return node.checked


@expression.register
def _construct(node: Construct, scope: Scope) -> tree.Expression:
    return _value_of((), resolved(node.type, scope, node.span), node, scope)


def _value_of(
    values: tuple[tree.Expression, ...], ctype: CType, node: tree.Expression, scope: Scope
) -> tree.Expression:
    """Return what `ctype{values…}` makes."""
    if isinstance(ctype, Struct) and operation_of(ctype) is not None and not values:
        return tree.Call(f"make {ctype}", (), span=node.span, type=ctype)
    if isinstance(complete(ctype, node.span), Array | Void):
        raise CompileError(f"there are no values of type `{ctype}`", node.span)
    return initializers.from_list(InitializerList(values, span=node.span), ctype, scope)


@expression.register
def _list(node: InitializerList, scope: Scope) -> tree.Expression:
    hint = "write the type in front: `Type{…}`"
    raise CompileError("nothing says of which type this list is", node.span, hint)


@expression.register
def _direct(node: Direct, scope: Scope) -> tree.Expression:
    raise CompileError("constructors are not supported", node.span, "write the values in braces")


@expression.register
def _launch(node: tree.DeviceLaunch, scope: Scope) -> tree.Expression:
    return initializers.launch(node, scope)


@expression.register
def _call(node: tree.Call, scope: Scope) -> tree.Expression:
    return calls.call(node, scope)
