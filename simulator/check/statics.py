"""Variables of functions that are `static`: each is one for all threads, in global memory."""

from __future__ import annotations

from dataclasses import replace

from simulator.check.declarations import typed
from simulator.check.declared_types import destroys, has_auto
from simulator.check.file_variables import leaves
from simulator.check.scopes import Scope, plain_name
from simulator.ir import tree
from simulator.ir.unchecked import Variable
from simulator.source import CompileError

_WORDS = frozenset({"static", "__device__"})


def declare(node: Variable, scope: Scope) -> None:
    """Declare a static variable, with its place in global memory."""
    assert scope.frame is not None
    symbol, key = node.symbol, (scope.frame.name, node.symbol.span)
    statics = scope.shared.statics
    if key not in statics:
        statics[key] = _checked(node, scope)
    elif scope.here(symbol.name) is None:
        scope.declare(symbol.name, statics[key].symbol)


def _checked(node: Variable, scope: Scope) -> tree.Declaration:
    symbol = node.symbol
    if symbol.reference or has_auto(symbol.type):
        what = f"the static variable `{symbol.name}` needs a type of its own"
        raise CompileError(what, symbol.span, "write the type, without `&` and `auto`")
    place = replace(symbol, storage=tree.Storage.DEVICE)
    checked = typed(replace(node, symbol=place, specifiers=node.specifiers - _WORDS), scope)
    for value in leaves(checked):
        if not isinstance(value, tree.Literal):
            what = f"the first value of the static variable `{symbol.name}` is not constant"
            raise CompileError(what, value.span, "no thread would be the first: write a number")
    if destroys(checked.symbol.type, scope):
        what = f"the static variable `{symbol.name}` has a destructor, which nobody calls"
        raise CompileError(what, symbol.span, "make it a thread's own variable")
    named = replace(checked.symbol, name=_whole_name(symbol.name, scope))
    scope.replace(symbol.name, named)
    return replace(checked, symbol=named)


def _whole_name(name: str, scope: Scope) -> str:
    """Return a name for messages that no other variable has."""
    assert scope.frame is not None
    whole = f"{plain_name(scope.frame.name)}::{name}"
    taken = {one.symbol.name for one in scope.shared.statics.values()}
    others = (f"{whole} {number}" for number in range(2, len(taken) + 3))
    return next(one for one in (whole, *others) if one not in taken)
