"""Namespaces: which name means what, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.source import CompileError
from tests.simulator.launching import run, source


def value(declarations: str, expression: str, inside: str = "") -> int:
    """What a kernel behind `declarations` finds `expression` to be."""
    text = source("int *out", f"{inside} out[0] = {expression};", declarations)
    return int(run(text, np.zeros(1, "i4"), block=1).arrays[0][0])


NESTED = """
constexpr int n = 1;
namespace a {
  constexpr int n = 2, m = n + 10;
  typedef unsigned char byte;
  __device__ int f(int x) { return x + n; }
  namespace b {
    constexpr int n = 3;
    __device__ int f(int x) { return 10 * a::f(x) + n; }
    __device__ int outer() { return m + ::n; }
  }
  __device__ int g() { return b::n + f(0); }
}
"""


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("n", 1),
        ("::n", 1),
        ("a::n", 2),
        ("::a::n", 2),
        ("a::m", 12),
        ("a::b::n", 3),
        ("a::f(5)", 7),
        ("a::b::f(5)", 73),
        ("a::b::outer()", 13),
        ("a::g()", 5),
        ("(int)(a::byte)257", 1),
        ("std::max(3, std::abs(-4))", 4),
        ("(int)std::sqrt(81.0f)", 9),
        ("sizeof(std::uint64_t)", 8),
    ],
)
def test_names_of_nested_namespaces(expression: str, wanted: int) -> None:
    assert value(NESTED, expression) == wanted


@pytest.mark.parametrize(
    ("inside", "expression", "wanted"),
    [
        ("using namespace a;", "f(1)", 3),
        ("using namespace a; using namespace b;", "m", 12),
        ("using namespace a::b;", "outer()", 13),
        ("using a::f;", "f(1)", 3),
        ("using a::b::n;", "n", 3),
        ("namespace c = a::b;", "c::n", 3),
        ("using namespace std;", "max(3, 4)", 4),
        ("using std::min;", "min(3, 4)", 3),
        ("using T = a::byte;", "sizeof(T)", 1),
    ],
)
def test_what_using_brings(inside: str, expression: str, wanted: int) -> None:
    assert value(NESTED, expression, inside) == wanted


def test_using_ends_with_its_block() -> None:
    with pytest.raises(CompileError, match="`m` is not declared"):
        value(NESTED, "m", "{ using namespace a; out[0] = m; }")


def test_parameters_and_locals_hide_names_of_the_namespace() -> None:
    text = """namespace a {
      constexpr int n = 2;
      __device__ int f(int n) { { int m = n; n = m + 1; } return n; }
      __device__ int g() { float4 v = {1, 2, 3, 4}; int x = n; return x + (int)v.x; }
      constexpr int x = 50;
    }"""
    assert value(text, "a::f(5) + a::g()") == 9


def test_a_namespace_in_parts_and_without_a_name() -> None:
    text = """
    namespace a::b { constexpr int n = 4; }
    namespace { constexpr int hidden = 5; }
    namespace a { __device__ int f() { return b::n + hidden; } }"""
    assert value(text, "a::f()") == 9


def test_linkage_of_c_has_no_namespace() -> None:
    text = """namespace a {
      __device__ int two() { return 2; }
      extern "C" __global__ void k(int *out) { out[0] = two(); }
      extern "C" { __device__ int three() { return 3; } }
    }
    __device__ int f() { return a::three() + three(); }"""
    assert run(text, np.zeros(1, "i4"), block=1).arrays[0][0] == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("int x = a::q;", "`a` has no `q`"),
        ("int x = a::b::f;", "the function `a::b::f` is not called here"),
        ("using namespace q;", "`q` is no namespace"),
        ("int x = q::n;", "`q::` is not supported"),
        ("int x = a::;", "a name is missing after `::`"),
        ("namespace c { }", "a namespace cannot stand in a function"),
        ("int x = std::accumulate(1);", "`std::accumulate` is not supported"),
        ("int x = std::is_same_v;", "`std::is_same_v` needs its header"),
        ("cuda::atomic x;", "`cuda::atomic` needs its header"),
        ("cuda::std::atomic x;", "`cuda::std::atomic` needs its header"),
        ("using namespace thrust; device_vector x;", "`device_vector` is not a type"),
        ("thrust::device_vector x;", "`thrust::device_vector` is not supported"),
        ("cooperative_groups::sync(1);", "`cooperative_groups::sync` needs its header"),
        ("cg::sync(1);", "`cg` is no namespace"),
        ("using a::b::q;", "`a::b` has no `q`"),
        ("a::f(1, 2);", "`a::f` takes 1 argument, not 2"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        value(NESTED, "0", text)
    assert message in caught.value.message
    assert caught.value.span is not None


def test_names_that_macros_make() -> None:
    text = "#define SPACE a\nnamespace SPACE { constexpr int n = 6; }\n#define N SPACE::n"
    assert value(text, "N") == 6
