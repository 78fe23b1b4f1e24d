"""Function templates: deduced and given arguments, instances, kernels by their name expressions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from simulator.source import CompileError
from tests.simulator.launching import run, source

QUICK = settings(max_examples=25, deadline=None)

FUNCTIONS = """
template <typename T> __device__ T twice(T x) { return x + x; }
template <class T> __device__ int size_of(const T *p) { return sizeof(*p) + 0 * sizeof(T); }
template <typename T> __device__ void swap(T &a, T &b) { T c = a; a = b; b = c; }
template <typename T> __device__ T first(const T &x, int n) { T y = x; return y + (T)n; }
template <typename T, int N = 3> __device__ T power(T x) {
  T product = 1;
  for (int i = 0; i < N; i++) product *= x;
  return product;
}
template <int A, unsigned B = A * 2, bool C = (A > 3)> __device__ int sum() {
  int fixed[A + B] = {A, B};
  return 1000 * C + 10 * fixed[0] + fixed[1] + sizeof(fixed) * 0;
}
template <typename T, typename U> __device__ U cast(T x) { return (U)x; }
template <typename U, typename T> __device__ U to(T x) { return U(x); }
template <int N> __device__ int fibonacci() {
  if constexpr (N < 2) return N;
  else return fibonacci<N - 1>() + fibonacci<N - 2>();
}
template <typename T> __device__ T zero() { return T(); }
"""


def value(expression: str, inside: str = "", functions: str = FUNCTIONS) -> float:
    """What a kernel finds `expression` to be."""
    text = source("double *out", f"{inside} out[0] = {expression};", functions)
    return float(run(text, np.zeros(1, "f8"), block=1).arrays[0][0])


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("twice(3)", 6),
        ("twice(1.25)", 2.5),
        ("twice<int>(1.75)", 2),
        ("twice<unsigned char>(200)", 144),
        ("twice<float>(16777217)", 33554432),
        ("sizeof(twice('a'))", 1),
        ("size_of((long long *)0)", 8),
        ("size_of((const short *)0)", 2),
        ("size_of<int>(nullptr)", 4),
        ("first(2.5, 1)", 3.5),
        ("power(2)", 8),
        ("power<double, 5>(1.5)", 1.5**5),
        ("power<int>(3.9)", 27),
        ("sum<2>()", 24),
        ("sum<4>()", 1048),
        ("sum<4, 1, false>()", 41),
        ("sum<(5 > 3) + 1, sizeof(int)>()", 24),
        ("cast<double, int>(2.75)", 2),
        ("to<int>(2.75)", 2),
        ("to<int, double>(2.75)", 2),
        ("fibonacci<7>()", 13),
        ("zero<float>() + zero<long long>()", 0),
        ("twice(twice(twice(1)))", 8),
        ("3 < 4 == twice(1) > 1", 1),
    ],
)
def test_calls_of_templates(expression: str, wanted: float) -> None:
    assert value(expression) == wanted


def test_references_exchange_variables_of_any_type() -> None:
    inside = "float a = 1, b = 2; swap(a, b); int c[2] = {3, 4}; swap(c[0], c[1]);"
    assert value("a * 100 + b * 10 + c[0]", inside) == 214


POINTERS = """
template <typename T> __device__ T read(T *p) { T x = p[1]; return x; }
template <typename T> __device__ T total(const T *p, int n) {
  T s = 0; for (int i = 0; i < n; i++) s += read(p + i - 1); return s;
}
template <typename T> __device__ void fill(T *p, T x) { *p = x; }
template <typename T> __device__ int depth(T **p) { return 2; }
"""


def test_pointers_carry_const_into_instances() -> None:
    body = """const float *fixed = a; double v[3] = {1, 2, 3}; float *q = out; float **r = &q;
    fill(out, total(fixed, 4)); out[1] = total(v, 3) + depth(r); out[2] = read(a);"""
    text = source("const float *a, float *out", body, POINTERS)
    ran = run(text, np.arange(4, dtype="f4"), np.zeros(3, "f4"), block=1)
    assert ran.arrays[1].tolist() == [6, 8, 1]


def test_a_prototype_gives_the_defaults_and_the_definition_the_body() -> None:
    text = """template <typename T = int, int N = 4> __device__ T f(T x);
    __device__ int g(int x) { return f(x) + f<long long, 1>(x); }
    template <typename S, int M> __device__ S f(S y) { return y * M; }"""
    assert value("g(10)", functions=text) == 50


def test_templates_and_functions_call_each_other_in_any_order() -> None:
    text = """__device__ int plain(int x);
    template <typename T> __device__ T outer(T x) { return plain(x) + 1; }
    __device__ int caller(int x) { return outer(x); }
    __device__ int plain(int x) { return 10 * x; }"""
    assert value("caller(2) + outer(3)", functions=text) == 52


def test_names_of_a_template_are_those_of_its_place() -> None:
    text = """constexpr int n = 1;
    namespace a { constexpr int n = 2; template <int M> __device__ int f() { return n * M; } }
    template <typename T> __device__ T h(T x) { int T2 = 3; return x + T2; }"""
    assert value("a::f<10>() + n", "int n = 5;", text) == 25
    assert value("h(1)", functions=text) == 4


@pytest.mark.slow
@QUICK
@given(st.sampled_from(["int", "unsigned", "long long", "double"]), st.integers(-9, 9), st.data())
def test_an_instance_is_the_function_written_out(of: str, x: int, data: st.DataObject) -> None:
    n = data.draw(st.integers(0, 6))
    body = "T r = 1; for (int i = 0; i < N; i++) r = r * x - (T)i / 2; return r;"
    text = f"""template <typename T, int N> __device__ T made(T x) {{ {body} }}
    __device__ {of} plain({of} x) {{ {
        body.replace("T ", f"{of} ").replace("(T)", f"({of})").replace("N", str(n))
    } }}"""
    assert value(f"made<{of}, {n}>({x})", functions=text) == value(f"plain({x})", functions=text)


def test_only_the_side_that_counts_is_checked() -> None:
    text = """template <typename T, bool POINTER> __device__ float get(T x) {
      if constexpr (POINTER) { return *x; } else { return x; }
    }
    template <int N> __device__ int pick() {
      if constexpr (N == 1) return 1;
      else if constexpr (N == 2) return 2;
      return 3;
    }"""
    inside = "float a[1] = {2.5f};"
    assert value("get<float *, true>(a) + get<int, false>(3)", inside, text) == 5.5
    assert value("100 * pick<1>() + 10 * pick<2>() + pick<9>()", functions=text) == 123


# Kernels.

KERNEL = """
template <typename T, int N> __global__ void scale(T *a, T by, int n) {
  __shared__ T tile[N];
  int i = blockIdx.x * N + threadIdx.x;
  if (i < n) tile[threadIdx.x] = a[i];
  __syncthreads();
  if (i < n) a[i] = tile[threadIdx.x] * by;
}
template <bool ADD = true> __global__ void __launch_bounds__(ADD ? 32 : 16) step(int *a) {
  a[threadIdx.x] += ADD ? 1 : -1;
}
__global__ void plain(int *a) { a[threadIdx.x] = 7; }
namespace inner { template <int N> __global__ void put(int *a) { *a = N; } }
"""


def launched(name: str, block: int, *arguments: Any, names: list[str] | None = None) -> Any:
    with simulator.Device("h200", memory=1 << 20):
        module = simulator.RawModule(code=KERNEL, name_expressions=names or [name])
        a = simulator.asarray(arguments[0])
        module.get_function(name)((1,), (block,), (a, *arguments[1:]))
        return a.get().tolist()


@pytest.mark.parametrize("name", ["scale<float, 32>", "scale<float,32>", "scale< float , 16*2 >"])
def test_kernels_are_named_as_the_host_wrote_them(name: str) -> None:
    found = launched(name, 32, np.arange(3, dtype="f4"), np.float32(1.5), 3)
    assert found == [0, 1.5, 3]


def test_kernels_with_defaults_and_in_namespaces() -> None:
    assert launched("step<>", 1, np.zeros(1, "i4")) == [1]
    assert launched("step<false>", 1, np.zeros(1, "i4")) == [-1]
    assert launched("inner::put<6>", 1, np.zeros(1, "i4")) == [6]
    assert launched("plain", 1, np.zeros(1, "i4")) == [7]
    assert launched("&plain", 1, np.zeros(1, "i4")) == [7]


def test_launch_bounds_belong_to_the_instance() -> None:
    with pytest.raises(simulator.LaunchError, match="32 threads a block") as caught:
        launched("step<false>", 32, np.zeros(32, "i4"))
    assert caught.value.span is not None
    assert caught.value.span.text == "step"


@pytest.mark.parametrize("name", ["scale<int, 8>", "scale"])
def test_instances_must_be_announced(name: str) -> None:
    module = simulator.RawModule(code=KERNEL, name_expressions=["scale<float, 8>"])
    for ask in (lambda: module.get_function(name), lambda: simulator.RawKernel(KERNEL, name)):
        with pytest.raises(CompileError, match="'scale' is a template, and") as e:
            ask()
        assert "name_expressions=[" in e.value.hint


def test_the_generated_code_of_an_instance_can_be_printed() -> None:
    module = simulator.RawModule(code=KERNEL, name_expressions=["scale<float, 8>"])
    kernel = module.get_function("scale<float, 8>")
    assert kernel.compiled().text.startswith("def run_scale_float__8_(")
    assert kernel.signature == "float *a, float by, int n"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("scale<float>", "`N` of the template `scale` is not given"),
        ("scale<8, float>", "`T` of the template `scale` is a type"),
        ("scale<float, int>", "`N` of the template `scale` is a value of type `int`"),
        ("scale<float, 8, 9>", "the template `scale` takes 2 arguments, not 3"),
        ("scale<foo, 8>", "`T` of the template `scale` is a type, which `foo` is not"),
        ("plain<int>", "`<` cannot stand here after `plain`"),
        ("nothing", "the source has no function `nothing`"),
        ("scale<float, 8", "ends too early"),
        ("", "ends too early"),
    ],
)
def test_wrong_name_expressions(name: str, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        simulator.RawModule(code=KERNEL, name_expressions=[name])
    assert message in caught.value.message


# Errors.


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("twice<int, 3>(1);", "the template `twice` takes 1 arguments, not 2"),
        ("twice();", "`twice` takes 1 arguments, not 0"),
        ("power<int, n>(2);", "`N` of the template `power` must be a constant integer"),
        ("power<int, 2.5>(2);", "`N` of the template `power` must be a constant integer"),
        ("zero();", "`T` of the template `zero` is not given"),
        ("to(1);", "`U` of the template `to` is not given"),
        ("swap(n, x);", "`T` of the template `swap` would be both `int` and `float`"),
        ("const int c = n; swap(c, c);", "`a` is const"),
        ("twice(&n);", "`+` cannot combine `int *` and `int *`"),
        ("size_of(n);", "`T` of the template `size_of` is not given"),
        ("twice;", "`twice`"),
        ("if constexpr (n) n = 1;", "the condition of `if constexpr` must be constant"),
        ("n = missing<int>(1);", "`missing` is no template here"),
        ("step<true>(&n);", "the kernel `step<true>` cannot be called from device code"),
        ("bad<int>(1);", "`undeclared` is not declared"),
        ("deep<50>();", "more than 40 instances of templates inside one another"),
        ("same<int>(1);", "an instance of a template cannot call itself: `same<int>`"),
        ("only(1);", "the template `only` is declared, but not defined"),
    ],
)
def test_wrong_uses(body: str, message: str) -> None:
    functions = """
    template <typename T> __device__ T bad(T x) { return undeclared; }
    template <int N> __device__ int deep() { return deep<N - 1>(); }
    template <typename T> __device__ T same(T x) { return same(x); }
    template <typename T> __device__ T only(T x);
    """
    with pytest.raises(CompileError) as caught:
        simulator.RawModule(source("int n, float x", body, FUNCTIONS + KERNEL + functions))
    assert message in caught.value.message
    assert caught.value.span is not None


def test_errors_say_in_which_instance_they_are() -> None:
    text = """template <typename T> __device__ int inner(T x) { return x % 2; }
    template <typename T> __device__ int outer(T x) { return inner(x); }
    extern "C" __global__ void k(float x) { outer(1); outer(x); }"""
    with pytest.raises(CompileError, match="`%` needs integers, not `float`") as caught:
        simulator.RawKernel(text, "k")
    hints = caught.value.hint.splitlines()
    assert [h.split(",")[0] for h in hints[-2:]] == ["in `inner<float>`", "in `outer<float>`"]
    assert caught.value.span is not None
    assert caught.value.span.line == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('extern "C" template <int N> __global__ void k() { }', 'a template cannot be extern "C"'),
        ("template <int N> __global__ void f(); __device__ int f();", "declared differently"),
        ("__global__ void f(); template <int N> __device__ int f();", "declared differently"),
        ("template <int N> __device__ int f() { return 1; }" * 2, "`f` is defined twice"),
        ("template <int N> void f() { } __global__ void k() { f<1>(); }", "is a host function"),
        ("template <float F> __device__ int f() { return 1; } __global__ void k() { f<1>(); }",
         "cannot be a `float`"),
        ("template <typename T> __global__ int k(T x) { return 1; }", ""),
    ],
)  # fmt: skip
def test_wrong_declarations(text: str, message: str) -> None:
    if not message:  # what no instance uses is not checked
        simulator.RawModule(code=text)
        return
    with pytest.raises(CompileError) as caught:
        simulator.RawModule(code=text)
    assert message in caught.value.message


def test_a_typedef_names_the_instance_and_not_its_arguments() -> None:
    classes = """struct First { int x; };
template <typename A, typename B> struct Both { A a; B b; };
typedef Both<First, First> Pair;"""
    body = "Pair p; First f; p.a.x = 3; f.x = 4; p.b = f; *out = p.a.x + p.b.x;"
    assert run(source("int *out", body, classes), np.zeros(1, "i4")).arrays[0].tolist() == [7]


def test_arguments_that_are_all_left_out() -> None:
    functions = "template <typename T = int, int n = 3> struct Cell { T x = n; };"
    text = source("int *a", "Cell<> one; Cell<float> other; a[0] = one.x + other.x;", functions)
    assert run(text, np.zeros(1, "i4"), block=1).arrays[0].tolist() == [6]
