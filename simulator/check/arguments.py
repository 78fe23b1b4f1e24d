"""Check the arguments of calls: what each parameter of a program's own function takes."""

from __future__ import annotations

from simulator.builtins.kinds import surplus
from simulator.check import dispatch
from simulator.check.initializers import first_value
from simulator.check.scopes import Scope
from simulator.ir import tree
from simulator.ir.conversions import convert
from simulator.ir.lvalues import is_const, is_place, placed
from simulator.ir.unchecked import InitializerList, Prototype
from simulator.source import CompileError, Span


def call_of_function(
    node: tree.Call, function: tree.Function, scope: Scope, head: Prototype, home: Scope
) -> tree.Expression:
    """A checked call of a checked function; the default values in its `head` stand in `home`.

    Raises
    ------
    CompileError
        if it takes other arguments
    """
    defaults = _defaults(node, head, function)
    values = [*((v, scope) for v in node.arguments), *((v, home) for v in defaults)]
    arguments = tuple(
        _argument(value, parameter, function, where)
        for (value, where), parameter in zip(values, function.parameters, strict=True)
    )
    return tree.Call(node.name, arguments, function, span=node.span, type=function.result)


def _defaults(
    node: tree.Call, head: Prototype, function: tree.Function
) -> tuple[tree.Expression, ...]:
    """The default values of the parameters that a call leaves out."""
    wanted, given = len(function.parameters), len(node.arguments)
    if wanted - len(head.defaults) <= given <= wanted:
        return head.defaults[len(head.defaults) - (wanted - given) :]
    least = f"{wanted - len(head.defaults)} to " if head.defaults else ""
    noun = "argument" if wanted == 1 else "arguments"
    what = f"`{node.name}` takes {least}{wanted or 'no'} {noun}, not {given}"
    raise CompileError(what, surplus(node.arguments, wanted, node.span), signature(function))


def _argument(
    node: tree.Expression, parameter: tree.Symbol, function: tree.Function, scope: Scope
) -> tree.Expression:
    what = f"the argument `{parameter.name}` of `{function.name}`"
    if parameter.reference:
        return _referred(node, parameter, what, scope)
    try:
        return first_value(node, parameter.type, what, scope)
    except CompileError as error:
        if not error.message.startswith(what):
            raise
        raise CompileError(
            error.message, error.span, _joined(error.hint, signature(function))
        ) from None


def _referred(
    node: tree.Expression, parameter: tree.Symbol, what: str, scope: Scope
) -> tree.Expression:
    """An argument for a reference: a variable of the very type, or for a const one any value."""
    if parameter.const and isinstance(node, InitializerList):
        return first_value(node, parameter.type, what, scope)
    checked = placed(dispatch.expression(node, scope))
    if parameter.const and not (is_place(checked) and checked.type == parameter.type):
        return convert(dispatch.value(node, scope), parameter.type, what)
    if not is_place(checked) or checked.type != parameter.type:
        hint = f"it is a reference: pass a variable of type `{parameter.type}`"
        raise CompileError(
            f"{what} cannot be `{checked.span.text}` of type `{checked.type}`", checked.span, hint
        )
    if is_const(checked) and not parameter.const:
        raise CompileError(
            f"{what} would change `{checked.span.text}`, which is const", checked.span
        )
    if tree.is_volatile(checked) and not parameter.volatile:
        hint = f"make the parameter `{parameter.name}` volatile, too"
        what = f"{what} cannot be `{checked.span.text}`, which is volatile"
        raise CompileError(what, checked.span, hint)
    return checked


def signature(function: tree.Function) -> str:
    """How a function is declared."""
    return f"it is `{_signature(function)}`, line {_place(function.span)}"


def _signature(function: tree.Function) -> str:
    parameters = (str(parameter).strip() for parameter in function.parameters)
    return f"{function.result} {function.name}({', '.join(parameters)})"


def _place(span: Span) -> str:
    return f"{span.line} of {span.source.name}"


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)
