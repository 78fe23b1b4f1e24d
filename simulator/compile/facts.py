"""What can be read off a function before it is compiled.

Which variables change, and how it returns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from simulator.builtins import lowering_of
from simulator.builtins.lowerings import Atomic, LaneTable, TileSize, WarpFunction
from simulator.compile.spin_loops import choice, exits, may_spin, mentions, settings, spins
from simulator.ir import tree
from simulator.ir.conversions import variable_in
from simulator.ir.types import Pointer, Scalar, Struct
from simulator.ir.walk import children, walk

# What accesses mean to other threads: which of them poll, which atomics build on what they find.
#
# A thread polls where the result of a load or of an atomic decides whether a loop goes on that only
# memory can end: a flag that is waited for, a lock that is tried again, the state of a tile that a
# look-back waits for.


Names = set[tree.Symbol]


def combines(how: Atomic, node: tree.Call) -> bool:
    """Whether what an atomic leaves in memory is made of what it finds there."""
    if how.replaces:
        return False
    given = node.arguments[-1]
    zero = isinstance(given, tree.Literal) and given.value == 0
    return not (zero and how.neutral_zero)


def polled_in(function: tree.Function) -> frozenset[tree.Expression]:
    """Return the expressions whose values decide whether loops go on that may wait."""
    found: set[tree.Expression] = set()
    for node in walk(function.body):
        if isinstance(node, tree.Loop) and (spins(node) or may_spin(node)):
            found |= _polled_by(node, function)
    return frozenset(found)


def _polled_by(loop: tree.Loop, function: tree.Function) -> set[tree.Expression]:
    """Return what decides about one loop: conditions, and what the variables in them are set to.

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
    """Yield the variables set below, each with the expression that sets it and what decides."""
    for symbol, value in settings(node):
        source = node if isinstance(node, tree.Expression) else value
        if source is not None:
            yield symbol, (source, *choices)
    test = None if isinstance(node, tree.Loop) else choice(node)
    inner = choices if test is None else (*choices, test)
    for child in children(node):
        yield from _settings_below(child, choices if child is test else inner)


def _skips(body: tree.Node) -> Iterator[tree.Expression]:
    """Yield the conditions under which an iteration is given up by `continue`."""
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tree.Loop):  # whose iterations are others
            continue
        test = choice(node)
        if test is not None and any(isinstance(n, tree.Continue) for n in walk(node)):
            yield test
        waiting += children(node)


@dataclass(frozen=True)
class Facts:
    """`written`: variables assigned after their declaration; `addressed`.

    Variables that are no arrays and whose address is taken. `shuffled`: those whose value a shuffle
    takes, by itself; lanes that nobody reads from need not have one.

    `early_return`: some return is not the last statement; `return_in_loop`: some return stands in a
    loop. `polled`: expressions that decide how long loops wait for other threads.
    """

    written: frozenset[tree.Symbol]
    addressed: frozenset[tree.Symbol]
    shuffled: frozenset[tree.Symbol]
    early_return: bool
    return_in_loop: bool
    polled: frozenset[tree.Expression]


@lru_cache(maxsize=256)
def facts_of(function: tree.Function) -> Facts:
    """Read the facts off a checked function."""
    written, addressed = set(), set()
    references: list[tree.Declaration] = []
    nodes = tuple(walk(function.body))
    for node in nodes:
        if isinstance(node, (tree.Assign, tree.CompoundAssign, tree.Increment)):
            written |= _variable(node.target)
        elif isinstance(node, tree.AddressOf):
            named = _variable(node.operand)
            written |= named
            addressed |= {s for s in named if isinstance(s.type, (Scalar, Pointer, Struct))}
        elif isinstance(node, tree.Declaration) and node.symbol.reference and node.value:
            written |= _variable(node.value)
            references.append(node)
        elif isinstance(node, tree.Call) and node.function is not None:
            for parameter, argument in zip(node.function.parameters, node.arguments, strict=True):
                if parameter.reference:
                    written |= _variable(argument)
                    if node.function.recursive or parameter in facts_of(node.function).addressed:
                        addressed |= _variable(argument)
    addressed |= _referred(references, addressed)
    returns = [n for n in nodes if isinstance(n, tree.Return)]
    last = function.body.body[-1] if function.body.body else None
    loops = [n for n in nodes if isinstance(n, tree.Loop)]
    in_loop = any(isinstance(n, tree.Return) for loop in loops for n in walk(loop))
    early = any(r is not last for r in returns)
    sets = frozenset(written), frozenset(addressed), _shuffled(nodes)
    return Facts(*sets, early, in_loop, polled_in(function))


def _shuffled(nodes: tuple[tree.Node, ...]) -> frozenset[tree.Symbol]:
    found: set[tree.Symbol] = set()
    for node in nodes:
        how = lowering_of(node)
        if isinstance(node, tree.Call) and isinstance(how, WarpFunction) and how.shuffles:
            value = node.arguments[1]
            found |= _variable(value.operand if isinstance(value, tree.Cast) else value)
    return frozenset(found)


def _referred(references: list[tree.Declaration], addressed: set[tree.Symbol]) -> set[tree.Symbol]:
    """Return what local references refer to whose address is taken."""
    found = set(addressed)
    for node in reversed(references):
        if node.symbol in found and node.value is not None:
            found |= _variable(node.value)
    return found


def _variable(node: tree.Expression) -> set[tree.Symbol]:
    """Return the variable that an lvalue is, or is a member of."""
    while isinstance(node, tree.Member):
        node = node.base
    return {node.symbol} if isinstance(node, tree.Name) and node.symbol is not None else set()


def may_change(function: tree.Function, symbol: tree.Symbol) -> bool:
    """Whether arrays in the structure `symbol` may be written: assigned to, or used as pointers."""
    indexed = {id(node.base) for node in walk(function.body) if isinstance(node, tree.Index)}
    for node in walk(function.body):
        if isinstance(node, tree.Decay) and id(node) not in indexed and variable_in(node) is symbol:
            return True
        if any(variable_in(lvalue) is symbol for lvalue in _given_away(node)):
            return True
    return False


def _given_away(node: tree.Node) -> tuple[tree.Expression, ...]:
    """Return the lvalues that a node itself writes, or lets others write."""
    if isinstance(node, tree.Assign | tree.CompoundAssign | tree.Increment):
        return (node.target,)
    if isinstance(node, tree.AddressOf):
        return (node.operand,)
    if isinstance(node, tree.Declaration) and node.symbol.reference and node.value is not None:
        return (node.value,)
    if isinstance(node, tree.Call) and node.function is not None:
        pairs = zip(node.function.parameters, node.arguments, strict=True)
        return tuple(argument for parameter, argument in pairs if parameter.reference)
    return ()


def is_pure(node: tree.Node) -> bool:
    """Whether lanes that do not need `node` may evaluate it: no accesses, effects or faults."""
    if isinstance(node, tree.Name):
        assert node.symbol is not None
        held = node.symbol.storage in (tree.Storage.LOCAL, tree.Storage.PARAMETER)
        return held and not node.symbol.reference
    if isinstance(node, tree.Call):
        return isinstance(lowering_of(node), LaneTable | TileSize)
    if isinstance(node, tree.Member):
        return node.name.startswith("group ") and is_pure(node.base)
    if isinstance(node, tree.Binary) and node.op in ("/", "%"):  # of integers by zero: a fault
        floats = isinstance(node.type, Scalar) and node.type.is_float
        return floats and is_pure(node.left) and is_pure(node.right)
    return isinstance(node, _PURE) and all(map(is_pure, children(node)))


#: What is pure if all its parts are.
_PURE = (
    *(tree.Literal, tree.Builtin, tree.Unary, tree.Cast),
    *(tree.Binary, tree.Logical, tree.Conditional),
)
