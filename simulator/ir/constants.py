"""Constant expressions: C's arithmetic on literals, as far as C defines its result."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable
from functools import singledispatch
from typing import Any

from simulator.ir import tree
from simulator.ir.types import Scalar

Number = bool | int | float


def _quotient(a: int, b: int) -> int:
    """Division towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int:
    return a - b * _quotient(a, b)


#: Operators whose Python functions compute what C's do, of NumPy's numbers, too.
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}


def folded(node: tree.Expression) -> tree.Expression:
    """`node`, or the literal that it comes to if its operands are literals and C says which.

    Examples
    --------
    >>> from simulator.ir.types import INT
    >>> from simulator.source import Source, Span
    >>> span = Span(Source("-7 / 2"), 1, 1, 1, 7)
    >>> seven, two = (tree.Literal(value, span=span, type=INT) for value in (-7, 2))
    >>> folded(tree.Binary("/", seven, two, span=span, type=INT)).value
    -3
    """
    if not isinstance(node.type, Scalar):
        return node
    value = _value(node)
    return node if value is None else tree.Literal(value, span=node.span, type=node.type)


@singledispatch
def _value(node: tree.Expression) -> Number | None:
    """Compute what a node with literal operands comes to."""
    return None


@_value.register
def _(node: tree.Cast) -> Number | None:
    if isinstance(node.operand, tree.Literal) and isinstance(node.operand.type, Scalar):
        return _fitted(node.operand.value, node.type)
    return None


@_value.register
def _(node: tree.Unary) -> Number | None:
    if not isinstance(node.operand, tree.Literal):
        return None
    value = node.operand.value
    if node.op == "!":
        return not value
    if node.op == "~":
        return _fitted(~int(value), node.type)
    return _fitted(-value if node.op == "-" else value, node.type)


@_value.register
def _(node: tree.Binary) -> Number | None:
    left, right = node.left, node.right
    if not isinstance(left, tree.Literal) or not isinstance(right, tree.Literal) or node.op == ",":
        return None
    if not isinstance(left.type, Scalar) or not isinstance(right.type, Scalar):
        return None
    if node.op in ("<<", ">>") and not 0 <= right.value < 8 * left.type.size:
        return None
    try:
        value = computed(node.op, left.value, right.value, left.type.is_float)
    except ZeroDivisionError:
        return None
    return _fitted(value, node.type)


@_value.register
def _(node: tree.Logical) -> Number | None:
    if not isinstance(node.left, tree.Literal):
        return None
    if bool(node.left.value) == (node.op == "||"):
        return bool(node.left.value)
    return bool(node.right.value) if isinstance(node.right, tree.Literal) else None


@_value.register
def _(node: tree.Conditional) -> Number | None:
    if not isinstance(node.test, tree.Literal):
        return None
    chosen = node.then if node.test.value else node.other
    return chosen.value if isinstance(chosen, tree.Literal) else None


def computed(op: str, left: Number, right: Number, is_float: bool) -> Number:
    """`left op right` in C's way, without the limits of its types.

    Examples
    --------
    >>> computed("/", -7, 2, is_float=False), computed("%", -7, 2, is_float=False)
    (-3, -1)
    """
    if op in OPERATORS:
        found: Number = OPERATORS[op](left, right)
        return found
    if is_float:
        return left / right
    return (_quotient if op == "/" else _remainder)(int(left), int(right))


def _fitted(value: Number, ctype: object) -> Number | None:
    """`value` as a `ctype` holds it: integers wrap, floats round; None where C leaves it open."""
    if not isinstance(ctype, Scalar):
        return None
    if ctype.is_bool:
        return bool(value)
    if ctype.is_float:
        return rounded(value) if ctype.size == 4 else float(value)
    if isinstance(value, float):
        if not math.isfinite(value) or wrapped(int(value), ctype) != int(value):
            return None
        return int(value)
    return wrapped(int(value), ctype)


def wrapped(value: int, ctype: Scalar) -> int:
    """`value` modulo two to the bits of the integer type `ctype`.

    Examples
    --------
    >>> from simulator.ir.types import INT, UCHAR
    >>> wrapped(2**31, INT), wrapped(-1, UCHAR)
    (-2147483648, 255)
    """
    bits = 8 * ctype.size
    value &= (1 << bits) - 1
    return value - (1 << bits) if ctype.is_signed and value >> (bits - 1) else value


def rounded(value: Number) -> float:
    """Round to the nearest value that a float holds, infinity beyond its range.

    Examples
    --------
    >>> rounded(0.1), rounded(1e39)
    (0.10000000149011612, inf)
    >>> rounded(2**24 + 1), rounded(2**60 + 2**36 + 1) == 2**60 + 2**37
    (16777216.0, True)
    """
    try:
        return float(struct.unpack("f", struct.pack("f", _shortened(value)))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _shortened(value: Number) -> Number:
    """Merge the lowest bits of an integer, so that a double on the way does not round it."""
    if isinstance(value, float) or abs(value) < 1 << 53:
        return value
    size = abs(value).bit_length() - 40
    tail = abs(value) & ((1 << size) - 1)
    short = (abs(value) >> size | (tail != 0)) << size
    return short if value > 0 else -short
