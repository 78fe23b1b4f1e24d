"""The arguments of a template: given in `<…>`, deduced from those of a call, or by default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from simulator.check import scopes
from simulator.check.declared_types import alias_is_const, resolved
from simulator.check.scopes import FunctionTemplate, Scope, constant, head_of
from simulator.check.templates.deduction import AnyTemplate, Bound, Given, deduce
from simulator.check.templates.instances import instance_scope
from simulator.ir import tree
from simulator.ir.conversions import as_value, cast, is_const, is_null
from simulator.ir.types import VOID, CType, FunctionPointer, Scalar, Struct
from simulator.ir.unchecked import (
    Alias,
    Checked,
    MemberOf,
    Named,
    Nested,
    TemplateId,
    TemplateParameter,
    TypeArgument,
)
from simulator.source import CompileError, Span


def bound_for(
    template: FunctionTemplate,
    given: tuple[tree.Node, ...],
    arguments: Sequence[tree.Expression],
    scope: Scope,
    span: Span,
) -> Bound:
    """Return what each parameter of the template stands for: given, deduced, or by default."""
    parameters = template.parameters
    if len(given) > len(parameters):
        what = f"the template `{template.name}` takes {len(parameters)} arguments, not {len(given)}"
        raise CompileError(what, span, declared_in(template))
    bound = given_ones(template, given, scope)
    patterns = head_of(template).parameters
    names = {p.name: p for p in parameters if p.name not in bound}
    for pattern, argument in zip(patterns, arguments, strict=False):
        _deduce(template, pattern, argument, names, bound)
    return completed(template, bound, span)


def bound_by_position(
    template: AnyTemplate, given: tuple[tree.Node, ...], scope: Scope, span: Span
) -> Bound:
    """Return what each parameter of a template stands for: given, or by default."""
    if len(given) > len(template.parameters):
        count = len(template.parameters)
        what = f"the template `{template.name}` takes {count} arguments, not {len(given)}"
        raise CompileError(what, span, declared_in(template))
    return completed(template, given_ones(template, given, scope), span)


def given_ones(template: AnyTemplate, given: tuple[tree.Node, ...], scope: Scope) -> Bound:
    """Return what the arguments in `<…>` are, by the names of their parameters."""
    bound: Bound = {}
    for at, (parameter, argument) in enumerate(zip(template.parameters, given, strict=False)):
        name = parameter.name or f"<{at}>"
        bound[name] = _given(template, parameter, argument, scope, bound)
    return bound


def completed(template: AnyTemplate, bound: Bound, span: Span) -> Bound:
    """Return the parameters in their order, those that are missing by their defaults."""
    whole: Bound = {}
    for at, parameter in enumerate(template.parameters):
        name = parameter.name or f"<{at}>"
        whole[name] = bound.get(name) or _default(template, parameter, bound | whole, span)
    return whole


def _deduce(
    template: FunctionTemplate,
    pattern: tree.Symbol,
    argument: tree.Expression,
    names: dict[str, TemplateParameter],
    bound: Bound,
) -> None:
    """Note what one argument tells of the template's parameters."""
    assert isinstance(argument, Checked)
    checked = argument.checked
    const = pattern.reference and is_const(checked)
    actual = checked.type
    if not pattern.reference and actual != VOID:
        actual = as_value(checked).type
    meant = _unaliased(pattern.type, template.scope)
    actual = _base_like(meant, actual, template.scope)
    for name, found in deduce(meant, actual, const and not pattern.const, names):
        found = _fitted(found, names[name], template, bound, argument.span)
        old = bound.setdefault(name, found)
        if old.deduced and not old.is_like(found):
            what = f"`{name}` of the template `{template.name}` would be both"
            hint = f"convert an argument, or write `{template.name}<…>(…)`"
            raise CompileError(f"{what} `{old.text}` and `{found.text}`", argument.span, hint)


def _base_like(pattern: CType, actual: CType, scope: Scope) -> CType:
    """Return the base of a class that a pattern `Template<…>` fits, or the class itself."""
    if not isinstance(pattern, TemplateId):
        return actual
    ctype: CType | None = actual
    while isinstance(ctype, Struct):
        if ctype.made_of is not None and ctype.made_of[0] == pattern.name:
            return ctype
        known = scope.shared.classes.get(ctype)
        ctype = known.base if known is not None else None
    return actual


def _unaliased(pattern: CType, scope: Scope) -> CType:
    """Return a pattern with a template of a name for a type replaced by what that type is."""
    if not isinstance(pattern, TemplateId):
        return pattern
    template = scope.class_template(pattern.name)
    if template is None or not isinstance(template.item, Alias):
        return pattern
    target = template.item.type
    if not isinstance(target, TemplateId):
        return pattern
    pairs = zip(template.parameters, pattern.arguments, strict=False)
    given = {parameter.name: argument for parameter, argument in pairs}
    arguments = tuple(_with_given(argument, given) for argument in target.arguments)
    return _unaliased(replace(target, arguments=arguments), template.scope)


def _with_given(argument: tree.Node, given: dict[str, tree.Node]) -> tree.Node:
    if isinstance(argument, TypeArgument) and isinstance(argument.type, Named):
        return given.get(argument.type.name, argument)
    return given.get(argument.name, argument) if isinstance(argument, tree.Name) else argument


def _fitted(
    found: Given, parameter: TemplateParameter, template: FunctionTemplate, bound: Bound, span: Span
) -> Given:
    """Return a deduced argument as its parameter takes it."""
    found = replace(found, deduced=True)
    if found.value is None or parameter.type is None:
        return found
    ctype = resolved(parameter.type, instance_scope(template, bound), span)
    return replace(found, value=_literal(found.value, ctype))


def _literal(value: tree.Literal, ctype: CType) -> tree.Literal:
    converted = cast(value, ctype)
    assert isinstance(converted, tree.Literal)
    return converted


def _given(
    template: AnyTemplate,
    parameter: TemplateParameter,
    argument: tree.Node,
    scope: Scope,
    bound: Bound,
) -> Given:
    """One argument in `<…>`; `scope` is where it stands."""
    what = f"`{parameter.name}` of the template `{template.name}`"
    if parameter.type is None:
        if isinstance(argument, MemberOf) and argument.arguments is None:  # without `typename`
            meant = Nested(argument.of, argument.name, argument.span)
            argument = TypeArgument(meant, span=argument.span)
        if not isinstance(argument, TypeArgument):
            found = f"{what} is a type, which `{argument.span.text}` is not"
            raise CompileError(found, argument.span, "write a type, such as `int`")
        ctype = resolved(argument.type, scope, argument.span)
        return Given(ctype, argument.const or alias_is_const(argument.type, scope))
    wanted = resolved(parameter.type, instance_scope(template, bound), parameter.span)
    if isinstance(argument, TypeArgument) or not isinstance(argument, tree.Expression):
        raise CompileError(f"{what} is a value of type `{wanted}`", argument.span)
    if isinstance(wanted, FunctionPointer):
        return _given_function(argument, wanted, what, scope)
    if not isinstance(wanted, Scalar) or wanted.is_float:
        raise CompileError(f"{what} cannot be a `{wanted}`", parameter.span, "make it an integer")
    value = constant(argument, scope)
    if value is None or isinstance(value.value, float):
        hint = "use a literal, a `constexpr` variable or a macro"
        raise CompileError(f"{what} must be a constant integer", argument.span, hint)
    return Given(wanted, value=_literal(value, wanted))


def _given_function(
    argument: tree.Expression, wanted: FunctionPointer, what: str, scope: Scope
) -> Given:
    """Return a function as the argument of a template."""
    assert scope.shared.designate is not None
    found = scope.shared.designate(argument, scope, wanted)
    found = scopes.value(argument, scope) if found is None else found
    found = cast(found, wanted) if is_null(found) else found
    if not isinstance(found, tree.Literal) or found.type != wanted:
        raise CompileError(f"{what} is a `{wanted}`", argument.span, "name a function")
    return Given(wanted, value=found)


def _default(
    template: AnyTemplate, parameter: TemplateParameter, bound: Bound, span: Span
) -> Given:
    if parameter.default is None:
        what = f"`{parameter.name}` of the template `{template.name}` is not given"
        hint = f"write `{template.name}<…>`: nothing tells what it is"
        raise CompileError(what, span, hint)
    scope = instance_scope(template, bound)
    return _given(template, parameter, parameter.default, scope, bound)


def declared_in(template: AnyTemplate) -> str:
    """Return the hint where a template is declared."""
    return f"it is declared in line {template.span.line} of {template.span.source.name}"
