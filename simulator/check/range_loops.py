"""Loops over arrays, and over what classes give between `begin()` and `end()`, as plain loops."""

from __future__ import annotations

from dataclasses import replace

from simulator.check import members, scopes
from simulator.check.scopes import Scope
from simulator.check.statements import statement
from simulator.ir import tree
from simulator.ir.conversions import as_lvalue, is_const, is_lvalue
from simulator.ir.types import INT, Array
from simulator.ir.unchecked import (
    Auto,
    Bindings,
    InitializerList,
    Method,
    RangeLoop,
    Scoped,
    Variable,
)
from simulator.source import CompileError

# Names that no program can write.
_AT, _END, _RANGE, _LIST = "<at>", "<end>", "<range>", "<list>"


@statement.register
def _range_loop(node: RangeLoop, scope: Scope) -> tree.Statement:
    if isinstance(node.range, InitializerList):
        return statement(_over_list(node, node.range, scope), scope)
    checked = as_lvalue(scopes.expression(node.range, scope))
    if not is_lvalue(checked):
        hint = "keep it in a variable first"
        raise CompileError("the range of a loop needs a name here", node.range.span, hint)
    if isinstance(checked.type, Array):
        made = _over_array(node, checked.type, is_const(checked))
    elif members.functions_of(checked.type, "begin", scope) is not None:
        made = _over_object(node)
    else:
        what = f"`{node.range.span.text}` is `{checked.type}`, which is no range"
        hint = "use an index: `for (int i = 0; i < n; i++)`"
        raise CompileError(what, node.range.span, hint)
    return statement(made, scope)


def _name(text: str, node: RangeLoop) -> tree.Name:
    return tree.Name(text, span=node.range.span)


def _auto(
    name: str, value: tree.Expression, reference: bool = False, const: bool = False
) -> Variable:
    kind = tree.Storage.LOCAL
    symbol = tree.Symbol(name, Auto(), kind, value.span, const, reference)
    return Variable(symbol, value, span=value.span)


def _loop(
    node: RangeLoop,
    start: tuple[tree.Statement, ...],
    test: tree.Expression,
    value: tree.Expression,
) -> tree.Loop:
    """Return a loop whose variable is `value` in each iteration."""
    variable: tree.Statement
    if isinstance(node.variable, Bindings):
        whole = replace(node.variable.whole, value=value)
        variable = replace(node.variable, whole=whole)
    else:
        variable = replace(node.variable, value=value)
    body = Scoped((variable, node.body), span=node.body.span)
    step = tree.Increment("++", True, _name(_AT, node), span=node.range.span)
    return tree.Loop("for", start, test, step, body, node.unroll, span=node.span)


def _over_array(node: RangeLoop, ctype: Array, const: bool) -> tree.Statement:
    if ctype.length is None:
        what = f"nobody knows how long `{node.range.span.text}` is"
        raise CompileError(what, node.range.span, "use an index")
    span = node.range.span
    symbol = tree.Symbol(_AT, INT, tree.Storage.LOCAL, span)
    start = Variable(symbol, tree.Literal(0, span=span, type=INT), span=span)
    length = tree.Literal(ctype.length, span=span, type=INT)
    test = tree.Binary("<", _name(_AT, node), length, span=span)
    value = tree.Index(_name(_RANGE, node), _name(_AT, node), span=span)
    loop = _loop(node, (start,), test, value)
    whole = _auto(_RANGE, node.range, reference=True, const=const)
    return Scoped((whole, loop), span=node.span)


def _over_list(node: RangeLoop, values: InitializerList, scope: Scope) -> tree.Statement:
    """Return a loop over an array that has the values of a list."""
    if not values.values or isinstance(values.values[0], InitializerList):
        hint = "make an array of it"
        raise CompileError("nothing says of which type this list is", values.span, hint)
    ctype = Array(scopes.value(values.values[0], scope).type, len(values.values))
    symbol = tree.Symbol(_LIST, ctype, tree.Storage.LOCAL, values.span)
    array = Variable(symbol, None, values.values, span=values.span)
    return Scoped((array, replace(node, range=tree.Name(_LIST, span=values.span))), span=node.span)


def _over_object(node: RangeLoop) -> tree.Statement:
    span = node.range.span
    first = _auto(_AT, Method(node.range, "begin", (), span=span))
    last = _auto(_END, Method(node.range, "end", (), span=span))
    test = tree.Binary("!=", _name(_AT, node), _name(_END, node), span=span)
    value = tree.Deref(_name(_AT, node), span=span)
    return Scoped((last, _loop(node, (first,), test, value)), span=node.span)
