"""Places: results of operators that can be written, pointers to constants, ends without a value."""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from simulator.check import check
from simulator.read import read
from simulator.source import Source
from tests.simulator.launching import fault, run, source
from tests.simulator.verify import verify

PAIR = "struct P { int x; int y[2]; }; __device__ void set(int &x) { x = 7; }"

PLACES = [
    (
        "int x = 1, y = 2; (odd ? x : y) = 10 + t; a[t] = 100 * x + y;",
        lambda t: (1000 + 100 * t + 2, 110 + t),
    ),
    ("int x = 1, y = 2; (odd ? x : y) += 3; a[t] = 100 * x + y;", lambda t: (402, 105)),
    (
        "int x = 1, y = 2; (odd ? x : y)++; --(odd ? x : y); ++(odd ? x : y); a[t] = 100 * x + y;",
        lambda t: (202, 103),
    ),
    (
        "int x = 1, y = 2; int *p = &(odd ? x : y); *p = 5; a[t] = 100 * x + y;",
        lambda t: (502, 105),
    ),
    ("int x = 1, y = 2; int &r = odd ? x : y; r = 5; a[t] = 100 * x + y;", lambda t: (502, 105)),
    ("int x = 1, y = 2; set(odd ? x : y); a[t] = 100 * x + y;", lambda t: (702, 107)),
    (
        "int x = 1, y = 2; a[t] = (odd ? x : y) = t; a[t] += x + y;",
        lambda t: (t + t + 2, t + 1 + t),
    ),
    (
        "int x = 1, y = 2, z = 3; (odd ? x : t > 3 ? y : z) = 0; a[t] = 100 * x + 10 * y + z;",
        lambda t: (23, 103 if t > 3 else 120),
    ),
    (
        "P p = {1, {2, 3}}, q = {4, {5, 6}}; (odd ? p : q).x = 9; (odd ? p : q).y[1] = 8;"
        " a[t] = 1000 * p.x + 100 * p.y[1] + 10 * q.x + q.y[1];",
        lambda t: (9846, 1398),
    ),
    (
        "P p = {1, {2, 3}}, q = {4, {5, 6}}, r = {7, {7, 7}}; (odd ? p : q) = r;"
        " a[t] = 10 * p.x + q.x;",
        lambda t: (74, 17),
    ),
    ("volatile int x = 1, y = 2; (odd ? x : y) = 3; a[t] = 10 * x + y;", lambda t: (32, 13)),
    ("int x = 1; (x = 2) = t; a[t] = x;", lambda t: (t, t)),
    ("int x = 1; (x += 2) *= t; a[t] = x;", lambda t: (3 * t, 3 * t)),
    (
        "int x = t; ++++x; a[t] = x; ++x = 5; a[t] += x; a[t] += *&(x = 2);",
        lambda t: (t + 9, t + 9),
    ),
    ("int x = 1, y = 2; (x, y) = t; a[t] = 10 * x + y;", lambda t: (10 + t, 10 + t)),
    ("(odd ? a[t] : b[t]) = t; __syncwarp(); a[t] += b[t];", lambda t: (t, t)),
    ("(odd ? s[t] : a[t]) += 3; a[t] += s[t];", lambda t: (t + 3, t + 3)),
    (
        "atomicAdd(&(odd ? a[1] : b[0]), 1); __syncwarp(); if (t) a[t] = a[1]; else a[0] = b[0];",
        lambda t: (4, 4),
    ),
]


@pytest.mark.parametrize("schedule", ["lockstep", "warp", "shuffled:2", "random:4"])
@pytest.mark.parametrize(("body", "means"), PLACES)
def test_results_of_operators_have_places(body: str, means, schedule: str) -> None:
    """`means` says what odd and even lanes leave."""
    front = "int t = threadIdx.x; bool odd = t % 2; __shared__ int s[8]; s[t] = t; __syncthreads();"
    text = source("int *a, int *b", f"{front} {body}", PAIR)
    verify(check(read(Source(text))))
    with simulator.Device(schedule=schedule):
        a, b = simulator.zeros(8, "int32"), simulator.zeros(8, "int32")
        simulator.RawKernel(text, "k")((1,), (8,), (a, b))
        assert a.get().tolist() == [means(t)[0 if t % 2 else 1] for t in range(8)]


def test_sides_that_are_not_needed_are_not_evaluated() -> None:
    text = source("int *a, int n", "int x = 1; (n ? x : a[1000000]) = 2; a[0] = x;")
    assert run(text, np.zeros(2, "i4"), 1, block=1).arrays[0].tolist() == [2, 0]


CONSTANT = """struct P { int x, y[2]; };
__constant__ int c[2][2] = {{1, 2}, {3, 4}};
__constant__ P p = {5, {6, 7}};"""


def test_constants_are_read_through_plain_pointers() -> None:
    functions = f"""{CONSTANT}
    __device__ int first(int *q) {{ return *q; }}
    __device__ int get(int &r) {{ return r; }}"""
    body = (
        "int *q = c[0]; int &r = c[1][1]; P *s = &p; a[0] = first(&c[1][0]); a[1] = q[1]; a[2] = r;"
    )
    body += " a[3] = s->y[1] + get(p.y[0]); int *w = a[9] ? a : c[0]; a[4] = *w;"
    found = run(source("int *a", body, functions), np.zeros(10, "i4"), block=1).arrays[0]
    assert found.tolist() == [3, 2, 4, 13, 1, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    "body",
    [
        "int *q = c[0]; q[1] = 3;",
        "int &r = c[1][0]; r += 3;",
        "int *q = a[0] ? a : c[0]; q[1] = 3;",
        "atomicAdd(&c[1][0], 1);",
        "int *q = a[0] ? a : c[0]; atomicAdd(q, 1);",
        "P *s = &p; s->y[1] = 3;",
        "P *s = &p; P other = {1, {2, 3}}; *s = other;",
        "set(c[0][0]);",
    ],
)
def test_constants_are_not_written_through_them(body: str) -> None:
    functions = f"{CONSTANT} __device__ void set(int &x) {{ x = 7; }}"
    error = fault(source("int *a", body, functions), np.zeros(2, "i4"), block=1)
    assert "is __constant__: kernels cannot change it" in error.message
    assert "get_global" in error.hint


def test_a_constant_that_is_gone_is_no_hindrance() -> None:
    text = source("int *a", "int *q = c; a[0] = *q;", "__constant__ int c[64];")
    with simulator.Device(memory=1 << 20):
        for _ in range(20):
            a = simulator.zeros(64, "int32")
            simulator.RawKernel(text, "k")((1,), (1,), (a,))
            simulator.RawKernel(source("int *a", "int *q = a[1] ? nullptr : a; q[3] = 1;"), "k")(
                (1,), (1,), (a,)
            )


# Functions that can end without a value.


def ends(function: str, call: str = "a[t] = f(t);") -> str:
    return source("int *a", f"int t = threadIdx.x; {call}", function)


@pytest.mark.parametrize(
    ("function", "values"),
    [
        ("__device__ int f(int x) { if (x >= 0) return 2 * x; }", [0, 2, 4, 6]),
        ("__device__ int f(int x) { for (;;) if (x++ > 3) return x; }", [5, 5, 5, 5]),
        (
            "__device__ int f(int x) { for (int i = 0; i < 9; i++) if (i > x) return i; }",
            [1, 2, 3, 4],
        ),
        (
            "__device__ int f(int x) { switch (x & 1) { case 0: return 1; case 1: return 2; } }",
            [1, 2, 1, 2],
        ),
        ("__device__ int f(int x) { if (x < 4) return x; return; }", [0, 1, 2, 3]),
        (
            "__device__ int f(int x) { if (x > 9) return 0; else if (x < 9) return x + f(x + 9); }",
            None,
        ),
        ("__device__ int f(int x) { if (x < 4) return x; __trap(); }", [0, 1, 2, 3]),
        ("template <class T> __device__ T f(T x) { if (x < 4) return -x; }", [0, -1, -2, -3]),
    ],
)
def test_a_function_that_returns_where_it_is_used_is_right(function: str, values) -> None:
    text = ends(function)
    if values is None:
        assert "ended without returning a value" in fault(text, np.zeros(4, "i4"), block=4).message
        return
    assert run(text, np.zeros(4, "i4"), block=4).arrays[0].tolist() == values


@pytest.mark.parametrize("schedule", ["lockstep", "warp", "random:1"])
@pytest.mark.parametrize(
    "function",
    [
        "__device__ int f(int x) { if (x < 3) return x; }",
        "__device__ int f(int x) { if (x < 3) return x; return; }",
        "__device__ int f(int x) { x++; }",
        "__device__ float f(int x) { while (x < 3) return 1.0f; }",
        "__device__ int *f2(int x, int *a) { if (x < 3) return a; }"
        " __device__ int f(int x) { return f2(x, nullptr) != nullptr; }",
    ],
)
def test_a_thread_that_comes_to_the_end_is_a_fault(function: str, schedule: str) -> None:
    with simulator.Device(schedule=schedule), pytest.raises(simulator.Fault) as caught:
        simulator.RawKernel(ends(function), "k")((1,), (4,), (simulator.zeros(4, "int32"),))
    assert "ended without returning a value" in caught.value.message
    assert caught.value.span is not None
    assert caught.value.span.text in ("}", "return;")


def test_a_structure_may_be_missing_too() -> None:
    function = """struct P { int x; float y[3]; };
    __device__ P f(int x) { if (x < 3) return P{x, {1, 2, 3}}; }"""
    text = ends(function, "P q = f(1); a[t] = f(t % 3).x + (int)q.y[2];")
    assert run(text, np.zeros(4, "i4"), block=4).arrays[0].tolist() == [3, 4, 5, 3]
    assert (
        "`f` ended" in fault(ends(function, "a[t] = f(t).x;"), np.zeros(4, "i4"), block=4).message
    )


@pytest.mark.parametrize(
    ("function", "count"),
    [
        ("__device__ int f(int x) { if (x) return 1; }", 1),
        ("__device__ int f(int x) { if (x) return 1; return; }", 1),
        ("__device__ int f(int x) { if (x) return 1; __trap(); }", 0),
        ("__device__ int f(int x) { if (x) return 1; else return 2; }", 0),
        ("__device__ int f(int x) { while (true) { if (x) return 1; } }", 0),
        ("__device__ void f(int x) { if (x) return; }", 0),
    ],
)
def test_a_warning_says_so(function: str, count: int) -> None:
    assert len(check(read(Source(function))).warnings) == count
