"""C's arithmetic types and their conversions, written apart from the simulator's own."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

Number = bool | int | float


@dataclass(frozen=True, eq=False)
class Type:
    """An arithmetic type: C's name, NumPy's code, bits and rank.

    `suffix` is what its literals carry, empty where they need a cast.
    """

    name: str
    code: str
    bits: int
    rank: int
    suffix: str = ""
    real: bool = False
    signed: bool = False

    def __hash__(self) -> int:
        return self.rank

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Type) and self.name == other.name)

    @property
    def tag(self) -> str:
        """The initials of the name, for names of variables."""
        return "".join(word[0] for word in self.name.split())

    def convert(self, value: Number, source: Type | None = None) -> Number:
        """`value` of type `source` as a GPU converts it: integers wrap around, floats saturate."""
        if self.real:
            return single(value) if self.bits == 32 else float(value)
        if self.bits == 1:
            return bool(value)
        if isinstance(value, float):
            value = self._truncated(value, source)
        value = int(value) & ((1 << self.bits) - 1)
        return value - (1 << self.bits) if self.signed and value >> (self.bits - 1) else value

    def _truncated(self, value: float, source: Type | None) -> int:
        """Towards zero, saturating in 32 or 64 bits: narrower integers are cut out of 32 bits.

        NaN becomes 0 among types of at most 32 bits, else the highest bit alone: the PTX manual.
        """
        bits = max(32, self.bits)
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if self.signed else (0, (1 << bits) - 1)
        if math.isnan(value):
            wide = bits == 64 or (source is not None and source.bits == 64)
            return 1 << bits - 1 if wide else 0
        return max(low, min(high, value if math.isinf(value) else math.trunc(value)))

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(self.code)


BOOL = Type("bool", "?", 1, 0)
CHAR = Type("char", "i1", 8, 1, signed=True)
SCHAR = Type("signed char", "i1", 8, 1, signed=True)
UCHAR = Type("unsigned char", "u1", 8, 1)
SHORT = Type("short", "i2", 16, 2, signed=True)
USHORT = Type("unsigned short", "u2", 16, 2)
INT = Type("int", "i4", 32, 3, " ", signed=True)
UINT = Type("unsigned int", "u4", 32, 3, "u")
LONG = Type("long", "i8", 64, 4, "l", signed=True)
ULONG = Type("unsigned long", "u8", 64, 4, "ul")
LLONG = Type("long long", "i8", 64, 5, "ll", signed=True)
ULLONG = Type("unsigned long long", "u8", 64, 5, "ull")
FLOAT = Type("float", "f4", 32, 6, "f", real=True)
DOUBLE = Type("double", "f8", 64, 7, " ", real=True)

INTEGERS = (CHAR, SCHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, LLONG, ULLONG)
TYPES = (BOOL, *INTEGERS, FLOAT, DOUBLE)
_UNSIGNED = {INT: UINT, LONG: ULONG, LLONG: ULLONG}


def promoted(of: Type) -> Type:
    """The integer promotion."""
    return INT if of.rank < INT.rank else of


def common(left: Type, right: Type) -> Type:
    """The usual arithmetic conversions."""
    if left.real or right.real:
        return max(left, right, key=lambda t: t.rank)
    low, high = sorted((promoted(left), promoted(right)), key=lambda t: (t.rank, not t.signed))
    if high.signed and not low.signed and low.bits == high.bits:
        return _UNSIGNED[high]
    return high


def single(value: Number) -> float:
    """The nearest float, by exact arithmetic; halves go to the even one."""
    if isinstance(value, float) and (value == 0 or not math.isfinite(value)):
        return value
    with np.errstate(over="ignore"):
        if isinstance(value, float) or abs(value) < 1 << 53:
            return float(np.float32(value))
        near = np.float32(float(value))
    near = min(max(near, -np.finfo(np.float32).max), np.finfo(np.float32).max)
    inf = np.float32(math.inf)
    around = [np.nextafter(near, -inf), near, np.nextafter(near, inf)]
    return float(
        min(around, key=lambda v: (abs(_exact(v) - Fraction(value)), int(v.view(np.int32)) & 1))
    )


def _exact(value: np.float32) -> Fraction:
    """Infinity counts as the number after the largest one."""
    finite = math.isfinite(value)
    return Fraction(float(value)) if finite else Fraction(2) ** 128 * (1 if value > 0 else -1)


COMPARE = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_WHOLE = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}


def apply(op: str, a: Number, b: Number, of: Type) -> Number:
    """`a op b` where both are of type `of`."""
    if op in COMPARE:
        return COMPARE[op](a, b)
    if of.real:
        kind = np.float32 if of.bits == 32 else np.float64
        with np.errstate(all="ignore"):
            names = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}
            return float(names[op](kind(a), kind(b)))
    if op in "/%":
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return of.convert(quotient if op == "/" else a - quotient * b)
    return of.convert(_WHOLE[op](a, b))


def shift(op: str, a: Number, count: Number, of: Type) -> Number:
    return of.convert(int(a) << int(count) if op == "<<" else int(a) >> int(count))


def apply_unary(op: str, value: Number, of: Type) -> Number:
    return of.convert({"-": operator.neg, "+": operator.pos, "~": operator.invert}[op](value))
