"""Declared types made definite: names looked up, array lengths evaluated, `auto` deduced."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from simulator.check.scopes import (
    DESTRUCTOR,
    AliasOf,
    Class,
    Scope,
    constant,
    expression,
    with_bases,
)
from simulator.hints.similar import nearest
from simulator.ir import tree
from simulator.ir.conversions import (
    GROUPS,
    is_const,
    is_group,
    made,
)
from simulator.ir.types import (
    HEADER_TYPES,
    TYPE_ALIASES,
    VECTORS,
    VOID,
    Array,
    CType,
    FunctionPointer,
    Pointer,
    Scalar,
    Struct,
    Void,
    function_pointer,
    is_integer,
    size_of,
)
from simulator.ir.unchecked import (
    Alias,
    Auto,
    Forwarded,
    FunctionType,
    Named,
    Nested,
    PackType,
    Prototype,
    Sized,
    TemplateId,
    TypeArgument,
    TypeOf,
)
from simulator.source import CompileError, Span

CONSTANT_LENGTH = "use a macro, or `constexpr int N = …;`"


def resolved(ctype: CType, scope: Scope, span: Span) -> CType:
    """`ctype` without names and expressions."""
    if isinstance(ctype, Named):
        return _named(ctype, scope)
    if isinstance(ctype, TemplateId):
        return _made(ctype, scope)
    if isinstance(ctype, FunctionPointer):
        parameters = tuple(_decayed(resolved(p, scope, span)) for p in ctype.parameters)
        return function_pointer(resolved(ctype.result, scope, span), parameters)
    if isinstance(ctype, Nested):
        return type_in(resolved(ctype.of, scope, span), ctype.name, ctype.span, scope)
    if isinstance(ctype, Pointer):
        return _resolved_pointer(ctype, scope, span)
    if isinstance(ctype, PackType | Forwarded | TypeOf):
        return _resolved_mark(ctype, scope, span)
    return _resolved_array(ctype, scope, span) if isinstance(ctype, Array) else ctype


def _resolved_mark(ctype: PackType | Forwarded | TypeOf, scope: Scope, span: Span) -> CType:
    """Return the type of an expression; packs and references are none that stands alone."""
    if isinstance(ctype, TypeOf):
        return expression(ctype.expression, scope).type
    if isinstance(ctype, Forwarded):
        hint = "take a value, or `const T &`; a variable needs no reference to hold a result"
        raise CompileError("references with `&&` are not supported", span, hint)
    what = f"`{ctype}` expands nothing: it names no parameter pack"
    raise CompileError(what, span, "declare it in the template: `template <typename... Types>`")


def _resolved_pointer(ctype: Pointer, scope: Scope, span: Span) -> Pointer:
    to = resolved(ctype.to, scope, span)
    if is_group(to):
        what = f"pointers to `{to}` are not supported"
        raise CompileError(what, span, "pass the group itself")
    return replace(ctype, to=to, const=ctype.const or alias_is_const(ctype.to, scope))


def _resolved_array(ctype: Array, scope: Scope, span: Span) -> Array:
    of = complete(resolved(ctype.of, scope, span), span)
    if is_group(of):
        raise CompileError(f"arrays of `{of}` are not supported", span, "use a variable")
    if isinstance(of, Void) or (isinstance(of, Array) and of.length is None):
        hint = "give each dimension but the first a length"
        raise CompileError(f"an array of `{of}` cannot be", span, hint)
    if isinstance(ctype, Sized):
        return Array(of, _length(ctype.expression, scope))
    return Array(of, ctype.length)


def _decayed(ctype: CType) -> CType:
    return Pointer(ctype.of) if isinstance(ctype, Array) else ctype


def complete(ctype: CType, span: Span) -> CType:
    """Take `ctype`, whose values must have a size here: no structure without a definition."""
    if isinstance(ctype, Struct) and not ctype.size:
        hint = "define it first; until then there can only be pointers to it"
        raise CompileError(f"`{ctype}` is declared, but not yet defined", span, hint)
    return ctype


def _made(ctype: TemplateId, scope: Scope) -> CType:
    """Return the type that a template makes of its arguments."""
    template = scope.class_template(ctype.name)
    if template is not None and scope.shared.instantiate is not None:
        return scope.shared.instantiate(ctype, template, scope)
    if not ctype.arguments:
        raise CompileError(f"`{ctype.name}` needs arguments in its `<…>`", ctype.span)
    arguments: list[CType | tree.Literal] = []
    for argument in ctype.arguments:
        if isinstance(argument, TypeArgument):
            arguments.append(resolved(argument.type, scope, argument.span))
            continue
        assert isinstance(argument, tree.Expression)
        number = constant(argument, scope)
        if number is None:
            what = f"an argument of `{ctype.name}` must be constant"
            raise CompileError(what, argument.span, "use a literal or a `constexpr` variable")
        arguments.append(number)
    return made(ctype.name, tuple(arguments), ctype.span)


def alias_is_const(ctype: CType, scope: Scope) -> bool:
    """Whether `ctype` is the name of a const type."""
    if isinstance(ctype, TypeOf):
        return is_name(ctype.expression) and is_const(expression(ctype.expression, scope))
    if isinstance(ctype, TemplateId):
        template = scope.class_template(ctype.name)
        return template is not None and isinstance(template.item, Alias) and template.item.const
    meaning = _meaning_of(ctype, scope)
    return meaning is not None and meaning.const


def is_name(node: tree.Expression) -> bool:
    """Whether an expression is the name of a variable or a member, of which `decltype` knows."""
    return isinstance(node, tree.Name | tree.Member) and not node.span.text.startswith("(")


def _meaning_of(ctype: CType, scope: Scope) -> AliasOf | None:
    """Return what a name for a type means, also one that is a member of a class."""
    if isinstance(ctype, Nested):
        outer = resolved(ctype.of, scope, ctype.span)
        found = (one.scope.type_here(ctype.name) for one in with_bases(outer, scope))
        return next((one for one in found if one is not None), None)
    if not isinstance(ctype, Named):
        return None
    meaning = scope.type_called(ctype.name)
    if meaning is None and "::" in ctype.name:
        front, _, name = ctype.name.rpartition("::")
        owner = class_named(front, scope, ctype.span)
        meaning = owner.scope.type_here(name) if owner is not None else None
    return meaning


def qualified(symbol: tree.Symbol, scope: Scope) -> tree.Symbol:
    """Return a variable or a member that is const, too, where its type's name says so."""
    if symbol.const or symbol.reference or not alias_is_const(element(symbol.type), scope):
        return symbol
    return replace(symbol, const=True)


def hidden_in_base(name: str, scope: Scope) -> str:
    """Return the hint for a name that a base has which depends on a template's arguments, or ""."""
    around: Scope | None = scope
    while around is not None and around.owner is None:
        around = around.parent
    unseen = around.owner.unseen if around is not None and around.owner is not None else ()
    for base in unseen:
        known = with_bases(base, scope)
        if base.member(name) is not None or any(one.scope.here(name) is not None for one in known):
            return f"it is a member of a base that depends on the template: write `this->{name}`"
    return ""


def class_named(path: str, scope: Scope, span: Span) -> Class | None:
    """Return the class of the whole name `path`, None if it means none."""
    meaning = scope.type_called(path)
    if meaning is None and "::" in path:
        front, _, name = path.rpartition("::")
        outer = class_named(front, scope, span)
        meaning = outer.scope.type_called(name) if outer is not None else None
    if meaning is None or not isinstance(meaning.type, Struct):
        return None
    return scope.shared.classes.get(meaning.type)


def type_in(ctype: CType, name: str, span: Span, scope: Scope) -> CType:
    """Return the type `name` that is a member of a class."""
    for found in with_bases(ctype, scope):
        meaning = found.scope.type_here(name)
        if meaning is not None:
            return meaning.type
    raise CompileError(f"`{ctype}` has no type `{name}`", span)


def _named(ctype: Named, scope: Scope) -> CType:
    meaning = scope.type_called(ctype.name)
    if meaning is not None and isinstance(meaning.type, FunctionType):
        hint = "name the type of a pointer to it: `using F = int (*)(int);`"
        raise CompileError(f"`{ctype.name}` is the type of a function", ctype.span, hint)
    if meaning is not None:
        return meaning.type
    for known in (TYPE_ALIASES, VECTORS, GROUPS):
        if ctype.name in known:
            return known[ctype.name]
    if ctype.name in HEADER_TYPES:  # the reader knows whether its header is there
        return HEADER_TYPES[ctype.name][0]
    if "::" in ctype.name:
        front, _, name = ctype.name.rpartition("::")
        outer = resolved(Named(front, ctype.span), scope, ctype.span)
        return type_in(outer, name, ctype.span, scope)
    if ctype.tag in ("struct", "class"):  # which declares it
        return new_structure(ctype.name, ctype.name, ctype.span, scope)
    hint = nearest(ctype.name, [*TYPE_ALIASES, *scope.names(AliasOf)])
    raise CompileError(f"`{ctype.name}` is not a type here", ctype.span, hint)


def new_structure(name: str, label: str, span: Span, scope: Scope) -> Struct:
    """Declare a structure for the first time; `label` is how messages call it."""
    scope.shared.structures += 1
    plain = re.sub(r"\W", "_", label, flags=re.ASCII)  # a part of names in generated code
    found = Struct(label, (), 0, 1, f"{plain}_{scope.shared.structures}")
    scope.declare(name, AliasOf(found, span, tag=True))
    return found


def parameter_of(symbol: tree.Symbol, scope: Scope) -> tree.Symbol:
    """Return a parameter with a definite type; const references to numbers are values."""
    ctype = resolved(symbol.type, scope, symbol.span)
    const = symbol.const or alias_is_const(element(symbol.type), scope)
    if isinstance(ctype, Array) and not symbol.reference:
        ctype = Pointer(ctype.of, const, symbol.volatile)
    if not symbol.reference:
        complete(ctype, symbol.span)
    if ctype == VOID or has_auto(ctype):
        raise CompileError(f"a parameter cannot be `{ctype}`", symbol.span)
    plain = isinstance(ctype, Scalar | Pointer) or is_group(ctype)
    by_value = symbol.reference and const and plain
    reference = symbol.reference and not by_value
    return replace(symbol, type=ctype, const=const, reference=reference)


def result_of(head: Prototype, parameters: Sequence[tree.Symbol], scope: Scope) -> CType:
    """Return the type of a function's result, which may be `decltype` of its parameters."""
    if isinstance(head.result, TypeOf):
        scope = Scope(scope.shared, scope)
        for parameter in parameters:
            if parameter.name:
                scope.declare(parameter.name, parameter)
    return resolved(head.result, scope, head.span)


def _length(node: tree.Expression, scope: Scope) -> int:
    length = constant(node, scope)
    if length is None or not is_integer(length.type):
        what = "an array's length must be a constant integer"
        raise CompileError(what, node.span, CONSTANT_LENGTH)
    if length.value <= 0:
        what = f"an array cannot have {length.value} elements"
        raise CompileError(what, node.span, "it has one or more")
    return int(length.value)


def deduced(pattern: CType, actual: CType) -> CType | None:
    """Return what `auto` in `pattern` makes of a value of type `actual`, None if they do not match.

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
    """Return what `sizeof` says of `ctype`."""
    if isinstance(ctype, Void) or (isinstance(ctype, Array) and ctype.length is None):
        raise CompileError(f"`{ctype}` has no size here", span)
    return size_of(complete(ctype, span))


def element(ctype: CType) -> CType:
    """Return what an array of any dimensions has at the bottom."""
    while isinstance(ctype, Array):
        ctype = ctype.of
    return ctype


def destroys(ctype: CType, scope: Scope) -> bool:
    """Whether something is done where an object of a type ends."""
    of = element(ctype)
    if not isinstance(of, Struct):
        return False
    owner = scope.shared.classes.get(of)
    if owner is not None and DESTRUCTOR in owner.functions:
        return True
    return not of.union and any(destroys(inner, scope) for _, inner, _ in of.members)
