"""Atomics of which NVIDIA's compiler makes one for a whole warp.

Where it sees that all lanes of a warp aim at one address, it lets them add up first, by votes or by
a reduction, and one lane does the atomic. What it sees was read from the machine code that NVRTC
13.0 and 13.5 make for the architecture sm_90.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from simulator.builtins import lowering_of
from simulator.builtins.lowerings import SUM, Atomic, Elementwise
from simulator.compile.context import facts_of
from simulator.ir import tree
from simulator.ir.events import ALWAYS, WHOLE_WARPS
from simulator.ir.tree import children, nodes_of, reached
from simulator.ir.types import Scalar, size_of


@lru_cache(maxsize=256)
def merged_atomics(kernel: tree.Function) -> Mapping[tree.Node, str]:
    """Return the atomics of a checked kernel that are merged, each with when.

    The rules, in the order in which `_when` asks, were read from machine code; what follows the
    colons is the likely reason:

    1. Only integers at an address that is the same for all lanes: floats round in each addition.
    2. A sum of a value that is the same for all lanes is that value times their number: ALWAYS, for
       each lane's result follows from how many stand before it.
    3. Beyond 32 bits a warp has no instructions to reduce or scan: never.
    4. If the result is not used, one reduction of the warp is enough: ALWAYS.
    5. Else each lane needs the sum of those before it. Sums are scanned, which takes all lanes:
       WHOLE_WARPS. Other operations are left as they are.
    """
    uniform = _Uniform(kernel)
    unused = {node.expression for node in nodes_of(kernel) if isinstance(node, tree.Evaluate)}
    found = {
        node: _when(node, how.merges == SUM, node in unused, uniform)
        for node in nodes_of(kernel)
        if isinstance(node, tree.Call)
        and isinstance(how := lowering_of(node), Atomic)
        and how.merges
    }
    return {node: when for node, when in found.items() if when}


def _when(node: tree.Call, sums: bool, unused: bool, uniform: _Uniform) -> str:
    pointer, *values = node.arguments
    if not (isinstance(node.type, Scalar) and node.type.is_integer and uniform(pointer)):
        return ""
    if sums and all(map(uniform, values)):
        return ALWAYS
    if size_of(node.type) > 4:
        return ""
    if unused:
        return ALWAYS
    return WHOLE_WARPS if sums else ""


class _Uniform:
    """Whether an expression is the same for all lanes of a warp, as far as it is written so.

    A variable is if it is set once, to something that is; a parameter if all calls give such. A
    reference is at one address if all that it may refer to is.
    """

    def __init__(self, kernel: tree.Function) -> None:
        given: dict[tree.Symbol, list[tree.Expression]] = {s: [] for s in kernel.parameters}
        written = set().union(*(facts_of(function).written for function in reached(kernel)))
        for node in nodes_of(kernel):
            for symbol, value in _given(node):
                given.setdefault(symbol, []).append(value)
        self._symbols = {s for s in given if s not in written and not s.reference}
        self._references = {s for s in given if s.reference}
        while unlike := self._unlike(given):
            self._symbols -= unlike
            self._references -= unlike

    def _unlike(self, given: Mapping[tree.Symbol, list[tree.Expression]]) -> set[tree.Symbol]:
        """Return variables and references that differ after all by what is given to them."""
        values = {s for s in self._symbols if not all(map(self, given[s]))}
        return values | {s for s in self._references if not all(map(self._same_address, given[s]))}

    def __call__(self, node: tree.Expression) -> bool:
        match node:
            case tree.Literal():
                return True
            case tree.Builtin():
                return node.name != "threadIdx"
            case tree.Name():
                return node.symbol in self._symbols or _of_all(node)
            case tree.Decay() | tree.AddressOf():
                return self._same_address(node.operand)
            case tree.Index() | tree.Deref():
                return not tree.is_volatile(node) and self._same_address(node)
            case tree.Call() if not isinstance(lowering_of(node), Elementwise):
                return False
        return isinstance(node, _COMPOSED) and all(map(self, _expressions(node)))

    def _same_address(self, node: tree.Expression) -> bool:
        """Whether an lvalue has the same address for all lanes."""
        if isinstance(node, tree.Name) and node.symbol in self._references:
            return True
        if isinstance(node, tree.Name | tree.Decay):
            return _of_all(node)
        if isinstance(node, tree.Member):
            return self._same_address(node.base)
        return isinstance(node, tree.Index | tree.Deref) and all(map(self, _expressions(node)))


def _given(node: tree.Node) -> Iterator[tuple[tree.Symbol, tree.Expression]]:
    """Yield the values that variables and parameters get."""
    if isinstance(node, tree.Declaration) and node.value is not None:
        yield node.symbol, node.value
    elif isinstance(node, tree.Call) and node.function is not None:
        yield from zip(node.function.parameters, node.arguments, strict=True)


def _of_all(node: tree.Expression) -> bool:
    """Whether it is a variable that threads share: outside functions, or their block's."""
    return (
        isinstance(node, tree.Name) and node.symbol is not None and node.symbol.storage in _SHARED
    )


def _expressions(node: tree.Expression) -> Iterator[tree.Expression]:
    return (child for child in children(node) if isinstance(child, tree.Expression))


_SHARED = (tree.Storage.DEVICE, tree.Storage.CONSTANT, tree.Storage.SHARED)
#: What is the same for all lanes if all its parts are.
_COMPOSED = (
    *(tree.Unary, tree.Cast, tree.Binary, tree.Logical, tree.Conditional),
    *(tree.Member, tree.Aggregate, tree.Call),
)
