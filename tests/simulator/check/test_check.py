"""The checker: types, symbols and conversions of whole programs, and errors in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.check import check
from simulator.ir import tree
from simulator.ir.tree import walk
from simulator.ir.types import BOOL, FLOAT, INT, LONG, SCALARS, UINT, Scalar, common
from simulator.read import read
from simulator.source import CompileError, Source
from tests.simulator.verify import MalformedTreeError, verify

HELPERS = """
__device__ int dev(int p, const int *q) { return *q + p; }
__device__ void raise(int &p) { p += 1; }
__device__ void nothing() { }
constexpr int SIZE = 4 * 8;
static const float HALF = 0.5f;
"""
PARAMETERS = (
    "int *a, int n, const int *fixed, float f, double d, unsigned u, unsigned char c, bool b"
)


def program(text: str) -> tree.Program:
    return verify(check(read(Source(text, "k.cu"))))


def kernel(statements: str) -> tree.Function:
    text = f"{HELPERS}__global__ void k({PARAMETERS}) {{\n{statements}\n}}"
    return program(text).kernels["k"]


def nodes(statements: str) -> Iterator[tree.Node]:
    return walk(kernel(statements).body)


def value(text: str) -> tree.Expression:
    """The checked expression `text`, as the value of a variable of its own type."""
    declaration = kernel(f"auto x = {text};").body.body[0]
    assert isinstance(declaration, tree.Declaration)
    assert declaration.value is not None
    return declaration.value


def described(node: tree.Expression) -> str:
    """The node and those below it, with casts and types."""
    if isinstance(node, tree.Cast):
        return f"({node.type}){described(node.operand)}"
    if isinstance(node, tree.Decay):
        return f"&{described(node.operand)}[0]"
    if isinstance(node, tree.Binary | tree.Logical):
        return f"[{described(node.left)} {node.op} {described(node.right)}]"
    if isinstance(node, tree.Unary):
        return f"{node.op}{described(node.operand)}"
    if isinstance(node, tree.Index):
        return f"{described(node.base)}[{described(node.index)}]"
    if isinstance(node, tree.Call):
        return f"{node.name}({', '.join(map(described, node.arguments))})"
    if isinstance(node, tree.Conditional):
        parts = map(described, (node.test, node.then, node.other))
        return "{} ? {} : {}".format(*parts)
    return str(node.value) if isinstance(node, tree.Literal) else node.span.text


@pytest.mark.parametrize(
    ("text", "ctype", "tree_text"),
    [
        ("n + u", "unsigned int", "[(unsigned int)n + u]"),
        ("c + c", "int", "[(int)c + (int)c]"),
        ("b + 1", "int", "[(int)b + 1]"),
        ("n + f", "float", "[(float)n + f]"),
        ("f * d", "double", "[(double)f * d]"),
        ("n < u", "bool", "[(unsigned int)n < u]"),
        ("c << u", "int", "[(int)c << u]"),
        ("u << c", "unsigned int", "[u << (int)c]"),
        ("-c", "int", "-(int)c"),
        ("!f", "bool", "!(bool)f"),
        ("n && a", "bool", "[(bool)n && (bool)a]"),
        ("n ? c : f", "float", "(bool)n ? (float)c : f"),
        ("b ? c : c", "unsigned char", "b ? c : c"),
        ("a + c", "int *", "[a + (int)c]"),
        ("n + a", "int *", "[a + n]"),
        ("a - fixed", "long", "[a - fixed]"),
        ("a == nullptr", "bool", "[a == 0]"),
        ("a == fixed", "bool", "[(const int *)a == fixed]"),
        ("a[c]", "int", "a[c]"),
        ("&a[n]", "int *", "&a[n]"),
        ("&fixed[n]", "const int *", "&fixed[n]"),
        ("threadIdx.x + 1", "unsigned int", "[threadIdx.x + 1]"),
        ("warpSize / 2", "int", "[warpSize / 2]"),
        ("sizeof(long long)", "unsigned long", "8"),
        ("SIZE", "int", "32"),
        ("HALF", "float", "0.5"),
        ("(float)n", "float", "(float)n"),
        ("(int *)(n + 1)", "int *", "(int *)(long)[n + 1]"),
        ("(n, f)", "float", "[n , f]"),
        ("dev(u, a)", "int", "dev((int)u, (const int *)a)"),
        ("min(n, u)", "unsigned int", "min((unsigned int)n, u)"),
        ("sqrtf(d)", "float", "sqrtf((float)d)"),
        ("sqrt(f)", "float", "sqrt(f)"),
        ("pow(f, n)", "double", "pow((double)f, (double)n)"),
        ("fabsf(f)", "float", "fabsf(f)"),
        ("abs(c)", "int", "abs((int)c)"),
        ("__fdividef(f, 2)", "float", "[f / 2.0]"),
        ("__ballot_sync(0xffffffff, n)", "unsigned int", "__ballot_sync(4294967295, (bool)n)"),
        ("__shfl_sync(-1, c, 0)", "int", "__shfl_sync(4294967295, (int)c, 0, 32)"),
        ("__shfl_up_sync(u, d, 1, 16)", "double", "__shfl_up_sync(u, d, 1, 16)"),
        ("atomicAdd(a, u)", "int", "atomicAdd(a, (int)u)"),
        ("atomicCAS_block(&a[1], 0, n)", "int", "atomicCAS_block(&a[1], 0, n)"),
        ("__float_as_int(1)", "int", "__float_as_int(1.0)"),
    ],
)
def test_expressions_get_types_and_casts(text: str, ctype: str, tree_text: str) -> None:
    checked = value(text)
    assert (str(checked.type), described(checked)) == (ctype, tree_text)


def test_ldg_reads_like_a_star() -> None:
    assert isinstance(value("__ldg(&fixed[n])"), tree.Deref)


def test_arrays_decay_and_rows_of_arrays_do_too() -> None:
    (assign,) = (
        node
        for node in nodes("__shared__ int tile[4][8]; tile[n][1] = 0;")
        if isinstance(node, tree.Assign)
    )
    assert described(assign.target) == "&&tile[0][n][0][1]"
    assert isinstance(assign.target, tree.Index)
    assert str(assign.target.base.type) == "int *"


def test_every_use_of_a_variable_has_its_symbol() -> None:
    function = kernel("int x = n; { int x = 2; x++; } x--; for (int x = 0; x < n; x++) ;")
    symbols: set[tree.Symbol | None] = set()
    for node in walk(function.body):
        if isinstance(node, tree.Name) and node.name == "x":
            symbols.add(node.symbol)
    declared = {n.symbol for n in walk(function.body) if isinstance(n, tree.Declaration)}
    assert symbols == declared
    assert len(declared) == 3
    uses = {n.symbol for n in walk(function.body) if isinstance(n, tree.Name) and n.name == "n"}
    assert uses == {function.parameters[1]}


@pytest.mark.parametrize(
    ("statement", "op", "compute", "given"),
    [
        ("c += f;", "+", "float", "float"),
        ("c += 1;", "+", "int", "int"),
        ("u <<= c;", "<<", "unsigned int", "int"),
        ("c >>= 1u;", ">>", "int", "unsigned int"),
        ("a += c;", "+", "int *", "long"),
    ],
)
def test_compound_assignments_compute_in_c_types(
    statement: str, op: str, compute: str, given: str
) -> None:
    (node,) = (n for n in nodes(statement) if isinstance(n, tree.CompoundAssign))
    assert (node.op, str(node.compute), str(node.value.type)) == (op, compute, given)


def test_lists_of_values_are_flat_and_filled_with_zeros() -> None:
    (declaration,) = (
        n for n in nodes("int m[2][3] = {{1}, {2, 3}};") if isinstance(n, tree.Declaration)
    )
    values = [node.value for node in declaration.values or () if isinstance(node, tree.Literal)]
    assert values == [1, 0, 0, 2, 3, 0]


@pytest.mark.parametrize(
    ("statement", "ctype"),
    [
        ("int v[] = {1, 2, 3};", "int[3]"),
        ("float v[SIZE + 1];", "float[33]"),
        ("const int N = sizeof(a) / 2; int v[N][2];", "int[4][2]"),
        ("extern __shared__ double v[];", "double[]"),
        ("typedef int row[3]; row v[2];", "int[2][3]"),
        ("auto v = &fixed[0];", "const int *"),
        ("const auto *v = a;", "const int *"),
        ("uint64_t v;", "unsigned long"),
    ],
)
def test_declared_types(statement: str, ctype: str) -> None:
    declarations = [n for n in nodes(statement) if isinstance(n, tree.Declaration)]
    assert str(declarations[-1].symbol.type) == ctype


def test_functions_are_checked_before_their_callers_and_kept_in_order() -> None:
    text = """
    __device__ int twice(int x);
    __global__ void __launch_bounds__(4 * 64, 2) k(int *a) { a[0] = twice(a[1]); }
    __device__ __forceinline__ int twice(int x) { return 2 * x; }
    """
    checked = program(text)
    assert list(checked.functions) == ["k", "twice"]
    assert checked.functions["k"].max_threads == 256
    (call,) = (n for n in walk(checked.functions["k"].body) if isinstance(n, tree.Call))
    assert call.function is checked.functions["twice"]


def test_functions_that_call_themselves_are_marked_and_their_calls_lead_to_them() -> None:
    found = program("""
    __device__ int g(int x);
    __device__ int f(int x) { return x ? g(x - 1) : 0; }
    __device__ int g(int x) { return x ? f(x - 1) : 1; }
    __device__ int h(int x) { return x ? h(x / 2) + f(x) : 2; }
    __device__ int plain(int x) { return h(x); }
    __global__ void k(int *a) { a[0] = plain(3); }
    """).functions
    marked = {name for name, function in found.items() if function.recursive}
    assert marked == {"f", "g", "h"}
    for function in found.values():
        for node in walk(function.body):
            if isinstance(node, tree.Call):
                assert node.function is found[node.name]


def test_references_are_places_and_const_references_values() -> None:
    text = """
    __device__ void f(int &x, const float &y) { x = y; }
    __global__ void k(int *a) { f(a[1], 2); }
    """
    checked = program(text)
    x, y = checked.functions["f"].parameters
    assert (x.reference, y.reference, str(y.type)) == (True, False, "float")
    (call,) = (n for n in walk(checked.functions["k"].body) if isinstance(n, tree.Call))
    assert [type(argument).__name__ for argument in call.arguments] == ["Index", "Literal"]


NUMPY: dict[str, Callable[..., Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
    "<": np.less,
    "==": np.equal,
}
INTEGER_TYPES = [t for t in SCALARS if t.is_integer and not t.is_bool]


@given(
    st.sampled_from(INTEGER_TYPES),
    st.sampled_from(INTEGER_TYPES),
    st.sampled_from(list(NUMPY)),
    st.integers(-(2**70), 2**70),
    st.integers(-(2**70), 2**70),
)
def test_constants_are_computed_as_numpy_computes_in_the_common_type(
    left: Scalar, right: Scalar, op: str, x: int, y: int
) -> None:
    def fitted(number: int, ctype: Scalar) -> int:
        return int(np.array([number % 2 ** (8 * ctype.size)], "u8").astype(ctype.code)[0])

    x, y = fitted(x, left), fitted(y, right)
    text = f"({left})0x{x % 2**64:x} {op} ({right})0x{y % 2**64:x}"
    checked = value(text)
    ctype = common(left, right)
    operands = (np.array([fitted(number, ctype)], ctype.code) for number in (x, y))
    assert isinstance(checked, tree.Literal)
    assert checked.type == (BOOL if op in ("<", "==") else ctype)
    assert checked.value == NUMPY[op](*operands)[0]


def test_the_validator_finds_malformed_trees() -> None:
    function = kernel("n = n + 1;")
    statement = function.body.body[0]
    assert isinstance(statement, tree.Evaluate)
    assert isinstance(statement.expression, tree.Assign)
    assign = statement.expression
    assert isinstance(assign.value, tree.Binary)
    broken = [
        replace(assign, value=replace(assign.value, type=FLOAT)),
        replace(assign, value=replace(assign.value, right=replace(assign.value.right, type=UINT))),
        replace(assign, target=tree.Name("n", None, span=assign.span, type=INT)),
        replace(assign, value=tree.Literal(1.5, span=assign.span, type=INT)),
        replace(assign, value=tree.SizeOf(None, LONG, span=assign.span, type=INT)),
    ]
    for expression in broken:
        body = replace(function.body, body=(replace(statement, expression=expression),))
        with pytest.raises(MalformedTreeError):
            verify(tree.Program({"k": replace(function, body=body)}, span=function.span))


def test_constants_without_effect_leave_literals() -> None:
    evaluated = [n.expression for n in nodes("SIZE; (void)HALF;") if isinstance(n, tree.Evaluate)]
    assert [type(node) for node in evaluated] == [tree.Literal, tree.Literal]


@pytest.mark.parametrize("name", ["counts", "twice", "__ballot_sync"])
def test_unknown_names_are_met_with_the_nearest(name: str) -> None:
    text = "__device__ int twice(int x) { return x; } __global__ void k(int *counts) { "
    wrong = name[:-2] + name[-1]
    use = f"{wrong}[0] = 1; }}" if name == "counts" else f"{wrong}(1); }}"
    with pytest.raises(CompileError) as caught:
        program(text + use)
    assert "is not declared" in caught.value.message
    assert caught.value.hint == f"did you mean `{name}`?"
