"""Calls of function templates, and other places where an instance of one is meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from simulator.check import declared_types, scopes
from simulator.check.declared_types import alias_is_const, resolved, result_of
from simulator.check.initializers import call_of_function
from simulator.check.scopes import FunctionTemplate, Overloads, Scope, count_taken, head_of
from simulator.check.templates.arguments import bound_for, completed, declared_in, given_ones
from simulator.check.templates.deduction import deduce_types
from simulator.check.templates.instances import instance, instance_scope
from simulator.check.templates.packs import written_out
from simulator.ir import tree
from simulator.ir.types import CType, FunctionPointer
from simulator.ir.unchecked import (
    Checked,
    NameExpression,
    Nested,
    Prototype,
    TemplateCall,
    TemplateId,
    TypeOf,
)
from simulator.source import CompileError, Span


def call(node: tree.Call, template: FunctionTemplate, scope: Scope) -> tree.Expression:
    """Check a call of an instance of `template`."""
    given = node.given if isinstance(node, TemplateCall) else ()
    arguments = tuple(_checked(argument, scope) for argument in node.arguments)
    head = head_of(template)
    least, most = count_taken(head)
    if len(arguments) < least or (most is not None and len(arguments) > most):
        number = f"{least} to {most}" if most is not None and least < most else str(least)
        number = f"at least {least}" if most is None else number
        what = f"`{node.name}` takes {number} arguments, not {len(arguments)}"
        raise CompileError(what, node.span, declared_in(template))
    bound = bound_for(template, given, arguments, scope, node.span)
    function = instance(template, bound, node.span)
    if function.kind == "__global__":
        what = f"the kernel `{function.name}` cannot be called from device code"
        raise CompileError(what, node.span, "launch it from the host")
    plain = tree.Call(function.name, arguments, span=node.span)
    head = written_out(head, template, bound)
    return call_of_function(plain, function, scope, head, instance_scope(template, bound))


def _checked(argument: tree.Expression, scope: Scope) -> tree.Expression:
    if isinstance(argument, Checked):
        return argument
    checked = scopes.expression(argument, scope)
    return Checked(checked, span=argument.span, type=checked.type)


def instance_named(node: NameExpression, scope: Scope) -> str:
    """Check the function that a name expression of the host means, and return its name."""
    meaning = scope.lookup(node.name)
    if isinstance(meaning, Overloads) and node.given is not None:
        templates = [one for one in meaning.candidates if isinstance(one, FunctionTemplate)]
        meaning = next((one for one in templates if _takes_given(one, node, scope)), templates[0])
    if isinstance(meaning, FunctionTemplate):
        bound = bound_for(meaning, node.given or (), (), scope, node.span)
        return instance(meaning, bound, node.span).name
    if not isinstance(meaning, Prototype):
        raise CompileError(f"the source has no function `{node.name}`", node.span)
    return node.name


def _takes_given(template: FunctionTemplate, node: NameExpression, scope: Scope) -> bool:
    """Whether a template can be made of the arguments in a name expression."""
    try:
        bound_for(template, node.given or (), (), scope, node.span)
    except CompileError:
        return False
    return True


def instance_of_type(
    template: FunctionTemplate,
    given: tuple[tree.Node, ...],
    wanted: CType,
    scope: Scope,
    span: Span,
) -> tree.Function | None:
    """Return the instance of a template that is meant where its address is taken, if one is."""
    try:
        bound = given_ones(template, given, scope)
        if isinstance(wanted, FunctionPointer):
            names = {p.name: p for p in template.parameters if p.name not in bound}
            patterns = [pattern.type for pattern in head_of(template).parameters]
            for name, found in deduce_types(patterns, wanted.parameters, names):
                bound.setdefault(name, found)
        return instance(template, completed(template, bound, span), span)
    except CompileError:
        return None


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
        bound = bound_for(template, given, arguments, where or template.scope, span)
        scope = instance_scope(template, bound)
        head = written_out(head_of(template), template, bound)
        parameters = tuple(_made_definite(p, scope) for p in head.parameters)
        if isinstance(head.result, Nested | TemplateId | TypeOf):  # is there for some types only
            result_of(head, parameters, scope)
        return parameters
    except CompileError:
        return None


def _made_definite(parameter: tree.Symbol, scope: Scope) -> tree.Symbol:
    const = parameter.const or alias_is_const(declared_types.element(parameter.type), scope)
    return replace(parameter, type=resolved(parameter.type, scope, parameter.span), const=const)
