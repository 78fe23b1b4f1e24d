"""Walk over trees: the children of a node, and all nodes below it, without recursion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache, lru_cache
from itertools import chain
from typing import Any

from simulator.ir import tree


@cache
def _field_names(cls: Any) -> tuple[str, ...]:
    return tuple(
        field.name for field in fields(cls) if field.name not in ("span", "type", "symbol")
    )


def children(node: tree.Node) -> Iterator[tree.Node]:
    """Yield the nodes directly below `node`, in source order; calls are not followed."""
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
    """Find a node more than `limit` levels below `root`, None if there is none."""
    waiting = [(root, 0)]
    while waiting:
        node, level = waiting.pop()
        if level > limit:
            return node
        waiting.extend((child, level + 1) for child in children(node))
    return None


@lru_cache(maxsize=16)
def reached(kernel: tree.Function) -> dict[tree.Function, tuple[tree.Node, ...]]:
    """List a kernel and all functions that it calls, directly or not, each with its nodes."""
    waiting, seen = [kernel], {kernel}
    found = {}
    while waiting:
        function = waiting.pop()
        nodes = found[function] = tuple(walk(function.body))
        for called in (node.function for node in nodes if isinstance(node, tree.Call)):
            if called is not None and called not in seen:
                seen.add(called)
                waiting.append(called)
    return found


def nodes_of(kernel: tree.Function) -> Iterator[tree.Node]:
    """All nodes of a kernel and of the functions that it calls, directly or not."""
    return chain.from_iterable(reached(kernel).values())
