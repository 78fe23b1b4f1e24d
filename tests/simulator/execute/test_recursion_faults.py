"""What goes wrong in device functions that call themselves, and where it is reported."""

from __future__ import annotations

import re

import numpy as np
import pytest

import simulator
from simulator import CompileError
from tests.simulator.launching import fault, run, source


def test_recursion_without_end() -> None:
    functions = "__device__ int again(int n) {\n  if (n > 99) return 0;\n  return again(n & 7);\n}"
    found = fault(
        source("int *a", "a[threadIdx.x] = again(95 + threadIdx.x);", functions),
        np.zeros(8, "i4"),
        block=8,
    )
    assert "recursion deeper than 256 calls in `again`" in found.message
    assert "thread (0, 0, 0)" in found.message
    assert "1 KiB a thread" in found.hint
    assert "#####..." in found.hint
    assert found.span is not None
    assert found.span.line == 3


def test_256_calls_are_fine() -> None:
    functions = "__device__ int count(int n) { return n == 1 ? 1 : 1 + count(n - 1); }"
    deep = source("int *a", "a[0] = count(256);", functions)
    assert run(deep, np.zeros(1, "i4"), block=1).arrays[0].tolist() == [256]
    found = fault(source("int *a", "a[0] = count(257);", functions), np.zeros(1, "i4"), block=1)
    assert "deeper than 256" in found.message


def test_a_fault_inside_names_the_innermost_line_and_thread() -> None:
    functions = """__device__ int down(const int *a, int i) {
      int mine[2] = {0, 1};
      if (i < 0) return 0;
      return a[i] / mine[1 - (i == 3)] + down(a, i - 1);
    }"""
    text = source("const int *a, int *out", "out[threadIdx.x] = down(a, threadIdx.x);", functions)
    found = fault(text, np.ones(8, "i4"), np.zeros(8, "i4"), block=6)
    assert "integer division by zero" in found.message
    assert re.search(r"thread \([345], 0, 0\)", found.message)
    assert found.span is not None
    assert found.span.line == 4


@pytest.mark.parametrize(
    ("access", "message"),
    [
        ("mine[i - 9]", "reads mine[-8], but mine has 2 elements"),
        ("a[100000 * i]", "an address that lies in no allocation"),
        ("s[i + 9]", "reads s[10], but s has 4 elements"),
    ],
)
def test_out_of_bounds_inside(access: str, message: str) -> None:
    functions = f"""__device__ int down(const int *a, int i) {{
      __shared__ int s[4]; int mine[2] = {{0, 1}}; s[0] = 1; mine[1] = 2;
      return i == 1 ? {access} : down(a, i - 1);
    }}"""
    text = source("const int *a, int *out", "out[0] = down(a, 5);", functions)
    found = fault(text, np.ones(8, "i4"), np.zeros(8, "i4"), block=1)
    assert message in found.message
    assert found.span is not None
    assert found.span.line == 3


def test_what_cannot_be_passed_is_named() -> None:
    cases = {
        "__device__ int f(int x) { return f(x, 1); }": "`f` takes 1 argument, not 2",
        "__device__ int f(int x) { return x > 0 ? f(x - 1) : g(x); }": "`g` is not declared",
        "__device__ int g(int x); __device__ int f(int x) { return g(x); }": "not defined",
    }
    for functions, message in cases.items():
        with pytest.raises(CompileError) as caught:
            simulator.RawModule(code=functions)
        assert message in caught.value.message
