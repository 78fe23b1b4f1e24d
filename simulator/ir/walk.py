"""Walk over trees: the children of a node, and all nodes below it, without recursion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any

from simulator.ir import tree


@cache
def _field_names(cls: Any) -> tuple[str, ...]:
    return tuple(
        field.name for field in fields(cls) if field.name not in ("span", "type", "symbol")
    )


def children(node: tree.Node) -> Iterator[tree.Node]:
    """The nodes directly below `node`, in source order; a call does not lead into its function."""
    kind: Any = type(node)
    for name in _field_names(kind):
        value = getattr(node, name)
        for child in value if isinstance(value, tuple) else (value,):
            if isinstance(child, tree.Node) and not isinstance(child, tree.Function):
                yield child


def walk(root: tree.Node) -> Iterator[tree.Node]:
    """`root` and everything below it, each node before its children."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(list(children(node))))


def deepest(root: tree.Node, limit: int) -> tree.Node | None:
    """A node more than `limit` levels below `root`, None if there is none."""
    waiting = [(root, 0)]
    while waiting:
        node, level = waiting.pop()
        if level > limit:
            return node
        waiting.extend((child, level + 1) for child in children(node))
    return None
