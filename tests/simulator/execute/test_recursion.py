"""Device functions that call themselves, against Python's own recursion."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulator
from simulator import Fault
from tests.simulator.launching import run, source


def results(functions: str, call: str, *inputs: Any, **more: Any) -> list[int]:
    """`call` for each thread, which finds its inputs in i0, i1, …"""
    n = len(inputs[0])
    names = [f"const int *in{at}" for at in range(len(inputs))]
    reads = "".join(f"int i{at} = in{at}[t]; " for at in range(len(inputs)))
    body = f"int t = threadIdx.x;\n{reads}\nout[t] = {call};"
    text = source(", ".join(["long long *out", *names]), body, functions)
    arrays = [np.array(values, "i4") for values in inputs]
    found = run(text, np.zeros(n, "i8"), *arrays, block=n, **more).arrays[0].tolist()
    assert isinstance(found, list)
    return found


FACTORIAL = "__device__ int fact(int n) { if (n <= 1) return 1; return n * fact(n - 1); }"
FIBONACCI = "__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }"
ACKERMANN = """__device__ int ack(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ack(m - 1, 1);
  return ack(m - 1, ack(m, n - 1));
}"""
PARITY = """__device__ bool odd(unsigned n);
__device__ bool even(unsigned n) { if (n == 0) return true; return odd(n - 1); }
__device__ bool odd(unsigned n) { return n == 0 ? false : even(n - 1); }"""


def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@cache
def ack(m: int, n: int) -> int:
    if m == 0:
        return n + 1
    return ack(m - 1, 1) if n == 0 else ack(m - 1, ack(m, n - 1))


@given(st.lists(st.integers(-3, 12), min_size=1, max_size=40))
def test_factorial_with_a_depth_of_its_own_in_each_lane(values: list[int]) -> None:
    expected = [int(np.prod(range(1, max(0, v) + 1))) for v in values]
    assert results(FACTORIAL, "fact(i0)", values) == expected


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40))
def test_fibonacci(values: list[int]) -> None:
    assert results(FIBONACCI, "fib(i0)", values) == [fib(v) for v in values]


def test_many_calls_let_counting_have_its_turn() -> None:
    text = source("int *out", "out[threadIdx.x] = fib(17);", FIBONACCI)
    ran = run(text, np.zeros(64, "i4"), block=64)
    assert set(ran.arrays[0].tolist()) == {fib(17)}
    assert ran.counters.warp_steps > 2 * fib(17)


def test_ackermann() -> None:
    pairs = [(m, n) for m in range(3) for n in range(4)]
    inputs = [[m for m, _ in pairs], [n for _, n in pairs]]
    assert results(ACKERMANN, "ack(i0, i1)", *inputs) == [ack(m, n) for m, n in pairs]


@given(st.lists(st.integers(0, 60), min_size=1, max_size=40))
def test_functions_that_call_each_other(values: list[int]) -> None:
    found = results(PARITY, "even(i0) + 2 * odd(i0)", values)
    assert found == [1 if v % 2 == 0 else 2 for v in values]


QUICKSORT = """
__device__ void swap(int &a, int &b) { int c = a; a = b; b = c; }
__device__ void sort(int *a, int low, int high) {
  if (low >= high) return;
  int pivot = a[(low + high) / 2], i = low, j = high;
  while (i <= j) {
    while (a[i] < pivot) i++;
    while (a[j] > pivot) j--;
    if (i <= j) { swap(a[i], a[j]); i++; j--; }
  }
  sort(a, low, j);
  sort(a, i, high);
}
"""


@given(
    st.lists(
        st.lists(st.integers(-9, 9), min_size=8, max_size=8),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from(["local", "global", "shared"]),
)
def test_quicksort_of_an_array_in_each_kind_of_memory(rows: list[list[int]], space: str) -> None:
    copies = "for (int i = 0; i < 8; i++) {}[i] = a[8 * t + i];"
    back = "for (int i = 0; i < 8; i++) a[8 * t + i] = {}[i];"
    body = {
        "local": f"int m[8]; {copies.format('m')} sort(m, 0, 7); {back.format('m')}",
        "global": "sort(a + 8 * t, 0, 7);",
        "shared": "__shared__ int s[64]; int *m = s + 8 * t; "
        f"{copies.format('m')} sort(m, 0, 7); {back.format('m')}",
    }[space]
    text = source("int *a", f"int t = threadIdx.x; {body}", QUICKSORT)
    found = run(text, np.array(rows, "i4").ravel(), block=len(rows)).arrays[0]
    assert found.reshape(-1, 8).tolist() == [sorted(row) for row in rows]


def test_each_call_has_arrays_of_its_own() -> None:
    functions = """__device__ int sums(int n) {
      int mine[3] = {n, 10 * n, 100 * n};
      int deeper = n > 0 ? sums(n - 1) : 0;
      return deeper + mine[0] + mine[1] + mine[2];
    }"""
    values = [0, 3, 1, 5, 2]
    assert results(functions, "sums(i0)", values) == [111 * v * (v + 1) // 2 for v in values]


def test_local_arrays_begin_with_nonsense_at_each_call() -> None:
    functions = """__device__ int stale(int n) {
      int mine[1]; int old = mine[0]; mine[0] = 7;
      return n == 0 ? old : stale(n - 1);
    }"""
    nonsense = int(np.int32(np.uint32(0xA5A5A5A5)))
    assert results(functions, "stale(i0) + 0 * stale(i0) + (stale(0) - stale(1))", [0, 2]) == [
        nonsense,
        nonsense,
    ]


def test_references_reach_the_variables_of_the_caller() -> None:
    functions = """
    __device__ void count(int n, int &calls, int *deepest, int level) {
      calls++;
      if (level > *deepest) *deepest = level;
      for (int i = 0; i < n; i++) count(n - 1, calls, deepest, level + 1);
    }
    __device__ void twice(int n, int &calls, int *deepest) {
      count(n, calls, deepest, 0); count(n, calls, deepest, 0);
    }
    __device__ int both(int n) { int calls = 0, deepest = -1; twice(n, calls, &deepest);
      return 100 * calls + deepest; }
    """

    def calls(n: int) -> int:
        return 1 + n * calls(n - 1) if n else 1

    values = [0, 1, 2, 3, 4]
    assert results(functions, "both(i0)", values) == [200 * calls(v) + v for v in values]


def test_references_to_pointers_and_structures() -> None:
    functions = """
    __device__ void walk(const int *&at, int2 &seen, int n) {
      if (n == 0) return;
      seen.x += *at; seen.y++; at++;
      walk(at, seen, n - 1);
    }"""
    body = """
      const int *p = a + threadIdx.x; int2 seen = make_int2(0, 0);
      walk(p, seen, threadIdx.x);
      out[threadIdx.x] = seen.x * 1000 + seen.y * 10 + (int)(p - a - threadIdx.x);
    """
    text = source("const int *a, int *out", body, functions)
    found = run(text, np.arange(20, dtype="i4"), np.zeros(6, "i4"), block=6).arrays[1]
    expected = [1000 * sum(range(t, 2 * t)) + 10 * t + t for t in range(6)]
    assert found.tolist() == expected


def test_references_to_elements_of_arrays() -> None:
    functions = """
    __device__ void halve(int &x, int &steps) { if (x <= 1) return; x /= 2; steps++;
      halve(x, steps); }
    """
    body = """
      __shared__ int s[8]; int mine[2] = {0, 0}; int t = threadIdx.x;
      s[t] = a[t];
      halve(a[t], mine[1]);
      halve(s[t], mine[0]);
      out[t] = 10000 * mine[1] + 100 * mine[0] + 10 * a[t] + s[t];
    """
    text = source("int *a, int *out", body, functions)
    found = run(text, np.arange(8, dtype="i4"), np.zeros(8, "i4"), block=8).arrays[1]
    steps = [max(0, n.bit_length() - 1) for n in range(8)]
    assert found.tolist() == [10100 * s + 11 * min(n, 1) for n, s in enumerate(steps)]


def test_members_of_a_structure_in_local_memory() -> None:
    functions = """
    __device__ int grow(int n) {
      int2 v = make_int2(n, 2 * n); int2 *p = &v;
      if (n > 0) v.y += grow(n - 1);
      p->x += v.y; p->x++;
      return v.x + p->y;
    }"""

    def grow(n: int) -> int:
        y = 2 * n + (grow(n - 1) if n > 0 else 0)
        return n + y + 1 + y

    assert results(functions, "grow(i0)", [0, 3, 1, 5]) == [grow(n) for n in (0, 3, 1, 5)]


def test_structures_by_value_and_as_results() -> None:
    functions = """
    __device__ int2 euclid(int2 pair) {
      if (pair.y == 0) return pair;
      return euclid(make_int2(pair.y, pair.x % pair.y));
    }
    """
    left, right = [12, 35, 7, 100], [18, 14, 0, 75]
    assert results(functions, "euclid(make_int2(i0, i1)).x", left, right) == [
        int(np.gcd(a, b)) for a, b in zip(left, right, strict=True)
    ]


def test_a_structure_whose_address_is_taken() -> None:
    functions = """
    __device__ int2 add(int2 v, int n) {
      int2 *p = &v;
      p->x += n; v.y -= n;
      if (n == 0) return v;
      return add(*p, n - 1);
    }"""
    found = results(
        functions, "add(make_int2(i0, 0), i0).x * 100 - add(make_int2(0, 0), i0).y", [4]
    )
    assert found == [(4 + 10) * 100 + 10]


def test_barriers_after_recursion_and_inside() -> None:
    functions = """__device__ void total(int *s, int step) {
      if (step == 0) return;
      if (threadIdx.x < step) s[threadIdx.x] += s[threadIdx.x + step];
      __syncthreads();
      total(s, step / 2);
    }"""
    body = """
      __shared__ int s[64]; int t = threadIdx.x;
      s[t] = a[64 * blockIdx.x + t];
      __syncthreads();
      total(s, 32);
      if (t == 0) out[blockIdx.x] = s[0] + fib(blockIdx.x);
      __syncthreads();
      if (t == 1) out[blockIdx.x] += s[0];
    """
    text = source("const int *a, int *out", body, functions + FIBONACCI)
    data = np.arange(192, dtype="i4")
    ran = run(text, data, np.zeros(3, "i4"), grid=3, block=64)
    expected = [2 * int(row.sum()) + fib(at) for at, row in enumerate(data.reshape(3, 64))]
    assert ran.arrays[1].tolist() == expected
    assert ran.counters.barriers == 3 * (6 + 2)


def test_a_barrier_that_only_some_reach() -> None:
    functions = """__device__ void wait(int n) {
      if (n == 0) return;
      __syncthreads();
      wait(n - 1);
    }"""
    with pytest.raises(Fault, match="a barrier that 3 of 4 threads reach") as caught:
        run(source("", "wait(threadIdx.x + 0 * fib(2));", functions + FIBONACCI), block=4)
    assert caught.value.span is not None
    assert caught.value.span.line == 3


def test_loops_with_returns_inside() -> None:
    functions = """__device__ int first(const int *a, int from, int depth) {
      for (int i = from; i < 16; i++) {
        if (a[i] == depth) return depth == 3 ? i : first(a, i + 1, depth + 1);
        if (a[i] > 90) continue;
        if (a[i] < 0) break;
      }
      return -depth;
    }"""
    data = [0, 5, 0, 1, 99, 2, 1, 3, 0, 1, -1, 2, 3, 0, 1, 0]

    def first(start: int, depth: int) -> int:
        for at in range(start, 16):
            if data[at] == depth:
                return at if depth == 3 else first(at + 1, depth + 1)
            if data[at] < 0:
                break
        return -depth

    text = source(
        "const int *a, int *out", "out[threadIdx.x] = first(a, threadIdx.x, 0);", functions
    )
    found = run(text, np.array(data, "i4"), np.zeros(16, "i4"), block=16).arrays[1]
    assert found.tolist() == [first(at, 0) for at in range(16)]


def test_warp_functions_see_the_lanes_that_call() -> None:
    functions = """__device__ int company(int n) {
      if (n == 0) return __popc(__activemask());
      return company(n - 1);
    }"""
    values = [0, 1, 1, 2, 2, 2, 3]
    assert results(functions, "company(i0)", values) == [values.count(v) for v in values]


def test_atomics_and_printing_inside(capsys: Any) -> None:
    functions = r"""__device__ void climb(int *sum, int n) {
      if (n == 0) { printf("top of %d\n", threadIdx.x); return; }
      atomicAdd(sum, n);
      climb(sum, n - 1);
    }"""
    text = source("int *sum", "climb(sum, threadIdx.x);", functions)
    ran = run(text, np.zeros(1, "i4"), block=4)
    assert ran.arrays[0].tolist() == [sum(n for t in range(4) for n in range(t + 1))]
    assert ran.counters.atomic_lanes == 6
    assert capsys.readouterr().out == "".join(f"top of {t}\n" for t in range(4))


def test_the_same_in_every_wave_and_block() -> None:
    functions = FACTORIAL
    body = "int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = fact(i % 7);"
    ran = run(
        source("int *out", body, functions),
        np.zeros(60, "i4"),
        grid=10,
        block=6,
        profile="toy4",
    )
    assert ran.arrays[0].tolist() == [int(np.prod(range(1, i % 7 + 1))) for i in range(60)]


def test_generated_code_has_one_copy_of_each_function() -> None:
    body = "out[0] = fib(3) + fib(4) + even(3) + even(5) + odd(2);"
    kernel = simulator.RawKernel(source("int *out", body, FIBONACCI + PARITY), "k")
    text = kernel.compiled().text
    assert [len(re.findall(rf"def call_{n}_\d+", text)) for n in ("fib", "even", "odd")] == [1] * 3
