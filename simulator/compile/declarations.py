"""Declarations: what a variable is bound to, and its first value."""

from __future__ import annotations

from simulator.compile.basic_blocks import count_statement
from simulator.compile.context import Context
from simulator.compile.copies import store_members
from simulator.compile.dispatch import members, pointer, statement, value
from simulator.compile.layouts import leaves
from simulator.compile.lvalues import Base, Binding, Element
from simulator.compile.memory import note, store
from simulator.compile.values import constant
from simulator.compile.variables import (
    local_array,
    pointer_variable,
    reference,
    shared_variable,
    structure_variable,
    variable,
)
from simulator.ir import tree
from simulator.ir.types import INT, Array, Pointer, Struct


@statement.register
def _declaration(node: tree.Declaration, context: Context) -> None:
    """`int x = y;`, `float a[4] = {1};`, `__shared__ int s[32];`, `int &r = x;`."""
    symbol = node.symbol
    if symbol.storage is tree.Storage.SHARED:
        context.bindings[symbol] = shared_variable(symbol, context)
    elif symbol.reference and node.value is not None:
        context.bindings[symbol] = reference(node.value, context)
    elif isinstance(symbol.type, Array):
        context.bindings[symbol] = base = local_array(symbol.name, symbol.type, context)
        if node.values is not None:
            _initialise(base, node, node.values, context)
            count_statement(context)
    else:
        context.bindings[symbol] = _declared(symbol, node.value, context)
        if node.value is not None:
            count_statement(context)


def _declared(symbol: tree.Symbol, init: tree.Expression | None, context: Context) -> Binding:
    """A variable that is no array, set to its first value."""
    facts, ctype = context.frame.facts, symbol.type
    if isinstance(ctype, Struct):
        values = None if init is None else members(init, context)
        return structure_variable(symbol, ctype, values, facts, symbol.span, context)
    if init is None:
        return variable(symbol, None, facts, context)
    if isinstance(ctype, Pointer) and symbol not in facts.written:
        return pointer_variable(symbol, pointer(init, context), context)
    first = value(init, context)
    if first.scalar and symbol not in facts.written:
        return note(symbol.name, context.keep(symbol.name, first), context)
    return variable(symbol, first, facts, context)


def _initialise(
    base: Base, node: tree.Declaration, values: tuple[tree.Expression, ...], context: Context
) -> None:
    """Set the elements of an array; those without a value to zero."""
    of = base.element
    for at in range(base.length or 0):
        where = Element(base, constant(at, INT))
        given = values[at] if at < len(values) else None
        if isinstance(of, Struct):
            zeros = {leaf.path: constant(0, leaf.type) for leaf in leaves(of)}
            parts = zeros if given is None else members(given, context)
            store_members(where, parts, node.span, context)
        else:
            number = constant(0, of) if given is None else value(given, context)
            store(where, number, node.span, context)
