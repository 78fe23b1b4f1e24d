"""The way into expressions: `value`, `condition` and `effect` call the handler of a kind of node.

Each value gets its type, each name its symbol, each conversion its node. Handlers register
themselves with `expression`; none of them is known here.
"""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch

from simulator.check.scopes import Scope
from simulator.ir import tree
from simulator.ir.conversions import as_condition, as_value
from simulator.ir.types import BOOL, VOID
from simulator.ir.unchecked import Text
from simulator.source import CompileError


def value(node: tree.Expression, scope: Scope) -> tree.Expression:
    """`node` checked, where its value is wanted: constants replaced, arrays decayed."""
    return valued(expression(node, scope), scope)


def valued(node: tree.Expression, scope: Scope) -> tree.Expression:
    """A checked expression where its value is wanted."""
    return literal_if_constant(as_value(node), scope)


def literal_if_constant(node: tree.Expression, scope: Scope) -> tree.Expression:
    """`node`, or the number that it is the name of."""
    if isinstance(node, tree.Name) and node.symbol in scope.shared.constants:
        return replace(scope.shared.constants[node.symbol], span=node.span)
    return node


def condition(node: tree.Expression, scope: Scope) -> tree.Expression:
    """`node` checked as a condition, a bool."""
    if isinstance(node, Text):  # the address of its characters, as in `assert(x && "why")`
        return tree.Literal(True, span=node.span, type=BOOL)
    return as_condition(value(node, scope))


def effect(node: tree.Expression, scope: Scope) -> tree.Expression:
    """`node` checked where its value is dropped."""
    if isinstance(node, tree.Cast) and node.type == VOID:
        return effect(node.operand, scope)
    return literal_if_constant(expression(node, scope), scope)


@singledispatch
def expression(node: tree.Expression, scope: Scope) -> tree.Expression:
    """`node` checked, an lvalue where it is one, arrays as arrays.

    Raises
    ------
    CompileError
        if it breaks C's rules
    """
    raise CompileError("this cannot stand here", node.span)
