"""Programs that break a rule of C++ which is easily forgotten, as CUDA's compiler has it, too."""

from __future__ import annotations

import pytest

import simulator
from simulator.check import check
from simulator.read import read
from tests.simulator.launching import cuda_takes

KERNEL = ' extern "C" __global__ void k(int *o) { %s }'
SCOPED = "enum class F { A, B };"
PLAIN = "enum E { A, B };"

REFUSED = {
    # Enumerations are types of their own.
    SCOPED + KERNEL % "int x = F::A; *o = x;": "is `F`, but `int` is needed",
    SCOPED + KERNEL % "F f = 1; *o = f == F::A;": "is `int`, but `F` is needed",
    SCOPED + KERNEL % "if (F::A) *o = 1;": "`F` is neither true nor false",
    SCOPED + KERNEL % "*o = F::A < 1;": "`<` cannot combine `F` and `int`",
    SCOPED + KERNEL % "*o = F::A + 1;": "`+` cannot combine `F` and `int`",
    SCOPED + KERNEL % "*o = o[F::A];": "a subscript must be an integer, not `F`",
    SCOPED + KERNEL % "*o = *(o + F::B);": "cannot combine `int *` and `F`",
    SCOPED + KERNEL % "*o = -(int)F::A + ~F::A;": "`~` needs an integer, not `F`",
    SCOPED + KERNEL % "*o = (int)(*o ? F::A : 0);": "cannot choose between `F` and `int`",
    SCOPED + KERNEL % "switch (F::A) { case 0: *o = 1; }": "the switch is over `F`",
    SCOPED + KERNEL % "switch (*o) { case F::A: *o = 1; }": "the switch is over `int`",
    SCOPED + KERNEL % "int t[F::B]; t[0] = 1; *o = t[0];": "must be a constant integer",
    SCOPED + "enum class G { A };" + KERNEL % "*o = F::A == G::A;": "combine `F` and `G`",
    SCOPED + "__device__ int f(int) { return 1; }" + KERNEL % "*o = f(F::A);": "is `F`, but",
    SCOPED + "template <int N> struct S {};" + KERNEL % "S<F::B> s;": "`F::B` is of type `F`",
    SCOPED + KERNEL % "*o = min(1, F::A);": "takes numbers, not `F`",
    PLAIN + "template <E N> struct S {};" + KERNEL % "S<1> s;": "`1` is of type `int`",
    PLAIN + KERNEL % "E e = 1; *o = e;": "is `int`, but `E` is needed",
    PLAIN + KERNEL % "E e = A; e = e + 1; *o = e;": "is `int`, but `E` is needed",
    PLAIN + KERNEL % "E e = A; e++; *o = e;": "`++` cannot be used on E",
    PLAIN + KERNEL % "E e = A; e |= B; *o = e;": "`|=` cannot be used on `E`",
    PLAIN + KERNEL % "E e = A; int *p = &e; *o = *p;": "is `E *`, but `int *` is needed",
    PLAIN + "enum G { C };" + KERNEL % "E e = C; *o = e;": "is `G`, but `E` is needed",
    # What names for types say of const.
    "using C = const int;" + KERNEL % "C x = 3; x = 4; *o = x;": "`x` is const",
    "using P = int *const;" + KERNEL % "P x = o; x = 0; *o = *x;": "`x` is const",
    "struct S { using V = const int; V v; };" + KERNEL % "S s{1}; s.v = 2; *o = s.v;": "is const",
    "template <typename T> struct S { T x; };"
    + KERNEL % "S<const int> s{1}; s.x = 2; *o = s.x;": "is const",
    "template <typename T> using C = const T;"
    + KERNEL % "C<int> x = 1; x = 2; *o = x;": "is const",
    KERNEL % "const int c = 1; decltype(c) d = 2; d = 3; *o = d;": "`d` is const",
    # Casts by name.
    KERNEL % "const int *p = o; *o = *static_cast<int *>(p);": "does not take `const`",
    KERNEL % "const int *p = o; *reinterpret_cast<float *>(p) = 1;": "does not take `const`",
    KERNEL % "*o = reinterpret_cast<int>(1.5f);": "does not convert `float` to `int`",
    KERNEL % "*o = *static_cast<float *>(o);": "does not convert `int *` to `float *`",
    KERNEL % "*o = static_cast<long long>(o) & 1;": "does not convert `int *` to `long long`",
    # Classes.
    "struct B { __device__ int x() { return 1; } }; template <typename T> struct C : T {"
    " __device__ int f() { return x(); } };"
    + KERNEL
    % "C<B> c; *o = c.f();": "the function `x` is not declared",
    "struct A { int x; }; struct B : A, A {};" + KERNEL % "B b; *o = 1;": "is a base of `B` twice",
    "struct A { __device__ A(int) {} }; struct B : A { __device__ B() {} };"
    + KERNEL % "B b; *o = 1;": "`A` has no constructor that takes no values",
    "struct A { __device__ A(int) {} }; struct B : A { __device__ B() {} int x; };"
    + KERNEL % "B b; *o = 1;": "`A` has no constructor that takes no values",
    "struct A { int n; __device__ A() : n(1), n(2) {} };"
    + KERNEL % "A a; *o = a.n;": "`n` has a value already",
    "struct A { __device__ ~A(int) {} };" + KERNEL % "*o = 1;": "a destructor has no parameters",
    "struct A { __device__ int operator+(int, int) { return 1; } };"
    + KERNEL % "*o = 1;": "`operator+` of `A` cannot have 2 parameters",
    "struct A { __device__ int operator[](int, int) { return 1; } };"
    + KERNEL % "*o = 1;": "`operator[]` of `A` cannot have 2 parameters",
    "struct A { mutable const int x = 1; };" + KERNEL % "*o = 1;": "it cannot be `mutable`",
    "struct A { __device__ explicit operator int() const { return 1; } };"
    + KERNEL % "A a; int x = a; *o = x;": "is `A`, but `int` is needed",
    "struct A { __device__ A(int) {} }; struct B { __device__ B(A) {} };"
    " __device__ void f(B) {}" + KERNEL % "f(1); *o = 1;": "is `int`, but `B` is needed",
    # Templates and lambdas.
    "template <typename T, typename T> struct S {};" + KERNEL % "*o = 1;": "are called `T`",
    "template <typename A, typename B> struct P {}; template <typename A> struct P<A, int> {};"
    " template <typename A> struct P<int, A> {};"
    + KERNEL
    % "P<int, int> p; *o = 1;": "take these arguments equally well",
    KERNEL % "int x = 1; auto l = [x, x] { return x; }; *o = l();": "`x` is captured twice",
    KERNEL % "int x = 1; auto l = [=, x] { return x; }; *o = l();": "`=` captures `x` already",
    KERNEL % "int x = 1; auto l = [&, &x] { return x; }; *o = l();": "`&` captures `x` already",
    KERNEL % "auto l = [this] { return 1; }; *o = l();": "there is no `this` here",
}


@pytest.mark.parametrize(("text", "words"), REFUSED.items())
def test_one_message_says_what_is_wrong(text: str, words: str) -> None:
    with pytest.raises(simulator.CompileError) as caught:
        check(read(simulator.Source(text)))
    assert words in caught.value.message
    assert caught.value.span is not None


@pytest.mark.slow
@pytest.mark.parametrize("text", REFUSED)
def test_cuda_refuses_it(text: str) -> None:
    assert not cuda_takes(text)
