"""Small programs that the simulator once had wrong, found by comparison with a C++ compiler."""

from __future__ import annotations

import numpy as np
import pytest

import simulator

KERNEL = """
{functions}
extern "C" __global__ void k(const int *in, float *out, int n) {{
    int i = threadIdx.x, v = in[i];
    {body}
}}
"""


def results(body: str, functions: str = "") -> list[float]:
    """What threads 0 to 3 store, `v` being 0 to 3 and `n` 4."""
    out = simulator.zeros(4, "float32")
    text = KERNEL.format(functions=functions, body=body)
    simulator.RawKernel(text, "k")((1,), (4,), (simulator.arange(4, dtype="int32"), out, 4))
    return [float(value) for value in out.get()]


def test_a_loop_may_end_with_continue() -> None:
    body = "int c = 0; for (int j = 0; j < n; j++) { c += j; if (v > j) continue; } out[i] = c;"
    assert results(body) == [6.0] * 4


@pytest.mark.parametrize(
    "call", ["v * 10 + early(v)", "v * 10 + early(v) + v - v", "(v *= 10, v + early(v / 10))"]
)
def test_values_outlive_a_call_from_which_threads_return_at_different_times(call: str) -> None:
    early = (
        "__device__ int early(int x) { if (x > 1) return 1; x++; if (x > 1) return 2; return 3; }"
    )
    assert results(f"out[i] = {call};", early) == [3.0, 12.0, 21.0, 31.0]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int a[2] = {7, 7}; int j = 0; a[j] = j++; out[i] = a[0] * 10 + a[1];", 70.0),
        ("int a[2] = {7, 7}; int j = 0; a[j] += (j = 1) + 4; out[i] = a[0] * 100 + a[1];", 712.0),
        ("int j = 3; j += (j = 5); out[i] = j;", 10.0),
        ("int j = 1; j = j++ + 2; out[i] = j;", 3.0),
    ],
)
def test_the_right_side_of_an_assignment_comes_first(body: str, expected: float) -> None:
    assert results(body) == [expected] * 4


def test_references_to_what_a_moving_pointer_points_to() -> None:
    functions = "__device__ void twice(float &x) { x *= 2; }"
    body = "float a[2] = {1, 2}; float *p = a; p += v & 1; twice(*p); out[i] = a[0] * 10 + a[1];"
    assert results(body, functions) == [22.0, 14.0, 22.0, 14.0]


@pytest.mark.parametrize(
    "text", ["~(52776ull << 36)", "(1ll << 60) + (1ll << 36) + 1", "-((1l << 60) + (1l << 36) + 1)"]
)
def test_constant_integers_are_rounded_to_float_once(text: str) -> None:
    value = eval(text.replace("ull", "").replace("ll", "").replace("l", ""))
    (expected,) = np.array([value % 2**64 if "ull" in text else value]).astype(np.float32)
    assert results(f"out[i] = {text};") == [float(expected)] * 4


def test_signs_of_large_float_constants() -> None:
    assert results("const float big = 1e20f; out[i] = -big;") == [-float(np.float32(1e20))] * 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(unsigned)-1.5f", 0.0),
        ("(unsigned char)300.7f", 44.0),
        ("(signed char)-1e10", 0.0),
        ("(unsigned short)(v - 2.5f)", 0.0),
        ("min(0.0f / 0.0f, 5.0f)", 5.0),
        ("1 / round(-0.25f)", -float("inf")),
        ("1 / fmax(0.0f, -0.0f)", float("inf")),
    ],
)
def test_conversions_and_functions_of_floats(text: str, expected: float) -> None:
    assert results(f"out[i] = {text};")[0] == expected
