"""Classes, lambdas and pointers to functions used wrongly: one message that says what to do."""

from __future__ import annotations

import pytest

import simulator
from simulator.check import check
from simulator.read import read

READ = "struct A { int x; __device__ int f() { return x; } }; "
SEALED = "class A { int x; public: __device__ int f() const { return x; } int y; }; "
MADE = "struct A { __device__ A(int) {} }; "


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (SEALED + "__device__ int g(A a) { return a.x; }", "`x` is no public member of `A`"),
        (SEALED + "struct B : A { __device__ int g() { return x; } };", "`x` is no public member"),
        (READ + "__device__ int g(const A &a) { return a.f(); }", "no `f` takes ()"),
        (READ + "__device__ int g(A a) { return a.h(); }", "`A` has no function `h`"),
        (READ + "__device__ int g(A a) { return a.f; }", "the function `f` is not called here"),
        (READ + "__device__ int g(A a) { return a.f(1); }", "no `f` takes (int)"),
        (READ + "__device__ int g(A a) { return A::f(); }", "`f` needs an object"),
        (READ + "__device__ int A::g() { return x; }", "`A` declares no such function"),
        ("struct A { int x; __device__ void f() const { x = 1; } };", "`x` is const"),
        ("struct A { static __device__ int f() { return x; } int x; };", "no object is there"),
        ("__device__ void f() { this->x = 1; }", "`this` is in member functions only"),
        (MADE + "__device__ void f() { A a; }", "`A` has no constructor that takes no values"),
        (MADE + "__device__ void f() { A a(1, 2); }", "no `A` takes (int, int)"),
        ("struct A { __device__ A() : y(1) {} int x; };", "`A` has no member `y`"),
        ("struct A { __device__ int f(); }; __device__ int g(A a) { return a.f(); }",
         "`A::f()` is declared, but not defined"),
        ("struct A { int x; }; struct B { int x; }; struct C : A, B {}; "
         "__device__ int f(C c) { return c.x; }", "several bases of `C` have `x`"),
        ("struct A { __device__ void g() {} }; struct B { __device__ void g() {} }; "
         "struct C : A, B {}; __device__ void f(C c) { c.g(); }",
         "several bases of `C` have functions `g`"),
        ("struct A { int x; }; struct B : A { int b; __device__ B() {} }; struct C : A, B {}; "
         "__device__ A *f(C *c) { return c; }", "`C` has several bases `A`"),
        ("struct A { int x; }; struct B { int y; }; struct C : A { using B::y; };",
         "`B` is no base of `C`"),
        ("struct A { int x; }; struct C : A { using A::y; };", "`A` has no member `y`"),
        ("union U { int x; }; struct C : U {};", "nothing can inherit from `U`"),
        ("struct A { template <typename T> __device__ A(T) {} }; struct C : A { using A::A; };",
         "that is a template is not supported"),
        ("struct A : int {};", "`int` cannot stand here"),
        ("__device__ int f(int x) { auto g = [] { return x; }; return g(); }",
         "the lambda does not capture `x`"),
        ("__device__ int f(int x) { auto g = [=] { x = 1; return x; }; return g(); }",
         "`x` is const"),
        ("__device__ int f() { auto g = [&](int x) { return x; }; return g(1, 2); }",
         "takes (int, int)"),
        ("__device__ int f(int *p) { return p(1); }", "`p` is no function"),
        ("__device__ void f(int (*g)(int)) { g(1, 2); }", "`g` takes 1 argument, not 2"),
        ("__device__ void f() { int (*g)(int) = 5; }", "but `int (*)(int)` is needed"),
        ("__global__ void f() { } __device__ void g() { void (*h)() = f; }",
         "the kernel `f` cannot be called"),
        ("template <typename T> struct A { T x; }; __device__ void f() { A<int, int> a; }",
         "takes 1 arguments, not 2"),
        ("template <typename T> struct A { T x; }; __device__ void f() { A<3> a; }",
         "is a type, which `3` is not"),
        ("template <> struct A<int> { };", "`A` is no template of a class"),
        ("template <typename T> struct A<T *> { }; __device__ int f() { return sizeof(A<int>); }",
         "`A` is no template of a class"),
        ("template <typename T> struct A { int v = T::none; }; __device__ void f() { A<int> a; }",
         "`T::none` is not declared"),
        ("template <int N> struct F { static constexpr int v = F<N + 1>::v; }; "
         "__device__ int f() { return F<0>::v; }", "nested too deeply"),
        ("template <typename T> __device__ T f(); template <> __device__ int f<int>(int x) {}",
         "`f` specialises no template"),
        ("__device__ auto f(int x) { if (x) return 1; return 1.5f; }",
         "returns `int` before, and `float` here"),
        ("__device__ void f() { for (int x : 3) {} }", "the range of a loop needs a name here"),
        ("__device__ void f(int *p) { for (int x : p) {} }", "`p` is `int *`, which is no range"),
        ("struct A { int n; mutable int m; __device__ void f() const { m = 1; n = 1; } };",
         "`n` is const"),
        ("struct A { const int n; __device__ A() {} };", "gives the constant `n` no value"),
        ("struct A { int &n; __device__ A() {} };", "the reference `n` of `A` needs something"),
        ("struct A { int &n; }; __device__ void f() { A a = {}; }", "needs something to refer to"),
        ("struct A { int &n; }; __device__ void f(A a, A b) { a = b; }",
         "its member `n` keeps its first value"),
        ("struct A { const int n; }; __device__ void f(A a) { a.n = 1; }", "`a.n` is const"),
        ("struct A { const int n; }; struct B { A a[2]; }; __device__ void f(B a, B b) { a = b; }",
         "its member `a.n` keeps"),
        ("struct A { int &n; __device__ A(float &x) : n(x) {} };",
         "the reference `n` cannot refer to `x`"),
        ("struct A { int &n; __device__ A(const int &x) : n(x) {} };", "which is const"),
        ("struct A { const int n; }; struct B {}; __device__ void f() { A a; }",
         "`A` needs a value for its member `n`"),
        ("template <typename T> template <typename U> __device__ void f(T t, U u) {}",
         "a template of a template is a member function of a class"),
        ("struct A { template <typename T> __device__ T f(T t); }; "
         "template <typename T> __device__ T A::g(T t) { return t; }", "`A` declares no such"),
        ("struct A { int b = c; int c; }; __device__ int f() { A a; return a.b; }",
         "`c` is a member, and no object is there"),
        ("struct A { int v[3]; __device__ const int &at(int i) const { return v[i]; } }; "
         "__device__ void f(A &a) { a.at(1) = 5; }", "is const"),
        ("class A { __device__ A(int) {} public: int x; }; __device__ void f() { A a(1); }",
         "`A` is no public member of `A`"),
        ("struct B { int x; }; class D : B {}; __device__ int f(D &d) { return d.x; }",
         "`D` inherits from `B` privately"),
        ("class B { public: __device__ int g() { return 1; } }; struct D : private B {}; "
         "__device__ int f(D &d) { return d.g(); }", "`D` inherits from `B` privately"),
        ("struct A { int x; A(int y) : x(y) {} }; __device__ int f() { A a(1); return a.x; }",
         "the constructor of `A` is the host's"),
        ("struct A { int x; __device__ explicit operator bool() const { return x; } }; "
         "__device__ int f(A a) { int y = a; return y; }", "but `int` is needed"),
        (MADE + "struct B { A a; }; __device__ void f() { B b; }", "no constructor that takes no"),
        (MADE + "struct B { A a; __device__ B() {} }; __device__ void f() { B b; }",
         "no constructor that takes no"),
        ("struct A { __device__ int f() { return 1; } __device__ int f() { return 2; } };",
         "`A` declares `f` twice"),
        ("struct A { __device__ int f() { return 1; } __device__ float f() { return 2; } };",
         "`A` declares `f` twice"),
        ("struct A { int f; __device__ int f() { return 1; } };", "`f` is a member of `A` already"),
        ("struct A { A() = default; A(const A &) = delete; }; __device__ void f(A &a) { A b = a; }",
         "`A` cannot be copied"),
        ("struct A { A &operator=(const A &) = delete; }; __device__ void f(A &a, A &b) { a = b; }",
         "`A` cannot be assigned"),
        ("struct A { int x; __device__ A() : x(1) {} }; __device__ A a;",
         "calls a function that is not `constexpr`"),
        ("__device__ void f() { int (*)(int); }", "a name is missing here"),
        ("struct A { int (*)(int); };", "a name is missing here"),
        ("__device__ int two(int x) { return 2 * x; } "
         "__device__ int f() { int a[two(3)]; return sizeof(a); }", "that is not `constexpr`"),
        ("__device__ int &f() { return 3; }", "a reference to `int` cannot be `3`"),
    ],
)  # fmt: skip
def test_one_message_says_what_is_wrong(text: str, words: str) -> None:
    with pytest.raises(simulator.CompileError) as caught:
        check(read(simulator.Source(text)))
    assert words in caught.value.message
    assert caught.value.span is not None


@pytest.mark.parametrize(
    "text",
    [
        "struct A { int x; __device__ A() {} __device__ A(int y) : x(y) {} }; "
        "__global__ void k() { __shared__ A a[4]; a[0] = A(3); }",
        "struct A { int x; A() = default; __device__ A(int y) : x(y) {} }; __device__ A b; "
        "__constant__ A c; __global__ void k() { __shared__ A a; a = A(3); b.x = c.x; }",
        "struct A { int x, y = 2; }; __global__ void k(A a) { extern __shared__ A s[]; s[0] = a; }",
        "class A { int x; __device__ A() : x(0) {} public: __device__ A(int y) : x(y) {} "
        "static __device__ A z() { return A(); } }; __device__ void f() { A(2); A::z(); }",
        "class B { protected: int x; __device__ B() : x(1) {} }; class D : public B { public: "
        "__device__ D() {} __device__ int g() { return x; } }; "
        "__device__ int f(D d) { return d.g(); }",
        "struct A { int x; __device__ explicit operator bool() const { return x; } "
        "__device__ explicit operator float() const { return x; } }; "
        "__device__ float f(A a) { if (a && !a) return 1; return a ? (float)a : 2; }",
        "struct A { float *p; __device__ const float &operator[](int i) const { return p[i]; } }; "
        "__device__ float f(A a) { const float *q = &a[2]; const float &r = a[1]; return *q + r; }",
        "struct A { int x; A() = default; A(int y) : x(y) {} }; "
        "__global__ void k(A a, A *p) { A b = a; *p = b; A c; }",
        "struct A { __device__ bool operator&&(A a) { return 1; } }; "
        "__device__ bool f(A a) { return a && a; }",
        "struct A {}; __device__ int operator,(A a, A b) { return 1; } "
        "__device__ int f(A a) { return (a, a); }",
        "struct A { int f(); }; struct B : A { using A::f; };",
        "struct B; struct A { __device__ int f(const B &); }; struct B { int x; }; "
        "__device__ int A::f(const B &q) { return q.x; }",
    ],
)  # fmt: skip
def test_what_looks_like_it_is_accepted(text: str) -> None:
    check(read(simulator.Source(text)))


def test_shared_objects_whose_constructors_do_something_are_warned_of() -> None:
    text = "struct A { int x = 3; }; __global__ void k() { __shared__ A a; a.x = 1; }"
    (warning,) = check(read(simulator.Source(text))).warnings
    assert warning.message == "no thread makes the shared `a`: it begins with nonsense"


def test_objects_in_global_memory_begin_with_the_first_values_of_members() -> None:
    text = """
struct A { int x = 3; float y[2] = {1, 2}; int z; };
__device__ A a, b[2];
__constant__ A c;
extern "C" __global__ void k(float *p) {
  p[0] = a.x + a.y[1]; p[1] = b[1].x + b[1].y[0] + b[1].z; p[2] = c.y[1];
}"""
    found = simulator.zeros(3, "float32")
    simulator.RawKernel(text, "k")((1,), (1,), (found,))
    assert found.get().tolist() == [5, 4, 2]


@pytest.mark.parametrize(
    ("members", "size"), [("char d;", 8), ("int d;", 12), ("short d; int e;", 12)]
)
def test_members_lie_in_the_padding_of_a_base_that_is_no_plain_one(members: str, size: int) -> None:
    text = "struct B { int a; char c; __device__ B() {} }; struct D : B { " + members + " };"
    check(read(simulator.Source(text + f'static_assert(sizeof(D) == {size}, "");')))
    plain = text.replace("__device__ B() {}", "") + 'static_assert(sizeof(D) >= 12, "");'
    check(read(simulator.Source(plain)))
