"""What is legal and probably wrong: the warnings of a program, which stop nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from simulator.ir import tree
from simulator.ir.tree import walk
from simulator.ir.types import Pointer, Scalar
from simulator.ir.unchecked import Text, Unit
from simulator.lint.dataflow import dangling, divergent_barriers, is_barrier
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
Rule = Callable[[tree.Node], Warnings]


def warnings(unit: Unit, program: tree.Program) -> tuple[Diagnostic, ...]:
    """Warn of what is legal and probably wrong in a program.

    Parameters
    ----------
    unit : Unit
        As it was read, with what the reader warns of.
    program : Program
        As it was checked, with what the checker warns of.

    Returns
    -------
    tuple of Diagnostic
        Each location and message once, in the order of the text.

    Examples
    --------
    >>> from simulator.check import check
    >>> from simulator.read import read
    >>> from simulator.source import Source
    >>> text = "__global__ void clear(int *a, int n) { if (n = 3) a[0] = 0; }"
    >>> print(check(read(Source(text, "k.cu"))).warnings[0].message)
    this condition assigns to `n`
    """
    found = [*unit.warnings, *program.warnings]
    for item in unit.items:
        found += _by_rules(_SUSPICIOUS, walk(item))
    bodies = {name: list(walk(function.body)) for name, function in program.functions.items()}
    if any(is_barrier(n) for nodes in bodies.values() for n in nodes):
        found += divergent_barriers(program)
    for name, function in program.functions.items():
        if isinstance(function.result, Pointer):
            found += dangling(function)
        found += _by_rules(_RULES, bodies[name])
    unique = {(w.span, w.message): w for w in sorted(found, key=_location)}
    return tuple(unique.values())


def _by_rules(rules: Iterable[Rule], nodes: Iterable[tree.Node]) -> Warnings:
    """Yield what rules say of nodes, but for what macros made."""
    for node in nodes:
        for rule in rules:
            yield from (warning for warning in rule(node) if not warning.span.macro)


def _location(warning: Diagnostic) -> tuple[str, int, int]:
    return warning.span.source.name, warning.span.line, warning.span.column


# Things that C allows and hardly anybody means, seen in the tree as it was read.


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
    """Locate an operator between its operands; all three where it is on another line."""
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
    """Find `flags & 1 == 0`."""
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


#: What an unchecked tree shows.
_SUSPICIOUS: tuple[Rule, ...] = (
    _tests,
    _no_effect,
    _empty_bodies,
    _precedence,
    _chained,
    _zero_quotient,
    _comma_subscript,
)


# The same, seen in the checked tree.


def _unsigned(node: tree.Node) -> Warnings:
    """`i >= 0` of an unsigned i."""
    if not isinstance(node, tree.Binary):
        return
    sides = (node.left, node.op, node.right)
    if _is_zero(node.left):
        sides = (node.right, {"<=": ">=", ">": "<"}.get(node.op, ""), node.left)
    value, op, zero = sides
    ctype = value.type
    if op not in (">=", "<") or not _is_zero(zero) or not isinstance(ctype, Scalar):
        return
    if ctype.is_bool or not ctype.is_integer or ctype.is_signed:
        return
    outcome = "true" if op == ">=" else "false"
    what = f"`{node.span.text}` is always {outcome}: `{ctype}` is never negative"
    yield Diagnostic(what, node.span, "use `int`, or compare before you subtract")


def _is_zero(node: tree.Expression) -> bool:
    return isinstance(node, tree.Literal) and type(node.value) is int and node.value == 0


def _division(node: tree.Node) -> Warnings:
    """`n / 0`."""
    if isinstance(node, tree.Binary):
        right = node.right
    elif isinstance(node, tree.CompoundAssign):
        right = node.value
    else:
        return
    if node.op in ("/", "%") and _is_zero(right):
        yield Diagnostic("this divides by zero", right.span, "it is a fault where a thread does it")


def _shift(node: tree.Node) -> Warnings:
    """`1 << 40`."""
    if isinstance(node, tree.Binary):
        ctype, by = node.left.type, node.right
    elif isinstance(node, tree.CompoundAssign):
        ctype, by = node.compute, node.value
    else:
        return
    if node.op not in ("<<", ">>") or not isinstance(ctype, Scalar):
        return
    if isinstance(by, tree.Literal) and not 0 <= by.value < 8 * ctype.size:
        what = f"`{ctype}` has {8 * ctype.size} bits: a shift by {by.value} is not defined"
        hint = "convert the left side first: `(unsigned long long)…`" if 0 < by.value < 64 else ""
        yield Diagnostic(what, by.span, hint or f"shift by 0 to {8 * ctype.size - 1}")


#: What takes types.
_RULES: tuple[Rule, ...] = (_unsigned, _division, _shift)
