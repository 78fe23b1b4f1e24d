"""Check lists of values: C's rules for which value goes to which member or element.

Inner braces may be left out, as in `int a[2][2] = {1, 2, 3, 4}`; what is left out at the end of a
structure or array is zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from simulator.check import dispatch
from simulator.check.scopes import COORDINATES, Scope
from simulator.ir import tree
from simulator.ir.conversions import cast, convert, dim3
from simulator.ir.group_types import check_list
from simulator.ir.types import DIM3, INT, VECTORS, Array, CType, Struct
from simulator.ir.unchecked import InitializerList
from simulator.source import CompileError, Span


def first_value(node: tree.Expression, ctype: CType, what: str, scope: Scope) -> tree.Expression:
    """A checked value of type `ctype` from an expression or a list; `what` names it in messages.

    Raises
    ------
    CompileError
        if it cannot be one
    """
    if isinstance(node, InitializerList):
        return from_list(node, ctype, scope)
    if ctype == VECTORS["uint3"] and isinstance(node, tree.Name):
        node = _whole(node, scope)
    return convert(dispatch.value(node, scope), ctype, what)


def _whole(node: tree.Name, scope: Scope) -> tree.Expression:
    """`make_uint3` of the axes of threadIdx or its kin; any other name as it is."""
    if node.name not in COORDINATES or scope.lookup(node.name) is not None:
        return node
    axes = tuple(tree.Member(node, axis, span=node.span) for axis in "xyz")
    return tree.Call("make_uint3", axes, span=node.span)


def from_list(node: InitializerList, ctype: CType, scope: Scope) -> tree.Expression:
    """What `{…}` makes of a `ctype`.

    Raises
    ------
    CompileError
        if there are too many values, or values of other types
    """
    check_list(ctype, node.span)
    cursor = _Cursor(node, scope)
    if not node.values and ctype != DIM3:
        return zero(ctype, node.span)
    if ctype == DIM3:
        return dim3([dispatch.value(v, scope) for v in node.values], node.span)
    copied = cursor.whole(ctype)
    if copied is not None and len(node.values) == 1:
        return copied
    if isinstance(ctype, Struct | Array):
        result: tree.Expression = cursor.aggregate(ctype)
    else:
        result = convert(dispatch.value(node.values[0], scope), ctype, "this value")
        cursor.at = 1
    cursor.check_end(ctype)
    return result


def elements(node: InitializerList, ctype: Array, scope: Scope) -> Iterator[tree.Expression]:
    """The innermost elements, structures, of the array that a list makes, up to the list's end.

    Raises
    ------
    CompileError
        as `from_list`
    """
    cursor = _Cursor(node, scope)
    for _ in range(ctype.length or 0):
        if cursor.done:
            break
        yield from _flat(cursor.part(ctype.of))
    cursor.check_end(ctype)


def rows(node: InitializerList, of: CType, scope: Scope) -> int:
    """How many elements of type `of` a list has values for."""
    cursor, count = _Cursor(node, scope), 0
    while not cursor.done:
        cursor.part(of)
        count += 1
    return count


def _flat(node: tree.Expression) -> Iterator[tree.Expression]:
    if isinstance(node, tree.Aggregate) and isinstance(node.type, Array):
        for inner in node.values:
            yield from _flat(inner)
    else:
        yield node


@dataclass
class _Cursor:
    """A list that is used up from its start."""

    list: InitializerList
    scope: Scope
    at: int = 0

    @property
    def done(self) -> bool:
        """Whether no value is left."""
        return self.at == len(self.list.values)

    def check_end(self, ctype: CType) -> None:
        """Refuse values that are left."""
        if not self.done:
            what = f"{len(self.list.values)} values do not fit `{ctype}`"
            raise CompileError(what, self.list.span)

    def part(self, ctype: CType) -> tree.Expression:
        """The next member or element: a list of its own, one value, or several for its parts."""
        if self.done:
            return zero(ctype, self.list.span)
        node = self.list.values[self.at]
        if isinstance(node, InitializerList):
            self.at += 1
            if not isinstance(ctype, Struct | Array):
                raise CompileError("a list stands where one value is needed", node.span)
            return from_list(node, ctype, self.scope)
        if not isinstance(ctype, Struct | Array):
            self.at += 1
            return convert(dispatch.value(node, self.scope), ctype, "this value")
        copied = self.whole(ctype)
        if copied is None:
            return self.aggregate(ctype)
        self.at += 1
        return copied

    def whole(self, ctype: CType) -> tree.Expression | None:
        """The next value, if it is a structure of the very type."""
        node = self.list.values[self.at]
        if not isinstance(ctype, Struct) or isinstance(node, InitializerList):
            return None
        checked = dispatch.value(node, self.scope)
        return checked if checked.type == ctype else None

    def aggregate(self, ctype: Struct | Array) -> tree.Aggregate:
        """A structure or array whose parts are the next values."""
        parts = tuple(self.part(inner) for inner in _parts(ctype))
        return tree.Aggregate(parts, span=self.list.span, type=ctype)


def _parts(ctype: Struct | Array) -> list[CType]:
    if isinstance(ctype, Struct):
        return [inner for _, inner, _ in ctype.members]
    return [ctype.of] * (ctype.length or 0)


def zero(ctype: CType, span: Span) -> tree.Expression:
    """A value all of whose bits are zero."""
    if isinstance(ctype, Struct | Array):
        parts = tuple(zero(inner, span) for inner in _parts(ctype))
        return tree.Aggregate(parts, span=span, type=ctype)
    return cast(tree.Literal(0, span=span, type=INT), ctype)
