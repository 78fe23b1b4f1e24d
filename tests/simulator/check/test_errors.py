"""What the checker refuses: each error names the thing, points at it, and says the remedy."""

from __future__ import annotations

import pytest

from simulator.check import check
from simulator.read import read
from simulator.source import CompileError, Source

HELPERS = """
__device__ int dev(int p, int *q) { return *q; }
__device__ void raise(int &p) { p += 1; }
__device__ void nothing(int p) { }
"""


def refusal(text: str) -> CompileError:
    with pytest.raises(CompileError) as caught:
        check(read(Source(text, "k.cu")))
    assert caught.value.span is not None
    return caught.value


@pytest.mark.parametrize(
    ("statements", "message", "place"),
    [
        ("x = 1;", "`x` is not declared", "x"),
        ("lvel = a;", "`lvel` is not declared", "lvel"),
        ("foo_t *p;", "`foo_t` is not a type", "foo_t"),
        ("int n;", "`n` is already declared in this scope", "n"),
        ("int i = n + i;", "`i` stands in its own first value", "i"),
        ("int i; float i;", "`i` is already declared in this scope", "i"),
        ("for (int i = 0; i < n; i++) { int i; }", "`i` is already declared", "i"),
        ("const int c = 3; c = 4;", "`c` is const", "c"),
        ("fixed[1] = 2;", "`fixed[1]` is const", "fixed[1]"),
        ("int v[3]; v = a;", "the array `v` cannot be assigned to as a whole", "v"),
        ("3 = n;", "`3` is a value: nothing can be assigned to it", "3"),
        ("n++ = 3;", "`n++` is a value: nothing can be assigned to it", "n++"),
        ("threadIdx.x = 3;", "`threadIdx.x` cannot be changed", "threadIdx.x"),
        ("n = threadIdx;", "`threadIdx` needs an axis", "threadIdx"),
        ("n = threadIdx.w;", "`threadIdx` has no `w`", "w"),
        ("n.x = 3;", "`n` is `int`, which has no members", "x"),
        ("n = a->x;", "`a` points to `int`, which has no members", "x"),
        ("n = n->x;", "`n` is `int`, not a pointer: `->` needs one", "n"),
        ("n = __vimax3_s32(1, 2, 3);", "CUDA's `__vimax3_s32` is not supported", None),
        ("f = normf(3, nullptr);", "CUDA's `normf` is not supported", None),
        ("f = sinpi(1);", "`sinpi` is ambiguous for these arguments", None),
        ("n = __match_any_sync(1, a);", "`__match_any_sync` takes numbers, not `int *`", "a"),
        ("__match_all_sync(1, n, n);", "`__match_all_sync` takes `int *` here, not `int`", "n"),
        ("n = __reduce_add_sync(1, f);", "`__reduce_add_sync` takes int or unsigned, not", "f"),
        ("__stcg(fixed, 1);", "`__stcg` cannot change what `const int *` points to", "fixed"),
        ("y9 = 3;", "`y9` is not declared", "y9"),
        ("return 3;", "`k` returns nothing", "3"),
        ("int *p = 3;", "the first value of `p` is `int`, but `int *` is needed", "3"),
        ("n = a;", "the assigned value is `int *`, but `int` is needed", "a"),
        ("float *p = a;", "the first value of `p` is `int *`, but `float *` is needed", "a"),
        ("int *p = fixed;", "is `const int *`, but `int *` is needed", "fixed"),
        ("n = dev(1, fixed);", "the argument `q` of `dev` is `const int *`", "fixed"),
        ("n = dev(1);", "`dev` takes 2 arguments, not 1", "dev(1)"),
        ("raise(3);", "the argument `p` of `raise` cannot be `3`", "3"),
        ("raise(f);", "the argument `p` of `raise` cannot be `f` of type `float`", "f"),
        ("n = nothing(1);", "`nothing(1)` has no value", "nothing(1)"),
        ("if (nothing(1)) ;", "`nothing(1)` has no value", "nothing(1)"),
        ("n = f % 2;", "`%` needs integers, not `float`", "f % 2"),
        ("n = f & 1;", "`&` needs integers, not `float`", "f & 1"),
        ("f <<= 1;", "`<<=` needs integers, not `float`", "f <<= 1"),
        ("n = ~f;", "`~` needs an integer, not `float`", "~f"),
        ("a + a;", "`+` cannot combine `int *` and `int *`", "a + a"),
        ("n ? a : 1;", "`int *` and `int` cannot stand together here", "n ? a : 1"),
        ("n = *n;", "`n` is `int`, not a pointer: `*` needs one", "n"),
        ("n = n[3];", "`n` is `int`, not a pointer: `[…]` needs one", "n"),
        ("n = a[f];", "a subscript must be an integer, not `float`", "f"),
        ("void *v = a; n = *v;", "`v` points to void", "v"),
        ("int v[4]; v[4] = 1;", "`v` has no element 4", "4"),
        ("int v[4]; v[-1] = 1;", "`v` has no element -1", "-1"),
        ("int v[4]; a = &v[4]; a = &v[5];", "`v` has no element 5", "5"),
        ("int v[2] = {1, 2, 3};", "3 values do not fit `int[2]`", "3"),
        ("int v[n];", "an array's length must be a constant integer", "n"),
        ("int v[0];", "an array cannot have 0 elements", "0"),
        ("int v[1000000];", "the array `v` takes 4,000,000 bytes", "v"),
        ("break;", "`break` outside a loop or switch", "break;"),
        ("if (n) continue;", "`continue` outside a loop", "continue;"),
        ("__shared__ int s[1] = {1};", "the shared variable `s` cannot have a first value", None),
        ("__shared__ int s[];", "the array `s` needs a length", "s"),
        ("extern __shared__ int s[3];", "extern shared memory is an array without a length", "s"),
        ("static int s = n;", "the first value of the static variable `s` is not constant", "n"),
        ("static int &s = n;", "the static variable `s` needs a type of its own", "s"),
        ("__constant__ int s;", "`__constant__` variables in functions are not supported", "s"),
        ("float &r = n;", "`r` cannot refer to `n` of type `int`", "n"),
        ("void v;", "`v` cannot be void", "v"),
        ("const int c;", "the constant `c` needs a value", "c"),
        ("constexpr int c = n;", "the value of `c` is not constant", "constexpr int c = n;"),
        ("auto v;", "`auto v` needs a value", "v"),
        ("auto *p = n;", "`auto *` does not match `int`", "auto *p = n;"),
        ("n = (int)a;", "a pointer does not fit `int`", "a"),
        ("a = (int *)f;", "`float` cannot be converted to `int *`", "f"),
        ("a = &threadIdx.x;", "`threadIdx.x` has no address", "&threadIdx.x"),
        ("bool b; b++;", "`++` cannot be used on bool", "b++"),
        ("a = dev;", "the function `dev` is not called here", "dev"),
        ("n(1);", "`n` is no function", "n"),
        ("k(a, n, fixed, f);", "the kernel `k` cannot be called from device code", None),
        ("n = sizeof(void);", "`void` has no size here", "sizeof(void)"),
        ('n = "abc";', "strings are not supported here", '"abc"'),
        ("a = malloc(4);", "`malloc` is not supported", "malloc"),
        ("half *p;", "`half` needs its header", "half"),
        ("atomicAdd(n, 1);", "`atomicAdd` needs a pointer first, not `int`", "n"),
        ("atomicAdd(fixed, 1);", "`atomicAdd` cannot change what `const int *` points", "fixed"),
        ("atomicAdd(a);", "`atomicAdd` takes 2 arguments, not 1", "atomicAdd(a)"),
        ("atomicInc(a, 1);", "`atomicInc` does not exist for `int`", "a"),
        ("long long *l; atomicAdd(l, 1);", "`atomicAdd` does not exist for `long long`", "l"),
        ("atomicMin(&f, 1);", "`atomicMin` does not exist for `float`", "&f"),
        ("__shfl_sync(1, a, 0);", "`__shfl_sync` takes numbers, not `int *`", "a"),
        ("n = max(1);", "`max` takes 2 arguments, not 1", "max(1)"),
        ("n = sqrt(a);", "`sqrt` takes numbers, not `int *`", "a"),
        ("n = __popc(a);", "`__popc` takes `unsigned int` here, not `int *`", "a"),
    ],
)
def test_statements_against_the_rules(statements: str, message: str, place: str | None) -> None:
    parameters = "int *a, int n, const int *fixed, float f"
    error = refusal(f"{HELPERS}__global__ void k({parameters}) {{\n{statements}\n}}")
    assert message in error.message
    assert error.span is not None
    assert place is None or error.span.text == place


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("void f() { }", "`f` is a host function"),
        ("__global__ int f() { return 1; }", "the kernel `f` must return void"),
        ("__global__ __device__ void f() { }", "cannot be both __global__ and __device__"),
        ("__global__ void f(int &x) { }", "a kernel's parameter cannot be a reference"),
        ("__global__ void f(int x, int x) { }", "`x` is already declared"),
        ("__global__ void f(void x) { }", "a parameter cannot be `void`"),
        ("__global__ void f() { } __global__ void f() { }", "`f` is defined twice"),
        ("__device__ int f(int x); __device__ float f(int x);", "`f` is declared differently"),
        ("__device__ int f(); __global__ void k() { f(); }", "`f` is declared, but not defined"),
        ("__global__ void k() { f(); } __device__ void f() { }", "`f` is not declared"),
        ("__managed__ int counter;", "`__managed__` variables are not supported"),
        ("int global = 3;", "the global variable `global` is not supported"),
        ("int table[2] = {1, 2};", "the global variable `table` is not supported"),
        ("__shared__ int s[3] = {1};", "the shared variable `s` cannot have a first value"),
        ("typedef int T; typedef float T;", "`T` is already declared"),
        ("__global__ void __launch_bounds__(x) f() { }", "`x` is not declared"),
        ("__global__ void __launch_bounds__(0) f() { }", "__launch_bounds__ needs a constant"),
    ],
)
def test_declarations_against_the_rules(text: str, message: str) -> None:
    assert message in refusal(text).message


def test_functions_in_a_circle_are_checked_like_others() -> None:
    text = """
    __device__ int g(int x);
    __device__ int f(int x) { return g(x); }
    __device__ int g(int x) { return f(x, 1); }
    """
    assert "`f` takes 1 argument, not 2" in refusal(text).message


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        ("atomicAdd(l, 1);", "cast the pointer to `unsigned long long *`"),
        ("atomicAdd(l, 1);", "it is `T atomicAdd(T *address, T value)`"),
        ("dev(1, 2.5f);", "it is `int dev(int p, int *q)`, line 2 of k.cu"),
        ("__shfl_sync(1, 2);", "it is `T __shfl_sync(unsigned mask, T value, int lane, int width"),
    ],
)
def test_wrong_calls_show_the_signature(call: str, hint: str) -> None:
    assert hint in refusal(f"{HELPERS}__global__ void k(long long *l) {{ {call} }}").hint


def test_endless_loops_need_no_return() -> None:
    check(read(Source("__device__ int f(int x) { while (1) { if (x) return 1; } }")))
    text = "__device__ int f(int x) { for (;;) { if (x) break; } }"
    (warning,) = check(read(Source(text))).warnings
    assert "can end without returning" in warning.message


@pytest.mark.parametrize(
    ("statement", "hint"),
    [
        ("n = WIDTH;", "`#define WIDTH …`, or pass the option -DWIDTH=VALUE"),
        ("n = INDEX(3);", "`#define INDEX …`"),
        ("__shared__ int s[];", "`extern __shared__ T s[];`"),
        ("float4 v; float4 *p = &v; n = p.x;", "write `p->x`"),
        ("foo(n);", "define it before its use, with `__device__` in front"),
        ("syncthreads();", "did you mean `__syncthreads`?"),
        ("atomicadd(&n, 1);", "did you mean `atomicAdd`?"),
        ("sqtr(1.0f);", "did you mean `sqrt`?"),
    ],
)
def test_hints_for_what_is_missing(statement: str, hint: str) -> None:
    found = refusal(f"__global__ void k(int n) {{ {statement} }}").hint
    assert hint in found


def test_errors_in_macros_name_the_macro() -> None:
    error = refusal("#define STORE(x) a[x] = y\n__global__ void k(int *a) {\n  STORE(3); }")
    assert error.span is not None
    assert error.span.line == 3
    assert str(error).endswith("\n  in the macro `STORE`, defined in line 1 of k.cu")


def test_linkage_is_kept() -> None:
    text = """
    extern "C" __global__ void a() { }
    extern "C" { __global__ void b() { } }
    extern "C" __global__ void c(int n);
    __global__ void c(int n) { }
    __global__ void d() { }
    extern "C++" __global__ void e() { }
    """
    functions = check(read(Source(text))).functions
    assert {name: f.linkage for name, f in functions.items()} == {
        "a": "C",
        "b": "C",
        "c": "C",
        "d": "",
        "e": "",
    }
