"""Syntax errors in words, with their places, and what is refused by name."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.hints.context import Context, Mistake
from simulator.hints.syntax_errors import MISTAKES
from simulator.read import grammar, read
from simulator.source import CompileError, Source, Span, render
from tests.simulator.read.reading import KERNEL, body


def refusal(text: str) -> CompileError | None:
    try:
        read(Source(text))
    except CompileError as error:
        return error
    return None


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
        ("int (*p)[] = &a;", "this array needs a length", (1, 9)),
        ("register int r;", "C++17 has no `register`", (1, 1)),
        ("static extern __shared__ int s[];", "`extern` cannot stand here after `static`", (1, 8)),
        ("extern __shared__ alignas(8) int s[];", "`alignas` cannot stand here after", (1, 19)),
        ("constexpr int constexpr c = 1;", "`constexpr` cannot stand here after", (1, 15)),
        ("n = [[likely]] 1;", "an attribute cannot stand here", (1, 5)),
        ("n[[0]] = 1;", "`0` cannot stand here after `[`", (1, 4)),
        ("while (int m = n--; m) n = m;", "`)` is missing", (1, 19)),
        ("float f = (float &)n;", "a reference cannot stand here", (1, 18)),
        ("n = __func__;", "`__func__` is not supported", (1, 5)),
        ("n = 1'000';", "this ' is not closed on its line", (1, 10)),
        ("n = 0'x10;", "`0'x10` is not a number", (1, 5)),
        ("n = min<int>(1, 2);", "`min` is no template here", (1, 5)),
        ("n = __fns<int>(a, 1);", "CUDA's `__fns` is not supported", (1, 5)),
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
        ("int x² = 3;", "`²` (U+00B2, superscript two) is no character of C", (1, 6)),
        ("int ☃ = 3;", "`☃` (U+2603, snowman) is no character of C", (1, 5)),
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
        ("__device__ int f(int x) -> int { return x; }", "a result behind `->` needs `auto`"),
        ("__device__ int f(int x) { int2 [a, b] = g(x); }", "brackets stand behind the name"),
        ("__globl__ void k() { }", "`__globl__` is no word of CUDA C"),
        ("__global__ void k(foo x) { }", "`foo` is not a type"),
        ("__global__ k() { }", "the type is missing here"),
        ("__global__ void k() { } if (1) ;", "statements stand in functions only"),
        ('extern "D" { }', 'extern "D" is not supported'),
        ("__device__ int f(int x, ...);", "a variable number of arguments"),
        ("__device__ int f(...);", "a variable number of arguments"),
        ('extern "C" { template <int N> __device__ int f(); }', 'cannot be extern "C"'),
        ("namespace a { ", "this `{` is not closed"),
        ("__global__ void k() { std::swap(1, 2); }", "`std::swap` needs its header"),
        ("__global__ void k() { std::cout << 1; }", "`std::cout` is not supported"),
        ("__global__ void k() { cuda::atomic<int> x; }", "`cuda::atomic` needs its header"),
        ("__global__ void k() { cg::sync(); }", "`cg` is no namespace"),
        ("__global__ void k(half *x) { }", "`half` needs its header"),
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


def test_a_mark_that_cannot_begin_a_name_is_named() -> None:
    error = refusal("\u0e310")
    assert error is not None
    assert "U+0E31" in error.message


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


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("template <class T> __device__ int f(T (&a)[]);", "this array needs a length"),
        ("inline __forceinline__ __device__ int f();", "`__forceinline__` cannot stand here after"),
        ("static __device__ static int f();", "`static` cannot stand here after `static`"),
    ],
)
def test_heads_of_functions_that_are_refused(program: str, message: str) -> None:
    error = refusal(program)
    assert error is not None
    assert message in str(error)


@pytest.mark.parametrize(
    "program",
    [
        "static __noinline__ inline __device__ int f();",
        "__shared__ alignas(8) int s[2];",
        "alignas(8) static __shared__ int s[2];",
        "static __shared__ __align__(8) int s[2];",
    ],
)
def test_words_in_front_that_go_together(program: str) -> None:
    assert refusal(program) is None


def mistake_of(text: str, monkeypatch: pytest.MonkeyPatch) -> Mistake | None:
    """The row of the table that knows what is wrong with a text."""
    contexts: list[Context] = []

    def explain(context: Context) -> CompileError:
        contexts.append(context)
        return CompileError("noted")

    monkeypatch.setattr(grammar, "explain", explain)
    error = refusal(text)
    assert error is not None
    assert error.message == "noted", error
    for mistake in MISTAKES:
        try:
            found = mistake.error(contexts[0])
        except CompileError:  # a name that is not supported, which only this row asks for
            return mistake
        if found is not None:
            return mistake
    return None


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.example)
def test_each_mistake_is_recognised_in_its_example(mistake: Mistake, monkeypatch) -> None:
    """No row is hidden by those before it, and none matches nothing."""
    text = mistake.example
    if not text.startswith(("#define", "struct", "template", "typedef", "_global_", "__")):
        text = f"__global__ void k(int *a, int n) {{\n{text}\n}}"
    assert mistake_of(text, monkeypatch) is mistake
