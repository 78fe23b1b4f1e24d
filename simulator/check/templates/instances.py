"""Instances of templates: what their parameters mean inside, and functions checked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from simulator.check.constants import deep
from simulator.check.scopes import AliasOf, FunctionTemplate, Scope
from simulator.check.templates.deduction import AnyTemplate, Bound, Given, flat
from simulator.check.templates.packs import element_name, written_out
from simulator.ir import tree
from simulator.ir.unchecked import Definition, TemplateParameter
from simulator.source import CompileError, Span, of_program

MOST_NESTED = 40


def instance_scope(template: AnyTemplate, bound: Bound) -> Scope:
    """Return the scope of a template's definition, with meanings for its parameters."""
    return scope_with(template.scope, template.parameters, bound)


def scope_with(around: Scope, parameters: Sequence[TemplateParameter], bound: Bound) -> Scope:
    """Return a scope with meanings for a template's parameters."""
    scope = Scope(around.shared, around)
    for parameter in parameters:
        given = bound.get(parameter.name)
        if given is None or not parameter.name:
            continue
        if given.pack is None:
            _declare(parameter.name, given, parameter.span, scope)
        for at, one in enumerate(given.pack or ()):
            _declare(element_name(parameter.name, at), one, parameter.span, scope)
    return scope


def _declare(name: str, given: Given, span: Span, scope: Scope) -> None:
    """Give the name of a template's parameter, or of an element of a pack, its meaning."""
    if given.template is not None:
        scope.declare(name, given.template)
    elif given.value is None:
        scope.declare(name, AliasOf(given.type, span, given.const))
    else:
        symbol = tree.Symbol(name, given.type, tree.Storage.LITERAL, span, const=True)
        scope.declare(name, symbol)
        scope.shared.constants[symbol] = given.value


def instance(template: FunctionTemplate, bound: Bound, span: Span) -> tree.Function:
    """Return the function that `template` is for these arguments, checked once."""
    shared, given = template.scope.shared, list(bound.values())
    name = instance_name(template, bound)
    if name in shared.functions:
        return shared.functions[name]
    template = shared.templates[template.name]
    _check_begun(template, name, span)
    shared.instances.append(name)
    names = (parameter.name for parameter in template.parameters)
    bound = dict(zip(names, given, strict=True))
    item, scope = written_out(template.item, template, bound), instance_scope(template, bound)
    if name in template.special:
        item, scope = template.special[name]
    assert isinstance(item, Definition)
    item = replace(item, head=replace(item.head, name=name))
    assert shared.define is not None
    try:
        with deep():
            shared.functions[name] = shared.define(item, scope)
    except CompileError as error:
        shared.instances.remove(name)
        if error.span is not None and error.span.source.library:
            raise of_program(error, span) from None
        origin = f"in `{name}`, made for line {span.line} of {span.source.name}"
        hint = "\n".join(filter(None, [error.hint, origin]))
        raise CompileError(error.message, error.span, hint) from None
    return shared.functions[name]


def instance_name(template: AnyTemplate, bound: Bound) -> str:
    """Return how an instance is called; several types of one name make instances of several names.

    Structures in functions and lambdas may have the same name.
    """
    name = f"{template.name}<{', '.join(one.text for one in flat(bound))}>"
    key = tuple(one.key for one in bound.values())
    known = template.scope.shared.instance_types.setdefault(name, [])
    if key not in known:
        known.append(key)
    number = known.index(key) + 1
    return name if number == 1 else f"{name} ({number})"


def _check_begun(template: FunctionTemplate, name: str, span: Span) -> None:
    """Refuse an instance that would never end, or has no body."""
    shared = template.scope.shared
    begun = [one for one in shared.instances if one not in shared.functions]
    if not isinstance(template.item, Definition) and name not in template.special:
        what = f"the template `{template.name}` is declared, but not defined"
        raise CompileError(what, span, "define it in this program")
    if name in begun:
        hint = "use a loop"
        raise CompileError(f"an instance of a template cannot call itself: `{name}`", span, hint)
    if len(begun) >= MOST_NESTED:
        what = f"more than {MOST_NESTED} instances of templates inside one another"
        raise CompileError(what, span, "end the recursion of the template with `if constexpr`")
