"""The reader: text to unchecked trees, with their places, and syntax errors in words."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator import tree
from simulator.declared import Definition, Prototype, Variable
from simulator.read import read
from simulator.source import CompileError, Source, Span, render
from simulator.walk import walk

KERNEL = """#define WIDTH 4
extern "C" __global__ void gather(const int *__restrict__ in, int *out, int n) {
  __shared__ int tile[WIDTH];
  typedef unsigned long long count_t;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  count_t total = 0;
  #pragma unroll 1
  for (int k = 0, step = 2; k < WIDTH && i < n; k += step) {
    total += in[i + k] ? (count_t)in[i] : 1u;
    if (total > 3) continue; else --i;
  }
  tile[threadIdx.x % WIDTH] = min(i, n);
  __syncthreads();
  do { out[i] = -tile[0]; } while (false);
}
"""


def body(statements: str) -> tuple[tree.Statement, ...]:
    unit = read(Source(f"__global__ void k(int *a, int n) {{ {statements} }}"))
    (item,) = unit.items
    assert isinstance(item, Definition)
    return item.body.body


def expression(text: str) -> tree.Expression:
    (statement,) = body(f"{text};")
    assert isinstance(statement, tree.Evaluate)
    return statement.expression


def refusal(text: str) -> CompileError | None:
    try:
        read(Source(text))
    except CompileError as error:
        return error
    return None


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


@pytest.mark.parametrize(
    ("statements", "message", "place"),
    [
        ("int x = 3\n  x = 4;", "`;` is missing after `3`", (1, 10)),
        ("int x = 3 }", "`;` is missing after `3`", (1, 10)),
        ("n = 1 int y;", "`;` is missing after `1`", (1, 6)),
        ("in x = 3;", "`in` is not a type", (1, 1)),
        ("n = (3 + 4;", "`)` is missing", (1, 11)),
        ("n = a[3;", "`]` is missing", (1, 8)),
        ("if (n > 3 { }", "`)` is missing", (1, 10)),
        ("for (int i = 0; i < n; i++ { }", "`)` is missing", (1, 27)),
        ("for (int i = 0, i < n; i++) { }", "`;` separates the parts of `for`, not `,`", (1, 15)),
        ("n = 3 +;", "`;` cannot stand here after `+`", (1, 8)),
        ("n + 1 = 3;", "`=` cannot stand here", (1, 7)),
        ("if (n) int z = 3;", "a declaration cannot stand here", (1, 8)),
        ("else n = 3;", "this `else` has no `if`", (1, 1)),
        ("} }", "this `}` closes nothing", (1, 3)),
        (")", "this `)` closes nothing", (1, 1)),
        ("int (*f)(int);", "function pointers are not supported", (1, 9)),
        ("int (*p)[3] = &a;", "pointers and references to arrays are not supported", (1, 5)),
        ("const float (&v)[4] = a;", "pointers and references to arrays", (1, 13)),
        ("[[maybe_unused]] int x = 1;", "attributes `[[…]]` are not supported", (1, 1)),
        ("if (int m = n - 1) n = m;", "declared in the parentheses of `if`", (1, 5)),
        ("while (int m = n--) n = m;", "declared in the parentheses of `while`", (1, 8)),
        ("float f = (float &)n;", "a reference cannot stand here", (1, 18)),
        ("n = __func__;", "`__func__` is not supported", (1, 5)),
        ("n = alignof(double);", "`alignof` is not supported", (1, 5)),
        ("n = 1'000';", "this ' is not closed on its line", (1, 10)),
        ("n = 0'x10;", "`0'x10` is not a number", (1, 5)),
        ("auto f = [=](int i) { };", "lambdas are not supported", (1, 10)),
        ("n = min<int>(1, 2);", "`min` is no template here", (1, 5)),
        ("n = tex1Dfetch<int>(a, 1);", "CUDA's `tex1Dfetch` is not supported", (1, 5)),
        ("for (int x : a) n++;", "range-based `for` is not supported", (1, 12)),
        ("if (n < 3 a[n] = 1;", "`)` is missing", (1, 10)),
        ("if (n < n a[n] = 1;", "`)` is missing", (1, 10)),
        ("n = a[n n];", "an operator is missing after `n`", (1, 8)),
        ("end: n = 3;", "labels and `goto` are not supported", (1, 1)),
        ("#pragma unroll\nn = 3;", "`#pragma unroll` stands before a loop only", (1, 2)),
        ("int int = 3;", "`int int` is not a type", (1, 1)),
        ("unsigned float f;", "`unsigned float` is not a type", (1, 1)),
        ("n = 08;", "`08` is not a number", (1, 5)),
        ("n = 1.5.3;", "`1.5.3` is not a number", (1, 5)),
        ("n = 99999999999999999999;", "too large for every integer type", (1, 5)),
        ("n = 'ab';", "'ab' is not one character", (1, 5)),
        ("n = 'a;", "this ' is not closed on its line", (1, 5)),
        ("int é = 3;", "`é` (U+00E9, latin small letter e with acute) is no", (1, 5)),
        ("n\0 = 3;", "there is a NUL byte here", (1, 2)),
        ("n = 3 $ 4;", "`$` is no character of C", (1, 7)),
    ],
)
def test_syntax_errors_say_what_is_wrong(
    statements: str, message: str, place: tuple[int, int]
) -> None:
    with pytest.raises(CompileError) as caught:
        read(Source(f"__global__ void k(int *a, int n) {{\n{statements}\n}}"))
    span = caught.value.span
    assert message in caught.value.message
    assert span is not None
    assert (span.line - 1, span.column) == place


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("__global__ void k() { if (1) {", "this `{` is not closed"),
        ("__global__ void k()", "`{` is missing"),
        ("__device__ auto f(int x) -> int { return x; }", "a result type behind `->`"),
        ("__device__ int f(int x) noexcept { return x; }", "`noexcept` is not supported"),
        ("__device__ int f(int (*g)(int)) { return g(1); }", "function pointers are not supported"),
        ("template <int N> __device__ int f(const int (&v)[N]);", "references to arrays"),
        ("[[nodiscard]] __device__ int f(int x);", "attributes `[[…]]` are not supported"),
        ("__globl__ void k() { }", "`__globl__` is no word of CUDA C"),
        ("__global__ void k(foo x) { }", "`foo` is not a type"),
        ("__global__ k() { }", "the type is missing here"),
        ("__global__ void k() { } if (1) ;", "statements stand in functions only"),
        ('extern "D" { }', 'extern "D" is not supported'),
        ("class P { int x; };", "`class` is not supported"),
        ("template <typename T> struct S { };", "templates of structures are not supported"),
        ("template <typename T> using A = T *;", "templates of types are not supported"),
        ("template <int N> constexpr int n = N;", "templates of variables are not supported"),
        ("template <> __device__ int f<int>();", "specialisation of templates is not supported"),
        ("template __device__ int f<int>();", "explicit instantiation is not supported"),
        ("template <typename... T> __device__ int f();", "a variable number of arguments"),
        ('extern "C" { template <int N> __device__ int f(); }', 'cannot be extern "C"'),
        ("namespace a { ", "this `{` is not closed"),
        ("__global__ void k() { std::swap(1, 2); }", "`std::swap` is not supported"),
        ("__global__ void k() { std::cout << 1; }", "`std::cout` is not supported"),
        ("__global__ void k() { cuda::atomic<int> x; }", "library `cuda::` is not supported"),
        ("__global__ void k() { cg::sync(); }", "`cg` is no namespace"),
        ("__global__ void k(half *x) { }", "`half` is not supported"),
    ],
)
def test_what_is_not_supported_is_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        read(Source(text))
    assert message in caught.value.message
    assert caught.value.span is not None


@pytest.mark.parametrize(
    "text",
    [
        "n = " + "(" * 10_000 + "1" + ")" * 10_000 + ";",
        "{" * 10_000,
        "n = " + "- " * 10_000 + "1;",
        "n = " + "+".join("n" * 5_000) + ";",
        "if (n) " * 5_000 + ";",
        "int " + "*" * 5_000 + "p;",
        "int p" + "[1]" * 5_000 + ";",
        "n = " + "1" * 100_000 + ";",
    ],
)
def test_what_is_nested_too_deeply_ends_in_an_error(text: str) -> None:
    with pytest.raises(CompileError) as caught:
        body(text)
    assert caught.value.span is not None


@given(st.randoms(use_true_random=False), st.integers(min_value=1, max_value=3))
def test_damaged_programs_end_in_errors_with_a_place(chance: random.Random, wounds: int) -> None:
    words = KERNEL.split(" ")
    for _ in range(wounds):
        position = chance.randrange(len(words))
        words[position : position + chance.randrange(2)] = [chance.choice(words)]
    error = refusal(" ".join(words))
    assert error is None or error.span is not None
    assert "ANON" not in str(error)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    error = refusal(text)
    assert error is None or error.span is not None


def test_a_long_sum_is_called_what_it_is() -> None:
    with pytest.raises(CompileError, match="an expression of 299 operators in a row is too long"):
        body(f"n = {'+'.join('n' * 300)};")
    with pytest.raises(CompileError, match="levels of nesting"):
        body(f"n = {'-(' * 150}n{')' * 150};")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("union { int x; };", "read the bits with __float_as_int"),
        ("__global__ void k() { std::cout << 1; }", "use printf"),
        (
            "#define SQ(x) ((x) * (x)\n__device__ int f() {\n return SQ(3);\n}",
            "comes from the macro",
        ),
    ],
)
def test_hints_say_what_to_do(text: str, hint: str) -> None:
    error = refusal(text)
    assert error is not None
    assert hint in error.hint


def test_a_byte_order_mark_is_no_text() -> None:
    error = refusal("\ufeff__global__ void k() { n = ; }")
    assert error is not None
    assert error.span is not None
    assert (error.span.line, error.span.column) == (1, 27)
    assert "\ufeff" not in str(error)


@given(st.integers(0, 400), st.integers(0, 400))
def test_long_lines_are_shown_around_the_caret(before: int, after: int) -> None:
    text = "x" * before + "!" + "y" * after
    shown = render("error", "no", Span(Source(text), 1, before + 1, 1, before + 2))
    _, line, caret = shown.splitlines()
    assert len(line) <= 104
    assert line[caret.index("^")] == "!"
    assert ("…" in line) == (len(text) > 100)


def test_places_name_the_macro_that_made_them() -> None:
    inner = "#define INNER(x) (x)\n#define OUTER INNER(1)\n"
    unit = read(Source(f"{inner}__device__ int f() {{ return OUTER + (2); }}", "k.cu"))
    spans = {node.span.macro for item in unit.items for node in walk(item)}
    assert spans == {"", "the macro `INNER`, defined in line 1 of k.cu"}
    plain = next(n for i in unit.items for n in walk(i) if isinstance(n, tree.Binary))
    assert plain.span.macro == ""
