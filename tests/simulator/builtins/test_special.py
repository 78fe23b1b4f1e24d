"""Special functions, parts of floats, and functions that store results by pointers."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

import simulator
from simulator.lanes import reals
from tests.simulator.launching import run, source

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

INF, NAN = math.inf, math.nan
Reals = st.one_of(
    st.floats(), st.floats(-10, 10), st.integers(-50, 50).map(lambda n: n / 4), st.just(5e-324)
)


def same(found: Any, wanted: Any) -> bool:
    """Whether two floats are the same, zeros by their sign, any NaN like another."""
    if math.isnan(wanted):
        return math.isnan(found)
    return bool(found == wanted and math.copysign(1, found) == math.copysign(1, wanted))


def called(call: str, result: str, values: dict[str, Any]) -> Any:
    """What a call gives whose arguments are parameters of the kernel."""
    types = {float: "double", int: "int", np.float32: "float"}
    parameters = "".join(f", {types[type(v)]} {name}" for name, v in values.items())
    dtypes = {"double": "f8", "float": "f4", "int": "i4", "long": "i8"}
    out = np.zeros(1, dtypes[result])
    text = source(f"{result} *out{parameters}", f"out[0] = {call};")
    return run(text, out, *values.values(), block=1).arrays[0][0]


# Parts of floats, against exact arithmetic.


@given(Reals)
def test_fraction_and_exponent(x: float) -> None:
    fraction, power = (part[0] for part in reals.fraction_and_exponent(np.array([x])))
    wanted, exponent = math.frexp(x)
    assert same(fraction, wanted)
    assert power == (exponent if math.isfinite(x) else 0)
    if math.isfinite(x) and x:
        assert reals.integer_exponent(np.array([x]))[0] == exponent - 1
        assert reals.exponent(np.array([x]))[0] == exponent - 1


@given(Reals)
def test_fraction_and_whole(x: float) -> None:
    fraction, whole = (part[0] for part in reals.fraction_and_whole(np.array([x])))
    wanted = (math.copysign(0.0, x), x) if math.isinf(x) else math.modf(x)
    assert same(fraction, wanted[0])
    assert same(whole, wanted[1])


@given(Reals, Reals)
def test_remainder_and_quotient(x: float, y: float) -> None:
    found, quotient = (part[0] for part in reals.remainder_and_quotient(*np.array([[x], [y]])))
    if not (math.isfinite(x) and math.isfinite(y) and y):
        assert quotient == 0
        assert math.isnan(found) or found == x
        return
    exact = round(Fraction(x) / Fraction(y))
    assert same(found, math.remainder(x, y))
    assert abs(quotient) == abs(exact) % 8
    assert int(quotient) * exact >= 0


@given(st.lists(Reals, min_size=1, max_size=9))
def test_multiples_of_pi(numbers: list[float]) -> None:
    sines, cosines = reals.sine_and_cosine_of_pi(np.array(numbers))
    for x, sine, cosine in zip(numbers, sines, cosines, strict=True):
        if not math.isfinite(x):
            assert math.isnan(sine)
            assert math.isnan(cosine)
            continue
        turned = float(Fraction(x) % 2)
        assert math.isclose(sine, math.sin(math.pi * turned), abs_tol=1e-15, rel_tol=1e-14)
        assert math.isclose(cosine, math.cos(math.pi * turned), abs_tol=1e-15, rel_tol=1e-14)
        if turned in (0, 1):
            assert same(sine, math.copysign(0.0, x))
        if turned in (0.5, 1.5):
            assert same(cosine, 0.0)


@given(Reals, st.integers(-3000, 3000))
def test_scaled(x: float, power: int) -> None:
    try:
        wanted = math.ldexp(x, power)
    except OverflowError:
        wanted = math.copysign(INF, x)
    assert same(reals.scaled(np.array([x]), np.array([power]))[0], wanted)


@given(st.one_of(st.floats(-(2.0**62), 2.0**62), st.floats(-9, 9)))
def test_nearest_integers(x: float) -> None:
    assert reals.nearest_integer(np.array([x]))[0] == round(x)
    away = math.floor(abs(Fraction(x)) + Fraction(1, 2))
    assert reals.nearest_integer_away(np.array([x]))[0] == (away if x > 0 else -away)


@given(st.lists(st.floats(-1e150, 1e150), min_size=2, max_size=4))
def test_lengths(parts: list[float]) -> None:
    found = reals.length(*(np.array([part]) for part in parts))[0]
    assert math.isclose(found, math.hypot(*parts), rel_tol=1e-14)


# What kernels call.

CALLS: list[tuple[str, str, dict[str, Any], Any]] = [
    ("ilogb(x)", "int", {"x": 0.0}, -(2**31)),
    ("ilogb(x)", "int", {"x": INF}, 2**31 - 1),
    ("ilogbf(x)", "int", {"x": np.float32(10)}, 3),
    ("logb(x)", "double", {"x": -0.0}, -INF),
    ("logb(x)", "double", {"x": -INF}, INF),
    ("ldexp(x, 3)", "float", {"x": np.float32(1.5)}, 12),
    ("scalbln(x, 1L << 40)", "double", {"x": 1.5}, INF),
    ("nextafter(x, 2.0f)", "float", {"x": np.float32(1)}, np.nextafter(np.float32(1), 2)),
    ("lrint(x)", "long", {"x": 2.5}, 2),
    ("llround(x)", "long", {"x": np.float32(-2.5)}, -3),
    ("sizeof(lrintf(2.5f)) + sizeof(ldexp(1.0f, 2))", "int", {}, 12),
    ("lgamma(x)", "double", {"x": -INF}, INF),
    ("tgamma(x)", "double", {"x": 5.0}, 24),
    ("j0(x)", "double", {"x": -INF}, 0),
    ("y0(x)", "double", {"x": INF}, 0),
    ("y1(x)", "double", {"x": -1.0}, NAN),
    ("y0(x)", "double", {"x": -INF}, NAN),
    ("jn(-1, x)", "double", {"x": 1.0}, NAN),
    ("cyl_bessel_i1(x)", "double", {"x": -INF}, -INF),
    ("rhypot(x, 4.0)", "double", {"x": 3.0}, 0.2),
    ("norm3df(x, 2.0f, 4.0f)", "float", {"x": np.float32(4)}, 6),
    ("rnorm4d(x, 1.0, 1.0, 1.0)", "double", {"x": 1.0}, 0.5),
    ("std::ldexp(x, 1)", "double", {"x": 1.0}, 2),
    ("__dadd_rn(x, 1)", "double", {"x": 0.5}, 1.5),
    ("fdividef(x, 4)", "float", {"x": np.float32(1)}, 0.25),
]


@pytest.mark.parametrize(("call", "result", "values", "wanted"), CALLS)
def test_calls(call: str, result: str, values: dict[str, Any], wanted: Any) -> None:
    assert same(called(call, result, values), wanted)


KNOWN: dict[str, tuple[Callable[..., Any], float, float]] = {
    "tgamma": (math.gamma, 0.1, 30),
    "lgamma": (math.lgamma, 0.1, 30),
    "normcdf": (lambda x: math.erfc(-x / math.sqrt(2)) / 2, -5, 5),
    "erfcx": (lambda x: math.exp(x * x) * math.erfc(x), -3, 3),
    "rcbrt": (lambda x: x ** (-1 / 3), 0.1, 30),
    "sinpi": (lambda x: math.sin(math.pi * x), 0.1, 0.9),
    "cospi": (lambda x: math.cos(math.pi * x), 0.1, 0.4),
    "j1": (special.j1, 0, 9),
    "y0": (special.y0, 0.1, 9),
    "cyl_bessel_i0": (special.i0, 0, 9),
}
INVERSE = {"erfinv": ("erf", -0.9, 0.9), "erfcinv": ("erfc", 0.1, 1.9)}
INVERSE |= {"normcdfinv": ("normcdf", 0.05, 0.95)}


@pytest.mark.parametrize("single", [False, True], ids=["double", "float"])
def test_values(single: bool) -> None:
    """Functions are those of mathematics, and inverse ones lead back."""
    dtype, ctype, error = ("f4", "float", 2e-5) if single else ("f8", "double", 1e-12)
    ends = {**{n: e[1:] for n, e in KNOWN.items()}, **{n: e[1:] for n, e in INVERSE.items()}}
    x = np.array([np.linspace(*pair, 50) for pair in ends.values()], dtype)
    out = np.zeros_like(x)
    lines = [f"out[{at * 50} + i] = {name}(x[{at * 50} + i]);" for at, name in enumerate(KNOWN)]
    for at, (name, (back, *_)) in enumerate(INVERSE.items(), len(KNOWN)):
        lines.append(f"out[{at * 50} + i] = {back}({name}(x[{at * 50} + i]));")
    text = source(f"const {ctype} *x, {ctype} *out", "int i = threadIdx.x;" + "".join(lines))
    found = run(text, x, out, block=50).arrays[1]
    for name, row, of in zip(ends, found, x, strict=True):
        exact = [KNOWN[name][0](float(v)) for v in of] if name in KNOWN else of
        assert np.allclose(row, exact, rtol=error, atol=error), name


# Results that are stored.


def test_results_are_stored_wherever_pointers_lead() -> None:
    body = """int i = threadIdx.x;
    __shared__ float s[32];
    float c; int power; float parts[2];
    sincosf(x[i], &s[i], &c);
    float fraction = frexp(x[i], &power);
    parts[0] = modf(x[i], parts + 1);
    y[4 * i] = s[i]; y[4 * i + 1] = c; y[4 * i + 2] = ldexpf(fraction, power);
    y[4 * i + 3] = parts[0] + parts[1];
    sincospi((double)x[i], z + 2 * i, &z[2 * i + 1]);"""
    x = np.linspace(-3, 3, 32, dtype="f4")
    text = source("const float *x, float *y, double *z", body)
    ran = run(text, x, np.zeros((32, 4), "f4"), np.zeros((32, 2)))
    _, y, z = ran.arrays
    assert np.array_equal(y, np.stack([np.sin(x), np.cos(x), x, x], axis=1))
    assert np.array_equal(z.T, reals.sine_and_cosine_of_pi(x.astype("f8")))
    assert ran.counters.store_sectors == 4 * (32 * 16 // 32) + 2 * (32 * 16 // 32)
    assert ran.counters.store_requests == 6


def test_stores_are_watched() -> None:
    text = source("float *y", "sincosf(threadIdx.x, y, y + 1 + threadIdx.x);")
    with (
        simulator.Device() as device,
        simulator.sanitize("race", device=device),
        pytest.raises(simulator.Fault) as caught,
    ):
        simulator.RawKernel(text, "k")((1,), (64,), (simulator.zeros(65, "float32"),))
    assert "race" in str(caught.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("sincos(f, &f, &d);", "`sincos` is ambiguous for these arguments"),
        ("sincos(f, p, p);", "`sincos` takes `float *` here, not `const float *`"),
        ("frexp(f, &f);", "`frexp` takes `int *` here, not `float *`"),
        ("nextafter(f, d);", "`nextafter` is ambiguous"),
        ("ldexp(1, 2);", "convert the arguments to `float`, or to `double`"),
        ("d = rnorm(3, &d);", "add the squares in a loop, and call rsqrt"),
        ("f = nanf(p);", "use the macro NAN"),
    ],
)
def test_refused(call: str, message: str) -> None:
    with pytest.raises(simulator.CompileError) as caught:
        run(source("const float *p, float f, double d", call), np.zeros(1, "f4"), 1.0, 1.0)
    assert message in str(caught.value)
