"""What accesses mean to other threads: which of them poll, which atomics build on what they find.

A thread polls where the result of a load or of an atomic decides whether a loop goes on that only
memory can end: a flag that is waited for, a lock that is tried again, the state of a tile that a
look-back waits for.
"""

from __future__ import annotations

from collections.abc import Iterator

from simulator.compile.spin_loops import choice, exits, may_listen, may_wait, mentions, settings
from simulator.ir import tree
from simulator.ir.walk import children, walk

#: Atomics that store what they are given, or nothing.
_REPLACING = frozenset({"atomicExch", "atomicCAS"})
#: Atomics that change nothing if they are given 0.
_NEUTRAL_ZERO = frozenset({"atomicAdd", "atomicSub", "atomicOr", "atomicXor"})

Names = set[tree.Symbol]


def combines(node: tree.Call) -> bool:
    """Whether what an atomic leaves in memory is made of what it finds there."""
    if node.name in _REPLACING:
        return False
    given = node.arguments[-1]
    zero = isinstance(given, tree.Literal) and given.value == 0
    return not (zero and node.name in _NEUTRAL_ZERO)


def polled_in(function: tree.Function) -> frozenset[tree.Expression]:
    """The expressions of a function whose values decide whether its loops go on that may wait."""
    found: set[tree.Expression] = set()
    for node in walk(function.body):
        if isinstance(node, tree.Loop) and (may_wait(node) or may_listen(node)):
            found |= _polled_by(node, function)
    return frozenset(found)


def _polled_by(loop: tree.Loop, function: tree.Function) -> set[tree.Expression]:
    """What decides about one loop: conditions, and what the variables in them are set to.

    Also before the loop: a value that is read once more if it will not do is read first there.
    """
    found = {*exits(loop), *_skips(loop.body)}
    names: Names = set().union(*map(mentions, found))
    inside = list(_settings_below(loop, ()))
    known = -1
    while known != len(names):
        known = len(names)
        for symbol, expressions in inside:
            if symbol in names:
                found.update(expressions)
                names |= set().union(*map(mentions, expressions))
    for symbol, expressions in _settings_below(function.body, ()):
        if symbol in names:
            found.add(expressions[0])
    return found


def _settings_below(
    node: tree.Node, choices: tuple[tree.Expression, ...]
) -> Iterator[tuple[tree.Symbol, tuple[tree.Expression, ...]]]:
    """The variables set below, each with the expression that does it and what decides about it."""
    for symbol, value in settings(node):
        source = node if isinstance(node, tree.Expression) else value
        if source is not None:
            yield symbol, (source, *choices)
    test = None if isinstance(node, tree.Loop) else choice(node)
    inner = choices if test is None else (*choices, test)
    for child in children(node):
        yield from _settings_below(child, choices if child is test else inner)


def _skips(body: tree.Node) -> Iterator[tree.Expression]:
    """The conditions under which an iteration is given up by `continue`."""
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tree.Loop):  # whose iterations are others
            continue
        test = choice(node)
        if test is not None and any(isinstance(n, tree.Continue) for n in walk(node)):
            yield test
        waiting += children(node)
