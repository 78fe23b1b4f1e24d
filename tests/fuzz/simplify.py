"""The edit that puts simpler expressions in the place of others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tests.reference import expressions as ex
from tests.reference import statements as st
from tests.reference.blocks import Aim, BlockCall
from tests.reference.guards import Bounded, Call, Divisor, Ldg, Own
from tests.reference.program import Program
from tests.reference.types import BOOL
from tests.reference.walk import Place, places, within

Edit = Callable[[Program], None]


def roots(program: Program) -> list[st.Body]:
    """The bodies of all functions and kernels."""
    return [f.body for f in program.functions] + [k.body for k in program.kernels]


def nodes(program: Program) -> list[Any]:
    return [node for root in roots(program) for node in within(root)]


#: Fields that hold a place in memory, not a value.
_KEPT = (ex.Literal, ex.ArrayName, ex.Address, ex.Step, Own)
_PLACES = {"target", "base", "of", "counter", "sink", "pointer", "count", "step"}


def spots(node: Any) -> Iterator[tuple[Place, ex.Expr]]:
    """The expressions below a node that others of their type may replace."""
    for spot, child in places(node):
        if replaceable(spot, child):
            yield spot, child
        if not (isinstance(node, ex.Subscript) and spot[1] == "index" and not moves(child)):
            yield from spots(child)


def moves(index: Any) -> bool:
    """Whether an index may be any that its guard lets through, rather than a thread's own."""
    return isinstance(index, Bounded)


def replaceable(spot: Place, child: Any) -> bool:
    parent, name, _ = spot
    if not isinstance(child, ex.Expr) or isinstance(child, _KEPT):
        return False
    if isinstance(child, Aim):
        return True
    if isinstance(parent, (Call, BlockCall)) and isinstance(child, (ex.Variable, ex.Subscript)):
        return False
    if isinstance(parent, ex.Subscript) and name == "index":
        return moves(child) and not child.base
    return name not in _PLACES and not isinstance(parent, Ldg)


def simpler(program: Program) -> Iterator[Edit]:
    """Put a literal, or a part of the same type, in an expression's place."""
    every = [(r, s) for r, root in enumerate(roots(program)) for s, _ in enumerate(spots(root))]
    for root, at in every:
        _, node = list(spots(roots(program)[root]))[at]
        for which in range(len(replacements(node))):

            def replace(p: Program, root: int = root, at: int = at, which: int = which) -> None:
                spot, node = list(spots(roots(p)[root]))[at]
                put(spot, replacements(node)[which])

            yield replace


def put(spot: Place, node: Any) -> None:
    parent, name, at = spot
    if at is None:
        setattr(parent, name, node)
    else:
        getattr(parent, name)[at] = node


def replacements(node: ex.Expr) -> list[ex.Expr]:
    """What may stand for a node, shortest first."""
    if isinstance(node, Aim):
        return [node.then, node.other]
    found: list[ex.Expr] = [ex.Literal(node.type, value) for value in literals(node)]
    return found + sorted(parts(node, node.type), key=lambda e: len(e.c()))[:4]


def literals(node: ex.Expr) -> tuple[float, ...]:
    """The plainest values that a node may have."""
    if isinstance(node, (Divisor, Bounded)):
        return (1,) if isinstance(node, Divisor) else (0,)
    return (False, True) if node.type == BOOL else (0.0, 1.0) if node.type.real else (0, 1)


def parts(node: Any, of: Any) -> list[ex.Expr]:
    """The values of a type among a node's parts, but for what a guard holds."""
    if getattr(node, "guard", False):
        return []
    found: list[ex.Expr] = []
    for spot, child in places(node):
        if isinstance(child, ex.Expr) and spot[1] not in _PLACES:
            if child.type == of and not isinstance(child, (*_KEPT[1:], Aim)):
                found.append(child)
            found += parts(child, of)
    return found
