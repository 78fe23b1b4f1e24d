"""C's arithmetic types for the scalar reference machine, written apart from the simulator's own."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass

import numpy as np

Number = bool | int | float


@dataclass(frozen=True)
class Type:
    """An arithmetic type; `suffix` is what its literals carry, empty where they need a cast."""

    name: str
    bits: int
    signed: bool
    real: bool = False
    suffix: str = ""

    def convert(self, value: Number, source: Type | None = None) -> Number:
        """`value` of type `source` as a GPU converts it: integers wrap around, floats saturate."""
        if self.real:
            with np.errstate(all="ignore"):
                return float(np.float32(value)) if self.bits == 32 else float(value)
        if self.bits == 1:
            return bool(value)
        if isinstance(value, float):
            return self._from_float(value, source)
        value = int(value) & ((1 << self.bits) - 1)
        return value - (1 << self.bits) if self.signed and value >> (self.bits - 1) else value

    def _from_float(self, value: float, source: Type | None) -> int:
        """The PTX manual's rule: NaN becomes 0 among 32-bit types, else the highest bit alone."""
        if math.isnan(value):
            wide = self.bits == 64 or (source is not None and source.bits == 64)
            return int(self.convert(1 << (self.bits - 1))) if wide else 0
        low = -(1 << (self.bits - 1)) if self.signed else 0
        high = (1 << (self.bits - self.signed)) - 1
        inside = value if math.isinf(value) else math.trunc(value)
        return int(max(low, min(high, inside)))

    @property
    def dtype(self) -> np.dtype:
        kind = "f" if self.real else "i" if self.signed else "u"
        return np.dtype(bool) if self.bits == 1 else np.dtype(f"{kind}{self.bits // 8}")


BOOL = Type("bool", 1, False)
CHAR = Type("signed char", 8, True)
UCHAR = Type("unsigned char", 8, False)
SHORT = Type("short", 16, True)
INT = Type("int", 32, True, suffix=" ")
UINT = Type("unsigned int", 32, False, suffix="u")
LLONG = Type("long long", 64, True, suffix="ll")
ULLONG = Type("unsigned long long", 64, False, suffix="ull")
FLOAT = Type("float", 32, True, True, "f")
DOUBLE = Type("double", 64, True, True, " ")

INTEGERS = (INT, UINT, LLONG, ULLONG, SHORT, UCHAR, CHAR, BOOL)
TYPES = (*INTEGERS, FLOAT, DOUBLE)


def promoted(of: Type) -> Type:
    """The integer promotion."""
    return INT if not of.real and of.bits < 32 else of


def common(a: Type, b: Type) -> Type:
    """The usual arithmetic conversions."""
    if a.real or b.real:
        return DOUBLE if DOUBLE in (a, b) else FLOAT
    a, b = promoted(a), promoted(b)
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return b if a.signed else a


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
