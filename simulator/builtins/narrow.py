"""Floats of 16 bits, `half` and `__nv_bfloat16`, by themselves and in pairs, from their headers.

Each function is one of doubles, in which both formats are exact, rounded once; that also holds for
those that approximate. What pairs have is made of the same functions, for each of their members.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.builtins.lowerings import Composite, Elementwise, Lowering
from simulator.builtins.overloads import Overloads, overloads
from simulator.builtins.row import Row
from simulator.lanes import arithmetic, rounding
from simulator.lanes.rounding import as_double, from_bfloat16, packed_bfloat16, rounded, saturated

Lanes = Any
Function = Callable[..., Lanes]


def _half_double(value: Lanes) -> Lanes:
    return value.astype(np.float64)


def _half_held(value: Lanes) -> Lanes:
    return value.astype(np.float16)


def _bfloat16_double(value: Lanes) -> Lanes:
    return from_bfloat16(value).astype(np.float64)


@dataclass(frozen=True)
class _Kind:
    """A format: its types, its word in names of functions, and how its numbers become doubles."""

    type: str
    pair: str
    word: str
    letters: str
    header: str
    form: rounding.Format
    double: Function
    held: Function

    def to(self, value: Lanes, direction: str = "rn") -> Lanes:
        """Round doubles to numbers of this format, as arrays hold them."""
        return self.held(rounded(value, self.form, direction))


HALF = _Kind(
    "half", "half2", "half", "half2", "cuda_fp16.h", rounding.HALF, _half_double, _half_held
)
BFLOAT16 = _Kind(
    "nv_bfloat16",
    "nv_bfloat162",
    "bfloat16",
    "bfloat162",
    "cuda_bf16.h",
    rounding.BFLOAT16,
    _bfloat16_double,
    packed_bfloat16,
)

# Functions of doubles.


def _saturated(function: Function) -> Function:
    """Clamp a function's results to 0 and 1; NaN becomes 0."""

    def clamped(*operands: Lanes) -> Lanes:
        found = function(*operands)
        return np.where(np.isnan(found), 0.0, np.clip(found, 0.0, 1.0)) + 0.0

    return clamped


def _positive(*operands: Lanes) -> Lanes:
    found = arithmetic.fused_odd(*operands)
    return np.where(found < 0, 0.0, found) + 0.0


def _nan_if_any(function: Function) -> Function:
    return lambda x, y: np.where(np.isnan(x) | np.isnan(y), np.nan, function(x, y))


def _sum(x: Lanes, y: Lanes) -> Lanes:
    return arithmetic.fused_odd(x, np.ones_like(x), y)


def _difference(x: Lanes, y: Lanes) -> Lanes:
    return _sum(x, -y)


_BINARY: dict[str, Function] = {"add": _sum, "sub": _difference, "mul": np.multiply}
#: Functions of the format's own numbers, with as many operands; `{}` is where pairs have a 2.
_ARITHMETIC: dict[str, tuple[int, Function]] = {
    **{f"__h{name}{{}}": (2, code) for name, code in _BINARY.items()},
    **{f"__h{name}{{}}_rn": (2, code) for name, code in _BINARY.items()},
    **{f"__h{name}{{}}_sat": (2, _saturated(code)) for name, code in _BINARY.items()},
    "__hfma{}": (3, arithmetic.fused_odd),
    "__hfma{}_sat": (3, _saturated(arithmetic.fused_odd)),
    "__hfma{}_relu": (3, _positive),
    "__hneg{}": (1, np.negative),
    "__habs{}": (1, np.abs),
    "__hmax{}": (2, arithmetic.larger),
    "__hmin{}": (2, arithmetic.smaller),
    "__hmax{}_nan": (2, _nan_if_any(arithmetic.larger)),
    "__hmin{}_nan": (2, _nan_if_any(arithmetic.smaller)),
}
_MATH: dict[str, Function] = {
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "rcp": np.reciprocal,
    "exp": np.exp,
    "exp2": np.exp2,
    "exp10": lambda x: np.power(10.0, x),
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "tanh_approx": np.tanh,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
}
_COMPARISONS: dict[str, Function] = {
    "eq": np.equal,
    "ne": lambda x, y: (x < y) | (x > y),
    "lt": np.less,
    "gt": np.greater,
    "le": np.less_equal,
    "ge": np.greater_equal,
}
_INTEGERS = {
    "char": "signed char",
    "uchar": "unsigned char",
    "short": "short",
    "ushort": "unsigned short",
    "int": "int",
    "uint": "unsigned",
    "ll": "long long",
    "ull": "unsigned long long",
}
_DTYPES = dict(zip(_INTEGERS, "i1 u1 i2 u2 i4 u4 i8 u8".split(), strict=True))


def _unordered(function: Function) -> Function:
    return lambda x, y: function(x, y) | np.isnan(x) | np.isnan(y)


def _tests() -> dict[str, Function]:
    also = {f"{name}u": _unordered(code) for name, code in _COMPARISONS.items()}
    return {**_COMPARISONS, **also}


# Rows: the same functions of each format, alone and in pairs.


def _head(result: str, name: str, types: list[str]) -> str:
    named = ", ".join(f"{ctype} {letter}" for ctype, letter in zip(types, "abc", strict=False))
    return f"{result} {name}({named})"


def _computed(kind: _Kind, function: Function) -> Function:
    """Compute in doubles, and round once."""
    return lambda *operands: kind.to(function(*map(kind.double, operands)))


def _asked(kind: _Kind, function: Function) -> Function:
    return lambda *operands: function(*map(kind.double, operands))


def _members(function: Function) -> Function:
    """Apply a function to the first members of pairs, and to the second ones."""
    return lambda *leaves: (function(*leaves[::2]), function(*leaves[1::2]))


def _in_pairs(kind: _Kind, function: Function) -> Composite:
    return Composite(_members(_computed(kind, function)))


def _of_numbers(kind: _Kind) -> Iterator[tuple[str, Lowering]]:
    """Yield the heads of the functions of a format, with what executes them."""
    one, two = kind.type, kind.pair
    for name, (count, code) in _ARITHMETIC.items():
        how = Elementwise(_computed(kind, code))
        yield _head(one, name.format(""), [one] * count), how
        yield _head(two, name.format("2"), [two] * count), _in_pairs(kind, code)
    yield _head(one, "__hdiv", [one] * 2), Elementwise(_computed(kind, np.divide))
    yield _head(two, "__h2div", [two] * 2), _in_pairs(kind, np.divide)
    for name, code in _MATH.items():
        yield _head(one, f"h{name}", [one]), Elementwise(_computed(kind, code))
        yield _head(two, f"h2{name}", [two]), _in_pairs(kind, code)


def _of_tests(kind: _Kind) -> Iterator[tuple[str, Lowering]]:
    one, two = kind.type, kind.pair
    for name, code in _tests().items():
        test = _asked(kind, code)
        both = _members(test)
        yield _head("bool", f"__h{name}", [one] * 2), Elementwise(test)
        yield _head(two, f"__h{name}2", [two] * 2), _in_pairs(kind, _numbered(code))
        yield _head("bool", f"__hb{name}2", [two] * 2), Composite(_all_of(both))
        yield _head("unsigned", f"__h{name}2_mask", [two] * 2), Composite(_mask_of(both))
    yield _head("bool", "__hisnan", [one]), Elementwise(_asked(kind, np.isnan))
    yield _head("int", "__hisinf", [one]), Elementwise(_asked(kind, _infinite))
    yield _head(two, "__hisnan2", [two]), _in_pairs(kind, _numbered(np.isnan))


def _numbered(test: Function) -> Function:
    return lambda *operands: np.where(test(*operands), 1.0, 0.0)


def _all_of(both: Function) -> Function:
    return lambda *leaves: (np.logical_and(*both(*leaves)),)


def _mask_of(both: Function) -> Function:
    def mask(*leaves: Lanes) -> tuple[Lanes]:
        low, high = (test.astype(np.uint32) for test in both(*leaves))
        return (low * np.uint32(0xFFFF) | high * np.uint32(0xFFFF0000),)

    return mask


def _infinite(x: Lanes) -> Lanes:
    return np.isposinf(x).astype(np.int32) - np.isneginf(x).astype(np.int32)


def _conversions(kind: _Kind) -> Iterator[tuple[str, Lowering]]:
    """Yield conversions from and to every other type of number."""
    one, word = kind.type, kind.word
    for source, name in (("float", f"__float2{word}"), ("double", f"__double2{word}")):
        yield _head(one, name, [source]), Elementwise(_converted(kind, "rn"))
    yield _head("float", f"__{word}2float", [one]), Elementwise(kind.double)
    for direction in rounding.DIRECTIONS:
        how = Elementwise(_converted(kind, direction))
        yield _head(one, f"__float2{word}_{direction}", ["float"]), how
        for short, ctype in _INTEGERS.items():
            back = Elementwise(_whole(kind, short, direction))
            if "char" not in short:
                yield _head(one, f"__{short}2{word}_{direction}", [ctype]), how
            if "char" not in short or direction == "rz":
                yield _head(ctype, f"__{word}2{short}_{direction}", [one]), back
    for short, dtype in (("short", "i2"), ("ushort", "u2")):
        ctype, own = _INTEGERS[short], "f2" if kind is HALF else "u2"
        yield _head(ctype, f"__{word}_as_{short}", [one]), Elementwise(_viewed(dtype))
        yield _head(one, f"__{short}_as_{word}", [ctype]), Elementwise(_viewed(own))


def _converted(kind: _Kind, direction: str) -> Function:
    return lambda value: kind.to(as_double(value), direction)


def _whole(kind: _Kind, short: str, direction: str) -> Function:
    dtype = np.dtype(_DTYPES[short]).type
    narrow = np.float32  # of which NaN becomes 0, but for 64 bits
    return lambda value: saturated(kind.double(value).astype(narrow), dtype, direction)


def _viewed(dtype: str) -> Function:
    return lambda value: value.view(dtype)


def _pairing(kind: _Kind) -> Iterator[tuple[str, Lowering]]:
    """Yield what takes pairs apart and puts them together."""
    one, two, word, pair = kind.type, kind.pair, kind.word, kind.letters
    to, double = kind.to, kind.double

    def moved(head: str, code: Function) -> tuple[str, Lowering]:
        return head, Composite(code)

    yield moved(_head(two, f"make_{pair}", [one] * 2), lambda a, b: (a, b))
    yield moved(_head(two, f"__halves2{pair}", [one] * 2), lambda a, b: (a, b))
    yield moved(_head(two, f"__{word}2{pair}", [one]), lambda a: (a, a))
    yield moved(_head(one, f"__low2{word}", [two]), lambda x, y: (x,))
    yield moved(_head(one, f"__high2{word}", [two]), lambda x, y: (y,))
    yield moved(_head("float", "__low2float", [two]), lambda x, y: (double(x),))
    yield moved(_head("float", "__high2float", [two]), lambda x, y: (double(y),))
    yield moved(_head(two, f"__low2{pair}", [two]), lambda x, y: (x, x))
    yield moved(_head(two, f"__high2{pair}", [two]), lambda x, y: (y, y))
    yield moved(_head(two, "__lowhigh2highlow", [two]), lambda x, y: (y, x))
    yield moved(_head(two, f"__lows2{pair}", [two] * 2), lambda a, b, c, d: (a, c))
    yield moved(_head(two, f"__highs2{pair}", [two] * 2), lambda a, b, c, d: (b, d))
    yield moved(
        _head(two, f"__float2{pair}_rn", ["float"]), lambda a: (to(as_double(a)), to(as_double(a)))
    )
    for name, types in (("floats", ["float"] * 2), ("float2", ["float2"])):
        written = f"__floats2{pair}_rn" if name == "floats" else f"__float22{pair}_rn"
        yield moved(_head(two, written, types), lambda a, b: (to(as_double(a)), to(as_double(b))))
    yield moved(_head("float2", f"__{pair}2float2", [two]), _floats(double))
    yield moved(_head(two, "__hcmadd", [two] * 3), _complex(kind))


def _floats(double: Function) -> Function:
    return lambda x, y: (double(x), double(y))


def _complex(kind: _Kind) -> Function:
    """Multiply complex numbers and add a third, by fused operations."""
    fma = _computed(kind, arithmetic.fused_odd)
    minus = _computed(kind, np.negative)

    def code(a: Lanes, b: Lanes, c: Lanes, d: Lanes, e: Lanes, f: Lanes) -> tuple[Lanes, Lanes]:
        return fma(minus(b), d, fma(a, c, e)), fma(b, c, fma(a, d, f))

    return code


def _operators(kind: _Kind) -> Iterator[tuple[str, Lowering]]:
    """Yield the operators of pairs; those of single numbers are C's own."""
    two = kind.pair
    operations: list[Function] = [*_BINARY.values(), np.divide]
    for sign, code in zip("+-*/", operations, strict=True):
        yield _head(two, f"operator{sign}", [two] * 2), _in_pairs(kind, code)
    yield _head(two, "operator-", [two]), _in_pairs(kind, np.negative)
    signs = dict(zip(("==", "!=", "<", ">", "<=", ">="), _COMPARISONS, strict=True))
    for sign, name in signs.items():
        test = _COMPARISONS[name] if sign != "!=" else np.not_equal
        both = _members(_asked(kind, test))
        yield _head("bool", f"operator{sign}", [two] * 2), Composite(_all_of(both))


def _rows(kind: _Kind) -> Iterator[Row]:
    for family in (_of_numbers, _of_tests, _conversions, _pairing, _operators):
        for head, how in family(kind):
            yield Row(head, how, header=kind.header)


def rows(known: dict[str, Row]) -> list[Overloads]:
    """Return all rows, joined with those of the same names that there are already."""
    return overloads([*_rows(HALF), *_rows(BFLOAT16)], known)
