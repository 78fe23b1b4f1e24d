"""`-default-device`: what has no execution space is the device's."""

from __future__ import annotations

from dataclasses import replace

from simulator.ir.symbols import Storage
from simulator.ir.types import Scalar
from simulator.ir.unchecked import Definition, Item, Prototype, Template, Unit, Variable

_SPACES = frozenset(["__global__", "__device__", "__host__"])
_MEMORIES = frozenset(["__device__", "__constant__", "__shared__", "__managed__", "extern"])


def on_device(unit: Unit) -> Unit:
    """The program with `__device__` before all functions and variables that do not say where.

    Examples
    --------
    >>> from simulator.read import read
    >>> from simulator.source import Source
    >>> program = on_device(read(Source("int half(int x) { return x / 2; }")))
    >>> "__device__" in program.items[0].head.words
    True
    """
    return replace(unit, items=tuple(map(_item, unit.items)))


def _item(item: Item) -> Item:
    if isinstance(item, Template):
        inner = _item(item.item)
        assert isinstance(inner, Prototype | Definition)
        return replace(item, item=inner)
    if isinstance(item, Definition):
        return replace(item, head=_head(item.head))
    if isinstance(item, Prototype):
        return _head(item)
    return _variable(item) if isinstance(item, Variable) else item


def _head(head: Prototype) -> Prototype:
    if head.words & _SPACES:
        return head
    return replace(head, words=head.words | {"__device__"})


def _variable(node: Variable) -> Variable:
    """Numbers that are constant stay what they are: they need no memory."""
    number = node.symbol.const and isinstance(node.symbol.type, Scalar)
    if node.words & _MEMORIES or number or "constexpr" in node.words:
        return node
    symbol = replace(node.symbol, storage=Storage.DEVICE)
    return replace(node, symbol=symbol, words=node.words | {"__device__"})
