"""Function templates: their arguments found out, and one function checked for each set of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

from simulator.check import declared_types, scopes
from simulator.check.declared_types import alias_is_const, resolved
from simulator.check.initializers import call_of_function
from simulator.check.scopes import (
    AliasOf,
    ClassTemplate,
    FunctionTemplate,
    Meaning,
    Overloads,
    Scope,
    constant,
    head_of,
)
from simulator.ir import tree
from simulator.ir.conversions import as_value, cast, is_const, is_null, parts_of
from simulator.ir.types import (
    BOOL,
    INT,
    VOID,
    Array,
    CType,
    FunctionPointer,
    Pointer,
    Scalar,
    Struct,
)
from simulator.ir.unchecked import (
    Alias,
    Checked,
    Definition,
    MemberOf,
    Named,
    NameExpression,
    Nested,
    Prototype,
    Sized,
    Template,
    TemplateCall,
    TemplateId,
    TemplateParameter,
    TypeArgument,
    Unit,
)
from simulator.source import CompileError, Span

# Instances of a program's template kernels, to see whether the templates compile at all.


#: The types that are tried for parameters that are types.
_TYPES = ("float", "int", "float4")


@dataclass(frozen=True)
class Trial:
    """A kernel that is a template, with names of instances as `name_expressions` take them."""

    name: str
    span: Span
    instances: tuple[str, ...]


def trials(unit: Unit) -> Iterator[Trial]:
    """Yield the template kernels of a program as it was read, each once.

    Examples
    --------
    >>> from simulator.read import read
    >>> from simulator.source import Source
    >>> unit = read(Source("template <typename T, int N> __global__ void k(T *a) { a[N] = 1; }"))
    >>> [trial.instances[0] for trial in trials(unit)]
    ['k<float, 32>']
    """
    for item in unit.items:
        if not isinstance(item, Template) or not isinstance(item.item, Definition):
            continue
        head = item.item.head
        if "__global__" in head.specifiers:
            lists = (", ".join(_tried(p, ctype, unit) for p in item.parameters) for ctype in _TYPES)
            names = tuple(dict.fromkeys(f"{head.name}<{arguments}>" for arguments in lists))
            yield Trial(head.name, head.location, names)


def _tried(parameter: TemplateParameter, ctype: str, unit: Unit) -> str:
    if parameter.type is None:
        return ctype
    if isinstance(parameter.type, Named):
        name = parameter.type.name
        aliases = (one for one in unit.items if isinstance(one, Alias) and one.name == name)
        meant = next((one.type for one in aliases), None)
        if isinstance(meant, FunctionPointer):
            return _fitting(meant, unit) or "nullptr"
    return "true" if parameter.type == BOOL else "32"


def _fitting(ctype: FunctionPointer, unit: Unit) -> str:
    """Return the last function of a program that a pointer may lead to, "" if there is none."""
    definitions = [one for one in unit.items if isinstance(one, Definition)]
    heads = [one.head for one in definitions if "__device__" in one.head.specifiers]
    wanted = [str(one) for one in ctype.parameters]
    names = [h.name for h in heads if [str(p.type) for p in h.parameters] == wanted]
    return names[-1] if names else ""


# What the type of an argument tells of a template's parameters.


@dataclass(frozen=True)
class Given:
    """What a parameter of a template stands for.

    A type, maybe const; or a `value` of that type. `deduced` says that it comes from an argument.
    """

    type: CType
    const: bool = False
    value: tree.Literal | None = None
    deduced: bool = False

    def is_like(self, other: Given) -> bool:
        """Whether another one is the same type or value."""
        same = self.value is not None or self.type == other.type
        return same and self.text == other.text

    @property
    def text(self) -> str:
        """How the names of instances write it."""
        if self.value is None:
            return f"{'const ' if self.const else ''}{self.type}"
        value = self.value.value
        return str(value).lower() if isinstance(value, bool) else str(value)


#: The template's parameters by their names.
Bound = dict[str, Given]
AnyTemplate = FunctionTemplate | ClassTemplate


def deduce(
    pattern: CType, actual: CType, const: bool, names: Collection[str]
) -> Iterator[tuple[str, Given]]:
    """Yield the parameters among `names` in `pattern`, with what `actual` makes of them.

    Examples
    --------
    >>> from simulator.ir.types import INT
    >>> from simulator.source import Source, Span
    >>> t = Named("T", Span(Source("T"), 1, 1, 1, 2))
    >>> [(name, found.text) for name, found in deduce(Pointer(t), Pointer(INT, True), False, {"T"})]
    [('T', 'const int')]
    """
    if isinstance(pattern, Named):
        if pattern.name in names:
            yield pattern.name, Given(actual, const)
    elif isinstance(pattern, Pointer) and isinstance(actual, Pointer):
        inner = actual.const and not pattern.const
        yield from deduce(pattern.to, actual.to, inner, names)
    elif isinstance(pattern, Array) and isinstance(actual, Array):
        yield from _deduce_array(pattern, actual, const, names)
    elif isinstance(pattern, FunctionPointer) and isinstance(actual, FunctionPointer):
        yield from deduce(pattern.result, actual.result, False, names)
        for one, other in zip(pattern.parameters, actual.parameters, strict=False):
            yield from deduce(one, other, False, names)
    elif isinstance(pattern, TemplateId) and isinstance(actual, Struct):
        parts = actual.made_of or parts_of(actual)
        if parts is not None and parts[0] == pattern.name:
            for argument, part in zip(pattern.arguments, parts[1], strict=False):
                yield from deduce_argument(argument, part, names)


def _deduce_array(
    pattern: Array, actual: Array, const: bool, names: Collection[str]
) -> Iterator[tuple[str, Given]]:
    """Yield the same for `T (&name)[N]`."""
    yield from deduce(pattern.of, actual.of, const, names)
    length = pattern.expression if isinstance(pattern, Sized) else None
    if isinstance(length, tree.Name) and length.name in names and actual.length is not None:
        number = tree.Literal(actual.length, span=length.span, type=INT)
        yield length.name, Given(INT, value=number)


def deduce_argument(
    argument: tree.Node, part: CType | int, names: Collection[str]
) -> Iterator[tuple[str, Given]]:
    """Yield the same as `deduce` for an argument in the `<…>` of a pattern."""
    if isinstance(argument, TypeArgument) and not isinstance(part, int):
        yield from deduce(argument.type, part, False, names)
    elif isinstance(argument, tree.Name) and isinstance(part, int) and argument.name in names:
        yield argument.name, Given(INT, value=tree.Literal(part, span=argument.span, type=INT))


MOST_NESTED = 16


def call(node: tree.Call, template: FunctionTemplate, scope: Scope) -> tree.Expression:
    """Check a call of an instance of `template`."""
    given = node.given if isinstance(node, TemplateCall) else ()
    arguments = tuple(_checked(argument, scope) for argument in node.arguments)
    head = head_of(template)
    wanted, least = len(head.parameters), len(head.parameters) - len(head.defaults)
    if not least <= len(arguments) <= wanted:
        number = f"{least} to {wanted}" if least < wanted else str(wanted)
        what = f"`{node.name}` takes {number} arguments, not {len(arguments)}"
        raise CompileError(what, node.span, _declared(template))
    bound = _bound(template, given, arguments, scope, node.span)
    function = instance(template, bound, node.span)
    if function.kind == "__global__":
        what = f"the kernel `{function.name}` cannot be called from device code"
        raise CompileError(what, node.span, "launch it from the host")
    plain = tree.Call(function.name, arguments, span=node.span)
    return call_of_function(plain, function, scope, head, instance_scope(template, bound))


def _checked(argument: tree.Expression, scope: Scope) -> tree.Expression:
    if isinstance(argument, Checked):
        return argument
    checked = scopes.expression(argument, scope)
    return Checked(checked, span=argument.span, type=checked.type)


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
        name = f"{name}({', '.join(_shape(node.parameters, head)[1])})"
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
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what tells templates of one name apart, whatever their parameters are called."""
    kinds = tuple("typename" if p.type is None else str(p.type) for p in parameters)
    numbers = {p.name: f"${at}" for at, p in enumerate(parameters)}
    types = (f"{'const ' * p.const}{p.type}{'&' * p.reference}" for p in head.parameters)
    return kinds, tuple(re.sub(r"\w+", lambda m: numbers.get(m[0], m[0]), text) for text in types)


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
    patterns = head_of(template).parameters
    if len(patterns) != len(head.parameters):
        return None
    types = [resolved(p.type, scope, p.span) for p in head.parameters]
    try:
        bound = _given_ones(template, head.arguments or (), scope)
        names = {p.name for p in template.parameters} - set(bound)
        for pattern, ctype in zip(patterns, types, strict=True):
            for name, found in deduce(pattern.type, ctype, False, names):
                bound.setdefault(name, found)
        bound = _completed(template, bound, head.span)
        inside = instance_scope(template, bound)
        wanted = [resolved(p.type, inside, p.span) for p in patterns]
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


def instance_named(node: NameExpression, scope: Scope) -> str:
    """Check the function that a name expression of the host means, and return its name."""
    meaning = scope.lookup(node.name)
    if isinstance(meaning, Overloads) and node.given is not None:
        templates = [one for one in meaning.candidates if isinstance(one, FunctionTemplate)]
        meaning = next((one for one in templates if _takes_given(one, node, scope)), templates[0])
    if isinstance(meaning, FunctionTemplate):
        bound = _bound(meaning, node.given or (), (), scope, node.span)
        return instance(meaning, bound, node.span).name
    if not isinstance(meaning, Prototype):
        raise CompileError(f"the source has no function `{node.name}`", node.span)
    return node.name


def _takes_given(template: FunctionTemplate, node: NameExpression, scope: Scope) -> bool:
    """Whether a template can be made of the arguments in a name expression."""
    try:
        _bound(template, node.given or (), (), scope, node.span)
    except CompileError:
        return False
    return True


# The arguments of a template.


def _bound(
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
        raise CompileError(what, span, _declared(template))
    bound = _given_ones(template, given, scope)
    patterns = head_of(template).parameters
    names = {p.name: p for p in parameters if p.name not in bound}
    for pattern, argument in zip(patterns, arguments, strict=False):
        _deduce(template, pattern, argument, names, bound)
    return _completed(template, bound, span)


def bound_by_position(
    template: AnyTemplate, given: tuple[tree.Node, ...], scope: Scope, span: Span
) -> Bound:
    """Return what each parameter of a template stands for: given, or by default."""
    if len(given) > len(template.parameters):
        count = len(template.parameters)
        what = f"the template `{template.name}` takes {count} arguments, not {len(given)}"
        raise CompileError(what, span, _declared(template))
    return _completed(template, _given_ones(template, given, scope), span)


def _given_ones(template: AnyTemplate, given: tuple[tree.Node, ...], scope: Scope) -> Bound:
    bound: Bound = {}
    for at, (parameter, argument) in enumerate(zip(template.parameters, given, strict=False)):
        name = parameter.name or f"<{at}>"
        bound[name] = _given(template, parameter, argument, scope, bound)
    return bound


def _completed(template: AnyTemplate, bound: Bound, span: Span) -> Bound:
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


def instance_of_type(
    template: FunctionTemplate,
    given: tuple[tree.Node, ...],
    wanted: CType,
    scope: Scope,
    span: Span,
) -> tree.Function | None:
    """Return the instance of a template that is meant where its address is taken, if one is."""
    try:
        bound = _given_ones(template, given, scope)
        if isinstance(wanted, FunctionPointer):
            names = {p.name for p in template.parameters} - set(bound)
            for pattern, ctype in zip(
                head_of(template).parameters, wanted.parameters, strict=False
            ):
                for name, found in deduce(pattern.type, ctype, False, names):
                    bound.setdefault(name, found)
        return instance(template, _completed(template, bound, span), span)
    except CompileError:
        return None


def _default(
    template: AnyTemplate, parameter: TemplateParameter, bound: Bound, span: Span
) -> Given:
    if parameter.default is None:
        what = f"`{parameter.name}` of the template `{template.name}` is not given"
        hint = f"write `{template.name}<…>`: nothing tells what it is"
        raise CompileError(what, span, hint)
    scope = instance_scope(template, bound)
    return _given(template, parameter, parameter.default, scope, bound)


def parameter_types(
    template: FunctionTemplate,
    arguments: Sequence[tree.Expression],
    given: tuple[tree.Node, ...] = (),
    where: Scope | None = None,
) -> tuple[tree.Symbol, ...] | None:
    """Return the parameters of the instance that arguments ask for, None if they ask for none."""
    if not all(isinstance(argument, Checked) for argument in arguments):
        return None
    span = template.span
    try:
        bound = _bound(template, given, arguments, where or template.scope, span)
        scope = instance_scope(template, bound)
        return tuple(_made_definite(p, scope) for p in head_of(template).parameters)
    except CompileError:
        return None


def _made_definite(parameter: tree.Symbol, scope: Scope) -> tree.Symbol:
    const = parameter.const or alias_is_const(declared_types.element(parameter.type), scope)
    return replace(parameter, type=resolved(parameter.type, scope, parameter.span), const=const)


def fit_arguments(
    patterns: Sequence[tree.Node], given: Sequence[tree.Node], names: Collection[str]
) -> bool:
    """Whether the arguments of one specialisation of a class are a case of another one's."""
    bound: dict[str, str] = {}
    return all(_fits_argument(a, b, names, bound) for a, b in zip(patterns, given, strict=False))


def is_more_special(one: FunctionTemplate, other: FunctionTemplate) -> bool:
    """Whether a template takes a part of what another one takes, and not the reverse."""
    return _covers(other, one) and not _covers(one, other)


def _covers(general: FunctionTemplate, special: FunctionTemplate) -> bool:
    """Whether a template could be called with the parameters of another one."""
    names = {parameter.name for parameter in general.parameters}
    pairs = zip(head_of(general).parameters, head_of(special).parameters, strict=False)
    bound: dict[str, str] = {}
    return all(_fits(pattern.type, given.type, names, bound) for pattern, given in pairs)


def _fits(pattern: CType, given: CType, names: Collection[str], bound: dict[str, str]) -> bool:
    if isinstance(pattern, Named) and pattern.name in names:
        return bound.setdefault(pattern.name, str(given)) == str(given)
    if isinstance(pattern, Pointer) and isinstance(given, Pointer):
        return _fits_pointer(pattern, given, names, bound)
    if isinstance(pattern, Array) and isinstance(given, Array):
        return _fits_array(pattern, given, names, bound)
    if isinstance(pattern, TemplateId) and isinstance(given, TemplateId):
        if pattern.name != given.name or len(pattern.arguments) != len(given.arguments):
            return False
        pairs = zip(pattern.arguments, given.arguments, strict=True)
        return all(_fits_argument(a, b, names, bound) for a, b in pairs)
    return str(pattern) == str(given)


def _fits_pointer(
    pattern: Pointer, given: Pointer, names: Collection[str], bound: dict[str, str]
) -> bool:
    if pattern.const and not given.const:
        return False
    if isinstance(pattern.to, Named) and pattern.to.name in names:
        meant = f"{'const ' * (given.const and not pattern.const)}{given.to}"
        return bound.setdefault(pattern.to.name, meant) == meant
    return pattern.const == given.const and _fits(pattern.to, given.to, names, bound)


def _fits_array(
    pattern: Array, given: Array, names: Collection[str], bound: dict[str, str]
) -> bool:
    length = pattern.expression if isinstance(pattern, Sized) else None
    any_length = isinstance(length, tree.Name) and length.name in names
    same = any_length or _length_text(pattern) == _length_text(given)
    return same and _fits(pattern.of, given.of, names, bound)


def _length_text(array: Array) -> str:
    return array.expression.span.text if isinstance(array, Sized) else str(array.length)


def _fits_argument(
    pattern: tree.Node, given: tree.Node, names: Collection[str], bound: dict[str, str]
) -> bool:
    if isinstance(pattern, TypeArgument) and isinstance(given, TypeArgument):
        if pattern.const and not given.const:
            return False
        return _fits(pattern.type, given.type, names, bound)
    if isinstance(pattern, tree.Name) and pattern.name in names:
        return bound.setdefault(pattern.name, given.span.text) == given.span.text
    return pattern.span.text == given.span.text


def _declared(template: AnyTemplate) -> str:
    return f"it is declared in line {template.span.line} of {template.span.source.name}"


# Instances.


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
        if given.value is None:
            scope.declare(parameter.name, AliasOf(given.type, parameter.span, given.const))
        else:
            symbol = tree.Symbol(
                parameter.name, given.type, tree.Storage.LITERAL, parameter.span, const=True
            )
            scope.declare(parameter.name, symbol)
            scope.shared.constants[symbol] = given.value
    return scope


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
    item, scope = template.item, instance_scope(template, dict(zip(names, given, strict=True)))
    if name in template.special:
        item, scope = template.special[name]
    assert isinstance(item, Definition)
    item = replace(item, head=replace(item.head, name=name))
    assert shared.define is not None
    try:
        shared.functions[name] = shared.define(item, scope)
    except CompileError as error:
        shared.instances.remove(name)
        origin = f"in `{name}`, made for line {span.line} of {span.source.name}"
        hint = "\n".join(filter(None, [error.hint, origin]))
        raise CompileError(error.message, error.span, hint) from None
    return shared.functions[name]


def instance_name(template: AnyTemplate, bound: Bound) -> str:
    """Return how an instance is called; several types of one name make instances of several names.

    Structures in functions and lambdas may have the same name.
    """
    name = f"{template.name}<{', '.join(one.text for one in bound.values())}>"
    key = tuple(one.text if one.value is not None else one.type for one in bound.values())
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
