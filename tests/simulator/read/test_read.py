"""The reader: text to unchecked trees, with their places, and syntax errors in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.ir import tree
from simulator.ir.tree import walk
from simulator.ir.unchecked import Prototype, Variable
from simulator.read import read
from simulator.source import CompileError, Source
from tests.simulator.read.reading import KERNEL, body


def expression(text: str) -> tree.Expression:
    (statement,) = body(f"{text};")
    assert isinstance(statement, tree.Evaluate)
    return statement.expression


def shape(node: tree.Expression) -> str:
    """The expression with all its parentheses."""
    if isinstance(node, tree.Binary | tree.Logical):
        return f"({shape(node.left)}{node.op}{shape(node.right)})"
    if isinstance(node, tree.Assign):
        return f"({shape(node.target)}={shape(node.value)})"
    if isinstance(node, tree.CompoundAssign):
        return f"({shape(node.target)}{node.op}={shape(node.value)})"
    if isinstance(node, tree.Conditional):
        return f"({shape(node.test)}?{shape(node.then)}:{shape(node.other)})"
    if isinstance(node, tree.Unary):
        return f"({node.op}{shape(node.operand)})"
    if isinstance(node, tree.Deref):
        return f"(*{shape(node.pointer)})"
    if isinstance(node, tree.Increment):
        parts = (node.op, shape(node.target)) if node.prefix else (shape(node.target), node.op)
        return f"({''.join(parts)})"
    if isinstance(node, tree.Cast):
        return f"(({node.type}){shape(node.operand)})"
    return node.span.text


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("a+b*c-d", "((a+(b*c))-d)"),
        ("a<<b+c<d&e==f", "(((a<<(b+c))<d)&(e==f))"),
        ("a|b^c&d", "(a|(b^(c&d)))"),
        ("a||b&&c||d", "((a||(b&&c))||d)"),
        ("a=b=c+1", "(a=(b=(c+1)))"),
        ("a?b:c?d:e", "(a?b:(c?d:e))"),
        ("a?b:c=d", "(a?b:(c=d))"),
        ("-a*!b", "((-a)*(!b))"),
        ("*p++", "(*(p++))"),
        ("++*p", "(++(*p))"),
        ("(int)a*b", "(((int)a)*b)"),
        ("(unsigned char)-a", "((unsigned char)(-a))"),
        ("a,b=c,d", "((a,(b=c)),d)"),
        ("a+=b<<=1", "(a+=(b<<=1))"),
        ("(a+b)*c", "((a+b)*c)"),
    ],
)
def test_operators_bind_as_in_c(text: str, result: str) -> None:
    assert shape(expression(text)) == result


def test_spans_cover_what_they_stand_for() -> None:
    (item,) = read(Source(KERNEL, "gather.cu")).items
    nodes = list(walk(item))
    texts = {type(node).__name__: node.span.text for node in reversed(nodes)}
    assert texts["Binary"] == "blockIdx.x * blockDim.x + threadIdx.x"
    assert texts["Index"] == "in[i + k]"
    assert texts["Call"] == "min(i, n)"
    assert texts["If"] == "if (total > 3) continue; else --i;"
    assert texts["Continue"] == "continue;"
    assert texts["Cast"] == "(count_t)in[i]"
    variable = next(node for node in nodes if isinstance(node, Variable))
    assert (variable.span.text, variable.symbol.span.text) == (
        "__shared__ int tile[WIDTH];",
        "tile",
    )


def test_each_name_of_a_declaration_is_its_own() -> None:
    first, second, third = body("int x = 1, *p, v[2][3] = {{1}, {2}};")
    assert isinstance(first, Variable)
    assert isinstance(second, Variable)
    assert isinstance(third, Variable)
    assert [v.symbol.name for v in (first, second, third)] == ["x", "p", "v"]
    assert first.value is not None
    assert second.value is None
    assert third.values is not None
    assert (str(second.symbol.type), second.span.text) == ("int *", "*p")


@pytest.mark.parametrize(
    "words",
    [
        "unsigned long long int",
        "long unsigned long",
        "int long long unsigned",
        "const unsigned long long volatile",
    ],
)
def test_words_of_a_type_come_in_any_order(words: str) -> None:
    (variable,) = body(f"{words} x;")
    assert isinstance(variable, Variable)
    assert str(variable.symbol.type) == "unsigned long long"


def test_constness_sits_where_it_is_written() -> None:
    unit = read(
        Source("__device__ int f(const int *a, int *const b, const int *const *c, int d[]);")
    )
    (head,) = unit.items
    assert isinstance(head, Prototype)
    assert [(str(p.type), p.const) for p in head.parameters] == [
        ("const int *", False),
        ("int *", True),
        ("const int *const *", False),
        ("int *", False),
    ]


def test_loops_keep_their_kind_and_their_pragma() -> None:
    loops = body("\n#pragma unroll\nfor (;;) ;\n#pragma unroll 4\nwhile (n) ;\ndo ; while (n);")
    assert [
        (loop.kind, loop.unroll, loop.test is None) for loop in loops if isinstance(loop, tree.Loop)
    ] == [("for", "", True), ("while", "4", False), ("do", None, False)]


def test_names_of_types_reach_as_far_as_their_block() -> None:
    body("{ typedef int T; T x; } int T = 3; T = 4;")
    body("using T = float *; T x; sizeof(T);")
    body("typedef unsigned uint; uint x;")
    with pytest.raises(CompileError, match="`T` is not a type"):
        body("{ typedef int T; } T x;")


@pytest.mark.parametrize(
    ("text", "ctype", "value"),
    [
        ("0", "int", 0),
        ("017", "int", 15),
        ("0b101", "int", 5),
        ("2147483648", "long", 2**31),
        ("0x80000000", "unsigned int", 2**31),
        ("1u", "unsigned int", 1),
        ("1L", "long", 1),
        ("1ull", "unsigned long long", 1),
        ("0xffffffffffffffff", "unsigned long", 2**64 - 1),
        ("1.5", "double", 1.5),
        (".5f", "float", 0.5),
        ("0.1f", "float", 0.10000000149011612),
        ("1e3", "double", 1000.0),
        ("0x1.8p1", "double", 3.0),
        ("'a'", "char", 97),
        ("'\\n'", "char", 10),
        ("'\\xff'", "char", -1),
        ("true", "bool", True),
        ("nullptr", "void *", 0),
    ],
)
def test_literals_have_the_types_of_cpp(text: str, ctype: str, value: float) -> None:
    literal = expression(text)
    assert isinstance(literal, tree.Literal)
    assert (str(literal.type), literal.value, type(literal.value)) == (ctype, value, type(value))


@given(st.integers(min_value=0, max_value=2**63 - 1))
def test_integers_read_alike_in_every_base(value: int) -> None:
    for text in (str(value), hex(value), bin(value), f"0{value:o}"):
        literal = expression(text)
        assert isinstance(literal, tree.Literal)
        assert literal.value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("1'000'000", 10**6), ("0xff'ff", 65535), ("0b1'01", 5), ("01'7", 15), ("1'000.5", 1000.5)],
)
def test_digits_may_be_grouped(text: str, value: float) -> None:
    literal = expression(text)
    assert isinstance(literal, tree.Literal)
    assert literal.value == value


@given(st.floats(min_value=0, allow_infinity=False, allow_nan=False))
def test_doubles_survive_their_text(value: float) -> None:
    literal = expression(repr(value) if "." in repr(value) or "e" in repr(value) else f"{value}.0")
    assert isinstance(literal, tree.Literal)
    assert literal.value == value


def test_places_name_the_macro_that_made_them() -> None:
    inner = "#define INNER(x) (x)\n#define OUTER INNER(1)\n"
    unit = read(Source(f"{inner}__device__ int f() {{ return OUTER + (2); }}", "k.cu"))
    spans = {node.span.macro for item in unit.items for node in walk(item)}
    assert spans == {"", "the macro `INNER`, defined in line 1 of k.cu"}
    plain = next(n for i in unit.items for n in walk(i) if isinstance(n, tree.Binary))
    assert plain.span.macro == ""
