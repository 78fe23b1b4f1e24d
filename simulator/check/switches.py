"""Check switches: their selector, and that every label is a constant of its own in a lawful place.

A label may stand only on the top level of its switch's body: jumps into inner blocks are refused.
"""

from __future__ import annotations

from collections.abc import Iterable

from simulator.check.dispatch import value
from simulator.check.scopes import Scope
from simulator.ir import tree
from simulator.ir.conversions import cast
from simulator.ir.types import CType, Scalar, promoted
from simulator.source import CompileError


def selector(node: tree.Expression) -> tree.Expression:
    """The checked value that a switch looks at, promoted.

    Raises
    ------
    CompileError
        if it is no integer
    """
    if not isinstance(node.type, Scalar) or not node.type.is_integer:
        what = f"a switch needs an integer, not `{node.type}`"
        raise CompileError(what, node.span, "use if and else")
    return cast(node, promoted(node.type))


def check_labels(body: tree.Block) -> None:
    """Refuse statements that no label leads to, and labels behind the first value of a variable.

    Raises
    ------
    CompileError
        at the statement or the label
    """
    labelled, started = False, ""
    for node in body.body:
        if isinstance(node, tree.CaseLabel):
            labelled = True
            if started:
                what = f"this label jumps past the first value of `{started}`"
                raise CompileError(what, node.span, "put the statements before it in braces")
        elif isinstance(node, tree.Declaration):
            has_value = node.value is not None or node.values is not None
            started = node.symbol.name if has_value or node.symbol.reference else started
        elif not labelled and not isinstance(node, tree.Empty):
            hint = "write `case VALUE:` or `default:` before it"
            raise CompileError("no label of the switch leads here", node.span, hint)


def label(node: tree.CaseLabel, ctype: CType, scope: Scope) -> tree.CaseLabel:
    """A label with its value as a literal of the selector's type.

    Raises
    ------
    CompileError
        if it has no constant integer value that the selector can have
    """
    if node.value is None:
        return node
    given = value(node.value, scope)
    if not isinstance(given, tree.Literal) or not _is_integer(given.type):
        what = f"the label `{given.span.text}` is not a constant integer"
        raise CompileError(what, given.span, "compare variables and floats with if and else")
    fitted = cast(given, ctype)
    if not isinstance(fitted, tree.Literal) or fitted.value != given.value:
        what = f"a selector of type `{ctype}` never has the value {given.value}"
        raise CompileError(what, given.span)
    return tree.CaseLabel(fitted, span=node.span)


def _is_integer(ctype: CType) -> bool:
    return isinstance(ctype, Scalar) and ctype.is_integer


def check_distinct(body: Iterable[tree.Statement]) -> None:
    """Refuse two labels of one value, and two defaults.

    Raises
    ------
    CompileError
        at the second one
    """
    seen: dict[object, tree.CaseLabel] = {}
    for node in body:
        if not isinstance(node, tree.CaseLabel):
            continue
        key = node.value.value if isinstance(node.value, tree.Literal) else "default"
        if key in seen:
            name = "`default`" if key == "default" else f"the label {key}"
            raise CompileError(
                f"{name} stands twice in this switch",
                node.span,
                f"first in line {seen[key].span.line}",
            )
        seen[key] = node


def stray(node: tree.CaseLabel, scope: Scope) -> CompileError:
    """The error for a label that is not on the top level of a switch's body."""
    word = "case" if node.value is not None else "default"
    if scope.in_switch:
        what = f"`{word}` in an inner block of a switch is not supported"
        return CompileError(what, node.span, "labels stand directly in the braces of their switch")
    return CompileError(f"`{word}` outside a switch", node.span)


def skips(node: tree.Switch) -> bool:
    """Whether a selector may match no label, so that nothing of the body is run."""
    return not any(
        isinstance(child, tree.CaseLabel) and child.value is None for child in node.body.body
    )


def last(node: tree.Switch) -> tree.Block:
    """The statements behind the last label."""
    body = node.body.body
    start = max(
        (at for at, child in enumerate(body) if isinstance(child, tree.CaseLabel)), default=-1
    )
    return tree.Block(body[start + 1 :], span=node.body.span)
