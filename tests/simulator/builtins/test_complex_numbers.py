"""Complex numbers, against exact arithmetic, Python's own functions, and NVIDIA's compiler."""

from __future__ import annotations

import cmath
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulator
from gpubfs.machines import nvrtc
from simulator.builtins import ROWS, Row
from simulator.builtins.overloads import Overloads

CU_COMPLEX, TEMPLATE = "cuComplex.h", "cupy/complex.cuh"
HEADERS = f"#include <{CU_COMPLEX}>\n#include <{TEMPLATE}>\n"
BROUGHT = [
    row
    for name in ROWS.values()
    for row in (name.rows if isinstance(name, Overloads) else (name,))
    if row.header in (CU_COMPLEX, TEMPLATE)
]
#: The dtypes of complex numbers and of their parts, and half a unit in the last place of 1.
PRECISIONS = {"float": ("c8", "f4", 2.0**-24), "double": ("c16", "f8", 2.0**-53)}


def call(row: Row) -> str:
    """Return a call in a block: the pointer says that the result has the very type."""
    names = [f"x{at}" for at in range(len(row.types.parameters))]
    declared = "".join(
        f"{parameter.type} {name} = {{}}; "
        for parameter, name in zip(row.types.parameters, names, strict=True)
    )
    sign = row.name.removeprefix("operator")
    if sign != row.name:
        text = f"{names[0]} {sign} {names[1]}" if len(names) == 2 else f"{sign}{names[0]}"
    else:
        text = f"{'thrust::' * (row.name == 'polar')}{row.name}({', '.join(names)})"
    return f"{{ {declared} auto result = {text}; {row.types.result} *same = &result; }}"


def kernel(rows: list[Row]) -> str:
    return f'{HEADERS}extern "C" __global__ void k() {{ {" ".join(map(call, rows))} }}'


def test_every_function_runs() -> None:
    for start in range(0, len(BROUGHT), 100):
        simulator.RawKernel(kernel(BROUGHT[start : start + 100]), "k")((1,), (2,), ())


def accepted_by_nvrtc(text: str) -> bool:
    cupy = pytest.importorskip("cupy")
    include = Path(cupy.__file__).parent / "_core" / "include"
    try:
        nvrtc.compile_text(text, "kernel.cu", Path("."), flags=(f"-I{include}",))
    except RuntimeError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.skipif(nvrtc.load()[0] is None, reason="NVRTC is not installed")
def test_every_function_is_one_of_the_headers() -> None:
    assert accepted_by_nvrtc(kernel(BROUGHT))


# Values.


@cache
def compiled(part: str, result: str, text: str) -> Any:
    """Compile an expression of complex numbers `z`, `w` and real numbers `x`, `y`."""
    code = f"""{HEADERS}extern "C" __global__ void k(const complex<{part}> *a,
      const complex<{part}> *b, {result} *out) {{
      int i = threadIdx.x; complex<{part}> z = a[i], w = b[i]; {part} x = w.real(), y = w.imag();
      out[i] = {text}; }}"""
    return simulator.RawKernel(code, "k")


def computed(part: str, result: str, text: str, z: Any, w: Any) -> Any:
    """Compute it for each pair of numbers."""
    number, real, _ = PRECISIONS[part]
    kind = {"complex": number, "real": real, "bool": "?"}[result]
    written = {"complex": f"complex<{part}>", "real": part}.get(result, result)
    out = simulator.zeros(len(z), kind)
    given = [simulator.asarray(np.asarray(one, number)) for one in (z, w)]
    compiled(part, written, text)((1,), (len(z),), (*given, out))
    return out.get()


def drawn(part: str, seed: int, n: int = 512) -> Any:
    """Draw numbers of all directions and of sizes from 1/8 to 8."""
    rng = np.random.default_rng(seed)
    size = 2.0 ** rng.uniform(-3, 3, n)
    return (size * np.exp(2j * np.pi * rng.uniform(size=n))).astype(PRECISIONS[part][0])


Exact = tuple[Fraction, Fraction]


def exact(z: complex) -> Exact:
    return Fraction(float(z.real)), Fraction(float(z.imag))


def product(z: Exact, w: Exact) -> Exact:
    return z[0] * w[0] - z[1] * w[1], z[0] * w[1] + z[1] * w[0]


def quotient(z: Exact, w: Exact) -> Exact:
    size = w[0] ** 2 + w[1] ** 2
    found = product(z, (w[0], -w[1]))
    return found[0] / size, found[1] / size


#: What operators are, and how many roundings lie between a result and its bound of one each.
#: A sum is rounded once. Each part of a product is rounded twice on the way of each of its terms,
#: which together are no larger than √2 |z||w|. A quotient has two scales of three roundings each,
#: on which all of a product's follow.
OPERATORS: dict[str, tuple[Callable[[Exact, Exact], Exact], int]] = {
    "z + w": (lambda z, w: (z[0] + w[0], z[1] + w[1]), 1),
    "z - w": (lambda z, w: (z[0] - w[0], z[1] - w[1]), 1),
    "z * w": (product, 3),
    "z / w": (quotient, 16),
    "z + x": (lambda z, w: (z[0] + w[0], z[1]), 1),
    "x - z": (lambda z, w: (w[0] - z[0], -z[1]), 1),
    "z * x": (lambda z, w: product(z, (w[0], Fraction())), 1),
    "x / z": (lambda z, w: quotient((w[0], Fraction()), z), 16),
    "z / x": (lambda z, w: quotient(z, (w[0], Fraction())), 1),
    "-z": (lambda z, w: (-z[0], -z[1]), 0),
    "conj(z)": (lambda z, w: (z[0], -z[1]), 0),
}


@pytest.mark.parametrize("part", PRECISIONS)
@pytest.mark.parametrize("text", OPERATORS)
def test_operators_are_near_what_is_exact(part: str, text: str) -> None:
    z, w = drawn(part, 1, 128), drawn(part, 2, 128)
    function, roundings = OPERATORS[text]
    unit = PRECISIONS[part][2]
    for one, other, found in zip(z, w, computed(part, "complex", text, z, w), strict=True):
        wanted = function(exact(one), exact(other))
        error = complex(*(float(a - b) for a, b in zip(exact(found), wanted, strict=True)))
        assert abs(error) <= roundings * unit * 1.001 * abs(complex(*map(float, wanted)))


@pytest.mark.parametrize("part", PRECISIONS)
def test_cucomplex_computes_as_the_template_does(part: str) -> None:
    """Only multiplication with addition is a function of its own there."""
    z, w = drawn(part, 3), drawn(part, 4)
    word, suffix = ("Float", "f") if part == "float" else ("Double", "")
    cu, kind = f"cu{word}Complex", PRECISIONS[part][0]
    for name, sign in {"add": "+", "sub": "-", "mul": "*", "div": "/"}.items():
        text = f"*(complex<{part}> *)&v"
        code = f"""{HEADERS}extern "C" __global__ void k(const {cu} *a, const {cu} *b, {cu} *out,
          {part} *size) {{ int i = threadIdx.x; {cu} v = cuC{name}{suffix}(a[i], b[i]);
          out[i] = make_{cu}(cuCreal{suffix}(v), v.y); size[i] = cuCabs{suffix}(cuConj{suffix}(v));
          complex<{part}> t = {text}; if (t.real() != v.x) __trap(); }}"""
        out, size = simulator.zeros(len(z), kind), simulator.zeros(len(z), PRECISIONS[part][1])
        given = [simulator.asarray(one) for one in (z, w)]
        simulator.RawKernel(code, "k")((1,), (len(z),), (*given, out, size))
        np.testing.assert_array_equal(out.get(), computed(part, "complex", f"z {sign} w", z, w))
        np.testing.assert_allclose(size.get(), np.abs(out.get()), rtol=4 * PRECISIONS[part][2])


def test_cucomplex_converts_and_fuses() -> None:
    code = f"""#include <{CU_COMPLEX}>
    extern "C" __global__ void k(cuComplex *a, cuDoubleComplex *b, cuComplex s) {{
      int i = threadIdx.x; cuDoubleComplex v = cuComplexFloatToDouble(a[i]);
      b[i] = cuCfma(v, v, make_cuDoubleComplex(1.0, 0.1));
      a[i] = cuCfmaf(s, cuComplexDoubleToFloat(b[i]), make_cuComplex(0, 1)); }}"""
    z = drawn("float", 5, 32)
    a, b = simulator.asarray(z), simulator.zeros(32, "complex128")
    simulator.RawKernel(code, "k")((1,), (32,), (a, b, np.complex64(2)))
    wide = z.astype("c16")
    np.testing.assert_allclose(b.get(), wide * wide + (1 + 0.1j), rtol=0, atol=70 * 8 * 2**-53)
    np.testing.assert_array_equal(a.get(), 2 * b.get().astype("c8") + np.complex64(1j))


#: Of doubles NumPy's and Python's functions may differ by some units in the last place, more so
#: where cancellation within makes small parts. Floats are those of doubles, rounded.
FUNCTIONS: dict[str, Callable[[complex], complex]] = {
    "exp(z)": cmath.exp, "log(z)": cmath.log, "log10(z)": cmath.log10, "sqrt(z)": cmath.sqrt,
    "sin(z)": cmath.sin, "cos(z)": cmath.cos, "tan(z)": cmath.tan, "sinh(z)": cmath.sinh,
    "cosh(z)": cmath.cosh, "tanh(z)": cmath.tanh, "asin(z)": cmath.asin, "acos(z)": cmath.acos,
    "atan(z)": cmath.atan, "asinh(z)": cmath.asinh, "acosh(z)": cmath.acosh,
    "atanh(z)": cmath.atanh, "log2(z)": lambda z: cmath.log(z) / cmath.log(2),
    "log1p(z)": lambda z: cmath.log(1 + z), "expm1(z)": lambda z: cmath.exp(z) - 1,
    "rint(z)": lambda z: complex(round(z.real), round(z.imag)),
    "thrust::polar(abs(z), arg(z))": lambda z: z,
    "complex<float>(complex<double>(z))": lambda z: complex(np.complex64(z)),
}  # fmt: skip
REAL: dict[str, Callable[[complex], float]] = {
    "abs(z)": abs,
    "arg(z)": cmath.phase,
    "norm(z)": lambda z: abs(z) ** 2,
    "real(z)": lambda z: z.real,
    "imag(z)": lambda z: z.imag,
}


@pytest.mark.parametrize("part", PRECISIONS)
@pytest.mark.parametrize("text", FUNCTIONS)
def test_functions_are_pythons(part: str, text: str) -> None:
    z = drawn(part, 6)
    wanted = np.array([FUNCTIONS[text](complex(one)) for one in z])
    found = computed(part, "complex", text, z, z)
    unit = PRECISIONS[part][2]
    assert (np.abs(found - wanted) <= 16 * unit * np.maximum(np.abs(wanted), 1)).all()


@pytest.mark.parametrize("part", PRECISIONS)
@pytest.mark.parametrize("text", REAL)
def test_functions_of_parts_are_pythons(part: str, text: str) -> None:
    z = drawn(part, 7)
    wanted = [REAL[text](complex(one)) for one in z]
    np.testing.assert_allclose(
        computed(part, "real", text, z, z), wanted, rtol=6 * PRECISIONS[part][2]
    )


@pytest.mark.parametrize("part", PRECISIONS)
@pytest.mark.parametrize("text", ["pow(z, w)", "pow(z, x)", "pow(thrust::abs(z), w)"])
def test_powers(part: str, text: str) -> None:
    """An error of the logarithm grows with the exponent: both are below 8."""
    z, w = drawn(part, 8), drawn(part, 9)
    base = np.abs(z) if "abs" in text else z
    exponent = w.real if ", x" in text else w
    pairs = zip(base.astype("c16"), exponent.astype("c16"), strict=True)
    wanted = np.array([complex(a) ** complex(b) for a, b in pairs])
    found = computed(part, "complex", text, z, w)
    np.testing.assert_allclose(found, wanted, rtol=64 * 8 * PRECISIONS[part][2])


def test_powers_of_two_precisions_are_of_doubles() -> None:
    z = drawn("float", 10)
    code = f"""#include <{TEMPLATE}>
    extern "C" __global__ void k(const complex<float> *a, complex<double> *out) {{
      out[threadIdx.x] = pow(a[threadIdx.x], 2.0); }}"""
    out = simulator.zeros(len(z), "c16")
    simulator.RawKernel(code, "k")((1,), (len(z),), (simulator.asarray(z), out))
    np.testing.assert_allclose(out.get(), z.astype("c16") ** 2, rtol=64 * 2.0**-53)


numbers = st.complex_numbers(max_magnitude=1e3, allow_nan=False)
lists = st.lists(st.tuples(numbers, numbers), min_size=1, max_size=16)


@given(lists)
def test_laws_that_rounding_keeps(pairs: list[tuple[complex, complex]]) -> None:
    """Sums and products commute; conjugation goes through them; a number equals itself."""
    z, w = zip(*pairs, strict=True)
    for text in (
        "z + w == w + z",
        "z * w == w * z",
        "conj(z * w) == conj(z) * conj(w)",
        "z - w == z + -w",
        "z == z && !(z != z) && z <= z && z >= z",
        "z < w ? !(w < z) && w > z : z >= w",
        "min(z, w) <= max(z, w)",
        "norm(z) == (z * conj(z)).real() || norm(z) < 1e-300",
        "(z == w) == (z.real() == w.real() && z.imag() == w.imag())",
        "z + x == z + complex<double>(x) && (z == x) == (z == complex<double>(x, 0))",
        "complex<double>(x, y) == w && real(z) == z.real()",
    ):
        assert computed("double", "bool", text, z, w).all(), text


def test_infinities_and_nan() -> None:
    z = np.array([np.inf, complex(1, np.nan), 1 + 1j, complex(0, -np.inf)])
    w = np.full(4, 2.0)
    assert computed("double", "bool", "isnan(z)", z, w).tolist() == [False, True, False, False]
    assert computed("double", "bool", "isinf(z)", z, w).tolist() == [True, False, False, True]
    assert computed("double", "bool", "isfinite(z)", z, w).tolist() == [False, False, True, False]
    assert computed("double", "complex", "z * x", z, w)[0] == complex(np.inf, 0)
    assert computed("double", "real", "abs(z)", z, w)[[0, 3]].tolist() == [np.inf, np.inf]
    tiny = np.full(4, 1e-160 + 1e-160j)
    assert (computed("double", "real", "norm(z)", tiny, w) > 0).all()


# The type in programs.

PROGRAM = f"""#include <{TEMPLATE}>
template <typename T> __device__ complex<T> square(complex<T> z) {{ return z * z; }}
template <typename T> __device__ T twice(T z) {{ return z + z; }}
__device__ complex<float> file[2] = {{1, {{2, 3}}}};
template <typename T> __global__ void k(complex<T> *a, complex<T> s, double *out) {{
  __shared__ complex<T> shared[32];
  int i = threadIdx.x;
  complex<T> z = a[i], w(1, 2), zero, list[2] = {{1, z}};
  thrust::complex<T> v{{T(3)}};
  zero = 0;
  shared[i] = z;
  __syncthreads();
  z = shared[31 - i] * s;
  z += 2; z -= w; z *= v; z /= T(2);
  z = i % 2 ? z : 0;
  z = z + square(list[1]) + twice(list[0]) + complex<T>(file[1]) + zero;
  a[i].real(z.imag());
  (&a[i])->imag(z.real());
  out[i] = (a + i)->real() + static_cast<complex<double>>(a[i]).imag();
}}"""


@pytest.mark.parametrize("part", PRECISIONS)
def test_the_type_in_a_program(part: str) -> None:
    kind, _, unit = PRECISIONS[part]
    z = drawn(part, 11, 32)
    module = simulator.RawModule(code=PROGRAM, name_expressions=[f"k<{part}>"])
    a, out = simulator.asarray(z), simulator.zeros(32)
    s = np.dtype(kind).type(2 - 1j)
    module.get_function(f"k<{part}>")((1,), (32,), (a, s, out))
    wide = z.astype("c16")
    chosen = np.where(np.arange(32) % 2, (wide[::-1] * (2 - 1j) + 2 - (1 + 2j)) * 3 / 2, 0)
    wanted = chosen + wide * wide + 2 + (2 + 3j)
    got = a.get()
    np.testing.assert_allclose(got.imag + 1j * got.real, wanted, rtol=0, atol=1000 * unit)
    np.testing.assert_allclose(out.get(), got.real.astype("f8") + got.imag)


@pytest.mark.parametrize(("part", "sectors"), [("float", 8), ("double", 16)])
def test_a_load_is_one_access(part: str, sectors: int) -> None:
    code = f"""#include <{TEMPLATE}>
    extern "C" __global__ void k(complex<{part}> *a) {{
      complex<{part}> z = a[threadIdx.x]; a[threadIdx.x] = z + z; }}"""
    a = simulator.zeros(32, PRECISIONS[part][0])
    with simulator.counting() as record:
        simulator.RawKernel(code, "k")((1,), (32,), (a,))
    counters = record.launches[0].counters
    assert (counters.load_requests, counters.load_sectors) == (1, sectors)
    assert (counters.store_requests, counters.store_sectors) == (1, sectors)


def test_arrays_of_the_other_precision_are_refused() -> None:
    code = f'#include <{TEMPLATE}>\nextern "C" __global__ void k(complex<float> *a, float *b) {{ }}'
    launch = simulator.RawKernel(code, "k")
    single, double = simulator.zeros(4, "c8"), simulator.zeros(4, "c16")
    with pytest.raises(simulator.LaunchError, match="complex128"):
        launch((1,), (1,), (double, simulator.zeros(4, "f4")))
    with pytest.raises(simulator.LaunchError, match="complex64"):
        launch((1,), (1,), (single, single))


# What C++ takes, and what not: templates convert nothing, constructors and assignments do.

REFUSED = [
    "z * 2", "z * 2.0", "z == 0", "d * z", "d * f", "1 + z", "f = z", "z % z", "z++", "!z",
    "z ? 1 : 2", "n ? z : d", "z.real", "z.x", "z.real() = 1", "z.real(1, 2)", "z.foo()",
    "z = pow(z, 2)", "d = pow(z, d)", "f = norm(f)", "z = conj(f)", "z = ~z", "z = v", "z && n",
    "f = fabs(z)", "z = __ldg(Z)", "atomicAdd(Z, z)", "z = __shfl_down_sync(~0u, z, 1)", "z == d",
]  # fmt: skip
ALLOWED = [
    "z * 2.0f", "2.0f * z", "z == 0.0f", "z += 2", "z *= 2.0", "z = d", "d = z", "z = n", "z -= d",
    "z < z", "n ? z : 1.0f", "d = pow(d, 2)", "d = pow(z, 2.0)", "z = exp(f)", "n = abs(n)",
    "z = {1, 2}", "z = complex<float>(n, f)", "z = complex<float>(d)", "z = complex<float>{1, 2}",
    "z = (complex<float>)f", "z = static_cast<complex<float>>(d)", "z = thrust::exp(z)", "z = h",
    "Z->real(2)", "(*Z).imag(f)", "const complex<float> c(1, 0); z = c * z", "z *= z = z",
    "f = real(z) + imag(z)", "z = thrust::complex<float>(1)", "auto y = z.real(); f = y",
    "float *p = (float *)Z; f = p[1]", "n = sizeof(complex<double>)", "f = thrust::abs(z)",
    "z = +z", "z = isnan(f) ? z : 1", "f = pow(f, 2)", "z = complex<float>()", "d = f",
]  # fmt: skip


def program(statement: str) -> str:
    return f"""{HEADERS}#include <cuda_fp16.h>
    extern "C" __global__ void k(complex<float> *Z, complex<double> *D, float *F, int n, half h,
                                 float2 v) {{
      complex<float> z = Z[0]; complex<double> d = D[0]; float f = F[0];
      {statement}; Z[0] = z; D[0] = d; F[0] = f + n; }}"""


@pytest.mark.parametrize("statement", REFUSED)
def test_what_templates_do_not_take_is_refused(statement: str) -> None:
    with pytest.raises(simulator.CompileError):
        simulator.RawModule(program(statement)).get_function("k")


@pytest.mark.parametrize("statement", ALLOWED)
def test_what_the_headers_allow_runs(statement: str) -> None:
    given = [simulator.ones(4, kind) for kind in ("c8", "c16", "f4")]
    values = (1, np.float16(2), np.complex64(3))
    simulator.RawKernel(program(statement), "k")((1,), (2,), (*given, *values))


@pytest.mark.slow
@pytest.mark.skipif(nvrtc.load()[0] is None, reason="NVRTC is not installed")
@pytest.mark.parametrize("statement", [*REFUSED, *ALLOWED])
def test_cuda_says_the_same(statement: str) -> None:
    assert accepted_by_nvrtc(program(statement)) == (statement in ALLOWED)


def test_messages_say_what_to_write() -> None:
    hints = {
        "z * 2": "convert `2`: `float(…)`",
        "d * z": "convert `z`: `complex<double>(…)`",
        "z.x": "its parts are functions: write `.real()`",
        "complex<int> q": "write `complex<float>` or `complex<double>`",
    }
    for statement, hint in hints.items():
        with pytest.raises(simulator.CompileError) as caught:
            simulator.RawModule(program(statement)).get_function("k")
        assert caught.value.hint == hint


def test_names_of_functions_are_a_programs_own_without_the_header() -> None:
    code = """__device__ float norm(float x) { return x < 0 ? -x : x; }
    __device__ float conj(float x) { return 2 * x; }
    extern "C" __global__ void k(float *a, int real) { int arg = 1; a[0] = norm(conj(a[0])); }"""
    a = simulator.asarray(np.array([-3], "f4"))
    simulator.RawKernel(code, "k")((1,), (1,), (a, 1))
    assert a.get().tolist() == [6]


@pytest.mark.gpu
@pytest.mark.parametrize("part", PRECISIONS)
def test_operators_are_those_of_a_gpu(part: str) -> None:
    """Operators bit for bit; functions to some units in the last place."""
    cupy = pytest.importorskip("cupy")
    if not cupy.cuda.is_available():
        pytest.skip("there is no GPU")
    z, w = drawn(part, 12), drawn(part, 13)
    for text in (*OPERATORS, *FUNCTIONS, "pow(z, w)"):
        found: list[Any] = []
        for machine in (simulator, cupy):
            code = f"""{HEADERS}extern "C" __global__ void k(const complex<{part}> *a,
              const complex<{part}> *b, complex<{part}> *out) {{ int i = threadIdx.x;
              complex<{part}> z = a[i], w = b[i]; {part} x = w.real(); out[i] = {text}; }}"""
            out = machine.zeros(len(z), PRECISIONS[part][0])
            raw = machine.RawKernel(code, "k", options=("-fmad=false",))
            raw((1,), (len(z),), (machine.asarray(z), machine.asarray(w), out))
            found.append(out.get())
        if text in OPERATORS:
            np.testing.assert_array_equal(found[0], found[1], err_msg=text)
        else:
            rtol = (512 if "pow" in text else 32) * PRECISIONS[part][2]
            np.testing.assert_allclose(found[0], found[1], rtol=rtol, atol=rtol, err_msg=text)
