"""The ways into the tree: `value`, `members`, `lvalue`, `location`, `pointer` and `run`.

Each calls the handler of a kind of node. Handlers register themselves with `expression`,
`structure`, `lvalue`, `pointed` and `statement`; none of them is known here.
"""

from __future__ import annotations

from functools import singledispatch

from simulator.compile.active_lanes import standing
from simulator.compile.context import Context
from simulator.compile.values import (
    AtAddress,
    Element,
    Location,
    Lvalue,
    Members,
    StructureVariable,
    Value,
    nothing,
    pointee,
)
from simulator.ir import tree
from simulator.ir.types import Struct


@singledispatch
def expression(node: tree.Expression, context: Context) -> Value:
    """Compile an expression whose value is a number or a pointer."""
    raise NotImplementedError(type(node).__name__)


@singledispatch
def structure(node: tree.Expression, context: Context) -> Members:
    """Compile an expression of structure type: the values of its leaves."""
    raise NotImplementedError(type(node).__name__)


@singledispatch
def lvalue(node: tree.Expression, context: Context) -> Lvalue:
    """Where an lvalue is."""
    raise NotImplementedError(type(node).__name__)


@singledispatch
def pointed(node: tree.Expression, context: Context) -> Element | AtAddress:
    """Compile a pointer: what it points to."""
    return AtAddress(value(node, context), pointee(node.type))


@singledispatch
def statement(node: tree.Statement, context: Context) -> None:
    """Compile one statement for the active lanes."""
    raise NotImplementedError(type(node).__name__)


# `dispatch(type(node))` finds the handler as a plain call does, but takes no frame of Python's
# stack of its own: how deep programs may be nested depends on that.


def value(node: tree.Expression, context: Context) -> Value:
    """Compile an expression for the active lanes; a structure has no value of its own."""
    outer = context.span, context.polling
    context.polling |= node in context.frame.facts.polled
    if isinstance(node.type, Struct):
        members(node, context)
        result = nothing(node.type)
    else:
        context.span = node.span
        result = expression.dispatch(type(node))(node, context)
    context.span, context.polling = outer
    return result


def members(node: tree.Expression, context: Context) -> Members:
    """Compile an expression of structure type: the values of its leaves, by their paths."""
    outer, context.span = context.span, node.span
    result = structure.dispatch(type(node))(node, context)
    context.span = outer
    return result


def location(node: tree.Expression, context: Context) -> Location:
    """Where an lvalue is that is no structure in registers."""
    found = lvalue.dispatch(type(node))(node, context)
    assert not isinstance(found, StructureVariable), node
    return found


def pointer(node: tree.Expression, context: Context) -> Element | AtAddress:
    """Return what a pointer points to.

    An element of a known array if the source tells, else an address.
    """
    outer, context.span = context.span, node.span
    result = pointed.dispatch(type(node))(node, context)
    context.span = outer
    return result


def run(node: tree.Statement, context: Context) -> None:
    """Compile one statement for the active lanes."""
    with standing(node.span, context):
        statement.dispatch(type(node))(node, context)


def run_all(statements: tuple[tree.Statement, ...], context: Context) -> None:
    """Compile statements until none is reachable."""
    for node in statements:
        if context.dead:
            return
        run(node, context)
