"""Floats of 16 bits: every function and operator, against exact arithmetic and CUDA's header."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulator
from gpubfs.machines import nvrtc
from simulator.builtins import ROWS, Row, narrow
from simulator.builtins.overloads import Overloads
from simulator.lanes import rounding
from simulator.lanes.rounding import DIRECTIONS, from_bfloat16, rounded, to_bfloat16

HEADERS = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
BROUGHT = [
    row
    for name in ROWS.values()
    if isinstance(name, Overloads)
    for row in name.rows
    if row.header in ("cuda_fp16.h", "cuda_bf16.h")
]
FORMS = {"half": rounding.HALF, "nv_bfloat16": rounding.BFLOAT16}


def call(row: Row) -> str:
    names = [f"x{at}" for at in range(len(row.types.parameters))]
    declared = "".join(
        f"{parameter.type} {name} = {{}}; "
        for parameter, name in zip(row.types.parameters, names, strict=True)
    )
    sign = row.name.removeprefix("operator")
    if sign == row.name:
        text = f"{row.name}({', '.join(names)})"
    else:
        text = f"{names[0]} {sign} {names[1]}" if len(names) == 2 else f"{sign}{names[0]}"
    return f"{{ {declared} {row.types.result} result = {text}; }}"


def kernel(rows: list[Row]) -> str:
    return f'{HEADERS}extern "C" __global__ void k() {{ {" ".join(map(call, rows))} }}'


@pytest.mark.slow
def test_every_function_runs() -> None:
    for start in range(0, len(BROUGHT), 100):
        simulator.RawKernel(kernel(BROUGHT[start : start + 100]), "k")((1,), (2,), ())


@pytest.mark.skipif(nvrtc.load()[0] is None, reason="NVRTC is not installed")
def test_every_function_is_one_of_cudas_header() -> None:
    """Each call has the result's type, told by an initialiser in braces, which nothing narrows."""
    assert "error" not in nvrtc.compile_text(kernel(BROUGHT), "kernel.cu", Path("."))


# Rounding, against fractions.


def nearest(value: Fraction, form: rounding.Format, direction: str) -> float:
    """Round a fraction, by the definition: the neighbours are multiples of a power of two."""
    if not value:
        return 0.0
    top = value.numerator.bit_length() - value.denominator.bit_length()
    top -= abs(value) < Fraction(2) ** top
    exponent = max(top, form.least) - form.bits + 1
    unit = Fraction(2) ** exponent
    steps = value / unit
    chosen = {"rn": round, "rz": math.trunc, "ru": math.ceil, "rd": math.floor}[direction](steps)
    found = chosen * unit
    if abs(found) <= form.largest:
        return float(found)
    away = {"rn": True, "rz": False, "ru": found > 0, "rd": found < 0}[direction]
    limit = math.inf if away else form.largest
    return limit if found > 0 else -limit


doubles = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", FORMS)
@given(doubles)
def test_doubles_are_rounded_once(name: str, direction: str, value: float) -> None:
    form = FORMS[name]
    with np.errstate(all="ignore"):
        got = float(rounded(np.array([value]), form, direction)[0])
    assert got == nearest(Fraction(value), form, direction)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", FORMS)
@given(st.integers(-(2**63), 2**63 - 1))
def test_integers_are_rounded_once(name: str, direction: str, value: int) -> None:
    wide = rounding.as_double(np.array([value]))
    got = float(rounded(wide, FORMS[name], direction)[0])
    assert got == nearest(Fraction(value), FORMS[name], direction)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_floats_become_bfloat16s(value: float) -> None:
    with np.errstate(all="ignore"):
        got = float(from_bfloat16(to_bfloat16(np.float32(value))))
    assert got == nearest(Fraction(value), rounding.BFLOAT16, "rn")


# Operators and functions in kernels.


def numbers(name: str, bits: Any) -> Any:
    """Return what bits are in a format, as doubles."""
    bits = np.asarray(bits, np.uint16)
    found = bits.view(np.float16) if name == "half" else from_bfloat16(bits)
    return found.astype(np.float64)


def held(name: str, bits: Any) -> Any:
    """Return bits in the type of an array for a format: NumPy has no bfloat16."""
    return np.asarray(bits, np.uint16).view(np.float16 if name == "half" else np.uint16)


def launched(name: str, result: str, text: str, columns: list[Any]) -> Any:
    """Compute an expression of x, y and z, of one type, for each row of their bits."""
    loads = "".join(f"{name} {v} = p{v}[i]; " for v in "xyz"[: len(columns)])
    parameters = "".join(f"const {name} *p{v}, " for v in "xyz"[: len(columns)])
    code = f"""{HEADERS}extern "C" __global__ void k({parameters}{result} *out, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) {{ {loads} out[i] = {text}; }} }}"""
    n = len(columns[0])
    kinds = {"float": "float32", "bool": "bool", "int": "int32"}
    out = simulator.zeros(n, kinds.get(result, held(name, []).dtype))
    given = [simulator.asarray(held(name, c)) for c in columns]
    simulator.RawKernel(code, "k")((-(-n // 256),), (256,), (*given, out, n))
    found = out.get()
    return found if result in kinds else found.view(np.uint16)


def operands(count: int, seed: int) -> list[Any]:
    """Return random bits, and all pairs of some that lie at edges."""
    rng = np.random.default_rng(seed)
    edges = [0, 1, 2, 0x3FF, 0x400, 0x3C00, 0x3F80, 0x7BFF, 0x7C00, 0x7F7F, 0x7F80, 0x7FFF]
    some = np.array([sign | one for one in edges for sign in (0, 0x8000)], np.uint16)
    grid = np.array(np.meshgrid(*[some] * min(count, 2))).reshape(min(count, 2), -1)
    grid = np.vstack([grid, np.resize(some, grid.shape[1])]) if count == 3 else grid
    random = rng.integers(0, 1 << 16, (count, 1500), dtype=np.uint16)
    return list(np.hstack([grid, random]))


EXACT: dict[str, tuple[str, int, Callable[..., Fraction | None]]] = {
    "sum": ("x + y", 2, lambda x, y: x + y),
    "difference": ("x - y", 2, lambda x, y: x - y),
    "product": ("x * y", 2, lambda x, y: x * y),
    "quotient": ("x / y", 2, lambda x, y: x / y if y else None),
    "fused": ("__hfma(x, y, z)", 3, lambda x, y, z: x * y + z),
    "function": ("__hadd_rn(x, y)", 2, lambda x, y: x + y),
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("case", EXACT)
def test_operators_round_once(name: str, case: str) -> None:
    text, count, exact = EXACT[case]
    columns = operands(count, 7)
    got = numbers(name, launched(name, name, text, columns))
    for found, row in zip(got, zip(*(numbers(name, c) for c in columns), strict=True), strict=True):
        if all(map(math.isfinite, row)) and (value := exact(*map(Fraction, row))) is not None:
            assert found == nearest(value, FORMS[name], "rn"), (row, found)


@pytest.mark.parametrize("name", FORMS)
def test_pairs_are_computed_member_by_member(name: str) -> None:
    pair, make = ("half2", "make_half2") if name == "half" else ("nv_bfloat162", "make_bfloat162")
    columns = operands(2, 3)
    for sign in "+-*/":
        single = launched(name, name, f"x {sign} y", columns)
        low = launched(name, name, f"({pair}(x, y) {sign} {make}(y, x)).x", columns)
        same = np.isnan(numbers(name, single)) & np.isnan(numbers(name, low))
        assert ((single == low) | same).all()
    both = launched(name, "bool", f"{make}(x, y) < {make}(y, y)", columns)
    assert not both.any()
    code = f"""{HEADERS}extern "C" __global__ void k({pair} *a) {{
      int i = threadIdx.x; a[i] += {pair}(a[i].y, a[i].x); {pair} z(a[i].x, 1); a[i] = -z; }}"""
    a = simulator.asarray(held(name, np.full(64, 0x3C00 if name == "half" else 0x3F80)))
    simulator.RawKernel(code, "k")((1,), (32,), (a,))
    assert numbers(name, a.get().view(np.uint16)).tolist() == [-2.0, -1.0] * 32


@pytest.mark.parametrize("name", FORMS)
def test_all_numbers_convert_and_compare(name: str) -> None:
    every = np.arange(1 << 16).astype(np.uint16)
    values = numbers(name, every)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(launched(name, "float", "x", [every]), values.astype("f4"))
    saturated = np.clip(
        np.trunc(np.nan_to_num(values, nan=0, posinf=3e38, neginf=-3e38)), -(2**31), 2**31 - 1
    )
    assert (launched(name, "int", "x", [every]) == saturated).all()
    negative = launched(name, name, "-x", [every])
    assert (negative == every ^ 0x8000).all()
    assert (launched(name, "bool", "x", [every]) == (values != 0)).all()
    less = launched(name, "bool", "x < y", [every, np.roll(every, 12345)])
    assert (less == (values < np.roll(values, 12345))).all()


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("function", narrow._MATH)
def test_functions_of_all_numbers_are_rounded_once(name: str, function: str) -> None:
    every = np.arange(1 << 16).astype(np.uint16)[::7]
    got = numbers(name, launched(name, name, f"h{function}(x)", [every]))
    with np.errstate(all="ignore"):
        wanted = rounded(narrow._MATH[function](numbers(name, every)), FORMS[name])
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("name", FORMS)
def test_constants_of_the_source(name: str) -> None:
    code = f"""{HEADERS}__constant__ {name} c[2] = {{1.0f, 2.5f}}; __device__ {name} d = -0.5f;
    template <typename T> __device__ T square(T x) {{ return x * x; }}
    extern "C" __global__ void k({name} *out, {name} given) {{
      __shared__ {name} s[2]; s[1] = c[1]; {name} own[2] = {{d, 0.1f}}; const {name} third = 1;
      out[0] = s[1]; out[1] = own[0]; out[2] = own[1]; out[3] = -third; out[4] = square(c[1]);
      out[5] = given; }}"""
    out = simulator.zeros(6, held(name, []).dtype)
    given = held(name, [0x4000])[0]  # 2 in both formats
    simulator.RawKernel(code, "k")((1,), (1,), (out, given))
    wanted = [2.5, -0.5, nearest(Fraction(0.1), FORMS[name], "rn"), -1.0, 6.25, 2.0]
    assert numbers(name, out.get().view(np.uint16)).tolist() == wanted


@pytest.mark.parametrize(("pointer", "sectors"), [("half", 2), ("half2", 4)])
def test_loads_count_their_bytes(pointer: str, sectors: int) -> None:
    code = f"""{HEADERS}extern "C" __global__ void k({pointer} *a) {{
      {pointer} x = a[threadIdx.x]; a[threadIdx.x] = x; }}"""
    a = simulator.zeros(64, "float16")
    with simulator.counting() as record:
        simulator.RawKernel(code, "k")((1,), (32,), (a,))
    counters = record.launches[0].counters
    assert (counters.load_requests, counters.load_sectors) == (1, sectors)


# What C++ finds ambiguous, or allows.

AMBIGUOUS = [
    "h + 1.0f", "h * 2", "h == 0", "f < h", "f += h", "n ? h : f", "h + b", "h = b", "min(h, h)",
    "abs(h)", "__hadd(h, 1.0f)", "h % h", "v + h", "v += h", "h << 1", "__match_any_sync(~0u, h)",
]  # fmt: skip
ALLOWED = [
    "h += 1.0f", "h *= 2", "h = 1", "f = h", "n = h", "h = f * (float)h", "f = fmaxf(f, h)",
    "h = sqrt(h)", "h = half(b)", "h++", "n = !h", "v = half2(1.0f, 2.0f)", "v.x += h", "b -= 3",
    "h = h > h ? h : h", "__shfl_down_sync(~0u, h, 1)", "__shfl_xor_sync(~0u, b, 1)",
    "h = __ldg(H)", "atomicAdd(H, h)", "h = __hmax(h, h)", "n = __hadd(n, n)",
    "*(unsigned *)&v = 3", "v = __floats2half2_rn(f, f)", "f = __low2float(v)",
]  # fmt: skip


def program(statement: str) -> str:
    return f"""{HEADERS}__global__ void k(half *H, half2 *V, __nv_bfloat16 *B, float *F, int n) {{
      half h = H[0]; half2 v = V[0]; __nv_bfloat16 b = B[0]; float f = F[0];
      {statement}; H[0] = h; V[0] = v; B[0] = b; F[0] = f + n; }}"""


def accepted_by_nvrtc(text: str) -> bool:
    try:
        nvrtc.compile_text(text, "kernel.cu", Path("."))
    except RuntimeError:
        return False
    return True


@pytest.mark.parametrize("statement", AMBIGUOUS)
def test_what_is_ambiguous_is_refused(statement: str) -> None:
    with pytest.raises(simulator.CompileError):
        simulator.RawModule(program(statement)).get_function("k")


@pytest.mark.parametrize("statement", ALLOWED)
def test_what_the_header_allows_runs(statement: str) -> None:
    kinds = ("float16", "float16", "uint16", "float32")
    arrays = [simulator.ones(8, kind) for kind in kinds]
    simulator.RawKernel(program(statement), "k")((1,), (32,), (*arrays, 1))


@pytest.mark.slow
@pytest.mark.skipif(nvrtc.load()[0] is None, reason="NVRTC is not installed")
@pytest.mark.parametrize("statement", [*AMBIGUOUS, *ALLOWED])
def test_cuda_says_the_same(statement: str) -> None:
    assert accepted_by_nvrtc(program(statement)) == (statement in ALLOWED)


@pytest.mark.gpu
@pytest.mark.parametrize("name", FORMS)
def test_functions_are_those_of_a_gpu(name: str) -> None:
    """Operators and conversions bit for bit, but for NaN; others are counted where they differ."""
    cupy = pytest.importorskip("cupy")
    if not cupy.cuda.is_available():
        pytest.skip("there is no GPU")
    columns = [np.asarray(c) for c in operands(3, 11)]
    n = len(columns[0])
    texts = ["x + y", "x - y", "x * y", "x / y", "__hfma(x, y, z)", "__hmax(x, y)", "-x",
             "__hadd_sat(x, y)", "__hfma_relu(x, y, z)", "hsqrt(x)", "hrcp(x)"]  # fmt: skip
    for text in texts:
        code = f"""{HEADERS}extern "C" __global__ void k(const {name} *a, const {name} *b,
          const {name} *c, {name} *out, int n) {{
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) {{ {name} x = a[i], y = b[i], z = c[i]; out[i] = {text}; }} }}"""
        found = []
        for machine in (simulator, cupy):
            given = [machine.asarray(held(name, c)) for c in columns]
            out = machine.zeros(n, held(name, []).dtype)
            raw = machine.RawKernel(code, "k", options=("-fmad=false",))
            raw((-(-n // 256),), (256,), (*given, out, n))
            found.append(out.get().view(np.uint16))
        both_nan = np.isnan(numbers(name, found[0])) & np.isnan(numbers(name, found[1]))
        assert ((found[0] == found[1]) | both_nan).all(), text
