"""What can be read off a function before it is compiled.

Which variables change, and how it returns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from simulator.compile.functions import TABLES
from simulator.compile.messages import polled_in
from simulator.ir import tree
from simulator.ir.lvalues import variable_in
from simulator.ir.types import Pointer, Scalar, Struct
from simulator.ir.walk import children, walk


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
        if isinstance(node, tree.Call) and node.name.startswith("__shfl_"):
            value = node.arguments[1]
            found |= _variable(value.operand if isinstance(value, tree.Cast) else value)
    return frozenset(found)


def _referred(references: list[tree.Declaration], addressed: set[tree.Symbol]) -> set[tree.Symbol]:
    """What local references refer to whose address is taken."""
    found = set(addressed)
    for node in reversed(references):
        if node.symbol in found and node.value is not None:
            found |= _variable(node.value)
    return found


def _variable(node: tree.Expression) -> set[tree.Symbol]:
    """The variable that an lvalue is, or is a member of."""
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
    """The lvalues that a node itself writes, or lets others write."""
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
        return node.name in TABLES or node.name == "group tile size"
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
