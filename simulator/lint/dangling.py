"""Functions that return the address of a variable of their own, which ends with the call."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.ir import tree
from simulator.ir.types import Pointer
from simulator.ir.walk import walk
from simulator.source import Diagnostic

Values = dict[tree.Symbol, list[tree.Expression]]


def dangling(function: tree.Function) -> Iterator[Diagnostic]:
    """A warning for each `return` of such an address, also by a pointer that holds nothing else."""
    if not isinstance(function.result, Pointer):
        return
    values = _values(function)
    for node in walk(function.body):
        if isinstance(node, tree.Return) and node.value is not None:
            for symbol in dict.fromkeys(_owners(node.value, values, frozenset())):
                what = f"`{function.name}` returns the address of its own variable `{symbol.name}`"
                hint = "it ends with the call: return its value, or let the caller pass an array"
                yield Diagnostic(what, node.value.span, hint)


def _values(function: tree.Function) -> Values:
    """What each variable is set to."""
    found: Values = {}
    for node in walk(function.body):
        if isinstance(node, tree.Declaration) and node.value is not None:
            found.setdefault(node.symbol, []).append(node.value)
        elif isinstance(node, tree.Assign):
            symbol = node.target.symbol if isinstance(node.target, tree.Name) else None
            if symbol is not None:
                found.setdefault(symbol, []).append(node.value)
    return found


def _owners(
    node: tree.Expression, values: Values, seen: frozenset[tree.Symbol]
) -> Iterator[tree.Symbol]:
    """The variables of the function that a pointer may point to."""
    if isinstance(node, tree.Cast):
        yield from _owners(node.operand, values, seen)
    elif isinstance(node, tree.Binary) and isinstance(node.left.type, Pointer):
        yield from _owners(node.left, values, seen)
    elif isinstance(node, tree.Conditional):
        yield from _owners(node.then, values, seen)
        yield from _owners(node.other, values, seen)
    elif isinstance(node, tree.Decay | tree.AddressOf):
        yield from _root(node.operand)
    elif isinstance(node, tree.Name) and node.symbol is not None and node.symbol not in seen:
        for value in values.get(node.symbol, []):
            yield from _owners(value, values, seen | {node.symbol})


def _root(node: tree.Expression) -> Iterator[tree.Symbol]:
    """The variable of the function that a place is in."""
    while isinstance(node, tree.Member | tree.Index | tree.Decay):
        node = node.operand if isinstance(node, tree.Decay) else node.base
    if isinstance(node, tree.Name) and node.symbol is not None:
        symbol = node.symbol
        own = symbol.storage in (tree.Storage.LOCAL, tree.Storage.PARAMETER)
        if own and not symbol.reference and not isinstance(symbol.type, Pointer):
            yield symbol
