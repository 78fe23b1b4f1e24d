"""Check calls: of the program's device functions, and of what CUDA brings."""

from __future__ import annotations

from difflib import SequenceMatcher

from simulator import tree
from simulator.check import expressions
from simulator.check.builtins import BUILTINS
from simulator.check.conversions import convert, is_const, is_place
from simulator.check.initializers import first_value
from simulator.check.scopes import Scope
from simulator.declared import InitializerList, Prototype
from simulator.read.refused import as_macro, refuse_function
from simulator.similar import nearest
from simulator.source import CompileError, Span


def is_builtin(name: str) -> bool:
    """Whether CUDA brings a function of this name."""
    return name in BUILTINS


def call(node: tree.Call, scope: Scope) -> tree.Expression:
    """A checked call.

    Raises
    ------
    CompileError
        if there is no such function, or it takes other arguments
    """
    meaning = scope.lookup(node.name)
    if isinstance(meaning, Prototype):
        return _call_of_function(node, meaning, scope)
    if meaning is not None:
        raise CompileError(
            f"`{node.name}` is no function",
            node.span,
            f"it was declared in line {meaning.span.line}",
        )
    if node.name in BUILTINS:
        arguments = [expressions.value(argument, scope) for argument in node.arguments]
        return BUILTINS[node.name].call(arguments, node.span)
    refuse_function(node.name, node.span)
    known = [name for name in (*scope.names(Prototype), *BUILTINS) if _resembles(node.name, name)]
    hint = _declared_later(node, scope) or nearest(node.name, known) or as_macro(node.name)
    raise CompileError(f"the function `{node.name}` is not declared", node.span, hint)


def _resembles(name: str, known: str) -> bool:
    """Whether `name` may be a slip of `known`: one letter wrong, or every third one."""
    one, other = name.strip("_").lower(), known.strip("_").lower()
    if sorted(one) == sorted(other):
        return True
    if abs(len(one) - len(other)) > (most := max(1, len(one) // 3)):
        return False
    changes = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return sum(max(b - a, d - c) for kind, a, b, c, d in changes if kind != "equal") <= most


def _declared_later(node: tree.Call, scope: Scope) -> str:
    later = scope.shared.functions.get(node.name)
    return (
        f"it is defined in line {later.span.line}: move it up, or declare it before its use"
        if later
        else ""
    )


def _call_of_function(node: tree.Call, head: Prototype, scope: Scope) -> tree.Expression:
    if "__global__" in head.words:
        what = f"the kernel `{node.name}` cannot be called from device code"
        raise CompileError(what, node.span, "launch it from the host")
    function = scope.shared.functions.get(node.name)
    if function is None:
        what = f"`{node.name}` is declared, but not defined"
        raise CompileError(what, node.span, "define it in this program")
    defaults = _defaults(node, head, function)
    given, left_out = function.parameters[: len(node.arguments)], len(defaults)
    arguments = [
        *(_argument(a, p, function, scope) for a, p in zip(node.arguments, given, strict=True)),
        *(
            _argument(value, parameter, function, scope.outermost)
            for value, parameter in zip(
                defaults, function.parameters[len(given) :][:left_out], strict=True
            )
        ),
    ]
    return tree.Call(node.name, tuple(arguments), function, span=node.span, type=function.result)


def _defaults(
    node: tree.Call, head: Prototype, function: tree.Function
) -> tuple[tree.Expression, ...]:
    """The default values of the parameters that a call leaves out."""
    wanted, given = len(function.parameters), len(node.arguments)
    if wanted - len(head.defaults) <= given <= wanted:
        return head.defaults[len(head.defaults) - (wanted - given) :]
    least = f"{wanted - len(head.defaults)} to " if head.defaults else ""
    what = f"`{node.name}` takes {least}{wanted} arguments, not {given}"
    raise CompileError(what, node.span, signature(function))


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
    checked = expressions.expression(node, scope)
    if parameter.const and not (is_place(checked) and checked.type == parameter.type):
        return convert(expressions.value(node, scope), parameter.type, what)
    if not is_place(checked) or checked.type != parameter.type:
        hint = f"it is a reference: pass a variable of type `{parameter.type}`"
        raise CompileError(
            f"{what} cannot be `{checked.span.text}` of type `{checked.type}`", checked.span, hint
        )
    if is_const(checked) and not parameter.const:
        raise CompileError(
            f"{what} would change `{checked.span.text}`, which is const", checked.span
        )
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
