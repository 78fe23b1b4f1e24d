"""Parameter packs, templates as parameters and structured bindings: what is taken and refused.

What they compute is compared with a C++ compiler's in `classes/` and by `test_random_packs.py`.
"""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from simulator.check import check
from simulator.check.templates import trials
from simulator.compile.kernel import compile_kernel
from simulator.read import read
from simulator.source import CompileError, Source
from tests.simulator.launching import cuda_takes

KERNEL = " __global__ void k(int *a) { a[0] = %s; }"
_SUM = "template <typename... Ts> __device__ int f(Ts... xs) { return (xs + ...); }"
_UNARY = "template <template <typename> class C> struct S { }; "

TAKEN = [
    _SUM + KERNEL % "f(1, 2.5f, 'a')",
    _SUM + KERNEL % "f<int, long>(1, 2)",
    _SUM + KERNEL % "f<int>(1, 2)",
    "template <typename> struct A; template <typename R, typename... Ts> struct A<R (*)(Ts...)>"
    " { static constexpr int n = sizeof...(Ts); };" + KERNEL % "A<int (*)(int, float)>::n",
    "template <int... N> struct L {}; template <int... N> __device__ int f(L<N...>)"
    " { return (N * ...); }" + KERNEL % "f(L<2, 3>())",
    "template <typename... Ts> struct S { template <typename... Us> __device__ int f(Us... us)"
    " { return sizeof...(Ts) * 10 + (us + ...); } };" + KERNEL % "S<int, char>().f(1, 2)",
    "template <typename... T> __device__ int f(T... ts) { auto g = [ts...] { return (ts + ...); };"
    " auto h = [&ts...] { return (ts * ...); }; return g() + h(); }" + KERNEL % "f(2, 3)",
    "template <typename... Ts> __device__ int f(Ts *...ps) { return (*ps + ...); }"
    + KERNEL % "f(a, a + 1)",
    "template <typename... Ts> __device__ int f(const Ts &...xs) { int t[] = {(xs + 1)...};"
    " return t[0]; }" + KERNEL % "f(a[0], 2)",
    "struct A { int x; }; template <typename... B> struct S : B... { };"
    " __device__ int f() { S<A> s; s.x = 1; S<> t; return s.x; }" + KERNEL % "f()",
    "struct A { int a = 1; }; struct B { int b = 2; };"
    " template <typename... T> struct S : T... {"
    " __device__ int sum() { return this->a + this->b; } };"
    " __device__ int f() { S<A, B> s; return s.sum(); }" + KERNEL % "f()",
    "template <typename... Ts> __device__ void f(int &n, Ts... ts) { ((n += ts), ...);"
    ' (printf("%d", ts), ...); printf("%d %d", ts...); }'
    " __device__ int g() { int n = 0; f(n, 1, 2); return n; }" + KERNEL % "g()",
    "template <typename... Ts> __global__ void k(int *a, Ts... xs) { a[0] = (xs + ... + 0); }",
    "template <typename T> struct Plus { static __device__ T of(T a, T b) { return a + b; } };"
    " template <template <typename> class Op, typename T> __global__ void k(T *a)"
    " { a[0] = Op<T>::of(a[1], a[2]); }",
    _UNARY + "template <typename T> struct P { }; template <typename T> using Q = P<T>;"
    " __device__ int f() { S<P> s; S<Q> t; return 1; }" + KERNEL % "f()",
    "template <typename F, typename... A> __device__ decltype(auto) call(F &&f, A &&...a)"
    " { return f(a...); }" + KERNEL % "call([](int x, int y) { return x + y; }, 1, a[0])",
    "__device__ int f(int x) { auto &&y = x; const auto &&z = 3; int &&w = x + 1; return y + z; }"
    + KERNEL % "f(1)",
    "template <typename T> __device__ auto f(T x) -> decltype(x * 2) { return x * 2; }"
    + KERNEL % "f(3)",
    "struct S { static __device__ int f(int x) { return x; } }; __device__ int g()"
    " { int (*p)(int) = S::f; int (*q)(int) = &S::f; return p(1) + q(2); }" + KERNEL % "g()",
    "__device__ int f(int2 p) { auto const &[x, y] = p; auto [u, v]{p}; return x + y + u + v; }"
    + KERNEL % "f(make_int2(1, 2))",
]

REFUSED = {
    _SUM.replace("(xs + ...)", "xs + 1") + KERNEL % "f(1)": "pack `xs` is not expanded here",
    _SUM + KERNEL % "f()": "a fold over `+` of an empty parameter pack",
    _SUM + KERNEL % "f<int, long>(1)": "takes 2 arguments, not 1",
    "__global__ void k(int *a) { a[0] = (a + ...); }": "`(a + ...)` names no parameter pack",
    "__global__ void k(int *a) { a[0] = sizeof...(a); }": "`sizeof...(a)` names no parameter pack",
    "__device__ int g(int a, int b); template <int... N, typename... T> __device__ int f(T... t)"
    " { return g((N + t)...); }" + KERNEL % "f<1, 2>(1, 2, 3)": "`N` has 2, `t` has 3",
    "template <typename T, typename... R> __device__ int f(T x, R... r) { return f(r...); }"
    + KERNEL % "f(1)": "takes at least 1 arguments, not 0",
    "template <typename... T, typename U> struct S {};"
    + KERNEL % "1": "must be the last parameter",
    _UNARY + "template <typename A, typename B> struct P { }; __device__ S<P> s;": "`P` does not",
    _UNARY + "struct Q { }; __device__ S<Q> s;": "is a template, which `Q` is not",
    "template <auto N> __device__ int f() { return N; }" + KERNEL % "f<int>()": "is a value",
    "__device__ int f() { int2 p = {1, 2}; auto [x] = p; return x; }" + KERNEL % "1": "has 2 parts",
    "__device__ int f() { auto [x] = 3; return x; }" + KERNEL % "1": "`int` has no parts",
    "union U { int n; float x; }; __device__ int f() { U u{3}; auto [n] = u; return n; }"
    + KERNEL % "1": "no parts that could be named apart",
    "struct S { union { int n; float x; }; int m; }; __device__ int f(S s) { auto [n, m] = s;"
    " return m; }" + KERNEL % "1": "no parts that could be named apart",
    "class C { int x; }; __device__ int f(C c) { auto [x] = c; return x; }" + KERNEL % "1": (
        "`x` is no public member"
    ),
    "__device__ int f(int2 p) { auto [x, y] = p; return [&] { return x; }() + y; }"
    + KERNEL % "1": "cannot capture the structured binding `x`",
    "__device__ int f(int x) { int &&y = x; return y; }" + KERNEL % "f(1)": "has an address",
}
NOT_SUPPORTED = {
    "__device__ int f(int &&x) { return x; }" + KERNEL % "f(1)": "references with `&&`",
    "template <typename... Ts> __device__ int f(Ts... ts) { auto g = [&](auto... us)"
    " { return ((us + ts) + ...); }; return g(ts...); }" + KERNEL % "f(1, 2)": (
        "`us` cannot be expanded together"
    ),
}


def taken(text: str) -> None:
    unit = read(Source(text), headers={})
    names = [trial.instances[0] for trial in trials(unit)]
    for kernel in check(read(Source(text), headers={}, names=names)).kernels.values():
        compile_kernel(kernel)


@pytest.mark.parametrize("text", TAKEN)
def test_what_cuda_takes_is_taken(text: str) -> None:
    taken(text)


@pytest.mark.parametrize("text", [*REFUSED, *NOT_SUPPORTED])
def test_what_is_refused(text: str) -> None:
    with pytest.raises(CompileError) as caught:
        taken(text)
    assert (REFUSED | NOT_SUPPORTED)[text] in caught.value.message


@pytest.mark.slow
@pytest.mark.parametrize("text", [*TAKEN, *REFUSED, *NOT_SUPPORTED])
def test_cuda_says_so(text: str) -> None:
    assert cuda_takes(text) == (text not in REFUSED)


def test_kernels_with_packs_are_launched_by_their_instances() -> None:
    text = (
        "template <typename... T> __global__ void k(float *a, T... x) { a[0] = (x + ... + 0.f); }"
    )
    name = "k<float, int>"
    module = simulator.RawModule(code=text, name_expressions=[name])
    a = simulator.zeros(1, "float32")
    module.get_function(name)((1,), (1,), (a, np.float32(1.5), np.int32(2)))
    assert a.get()[0] == 3.5


SEQUENCES = """
#include <%s>
template <typename F, size_t... I>
__device__ int each(F f, %s::index_sequence<I...>) { return (f(I) + ... + 0); }
template <typename T, T... I> __device__ T weigh(%s::integer_sequence<T, I...>) {
    T t[] = {I...};
    return t[1] + 10 * (I + ... + 0);
}
template <typename... Ts> __device__ int squares(Ts... ts) {
    return each([](int x) { return x * x; }, %s::index_sequence_for<Ts...>{});
}
extern "C" __global__ void k(int *a) {
    a[0] = each([](int j) { return 3 * j; }, %s::make_index_sequence<37>{});
    a[1] = weigh(%s::make_integer_sequence<int, 5>()) + %s::index_sequence<7, 8>::size();
    a[2] = squares(1, 2.0, 3);
}"""


@pytest.mark.parametrize(
    ("header", "space"), [("utility", "std"), ("cuda/std/utility", "cuda::std")]
)
def test_sequences_of_integers_are_there(header: str, space: str) -> None:
    a = simulator.zeros(3, "int32")
    simulator.RawKernel(SEQUENCES.replace("%s", header, 1).replace("%s", space), "k")(
        (1,), (1,), (a,)
    )
    assert a.get().tolist() == [3 * sum(range(37)), 1 + 100 + 2, 5]


def test_sequences_of_integers_need_their_header() -> None:
    with pytest.raises(CompileError, match="`std::index_sequence` needs its header") as caught:
        taken("template <size_t... I> __device__ int f(std::index_sequence<I...>) { return 1; }")
    assert caught.value.hint == "write `#include <utility>`"


def test_messages_name_elements_of_packs() -> None:
    text = "template <typename... T> __device__ int f(T... x) { return 1; }" + KERNEL
    with pytest.raises(CompileError, match=r"the argument `x\[1\]` of `f<int, int \*>`"):
        taken(text % "f<int, int *>(1, 2.5f)")


def test_all_bases_of_a_pack_are_made() -> None:
    text = (
        "struct A { int a = 1; }; struct B { int b = 20; }; struct C { int c = 300; };"
        "template <typename... T> struct S : T... {};"
        "template <typename... T> __global__ void k(int *a) { S<T...> s; a[0] = s.a + s.b + s.c; }"
    )
    name = "k<A, B, C>"
    a = simulator.zeros(1, "int32")
    simulator.RawModule(code=text, name_expressions=[name]).get_function(name)((1,), (1,), (a,))
    assert a.get()[0] == 321
