"""Pointers, references and arrays in every role, each kernel against a line of Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import simulator
from simulator import CompileError
from tests.simulator.launching import run, source

N = 16


class Case(NamedTuple):
    """What thread `i` does; `a` holds 0, 10, 20, … and `want` is `out[i]` afterwards."""

    body: str
    want: Callable[[int], int]
    functions: str = ""


SWAP = "__device__ void swap(int &x, int &y) { int t = x; x = y; y = t; }"
SUM = """__device__ int sum(const int *p, int n) {
  int s = 0; while (n-- > 0) s += *p++; return s; }"""
CASES = {
    "a pointer that walks": Case(
        "int *p = a; for (int k = 0; k < i; k++) p++; out[i] = *p;", lambda i: 10 * i
    ),
    "a pointer that walks back": Case(
        "int *p = a + 15; while (*p > 10 * i) --p; out[i] = p - a;", lambda i: i
    ),
    "a walk with post-increment": Case(
        "int *p = a + i; int x = *p++; out[i] = x + (i < 15 ? *p : 0);",
        lambda i: 10 * i + (10 * (i + 1) if i < 15 else 0),
    ),
    "a pointer by a condition": Case(
        "int *p = i & 1 ? a : out; out[i] = 5; out[i] = p[i];", lambda i: 10 * i if i & 1 else 5
    ),
    "a pointer that some lanes move": Case(
        "int *p = a; if (i > 7) p += i; else if (i > 3) p = a + 1; out[i] = *p;",
        lambda i: 10 * i if i > 7 else 10 if i > 3 else 0,
    ),
    "the difference of pointers": Case(
        "int *p = a + i, *q = a + 2 * i; long d = q - p; out[i] = d - (p - q);", lambda i: 2 * i
    ),
    "comparisons of pointers": Case(
        "int *p = a + i; out[i] = (p < a + 4) + 2 * (p == a + 4) + 4 * (p >= &a[8]) + 8 * !p;",
        lambda i: (i < 4) + 2 * (i == 4) + 4 * (i >= 8),
    ),
    "the address of an element": Case(
        "int *p = &a[i]; int *q = &p[0]; out[i] = *q + (&*q - a);", lambda i: 11 * i
    ),
    "the address of a variable": Case(
        "int x = i; int *p = &x; *p += 3; x *= 2; out[i] = *p + x;", lambda i: 4 * (i + 3)
    ),
    "a pointer to one of two variables": Case(
        "int x = 1, y = 2; int *p = i & 1 ? &x : &y; *p += i; out[i] = 100 * x + y;",
        lambda i: 100 * (1 + i) + 2 if i & 1 else 102 + i,
    ),
    "a pointer to a pointer": Case(
        "int *p = a; int **q = &p; *q += i; out[i] = **q + *p;", lambda i: 20 * i
    ),
    "bytes of a number": Case(
        "unsigned char *b = (unsigned char *)&a[i]; out[i] = b[0] + 1000 * b[3];",
        lambda i: (10 * i) % 256,
    ),
    "bits of a number by a cast": Case(
        "float f = i; int *p = (int *)&f; out[i] = *p == __float_as_int(i);", lambda i: 1
    ),
    "a pointer through an integer": Case(
        "unsigned long long u = (unsigned long long)a + 4 * i; out[i] = *(int *)u;",
        lambda i: 10 * i,
    ),
    "an array passed on": Case(
        "int t[4] = {i, 1, 2}; out[i] = sum(t, 4) + sum(a, i);",
        lambda i: i + 3 + 10 * sum(range(i)),
        SUM,
    ),
    "part of an array passed on": Case(
        "int t[4] = {1, 2, 3, 4}; out[i] = sum(t + 1, 2) + sum(&t[i & 1], 3);",
        lambda i: 5 + (9 if i & 1 else 6),
        SUM,
    ),
    "a shared array passed on": Case(
        "__shared__ int s[16]; s[i] = i; __syncthreads(); out[i] = sum(s, i + 1);",
        lambda i: sum(range(i + 1)),
        SUM,
    ),
    "references to variables": Case(
        "int x = i, y = 7; swap(x, y); out[i] = 100 * x + y;", lambda i: 700 + i, SWAP
    ),
    "references to elements": Case(
        "int t[4] = {1, 2, 3, 4}; swap(t[i & 3], t[3 - (i & 3)]); out[i] = t[0] * 10 + t[1];",
        lambda i: {0: 42, 1: 13, 2: 13, 3: 42}[i & 3],
        SWAP,
    ),
    "a reference keeps its element": Case(
        "int k = 1; int t[4] = {0, 5, 6, 7}; f(t[k], k); out[i] = t[1] * 100 + t[3] * 10 + k;",
        lambda i: (5 + 3) * 100 + 7 * 10 + 3,
        "__device__ void f(int &r, int &k) { k = 3; r += k; }",
    ),
    "a reference passed on": Case(
        "int x = i; g(x); out[i] = x;",
        lambda i: 2 * (i + 1),
        "__device__ void f(int &r) { r++; }\n__device__ void g(int &r) { f(r); r *= 2; }",
    ),
    "the address of a reference": Case(
        "int x = i; g(x); out[i] = x;",
        lambda i: 3 * i + 1,
        """__device__ void f(int *p) { *p *= 3; }
        __device__ void h(int &r) { f(&r); }
        __device__ void g(int &r) { h(r); r++; }""",
    ),
    "a pointer by reference": Case(
        "int *p = a; f(p, i); out[i] = *p;",
        lambda i: 10 * i,
        "__device__ void f(int *&p, int n) { p += n; }",
    ),
    "an array of arrays": Case(
        "int m[2][3] = {{1, 2, 3}, {4, 5, 6}}; m[i & 1][i % 3] += 10; int *r = m[1];\n"
        "out[i] = m[0][i % 3] * 100 + r[i % 3];",
        lambda i: (i % 3 + 1 + 10 * (not i & 1)) * 100 + i % 3 + 4 + 10 * (i & 1),
    ),
    "a shared array of arrays": Case(
        "__shared__ int m[4][5]; m[i / 4][i % 4] = i; __syncthreads(); out[i] = m[i % 4][i / 4];",
        lambda i: i % 4 * 4 + i // 4,
    ),
    "an array that each turn starts anew": Case(
        "int x = 0;\n"
        "for (int k = 0; k < 3; k++) { int t[2] = {k}; t[0]++; t[1] += k; x += t[0] + t[1]; }\n"
        "out[i] = x;",
        lambda i: 9,
    ),
    "an element that is indexed by an element": Case(
        "int t[4] = {3, 0, 1, 2}; out[i] = t[t[t[i & 3]]];", lambda i: [1, 2, 3, 0][i & 3]
    ),
    "an assignment evaluates its right side first": Case(
        "int t[3] = {0, 0, 0}; int k = 0; t[k] = ++k; t[k] += k++;\n"
        "out[i] = 100 * t[0] + 10 * t[1] + t[2];",
        lambda i: 11,
    ),
    "compound assignment reads its place once": Case(
        "int t[3] = {1, 2, 3}; int k = 0; t[k++] += 5; t[k++] *= 3; t[k++]--;\n"
        "out[i] = t[0] * 100 + t[1] * 10 + t[2] + k;",
        lambda i: 600 + 60 + 2 + 3,
    ),
    "a value in a value": Case(
        "int x, y; x = y = i + 1; x += y -= 3; out[i] = x * 100 + y;",
        lambda i: (i + 1 + i - 2) * 100 + i - 2,
    ),
    "the comma": Case(
        "int x = 0, y; for (int k = 0, j = 9; k < j; k++, j--) x += (y = k, y * j);\n"
        "out[i] = x + y;",
        lambda i: sum(k * (9 - k) for k in range(5)) + 4,
    ),
    "a parameter while another function changes the variable": Case(
        "int x = i; auto h = [&](auto f) { return g(x, f); }; int y = h([&] { x += 100; });\n"
        "out[i] = 1000 * x + y;",
        lambda i: 1000 * (i + 100) + i,
        "template <typename F> __device__ int g(int p, F f) { f(); return p; }",
    ),
    "what a dropped value does": Case(
        "int t[2] = {5, 6}, x = 0, k = 0; (x += 1, t[k++]); (k += 2, x); out[i] = 10 * k + x;",
        lambda i: 31,
    ),
    "shadowed names": Case(
        "int x = i; { int x = 5; x++; if (x) { int x = 9; out[i] = x; } out[i] += x; }\n"
        "out[i] += x;",
        lambda i: 15 + i,
    ),
    "a parameter that the function changes": Case(
        "int x = i; int y = f(x); out[i] = 10 * x + y;",
        lambda i: 10 * i + (0 if i < 4 else i - 3),
        "__device__ int f(int x) { if (x < 4) return 0; x -= 4; return x + 1; }",
    ),
    "a function in its own argument": Case(
        "out[i] = f(f(f(i, 1), f(2, 3)), f(4, i));",
        lambda i: 2 * (2 * (2 * i + 1) + 7) + 8 + i,
        "__device__ int f(int x, int y) { return 2 * x + y; }",
    ),
    "early returns in an argument": Case(
        "out[i] = i + f(i) * 10 + f(f(i) + i) + i;",
        lambda i: (
            2 * i
            + 10 * (1 if i < 5 else i)
            + (lambda x: 1 if x < 5 else x)((1 if i < 5 else i) + i)
        ),
        "__device__ int f(int x) { if (x < 5) return 1; for (;;) { if (x > 3) return x; } }",
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("block", [N, 4])
def test_pointers(name: str, block: int) -> None:
    case = CASES[name]
    text = source(
        "int *a, int *out",
        f"int i = blockIdx.x * blockDim.x + threadIdx.x;\n{case.body}",
        case.functions,
    )
    if block < N and "__shared__" in case.body:
        block = N
    ran = run(text, 10 * np.arange(N, dtype="i4"), np.zeros(N, "i4"), grid=N // block, block=block)
    assert ran.arrays[1].tolist() == [case.want(i) for i in range(N)]


def test_a_list_whose_links_are_indices() -> None:
    """Each thread follows the links from its own head until -1."""
    random = np.random.default_rng(5)
    order = random.permutation(40)
    following = np.full(40, -1, "i4")
    following[order[:-1]] = order[1:]
    text = source(
        "const int *next, int *out",
        "int n = 0; for (int k = threadIdx.x; k >= 0; k = next[k]) n++; out[threadIdx.x] = n;",
    )
    ran = run(text, following, np.zeros(40, "i4"), block=40)
    place = np.argsort(order)
    assert ran.arrays[1].tolist() == (40 - place).tolist()


def test_pointers_stored_in_memory() -> None:
    """Device addresses in an array of 64-bit integers, as a memory manager keeps them."""
    text = source(
        "int *a, unsigned long long *box, int *out",
        """int i = threadIdx.x; box[i] = (unsigned long long)(a + 15 - i); __syncthreads();
        int *p = (int *)box[(i + 1) % 16]; out[i] = *p;""",
    )
    ran = run(text, 10 * np.arange(N, dtype="i4"), np.zeros(N, "u8"), np.zeros(N, "i4"), block=N)
    assert ran.arrays[2].tolist() == [10 * (15 - (i + 1) % 16) for i in range(N)]


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("const int *p = a; *p = 1;", "const"),
        ("int x = a;", r"int \*"),
        ("float *p = a;", "float"),
        ("int *p = 5;", "int"),
        ("a = a * 2;", r"\*"),
        ("int t[3]; t = a;", "t"),
        ("f(5);", "f"),
    ],
)
def test_what_the_types_forbid(body: str, what: str) -> None:
    functions = "__device__ void f(int &x) { x++; }"
    with pytest.raises(CompileError, match=what):
        run(source("int *a", body, functions), np.zeros(4, "i4"))


def typed(of: str, code: str) -> Any:
    text = source(
        f"{of} *a, {of} *b", f"{of} t[2] = {{a[0], a[1]}}; {of} *p = t; b[0] = p[1]; b[1] = *p;"
    )
    return run(text, np.array([1, 0], code), np.zeros(2, code), block=1).arrays[1]


@pytest.mark.parametrize(
    ("of", "code"),
    [
        ("bool", "?"),
        ("char", "i1"),
        ("unsigned char", "u1"),
        ("short", "i2"),
        ("unsigned short", "u2"),
        ("int", "i4"),
        ("long", "i8"),
        ("size_t", "u8"),
        ("float", "f4"),
        ("double", "f8"),
    ],
)
def test_arrays_of_every_type(of: str, code: str) -> None:
    assert typed(of, code).tolist() == [0, 1]


@pytest.mark.parametrize("start", [0, 5])
def test_the_address_of_a_slice_is_where_the_slice_begins(start: int) -> None:
    text = source(
        "int *a, long long *out",
        "out[0] = (long long)a; out[1] = (long long)&a[2]; int *p = a + 1; int **q = &p; *q += 1;"
        " *p = 7; out[2] = (long long)p;",
    )
    with simulator.Device(memory=1 << 20):
        a, out = simulator.zeros(20, "int32"), simulator.zeros(3, "int64")
        part = a[start:]
        simulator.RawKernel(text, "k")((1,), (1,), (part, out))
        assert (out.get() - part.data.ptr).tolist() == [0, 8, 8]
        assert a.get().nonzero()[0].tolist() == [start + 2]


def test_a_pointer_to_rows_that_is_chosen() -> None:
    """What it points to is a row, and so is what stands an index or a step behind it."""
    body = """__shared__ int a[2][4], b[2][4];
    int row = threadIdx.x / 4, column = threadIdx.x % 4;
    a[row][column] = threadIdx.x; b[row][column] = 50 + threadIdx.x;
    __syncthreads();
    auto p = n ? a : b;
    out[threadIdx.x] = p[1][column] + 100 * (*(p + 1))[2];
    p++;
    out[threadIdx.x] += 10000 * p[0][1];"""
    for n, first in ((1, 0), (0, 50)):
        found = run(source("int *out, int n", body), np.zeros(8, "i4"), np.int32(n), block=8)
        rows = [first + 4 + i % 4 + 100 * (first + 6) + 10000 * (first + 5) for i in range(8)]
        assert found.arrays[0].tolist() == rows


@pytest.mark.parametrize("declared", ["void *p", "const void *p", "struct Opaque *p"])
def test_a_parameter_that_points_to_what_has_no_size_is_cast(declared: str) -> None:
    """Without arguments, as checks compile it, and with them."""
    body = "int *a = (int *)p; out[0] = a[1]; void *q = (void *)p; out[1] = *(int *)q;"
    text = source(f"{declared}, int *out", body, "struct Opaque;")
    assert simulator.RawKernel(text, "k").compiled().text
    ran = run(text, np.array([5, 7], "int32"), np.zeros(2, "int32"), block=1)
    assert ran.arrays[1].tolist() == [7, 5]
