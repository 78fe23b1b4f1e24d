"""Functions of one name, and operators for structures and vectors."""

from __future__ import annotations

import random
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.instrument import InstrumentedModule, instrumented
from simulator.source import CompileError
from tests.simulator.cpp.test_random import compiler, needs_compiler

POINT = """
struct V { float x, y; };
__device__ V operator+(V a, V b) { return V{a.x + b.x, a.y + b.y}; }
__device__ V operator-(const V &a) { return V{-a.x, -a.y}; }
__device__ V operator*(const V &a, float s) { return V{a.x * s, a.y * s}; }
__device__ V operator*(float s, const V &a) { return a * s; }
__device__ bool operator==(V a, V b) { return a.x == b.x && a.y == b.y; }
__device__ bool operator!(V a) { return a.x == 0 && a.y == 0; }
__device__ void operator+=(float4 &a, float4 b) { a.x += b.x; a.w += b.w; }
__device__ float4 operator*(float4 a, float4 b) { return make_float4(a.x * b.x, 0, 0, a.w * b.w); }
"""

FUNCTIONS = """
__device__ int f(float x);
__device__ int f(int x) { return 1; }
__device__ int f(double x) { return 3; }
__device__ int f(int x, int y) { return 4 + f(1.0f); }
__device__ int f(float x) { return 2; }
template <typename T> __device__ int f(T *p) { return 9; }
__device__ int f(const char *p) { return 8; }
__device__ int sum(int n) { return n <= 0 ? 0 : 1 + sum(n - 1); }
__device__ int sum(float n) { return n <= 0 ? 0 : 2 + sum(n - 1.0f); }
__device__ float2 make_float2(float s) { return make_float2(s, s); }
__device__ float2 make_float2(V v) { return make_float2(v.x, v.y); }
__device__ float2 min(float2 a, float2 b) { return make_float2(min(a.x, b.x), min(a.y, b.y)); }
__device__ float even(int n) { return n; }
__device__ float odd(float n);
__device__ float even(float n) { return n <= 0 ? 1 : odd(n - 1); }
__device__ float odd(float n) { return n <= 0 ? even(0) : even(n - 1); }
namespace inner {
struct W { int q; };
__device__ int operator-(W a, W b) { return a.q - b.q; }
__device__ int g(int x) { return 1; }
__device__ int g(float x) { extern __shared__ int s[]; s[0] = 6; return s[0]; }
}
"""


def kernel(expression: str) -> str:
    return (
        f'{POINT}{FUNCTIONS}extern "C" __global__ void k(float *a) {{'
        " V v = {1, 2}, w = {3, 4}; short s = 1; const char *c = nullptr; inner::W q = {5};"
        f" a[0] = {expression}; }}"
    )


def result(expression: str) -> float:
    a = simulator.zeros(1, "float32")
    made = simulator.RawKernel(kernel(expression), "k")
    made((1,), (1,), (a,), shared_mem=64)
    return float(a.get()[0])


CASES = {
    "even(4.0f) + 10 * even(3.0f) + 100 * odd(2.0f)": 1,
    "make_float2(7.0f).y + make_float2(1, 2).y": 9,
    "make_float2(v).y + min(3, 5)": 5,
    "min(make_float2(1, 5), make_float2(2, 4)).y + min(1.5f, 3.0f)": 5.5,
    "f(1)": 1,
    "f(s)": 1,
    "f('a')": 1,
    "f(true)": 1,
    "f(1.0f)": 2,
    "f(1.0)": 3,
    "f(1, 2)": 6,
    "f(a)": 9,
    "f<float>(a)": 9,
    "f(c)": 8,
    "sum(3) + 10 * sum(3.0f)": 63,
    "inner::g(1) + 10 * inner::g(1.0f)": 61,
    "q - inner::W{3}": 2,
    "(v + w).x": 4,
    "(2.0f * (v + w) + -v * 3.0f).y": 6,
    "operator+(v, w).y": 6,
    "v == w": 0,
    "v == V{1, 2}": 1,
    "!v + !V{0, 0}": 1,
    "(make_float4(2, 0, 0, 3) * make_float4(5, 0, 0, 7)).w": 21,
}


@pytest.mark.parametrize("expression", CASES)
def test_the_best_function_is_called(expression: str) -> None:
    assert result(expression) == CASES[expression]


def test_an_operator_may_change_its_left_side() -> None:
    text = (
        f'{POINT}extern "C" __global__ void k(float4 *a) {{'
        " float4 b = a[threadIdx.x]; b += make_float4(1, 2, 3, 4); a[threadIdx.x] += b; }"
    )
    a = simulator.asarray(np.arange(8, dtype="f4"))
    simulator.RawKernel(text, "k")((1,), (2,), (a,))
    assert a.get().tolist() == [1, 1, 2, 10, 9, 5, 6, 18]


def test_what_a_gpu_counts_is_what_the_simulator_counts() -> None:
    text = kernel("(v * a[1]).x + f(a)")
    a = simulator.ones(4, "float32")
    with simulator.counting() as record:
        simulator.RawKernel(text, "k")((1,), (1,), (a,), shared_mem=64)
    made = instrumented(text)
    module = InstrumentedModule(simulator, simulator.RawModule(code=made.text), made)
    module.get_function("k")((1,), (1,), (a,), shared_mem=64)
    ours, theirs = record.launches[0].counters, module.launches[0].counters
    assert (ours.load_sectors, ours.store_sectors) == (theirs.load_sectors, theirs.store_sectors)


def test_only_functions_that_call_themselves_are_recursive() -> None:
    program = simulator.RawModule(code=kernel("sum(1) + even(1.0f) + min(v.x, 1.0f)")).program
    found = {name for name, f in program.functions.items() if f.recursive}
    assert found == {"sum", "sum(float)", "even(float)", "odd"}


REFUSED = {
    "f(1u, 1) + f(1u)": ("`f` with (unsigned int) may mean several functions", "f(double x)"),
    "f()": ("no `f` takes ()", "f(int x, int y)"),
    "f(v)": ("no `f` takes (V)", "there is `f(int x)`"),
    "(v - w).x": ("no `operator-` takes (V, V)", "operator-(V &a)"),
    "(v % w).x": ("`%` cannot combine `V` and `V`", "compute member by member"),
}


@pytest.mark.parametrize("expression", REFUSED)
def test_calls_without_a_best_function_are_refused(expression: str) -> None:
    message, hint = REFUSED[expression]
    with pytest.raises(CompileError) as caught:
        simulator.RawKernel(kernel(expression), "k").compiled()
    assert message in caught.value.message
    assert hint in caught.value.hint


WRONG = [
    ("__device__ int operator+(int a, int b) { return a; }", "of numbers alone cannot be defined"),
    ("struct S { int x; }; __device__ int operator/(S a) { return 1; }", "1 parameters"),
    ("struct S { int x; }; __device__ int operator()(S a) { return 1; }", "is a member function"),
    ("struct S { int x; }; __device__ int operator new(S a) { return 1; }", "operator new"),
    ("__global__ void k(int a) { } __global__ void k(float a) { }", "declared differently"),
    ('extern "C" __device__ int f(int a); __device__ int f(float a);', "declared differently"),
    ("__device__ int f(int a); __device__ float f(int a);", "declared differently"),
    ("__device__ int f(int a) { return 1; }" * 2, "defined twice"),
    (
        "__device__ int f(int a); __device__ int f(float a) { return 1; }"
        " __global__ void k() { f(1); }",
        "declared, but not defined",
    ),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_wrong_declarations_are_refused(text: str, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        simulator.RawModule(code=text).compile()


# Random sets of functions: which is called, or that none is best, as the host's compiler says.

TYPES = ["bool", "char", "short", "int", "unsigned", "long long", "float", "double"]
TYPES += ["const int *", "int *", "void *", "V", "const V &", "V &", "int &", "const float &"]
#: What is passed, and its type and kind of value as `std::declval` takes it.
VALUES = {
    "b": "bool &",
    "c": "char &",
    "s": "short &",
    "i": "int &",
    "u": "unsigned &",
    "l": "long long &",
    "x": "float &",
    "d": "double &",
    "p": "int *&",
    "o": "const int *&",
    "v": "V &",
    "e": "const V &",
    "i + 1": "int",
    "V{2}": "V",
    "1.0f": "float",
}
DECLARED = (
    "bool b = 1; char c = 1; short s = 1; int i = 1; unsigned u = 1; long long l = 1; float x = 1;"
    " double d = 1; int *p = 0; const int *o = 0; V v = {1}; const V e = {1};"
)
HOST = """#include <cstdio>
#include <utility>
struct V { int q; };
template <int N> struct R { static constexpr int value = N; };
"""


@dataclass(frozen=True)
class Asked:
    """Functions of one name by the types of their parameters, and the arguments of a call."""

    functions: list[tuple[str, ...]]
    arguments: tuple[str, ...]


def asked(rng: random.Random) -> Asked:
    count = rng.randint(1, 2)
    lists = [tuple(rng.choice(TYPES) for _ in range(count)) for _ in range(rng.randint(2, 5))]
    # `float` and `const float &` are one to the simulator.
    distinct = {tuple(t.replace("const float &", "float") for t in types): types for types in lists}
    return Asked(sorted(distinct.values()), tuple(rng.choice(list(VALUES)) for _ in range(count)))


def by_simulator(one: Asked) -> int:
    """The number of the function that is called, 0 if the call is refused."""
    heads = [
        f"__device__ int f({', '.join(types)}) {{ return {at + 1}; }}"
        for at, types in enumerate(one.functions)
    ]
    call = f"a[0] = f({', '.join(one.arguments)});"
    front = "\n".join(["struct V { int q; };", *heads])
    a = simulator.zeros(1, "int32")
    try:
        made = simulator.RawKernel(
            f'{front} extern "C" __global__ void k(int *a) {{ {DECLARED} {call} }}', "k"
        )
        made((1,), (1,), (a,))
    except CompileError:
        return 0
    return int(a.get()[0])


def by_compiler(many: list[Asked], folder: Path) -> list[int]:
    """The same by the host's compiler, in one program."""
    lines, shown = [HOST], []
    for number, one in enumerate(many):
        for at, types in enumerate(one.functions):
            lines.append(f"R<{at + 1}> f{number}({', '.join(types)});")
        call = f"f{number}(std::declval<A>()...)"
        lines.append(f"template <class... A> auto t{number}(int) -> decltype({call});")
        lines.append(f"template <class... A> R<0> t{number}(long);")
        given = ", ".join(VALUES[argument] for argument in one.arguments)
        shown.append(f'std::printf("%d ", decltype(t{number}<{given}>(0))::value);')
    text = "\n".join([*lines, "int main() {", *shown, "}"])
    command = [compiler(), "-std=c++17", "-x", "c++", "-o", str(folder / "program"), "-"]
    subprocess.run(command, input=text, text=True, check=True, capture_output=True)
    ran = subprocess.run([folder / "program"], capture_output=True, text=True, check=True)
    return [int(number) for number in ran.stdout.split()]


@needs_compiler
@pytest.mark.parametrize(
    "count", [150, pytest.param(2000, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_calls_mean_what_the_compiler_of_the_host_says(count: int, tmp_path: Path) -> None:
    rng = random.Random(count)
    many = [asked(rng) for _ in range(count)]
    expected = by_compiler(many, tmp_path)
    wrong = [(one, e) for one, e in zip(many, expected, strict=True) if by_simulator(one) != e]
    assert not wrong
    assert len(set(expected)) > 3
