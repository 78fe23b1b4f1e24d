"""Types that are misspelt, unknown or not supported: messages name them, with their place."""

from __future__ import annotations

import pytest

from simulator.check import check
from simulator.read import read
from simulator.source import CompileError, Source

#: Unknown types and what the remedy must say.
NAMES = {
    "itn": "`int`",
    "flaot": "`float`",
    "unit32_t": "`uint32_t`",
    "Int": "`int`",
    "unsinged": "`unsigned",
    "Node": "declare it first",
    "cudaEvent_t": "keep host code",
    "boolean": "`bool`",
}

#: What stands outside functions; `$` is where the type stands.
OUTSIDE = [
    "__global__ void k($ *a, int n) { }",
    "__global__ void k($ a, int n) { }",
    "__global__ void k(const $ *a, int n) { }",
    "__global__ void k($ const *a, int n) { }",
    "__global__ void k(float *a, $ n) { }",
    "__global__ void k(float *a, $ *n) { }",
    "__global__ void k(float *a, const $ n) { }",
    "__global__ void k(float *a, const $ *__restrict__ n, int m) { }",
    "__global__ void k(float *a, int *b, $ n, int m) { }",
    "__global__ void k(float *a, $ n[]) { }",
    "__global__ void k(float *a, $ **n) { }",
    "__global__ void k(float *__restrict__ a, volatile $ *n) { }",
    "__launch_bounds__(64) __global__ void k(float *a, $ n) { }",
    "__device__ int f(int x, $ y) { return x; }",
    "__device__ int f(int x, $ &y) { return x; }",
    "__device__ int f(int x, const $ &y) { return x; }",
    "__device__ int f(int x, $ y = 3) { return x; }",
    "__device__ int f(int x, $ y);",
    "__device__ $ f(int x) { return x; }",
    "__device__ $ *f(int x) { return 0; }",
    "__device__ const $ *f(int x) { return 0; }",
    "static __device__ __forceinline__ $ f(int x) { return x; }",
    "template <typename T> __global__ void k(T *a, $ n) { }",
    "template <typename T> __device__ $ f(T a) { return a; }",
    "template <$ N> __global__ void k(int *a) { }",
    "struct S { int x; $ y; };",
    "struct S { $ *next; int x; };",
    "struct S { int x; const $ *y[4]; };",
    "typedef $ N;",
    "typedef $ *N;",
    "typedef int (*F)(int, $);",
    "using N = $;",
    "using N = const $ *;",
    "__constant__ $ c[4];",
    "__device__ $ d = 3;",
    "__device__ $ *d;",
    "constexpr $ N = 3;",
    "const $ N = 3;",
    "namespace a { __device__ int f(int x, $ y) { return x; } }",
]

#: What stands in a kernel with the parameters `int *a, int n`.
INSIDE = [
    "$ x;",
    "$ x = 3;",
    "$ x = n, y = 4;",
    "$ x{3};",
    "$ x[4];",
    "$ *p = 0;",
    "$ *p;",
    "const $ x = 3;",
    "const $ *p = a;",
    "static const $ x = 3;",
    "volatile $ x = 3;",
    "int y = 2; $ x = y;",
    "if (n) { $ x = 3; }",
    "for ($ i = 0; i < n; i++) a[i] = 1;",
    "for (int j = 0; j < n; j++) { $ i = j; }",
    "if ($ x = n) a[0] = x;",
    "while ($ x = n) a[0] = x;",
    "switch ($ x = n; x) { case 1: break; }",
    "a[0] = ($)n;",
    "a[0] = *($ *)a;",
    "a[0] = *(const $ *)a;",
    "a[0] = 2 * ($)n;",
    "a[0] = static_cast<$>(n);",
    "a[0] = *reinterpret_cast<$ *>(a);",
    "a[0] = sizeof($);",
    "a[0] = sizeof($ *);",
    "__shared__ $ s[32];",
    "__shared__ $ s;",
    "extern __shared__ $ s[];",
    "typedef $ N; N x;",
    "using N = $; N x;",
]
#: Where an unknown name may be meant as something else: a parameter without a type, a function.
UNSURE = [
    "__device__ int f(int x, $);",
    "__device__ int f($);",
    "__global__ void k(int *a, int n) { a[0] = $(n); }",
]
PLACES = [*OUTSIDE, *(f"__global__ void k(int *a, int n) {{ {body} }}" for body in INSIDE)]


def refusal(text: str) -> CompileError:
    with pytest.raises(CompileError) as caught:
        check(read(Source(text)))
    return caught.value


@pytest.mark.parametrize("place", PLACES)
def test_an_unknown_type_is_named_where_it_stands(place: str) -> None:
    for name, remedy in NAMES.items():
        error = refusal(place.replace("$", name))
        assert f"`{name}`" in error.message, (name, error.message)
        assert "function cannot be declared" not in error.message
        assert error.span is not None
        assert (error.span.line, error.span.column) == (1, place.index("$") + 1), name
        assert error.span.text == name, (name, error.span.text)
        assert remedy in error.hint, (name, error.hint)


@pytest.mark.parametrize("place", PLACES)
def test_known_types_are_no_mistake_there(place: str) -> None:
    """The places themselves are sound."""
    check(read(Source(place.replace("$", "int"))))


@pytest.mark.parametrize("place", UNSURE)
def test_an_unknown_name_is_named_where_it_may_be_a_type(place: str) -> None:
    for name in NAMES:
        error = refusal(place.replace("$", name))
        assert f"`{name}`" in error.message
        assert error.span is not None
        assert error.span.text == name
        assert error.hint
    assert "`int" in refusal(place.replace("$", "itn")).hint
