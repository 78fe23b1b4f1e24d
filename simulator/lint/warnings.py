"""What is legal and probably wrong: the warnings of a program, which stop nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from simulator.ir import tree
from simulator.ir.types import Scalar
from simulator.ir.unchecked import Unit
from simulator.ir.walk import walk
from simulator.lint.dangling import dangling
from simulator.lint.divergence import divergent_barriers
from simulator.lint.suspicious import suspicious
from simulator.source import Diagnostic

Warnings = Iterator[Diagnostic]


def warnings(unit: Unit, program: tree.Program) -> tuple[Diagnostic, ...]:
    """The warnings for a program.

    Parameters
    ----------
    unit
        as it was read, with what the reader warns of
    program
        as it was checked, with what the checker warns of

    Returns
    -------
    tuple of Diagnostic
        each place and message once, in the order of the text

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
    found += (warning for item in unit.items for warning in suspicious(item))
    found += divergent_barriers(program)
    for function in program.functions.values():
        found += dangling(function)
        for node in walk(function.body):
            for rule in _RULES:
                found += (warning for warning in rule(node) if not warning.span.macro)
    unique = {(w.span, w.message): w for w in sorted(found, key=_place)}
    return tuple(unique.values())


def _place(warning: Diagnostic) -> tuple[str, int, int]:
    return warning.span.source.name, warning.span.line, warning.span.column


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


_RULES: tuple[Callable[[tree.Node], Warnings], ...] = (_unsigned, _division, _shift)
