"""Mathematical functions: exact ones bit for bit, the others to a few units in the last place."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulator
from simulator.lanes.arithmetic import fused, nearest_remainder
from tests.reference.types import BOOL, DOUBLE, FLOAT, INT, Type
from tests.sampling import sampled
from tests.simulator.lanes.operands import WAYS, check, evaluate, pairs, same

# Floats: functions whose result is exact, or rounded once.

REALS = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, -7.25, 0.49999997, 1e-40, 3.0, 8388609.0, 1e30]
REALS += [math.inf, -math.inf, math.nan]


def reals(ctype: Type) -> list[float]:
    """Edge values as the type holds them, and some random ones."""
    rng = random.Random(5)
    values = REALS + [rng.gauss(0, 1) * 10 ** rng.randint(-3, 6) for _ in range(10)]
    return [float(v) for v in np.array(values, ctype.code)]


def _round(v: float) -> float:
    if not math.isfinite(v):
        return v
    return math.copysign(math.floor(abs(Fraction(v)) + Fraction(1, 2)), v)


def _whole(function: Callable[[float], int]) -> Callable[[float], float]:
    return lambda v: math.copysign(function(v), v) if math.isfinite(v) else v


EXACT: dict[str, Callable[[float], Any]] = {
    "sqrt": lambda v: math.sqrt(v) if v >= 0 else v if v == 0 else math.nan,
    "fabs": abs,
    "floor": _whole(math.floor),
    "ceil": _whole(math.ceil),
    "trunc": _whole(math.trunc),
    "round": _round,
    "rint": _whole(round),
    "nearbyint": _whole(round),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("ctype", [FLOAT, DOUBLE], ids=lambda t: t.name)
@pytest.mark.parametrize("name", EXACT)
def test_exact_functions(name: str, ctype: Type, way: str) -> None:
    check(way, ctype, f"{name}({{0}})", [(ctype, reals(ctype))], EXACT[name])


def _either(choose: Callable[..., float], zero: float) -> Callable[[float, float], float]:
    """Of a number and NaN the number; `zero` tells which of two zeros wins."""

    def chosen(a: float, b: float) -> float:
        if math.isnan(a) or math.isnan(b):
            return b if math.isnan(a) else a
        if a == 0 == b:
            return a if math.copysign(1, a) == zero else b
        return choose(a, b)

    return chosen


def _or_nan(function: Callable[[float, float], float]) -> Callable[[float, float], float]:
    def tried(a: float, b: float) -> float:
        try:
            return function(a, b)
        except ValueError:
            return math.nan

    return tried


EXACT_OF_TWO: dict[str, Callable[[float, float], float]] = {
    "fmin": _either(min, -1),
    "fmax": _either(max, 1),
    "min": _either(min, -1),
    "max": _either(max, 1),
    "fmod": _or_nan(math.fmod),
    "remainder": _or_nan(math.remainder),
    "copysign": math.copysign,
    "fdim": lambda a, b: 0.0 if a <= b else a - b,
}


@pytest.mark.parametrize("ctype", [FLOAT, DOUBLE], ids=lambda t: t.name)
@pytest.mark.parametrize(
    ("name", "way"), sampled(product(EXACT_OF_TWO, ["lanes", "literals", "mixture"]), 3, each=0)
)
def test_exact_functions_of_two(name: str, ctype: Type, way: str) -> None:
    values = reals(ctype)
    few = values if way == "lanes" else values[:8] + values[14:18]
    left, right = pairs(few, few)
    check(way, ctype, f"{name}({{0}}, {{1}})", [(ctype, left), (ctype, right)], EXACT_OF_TWO[name])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("ctype", [FLOAT, DOUBLE], ids=lambda t: t.name)
def test_kinds_of_numbers(ctype: Type, way: str) -> None:
    operands = [(ctype, reals(ctype))]
    for name in ("isnan", "isinf", "isfinite"):
        check(way, BOOL, f"{name}({{0}})", operands, getattr(math, name))
    known = [(ctype, [v for v in reals(ctype) if not math.isnan(v)])]
    check(way, BOOL, "signbit({0})", known, lambda v: math.copysign(1, v) < 0)


def test_bits_of_floats() -> None:
    values = np.array([1.5, -0.0, math.inf], np.float32)
    as_int, back, twice = evaluate(
        [
            (INT, "__float_as_int(x)"),
            (FLOAT, "__int_as_float(__float_as_int(x))"),
            (FLOAT, "__uint_as_float(__float_as_uint(x))"),
        ],
        {"x": (FLOAT, values)},
        3,
    )
    assert as_int.tolist() == values.view(np.int32).tolist()
    assert same(back, values).all()
    assert same(twice, values).all()


halves = st.floats(width=32, allow_nan=False)
doubles = st.floats(allow_nan=False)


def _sum_of_product(a: float, b: float, c: float, largest: Fraction) -> Fraction | None:
    """The exact a * b + c, None where it is infinite, NaN or a zero."""
    if not all(map(math.isfinite, (a, b, c))):
        return None
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    return exact if exact and abs(exact) <= largest else None


@given(doubles, doubles, doubles)
def test_fma_of_doubles_rounds_once(a: float, b: float, c: float) -> None:
    exact = _sum_of_product(a, b, c, Fraction(np.finfo(np.float64).max))
    with np.errstate(all="ignore"):
        got = float(fused(np.float64(a), np.float64(b), np.float64(c)))
    if exact is not None:
        assert got == float(exact)


@given(halves, halves, halves)
def test_fma_of_floats_rounds_once(a: float, b: float, c: float) -> None:
    exact = _sum_of_product(a, b, c, Fraction(float(np.finfo(np.float32).max)))
    with np.errstate(all="ignore"):
        got = fused(*(np.array([v], np.float32) for v in (a, b, c)))[0]
        around = [np.nextafter(got, np.float32(s * math.inf)) for s in (1, -1)]
    if exact is not None:
        error = abs(Fraction(float(got)) - exact)
        others = [abs(Fraction(float(v)) - exact) for v in around if np.isfinite(v)]
        assert all(error < e or (error == e and got.view(np.int32) % 2 == 0) for e in others)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("ctype", [FLOAT, DOUBLE], ids=lambda t: t.name)
def test_fma_in_kernels(ctype: Type, way: str) -> None:
    bits = 24 if ctype == FLOAT else 53
    tiny = 2.0**-bits
    operands = [(ctype, [1 + 2 * tiny, 3.0]), (ctype, [1 - tiny, 5.0]), (ctype, [-1.0, -15.0])]
    check(
        way,
        ctype,
        "fma({0}, {1}, {2})",
        operands,
        lambda a, b, c: tiny - 2 * tiny**2 if c == -1 else 0.0,
    )


@given(halves, halves)
def test_the_nearest_remainder_is_exact(a: float, b: float) -> None:
    with np.errstate(all="ignore"):
        got = float(nearest_remainder(np.float32(a), np.float32(b)))
    if not (math.isfinite(a) and b):
        assert math.isnan(got)
    else:
        assert got == math.remainder(a, b)


# Floats: functions that are correct to a few units in the last place.


CLOSE: dict[str, tuple[Callable[[float], float], float, float]] = {
    "exp": (math.exp, -80, 80),
    "exp2": (lambda v: 2.0**v, -100, 100),
    "exp10": (lambda v: 10.0**v, -30, 30),
    "expm1": (math.expm1, -5, 5),
    "log": (math.log, 1e-30, 1e30),
    "log2": (math.log2, 1e-30, 1e30),
    "log10": (math.log10, 1e-30, 1e30),
    "log1p": (math.log1p, -0.9, 1e5),
    "sin": (math.sin, -100, 100),
    "cos": (math.cos, -100, 100),
    "tan": (math.tan, -100, 100),
    "asin": (math.asin, -1, 1),
    "acos": (math.acos, -1, 1),
    "atan": (math.atan, -1e4, 1e4),
    "sinh": (math.sinh, -20, 20),
    "cosh": (math.cosh, -20, 20),
    "tanh": (math.tanh, -5, 5),
    "asinh": (math.asinh, -1e4, 1e4),
    "acosh": (math.acosh, 1, 1e4),
    "atanh": (math.atanh, -0.99, 0.99),
    "erf": (math.erf, -3, 3),
    "erfc": (math.erfc, -3, 3),
    "rsqrt": (lambda v: 1 / math.sqrt(v), 1e-30, 1e30),
    "cbrt": (math.cbrt, -1e9, 1e9),
}


def spread(low: float, high: float, ctype: Type) -> list[float]:
    """Numbers between two limits, over their orders of magnitude if those are many."""
    rng = random.Random(11)
    far = low > 0 and high / low > 1e6
    values = [
        low * (high / low) ** rng.random() if far else rng.uniform(low, high) for _ in range(300)
    ]
    return [float(v) for v in np.array(values, ctype.code)]


def close(got: np.ndarray, expected: list[float], units: int) -> np.ndarray:
    """Where results differ from doubles by at most so many units in the last place."""
    wanted = np.array(expected)
    unit = np.spacing(np.abs(wanted).astype(got.dtype)).astype(np.float64)
    return np.abs(got.astype(np.float64) - wanted) <= units * unit


@pytest.mark.parametrize("ctype", [FLOAT, DOUBLE], ids=lambda t: t.name)
@pytest.mark.parametrize("name", CLOSE)
def test_close_functions(name: str, ctype: Type) -> None:
    reference, low, high = CLOSE[name]
    values = spread(low, high, ctype)
    suffix = "f" if ctype == FLOAT else ""
    held = np.array(values, ctype.code)
    plain, named = evaluate(
        [(ctype, f"{name}(x)"), (ctype, f"{name}{suffix}(x)")], {"x": (ctype, held)}, len(values)
    )
    good = close(plain, [reference(v) for v in values], 12 if name == "erfc" else 4)
    assert good.all(), [(values[k], plain[k]) for k in (~good).nonzero()[0][:3]]
    assert same(plain, named).all()


@pytest.mark.parametrize("ctype", [FLOAT, DOUBLE], ids=lambda t: t.name)
@pytest.mark.parametrize(
    ("name", "reference"), [("pow", math.pow), ("atan2", math.atan2), ("hypot", math.hypot)]
)
def test_close_functions_of_two(
    name: str, reference: Callable[[float, float], float], ctype: Type
) -> None:
    left, right = spread(0.01, 50, ctype), spread(-10, 10, ctype)
    operands = {"x": (ctype, np.array(left, ctype.code)), "y": (ctype, np.array(right, ctype.code))}
    (got,) = evaluate([(ctype, f"{name}(x, y)")], operands, len(left))
    assert close(got, [reference(a, b) for a, b in zip(left, right, strict=True)], 4).all()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("log(0.0)", -math.inf),
        ("log(-1.0)", math.nan),
        ("exp(1000.0)", math.inf),
        ("exp(-1000.0)", 0.0),
        ("sqrt(-1.0f)", math.nan),
        ("rsqrt(0.0)", math.inf),
        ("pow(0.0, 0.0)", 1.0),
        ("pow(-2.0, 3.0)", -8.0),
        ("pow(-8.0, 1.0 / 3)", math.nan),
        ("pow(1.0, 0.0 / 0.0)", 1.0),
        ("fmod(5.0, 0.0)", math.nan),
        ("fmod(5.0, 1.0 / 0.0)", 5.0),
        ("sin(1.0 / 0.0)", math.nan),
        ("atan2(0.0, -1.0)", math.pi),
        ("1.0 / -0.0", -math.inf),
        ("0.0f / 0.0f", math.nan),
        ("fdim(1.0 / 0.0, 1.0 / 0.0)", 0.0),
        ("fma(1e300, 1e300, -1.0 / 0.0)", -math.inf),
    ],
)
def test_special_values(text: str, value: float) -> None:
    (got,) = evaluate([(DOUBLE, text)], {}, 1)
    assert got[0] == value or (math.isnan(value) and math.isnan(got[0]))


def test_constants_of_the_math_header() -> None:
    text = """#include <math_constants.h>
    extern "C" __global__ void k(float *a, double *b) {
      a[0] = CUDART_PI_F; a[1] = CUDART_INF_F; a[2] = CUDART_NAN_F; a[3] = CUDART_SQRT_TWO_F;
      b[0] = CUDART_PI; b[1] = CUDART_INF; b[2] = CUDART_NAN;
    }"""
    with simulator.Device():
        a, b = simulator.zeros(4, "float32"), simulator.zeros(3, "float64")
        simulator.RawKernel(text, "k")((1,), (1,), (a, b))
        np.testing.assert_array_equal(a.get(), np.float32([np.pi, np.inf, np.nan, np.sqrt(2)]))
        np.testing.assert_array_equal(b.get(), [np.pi, np.inf, np.nan])
