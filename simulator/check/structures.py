"""Check structures and where their members lie, enumerations, and static assertions."""

from __future__ import annotations

from simulator.check.declared_types import complete, element, has_auto, new_structure, resolved
from simulator.check.scopes import AliasOf, Scope, constant
from simulator.ir import tree
from simulator.ir.constants import wrapped
from simulator.ir.conversions import cast, is_group
from simulator.ir.types import (
    DIM3,
    INT,
    LLONG,
    UINT,
    ULLONG,
    VOID,
    Array,
    CType,
    Scalar,
    Struct,
    align_of,
    size_of,
)
from simulator.ir.unchecked import Enumeration, Enumerator, StaticAssertion, Structure
from simulator.source import CompileError

# Check enumerations, whose names are constants, and static assertions.


def enumeration(node: Enumeration, scope: Scope) -> tree.Statement:
    """Declare an enumeration's type, an integer's, and its names; the node stays as it is."""
    values = _values(node, scope)
    ctype = _underlying(node, [number for _, number in values], scope)
    scope.declare(node.name, AliasOf(ctype, node.span, tag=True))
    for item, number in values:
        literal = cast(tree.Literal(number, span=item.span, type=LLONG), ctype)
        assert isinstance(literal, tree.Literal)
        for name in _names(node, item):
            symbol = tree.Symbol(name, ctype, tree.Storage.LITERAL, item.span, const=True)
            scope.declare(name, symbol)
            scope.shared.constants[symbol] = literal
    return node


def _names(node: Enumeration, item: Enumerator) -> list[str]:
    """Return what an enumerator can be called."""
    return [f"{node.name}::{item.name.split('::')[-1]}", *([] if node.scoped else [item.name])]


def _values(node: Enumeration, scope: Scope) -> list[tuple[Enumerator, int]]:
    """Each name with its value, one more than the last where none is given."""
    inside, number = scope.inner(), -1
    found = []
    for item in node.enumerators:
        number += 1
        if item.value is not None:
            number = _given(item.value, inside)
        found.append((item, number))
        symbol = tree.Symbol(item.name, INT, tree.Storage.LITERAL, item.span, const=True)
        inside.declare(item.name, symbol)
        known = cast(tree.Literal(number, span=item.span, type=LLONG), _fitting([number]))
        assert isinstance(known, tree.Literal)
        scope.shared.constants[symbol] = known
    return found


def _given(node: tree.Expression, scope: Scope) -> int:
    value = constant(node, scope)
    if value is None or isinstance(value.value, float) or not isinstance(value.type, Scalar):
        what = f"the value `{node.span.text}` is not a constant integer"
        raise CompileError(what, node.span)
    return int(value.value)


def _underlying(node: Enumeration, values: list[int], scope: Scope) -> Scalar:
    if node.underlying is None:
        return INT if node.scoped and _fitting(values) == INT else _fitting(values)
    ctype = resolved(node.underlying, scope, node.span)
    if not isinstance(ctype, Scalar) or not ctype.is_integer:
        raise CompileError(f"an enumeration cannot be of type `{ctype}`", node.span)
    for item, number in zip(node.enumerators, values, strict=True):
        if wrapped(number, ctype) != number:
            raise CompileError(f"{number} does not fit `{ctype}`", item.span)
    return ctype


def _fitting(values: list[int]) -> Scalar:
    """Return the first of (unsigned) int and (unsigned) long long that holds all values."""
    candidates = (INT, UINT, LLONG, ULLONG)
    return next((t for t in candidates if all(wrapped(v, t) == v for v in values)), LLONG)


def static_assertion(node: StaticAssertion, scope: Scope) -> tree.Statement:
    """Hold a program to its own `static_assert`."""
    value = constant(node.condition, scope)
    if value is None:
        what = f"`{node.condition.span.text}` is not constant"
        raise CompileError(what, node.condition.span, "static_assert needs a constant")
    if not value.value:
        reason = f": {node.message}" if node.message else ""
        raise CompileError(f"static assertion failed{reason}", node.condition.span)
    return node


# Check structures: their members' types, and where C lays each member in memory.


MOST_ALIGNMENT = 16

#: The name and type of the member that a base class is.
Base = tuple[str, Struct]


def structure(node: Structure, scope: Scope) -> tree.Statement:
    """Declare or define a structure; the node stays as it is."""
    found = declared(node, scope)
    if node.fields is not None:
        lay_out(found, node, scope)
    return node


def lay_out(found: Struct, node: Structure, scope: Scope, base: Base | None = None) -> None:
    """Give a structure its members; that of a `base` comes first."""
    if found.size:
        hint = "choose another name"
        raise CompileError(f"`{found}` is defined twice", node.span, hint)
    assert node.fields is not None
    types = [(field.name, _type(field, scope), field) for field in node.fields]
    names = [name for name, _, _ in types]
    for at, (name, _, field) in enumerate(types):
        if name in names[:at]:
            raise CompileError(f"`{found}` has two members `{name}`", field.span)
    members = [(name, ctype) for name, ctype, _ in types]
    if base is not None and base[1].members:
        members.insert(0, base)
    found.define(*laid_out(members, _alignment(node, scope)))


def declared(node: Structure, scope: Scope) -> Struct:
    """Return the structure that the name means in this scope, a new one if it means nothing."""
    old = scope.type_here(node.name)
    if old is not None and isinstance(old.type, Struct) and old.type.name == node.label:
        return old.type
    return new_structure(node.name, node.label, node.span, scope)


def _type(field: tree.Symbol, scope: Scope) -> CType:
    ctype = complete(resolved(field.type, scope, field.span), field.span)
    if ctype == VOID or has_auto(ctype):
        raise CompileError(f"a member cannot be `{ctype}`", field.span, "write its type")
    if is_group(element(ctype)) or element(ctype) == DIM3:
        what = f"members of type `{element(ctype)}` are not supported"
        raise CompileError(what, field.span, "keep it in a local variable")
    if isinstance(ctype, Array) and ctype.length is None:
        raise CompileError(f"the member `{field.name}` needs a length", field.span)
    return ctype


def _alignment(node: Structure, scope: Scope) -> int:
    """Return the largest alignment that the program asks for, 1 if it does not ask."""
    return max((alignment(given, scope) for given in node.alignments), default=1)


def alignment(given: tree.Expression, scope: Scope, most: int = MOST_ALIGNMENT) -> int:
    """Return what `__align__(given)` asks for, up to `most`."""
    value = constant(given, scope)
    allowed = [1 << power for power in range(most.bit_length())]
    if value is None or value.value not in allowed:
        hint = f"powers of two up to {most} are supported"
        raise CompileError("an alignment must be a constant power of two", given.span, hint)
    return int(value.value)


def laid_out(
    types: list[tuple[str, CType]], least: int
) -> tuple[tuple[tuple[str, CType, int], ...], int, int]:
    """Members with their offsets, the size and the alignment, as C lays them out."""
    if not types:
        return (), least, least
    at, members = 0, []
    for name, ctype in types:
        at = _rounded(at, align_of(ctype))
        members.append((name, ctype, at))
        at += size_of(ctype)
    align = max(least, *(align_of(ctype) for _, ctype in types))
    return tuple(members), _rounded(at, align), align


def _rounded(size: int, align: int) -> int:
    return -(-size // align) * align
