"""Templates of classes and of names for types: instances, specialisations, members outside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from simulator.check import function_pointers, initializers, templates
from simulator.check.classes import declaration
from simulator.check.declarations import outer_constant
from simulator.check.declared_types import alias_is_const, resolved
from simulator.check.scopes import AliasOf, Class, ClassTemplate, Scope, constant, expression, value
from simulator.check.templates import Bound, Given
from simulator.ir import tree
from simulator.ir.types import Constant, CType, Struct
from simulator.ir.unchecked import (
    Alias,
    Auto,
    Definition,
    Structure,
    Template,
    TemplateId,
    TemplateParameter,
    TemplateValue,
    TypeArgument,
    Variable,
)
from simulator.source import CompileError, of_program

#: The parameters of a template by their names.
Names = Mapping[str, TemplateParameter]


def declare(node: Template, scope: Scope) -> None:
    """Declare a template of any kind."""
    _check_parameters(node)
    item = node.item
    if isinstance(item, Structure | Variable) and _arguments(item) is not None:
        name = item.symbol.name if isinstance(item, Variable) else item.name
        _find(name, item, scope).special.append(node)
    elif isinstance(item, Structure | Alias | Variable):
        _declare(node, item, scope)
    elif isinstance(item, Template):
        _declare_outside(node, item, scope)
    elif isinstance(item, Definition) and (outer := _outer(item, scope)) is not None:
        outer.outside.append(node)
    elif (
        isinstance(item, Definition)
        and node.parameters
        and declaration.is_outside(item.head, scope)
    ):
        declaration.attach_template(node, declaration.owner_of(item, scope), scope.snapshot())
    else:
        templates.declare_template(node, scope)


def _check_parameters(node: Template) -> None:
    """Refuse two parameters of one name."""
    names = [one.name or None for one in node.parameters]
    for at, one in enumerate(node.parameters):
        if one.name in names[:at]:
            what = f"two parameters of the template are called `{one.name}`"
            raise CompileError(what, one.span, "choose another name")


def _declare_outside(node: Template, inner: Template, scope: Scope) -> None:
    """Keep the template of a member function of a template of a class."""
    item = inner.item
    outer = _outer(item, scope) if isinstance(item, Definition) else None
    if outer is None:
        what = "a template of a template is a member function of a class"
        raise CompileError(what, node.span, "declare it in the class")
    outer.outside.append(node)


def _arguments(item: Structure | Variable) -> tuple[tree.Node, ...] | None:
    """Return what a template is specialised for; None for what is no specialisation."""
    if isinstance(item, Variable):
        return item.arguments
    return None if item.content is None else item.content.arguments


def _outer(item: Definition, scope: Scope) -> ClassTemplate | None:
    """Return the template of the class whose member `item` defines outside of its braces."""
    front, _, _ = item.head.name.rpartition("::")
    found = scope.lookup(front) if front else None
    return found if isinstance(found, ClassTemplate) else None


def _find(name: str, node: tree.Node, scope: Scope) -> ClassTemplate:
    found = scope.lookup(name)
    if not isinstance(found, ClassTemplate):
        what = f"`{name}` is no template of a class"
        raise CompileError(what, node.span, "declare `template <…> struct` of that name before")
    return found


def _declare(node: Template, item: Structure | Alias | Variable, scope: Scope) -> None:
    name = item.symbol.name if isinstance(item, Variable) else item.name
    early = next((one for one in node.parameters[:-1] if one.pack), None)
    if early is not None:
        what = f"the parameter pack `{early.name}` of a class must be the last parameter"
        raise CompileError(what, early.span, "put it behind the others")
    old = scope.here(name)
    if isinstance(old, ClassTemplate) and isinstance(item, Structure):
        if item.fields is None:
            return
        if isinstance(old.item, Structure) and old.item.fields is not None:
            hint = f"first in line {old.span.line}"
            raise CompileError(f"`{item.name}` is defined twice", item.span, hint)
        pairs = zip(node.parameters, old.parameters, strict=False)
        old.parameters = tuple(replace(a, default=a.default or b.default) for a, b in pairs)
        old.item, old.scope = item, scope.snapshot()
        old.scope.replace(item.name, old)
        return
    inside = scope.snapshot()
    made = ClassTemplate(name, node.parameters, item, inside, item.span)
    inside.replace(name, made)
    scope.declare(name, made)


@expression.register
def _value(node: TemplateValue, scope: Scope) -> tree.Expression:
    """Return the constant that a template of a variable is for some arguments."""
    template = scope.class_template(node.name)
    pointer = function_pointers.designated(node, scope) if template is None else None
    if pointer is not None:
        return pointer
    if template is None or not isinstance(template.item, Variable):
        what = f"the function `{node.name}` is not called here"
        raise CompileError(what, node.span, f"write `{node.span.text}(…)`")
    bound = templates.bound_by_position(template, node.given, scope, node.span)
    name = templates.instance_name(template, bound)
    inside = templates.instance_scope(template, bound)
    if name not in template.values:
        template.values[name] = None
        try:
            template.values[name] = _instance_of_constant(template, bound, node, inside)
        finally:
            if template.values[name] is None:
                del template.values[name]
    known = template.values[name]
    if known is not None:
        return replace(known, span=node.span)
    ctype = resolved(template.item.symbol.type, inside, node.span)
    return initializers.zero(ctype, node.span)  # on the side of `?:` that is not evaluated


def _instance_of_constant(
    template: ClassTemplate, bound: Bound, node: TemplateValue, inside: Scope
) -> tree.Expression:
    """Return the value of a constant's template for some arguments."""
    _, _, item, inside = _special(template, bound, inside)
    assert isinstance(item, Variable)
    words = item.specifiers - {"inline", "static", "__device__"}
    scope = Scope(inside.shared, inside)
    outer_constant(replace(item, specifiers=words), scope)
    return value(tree.Name(node.name, span=node.span), scope)


def instance(node: TemplateId, template: ClassTemplate, scope: Scope) -> CType:
    """Return the type that a template makes of the arguments of `node`, made once."""
    bound = templates.bound_by_position(template, node.arguments, scope, node.span)
    name = templates.instance_name(template, bound)
    if name in template.instances:
        return template.instances[name]
    inside = templates.instance_scope(template, bound)
    if isinstance(template.item, Alias):
        target = templates.written_out(template.item.type, template, bound)
        made = template.instances[name] = resolved(target, inside, node.span)
        return made
    pattern, names, item, inside = _special(template, bound, inside)
    assert isinstance(item, Structure)
    number = scope.shared.structures = scope.shared.structures + 1
    arguments = tuple(_argument(one) for one in templates.flat(bound))
    found = Struct(name, (), 0, 1, f"{template.name.replace('::', '_')}_{number}")
    object.__setattr__(found, "made_of", (template.name, arguments))
    scope.shared.made_by[found] = template
    template.instances[name] = found
    if item.fields is None:
        return found
    try:
        dependent = _dependent_bases(pattern, names, item)
        owner = declaration.define(replace(item, label=name), found, inside, dependent)
        _define_outside(template, owner, bound)
    except CompileError as error:
        del template.instances[name]
        if error.span is not None and error.span.source.library:
            raise of_program(error, node.span) from None
        origin = f"in `{name}`, made for line {node.span.line} of {node.span.source.name}"
        hint = "\n".join(filter(None, [error.hint, origin]))
        raise CompileError(error.message, error.span, hint) from None
    return found


def _dependent_bases(
    pattern: Structure | Variable, names: Names, item: Structure
) -> tuple[CType, ...]:
    """Return the bases of an instance that the arguments of its template decide."""
    written = pattern.content.bases if isinstance(pattern, Structure) and pattern.content else ()
    bases = item.content.bases if item.content is not None else ()
    if len(written) != len(bases):
        return bases
    pairs = zip(bases, written, strict=True)
    return tuple(one for one, old in pairs if templates.mentioned(old, names))


def _argument(given: Given) -> CType | Constant | int:
    if given.value is not None:
        return int(given.value.value)
    return Constant(given.type) if given.const else given.type


# Specialisations.


def _special(
    template: ClassTemplate, bound: Bound, inside: Scope
) -> tuple[Structure | Variable, Names, Structure | Variable, Scope]:
    """Return what defines an instance: the most special definition that fits, and its scope.

    First as it is written, with its parameters, then with the arguments in their place.
    """
    fitting = ((node, _fitted(template, node, bound)) for node in template.special)
    found = [(node, own) for node, own in fitting if own is not None]
    if not found:
        assert isinstance(template.item, Structure | Variable)
        names = {one.name: one for one in template.parameters}
        made = templates.written_out(template.item, template, bound)
        return template.item, names, made, inside
    rivals = [node for node, _ in found]
    best = [one for one in found if all(one[0] is o or _is_more_special(one[0], o) for o in rivals)]
    if not best:
        shown = "\n".join(f"there is one in line {one.span.line}" for one in rivals)
        what = f"several specialisations of `{template.name}` take these arguments equally well"
        raise CompileError(what, rivals[-1].span, f"{shown}\nadd one for what both take")
    node, own = best[0]
    assert isinstance(node.item, Structure | Variable)
    scope = templates.scope_with(template.scope, node.parameters, own)
    names = {one.name: one for one in node.parameters}
    return node.item, names, templates.written_out(node.item, template, own), scope


def _patterns(node: Template) -> tuple[tree.Node, ...]:
    assert isinstance(node.item, Structure | Variable)
    return _arguments(node.item) or ()


def _is_more_special(one: Template, other: Template) -> bool:
    """Whether a specialisation is for a part of what another one is for, and not the reverse."""
    return _covers(other, one) and not _covers(one, other)


def _covers(general: Template, special: Template) -> bool:
    names = {parameter.name for parameter in general.parameters}
    return templates.fit_arguments(_patterns(general), _patterns(special), names)


def _fitted(template: ClassTemplate, node: Template, bound: Bound) -> Bound | None:
    """Return the parameters of a specialisation for some arguments; None if it does not fit."""
    patterns, given = _patterns(node), templates.flat(bound)
    names = {parameter.name: parameter for parameter in node.parameters if parameter.name}
    found: Bound = {}
    parts = [_argument(one) for one in given]
    for name, one in templates.deduce_arguments(patterns, parts, names):
        if not found.setdefault(name, one).is_like(one):
            return None
    if set(found) != set(names):
        return None
    own = {parameter.name: found[parameter.name] for parameter in node.parameters if parameter.name}
    patterns = templates.written_out(patterns, template, own)
    inside = templates.scope_with(template.scope, node.parameters, own)
    if len(patterns) != len(given):
        return None
    last = template.parameters[-1:]
    heads = (*template.parameters, *last * len(given))
    rows = zip(patterns, given, heads, strict=False)
    fits = all(_is(pattern, one, head, inside) for pattern, one, head in rows)
    return own if fits else None


def _is(pattern: tree.Node, given: Given, parameter: TemplateParameter, scope: Scope) -> bool:
    """Whether an argument of a specialisation is the given one, once its parameters are known."""
    if isinstance(pattern, TypeArgument):
        const = pattern.const or alias_is_const(pattern.type, scope)
        found = resolved(pattern.type, scope, pattern.span)
        return given.value is None and found == given.type and const == given.const
    if given.value is None or not isinstance(pattern, tree.Expression):
        return False
    value = constant(pattern, scope)
    if value is None or value.value != given.value.value:
        return False
    return value.type == given.value.type or not isinstance(parameter.type, Auto)


def _define_outside(template: ClassTemplate, owner: Class, bound: Bound) -> None:
    """Give the functions of an instance the bodies that stand outside of the template's braces."""
    for node in template.outside:
        given = list(bound.values())
        named = {p.name: one for p, one in zip(node.parameters, given, strict=False)}
        item = templates.written_out(node.item, template, named)
        inside = templates.scope_with(template.scope, node.parameters, named)
        plain = owner.type.name.split("<")[0].rpartition("::")[2]
        inside.replace(plain, AliasOf(owner.type, node.span, tag=True))
        if isinstance(item, Template):
            declaration.attach_template(item, owner, inside)
        else:
            assert isinstance(item, Definition)
            declaration.attach(item, owner, inside)
