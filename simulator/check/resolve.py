"""Declared types made definite: names looked up, array lengths evaluated, `auto` deduced."""

from __future__ import annotations

import re
from dataclasses import replace

from simulator.check import dispatch
from simulator.check.operators import complete
from simulator.check.scopes import AliasOf, Scope
from simulator.hints.similar import nearest
from simulator.ir import tree
from simulator.ir.group_types import GROUPS, is_group, made
from simulator.ir.types import TYPE_ALIASES, VECTORS, Array, CType, Pointer, Struct, Void, size_of
from simulator.ir.unchecked import Auto, FunctionType, Named, Sized, TemplateId, TypeArgument
from simulator.source import CompileError, Span

CONSTANT_LENGTH = "use a macro, or `constexpr int N = …;`"


def resolved(ctype: CType, scope: Scope, span: Span) -> CType:
    """`ctype` without names and expressions.

    Raises
    ------
    CompileError
        for unknown names, lengths that are not constant, and arrays of nothing
    """
    if isinstance(ctype, Named):
        return _named(ctype, scope)
    if isinstance(ctype, TemplateId):
        return _made(ctype, scope)
    if isinstance(ctype, Pointer):
        to = resolved(ctype.to, scope, span)
        if is_group(to):
            what = f"pointers to `{to}` are not supported"
            raise CompileError(what, span, "pass the group itself")
        return replace(ctype, to=to, const=ctype.const or alias_is_const(ctype.to, scope))
    if isinstance(ctype, Array):
        of = complete(resolved(ctype.of, scope, span), span)
        if is_group(of):
            raise CompileError(f"arrays of `{of}` are not supported", span, "use a variable")
        if isinstance(of, Void) or (isinstance(of, Array) and of.length is None):
            raise CompileError(
                f"an array of `{of}` cannot be", span, "give each dimension but the first a length"
            )
        return Array(
            of, _length(ctype.expression, scope) if isinstance(ctype, Sized) else ctype.length
        )
    return ctype


def _made(ctype: TemplateId, scope: Scope) -> CType:
    """The type that a template makes of its arguments."""
    arguments: list[CType | tree.Literal] = []
    for argument in ctype.arguments:
        if isinstance(argument, TypeArgument):
            arguments.append(resolved(argument.type, scope, argument.span))
            continue
        assert isinstance(argument, tree.Expression)
        value = constant(argument, scope)
        if value is None:
            what = f"an argument of `{ctype.name}` must be constant"
            raise CompileError(what, argument.span, "use a literal or a `constexpr` variable")
        arguments.append(value)
    return made(ctype.name, tuple(arguments), ctype.span)


def alias_is_const(ctype: CType, scope: Scope) -> bool:
    """Whether `ctype` is the name of a const type."""
    meaning = scope.type_called(ctype.name) if isinstance(ctype, Named) else None
    return meaning is not None and meaning.const


def _named(ctype: Named, scope: Scope) -> CType:
    meaning = scope.type_called(ctype.name)
    if meaning is not None and isinstance(meaning.type, FunctionType):
        hint = "call the function by its name"
        raise CompileError("function pointers are not supported", ctype.span, hint)
    if meaning is not None:
        return meaning.type
    for known in (TYPE_ALIASES, VECTORS, GROUPS):
        if ctype.name in known:
            return known[ctype.name]
    if ctype.tag == "struct":  # which declares it
        return new_structure(ctype.name, ctype.name, ctype.span, scope)
    hint = nearest(ctype.name, [*TYPE_ALIASES, *scope.names(AliasOf)])
    raise CompileError(f"`{ctype.name}` is not a type here", ctype.span, hint)


def new_structure(name: str, label: str, span: Span, scope: Scope) -> Struct:
    """A structure that is declared here for the first time; `label` is how messages call it."""
    scope.shared.structures += 1
    plain = re.sub(r"\W", "_", label, flags=re.ASCII)  # a part of names in generated code
    found = Struct(label, (), 0, 1, f"{plain}_{scope.shared.structures}")
    scope.declare(name, AliasOf(found, span, tag=True))
    return found


def _length(expression: tree.Expression, scope: Scope) -> int:
    value = constant(expression, scope)
    if value is None or isinstance(value.value, float):
        what = "an array's length must be a constant integer"
        raise CompileError(what, expression.span, CONSTANT_LENGTH)
    if value.value <= 0:
        what = f"an array cannot have {value.value} elements"
        raise CompileError(what, expression.span, "it has one or more")
    return int(value.value)


def constant(expression: tree.Expression, scope: Scope) -> tree.Literal | None:
    """The value of a constant expression, None if it is none."""
    checked = dispatch.value(expression, scope)
    return checked if isinstance(checked, tree.Literal) else None


def deduced(pattern: CType, actual: CType) -> CType | None:
    """What `auto` in `pattern` makes of a value of type `actual`, None if they do not match.

    Examples
    --------
    >>> from simulator.ir.types import INT
    >>> print(deduced(Pointer(Auto(), const=True), Pointer(INT)))
    const int *
    """
    if isinstance(pattern, Auto):
        return actual
    if isinstance(pattern, Pointer) and isinstance(actual, Pointer):
        to = deduced(pattern.to, actual.to)
        const, volatile = pattern.const or actual.const, pattern.volatile or actual.volatile
        return None if to is None else Pointer(to, const, volatile)
    return None


def has_auto(ctype: CType) -> bool:
    """Whether `auto` stands somewhere in `ctype`."""
    return isinstance(ctype, Auto) or (isinstance(ctype, Pointer) and has_auto(ctype.to))


def sized(ctype: CType, span: Span) -> int:
    """What `sizeof` says of `ctype`.

    Raises
    ------
    CompileError
        if it has no size
    """
    if isinstance(ctype, Void) or (isinstance(ctype, Array) and ctype.length is None):
        raise CompileError(f"`{ctype}` has no size here", span)
    return size_of(complete(ctype, span))


def element(ctype: CType) -> CType:
    """What an array of any dimensions has at the bottom."""
    while isinstance(ctype, Array):
        ctype = ctype.of
    return ctype
