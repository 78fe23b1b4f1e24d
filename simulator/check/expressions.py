"""Check expressions: every value gets its type, every name its symbol, every conversion its node."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch

from simulator import tree
from simulator.check import calls
from simulator.check.conversions import (
    as_condition,
    as_value,
    at,
    balanced,
    cast,
    convert,
    convert_explicitly,
    is_const,
    is_null,
    is_place,
    writable,
)
from simulator.check.resolve import has_auto, resolved, sized
from simulator.check.scopes import AliasOf, Scope
from simulator.constants import folded
from simulator.ctype import (
    BOOL,
    INT,
    LONG,
    UINT,
    ULONG,
    VOID,
    Array,
    CType,
    Pointer,
    Scalar,
    Void,
    common,
    promoted,
)
from simulator.declared import Text
from simulator.read.refused import refuse_name
from simulator.similar import nearest
from simulator.source import CompileError

COORDINATES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
COMPARISONS = frozenset({"<", ">", "<=", ">=", "==", "!="})
INTEGERS_ONLY = frozenset({"%", "&", "|", "^", "<<", ">>"})


def value(node: tree.Expression, scope: Scope) -> tree.Expression:
    """`node` checked, where its value is wanted: constants replaced, arrays decayed, void refused."""
    return _valued(expression(node, scope), scope)


def _valued(node: tree.Expression, scope: Scope) -> tree.Expression:
    """A checked expression where its value is wanted."""
    checked = as_value(node)
    if isinstance(checked, tree.Name) and checked.symbol in scope.shared.constants:
        return replace(scope.shared.constants[checked.symbol], span=node.span)
    return checked


def condition(node: tree.Expression, scope: Scope) -> tree.Expression:
    """`node` checked as a condition, a bool."""
    return as_condition(value(node, scope))


def effect(node: tree.Expression, scope: Scope) -> tree.Expression:
    """`node` checked where its value is dropped."""
    if isinstance(node, tree.Cast) and node.type == VOID:
        return effect(node.operand, scope)
    return expression(node, scope)


@singledispatch
def expression(node: tree.Expression, scope: Scope) -> tree.Expression:
    """`node` checked, an lvalue where it is one, arrays as arrays.

    Raises
    ------
    CompileError
        if it breaks C's rules
    """
    raise CompileError("this cannot stand here", node.span)


@expression.register
def literal(node: tree.Literal, scope: Scope) -> tree.Expression:
    return node


@expression.register
def text(node: Text, scope: Scope) -> tree.Expression:
    raise CompileError("strings are not supported", node.span, "kernels have numbers and arrays")


@expression.register
def name(node: tree.Name, scope: Scope) -> tree.Expression:
    meaning = scope.lookup(node.name)
    if isinstance(meaning, tree.Symbol):
        return tree.Name(node.name, meaning, span=node.span, type=meaning.type)
    if meaning is None and node.name == "warpSize":
        return tree.Builtin("warpSize", "", span=node.span, type=INT)
    if meaning is None and node.name in COORDINATES:
        raise CompileError(
            f"`{node.name}` needs an axis", node.span, f"write `{node.name}.x`, `.y` or `.z`"
        )
    if isinstance(meaning, AliasOf):
        raise CompileError(f"`{node.name}` is a type", node.span)
    if meaning is not None or calls.is_builtin(node.name):
        raise CompileError(
            f"function pointers are not supported: `{node.name}`", node.span, "call the function"
        )
    refuse_name(node.name, node.span)
    hint = nearest(node.name, [*scope.names(tree.Symbol), *COORDINATES, "warpSize"])
    raise CompileError(f"`{node.name}` is not declared", node.span, hint)


@expression.register
def member(node: tree.Member, scope: Scope) -> tree.Expression:
    base = node.base
    if isinstance(base, tree.Name) and base.name in COORDINATES and scope.lookup(base.name) is None:
        if node.name not in ("x", "y", "z"):
            raise CompileError(
                f"`{base.name}` has no `{node.name}`", node.span, "its axes are x, y and z"
            )
        return tree.Builtin(base.name, node.name, span=node.span, type=UINT)
    checked = expression(base, scope)
    raise CompileError(f"`{checked.span.text}` has no members: it is `{checked.type}`", node.span)


@expression.register
def unary(node: tree.Unary, scope: Scope) -> tree.Expression:
    operand = value(node.operand, scope)
    if node.op == "!":
        return folded(tree.Unary("!", as_condition(operand), span=node.span, type=BOOL))
    ctype = operand.type
    if not isinstance(ctype, Scalar) or (node.op == "~" and ctype.is_float):
        needs = "an integer" if node.op == "~" else "a number"
        raise CompileError(f"`{node.op}` needs {needs}, not `{ctype}`", node.span)
    result = promoted(ctype)
    return folded(tree.Unary(node.op, cast(operand, result), span=node.span, type=result))


@expression.register
def deref(node: tree.Deref, scope: Scope) -> tree.Expression:
    pointer = value(node.pointer, scope)
    return tree.Deref(pointer, span=node.span, type=_pointee(pointer, "*"))


def _pointee(pointer: tree.Expression, op: str) -> CType:
    if not isinstance(pointer.type, Pointer):
        what = f"`{pointer.span.text}` is `{pointer.type}`, not a pointer: `{op}` needs one"
        raise CompileError(what, pointer.span)
    if isinstance(pointer.type.to, Void):
        raise CompileError(
            f"`{pointer.span.text}` points to void: what it points to has no type",
            pointer.span,
            "cast it first",
        )
    return pointer.type.to


@expression.register
def index(node: tree.Index, scope: Scope) -> tree.Expression:
    return _index(node, scope, 0)


def _index(node: tree.Index, scope: Scope, beyond: int) -> tree.Expression:
    """`base[index]`; a constant index may go `beyond` the last element of an array of known length."""
    base = value(node.base, scope)
    of = _pointee(base, "[…]")
    position = value(node.index, scope)
    if not isinstance(position.type, Scalar) or not position.type.is_integer:
        raise CompileError(f"a subscript must be an integer, not `{position.type}`", position.span)
    if isinstance(position, tree.Literal) and isinstance(base, tree.Decay):
        _check_bound(base.operand, position, beyond)
    return tree.Index(base, position, span=node.span, type=of)


def _check_bound(array: tree.Expression, position: tree.Literal, beyond: int) -> None:
    assert isinstance(array.type, Array)
    length = array.type.length
    if position.value < 0 or (length is not None and position.value >= length + beyond):
        allowed = "from 0 on" if length is None else f"0 to {length - 1}"
        raise CompileError(
            f"`{array.span.text}` has no element {position.value}",
            position.span,
            f"its elements are {allowed}",
        )


@expression.register
def address_of(node: tree.AddressOf, scope: Scope) -> tree.Expression:
    inner = node.operand
    operand = _index(inner, scope, 1) if isinstance(inner, tree.Index) else expression(inner, scope)
    if not is_place(operand):
        raise CompileError(
            f"`{operand.span.text}` has no address", node.span, "copy it to a variable first"
        )
    if (
        isinstance(operand, tree.Name)
        and operand.symbol in scope.shared.constants
        and _is_outer(operand)
    ):
        raise CompileError(
            f"the constant `{operand.name}` has no address",
            node.span,
            "copy it to a variable first",
        )
    return tree.AddressOf(operand, span=node.span, type=Pointer(operand.type, is_const(operand)))


def _is_outer(node: tree.Name) -> bool:
    return node.symbol is not None and node.symbol.storage is tree.Storage.CONSTANT


@expression.register
def increment(node: tree.Increment, scope: Scope) -> tree.Expression:
    target = writable(expression(node.target, scope))
    if isinstance(target.type, Pointer):
        _pointee(target, node.op)
    elif target.type == BOOL:
        raise CompileError(f"`{node.op}` cannot be used on bool", node.span, "assign true or false")
    return tree.Increment(node.op, node.prefix, target, span=node.span, type=target.type)


@expression.register
def binary(node: tree.Binary, scope: Scope) -> tree.Expression:
    if node.op == ",":
        left, right = effect(node.left, scope), effect(node.right, scope)
        right = right if right.type == VOID else _valued(right, scope)
        return tree.Binary(",", left, right, span=node.span, type=right.type)
    left, right = value(node.left, scope), value(node.right, scope)
    if isinstance(left.type, Pointer) or isinstance(right.type, Pointer):
        return _pointers(node, left, right)
    _check_numbers(node, node.op, left.type, right.type)
    return folded(_arithmetic(node, left, right))


def _check_numbers(node: tree.Expression, op: str, left: CType, right: CType) -> None:
    """Refuse operands that are no numbers, and floats where only integers will do."""
    for ctype in (left, right):
        if not isinstance(ctype, Scalar):
            raise CompileError(f"`{op}` cannot combine `{left}` and `{right}`", node.span)
        if op in INTEGERS_ONLY and ctype.is_float:
            hint = (
                "use fmod for floating-point remainders"
                if op == "%"
                else "convert to an integer first"
            )
            raise CompileError(f"`{op}` needs integers, not `{ctype}`", node.span, hint)


def _arithmetic(node: tree.Binary, left: tree.Expression, right: tree.Expression) -> tree.Binary:
    assert isinstance(left.type, Scalar) and isinstance(right.type, Scalar)
    if node.op in ("<<", ">>"):
        result = promoted(left.type)
        right = cast(right, promoted(right.type))
        return tree.Binary(node.op, cast(left, result), right, span=node.span, type=result)
    left, right, ctype = balanced(left, right)
    return tree.Binary(
        node.op, left, right, span=node.span, type=BOOL if node.op in COMPARISONS else ctype
    )


def _pointers(node: tree.Binary, left: tree.Expression, right: tree.Expression) -> tree.Expression:
    """`left op right` where at least one side is a pointer."""
    if node.op in COMPARISONS:
        left, right = _alike(node, left, right)
        return tree.Binary(node.op, left, right, span=node.span, type=BOOL)
    if node.op == "+" and isinstance(right.type, Pointer):
        left, right = right, left
    if node.op in ("+", "-") and isinstance(right.type, Scalar) and right.type.is_integer:
        _pointee(left, node.op)
        return tree.Binary(
            node.op, left, cast(right, promoted(right.type)), span=node.span, type=left.type
        )
    if node.op == "-" and isinstance(left.type, Pointer) and isinstance(right.type, Pointer):
        _pointee(left, "-")
        if left.type.to == right.type.to:
            return tree.Binary("-", left, right, span=node.span, type=LONG)
    raise CompileError(f"`{node.op}` cannot combine `{left.type}` and `{right.type}`", node.span)


def _alike(
    node: tree.Expression, left: tree.Expression, right: tree.Expression
) -> tuple[tree.Expression, tree.Expression]:
    """Two pointers, or a pointer and a null pointer, in one pointer type."""
    a, b = left.type, right.type
    if isinstance(a, Pointer) and is_null(right):
        return left, cast(right, a)
    if isinstance(b, Pointer) and is_null(left):
        return cast(left, b), right
    if isinstance(a, Pointer) and isinstance(b, Pointer) and (a.to == b.to or VOID in (a.to, b.to)):
        both = Pointer(VOID if VOID in (a.to, b.to) else a.to, a.const or b.const)
        return cast(left, both), cast(right, both)
    raise CompileError(
        f"`{a}` and `{b}` cannot stand together here", node.span, "convert one of them"
    )


@expression.register
def logical(node: tree.Logical, scope: Scope) -> tree.Expression:
    left, right = condition(node.left, scope), condition(node.right, scope)
    return folded(tree.Logical(node.op, left, right, span=node.span, type=BOOL))


@expression.register
def conditional(node: tree.Conditional, scope: Scope) -> tree.Expression:
    test = condition(node.test, scope)
    then, other = expression(node.then, scope), expression(node.other, scope)
    if then.type == VOID == other.type:
        return tree.Conditional(test, then, other, span=node.span, type=VOID)
    then, other = _valued(then, scope), _valued(other, scope)
    if isinstance(then.type, Scalar) and isinstance(other.type, Scalar):
        ctype = then.type if then.type == other.type else common(then.type, other.type)
        then, other = cast(then, ctype), cast(other, ctype)
    else:
        then, other = _alike(node, then, other)
    return folded(tree.Conditional(test, then, other, span=node.span, type=then.type))


@expression.register
def assign(node: tree.Assign, scope: Scope) -> tree.Expression:
    target = writable(expression(node.target, scope))
    new = convert(value(node.value, scope), target.type, "the assigned value")
    return tree.Assign(target, new, span=node.span, type=target.type)


@expression.register
def compound_assign(node: tree.CompoundAssign, scope: Scope) -> tree.Expression:
    target = writable(expression(node.target, scope))
    new = value(node.value, scope)
    compute: CType
    if isinstance(target.type, Pointer):
        compute = target.type
        new = _step(node, target, new)
    else:
        _check_numbers(node, node.op + "=", target.type, new.type)
        _check_numbers(node, node.op, target.type, new.type)
        compute, new = _computed_in(node, target, new)
    return tree.CompoundAssign(node.op, target, new, compute, span=node.span, type=target.type)


def _step(
    node: tree.CompoundAssign, target: tree.Expression, new: tree.Expression
) -> tree.Expression:
    _pointee(target, node.op + "=")
    if node.op not in ("+", "-") or not isinstance(new.type, Scalar) or not new.type.is_integer:
        raise CompileError(
            f"`{node.op}=` cannot combine `{target.type}` and `{new.type}`", node.span
        )
    return cast(new, LONG)


def _computed_in(
    node: tree.CompoundAssign, target: tree.Expression, new: tree.Expression
) -> tuple[Scalar, tree.Expression]:
    assert isinstance(target.type, Scalar) and isinstance(new.type, Scalar)
    if node.op in ("<<", ">>"):
        return promoted(target.type), cast(new, promoted(new.type))
    compute = common(target.type, new.type)
    return compute, cast(new, compute)


@expression.register
def explicit_cast(node: tree.Cast, scope: Scope) -> tree.Expression:
    target = resolved(node.type, scope, node.span)
    if isinstance(target, Array) or has_auto(target):
        raise CompileError(f"nothing can be cast to `{target}`", node.span)
    operand = effect(node.operand, scope) if target == VOID else value(node.operand, scope)
    return at(convert_explicitly(operand, target), node)


@expression.register
def size_of(node: tree.SizeOf, scope: Scope) -> tree.Expression:
    if node.operand is not None:
        ctype = expression(node.operand, scope).type
    else:
        assert node.of is not None
        ctype = resolved(node.of, scope, node.span)
    return tree.Literal(sized(ctype, node.span), span=node.span, type=ULONG)


@expression.register
def call(node: tree.Call, scope: Scope) -> tree.Expression:
    return calls.call(node, scope)
