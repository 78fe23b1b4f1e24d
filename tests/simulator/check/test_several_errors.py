"""A program with several mistakes: each is reported once, in the order of the text."""

import pytest

from simulator.check import check
from simulator.read import read
from simulator.source import CompileError, Source


def errors_of(text: str) -> list[tuple[int, str]]:
    """Return line and message of each error of a program."""
    with pytest.raises(CompileError) as caught:
        check(read(Source(text, "k.cu")))
    return [(e.span.line if e.span else 0, e.message) for e in caught.value.errors]


def test_one_error_is_itself() -> None:
    assert errors_of("__global__ void f(int *a) { a[0] = b; }") == [(1, "`b` is not declared")]


def test_each_function_has_its_own() -> None:
    text = """__global__ void f(int *a) { a[0] = b; }
__device__ int g(int x) { return x; }
__global__ void h(int *a) { a[0] = c; }
__global__ void fine(int *a) { a[0] = g(1); }
__device__ float *k(int x) { return x; }"""
    assert [line for line, _ in errors_of(text)] == [1, 3, 5]


def test_their_order_is_that_of_the_text_not_of_the_calls() -> None:
    text = """__device__ int callee(int x);
__global__ void f(int *a) { a[0] = callee(b); }
__device__ int callee(int x) { return y; }"""
    assert [line for line, _ in errors_of(text)] == [2, 3]


def test_a_function_with_an_error_can_be_called() -> None:
    text = """__device__ int half_of(int x) { return y / 2; }
__global__ void f(int *a) { a[0] = half_of(1); }"""
    assert errors_of(text) == [(1, "`y` is not declared")]


@pytest.mark.parametrize(
    "text",
    [
        "__device__ int scale = k;\n__global__ void f(int *a) { a[0] = scale; }",
        "typedef Foo Bar;\n__global__ void f(Bar *a) { a[0] = 1; }",
        "struct S { Foo x; };\n__global__ void f(S *s) { s->x = 1; }",
        "enum { A = n, B };\n__global__ void f(int *a) { a[0] = B; }",
        "__device__ Foo g(int x) { return x; }\n__global__ void f(int *a) { a[0] = g(1); }",
        "__device__ int g(int x) { return y; }\n__device__ int g(int x) { return 1; }",
        "template <typename T> __device__ T g(T x) { return y; }\n"
        "__global__ void f(int *a) { a[0] = g(1); }\n__global__ void h(int *a) { a[0] = g(2); }",
    ],
)
def test_what_follows_from_an_error_is_none(text: str) -> None:
    assert len(errors_of(text)) == (2 if "return 1" in text else 1)


@pytest.mark.parametrize(
    "head",
    ["__global__ void f(int a, int a)", "__global__ void __launch_bounds__(n) f(int *a)"],
)
def test_heads_that_are_wrong_hide_nothing(head: str) -> None:
    text = f"{head} {{ }}\n__global__ void g(int *a) {{ a[0] = b; }}"
    assert [line for line, _ in errors_of(text)] == [1, 2]


def test_functions_that_call_each_other() -> None:
    text = """__device__ int even(int n);
__device__ int odd(int n) { return n == 0 ? a : even(n - 1); }
__device__ int even(int n) { return n == 0 ? b : odd(n - 1); }
__global__ void f(int *a) { a[0] = even(c); }"""
    assert [line for line, _ in errors_of(text)] == [2, 3, 4]


def test_all_are_printed_and_many_are_cut() -> None:
    text = "\n".join(f"__global__ void f{i}(int *a) {{ a[0] = b{i}; }}" for i in range(30))
    with pytest.raises(CompileError) as caught:
        check(read(Source(text, "k.cu")))
    shown = str(caught.value)
    assert len(caught.value.errors) == 30
    assert shown.count("is not declared") == 20
    assert shown.endswith("and 10 more errors")
    assert str(caught.value.errors[3]).count("is not declared") == 1
