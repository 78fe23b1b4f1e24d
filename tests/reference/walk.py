"""The nodes of a program's tree: what lies within one, and which names it uses and declares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from tests.reference import blocks, exchanges
from tests.reference import statements as st
from tests.reference.expressions import ArrayName, Expr, Variable
from tests.reference.guards import KNOWN, Bounded, Call, Own

Place = tuple[Any, str, int | None]


def places(node: Any) -> Iterator[tuple[Place, Any]]:
    """Every child of `node` and where it stands: its parent, the field, the place in a list."""
    for spot in fields(node):
        value = getattr(node, spot.name)
        if isinstance(value, (Expr, st.Stmt)):
            yield (node, spot.name, None), value
        elif isinstance(value, list):
            for at, item in enumerate(value):
                if isinstance(item, (Expr, st.Stmt)):
                    yield (node, spot.name, at), item


def children(node: Any) -> Iterator[Any]:
    return (child for _, child in places(node)) if is_dataclass(node) else iter(())


def within(node: Any) -> Iterator[Any]:
    """The node and all below it."""
    yield node
    for child in children(node):
        yield from within(child)


def names(node: Any) -> set[str]:
    """All names that a node uses itself, not those of its children."""
    found: list[Any] = []
    if isinstance(node, (Variable, ArrayName, Call)):
        found = [node.name]
    elif isinstance(node, Bounded):
        found = [node.limit, node.base]
    elif isinstance(node, Own):
        found = [node.turn]
    elif isinstance(node, exchanges.Ticket):
        found = [node.marks]
    elif isinstance(node, exchanges.Fill):
        found = [node.name]
    elif isinstance(node, blocks.BlockCall):
        found = [node.function]
    elif isinstance(node, blocks.LastBlock):
        found = ["pt", "dn", "ls"]
    return {n for n in found if n and isinstance(n, str)}


_DECLARING = (*(st.Declare, st.DeclareArray, exchanges.Exchange, blocks.BlockCall),)


def declared(node: Any) -> str:
    """The name that a statement declares, empty for others."""
    if isinstance(node, _DECLARING) or (isinstance(node, st.Barrier) and node.test is not None):
        return str(node.name)
    return ""


def undeclared(node: Any, known: set[str]) -> set[str]:
    """The names that are used where C does not know them; `known` grows by what `node` declares."""
    inner = set(known) if isinstance(node, (st.Body, st.Loop)) else known
    missing = names(node) - inner
    for child in node.parts() if isinstance(node, exchanges.Phase) else children(node):
        missing |= undeclared(child, inner)
    if name := declared(node):
        inner.add(name)
    return missing


def unknown(program: Any) -> set[str]:
    """The names that a program uses without declaring them."""
    functions = {f.name for f in program.functions}
    missing: set[str] = set()
    for function in program.functions:
        missing |= undeclared(function.body, functions | {p.name for p in function.parameters})
    for kernel in program.kernels:
        known = {*functions, *KNOWN, *kernel.arrays, *kernel.numbers, *kernel.shared}
        missing |= undeclared(kernel.body, known)
    return missing
