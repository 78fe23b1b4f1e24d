"""Promises to the compiler: they change nothing, and a broken one is a fault."""

from __future__ import annotations

import numpy as np
import pytest

from simulator import CompileError
from tests.simulator.launching import fault, run, source


def test_promises_change_nothing() -> None:
    body = """int i = threadIdx.x;
    __builtin_assume(n > 0);
    const float4 *v = (const float4 *)__builtin_assume_aligned(x, 16);
    if (__builtin_expect(i < n / 4, 1)) y[i] = v[i].x + v[i].w;
    switch (i & 3) {
      case 0: case 1: case 2: case 3: break;
      default: __builtin_unreachable();
    }"""
    x = np.arange(32, dtype="float32")
    ran = run(source("const float *x, float *y, int n", body), x, np.zeros(8, "float32"), 32)
    assert ran.arrays[1].tolist() == [float(8 * i + 3) for i in range(8)]


def test_the_value_is_the_first_and_long() -> None:
    text = source(
        "long *a", "a[0] = __builtin_expect(a[1], a[0]++); a[1] = sizeof(__builtin_expect(1, 0));"
    )
    assert run(text, np.array([4, 7]), block=1).arrays[0].tolist() == [7, 8]


def test_what_is_unreachable_is_a_fault_where_it_is_reached() -> None:
    text = source("int *a", "if (a[threadIdx.x]) __builtin_unreachable();")
    assert run(text, np.zeros(32, "int32"))
    found = fault(text, np.eye(32, dtype="int32")[5])
    assert "__builtin_unreachable() was reached" in str(found)
    assert "thread (5, 0, 0)" in str(found)


def test_a_function_may_end_where_it_cannot_be_reached() -> None:
    functions = "__device__ int f(int x) { if (x < 9) return x; __builtin_unreachable(); }"
    text = source("int *a", "a[0] = f(3);", functions)
    assert run(text, np.zeros(1, "int32"), block=1).arrays[0][0] == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("__builtin_assume()", "takes 1 argument, not 0"),
        ("__builtin_assume_aligned(n, 16)", "needs a pointer first, not `int`"),
        ("__builtin_assume_aligned(a, 1.5)", "takes an integer, not `double`"),
        ("__assume(n)", "write __builtin_assume"),
    ],
)
def test_refused(call: str, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        run(source("int *a, int n", f"{call};"), np.zeros(1, "int32"), 1)
    assert message in str(caught.value)
