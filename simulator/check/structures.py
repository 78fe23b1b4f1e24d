"""Check structures and where their members lie, enumerations, and static assertions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from simulator.check.declared_types import (
    complete,
    element,
    has_auto,
    new_structure,
    qualified,
    resolved,
)
from simulator.check.layout import Layout
from simulator.check.scopes import AliasOf, Scope, constant
from simulator.ir import tree
from simulator.ir.constants import wrapped
from simulator.ir.conversions import cast, is_group
from simulator.ir.types import (
    COMPLEX,
    DIM3,
    INT,
    LLONG,
    LONG,
    UINT,
    ULONG,
    VOID,
    Array,
    Bits,
    CType,
    Enumerated,
    Pointer,
    Scalar,
    Struct,
    enumerated,
    promoted,
)
from simulator.ir.unchecked import Enumeration, Enumerator, Field, StaticAssertion, Structure
from simulator.source import CompileError, Span

UINT_MAX = 2**32 - 1

# Check enumerations, whose names are constants, and static assertions.


def enumeration(node: Enumeration, scope: Scope) -> tree.Statement:
    """Declare an enumeration's type and its names; the node stays as it is."""
    values = _values(node, scope)
    ctype = _type_of(node, [number for _, number in values], scope)
    scope.declare(node.name, AliasOf(ctype, node.span, tag=True))
    scope.shared.enumerators[ctype] = {}
    for item, number in values:
        literal = cast(tree.Literal(number, span=item.span, type=LLONG), ctype)
        assert isinstance(literal, tree.Literal)
        for name in _names(node, item):
            symbol = tree.Symbol(name, ctype, tree.Storage.LITERAL, item.span, const=True)
            scope.declare(name, symbol)
            scope.shared.constants[symbol] = literal
            scope.shared.enumerators[ctype][name.split("::")[-1]] = symbol
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


def _type_of(node: Enumeration, values: list[int], scope: Scope) -> Enumerated:
    of, fixed = _underlying(node, values, scope), node.scoped or node.underlying is not None
    scope.shared.structures += 1
    tag = str(scope.shared.structures)
    promotes = promoted(of) if fixed else _fitting(values)
    return enumerated(node.name, of, promotes, node.scoped, fixed, tag)


def _underlying(node: Enumeration, values: list[int], scope: Scope) -> Scalar:
    if node.underlying is None:
        if node.scoped and _fitting(values) == INT:
            return INT
        return _fitting(values) if min(values, default=0) < 0 else _fitting([*values, UINT_MAX])
    ctype = resolved(node.underlying, scope, node.span)
    if not isinstance(ctype, Scalar) or not ctype.is_integer or isinstance(ctype, Enumerated):
        raise CompileError(f"an enumeration cannot be of type `{ctype}`", node.span)
    for item, number in zip(node.enumerators, values, strict=True):
        if wrapped(number, ctype) != number:
            raise CompileError(f"{number} does not fit `{ctype}`", item.span)
    return ctype


def _fitting(values: list[int]) -> Scalar:
    """Return the first of (unsigned) int and (unsigned) long that holds all values."""
    candidates = (INT, UINT, LONG, ULONG)
    return next((t for t in candidates if all(wrapped(v, t) == v for v in values)), LONG)


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


def lay_out(
    found: Struct, node: Structure, scope: Scope, bases: Sequence[Base] = (), plain: bool = True
) -> None:
    """Give a structure its members; those that are its `bases` come first.

    `plain` says that classes which inherit from it put nothing into its padding.
    """
    if found.size:
        hint = "choose another name"
        raise CompileError(f"`{found}` is defined twice", node.span, hint)
    layout = Layout(node.content is not None and node.content.word == "union", plain=plain)
    for name, base in bases:
        layout.add_base(name, base)
    fields = tuple(qualified(one, scope) for one in node.fields or ())
    for one in fields:
        _add(layout, one, found, scope)
    _check_names(found, node, [name for name, _, _ in layout.placed])
    definition, more = layout.finish(_alignment(node, scope))
    if not layout.end:
        more["empties"] |= {(found, 0)}
    found.define(*definition, **more, marks=_marks(fields))


def _add(layout: Layout, one: tree.Symbol, found: Struct, scope: Scope) -> None:
    """Place one member."""
    ctype = _type(one, scope)
    if isinstance(one, Field) and one.mutable and one.const and not one.reference:
        what = f"`{one.name}` is const: it cannot be `mutable`"
        raise CompileError(what, one.span, "leave one of the words out")
    of = element(ctype)
    layout.plain &= not (one.reference or (isinstance(of, Struct) and of.shares_padding))
    if isinstance(one, Field) and one.width is not None:
        layout.add_bits(one.name, *_bits(one, ctype, one.width, scope))
        return
    if layout.union:
        _check_trivial(one, ctype, found, scope)
    layout.add(one.name, Pointer(ctype, one.const, one.volatile) if one.reference else ctype)


def _check_names(found: Struct, node: Structure, names: list[str]) -> None:
    """Refuse a second member of a name."""
    for one in node.fields or ():
        if names.count(one.name) > 1:
            raise CompileError(f"`{found}` has two members `{one.name}`", one.span)


def _marks(fields: Sequence[tree.Symbol]) -> dict[str, str]:
    """Return which members are constant, mutable or references."""
    marks = {}
    for one in fields:
        if one.reference:
            marks[one.name] = "const reference" if one.const else "reference"
        elif one.const:
            marks[one.name] = "const"
        elif isinstance(one, Field) and one.mutable:
            marks[one.name] = "mutable"
    return marks


def _bits(
    one: tree.Symbol, ctype: CType, width: tree.Expression, scope: Scope
) -> tuple[Scalar, int]:
    """Return the type and the width of a bit field."""
    if not isinstance(ctype, Scalar) or not ctype.is_integer:
        raise CompileError(f"a bit field cannot be `{ctype}`", one.span, "it is an integer")
    value = constant(width, scope)
    if value is None or isinstance(value.value, float) or value.value < 0:
        what = f"the width `{width.span.text}` of a bit field is not a constant from 0 on"
        raise CompileError(what, width.span)
    most = 1 if ctype.is_bool else 8 * ctype.size
    if value.value > most:
        what = f"a bit field of type `{ctype}` has {most} bits at most"
        raise CompileError(what, width.span, "take a larger type")
    if not value.value and one.name:
        raise CompileError(f"the bit field `{one.name}` has no bits", width.span, "name none")
    return ctype, int(value.value)


def _check_trivial(one: tree.Symbol, ctype: CType, found: Struct, scope: Scope) -> None:
    """Refuse what a union cannot make or copy: references, and classes that do it themselves."""
    if one.reference:
        what = f"the union `{found}` cannot have a reference as a member"
        raise CompileError(what, one.span, "use a pointer")
    of = element(ctype)
    if is_trivial(of, scope):
        return
    what = f"the union `{found}` cannot have a member of type `{of}`, which makes or copies itself"
    raise CompileError(what, one.span, f"give `{of}` constructors that are `= default`")


def is_trivial(ctype: CType, scope: Scope) -> bool:
    """Whether objects of a type begin without values, and are copied and given up as bytes."""
    if not isinstance(ctype, Struct):
        return True
    if ctype in COMPLEX.values():
        return False
    owner = scope.shared.classes.get(ctype)
    if owner is not None and not owner.is_trivial:
        return False
    return all(is_trivial(element(inner), scope) for _, inner, _ in ctype.members)


def names_in(ctype: CType) -> Iterator[str]:
    """Yield the names of members, also of those in members without a name."""
    for name, inner, _ in ctype.members if isinstance(ctype, Struct) else ():
        if name.startswith("<"):
            yield from names_in(inner)
        else:
            yield name


def unnamed_around(ctype: Struct, name: str) -> tuple[str, Struct] | None:
    """Return the member without a name that has one of this name, None if there is none."""
    for member, inner, _ in ctype.members:
        if member.startswith("<") and isinstance(inner, Struct) and name in names_in(inner):
            return member, inner
    return None


def declared_type(ctype: CType) -> CType:
    """Return the type of a member's values: of a bit field the one that it is declared with."""
    return ctype.of if isinstance(ctype, Bits) else ctype


def data_member(base: tree.Expression, name: str, span: Span) -> tree.Expression:
    """Return a member of an object, and of a reference what it refers to."""
    assert isinstance(base.type, Struct)
    ctype = declared_type((base.type.member(name) or (VOID, 0))[0])
    member = tree.Member(base, name, span=span, type=ctype)
    if "reference" not in base.type.marks.get(name, ""):
        return member
    assert isinstance(ctype, Pointer)
    return tree.Deref(member, span=span, type=ctype.to)


def member_of(base: tree.Expression, name: str, span: Span) -> tree.Expression:
    """Return a member of an object, which may be in members without names."""
    assert isinstance(base.type, Struct)
    around = unnamed_around(base.type, name)
    if around is None:
        return data_member(base, name, span)
    member, inner = around
    return member_of(tree.Member(base, member, span=span, type=inner), name, span)


def declared(node: Structure, scope: Scope) -> Struct:
    """Return the structure that the name means in this scope, a new one if it means nothing."""
    old = scope.type_here(node.name)
    if old is not None and isinstance(old.type, Struct) and old.type.name == node.label:
        return old.type
    return new_structure(node.name, node.label, node.span, scope)


def _type(one: tree.Symbol, scope: Scope) -> CType:
    ctype = resolved(one.type, scope, one.span)
    if not one.reference:
        ctype = complete(ctype, one.span)
    if ctype == VOID or has_auto(ctype):
        raise CompileError(f"a member cannot be `{ctype}`", one.span, "write its type")
    if is_group(element(ctype)) or element(ctype) == DIM3:
        what = f"members of type `{element(ctype)}` are not supported"
        raise CompileError(what, one.span, "keep it in a local variable")
    if isinstance(ctype, Array) and ctype.length is None:
        raise CompileError(f"the member `{one.name}` needs a length", one.span)
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


def laid_out(types: list[tuple[str, CType]]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return what `Struct.define` takes for a structure of these members."""
    layout = Layout()
    for name, ctype in types:
        layout.add(name, ctype)
    return layout.finish(1)
