"""Structured bindings: names for the members of a structure, or the elements of an array."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from simulator.check import members, scopes
from simulator.check.declarations import variable
from simulator.check.initializers import copied_elements
from simulator.check.scopes import Scope, Substitute, base_name
from simulator.check.statements import statement
from simulator.check.structures import member_of
from simulator.ir import tree
from simulator.ir.conversions import as_lvalue, as_value
from simulator.ir.types import INT, Array, CType, Struct
from simulator.ir.unchecked import Bindings, Checked, Forwarded
from simulator.source import CompileError


@statement.register
def _bindings(node: Bindings, scope: Scope) -> tree.Statement:
    made = _whole(node, scope)
    symbol = made.symbol
    whole = tree.Name(symbol.name, symbol, span=symbol.span, type=symbol.type)
    parts = list(_parts(node, whole, scope))
    if len(parts) != len(node.names):
        what = f"`{symbol.type}` has {len(parts)} parts, and {len(node.names)} names stand here"
        raise CompileError(what, node.span, "give each part a name")
    for name, part in zip(node.names, parts, strict=True):
        scope.declare(name.name, Substitute(part, name.span, part=True))
    return made


def _whole(node: Bindings, scope: Scope) -> tree.Declaration:
    """Declare what is bound: a copy of the value, or a reference."""
    first = node.whole
    if first.value is None:
        raise CompileError("structured bindings need a value", node.span, "write it behind `=`")
    refers = first.symbol.reference or isinstance(first.symbol.type, Forwarded)
    checked = as_lvalue(scopes.expression(first.value, scope))
    if isinstance(checked.type, Array) and not refers:
        symbol = replace(first.symbol, type=checked.type)
        scope.declare(symbol.name, symbol)
        elements = tuple(tree.elements_of(copied_elements(checked, checked.type, scope)))
        return tree.Declaration(symbol, None, elements, span=node.span)
    given = Checked(checked, span=first.value.span, type=checked.type)
    return variable(replace(first, value=given), scope)


def _parts(node: Bindings, whole: tree.Name, scope: Scope) -> Iterator[tree.Expression]:
    ctype: CType = whole.type
    if isinstance(ctype, Array):
        first = as_value(whole)
        for at in range(ctype.length or 0):
            number = tree.Literal(at, span=whole.span, type=INT)
            yield tree.Index(first, number, span=whole.span, type=ctype.of)
    elif isinstance(ctype, Struct):
        owner = scope.shared.classes.get(ctype)
        if ctype.union or any(name.startswith("<") for name, _, _ in ctype.members):
            what = f"`{ctype}` has no parts that could be named apart: there is a union"
            raise CompileError(what, node.span, "name its members one by one")
        bases = set(map(base_name, owner.bases)) if owner is not None else set()
        for name, _, _ in ctype.members:
            if name in bases:
                what = f"the members of `{ctype}` are not all its own: it has a base"
                raise CompileError(what, node.span, "name its members one by one")
            if owner is not None:
                members.check_access(owner, name, node.span, scope)
            yield member_of(whole, name, whole.span)
    else:
        what = f"`{ctype}` has no parts that could be named"
        raise CompileError(what, node.span, "structures and arrays have")
