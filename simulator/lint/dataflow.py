"""Warnings by what is computed where: addresses of variables that end, barriers not all reach."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.builtins import lowering_of
from simulator.builtins.lowerings import Barrier, ClusterBarrier, Lowering
from simulator.ir import tree
from simulator.ir.tree import children, walk
from simulator.ir.types import Pointer
from simulator.source import Diagnostic

# Functions that return the address of a variable of their own, which ends with the call.


Values = dict[tree.Symbol, list[tree.Expression]]


def dangling(function: tree.Function) -> Iterator[Diagnostic]:
    """Yield a warning for each `return` of such an address, even by way of a variable."""
    values = _values(function)
    for node in walk(function.body):
        if isinstance(node, tree.Return) and node.value is not None:
            for symbol in dict.fromkeys(_owners(node.value, values, frozenset())):
                what = f"`{function.name}` returns the address of its own variable `{symbol.name}`"
                hint = "it ends with the call: return its value, or let the caller pass an array"
                yield Diagnostic(what, node.value.span, hint)


def _values(function: tree.Function) -> Values:
    """Return what each variable is set to."""
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
    """Yield the variables of the function that a pointer may point to."""
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
    """Yield the variable of the function that an lvalue is in."""
    while isinstance(node, tree.Member | tree.Index | tree.Decay):
        node = node.operand if isinstance(node, tree.Decay) else node.base
    if isinstance(node, tree.Name) and node.symbol is not None:
        symbol = node.symbol
        own = symbol.storage in (tree.Storage.LOCAL, tree.Storage.PARAMETER)
        if own and not symbol.reference and not isinstance(symbol.type, Pointer):
            yield symbol


# Barriers that stand in a branch or a loop on which the threads of a block disagree.


THREAD = "threadIdx"

#: What values are computed from: a variable, or threadIdx itself.
Source = tree.Symbol | str


def divergent_barriers(program: tree.Program) -> Iterator[Diagnostic]:
    """Yield a warning for each barrier below a condition that depends on threadIdx.

    That is meant in the plain sense: threadIdx stands in the condition, or a variable that was
    computed from it.
    """
    waiting = _with_barriers(program)
    for function in program.functions.values():
        varying = _varying(function)
        yield from _below(function.body, None, varying, waiting)


def _with_barriers(program: tree.Program) -> set[str]:
    """Return the functions with a barrier in them, or in what they call."""
    calls = {
        name: [node for node in walk(function.body) if isinstance(node, tree.Call)]
        for name, function in program.functions.items()
    }
    found: set[str] = set()
    while (
        more := {n for n, called in calls.items() if any(_waits(c, found) for c in called)} - found
    ):
        found |= more
    return found


def _waits(node: tree.Node, waiting: set[str]) -> bool:
    """Whether a node is a barrier, or calls one of the functions `waiting`."""
    called = isinstance(node, tree.Call) and node.function is not None and node.name in waiting
    return called or is_barrier(node)


def is_barrier(node: tree.Node) -> bool:
    """Whether a node is a barrier of the block or of its cluster."""
    how = lowering_of(node)
    return isinstance(how, Barrier) or _of_cluster(how)


def _of_cluster(how: Lowering | None) -> bool:
    """Whether threads wait for all of their cluster."""
    return isinstance(how, ClusterBarrier) and how.waits


def _varying(function: tree.Function) -> set[tree.Symbol]:
    """Return the variables of a function whose values are computed from threadIdx."""
    given = [pair for node in walk(function.body) if (pair := _assigned(node)) is not None]
    sources = [(symbol, set(_sources(value))) for symbol, value in given]
    varying: set[Source] = {THREAD}
    while more := {symbol for symbol, read in sources if read & varying} - varying:
        varying |= more
    return {symbol for symbol in varying if isinstance(symbol, tree.Symbol)}


def _assigned(node: tree.Node) -> tuple[tree.Symbol, tree.Expression] | None:
    """Return a variable and the value that a node gives it."""
    if isinstance(node, tree.Declaration) and node.value is not None:
        return node.symbol, node.value
    if not isinstance(node, tree.Assign | tree.CompoundAssign):
        return None
    target = node.target
    if isinstance(target, tree.Name) and target.symbol is not None:
        return target.symbol, node.value
    return None


def _sources(node: tree.Node) -> Iterator[Source]:
    """Yield variables in a value, and threadIdx; what a barrier returns is the same for a block."""
    if isinstance(node, tree.Builtin) and node.name == THREAD:
        yield THREAD
    elif isinstance(node, tree.Name) and node.symbol is not None:
        yield node.symbol
    elif not is_barrier(node):
        for child in children(node):
            yield from _sources(child)


def _below(
    node: tree.Node, branch: tree.Expression | None, varying: set[tree.Symbol], waiting: set[str]
) -> Iterator[Diagnostic]:
    """Yield the warnings for the barriers in `node`, which stands under the condition `branch`."""
    if isinstance(node, tree.Call) and branch is not None and _waits(node, waiting):
        yield _warning(node, branch)
    for child in children(node):
        test = _condition(node, child)
        splits = test is not None and {THREAD, *varying} & set(_sources(test))
        yield from _below(child, test if splits else branch, varying, waiting)


def _condition(node: tree.Node, child: tree.Node) -> tree.Expression | None:
    """Return the condition of `node` under which its part `child` runs."""
    if isinstance(node, tree.If):
        return None if child is node.test else node.test
    if isinstance(node, tree.Loop):
        return None if child is node.test or child in node.start else node.test
    if isinstance(node, tree.Switch):
        return None if child is node.selector else node.selector
    return None


def _warning(node: tree.Call, test: tree.Expression) -> Diagnostic:
    condition = f"`{test.span.text}` in line {test.span.line}"
    of = "cluster" if _of_cluster(lowering_of(node)) else "block"
    span = node.span if of == "cluster" else node.span.starting(node.name)
    name = span.text if of == "cluster" else node.name
    what = f"`{name}` waits where only some threads may come: {condition}"
    hint = f"move it out of that branch or loop: every thread of the {of} must reach it"
    return Diagnostic(what, span, hint)
