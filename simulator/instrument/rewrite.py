"""Where a text must be changed so that it counts: insertions around the sites of a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NoReturn

import numpy as np

from simulator.builtins import ROWS, lowering_of
from simulator.builtins.lowerings import (
    Access,
    Atomic,
    Barrier,
    ClusterBarrier,
    GridBarrier,
    MatrixLoad,
    MatrixStore,
    SurfaceRead,
    TextureFetch,
)
from simulator.compile.values import units
from simulator.ir import tree
from simulator.ir.constants import folded
from simulator.ir.conversions import bits_of
from simulator.ir.events import EventSite
from simulator.ir.matrices import LAYOUTS, fragment_of
from simulator.ir.tree import walk
from simulator.ir.types import Pointer, Struct, size_of
from simulator.lanes.matrices import Transfer, transfer
from simulator.source import CompileError, Span

Place = tuple[int, int, int, int]
Key = tuple[Place, str]

#: Accesses that the simulator counts, and where they may go.
COUNTED = ("load", "store", "atomic")

SPACES = {"global": "GB_GLOBAL", "shared": "GB_SHARED", "generic": "GB_ANYWHERE"}

#: Sites that need no counting there: of a cluster's barrier the wait is what counts.
_UNCOUNTED = ("cluster arrival", "product")

#: Whose barriers are counted.
BARRIERS = {
    "barrier": "GB_OF_BLOCK",
    "cluster barrier": "GB_OF_CLUSTER",
    "grid barrier": "GB_OF_GRID",
}


@dataclass(frozen=True)
class Edit:
    """Text to put before and behind a stretch of the source; of `skipped` text nothing is left.

    Of edits around the same stretch the one of the lowest `rank` is outermost.
    """

    span: Span
    before: str
    behind: str
    rank: int = 0
    skipped: bool = False


@dataclass(frozen=True)
class Counted:
    """One location that counts: all sites of the kernels' plans that stand there."""

    number: int
    kind: str
    span: Span
    size: int
    space: str
    array: str
    volatile: bool

    @property
    def suffix(self) -> str:
        """What the functions of counting.cuh for such memory end in."""
        return "_volatile" if self.volatile else ""


def places(sites: Iterable[EventSite]) -> dict[Key, Counted]:
    """Return the places of sites, numbered; one whose sites go to different spaces goes anywhere.

    What only goes to threads' own arrays or to constant memory is not counted.
    """
    together: dict[Key, list[EventSite]] = {}
    for site in sites:
        together.setdefault((place_of(site.span), site.kind), []).append(site)
    found: dict[Key, Counted] = {}
    for key, own in together.items():
        spaces, arrays = ({getattr(site, name) for site in own} for name in ("space", "array"))
        if own[0].kind in COUNTED and not spaces & set(SPACES):
            continue
        if own[0].kind in _UNCOUNTED:
            continue
        space = own[0].space if len(spaces) == 1 else "generic"
        array = own[0].array if len(arrays) == 1 else ""
        facts = (own[0].kind, own[0].span, own[0].size, space, array, own[0].volatile)
        found[key] = Counted(len(found), *facts)
    return found


def place_of(span: Span) -> Place:
    """Return what makes two spans of one text the same."""
    return span.line, span.column, span.end_line, span.end_column


class Rewriter:
    """Finds what must be inserted where.

    Parameters
    ----------
    found : mapping
        The places that count, from `places`.

    Attributes
    ----------
    rows : list of Counted
        These places by their numbers, and those of the parts of structures.
    tables : list of str
        Variables that the edits name, one a line.
    """

    def __init__(self, found: Mapping[Key, Counted]) -> None:
        self.rows = sorted(found.values(), key=lambda counted: counted.number)
        self.tables: list[str] = []
        self._found = found
        self._done: set[Key] = set()

    def edits(self, program: tree.Program) -> Iterator[Edit]:
        """Yield the edits of a checked program.

        Raises
        ------
        CompileError
            for an access that is in the plan and not in the tree, where one is wrong
        """
        for function in program.functions.values():
            for node in walk(function):
                edit = getattr(self, f"_{type(node).__name__}", None)
                if edit is not None:
                    yield from edit(node)
        missed = [counted for key, counted in self._found.items() if key not in self._done]
        if missed:
            first = min(missed, key=lambda counted: place_of(counted.span))
            what = f"this {first.kind} cannot be counted on a GPU yet"
            raise CompileError(what, first.span, "write it in another way")

    def _take(self, span: Span, kind: str) -> Counted | None:
        """Return the place of this kind there, the first time that it is asked for."""
        key = place_of(span), kind
        if key in self._done or key not in self._found:
            return None
        self._done.add(key)
        return self._found[key]

    def _DeviceLaunch(self, node: tree.DeviceLaunch) -> NoReturn:
        """Refuse launches by kernels: `gb_work` has no elements for the threads of their grids."""
        what = "kernels that launch kernels cannot be counted on a GPU yet"
        raise CompileError(what, node.span, "count on the simulator, or launch it from the host")

    def _AsmBlock(self, node: tree.AsmBlock) -> Iterator[Edit]:
        """Refuse `asm` with something to count; the operands that it reads are plain C."""
        counted = {place for place, _ in self._found}
        does = (step for step in node.body if not isinstance(step, tree.Declaration))
        if any(place_of(inner.span) in counted for step in does for inner in walk(step)):
            what = "`asm` that accesses memory, branches or waits cannot be counted on a GPU yet"
            raise CompileError(what, node.span, "write it in C, or count on the simulator")
        return iter(())

    # Conditions.

    def _If(self, node: tree.If) -> Iterator[Edit]:
        yield from self._branch(node.test, node.test.span)

    def _Conditional(self, node: tree.Conditional) -> Iterator[Edit]:
        if place_of(node.span) == place_of(node.test.span):
            if isinstance(node.type, Pointer):  # to a base: a null pointer stays one
                return
            what = "a group that may be a block or a part of one cannot be counted on a GPU yet"
            raise CompileError(what, node.span, "take a thread_block or a tile, not a thread_group")
        yield from self._branch(node.test, node.test.span)

    def _Loop(self, node: tree.Loop) -> Iterator[Edit]:
        if node.test is not None:
            yield from self._branch(node.test, node.test.span)

    def _Logical(self, node: tree.Logical) -> Iterator[Edit]:
        # The lanes part by the left side; the plan says so where the right side stands.
        yield from self._branch(node.left, node.right.span)

    def _branch(self, test: tree.Expression, span: Span) -> Iterator[Edit]:
        if branch := self._take(span, "branch"):
            yield Edit(test.span, "gb_branch((bool)(", f"), {branch.number})")

    def _Switch(self, node: tree.Switch) -> Iterator[Edit]:
        if branch := self._take(node.selector.span, "branch"):
            yield Edit(node.selector.span, "gb_switch(", f", {branch.number})")

    def _Block(self, node: tree.Block) -> Iterator[Edit]:
        for declared, tests in pairwise(node.body):
            if isinstance(declared, tree.Declaration) and _test_of(tests) == declared.span:
                yield from self._declared(declared, isinstance(tests, tree.Switch))

    def _declared(self, node: tree.Declaration, switch: bool) -> Iterator[Edit]:
        """Yield a variable that is declared as a condition: its value is what is tested."""
        if node.value is None or not (branch := self._take(node.span, "branch")):
            return
        if node.symbol.reference:
            what = "a reference that is declared as a condition cannot be counted on a GPU yet"
            raise CompileError(what, node.span, "declare it before, and test it by its name")
        converted = isinstance(node.value, tree.Cast) and not node.value.explicit
        kind = f"<{node.symbol.type}>" if converted else ""
        function = "gb_switch" if switch else "gb_declared"
        yield Edit(node.value.span, f"{function}{kind}(", f", {branch.number})")

    # Accesses.

    def _Assign(self, node: tree.Assign) -> Iterator[Edit]:
        if isinstance(node.target, tree.Word):
            return
        if store := self._take(node.span, "store"):
            yield self._at(node.target, node.span, store)

    def _CompoundAssign(self, node: tree.CompoundAssign | tree.Increment) -> Iterator[Edit]:
        load = self._found.get((place_of(node.target.span), "load"))
        store = self._take(node.span, "store")
        if store and load:
            _check_address(node.target)
            self._done.add((place_of(node.target.span), "load"))
            store = _through(node.target, store)
            numbers = f"{load.number}, {store.number}, {SPACES[store.space]}"
            before = f"(*gb_both{store.suffix}(&("
            yield Edit(node.target.span, before, f"), {numbers}))", rank=2)

    _Increment = _CompoundAssign

    def _Index(self, node: tree.Expression) -> Iterator[Edit]:
        if load := self._take(node.span, "load"):
            yield self._at(node, node.span, load)

    _Member = _Name = _Index

    def _Word(self, node: tree.Word) -> Iterator[Edit]:
        for kind in ("load", "store"):
            if counted := self._take(node.span, kind):
                space = SPACES[counted.space]
                behind = f", {size_of(node.type)}, {node.count}, {counted.number}, {space})"
                yield Edit(node.span, "gb_words(", behind)

    def _Deref(self, node: tree.Deref) -> Iterator[Edit]:
        # What `p->` follows has the span of `p`: a load there is the pointer's own.
        if place_of(node.span) != place_of(node.pointer.span):
            yield from self._Index(node)

    def _at(self, lvalue: tree.Expression, whole: Span, counted: Counted) -> Edit:
        """Return the edit of what is loaded or stored; `whole` is the span of the access."""
        _check_address(lvalue)
        counted = _through(lvalue, counted)
        if isinstance(lvalue.type, Struct) and not lvalue.type.whole:
            return self._parts(lvalue, lvalue.type, counted)
        numbers = f", {counted.number}, {SPACES[counted.space]})"
        if isinstance(lvalue, tree.Deref) and _is_access(whole.text):
            return Edit(lvalue.pointer.span, f"gb_at{counted.suffix}(", numbers, rank=1)
        return Edit(lvalue.span, f"(*gb_at{counted.suffix}(&(", f"){numbers})", rank=2)

    def _parts(self, lvalue: tree.Expression, ctype: Struct, counted: Counted) -> Edit:
        """Return the edit of a structure that moves by several accesses, each of which counts."""
        behind, parts = ")", units(ctype)
        array = counted.array.removesuffix(parts[0].label)
        for part in parts:
            size, label = size_of(part.type), array and array + part.label
            row = replace(counted, number=len(self.rows), size=size, array=label)
            self.rows.append(row)
            behind += f", {part.offset}, {size}, {row.number}, {SPACES[row.space]})"
        return Edit(lvalue.span, f"(*{'gb_part(' * len(parts)}&(", f"{behind})", rank=2)

    def _Call(self, node: tree.Call) -> Iterator[Edit]:
        how = lowering_of(node)
        if isinstance(how, Atomic) and (atomic := self._take(node.span, "atomic")):
            yield _atomic(how, node, atomic)
        if isinstance(how, MatrixLoad | MatrixStore):
            yield from self._matrix(how, node)
        if isinstance(how, Barrier | ClusterBarrier | GridBarrier):
            for kind, whose in BARRIERS.items():
                if barrier := self._take(node.span, kind):
                    before = f"({how.counted}({barrier.number}, {whose}), "
                    yield Edit(node.span, before, ")", rank=1)

    def _matrix(self, how: MatrixLoad | MatrixStore, node: tree.Call) -> Iterator[Edit]:
        """Yield the edit of a load or a store by a warp, whose accesses stand in a table."""
        loads = isinstance(how, MatrixLoad)
        counted = self._take(node.span, "load" if loads else "store")
        if counted is None:
            return
        first, second, ldm, *layout = node.arguments
        pointer, fragment = (second, first) if loads else (first, second)
        moved = _moved(node, fragment, layout, counted.space == "shared")
        if any(isinstance(n, tree.Assign | tree.Increment | tree.Call) for n in walk(ldm)):
            what = f"`{ldm.span.text}` is evaluated twice where it is counted on a GPU"
            raise CompileError(what, ldm.span, "put it into a variable first")
        table = f"gb_places_{counted.number}"
        starts = np.stack([moved.first_lines, moved.first_starts], axis=2).ravel().tolist()
        values = ", ".join(map(str, starts))
        self.tables.append(f"__constant__ unsigned char {table}[] = {{{values}}};")
        numbers = f"{moved.accesses}, {moved.size}, {counted.number}, {SPACES[counted.space]}"
        behind = f", {ldm.span.text}, {table}, {numbers})"
        yield Edit(pointer.span, "gb_matrix(", behind, rank=1)


def _moved(
    node: tree.Call, fragment: tree.Expression, layout: list[tree.Expression], shared: bool
) -> Transfer:
    """Return what a load or a store of a fragment accesses."""
    kind = fragment_of(fragment.type)
    assert kind is not None
    order = kind.layout
    for one in layout:
        known = folded(one)
        if not isinstance(known, tree.Literal):
            what = "a layout that is a variable cannot be counted on a GPU yet"
            raise CompileError(what, one.span, "write mem_row_major or mem_col_major")
        order = LAYOUTS[int(known.value)]
    return transfer(node.name, kind, order, shared)


def _is_access(text: str) -> bool:
    """Whether a load or a store is written as a function of a pointer.

    `__ldg(p)` is such, and so is a fetch that stores its value: `tex2D<float>(p, texture, x, y)`.
    """
    row = ROWS.get(text.partition("(")[0].partition("<")[0].strip())
    return row is not None and isinstance(row.lowering, Access | TextureFetch | SurfaceRead)


def _test_of(node: tree.Statement) -> Span | None:
    """Where what a branch or a switch looks at stands."""
    if isinstance(node, tree.If):
        return node.test.span
    return node.selector.span if isinstance(node, tree.Switch) else None


def _check_address(lvalue: tree.Expression) -> None:
    """Refuse a bit field in memory, whose address C++ does not give."""
    if bits_of(lvalue) is not None:
        what = f"the bit field `{lvalue.span.text}` cannot be counted on a GPU yet"
        raise CompileError(what, lvalue.span, "count on the simulator")


def _through(lvalue: tree.Expression, counted: Counted) -> Counted:
    """Return the same, but anywhere if a reference may lead to a thread's own variable."""
    while isinstance(lvalue, tree.Member):
        lvalue = lvalue.base
    by_name = (
        isinstance(lvalue, tree.Name) and lvalue.symbol is not None and lvalue.symbol.reference
    )
    return replace(counted, space="generic") if by_name else counted


def _atomic(how: Atomic, node: tree.Call, atomic: Counted) -> Edit:
    pointer, space = node.arguments[0].span, SPACES[atomic.space]
    if not how.swaps:
        return Edit(pointer, f"{how.counted}(", f", {atomic.number}, {space})", rank=1)
    start, end = (node.span.line, node.span.column), (pointer.line, pointer.column)
    name = Span(node.span.source, *start, *end)
    return Edit(name, f"{how.counted}({atomic.number}, {space}, ", "", skipped=True)


def applied(text: str, offset: Callable[[int, int], int], changes: Iterable[Edit]) -> str:
    """Return the text with all edits made.

    Parameters
    ----------
    text : str
        The text.
    offset : callable
        The number of the character in a line and column.
    changes : iterable of Edit
        Edits around stretches of which one holds another, or neither.
    """
    puts: list[tuple[int, int, int, int, str]] = []
    holes: list[tuple[int, int]] = []
    for change in changes:
        span = change.span
        begin, end = offset(span.line, span.column), offset(span.end_line, span.end_column)
        if change.skipped:
            holes.append((begin, end))
        # What ends somewhere comes before what begins there; outer text opens first, closes last.
        puts.append((begin, 1, -end, change.rank, change.before))
        if change.behind:
            puts.append((end, 0, -begin, -change.rank, change.behind))
    return _joined(text, sorted(puts), sorted(holes))


def _joined(
    text: str, puts: list[tuple[int, int, int, int, str]], holes: list[tuple[int, int]]
) -> str:
    parts, at = [], 0
    rest = iter(holes)
    hole = next(rest, None)
    for begin, *_, put in puts:
        while hole is not None and hole[1] <= begin:
            parts.append(text[at : hole[0]])
            at, hole = hole[1], next(rest, None)
        parts.append(text[at:begin])
        parts.append(put)
        at = max(at, begin)
    if hole is not None:
        parts.append(text[at : hole[0]])
        at = hole[1]
    parts.append(text[at:])
    return "".join(parts)
