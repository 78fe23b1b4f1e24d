"""Parts of C++'s library that are texts of the simulator's own: arrays, limits, pairs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import simulator
from gpubfs.machines import nvrtc
from tests.simulator.launching import run, source

HEADERS = "".join(f"#include <cuda/std/{name}>\n" for name in ("array", "limits", "utility"))
LIMITS = {
    **{"char": "i1", "signed char": "i1", "unsigned char": "u1", "short": "i2", "int": "i4"},
    **{"unsigned short": "u2", "unsigned": "u4", "long": "i8", "unsigned long": "u8"},
    **{"long long": "i8", "unsigned long long": "u8", "float": "f4", "double": "f8"},
}
#: Statements, and the numbers that they leave in `a`.
CASES = {
    "cuda::std::array<int, 3> x = {4, 5, 6}; for (int v : x) a[0] += v; a[1] = x.size();": [15, 3],
    "cuda::std::array<int, 3> x{{1, 2, 3}}; x[1] = 9; a[0] = x[1] + x.front() + x.back();": [13],
    "cuda::std::array<int, 2> x{7, 8}, y = x; a[0] = x == y; y.fill(3); a[1] = y[1] + (x != y);": [
        *(1, 4)
    ],
    "cuda::std::array<cuda::std::array<int, 2>, 2> m = {{{1, 2}, {3, 4}}}; a[0] = m[1][0];": [3],
    "__shared__ cuda::std::array<int, 4> s; s[2] = 6; int *p = s.data(); a[0] = p[2];": [6],
    "int x = 1, y = 2; cuda::std::swap(x, y); a[0] = x; a[1] = cuda::std::exchange(y, 5) + y;": [
        *(2, 6)
    ],
    "cuda::std::pair<int, float> p = cuda::std::make_pair(3, 2.5f); a[0] = p.first;"
    " a[1] = p.second * 2;": [3, 5],
    "cuda::std::pair<int, int> p{1, 2}, q(1, 3); a[0] = p < q; a[1] = p == q; a[2] = q < p;": [1],
    "int x = 4; int y = cuda::std::move(x); a[0] = y;": [4],
}


def kernel(body: str, parameters: str = "int *a") -> str:
    return source(parameters, body, HEADERS)


@pytest.mark.parametrize("body", CASES)
def test_what_they_do(body: str) -> None:
    found = run(kernel(body), np.zeros(3, "i4"), block=1).arrays[0]
    assert found.tolist() == (CASES[body] + [0, 0])[:3]


@pytest.mark.parametrize("ctype", LIMITS)
def test_limits_are_those_of_numpy(ctype: str) -> None:
    dtype = np.dtype(LIMITS[ctype])
    body = f"""using L = cuda::std::numeric_limits<{ctype}>; a[0] = L::max(); a[1] = L::lowest();
      a[2] = L::epsilon(); b[0] = L::is_signed; b[1] = L::is_integer;"""
    if dtype.kind == "f":
        body += "a[3] = L::infinity(); a[4] = L::min(); a[5] = L::denorm_min();"
        body += "a[6] = L::quiet_NaN();"
    text = kernel(body, f"{ctype} *a, int *b")
    found, facts = run(text, np.zeros(7, dtype), np.zeros(2, "i4"), block=1).arrays
    assert facts.tolist() == [dtype.kind != "u", dtype.kind != "f"]
    if dtype.kind == "f":
        info = np.finfo(dtype)
        assert found[:3].tolist() == [info.max, info.min, info.eps]
        assert found[3:6].tolist() == [np.inf, info.tiny, info.smallest_subnormal]
        assert np.isnan(found[6])
    else:
        assert found[:3].tolist() == [np.iinfo(dtype).max, np.iinfo(dtype).min, 0]


def test_limits_of_a_parameter_of_a_template() -> None:
    functions = """template <typename T> __device__ T largest(const T *x, int n) {
      T best = std::numeric_limits<T>::lowest();
      for (int i = 0; i < n; i++) best = x[i] > best ? x[i] : best; return best; }"""
    text = source("float *a, float *out", "out[0] = largest(a, 3);", f"{HEADERS}{functions}")
    arrays = np.array([-5, -3, -9], "f4"), np.zeros(1, "f4")
    assert run(text, *arrays, block=1).arrays[1].tolist() == [-3]


def test_functions_that_are_constexpr_may_return_references() -> None:
    functions = """struct Row { int v[2]; __device__ constexpr int &at(int i) { return v[i]; } };"""
    text = source("int *a", "Row r = {{1, 2}}; r.at(1) = 5; a[0] = r.at(1);", functions)
    assert run(text, np.zeros(1, "i4"), block=1).arrays[0].tolist() == [5]


@pytest.mark.parametrize("header", ["array", "limits", "utility"])
def test_headers_without_a_namespace_in_front(header: str) -> None:
    use = {
        "array": "std::array<int, 1> x{3}; a[0] = x[0];",
        "limits": "a[0] = std::numeric_limits<bool>::max() + 2;",
        "utility": "int x = 3; a[0] = std::move(x);",
    }[header]
    text = source("int *a", use, f"#include <{header}>")
    assert run(text, np.zeros(1, "i4"), block=1).arrays[0].tolist() == [3]


@pytest.mark.skipif(nvrtc.load()[0] is None, reason=nvrtc.load()[1])
def test_nvidias_compiler_takes_what_is_tested(tmp_path: Path) -> None:
    text = kernel("\n".join(f"{{ {body} }}" for body in CASES))
    nvrtc.compile_text(text, "library.cu", tmp_path)


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(simulator.CompileError, match="no constant `radix10`"):
        simulator.RawModule(kernel("a[0] = cuda::std::numeric_limits<int>::radix10;"))
