"""Which loops may wait for other threads although they count or search on the way.

A decoupled look-back walks from tile to tile and waits at each; a consumer counts what it got from
a queue that may be empty. Their text does not tell whether they wait, so the launch watches them.
"""

from __future__ import annotations

from collections.abc import Iterator

from simulator.ir import tree
from simulator.ir.walk import children, walk


def may_listen(loop: tree.Loop) -> bool:
    """Whether what other threads write may decide how often the loop, which counts no turns, runs.

    A loop that steps a variable of its own test in every turn comes to its end by itself.
    """
    return not _counts(loop) and _hears(loop)


def _counts(loop: tree.Loop) -> bool:
    tested = set(_variables(loop.test)) if loop.test is not None else set()
    steps = [] if loop.step is None else [loop.step]
    steps += [node.expression for node in _always(loop.body) if isinstance(node, tree.Evaluate)]
    return any(
        tested.intersection(_variables(node.target))
        for step in steps
        for node in walk(step)
        if isinstance(node, (tree.CompoundAssign, tree.Increment))
    )


def _always(body: tree.Statement) -> Iterator[tree.Node]:
    """The statements that every turn comes to; none where `continue` may skip them."""
    if any(isinstance(node, tree.Continue) for node in walk(body)):
        return
    if isinstance(body, tree.Block):
        for node in children(body):
            if isinstance(node, tree.Statement):
                yield from _always(node)
    else:
        yield body


def _variables(node: tree.Node) -> Iterator[tree.Symbol]:
    return (n.symbol for n in walk(node) if isinstance(n, tree.Name) and n.symbol is not None)


def _hears(node: tree.Node, depth: int = 0) -> bool:
    """Whether there are atomics or volatile accesses below, functions that are called included."""
    for inner in walk(node):
        if isinstance(inner, tree.Call):
            if inner.name.startswith("atomic"):
                return True
            body = inner.function.body if inner.function is not None and depth < _DEEPEST else None
            if body is not None and _hears(body, depth + 1):
                return True
        if isinstance(inner, tree.Expression) and tree.is_volatile(inner):
            return True
    return False


#: How many calls below the loop are looked at; functions may call themselves.
_DEEPEST = 4
