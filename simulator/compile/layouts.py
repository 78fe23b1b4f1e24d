"""What structures are made of: their leaves, and the dtypes of a kernel's structures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import TypeVar

from simulator.ir import tree
from simulator.ir.types import Array, CType, Pointer, Struct, size_of
from simulator.ir.walk import walk

Item = TypeVar("Item")


@dataclass(frozen=True)
class Leaf:
    """A number or pointer at the bottom of a structure.

    `path` leads to it by names and indices, as in `box.corners.3.x`, which `label` writes as C
    does, `.box.corners[3].x`; `accessor` picks it out of an array of structures, `scalar_accessor`
    out of one structure; `offset` counts bytes.
    """

    path: str
    label: str
    type: CType
    offset: int
    accessor: str
    scalar_accessor: str

    @property
    def name(self) -> str:
        """The path as a part of a Python name."""
        return self.path.replace(".", "_")


@lru_cache(maxsize=256)
def leaves(ctype: Struct) -> tuple[Leaf, ...]:
    """The leaves of a structure in the order of memory; nested arrays count as one long one."""
    return tuple(_leaves(ctype, Leaf("", "", ctype, 0, "", ""), False))


@lru_cache(maxsize=256)
def units(ctype: Struct) -> tuple[Leaf, ...]:
    """What moves by one access each: leaves, and structures within that move whole."""
    return tuple(_leaves(ctype, Leaf("", "", ctype, 0, "", ""), True))


@lru_cache(maxsize=256)
def leaves_by_path(ctype: Struct) -> dict[str, Leaf]:
    """The leaves of a structure, each under its path."""
    return {leaf.path: leaf for leaf in leaves(ctype)}


@lru_cache(maxsize=256)
def padding(ctype: CType) -> frozenset[int]:
    """The bytes of a structure that belong to no member."""
    if not isinstance(ctype, Struct):
        return frozenset()
    used = {at for leaf in leaves(ctype) for at in range(leaf.offset, _end(leaf))}
    return frozenset(range(ctype.size)) - used


def _end(leaf: Leaf) -> int:
    return leaf.offset + size_of(leaf.type)


def _leaves(ctype: Struct, to: Leaf, whole: bool) -> Iterator[Leaf]:
    for name, inner, at in ctype.members:
        field = f"[{name!r}]"
        of, count = innermost(inner)
        for index in range(count):
            array = isinstance(inner, Array)
            leaf = Leaf(
                f"{to.path}{name}" + f".{index}" * array,
                f"{to.label}.{name}" + f"[{index}]" * array,
                of,
                to.offset + at + index * size_of(of),
                to.accessor + field + f"[..., {index}]" * array,
                to.scalar_accessor + field + f"[{index}]" * array,
            )
            if isinstance(of, Struct) and not (whole and of.whole):
                yield from _leaves(of, replace(leaf, path=leaf.path + "."), whole)
            else:
                yield leaf


def innermost(ctype: CType) -> tuple[CType, int]:
    """What a (nested) array has at its bottom, and how many; of other types, one of itself."""
    count = 1
    while isinstance(ctype, Array):
        count *= ctype.length or 0
        ctype = ctype.of
    return ctype, count


def elements_of(node: tree.Expression) -> Iterator[tree.Expression]:
    """The innermost elements of an array's list of values."""
    if isinstance(node, tree.Aggregate) and isinstance(node.type, Array):
        for inner in node.values:
            yield from elements_of(inner)
    else:
        yield node


def under(name: str, members: dict[str, Item]) -> dict[str, Item]:
    """The leaves of one member, their paths from there."""
    start = name + "."
    return {
        path.removeprefix(start): leaf for path, leaf in members.items() if path.startswith(start)
    }


@lru_cache(maxsize=16)
def reached(kernel: tree.Function) -> dict[tree.Function, tuple[tree.Node, ...]]:
    """A kernel and all functions that it calls, directly or not, each with its nodes."""
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


def variables_of(kernel: tree.Function) -> tuple[tree.Symbol, ...]:
    """The variables outside functions that a kernel uses."""
    outer = (tree.Storage.CONSTANT, tree.Storage.DEVICE)
    names = (node for node in nodes_of(kernel) if isinstance(node, tree.Name))
    used = {n.symbol: None for n in names if n.symbol is not None and n.symbol.storage in outer}
    return tuple(used)


def outer_shared(kernel: tree.Function) -> tuple[tree.Symbol, ...]:
    """The shared variables outside functions that a kernel uses."""
    nodes = list(nodes_of(kernel))
    own = {node.symbol for node in nodes if isinstance(node, tree.Declaration)}
    names = (node.symbol for node in nodes if isinstance(node, tree.Name))
    used = {s: None for s in names if s is not None and s.storage is tree.Storage.SHARED}
    return tuple(symbol for symbol in used if symbol not in own)


def has_shared(kernel: tree.Function) -> bool:
    """Whether a kernel has shared variables, in itself or in what it calls."""
    declared = (node.symbol for node in nodes_of(kernel) if isinstance(node, tree.Declaration))
    shared = any(symbol.storage is tree.Storage.SHARED for symbol in declared)
    return shared or bool(outer_shared(kernel))


def structures_of(kernel: tree.Function) -> set[Struct]:
    """Every structure that a kernel has to do with."""
    found: set[Struct] = set()
    for symbol in kernel.parameters:
        _collect(symbol.type, found)
    for node in nodes_of(kernel):
        if isinstance(node, tree.Expression):
            _collect(node.type, found)
        elif isinstance(node, tree.Declaration):
            _collect(node.symbol.type, found)
    return found


def _collect(ctype: CType, found: set[Struct]) -> None:
    while isinstance(ctype, Pointer | Array):
        ctype = ctype.to if isinstance(ctype, Pointer) else ctype.of
    if isinstance(ctype, Struct) and ctype.members and ctype not in found:
        found.add(ctype)
        for _, inner, _ in ctype.members:
            _collect(inner, found)
