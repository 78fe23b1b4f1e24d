"""Declare function templates and their explicit specialisations."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TypeGuard

from simulator.check.declared_types import resolved
from simulator.check.scopes import FunctionTemplate, Meaning, Overloads, Scope, head_of
from simulator.check.templates.arguments import completed, given_ones
from simulator.check.templates.deduction import Bound, deduce_types
from simulator.check.templates.instances import instance_name, instance_scope
from simulator.check.templates.most_special import is_more_special
from simulator.check.templates.packs import written_out
from simulator.ir.unchecked import Definition, Prototype, Template, TemplateParameter
from simulator.source import CompileError


def declare_template(node: Template, scope: Scope) -> None:
    """Give the name of a function template a meaning; a definition takes its prototype's place."""
    assert isinstance(node.item, Prototype | Definition)
    head = node.item.head if isinstance(node.item, Definition) else node.item
    old = scope.here(head.name)
    if not node.parameters:
        _specialise(node.item, head, old, scope)
        return
    known: tuple[Prototype | FunctionTemplate, ...] = ()
    if isinstance(old, FunctionTemplate | Prototype):
        known = (old,)
    elif isinstance(old, Overloads):
        known = old.candidates
    elif old is not None:
        hint = f"it was declared in line {old.span.line}; choose another name"
        raise CompileError(f"`{head.name}` is declared differently", head.span, hint)
    same = next((one for one in known if _is_same(one, node.parameters, head)), None)
    made = _template(node, head, same, known, scope)
    others = tuple(one for one in known if one is not same)
    _check_kernels(head, others)
    meaning = Overloads((*others, made)) if others else made
    for visible in (made.scope, scope):
        visible.replace(head.name, meaning)
    scope.shared.templates[made.name] = made


def _template(
    node: Template,
    head: Prototype,
    same: FunctionTemplate | None,
    known: tuple[Prototype | FunctionTemplate, ...],
    scope: Scope,
) -> FunctionTemplate:
    """Return a template, which may have been declared before."""
    assert isinstance(node.item, Prototype | Definition)
    inside = scope.snapshot()
    if same is not None:
        parameters = _with_defaults(node, head, same)
        return FunctionTemplate(same.name, parameters, node.item, inside, head.span, same.special)
    name = head.name
    if any(isinstance(one, FunctionTemplate) for one in known):
        _, types, result = _shape(node.parameters, head)
        name = f"{name}({', '.join(types)})"
        if any(one.name == name for one in known):
            name = f"{name} -> {result}"
    return FunctionTemplate(name, node.parameters, node.item, inside, head.span)


def _check_kernels(head: Prototype, others: tuple[Prototype | FunctionTemplate, ...]) -> None:
    """Refuse a name that a kernel shares with a function that is no template."""
    for one in others:
        if isinstance(one, Prototype) and "__global__" in {*one.specifiers, *head.specifiers}:
            hint = f"it was declared in line {one.span.line}; choose another name"
            raise CompileError(f"`{head.name}` is declared differently", head.span, hint)


def _is_same(
    one: Prototype | FunctionTemplate, parameters: tuple[TemplateParameter, ...], head: Prototype
) -> TypeGuard[FunctionTemplate]:
    """Whether a declaration is that of a known template."""
    if not isinstance(one, FunctionTemplate):
        return False
    return _shape(one.parameters, head_of(one)) == _shape(parameters, head)


def is_same(one: FunctionTemplate, other: FunctionTemplate) -> bool:
    """Whether two declarations are of one template, whatever its parameters are called."""
    return _shape(one.parameters, head_of(one)) == _shape(other.parameters, head_of(other))


def _shape(
    parameters: tuple[TemplateParameter, ...], head: Prototype
) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Return what tells templates of one name apart, whatever their parameters are called."""
    kinds = tuple(f"{_kind(p)}{'...' * p.pack}" for p in parameters)
    numbers = {p.name: f"${at}" for at, p in enumerate(parameters)}
    types = [f"{'const ' * p.const}{p.type}{'&' * p.reference}" for p in head.parameters]

    def plain(text: str) -> str:
        return re.sub(r"\w+", lambda word: numbers.get(word[0], word[0]), text)

    return kinds, tuple(map(plain, types)), plain(str(head.result))


def _kind(parameter: TemplateParameter) -> str:
    """Return how a parameter of a template is declared, without its name."""
    if parameter.inner is not None:
        return f"template <{', '.join(map(_kind, parameter.inner))}>"
    return "typename" if parameter.type is None else str(parameter.type)


def _specialise(
    item: Prototype | Definition, head: Prototype, old: Meaning | None, scope: Scope
) -> None:
    """Keep the definition of an explicit specialisation."""
    known = old.candidates if isinstance(old, Overloads) else (old,)
    inside = scope.snapshot()
    templates = [one for one in known if isinstance(one, FunctionTemplate)]
    fitting = [(t, b) for t in templates if (b := _specialised(t, head, inside)) is not None]
    for template, bound in fitting:
        if not any(is_more_special(other, template) for other, _ in fitting):
            if isinstance(item, Definition):
                template.special[instance_name(template, bound)] = item, inside
            return
    what = f"`{head.name}` specialises no template"
    raise CompileError(what, head.location, "declare the template before, with these parameters")


def _specialised(template: FunctionTemplate, head: Prototype, scope: Scope) -> Bound | None:
    """Return for what arguments a template has the parameters of `head`; None if for none."""
    patterns = [pattern.type for pattern in head_of(template).parameters]
    types = [resolved(p.type, scope, p.span) for p in head.parameters]
    try:
        bound = given_ones(template, head.arguments or (), scope)
        names = {p.name: p for p in template.parameters if p.name not in bound}
        for name, found in deduce_types(patterns, types, names):
            bound.setdefault(name, found)
        bound = completed(template, bound, head.span)
        inside = instance_scope(template, bound)
        own = written_out(head_of(template), template, bound).parameters
        wanted = [resolved(p.type, inside, p.span) for p in own]
    except CompileError:
        return None
    return bound if wanted == types else None


def _with_defaults(
    node: Template, head: Prototype, old: FunctionTemplate
) -> tuple[TemplateParameter, ...]:
    """Return the parameters of a template that is declared again, with the defaults of before."""
    if isinstance(old.item, Definition) and isinstance(node.item, Definition):
        hint = f"first in line {old.span.line}; two templates cannot share a name and parameters"
        raise CompileError(f"`{head.name}` is defined twice", head.span, hint)
    return tuple(
        replace(new, default=new.default or before.default)
        for new, before in zip(node.parameters, old.parameters, strict=True)
    )
