"""Constants: literals of a text, and expressions whose value is known before anything runs."""

from __future__ import annotations

import math
import operator
import re
import struct
from collections.abc import Callable
from fractions import Fraction
from functools import singledispatch
from typing import Any

from simulator.ir import tree
from simulator.ir.types import (
    BFLOAT16,
    CHAR,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    LLONG,
    LONG,
    UINT,
    ULLONG,
    ULONG,
    Scalar,
)
from simulator.source import CompileError, Span

# Constant expressions: C's arithmetic on literals, as far as C defines its result.


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
        return rounded_to(value, ctype)
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


def rounded_to(value: Number, ctype: Scalar) -> float:
    """Round to the nearest value that a floating-point type holds, infinity beyond its range.

    Examples
    --------
    >>> from simulator.ir.types import BFLOAT16, HALF
    >>> rounded_to(0.1, HALF), rounded_to(65520, HALF), rounded_to(0.1, BFLOAT16)
    (0.0999755859375, inf, 0.10009765625)
    """
    if ctype.size == 8 or (isinstance(value, float) and not math.isfinite(value)):
        return float(value)
    if ctype == BFLOAT16:
        return rounded(_to_eight_bits(value))
    return rounded(value, "e" if ctype == HALF else "f")


def _to_eight_bits(value: Number) -> Fraction:
    """Round to as many significant bits as a bfloat16 has, or to a multiple of its least number."""
    exact = Fraction(value)
    top = exact.numerator.bit_length() - exact.denominator.bit_length()
    digits = top + (abs(exact) >= Fraction(2) ** top)
    unit = Fraction(2) ** (max(digits, -125) - 8)
    return round(exact / unit) * unit


def rounded(value: Number | Fraction, form: str = "f") -> float:
    """Round to the nearest value that a float holds, infinity beyond its range.

    `form` is the letter by which the standard library knows the format.

    Examples
    --------
    >>> rounded(0.1), rounded(1e39)
    (0.10000000149011612, inf)
    >>> rounded(2**24 + 1), rounded(2**60 + 2**36 + 1) == 2**60 + 2**37
    (16777216.0, True)
    """
    try:
        return float(struct.unpack(form, struct.pack(form, float(_shortened(value))))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _shortened(value: Number | Fraction) -> Number | Fraction:
    """Merge the lowest bits of an integer, so that a double on the way does not round it."""
    if isinstance(value, float | Fraction) or abs(value) < 1 << 53:
        return value
    size = abs(value).bit_length() - 40
    tail = abs(value) & ((1 << size) - 1)
    short = (abs(value) >> size | (tail != 0)) << size
    return short if value > 0 else -short


# Numbers and characters of the source as typed constants, by C++'s rules.


_INTEGER = re.compile(
    r"(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<binary>[01]+)|(?P<octal>0[0-7]*)|(?P<decimal>[1-9][0-9]*))"
    r"(?P<suffix>[uU](?:l|L|ll|LL)?|(?:ll|LL|l|L)[uU]?|)"
)
_FLOAT = re.compile(
    r"(?P<hex>0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][+-]?[0-9]+)(?P<hex_suffix>[fFlL]?)"
    r"|(?P<decimal>(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]+)?)(?P<suffix>[fFlL]?)"
)
#: Between digits C++14 takes `'`, for the reader.
_SEPARATOR = re.compile(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])")
_BASES = {"hex": 16, "binary": 2, "octal": 8, "decimal": 10}
_ESCAPES = {
    "n": 10,
    "t": 9,
    "r": 13,
    "0": 0,
    "a": 7,
    "b": 8,
    "f": 12,
    "v": 11,
    "\\": 92,
    "'": 39,
    '"': 34,
    "?": 63,
}


def number(text: str, span: Span) -> tree.Literal:
    """Return the constant that `text` writes.

    Examples
    --------
    >>> from simulator.source import Source
    >>> span = Span(Source("0xffffffff"), 1, 1, 1, 11)
    >>> for text in ("0xffffffff", "4294967295", "1e3f"):
    ...     print(number(text, span).type)
    unsigned int
    long
    float
    """
    plain = _SEPARATOR.sub("", text)
    if match := _INTEGER.fullmatch(plain):
        return _integer(match, text, span)
    if match := _FLOAT.fullmatch(plain):
        return _float(match, span)
    raise CompileError(f"`{text}` is not a number", span, _meant(text))


def _meant(text: str) -> str:
    """Return what a number that is none was meant to be."""
    if re.fullmatch(r"0[0-9]+", text):
        return f"a 0 in front makes it octal, with the digits 0 to 7: write `{text.lstrip('0')}`"
    if match := re.fullmatch(r"([0-9]+)[fF]", text):
        return f"a float has a point: write `{match[1]}.0f`"
    if re.fullmatch(r"[0-9]+(_[0-9]+)+", text):
        return f"write `{text.replace('_', '')}`"
    if match := re.fullmatch(r"([0-9]+)([A-Za-z_]\w*)", text):
        return f"for a product, write `{match[1]} * {match[2]}`"
    return "a number has one point" if text.count(".") > 1 else ""


def _integer(match: re.Match[str], text: str, span: Span) -> tree.Literal:
    base = next(name for name in _BASES if match[name])
    if len(match[base]) > 100:
        raise CompileError("this number is too large for every integer type", span)
    value = int(match[base], _BASES[base])
    for ctype in _candidates(match["suffix"].lower(), base == "decimal"):
        if value < 2 ** (8 * ctype.size - ctype.is_signed):
            return tree.Literal(value, span=span, type=ctype)
    hint = "the largest integer is 18446744073709551615, `ULLONG_MAX`"
    raise CompileError(f"`{text}` is too large for every integer type", span, hint)


def _candidates(suffix: str, decimal: bool) -> tuple[Scalar, ...]:
    """Return the types that C++ tries for a suffix, in order.

    Decimals are unsigned only with u, or where no signed type is large enough, as in NVRTC.
    """
    signed, unsigned = {
        "": ((INT, LONG), (UINT, ULONG)),
        "l": ((LONG,), (ULONG,)),
        "ll": ((LLONG,), (ULLONG,)),
    }[suffix.replace("u", "")]
    if "u" in suffix:
        return unsigned
    if decimal:
        return (*signed, ULLONG)
    return tuple(ctype for pair in zip(signed, unsigned, strict=True) for ctype in pair)


def _float(match: re.Match[str], span: Span) -> tree.Literal:
    try:
        value = float.fromhex(match["hex"]) if match["hex"] else float(match["decimal"])
    except (OverflowError, ValueError):
        raise CompileError("this is not a floating-point number", span) from None
    single = "f" in (match["hex_suffix"] or match["suffix"] or "").lower()
    return tree.Literal(
        rounded(value) if single else value, span=span, type=FLOAT if single else DOUBLE
    )


def character(text: str, span: Span) -> tree.Literal:
    """Return the char that `text`, with its quotes, writes."""
    body = text[1:-1]
    if len(body) == 1:
        value = ord(body)
    elif match := re.fullmatch(r"\\x([0-9a-fA-F]{1,2})", body):
        value = int(match[1], 16)
    elif match := re.fullmatch(r"\\([0-7]{1,3})", body):
        value = int(match[1], 8)
    elif len(body) == 2 and body[0] == "\\" and body[1] in _ESCAPES:
        value = _ESCAPES[body[1]]
    else:
        hint = "single quotes hold one character"
        raise CompileError(f"{text} is not one character", span, hint)
    if value > 255 or (body[0] != "\\" and value > 127):
        raise CompileError(f"{text} does not fit a char", span)
    return tree.Literal(value - 256 if value > 127 else value, span=span, type=CHAR)


_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_ESCAPE = re.compile(r"\\(?:x(?P<hex>[0-9a-fA-F]+)|(?P<octal>[0-7]{1,3})|(?P<other>.))")


def string(text: str, span: Span) -> str:
    r"""Return the characters that `text` writes: one or several literals, with their quotes.

    Examples
    --------
    >>> from simulator.source import Source
    >>> text = r'"one\n" "\x41\102"'
    >>> string(text, Span(Source(text), 1, 1, 1, 19))
    'one\nAB'
    """

    def character_of(match: re.Match[str]) -> str:
        code = _code(match)
        if code is None or code > 255:
            raise CompileError(f"`{match[0]}` in a string is no character", span)
        return chr(code)

    return "".join(_ESCAPE.sub(character_of, part[1]) for part in _STRING.finditer(text))


def _code(match: re.Match[str]) -> int | None:
    if match["other"]:
        return _ESCAPES.get(match["other"])
    return int(match["hex"], 16) if match["hex"] else int(match["octal"], 8)
