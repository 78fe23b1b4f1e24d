"""Check structures: their members' types, and where C lays each member in memory."""

from __future__ import annotations

from simulator.check.operators import complete
from simulator.check.resolve import constant, element, has_auto, new_structure, resolved
from simulator.check.scopes import Scope
from simulator.ir import tree
from simulator.ir.group_types import is_group
from simulator.ir.types import DIM3, VOID, Array, CType, Struct, align_of, size_of
from simulator.ir.unchecked import Structure
from simulator.source import CompileError

MOST_ALIGNMENT = 16


def structure(node: Structure, scope: Scope) -> tree.Statement:
    """Declare or define a structure; the node stays as it is.

    Raises
    ------
    CompileError
        if the name is taken, or C does not allow such members
    """
    found = _declared(node, scope)
    if node.fields is None:
        return node
    if found.members:
        hint = "choose another name"
        raise CompileError(f"`{found}` is defined twice", node.span, hint)
    if not node.fields:
        hint = "give it at least one member"
        raise CompileError(f"`{found}` has no members", node.span, hint)
    types = [(field.name, _type(field, node, scope), field) for field in node.fields]
    names = [name for name, _, _ in types]
    for at, (name, _, field) in enumerate(types):
        if name in names[:at]:
            raise CompileError(f"`{found}` has two members `{name}`", field.span)
    found.define(*_layout([(name, ctype) for name, ctype, _ in types], _alignment(node, scope)))
    return node


def _declared(node: Structure, scope: Scope) -> Struct:
    """The structure that the name means in this scope, a new one if it means nothing."""
    old = scope.type_here(node.name)
    if old is not None and isinstance(old.type, Struct) and old.type.name == node.label:
        return old.type
    return new_structure(node.name, node.label, node.span, scope)


def _type(field: tree.Symbol, node: Structure, scope: Scope) -> CType:
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
    """The largest alignment that the program asks for, 1 if it does not ask."""
    return max((alignment(given, scope) for given in node.alignments), default=1)


def alignment(given: tree.Expression, scope: Scope) -> int:
    """What `__align__(given)` asks for.

    Raises
    ------
    CompileError
        if it is no power of two up to 16
    """
    value = constant(given, scope)
    if value is None or value.value not in (1, 2, 4, 8, 16):
        hint = f"powers of two up to {MOST_ALIGNMENT} are supported"
        raise CompileError("an alignment must be a constant power of two", given.span, hint)
    return int(value.value)


def _layout(
    types: list[tuple[str, CType]], least: int
) -> tuple[tuple[tuple[str, CType, int], ...], int, int]:
    """Members with their offsets, the size and the alignment, as C lays them out."""
    at, members = 0, []
    for name, ctype in types:
        at = _rounded(at, align_of(ctype))
        members.append((name, ctype, at))
        at += size_of(ctype)
    align = max(least, *(align_of(ctype) for _, ctype in types))
    return tuple(members), _rounded(at, align), align


def _rounded(size: int, align: int) -> int:
    return -(-size // align) * align
