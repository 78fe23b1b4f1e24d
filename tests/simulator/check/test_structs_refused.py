"""Structures and references used wrongly, and what C and CUDA have more: refused by name."""

from __future__ import annotations

import pytest

import simulator
from simulator.check import check
from simulator.read import read
from tests.simulator.launching import source

ENDS = "struct A { int x; __device__ ~A() { x = 1; } }; "


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ENDS + "__device__ int f(A a) { return a.x; }", "the parameter `a` of type `A`"),
        (ENDS + "__device__ A f() { A a; return a; }", "`return a` of a class with a destructor"),
        (
            ENDS + "__device__ A g(); __device__ A g() { return A(); } "
            "__device__ int f(int y) { return y ? g().x : 2; }",
            "a temporary `A`, which has a",
        ),
        (
            ENDS + "__device__ A g() { return A(); } "
            "__device__ void f(int y) { while (g().x) y++; }",
            "a temporary `A`, which has a",
        ),
        (ENDS + "__global__ void k() { __shared__ A a; }", "`a` has a destructor, which nobody"),
        (ENDS + "__device__ A a;", "`a` has a destructor, which nobody calls"),
        (ENDS + "union U { A a; int x; };", "which makes or copies itself"),
        ("struct A { virtual __device__ int f() { return 1; } };", "`virtual` is not supported"),
        ("struct A { int x : 33; };", "a bit field of type `int` has 32 bits at most"),
        ("struct A { bool x : 2; };", "a bit field of type `bool` has 1 bits at most"),
        ("struct A { float x : 3; };", "a bit field cannot be `float`"),
        ("struct A { int x : -1; };", "is not a constant from 0 on"),
        ("struct A { int x : 0; };", "the bit field `x` has no bits"),
        ("struct A { int x : 3; }; __device__ int *f(A a) { return &a.x; }", "has no address"),
        ("struct A { int x : 3; }; __device__ void f(A a) { int &r = a.x; }", "cannot refer to"),
        (
            "struct A { int x : 3; }; __device__ void g(int &) {} "
            "__device__ void f(A a) { g(a.x); }",
            "cannot be `a.x` of type",
        ),
        (
            "struct A { int x : 3; }; __device__ int f(A a) { return sizeof(a.x); }",
            "no size of its",
        ),
        (
            "struct A { int x : 3; __device__ int &f() { return x; } }; "
            "__device__ void f(A a) { a.f() = 1; }",
            "cannot be `x`",
        ),
        ("struct A { static int x; };", "`static` members that are no constants"),
        ("struct A { int x; union { int x; float f; }; };", "is already declared in this scope"),
        (
            "struct A { __device__ A() : x(1) {} int x; }; union U { A a; int n; };",
            "which makes or copies itself",
        ),
        ("union U { int &x; };", "cannot have a reference as a member"),
        (
            "union U { int x; float f; }; __device__ void f() { U u = {1, 2.0f}; }",
            "2 values do not fit `U`",
        ),
        ("union { int x; float f; };", "a union without a name stands in"),
        ("struct A { int x; int x; };", "`A` has two members `x`"),
        ("struct A { int x; }; struct A { int y; };", "`A` is defined twice"),
        ("struct A { A x; };", "`A` is declared, but not yet defined"),
        ("struct A { int x[]; };", "the member `x` needs a length"),
        ("struct A; __device__ int f(A *b) { return b->x; }", "declared, but not yet defined"),
        ("struct A { int x; }", "`;` is missing after `}`"),
        ("struct A { alignas(8) int x; };", "aligned members are not supported"),
        ("struct __align__(3) A { int x; };", "an alignment must be a constant power of two"),
        ("__device__ int f(struct A { int x; } a) { }", "a type cannot be defined here"),
        ("int;", "this declares nothing"),
        ("__device__ void f(int a = 1, int b) { }", "stands behind one with"),
        ("__device__ void f() { int g(int a); }", "`g` is a host function"),
        ("__device__ void f() { int x(1, 2); }", "one value is expected here"),
    ],
)
def test_what_c_and_cuda_have_more_is_refused_by_name(text: str, words: str) -> None:
    with pytest.raises(simulator.CompileError) as caught:
        check(read(simulator.Source(text)))
    assert words in caught.value.message
    assert caught.value.span is not None


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("P p = {1, 2, 3};", "3 values do not fit `P`"),
        ("P p = 1;", "the first value of `p` is `int`, but `P` is needed"),
        ("P p = {{1}, 2};", "a list stands where one value is needed"),
        ("P p; p + 1;", "`+` cannot combine `P` and `int`"),
        ("P p; Q q; p = q;", "the assigned value is `Q`, but `P` is needed"),
        ("P p; p.z = 1;", "`P` has no `z`"),
        ("const P p = {1, 2}; p.x = 3;", "`p.x` is const"),
        ("const Q q = {}; q.v[0] = 3;", "`q.v[0]` is const"),
        ("int x = g().v[1];", "`g().v` is an array in a value that is stored nowhere"),
        ("Q q; q.v = q.v;", "the array `q.v` cannot be assigned to as a whole"),
        ("const int c = 1; int &r = c;", "`r` cannot refer to `c`"),
        ("const P p = {}; P &r = p;", "`r` would change `p`, which is const"),
        ("int &r;", "the reference `r` needs something to refer to"),
        ("int v[3]; int (&r)[4] = v;", "cannot refer to `v` of type `int[3]`"),
        ("P p; bump(P{1, 2});", "it is a reference"),
        ("P p; if (p) out[0] = 1;", "`P` is neither true nor false"),
        ("P p; out[0] = !p;", "`P` is neither true nor false"),
        ("P p; p++;", "`++` cannot be used on P"),
        ("P p; out[0] = p == p;", "`==` cannot combine `P` and `P`"),
        ("P p; out[0] = (int)p;", "`P` cannot be converted to `int`"),
        ("const P p = {}; P q; (out[0] ? p : q).x = 1;", "is const"),
    ],
)
def test_misuse_is_refused(body: str, words: str) -> None:
    functions = """struct P { int x, y; }; struct Q { int v[2]; };
    __device__ Q g() { return {1, 2}; }
    __device__ void bump(P &p) { p.x++; }"""
    with pytest.raises(simulator.CompileError) as caught:
        check(read(simulator.Source(source("int *out", body, functions))))
    assert words in f"{caught.value.message}\n{caught.value.hint}"
