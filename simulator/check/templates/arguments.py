"""The arguments of a template: given in `<…>`, deduced from those of a call, or by default."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from simulator.check import scopes
from simulator.check.declared_types import alias_is_const, resolved
from simulator.check.scopes import FunctionTemplate, Scope, constant, head_of, is_pack
from simulator.check.templates.deduction import AnyTemplate, Bound, Given, deduce, mentioned, opened
from simulator.check.templates.instances import instance_scope
from simulator.ir import tree
from simulator.ir.conversions import as_lvalue, as_value, cast, is_const, is_lvalue, is_null
from simulator.ir.types import (
    VOID,
    CType,
    Enumerated,
    FunctionPointer,
    Scalar,
    Struct,
    is_scoped,
)
from simulator.ir.unchecked import (
    Alias,
    Auto,
    Checked,
    Forwarded,
    MemberOf,
    Named,
    Nested,
    PackType,
    TemplateId,
    TemplateParameter,
    TypeArgument,
    Variable,
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
    _check_count(template, given, span)
    bound = given_ones(template, given, scope)
    names = {p.name: p for p in template.parameters if p.name not in bound or p.pack}
    for at, pattern in enumerate(head_of(template).parameters):
        if is_pack(pattern):
            _deduce_packs(template, pattern, arguments[at:], names, bound)
        elif at < len(arguments):
            for name, found in _deduced(template, pattern, arguments[at], names, bound):
                _note(template, name, found, bound, arguments[at].span)
    return completed(template, bound, span)


def bound_by_position(
    template: AnyTemplate, given: tuple[tree.Node, ...], scope: Scope, span: Span
) -> Bound:
    """Return what each parameter of a template stands for: given, or by default."""
    _check_count(template, given, span)
    return completed(template, given_ones(template, given, scope), span)


def _check_count(template: AnyTemplate, given: tuple[tree.Node, ...], span: Span) -> None:
    count = len(template.parameters)
    if len(given) > count and not any(parameter.pack for parameter in template.parameters):
        what = f"the template `{template.name}` takes {count} arguments, not {len(given)}"
        raise CompileError(what, span, declared_in(template))


def given_ones(template: AnyTemplate, given: tuple[tree.Node, ...], scope: Scope) -> Bound:
    """Return what the arguments in `<…>` are, by the names of their parameters."""
    bound: Bound = {}
    for at, parameter in enumerate(template.parameters[: len(given)]):
        name = parameter.name or f"<{at}>"
        if parameter.pack:
            parts = (_given(template, parameter, one, scope, bound) for one in given[at:])
            bound[name] = Given(VOID, pack=tuple(parts))
            break
        bound[name] = _given(template, parameter, given[at], scope, bound)
    return bound


def completed(template: AnyTemplate, bound: Bound, span: Span) -> Bound:
    """Return the parameters in their order, those that are missing by their defaults."""
    whole: Bound = {}
    for at, parameter in enumerate(template.parameters):
        name = parameter.name or f"<{at}>"
        whole[name] = bound.get(name) or _default(template, parameter, bound | whole, span)
    return whole


def _deduced(
    template: FunctionTemplate,
    pattern: tree.Symbol,
    argument: tree.Expression,
    names: dict[str, TemplateParameter],
    bound: Bound,
) -> Iterator[tuple[str, Given]]:
    """Yield what one argument tells of the template's parameters."""
    assert isinstance(argument, Checked)
    checked = argument.checked
    if isinstance(pattern.type, Forwarded):
        yield from _forwarded(pattern.type, checked, names, template.scope)
        return
    const = pattern.reference and is_const(checked)
    actual = checked.type
    if not pattern.reference and actual != VOID:
        actual = as_value(checked).type
    meant = _unaliased(pattern.type, template.scope)
    actual = _base_like(meant, actual, template.scope)
    for name, found in deduce(meant, actual, const and not pattern.const, names):
        if name in names and (names[name].pack or name not in bound or bound[name].deduced):
            yield name, _fitted(found, names[name], template, bound, argument.span)


def _forwarded(
    pattern: Forwarded, checked: tree.Expression, names: dict[str, TemplateParameter], scope: Scope
) -> Iterator[tuple[str, Given]]:
    """Yield what `T &&` makes of an argument: a reference, or the type of a mere value."""
    name = pattern.of.name if isinstance(pattern.of, Named) else ""
    if name not in names:
        return
    checked = as_lvalue(checked)
    constant = isinstance(checked, tree.Name) and checked.symbol in scope.shared.constants
    if is_lvalue(checked) and not constant:
        yield name, Given(checked.type, is_const(checked), deduced=True, reference=True)
    else:
        yield name, Given(as_value(checked).type, deduced=True)


def _note(template: FunctionTemplate, name: str, found: Given, bound: Bound, span: Span) -> None:
    """Keep what an argument tells, unless another one tells otherwise."""
    old = bound.setdefault(name, found)
    if old.deduced and not old.is_like(found):
        what = f"`{name}` of the template `{template.name}` would be both"
        hint = f"convert an argument, or write `{template.name}<…>(…)`"
        raise CompileError(f"{what} `{old.text}` and `{found.text}`", span, hint)


def _deduce_packs(
    template: FunctionTemplate,
    pattern: tree.Symbol,
    arguments: Sequence[tree.Expression],
    names: dict[str, TemplateParameter],
    bound: Bound,
) -> None:
    """Note what the arguments for a parameter pack tell; some elements may be given."""
    assert isinstance(pattern.type, PackType)
    packs = [name for name in mentioned(pattern.type, names) if names[name].pack]
    known = {name: bound[name].pack or () for name in packs if name in bound}
    each = replace(pattern, type=pattern.type.of)
    found: list[Bound] = []
    for at, argument in enumerate(arguments):
        given = {name: parts[at] for name, parts in known.items() if at < len(parts)}
        sought = {name: one for name, one in names.items() if name not in given}
        told = dict(_deduced(template, each, argument, sought, bound))
        for name in told.keys() - packs:
            _note(template, name, told[name], bound, argument.span)
        found.append({**told, **given})
    for name in packs:
        if all(name in one for one in found) and len(found) >= len(known.get(name, ())):
            made = Given(VOID, deduced=True, pack=tuple(one[name] for one in found))
            span = arguments[-1].span if arguments else template.span
            if name in known:
                bound[name] = made
            else:
                _note(template, name, made, bound, span)


def _base_like(pattern: CType, actual: CType, scope: Scope) -> CType:
    """Return the base of a class that a pattern `Template<…>` fits, or the class itself."""
    if not isinstance(pattern, TemplateId):
        return actual
    bases = [known.type for known in scopes.with_bases(actual, scope)]
    for ctype in (actual, *bases):
        if isinstance(ctype, Struct) and (ctype.made_of or ("",))[0] == pattern.name:
            return ctype
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
    given: dict[str, tuple[tree.Node, ...]] = {}
    for at, parameter in enumerate(template.parameters):
        rest = pattern.arguments[at:]
        given[parameter.name] = rest if parameter.pack else rest[:1]
    arguments = (one for argument in target.arguments for one in _with_given(argument, given))
    return _unaliased(replace(target, arguments=tuple(arguments)), template.scope)


def _with_given(
    argument: tree.Node, given: dict[str, tuple[tree.Node, ...]]
) -> tuple[tree.Node, ...]:
    """Return what stands for an argument that is a parameter of the alias, or expands one."""
    inner = opened(argument)
    inner = argument if inner is None else inner
    if isinstance(inner, TypeArgument) and isinstance(inner.type, Named):
        return given.get(inner.type.name, (argument,))
    return given.get(inner.name, (argument,)) if isinstance(inner, tree.Name) else (argument,)


def _fitted(
    found: Given, parameter: TemplateParameter, template: FunctionTemplate, bound: Bound, span: Span
) -> Given:
    """Return a deduced argument as its parameter takes it."""
    found = replace(found, deduced=True)
    if parameter.inner is not None:
        made_by = template.scope.shared.made_by.get(found.type)
        return replace(found, type=VOID, template=made_by) if made_by is not None else found
    if found.value is None or parameter.type is None or isinstance(parameter.type, Auto):
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
    if parameter.inner is not None:
        return _given_template(argument, what, parameter, scope)
    if parameter.type is None:
        if isinstance(argument, MemberOf) and argument.arguments is None:  # without `typename`
            meant = Nested(argument.of, argument.name, argument.span)
            argument = TypeArgument(meant, span=argument.span)
        if not isinstance(argument, TypeArgument):
            found = f"{what} is a type, which `{argument.span.text}` is not"
            raise CompileError(found, argument.span, "write a type, such as `int`")
        ctype = resolved(argument.type, scope, argument.span)
        return Given(ctype, argument.const or alias_is_const(argument.type, scope))
    if isinstance(parameter.type, Auto):
        return _given_any(argument, what, scope)
    wanted = resolved(parameter.type, instance_scope(template, bound), parameter.span)
    if isinstance(argument, TypeArgument) or not isinstance(argument, tree.Expression):
        raise CompileError(f"{what} is a value of type `{wanted}`", argument.span)
    if isinstance(wanted, FunctionPointer):
        return _given_function(argument, wanted, what, scope)
    if not isinstance(wanted, Scalar) or wanted.is_float:
        raise CompileError(f"{what} cannot be a `{wanted}`", parameter.span, "make it an integer")
    number = _integer(argument, what, scope)
    if number.type != wanted and (isinstance(wanted, Enumerated) or is_scoped(number.type)):
        shown = f"`{argument.span.text}` is of type `{number.type}`"
        raise CompileError(f"{what} is a `{wanted}`; {shown}", argument.span, "convert it")
    return Given(wanted, value=_literal(number, wanted))


def _integer(argument: tree.Expression, what: str, scope: Scope) -> tree.Literal:
    """Return the constant integer that an argument is."""
    value = constant(argument, scope)
    if value is None or isinstance(value.value, float):
        hint = "use a literal, a `constexpr` variable or a macro"
        raise CompileError(f"{what} must be a constant integer", argument.span, hint)
    return value


def _given_any(argument: tree.Node, what: str, scope: Scope) -> Given:
    """Return the argument for `auto name`: a constant of any integer type, or a function."""
    if isinstance(argument, TypeArgument) or not isinstance(argument, tree.Expression):
        raise CompileError(f"{what} is a value", argument.span, "write a constant")
    assert scope.shared.designate is not None
    found = scope.shared.designate(argument, scope, VOID)
    if isinstance(found, tree.Literal):
        return Given(found.type, value=found)
    value = _integer(argument, what, scope)
    return Given(value.type, value=value)


def _given_template(
    argument: tree.Node, what: str, parameter: TemplateParameter, scope: Scope
) -> Given:
    """Return a template of classes as the argument of a template."""
    named = argument.type if isinstance(argument, TypeArgument) else argument
    found = scope.class_template(named.name) if isinstance(named, Named | tree.Name) else None
    if found is None or isinstance(found.item, Variable):
        meant = f"{what} is a template, which `{argument.span.text}` is not"
        raise CompileError(meant, argument.span, "write the name of a template of classes")
    assert parameter.inner is not None
    takes, wanted = _arity(found.parameters), len(parameter.inner)
    packs = any(one.pack for one in parameter.inner)
    if not packs and not (takes[0] <= wanted and (takes[1] is None or wanted <= takes[1])):
        meant = f"{what} takes {wanted} arguments, and `{found.name}` does not"
        raise CompileError(meant, argument.span, declared_in(found))
    return Given(VOID, template=found)


def _arity(parameters: Sequence[TemplateParameter]) -> tuple[int, int | None]:
    """Return how many arguments a template takes at least, and at most if there is a limit."""
    packs = any(one.pack for one in parameters)
    least = sum(one.default is None and not one.pack for one in parameters)
    return least, None if packs else len(parameters)


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
    if parameter.pack:
        return Given(VOID, pack=())
    if parameter.default is None:
        what = f"`{parameter.name}` of the template `{template.name}` is not given"
        hint = f"write `{template.name}<…>`: nothing tells what it is"
        raise CompileError(what, span, hint)
    scope = instance_scope(template, bound)
    return _given(template, parameter, parameter.default, scope, bound)


def declared_in(template: AnyTemplate) -> str:
    """Return the hint where a template is declared."""
    return f"it is declared in line {template.span.line} of {template.span.source.name}"
