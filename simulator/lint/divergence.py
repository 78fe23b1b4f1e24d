"""Barriers that stand in a branch or a loop on which the threads of a block disagree."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.ir import tree
from simulator.ir.walk import children, walk
from simulator.source import Diagnostic

_BARRIERS = frozenset(
    ["__syncthreads", "__syncthreads_count", "__syncthreads_and", "__syncthreads_or"]
)

THREAD = "threadIdx"

#: What values are computed from: a variable, or threadIdx itself.
Source = tree.Symbol | str

Warnings = Iterator[Diagnostic]


def divergent_barriers(program: tree.Program) -> Warnings:
    """A warning for each barrier below a condition that depends on threadIdx.

    That is meant in the plain sense: threadIdx stands in the condition, or a variable that was
    computed from it.
    """
    waiting = _with_barriers(program)
    for function in program.functions.values():
        varying = _varying(function)
        yield from _below(function.body, None, varying, waiting)


def _with_barriers(program: tree.Program) -> set[str]:
    """The functions with a barrier in them, or in what they call."""
    calls = {
        name: {node.name for node in walk(function.body) if isinstance(node, tree.Call)}
        for name, function in program.functions.items()
    }
    found = {name for name, called in calls.items() if called & _BARRIERS}
    while more := {name for name, called in calls.items() if called & found} - found:
        found |= more
    return found


def _varying(function: tree.Function) -> set[tree.Symbol]:
    """The variables of a function whose values are computed from threadIdx."""
    given = [pair for node in walk(function.body) if (pair := _assigned(node)) is not None]
    sources = [(symbol, set(_sources(value))) for symbol, value in given]
    varying: set[Source] = {THREAD}
    while more := {symbol for symbol, read in sources if read & varying} - varying:
        varying |= more
    return {symbol for symbol in varying if isinstance(symbol, tree.Symbol)}


def _assigned(node: tree.Node) -> tuple[tree.Symbol, tree.Expression] | None:
    """A variable and the value that a node gives it."""
    if isinstance(node, tree.Declaration) and node.value is not None:
        return node.symbol, node.value
    if not isinstance(node, tree.Assign | tree.CompoundAssign):
        return None
    target = node.target
    if isinstance(target, tree.Name) and target.symbol is not None:
        return target.symbol, node.value
    return None


def _sources(node: tree.Node) -> Iterator[Source]:
    """The variables in a value, and threadIdx; what a barrier returns is the same for a block."""
    if isinstance(node, tree.Builtin) and node.name == THREAD:
        yield THREAD
    elif isinstance(node, tree.Name) and node.symbol is not None:
        yield node.symbol
    elif not isinstance(node, tree.Call) or node.name not in _BARRIERS:
        for child in children(node):
            yield from _sources(child)


def _below(
    node: tree.Node, branch: tree.Expression | None, varying: set[tree.Symbol], waiting: set[str]
) -> Warnings:
    """The warnings for the barriers in `node`, which stands under the condition `branch`."""
    if isinstance(node, tree.Call) and branch is not None and node.name in _BARRIERS | waiting:
        yield _warning(node, branch)
    for child in children(node):
        test = _condition(node, child)
        splits = test is not None and {THREAD, *varying} & set(_sources(test))
        yield from _below(child, test if splits else branch, varying, waiting)


def _condition(node: tree.Node, child: tree.Node) -> tree.Expression | None:
    """The condition of `node` under which its part `child` runs."""
    if isinstance(node, tree.If):
        return None if child is node.test else node.test
    if isinstance(node, tree.Loop):
        return None if child is node.test or child in node.start else node.test
    if isinstance(node, tree.Switch):
        return None if child is node.selector else node.selector
    return None


def _warning(node: tree.Call, test: tree.Expression) -> Diagnostic:
    condition = f"`{test.span.text}` in line {test.span.line}"
    what = f"`{node.name}` waits where only some threads may come: {condition}"
    hint = "move it out of that branch or loop: every thread of the block must reach it"
    return Diagnostic(what, node.span.starting(node.name), hint)
