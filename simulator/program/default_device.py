"""`-default-device`: what has no execution space is the device's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from simulator.ir import tree
from simulator.ir.tree import Storage
from simulator.ir.types import Scalar
from simulator.ir.unchecked import (
    Definition,
    Item,
    Prototype,
    Structure,
    Template,
    Unit,
    Variable,
)

_SPACES = frozenset(["__global__", "__device__", "__host__"])
_MEMORIES = frozenset(["__device__", "__constant__", "__shared__", "__managed__", "extern"])


def on_device(unit: Unit) -> Unit:
    """Put `__device__` before all functions and variables that do not say where they are."""
    return replace(unit, items=tuple(map(_item, unit.items)))


def _item(item: Item) -> Item:
    if isinstance(item, Template):
        inner: Any = _item(item.item)
        return replace(item, item=inner)
    if isinstance(item, Structure) and item.content is not None:
        members = tuple(_member(one) for one in item.content.members)
        friends = tuple(_member(one) for one in item.content.friends)
        return replace(item, content=replace(item.content, members=members, friends=friends))
    if isinstance(item, Definition):
        return replace(item, head=_head(item.head))
    if isinstance(item, Prototype):
        return _head(item)
    return _variable(item) if isinstance(item, Variable) else item


def _member(node: tree.Node) -> tree.Node:
    kinds = Prototype | Definition | Template | Structure
    return _item(node) if isinstance(node, kinds) else node


def _head(head: Prototype) -> Prototype:
    if head.specifiers & _SPACES:
        return head
    return replace(head, specifiers=head.specifiers | {"__device__"})


def _variable(node: Variable) -> Variable:
    """Numbers that are constant stay what they are: they need no memory."""
    number = node.symbol.const and isinstance(node.symbol.type, Scalar)
    if node.specifiers & _MEMORIES or number or "constexpr" in node.specifiers:
        return node
    symbol = replace(node.symbol, storage=Storage.DEVICE)
    return replace(node, symbol=symbol, specifiers=node.specifiers | {"__device__"})
