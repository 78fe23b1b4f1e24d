"""Check what names, members and what pointers point to are: also `this` and `Class::name`."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

from simulator.check import (
    calls,
    complex_numbers,
    function_pointers,
    members,
)
from simulator.check.declared_types import class_named, complete, hidden_in_base, resolved
from simulator.check.scopes import (
    COORDINATES,
    AliasOf,
    Class,
    DataMember,
    Meaning,
    Scope,
    Substitute,
    as_base,
    expression,
    inherits,
    object_here,
    value,
    valued,
)
from simulator.check.structures import data_member, names_in, unnamed_around
from simulator.hints import foreign
from simulator.hints.similar import nearest
from simulator.hints.unsupported import as_macro, refuse_name
from simulator.ir import tree
from simulator.ir.types import (
    INT,
    UINT,
    Array,
    CType,
    Enumerated,
    Pointer,
    Struct,
    Void,
    is_complex,
)
from simulator.ir.unchecked import (
    Checked,
    MemberOf,
)
from simulator.source import CompileError, Span

# The rules of C's operators, applied to operands that are checked.

_LENGTHS = frozenset({"length", "len", "size", "shape", "count"})


@expression.register
def _name(node: tree.Name, scope: Scope) -> tree.Expression:
    meaning = scope.lookup(node.name)
    if node.name == "this":
        address = tree.AddressOf(Checked(_this(node, scope), span=node.span), span=node.span)
        return expression(address, scope)
    if isinstance(meaning, tree.Symbol):
        return tree.Name(node.name, meaning, span=node.span, type=meaning.type)
    found = _of_class(node, meaning, scope)
    if found is not None:
        return found
    if meaning is None and node.name == "warpSize":
        return tree.Builtin("warpSize", "", span=node.span, type=INT)
    if meaning is None and node.name in COORDINATES:
        remedy = f"write `{node.name}.x`, `.y` or `.z`"
        raise CompileError(f"`{node.name}` needs an axis", node.span, remedy)
    if isinstance(meaning, AliasOf):
        raise CompileError(f"`{node.name}` is a type", node.span)
    pointer = function_pointers.designated(node, scope)
    if pointer is not None:
        return pointer
    if meaning is not None or calls.is_builtin(node.name):
        what = f"the function `{node.name}` is not called here"
        hint = f"write `{node.name}(…)`; there are pointers to the program's own functions only"
        raise CompileError(what, node.span, hint)
    refuse_name(node.name, node.span)
    raise CompileError(f"`{node.name}` is not declared", node.span, _declared_where(node, scope))


def _of_class(node: tree.Name, meaning: Meaning | None, scope: Scope) -> tree.Expression | None:
    """Return what a name means that stands for a member or an expression; None for others."""
    if isinstance(meaning, Substitute):
        return replace(meaning.node, span=node.span) if meaning.part else meaning.node
    if isinstance(meaning, DataMember):
        return _member_of_this(node, node.name, scope, meaning)
    return _member_by_path(node, scope) if meaning is None and "::" in node.name else None


def _this(node: tree.Expression, scope: Scope) -> tree.Expression:
    """Return `*this`."""
    found = object_here(scope)
    if found is None:
        raise CompileError("`this` is in member functions only", node.span, "name the object")
    return found


def _member_of_this(
    node: tree.Expression, name: str, scope: Scope, meaning: DataMember
) -> tree.Expression:
    this = object_here(scope, meaning.object)
    if this is None:
        what = f"`{name}` is a member, and no object is there"
        hint = f"write `object.{name}`, or give the class a constructor for first values"
        raise CompileError(what, node.span, hint)
    member = tree.Member(Checked(this, span=node.span, type=this.type), name, span=node.span)
    return expression(member, scope)


def _member_by_path(node: tree.Name, scope: Scope) -> tree.Expression | None:
    """Return the constant, the enumerator or the data member that `Class::name` is."""
    parts = node.name.split("::")
    for cut in range(len(parts) - 1, 0, -1):
        owner = class_named("::".join(parts[:cut]), scope, node.span)
        if owner is not None:
            name = "::".join(parts[cut:])
            found = members.constant_of(owner.type, name, node.span, scope)
            member = owner.scope.here(name)
            if found is None and isinstance(member, DataMember):
                whole = node.name if _is_part(owner.type, scope) else name
                return _member_of_this(node, whole, scope, member)
            return found
    meaning = scope.type_called("::".join(parts[:-1]))
    if meaning is not None and isinstance(meaning.type, Enumerated):
        return members.constant_of(meaning.type, parts[-1], node.span, scope)
    if meaning is None or not isinstance(meaning.type, Struct) or not _is_part(meaning.type, scope):
        return None
    return _member_of_this(node, node.name, scope, DataMember(node.span))


def _is_part(ctype: Struct, scope: Scope) -> bool:
    """Whether a class is that of the object whose function this is, or a base of it."""
    this = object_here(scope)
    return this is not None and (this.type == ctype or inherits(this.type, ctype, scope))


def _declared_where(node: tree.Name, scope: Scope) -> str:
    """Return the hint for a name without a meaning."""
    if hint := hidden_in_base(node.name, scope) or foreign.NAMES.get(node.name, ""):
        return hint
    if scope.frame is not None and (span := scope.frame.declared.get(node.name)) is not None:
        return f"it was declared in line {span.line}, in a block that has ended"
    hint = nearest(node.name, [*scope.names(tree.Symbol), *COORDINATES, "warpSize"])
    declare = f"declare it before its use, as in `int {node.name} = …;`"
    return hint or as_macro(node.name) or declare


@expression.register
def _member_of_type(node: MemberOf, scope: Scope) -> tree.Expression:
    ctype = resolved(node.of, scope, node.span)
    if node.arguments is not None:
        this = object_here(scope)
        return members.call(ctype, node.name, this, node.arguments, node, scope)
    found = members.constant_of(ctype, node.name, node.span, scope)
    if found is None:
        raise CompileError(f"`{ctype}` has no constant `{node.name}`", node.span)
    return found


@expression.register
def _member(node: tree.Member, scope: Scope) -> tree.Expression:
    base = node.base
    if isinstance(base, tree.Name) and base.name in COORDINATES and not scope.lookup(base.name):
        if node.name not in ("x", "y", "z"):
            what = f"`{base.name}` has no `{node.name}`"
            raise CompileError(what, node.span.ending(node.name), "its axes are x, y and z")
        return tree.Builtin(base.name, node.name, span=node.span, type=UINT)
    checked = _pointed(base, scope) if _is_arrow(base) else expression(base, scope)
    if isinstance(checked.type, Struct):
        return _member_of(node, checked, checked.type, scope)
    verb = "points to" if _is_arrow(base) else "is"
    what = f"`{checked.span.text}` {verb} `{checked.type}`, which has no members"
    raise CompileError(what, node.span.ending(node.name), _no_member(node.name, checked))


def _is_arrow(base: tree.Expression) -> TypeGuard[tree.Deref]:
    """Whether the source writes `base` with `->`, which the reader makes a star in its place."""
    return isinstance(base, tree.Deref) and base.span is base.pointer.span


def _inherited(
    node: tree.Member, base: tree.Expression, owner: Class, scope: Scope
) -> tree.Expression | None:
    """Return a member of a class's base, or a constant that is a member."""
    constant = members.constant_of(owner.type, node.name, node.span, scope)
    if constant is not None:
        return constant
    if members.functions_of(owner.type, node.name, scope) is not None:
        what = f"the function `{node.name}` is not called here"
        raise CompileError(what, node.span.ending(node.name), f"write `{node.span.text}(…)`")
    having = [one for one in owner.bases if _has_member(one, node.name, scope)]
    if len(having) > 1:
        what = f"several bases of `{owner.type}` have `{node.name}`"
        hint = f"write `{having[0]}::{node.name}`"
        raise CompileError(what, node.span.ending(node.name), hint)
    for found in having or owner.bases[:1]:
        part = as_base(base, found, scope)
        if node.name in owner.used and found.member(node.name) is not None:
            return data_member(part, node.name, node.span)
        members.check_inherited(owner.type, found, node.span.ending(node.name), scope)
        if found.member(node.name) is None and found not in scope.shared.classes:
            return None
        return _member_of(node, part, found, scope)
    return None


def _has_member(ctype: Struct, name: str, scope: Scope) -> bool:
    """Whether a class or one of its bases has a data member."""
    owner = scope.shared.classes.get(ctype)
    bases = owner.bases if owner is not None else ()
    return name in names_in(ctype) or any(_has_member(base, name, scope) for base in bases)


def _member_of(
    node: tree.Member, base: tree.Expression, ctype: Struct, scope: Scope
) -> tree.Expression:
    if "::" in node.name:
        front, _, name = node.name.rpartition("::")
        part = members.part_named(base, front, node.span, scope)
        assert isinstance(part.type, Struct)
        return _member_of(tree.Member(node.base, name, span=node.span), part, part.type, scope)
    found = ctype.member(node.name)
    if is_complex(ctype):
        raise complex_numbers.no_member(node, ctype)
    owner = scope.shared.classes.get(ctype)
    if owner is not None:
        members.check_access(owner, node.name, node.span.ending(node.name), scope)
    if found is None and (around := unnamed_around(ctype, node.name)) is not None:
        member, inner = around
        return _member_of(node, tree.Member(base, member, span=node.span, type=inner), inner, scope)
    if found is None and owner is not None:
        inherited = _inherited(node, base, owner, scope)
        if inherited is not None:
            return inherited
    if found is None:
        names = ", ".join(names_in(ctype))
        what = f"`{ctype}` has no `{node.name}`"
        raise CompileError(what, node.span.ending(node.name), f"its members are {names}")
    return data_member(base, node.name, node.span)


def _no_member(name: str, base: tree.Expression) -> str:
    """Return the hint for a member of something that has none."""
    if isinstance(base.type, Pointer) and isinstance(base.type.to, Struct):
        return f"write `{base.span.text}->{name}`"
    if isinstance(base.type, Pointer | Array) and name in _LENGTHS:
        return "an array does not know its length: pass it as a parameter"
    return "vectors such as `float2` have members"


@expression.register
def _deref(node: tree.Deref, scope: Scope) -> tree.Expression:
    return _pointed(node, scope, "*")


def _pointed(node: tree.Deref, scope: Scope, sign: str = "->") -> tree.Expression:
    """Return what a pointer points to; `sign` is what the source writes for it."""
    if isinstance(node.pointer, tree.Name) and node.pointer.name == "this":
        return _this(node, scope)
    pointer = value(node.pointer, scope)
    if isinstance(pointer.type, Struct):
        own = members.operator(sign, (pointer,), node, scope)
        if own is not None and sign == "*":
            return own
        pointer = valued(own, scope) if own is not None else pointer
    if sign == "*" and not isinstance(pointer.type, Pointer) and _is_power(node.span):
        star = node.span.starting("*")
        raise CompileError("C has no operator `**`", star, "write `x * x`, or call pow")
    return tree.Deref(pointer, span=node.span, type=pointee(pointer, sign))


def pointee(pointer: tree.Expression, op: str) -> CType:
    """Return what a pointer points to; `op` is what wants to know."""
    if not isinstance(pointer.type, Pointer):
        what = f"`{pointer.span.text}` is `{pointer.type}`, not a pointer: `{op}` needs one"
        raise CompileError(what, pointer.span, _no_pointer(pointer, op))
    if isinstance(pointer.type.to, Void):
        what = f"`{pointer.span.text}` points to void: what it points to has no type"
        raise CompileError(what, pointer.span, "cast it first")
    return complete(pointer.type.to, pointer.span)


def _no_pointer(value: tree.Expression, op: str) -> str:
    """Return the hint where a pointer is needed and a `value` stands."""
    if op == "->" and isinstance(value.type, Struct):
        return f"write `{value.span.text}.` in place of `{value.span.text}->`"
    if op in ("*", "[…]") and isinstance(value, tree.Name):
        return f"a pointer is declared with a star: `{value.type} *{value.name}`"
    return ""


def _is_power(span: Span) -> bool:
    """Whether another star stands right before this one."""
    return not span.macro and span.source.line(span.line)[: span.column - 1].endswith("*")
