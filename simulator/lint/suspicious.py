"""Things that C allows and hardly anybody means, seen in the tree as it was read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from simulator.ir import tree
from simulator.ir.unchecked import Text
from simulator.ir.walk import walk
from simulator.source import Diagnostic, Span

_RELATIONS = frozenset({"<", ">", "<=", ">="})
_COMPARISONS = _RELATIONS | {"==", "!="}
_EFFECTS = (tree.Call, tree.Assign, tree.CompoundAssign, tree.Increment)
_EFFECTLESS = (
    tree.Binary,
    tree.Logical,
    tree.Unary,
    tree.Deref,
    tree.Index,
    tree.Member,
    tree.Name,
    tree.Literal,
    tree.AddressOf,
)

Warnings = Iterator[Diagnostic]


def suspicious(root: tree.Node) -> Warnings:
    """The warnings for a tree as the reader made it; what macros made gets none."""
    for node in walk(root):
        for rule in _RULES:
            yield from (warning for warning in rule(node) if not warning.span.macro)


def _tests(node: tree.Node) -> Warnings:
    """`if (n = 3)`."""
    if not isinstance(node, tree.If | tree.Loop | tree.Conditional):
        return
    test = node.test
    if not isinstance(test, tree.Assign) or _in_parentheses(test, test.target):
        return
    target, sign = test.target.span.text, _between(test.target, test.value, "=")
    unequal = sign.source.line(sign.line)[sign.column :].startswith("!")
    hint = f"for a comparison, write `{'!=' if unequal else '=='}`"
    if not unequal:
        hint += "; if it is meant, put parentheses of its own around it"
    yield Diagnostic(f"this condition assigns to `{target}`", sign, hint)


def _in_parentheses(node: tree.Expression, first: tree.Expression) -> bool:
    """Whether an operation stands in parentheses: it begins before its `first` operand."""
    return (node.span.line, node.span.column) != (first.span.line, first.span.column)


def _between(left: tree.Expression, right: tree.Expression, sign: str) -> Span:
    """The place of an operator between its operands, all three where it is on another line."""
    end = left.span
    column = end.source.line(end.end_line).find(sign, end.end_column - 1) + 1
    if not column or end.macro:
        return left.span.to(right.span)
    return Span(end.source, end.end_line, column, end.end_line, column + len(sign))


def _no_effect(node: tree.Node) -> Warnings:
    """`n == 3;` and `for (…; i + 1)`."""
    if isinstance(node, tree.Evaluate):
        expression, what = node.expression, "this statement"
    elif isinstance(node, tree.Loop) and node.step is not None:
        expression, what = node.step, "the step of this loop"
    else:
        return
    idle = isinstance(expression, _EFFECTLESS) and not isinstance(expression, Text)
    if idle and not any(isinstance(part, _EFFECTS) for part in walk(expression)):
        yield Diagnostic(f"{what} has no effect", expression.span, _instead(expression))


def _instead(node: tree.Expression) -> str:
    if isinstance(node, tree.Binary) and (node.left.span.macro or node.right.span.macro):
        return "assign its value, or remove it"
    if isinstance(node, tree.Binary) and node.op == "==":
        return f"to assign, write `{node.left.span.text} = {node.right.span.text}`"
    if isinstance(node, tree.Binary) and node.op in "+-*" and isinstance(node.left, tree.Name):
        return f"to change `{node.left.name}`, write `{node.op}=`"
    return "assign its value, or remove it"


def _empty_bodies(node: tree.Node) -> Warnings:
    """`if (n > 0);` and `for (…); { … }`."""
    if isinstance(node, tree.If) and isinstance(node.then, tree.Empty) and node.other is None:
        yield Diagnostic("this `;` is all that the `if` does", node.then.span, "remove it")
    if not isinstance(node, tree.Block):
        return
    for loop, after in zip(node.body, node.body[1:], strict=False):
        if not isinstance(loop, tree.Loop) or not isinstance(after, tree.Block):
            continue
        if isinstance(loop.body, tree.Empty) and loop.kind != "do":
            yield Diagnostic("this `;` is all that the loop does", loop.body.span, "remove it")


def _precedence(node: tree.Node) -> Warnings:
    """`flags & 1 == 0`."""
    if not isinstance(node, tree.Binary) or node.op not in ("&", "|", "^"):
        return
    bare = [side for side in (node.left, node.right) if _bare_comparison(side)]
    if len(bare) != 1:
        return
    inner = bare[0]
    assert isinstance(inner, tree.Binary)
    texts = (node.left.span.text, inner.left.span.text, inner.right.span.text)
    if inner is node.right:
        hint = f"write `({texts[0]} {node.op} {texts[1]}) {inner.op} {texts[2]}`"
    else:
        hint = f"write `{texts[1]} {inner.op} ({texts[2]} {node.op} {node.right.span.text})`"
    yield Diagnostic(f"`{inner.op}` goes before `{node.op}`", inner.span, hint)


def _bare_comparison(node: tree.Expression) -> bool:
    return (
        isinstance(node, tree.Binary)
        and node.op in _COMPARISONS
        and not _in_parentheses(node, node.left)
    )


def _chained(node: tree.Node) -> Warnings:
    """`0 <= i < n`."""
    if not isinstance(node, tree.Binary) or not isinstance(node.left, tree.Binary):
        return
    inner = node.left
    alike = {node.op, inner.op} <= _RELATIONS or node.op == inner.op == "=="
    if not alike or _in_parentheses(inner, inner.left):
        return
    what = f"`{inner.span.text}` is 0 or 1 before it is compared with `{node.right.span.text}`"
    middle = inner.right.span.text
    hint = f"write `{inner.span.text} && {middle} {node.op} {node.right.span.text}`"
    yield Diagnostic(what, node.span, hint)


def _zero_quotient(node: tree.Node) -> Warnings:
    """`1 / 2`."""
    if not isinstance(node, tree.Binary) or node.op != "/":
        return
    if not isinstance(node.left, tree.Literal) or not isinstance(node.right, tree.Literal):
        return
    above, below = node.left.value, node.right.value
    if type(above) is int and type(below) is int and 0 < above < below:
        hint = f"for a fraction, write `{above}.0f / {below}`"
        yield Diagnostic(f"`{node.span.text}` is 0: integers are divided", node.span, hint)


def _comma_subscript(node: tree.Node) -> Warnings:
    """`a[i, j]`."""
    if not isinstance(node, tree.Index) or not isinstance(node.index, tree.Binary):
        return
    pair = node.index
    if pair.op == "," and not _in_parentheses(pair, pair.left):
        left, right = pair.left.span.text, pair.right.span.text
        hint = f"write `{node.base.span.text}[{left}][{right}]`, or compute the place"
        yield Diagnostic(f"only `{right}` counts in this subscript", pair.span, hint)


_RULES: tuple[Callable[[tree.Node], Warnings], ...] = (
    _tests,
    _no_effect,
    _empty_bodies,
    _precedence,
    _chained,
    _zero_quotient,
    _comma_subscript,
)
