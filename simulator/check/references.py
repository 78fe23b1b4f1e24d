"""Check local references: other names for a variable, an element or a member."""

from __future__ import annotations

from dataclasses import replace

from simulator.check.dispatch import expression
from simulator.check.resolve import deduced, has_auto, resolved
from simulator.check.scopes import Scope
from simulator.ir import tree
from simulator.ir.conversions import as_value, convert
from simulator.ir.lvalues import is_const, is_place, placed
from simulator.ir.types import Array, CType, Pointer, Scalar, Struct
from simulator.ir.unchecked import InitializerList, Variable
from simulator.source import CompileError


def reference(node: Variable, scope: Scope) -> tree.Declaration:
    """`T &name = place;`. A const reference to a mere value is a constant of its own.

    Raises
    ------
    CompileError
        if there is nothing to refer to
    """
    name = node.symbol.name
    first = node.value
    if first is None and node.values is not None and len(node.values) == 1:
        first = node.values[0]
    if first is None or isinstance(first, InitializerList):
        raise CompileError(f"the reference `{name}` needs something to refer to", node.span)
    target = placed(expression(first, scope))
    ctype = _type(node, target, scope)
    if is_place(target) and target.type == ctype and not _is_literal(target, scope):
        return _bound(node, target, ctype, scope)
    if not node.symbol.const:
        what = f"`{name}` cannot refer to `{target.span.text}` of type `{target.type}`"
        hint = f"refer to a variable of type `{ctype}`, or make the reference const"
        raise CompileError(what, target.span, hint)
    value = convert(as_value(target), ctype, f"the first value of `{name}`")
    symbol = replace(node.symbol, type=ctype, reference=False)
    scope.declare(name, symbol)
    return tree.Declaration(symbol, value, span=node.span)


def _bound(node: Variable, target: tree.Expression, ctype: CType, scope: Scope) -> tree.Declaration:
    if is_const(target) and not node.symbol.const:
        what = f"`{node.symbol.name}` would change `{target.span.text}`, which is const"
        raise CompileError(what, target.span, "make the reference const")
    symbol = replace(node.symbol, type=ctype)
    scope.declare(symbol.name, symbol)
    return tree.Declaration(symbol, target, span=node.span)


def _type(node: Variable, target: tree.Expression, scope: Scope) -> CType:
    """What the reference refers to."""
    pattern = node.symbol.type
    ctype = target.type if has_auto(pattern) else resolved(pattern, scope, node.symbol.span)
    if has_auto(pattern) and deduced(pattern, target.type) != target.type:
        raise CompileError(f"`{pattern}` does not match `{target.type}`", node.span)
    if isinstance(ctype, Array) or not isinstance(ctype, Scalar | Pointer | Struct):
        what = f"references to `{ctype}` are not supported"
        raise CompileError(what, node.symbol.span, "use a pointer to the first element")
    return ctype


def _is_literal(node: tree.Expression, scope: Scope) -> bool:
    """Whether `node` names a constant that stands for its value."""
    return isinstance(node, tree.Name) and node.symbol in scope.shared.constants
