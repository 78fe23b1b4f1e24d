"""Constants that `constexpr` functions make: what is taken and refused, and where evaluation stops.

What they come to is compared with a C++ compiler's in `classes/` and by `test_random_packs.py`.
"""

from __future__ import annotations

import pytest

import simulator
from simulator.check import check
from simulator.check.constants import NotConstant, evaluated
from simulator.compile.kernel import compile_kernel
from simulator.ir import tree
from simulator.read import read
from simulator.source import CompileError, Source
from tests.simulator.launching import cuda_takes

KERNEL = " __global__ void k(int *a) { %s a[0] = 1; }"
F = "__device__ constexpr int f(int x) { %s }"
_POINT = "struct V { int x, y; }; "
_BITS = "struct B { unsigned x : 3; int y : 3; }; "

TAKEN = [
    F % "return x * x;" + KERNEL % "int t[f(3)]; t[0] = 1; __shared__ int s[f(4)]; s[0] = t[0];",
    F % "return x * x;" + KERNEL % "const int n = f(3); int t[n]; t[0] = 1; a[1] = t[0];",
    F % "return x ? x * f(x - 1) : 1;"
    + KERNEL % "static_assert(f(5) == 120); switch (a[0]) { case f(3): a[1] = 2; }",
    F % "if (x < 0) __trap(); return x;" + KERNEL % "constexpr int n = f(3); a[1] = n;",
    F % "int t[3] = {1, 2, 3}; return t[x];" + KERNEL % "constexpr int n = f(2); a[1] = n;",
    F % "return x == 0 ? 0 : 1 + f(x - 1);" + KERNEL % "constexpr int n = f(500); a[1] = n;",
    F % "int s = 0; for (int i = 0; i < x; i++) s += 1; return s;"
    + KERNEL % "constexpr int n = f(10000); a[1] = n;",
    F % "return x + 1;" + " __global__ void __launch_bounds__(f(63)) k(int *a) { a[0] = 1; }",
    F % "return x + 1;" + " enum E { A = f(1), B }; template <int N> struct S { int t[N]; };"
    " struct __align__(f(7)) T { int x; S<f(B)> s; };" + KERNEL % "T t; t.x = B; a[1] = t.x;",
    _POINT + "__device__ constexpr V made(int i) { return {i, i + 1}; } constexpr V v = made(3);"
    " __device__ int g(const V &p) { return p.y; }"
    + KERNEL
    % "int t[v.x]; t[0] = g(v); const V *p = &v; a[1] = t[0] + p->y;",
    "constexpr int t[3] = {1, 2, 3};" + KERNEL % "int u[t[1]]; u[0] = t[a[0]]; a[1] = u[0];",
    "struct S { static constexpr float t[2] = {1, 2}; static inline constexpr int n = 3; };"
    + KERNEL % "a[1] = S::t[a[0]] + S::n; const float *p = S::t; a[2] = *p;",
    "inline constexpr int n = 4; __constant__ constexpr int t[2] = {1, n};"
    + KERNEL % "int u[t[1]]; u[0] = t[a[0]]; a[1] = u[0];",
    KERNEL % "auto f = [](int x) { return x * 2; }; constexpr int n = f(3); a[n] = n;",
    "template <int N> constexpr int lg = N <= 1 ? 0 : 1 + lg<N / 2>;"
    + KERNEL % "static_assert(lg<64> == 6); a[1] = lg<9>;",
    "template <int N> constexpr int fib = fib<N - 1> + fib<N - 2>; template <> constexpr int"
    " fib<1> = 1; template <> constexpr int fib<0> = 0;"
    + KERNEL
    % "static_assert(fib<30> == 832040);",
    "template <typename T> constexpr bool p = false; template <typename T> constexpr bool p<T *>"
    " = true; template <> inline constexpr bool p<char *> = false;"
    + KERNEL
    % "static_assert(!p<int> && p<int *> && !p<char *>);",
    _BITS + "constexpr B b = {9, -3}; __device__ constexpr B f() { B r = {1, 1}; r.x = 12;"
    " r.y -= 3; return r; } static_assert(f().x == 4 && f().y == -2 && b.x == 1);"
    + KERNEL
    % "constexpr B c = f(); a[1] = c.x + b.y;",
    "union U { int a; float b; }; constexpr U u = {3}; __device__ constexpr U f() { U r = {4};"
    " return r; } static_assert(u.a == 3 && f().a == 4);"
    + KERNEL
    % "constexpr U v = f(); a[1] = v.a;",
    "struct S { union { int a; float b; }; int c; }; constexpr S s = {{3}, 4};"
    " __device__ constexpr S f() { S r = {{5}, 6}; return r; } static_assert(s.a + f().c == 9);"
    + KERNEL
    % "constexpr S r = f(); a[1] = r.a + s.a;",
    "const int t[2] = {4, 5};" + KERNEL % "a[1] = t[a[0]];",
    "__device__ constexpr int *g(int *p) { return p + 1; }"
    + KERNEL % "constexpr int *p = nullptr; *g(a) = p == nullptr;",
    "struct V { int x[2]; __device__ constexpr int &operator[](int i) { return x[i]; } };"
    " __device__ constexpr int g() { V v{{1, 2}}; v[1] = 7; return v[0] + v[1]; }"
    + KERNEL
    % "V v{}; v[1] = a[0]; int t[g()]; t[0] = v[1]; a[1] = t[0];",
    "__device__ int n; __device__ constexpr int g(int x)"
    " { if (!__builtin_is_constant_evaluated()) atomicAdd(&n, 1); return x; }"
    + KERNEL
    % "int t[g(3)]; t[0] = g(a[0]); a[1] = t[0];",
]

REFUSED = {
    F % "return 1 / x;" + KERNEL % "constexpr int n = f(0); a[1] = n;": "`1 / x` divides by zero",
    F % "return x + 2147483647;" + KERNEL % "int t[f(1)];": "which `int` does not hold",
    F % "return -x;" + KERNEL % "int t[f(-2147483647 - 1)];": "which `int` does not hold",
    F % "return 1 << x;" + KERNEL % "static_assert(f(33));": "`1 << x` shifts by 33 bits",
    F % "int t[3] = {1, 2, 3}; return t[x];"
    + KERNEL % "constexpr int n = f(3); a[1] = n;": "`t[x]` is outside of an array of 3 elements",
    F % "int y; y = x; return y;" + KERNEL % "int t[f(2)];": "`y` has no first value",
    "__device__ int f(int x) { return x; }" + KERNEL % "constexpr int n = f(2);": (
        "calls a function that is not `constexpr`"
    ),
    F % "return __popc(x);" + KERNEL % "constexpr int n = f(7);": "calls a function of CUDA's",
    F % "return x == 0 ? 0 : 1 + f(x - 1);" + KERNEL % "constexpr int n = f(600);": (
        "more than 512 calls"
    ),
    F % "if (x < 0) return 1; __trap(); return 2;" + KERNEL % "int t[f(2)];": (
        "calls a function of CUDA's"
    ),
    F % "return x;" + KERNEL % "int t[f(a[0])];": "must be a constant integer",
    F % "return x;" + KERNEL % "if constexpr (f(a[0])) a[1] = 2;": "must be constant",
    F % "return x;" + KERNEL % "switch (a[0]) { case f(a[1]): a[1] = 2; }": "is not a constant",
    F % "return threadIdx.x + x;" + KERNEL % "constexpr int n = f(1);": "is known at run time only",
    "__device__ int d; "
    + F % "return d + x;"
    + KERNEL % "int t[f(2)];": "`d` is known at run time",
    F % "if (x > 3) return x;" + KERNEL % "constexpr int n = f(2);": "ends here without",
    "constexpr int t[2] = {1, 2};" + KERNEL % "t[0] = 3;": "const",
    "union U { int a; float b; }; constexpr U u = {3};"
    + KERNEL % "static_assert(u.b == 0);": "`u.b == 0` is not constant",
}


def taken(text: str) -> None:
    for kernel in check(read(Source(text), headers={})).kernels.values():
        compile_kernel(kernel)


@pytest.mark.parametrize("text", TAKEN)
def test_what_cuda_takes_is_taken(text: str) -> None:
    taken(text)


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(CompileError) as caught:
        taken(text)
    assert REFUSED[text] in caught.value.message


@pytest.mark.slow
@pytest.mark.parametrize("text", [*TAKEN, *REFUSED])
def test_cuda_says_so(text: str) -> None:
    assert cuda_takes(text) == (text in TAKEN)


def test_messages_point_to_where_the_evaluation_stops() -> None:
    text = F % "\n  return 100 / x;\n" + "\n__device__ int t[f(0)];"
    with pytest.raises(CompileError) as caught:
        taken(text)
    error = caught.value
    assert error.span is not None
    assert (error.span.line, error.span.text) == (2, "100 / x")
    assert "`f(0)`, line 4" in error.hint


def test_an_endless_loop_ends() -> None:
    text = F % "for (;;) x = 1; return x;" + KERNEL % "constexpr int n = f(2);"
    with pytest.raises(CompileError, match="too many steps"):
        taken(text)


def test_constant_arrays_are_in_global_memory() -> None:
    text = """
constexpr int table[64] = {5, 6, 7};
extern "C" __global__ void k(int *a) { a[threadIdx.x] = table[threadIdx.x] + table[1]; }"""
    a = simulator.zeros(32, "int32")
    with simulator.counting() as record:
        simulator.RawKernel(text, "k")((1,), (32,), (a,))
    assert a.get()[:4].tolist() == [11, 12, 13, 6]
    counters = record.launches[0].counters
    assert counters.load_requests == 1  # the compiler knows `table[1]`
    assert counters.load_sectors == 4


def test_constants_are_not_called_at_run_time() -> None:
    unit = F % "return x * x;" + KERNEL % "constexpr int n = f(3); a[1] = n; a[2] = f(a[3]);"
    kernel = check(read(Source(unit), headers={})).kernels["k"]
    calls = [node for node in tree.walk(kernel.body) if isinstance(node, tree.Call)]
    assert [call.span.text for call in calls] == ["f(a[3])"]


def test_an_evaluation_is_told_from_a_call() -> None:
    text = """
__device__ constexpr int which() { return __builtin_is_constant_evaluated() ? 1 : 2; }
extern "C" __global__ void k(int *a) { constexpr int n = which(); a[0] = n; a[1] = which(); }"""
    a = simulator.zeros(2, "int32")
    simulator.RawKernel(text, "k")((1,), (1,), (a,))
    assert a.get().tolist() == [1, 2]


def test_an_expression_that_is_no_constant_says_so() -> None:
    kernel = check(read(Source("__global__ void k(int *a) { a[0] = 1; }"))).kernels["k"]
    last = kernel.body.body[0]
    assert isinstance(last, tree.Evaluate)
    with pytest.raises(NotConstant, match="`a` is known at run time only"):
        evaluated(last.expression, {}, {})
