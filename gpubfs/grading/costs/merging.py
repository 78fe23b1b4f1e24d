"""Loads that a compiler makes one of: equal ones of a loop, and those that a loop need not repeat.

What is read from the source is read in the student's favour. Equal expressions of one loop count
once, even if a store between them keeps a compiler from merging them; an expression that its loop
does not change counts nothing in a loop that writes nothing to memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.ir import tree
from simulator.ir.walk import walk
from simulator.read import read
from simulator.source import Source, Span

if TYPE_CHECKING:
    from simulator.observe.counters import Site

#: Functions that write nothing, besides those whose names begin like these.
HARMLESS = (
    "min",
    "max",
    "abs",
    "__popc",
    "__ffs",
    "__clz",
    "__brev",
    "__ldg",
    "__shfl",
    "__ballot",
)


def merged_loads(sites: Sequence[Site]) -> int:
    """The load requests that are left when equal ones of a loop are one.

    Parameters
    ----------
    sites : sequence of Site
        The places of a run; their spans lead to the file, which is read again.
    """
    most: dict[tuple[object, ...], int] = {}
    for site in sites:
        if site.kind != "load":
            continue
        loop = _loop_around(site.span)
        if loop is not None and _unchanged(site.span, loop):
            continue
        place = None if loop is None else (loop.span.line, loop.span.column)
        key = (site.span.source.name, place, "".join(site.span.text.split()))
        most[key] = max(most.get(key, 0), site.requests)
    return sum(most.values())


def _loop_around(span: Span) -> tree.Loop | None:
    """The innermost loop in which a place is executed in each turn."""
    around = [loop for loop in _loops(span.source) if _in(span, loop)]
    return max(around, key=lambda loop: (loop.span.line, loop.span.column), default=None)


def _in(span: Span, loop: tree.Loop) -> bool:
    starts = any(_within(span, part.span) for part in loop.start)
    return _within(span, loop.span) and not starts


def _within(inner: Span, outer: Span) -> bool:
    begins = (outer.line, outer.column) <= (inner.line, inner.column)
    return begins and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)


def _unchanged(span: Span, loop: tree.Loop) -> bool:
    """Whether a load gives the same in each turn, because nothing that it depends on is written."""
    parts = [node for node in walk(loop) if not any(node is part for part in loop.start)]
    written = {_target(node) for node in parts} - {None}
    if "" in written:
        return False
    declared = {node.symbol.name for node in parts if isinstance(node, tree.Declaration)}
    names = {
        node.name for node in parts if isinstance(node, tree.Name) and _within(node.span, span)
    }
    return not names & (written | declared)


def _target(node: tree.Node) -> str | None:
    """The variable that a node writes, "" for memory, None if it writes nothing."""
    if isinstance(node, tree.Call):
        return None if node.name.startswith(HARMLESS) else ""
    if isinstance(node, tree.Assign | tree.CompoundAssign | tree.Increment):
        return node.target.name if isinstance(node.target, tree.Name) else ""
    return None


@lru_cache(maxsize=8)
def _loops(source: Source) -> tuple[tree.Loop, ...]:
    """The loops of a file; it has been read before, with the headers beside it."""
    folder = Path(source.name).parent
    files = (file for file in folder.iterdir() if file.suffix in (".cu", ".cuh"))
    unit = read(source, {}, {file.name: file.read_text(encoding="utf-8") for file in files})
    nodes = (node for item in unit.items for node in walk(item))
    return tuple(n for n in nodes if isinstance(n, tree.Loop) and n.span.source.name == source.name)
