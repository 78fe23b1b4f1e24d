"""Copy objects whose members are copied by functions of their own: member by member, as C++ does.

Such a class gets the constructor and the assignment that C++ writes for it. All other objects are
copied as their bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from simulator.check.declared_types import element
from simulator.check.scopes import CONSTRUCTOR, Class, FunctionTemplate, Scope, head_of
from simulator.ir import tree
from simulator.ir.types import INT, VOID, Array, CType, Struct
from simulator.ir.unchecked import Definition, InitializerList, MemberValue, Prototype
from simulator.source import CompileError, Span

#: What the functions that are written here call the object that they copy: no program's name.
_OTHER = "copied object"


def copies(ctype: CType, scope: Scope) -> bool:
    """Whether a class has a constructor that copies objects, of its own or for its members."""
    owner = scope.shared.classes.get(ctype) if isinstance(ctype, Struct) else None
    if owner is None:
        return False
    return owner.copier is not None or _takes_itself(owner.functions.get(CONSTRUCTOR, ()), owner, 1)


def check_copied(ctype: CType, span: Span, scope: Scope) -> None:
    """Refuse a copy of an object whose class deletes copies."""
    owner = scope.shared.classes.get(ctype) if isinstance(ctype, Struct) else None
    if owner is not None and "copy" in owner.deleted:
        what = f"`{ctype}` cannot be copied: its constructor that copies is deleted"
        raise CompileError(what, span, "pass a reference, or a pointer")


def check_assigned(ctype: CType, span: Span, scope: Scope) -> None:
    """Refuse the assignment of an object whose class deletes assignments."""
    owner = scope.shared.classes.get(ctype) if isinstance(ctype, Struct) else None
    if owner is not None and "=" in owner.deleted:
        raise CompileError(f"`{ctype}` cannot be assigned: its `operator=` is deleted", span)
    fixed = _fixed_member(ctype)
    if fixed is not None and not assigns(ctype, scope):
        what = f"`{ctype}` cannot be assigned: its member `{fixed}` keeps its first value"
        raise CompileError(what, span, "assign the other members, or make a new object")


def _fixed_member(ctype: CType) -> str | None:
    """Return a member that is constant or a reference, None if there is none."""
    if not isinstance(ctype, Struct):
        return None
    for name, inner, _ in ctype.members:
        if ctype.marks.get(name, "mutable") != "mutable":
            return name
        if (found := _fixed_member(element(inner))) is not None:
            return f"{name}.{found}"
    return None


def has_assignment(ctype: CType, scope: Scope) -> bool:
    """Whether a class has a function that assigns to its objects, whatever it takes."""
    owner = scope.shared.classes.get(ctype) if isinstance(ctype, Struct) else None
    return owner is not None and bool(owner.functions.get("operator="))


def assigns(ctype: CType, scope: Scope) -> bool:
    """Whether a class has an assignment of its own objects, of its own or for its members."""
    owner = scope.shared.classes.get(ctype) if isinstance(ctype, Struct) else None
    return owner is not None and _takes_itself(owner.functions.get("operator=", ()), owner, 2)


def _takes_itself(
    functions: list[Prototype | FunctionTemplate] | tuple[()], owner: Class, count: int
) -> bool:
    heads = (head_of(one) for one in functions)
    return any(len(h.parameters) == count and h.parameters[-1].type == owner.type for h in heads)


def copier(owner: Class, span: Span) -> Definition | None:
    """Return the constructor that copies each member, None if bytes will do."""
    scope, types = owner.scope, owner.type.members
    if copies(owner.type, scope) or not any(copies(element(t), scope) for _, t, _ in types):
        return None
    values = tuple(
        MemberValue(name, VOID, _parts(_member(name, span), ctype, span), True, span=span)
        for name, ctype, _ in types
    )
    head = _head(owner, owner.type.name.rpartition("::")[2], span)
    body = tree.Block((), span=span)
    return Definition(replace(head, kind="constructor"), body, values, span=span)


def assigner(owner: Class, span: Span) -> Definition | None:
    """Return the assignment of each member, None if bytes will do."""
    scope, types = owner.scope, owner.type.members
    if assigns(owner.type, scope) or not any(assigns(element(t), scope) for _, t, _ in types):
        return None
    if _fixed_member(owner.type) is not None:
        return None
    this = tree.Deref(tree.Name("this", span=span), span=span)
    done = [
        tree.Evaluate(tree.Assign(target, value, span=span), span=span)
        for name, ctype, _ in types
        for target, value in _pairs(
            tree.Member(this, name, span=span), _member(name, span), ctype, span
        )
    ]
    body = tree.Block((*done, tree.Return(this, span=span)), span=span)
    head = replace(_head(owner, "operator=", span), result=owner.type, returns_reference=True)
    return Definition(head, body, span=span)


def _head(owner: Class, name: str, span: Span) -> Prototype:
    kind = tree.Storage.PARAMETER
    other = tree.Symbol(_OTHER, owner.type, kind, span, const=True, reference=True)
    return Prototype(name, VOID, (other,), frozenset({"__device__"}), span=span)


def _member(name: str, span: Span) -> tree.Expression:
    return tree.Member(tree.Name(_OTHER, span=span), name, span=span)


def _elements(node: tree.Expression, ctype: Array, span: Span) -> list[tree.Expression]:
    numbers = (tree.Literal(at, span=span, type=INT) for at in range(ctype.length or 0))
    return [tree.Index(node, number, span=span) for number in numbers]


def _parts(node: tree.Expression, ctype: CType, span: Span) -> tuple[tree.Expression, ...]:
    """Return the values that a copy of `node` is made of: of an array its elements."""
    if not isinstance(ctype, Array):
        return (node,)
    found = _elements(node, ctype, span)
    if not isinstance(ctype.of, Array):
        return tuple(found)
    return tuple(InitializerList(_parts(one, ctype.of, span), span=span) for one in found)


def _pairs(
    target: tree.Expression, value: tree.Expression, ctype: CType, span: Span
) -> Iterator[tuple[tree.Expression, tree.Expression]]:
    """Yield what is assigned to what: of arrays their elements."""
    if not isinstance(ctype, Array):
        yield target, value
        return
    targets, values = _elements(target, ctype, span), _elements(value, ctype, span)
    for one, other in zip(targets, values, strict=True):
        yield from _pairs(one, other, ctype.of, span)
