"""Check enumerations, whose names are constants, and static assertions."""

from __future__ import annotations

from simulator.check.resolve import constant, resolved
from simulator.check.scopes import AliasOf, Scope
from simulator.ir import tree
from simulator.ir.constants import wrapped
from simulator.ir.conversions import cast
from simulator.ir.types import INT, LLONG, UINT, ULLONG, Scalar
from simulator.ir.unchecked import Enumeration, Enumerator, StaticAssertion
from simulator.source import CompileError


def enumeration(node: Enumeration, scope: Scope) -> tree.Statement:
    """Declare an enumeration's type, an integer's, and its names; the node stays as it is.

    Raises
    ------
    CompileError
        if a value is not constant or does not fit, or a name is taken
    """
    values = _values(node, scope)
    ctype = _type(node, [number for _, number in values], scope)
    scope.declare(node.name, AliasOf(ctype, node.span, tag=True))
    for item, number in values:
        literal = cast(tree.Literal(number, span=item.span, type=LLONG), ctype)
        assert isinstance(literal, tree.Literal)
        for name in _names(node, item):
            symbol = tree.Symbol(name, ctype, tree.Storage.LITERAL, item.span, const=True)
            scope.declare(name, symbol)
            scope.shared.constants[symbol] = literal
    return node


def _names(node: Enumeration, item: Enumerator) -> list[str]:
    """What an enumerator can be called."""
    return [f"{node.name}::{item.name.split('::')[-1]}", *([] if node.scoped else [item.name])]


def _values(node: Enumeration, scope: Scope) -> list[tuple[Enumerator, int]]:
    """Each name with its value, one more than the last where none is given."""
    inside, number = scope.inner(), -1
    found = []
    for item in node.enumerators:
        number += 1
        if item.value is not None:
            number = _given(item.value, inside)
        found.append((item, number))
        symbol = tree.Symbol(item.name, INT, tree.Storage.LITERAL, item.span, const=True)
        inside.declare(item.name, symbol)
        known = cast(tree.Literal(number, span=item.span, type=LLONG), _fitting([number]))
        assert isinstance(known, tree.Literal)
        scope.shared.constants[symbol] = known
    return found


def _given(node: tree.Expression, scope: Scope) -> int:
    value = constant(node, scope)
    if value is None or isinstance(value.value, float) or not isinstance(value.type, Scalar):
        what = f"the value `{node.span.text}` is not a constant integer"
        raise CompileError(what, node.span)
    return int(value.value)


def _type(node: Enumeration, values: list[int], scope: Scope) -> Scalar:
    if node.underlying is None:
        return INT if node.scoped and _fitting(values) == INT else _fitting(values)
    ctype = resolved(node.underlying, scope, node.span)
    if not isinstance(ctype, Scalar) or not ctype.is_integer:
        raise CompileError(f"an enumeration cannot be of type `{ctype}`", node.span)
    for item, number in zip(node.enumerators, values, strict=True):
        if wrapped(number, ctype) != number:
            raise CompileError(f"{number} does not fit `{ctype}`", item.span)
    return ctype


def _fitting(values: list[int]) -> Scalar:
    """The first of int, unsigned int, long long and its unsigned form that holds all values."""
    candidates = (INT, UINT, LLONG, ULLONG)
    return next((t for t in candidates if all(wrapped(v, t) == v for v in values)), LLONG)


def static_assertion(node: StaticAssertion, scope: Scope) -> tree.Statement:
    """Hold a program to its own `static_assert`.

    Raises
    ------
    CompileError
        if the condition is not constant, or false
    """
    value = constant(node.condition, scope)
    if value is None:
        what = f"`{node.condition.span.text}` is not constant"
        raise CompileError(what, node.condition.span, "static_assert needs a constant")
    if not value.value:
        reason = f": {node.message}" if node.message else ""
        raise CompileError(f"static assertion failed{reason}", node.condition.span)
    return node
