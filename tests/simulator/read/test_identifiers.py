"""Names of any alphabet, the names of types as variables, and lines that are spliced."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from simulator.check import check
from simulator.read import read
from simulator.read.grammar import lex
from simulator.source import CompileError, Source, Span, render
from tests.simulator.launching import run, source

NOT_ASCII = {
    "german": ("größe", "maß"),
    "greek": ("α", "β"),
    "cyrillic": ("узел", "ребро"),
    "chinese": ("数", "顶点"),
    "hindi": ("संख्या", "शीर्ष"),
    "ligature": ("ﬁ", "fi"),
    "compatible": ("ｎ", "n"),
    "escaped": (r"\u00e4", "a\\U000000e4"),
    "mixed": ("vértice_2", "_ñ"),
}


@pytest.mark.parametrize("names", NOT_ASCII.values(), ids=NOT_ASCII)
def test_names_of_any_alphabet_name_everything(names: tuple[str, str]) -> None:
    """Variables, parameters, functions, structures, members, macros, constants and labels."""
    one, two = names
    functions = f"""
    #define M_{two} 5
    struct S_{one} {{ int {one}; int {two}[2]; }};
    enum {{ E_{one} = 7 }};
    __constant__ int c_{one} = 11;
    __device__ int f_{one}(int {one}, int &{two}) {{ {two} += 1; return {one} * 2; }}
    template <typename T_{one}, int N_{two}>
    __device__ T_{one} g(T_{one} x) {{ return x + N_{two}; }}
    """
    body = f"""
    int {one} = threadIdx.x, {two} = 3;
    S_{one} s = {{{one}, {{1, M_{two}}}}};
    __shared__ int shared_{one}[32];
    shared_{one}[{one}] = {one};
    __syncthreads();
    int r = f_{one}({one}, {two}) + g<int, 4>(s.{one}) + E_{one} + c_{one};
    a[{one}] = r + 1000 * {two} + s.{two}[1] + shared_{one}[31 - {one}];
    """
    (found,) = run(source("int *a", body, functions), np.zeros(32, "i4")).arrays
    x = np.arange(32)
    np.testing.assert_array_equal(found, 2 * x + x + 4 + 7 + 11 + 4000 + 5 + 31 - x)


def test_kernels_and_their_parameters_have_such_names() -> None:
    text = 'extern "C" __global__ void größe(int *länge, int ｎ) { länge[0] = ｎ; }'
    a = simulator.zeros(1, "int32")
    kernel = simulator.RawKernel(text, "größe")
    kernel((1,), (1,), (a, 3))
    assert a.get().tolist() == [3]
    assert kernel.signature == "int *länge, int ｎ"
    expression = "größe<int, 4>"
    template = "template <typename T, int ℓ> __global__ void größe(T *a) { a[0] = ℓ; }"
    module = simulator.RawModule(code=template, name_expressions=[expression])
    module.get_function(expression)((1,), (1,), (a,))
    assert a.get().tolist() == [4]


def test_two_ways_to_write_a_letter_are_one_name() -> None:
    text = source("int *a", "int e\u0301 = 3; a[0] = \u00e9 + \\u00e9;")
    assert run(text, np.zeros(1, "i4"), block=1).arrays[0].tolist() == [6]


@pytest.mark.parametrize("schedule", ["lockstep", "warp", "shuffled:3", "random:5"])
def test_such_names_under_every_schedule(schedule: str) -> None:
    text = source("int *a", "int ж = threadIdx.x; atomicAdd(&a[ж % 2], ж); ")
    with simulator.Device(schedule=schedule):
        a = simulator.zeros(2, "int32")
        simulator.RawKernel(text, "k")((2,), (64,), (a,))
        assert a.get().tolist() == [2 * sum(range(0, 64, 2)), 2 * sum(range(1, 64, 2))]


def warnings(text: str) -> list[str]:
    return [str(warning) for warning in check(read(Source(text, "k.cu"))).warnings]


def test_nvrtc_takes_no_such_names_which_is_told_once() -> None:
    (warning,) = warnings(
        "__global__ void k(int *a) {\n  int größe = 1; int länge = größe; a[0] = länge;\n}"
    )
    assert warning.splitlines() == [
        "k.cu:2:9: warning: NVRTC takes no `ö` (U+00F6, latin small letter o with diaeresis)"
        " in names",
        "      int größe = 1; int länge = größe; a[0] = länge;",
        "            ^",
        "  for a GPU, make names of the letters a to z and A to Z, digits and `_`",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "// größe\n__global__ void k(int *a) { a[0] = 1; }",
        '__global__ void k(int *a) { printf("größe %d", 1); }',
        "#if 0\nint größe;\n#endif\n__global__ void k(int *a) { a[0] = 1; }",
        r"__global__ void k(int *a) { int \u00e4 = 1; a[0] = \u00e4; }",
    ],
)
def test_what_nvrtc_takes_gets_no_warning(text: str) -> None:
    assert warnings(text) == []


def test_carets_stand_under_wide_letters() -> None:
    with pytest.raises(CompileError) as caught:
        check(read(Source("__global__ void k(int *a) { int 数 = 顶点 + a; }", "k.cu")))
    _, line, caret, *_ = str(caught.value).splitlines()
    assert line.startswith("    __global__")
    # Each of the two characters before takes two columns.
    assert caret == " " * (4 + line[4:].index("顶") + 1) + "^~~~"
    accent = Source("e\u0301 = y")
    assert render("error", "no", Span(accent, 1, 6, 1, 7)).splitlines()[2] == "        ^"


@pytest.mark.parametrize("sign", ["×", "–", "“", "；", "·", "\u00a0", "☃", "²", "€"])
def test_signs_are_still_no_letters(sign: str) -> None:
    with pytest.raises(CompileError) as caught:
        read(Source(f"__global__ void k(int *a, int n) {{ a[0] = n{sign}3; }}"))
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (1, 44)
    assert f"U+{ord(sign):04X}" in caught.value.message


# Spliced lines.

PROGRAM = """#define ADD(x, y) ((x) + (y))
__device__ int twice(int value) { return 2 * value; } // a comment
extern "C" __global__ void k(int *a, int n) {
  /* another */ int total = 0x1f + 12;
  for (int i = 0; i <= n; i++) total += ADD(twice(i), 'a');
  printf("%d and \\n", total >> 1);
  a[threadIdx.x] = total;
}
"""


@settings(max_examples=60)
@given(st.lists(st.integers(0, len(PROGRAM)), max_size=8), st.sampled_from(["\n", "\r\n"]))
def test_a_line_may_be_spliced_anywhere(places: list[int], end: str) -> None:
    """Words and their order stay; each is where its first letter was put."""
    plain = [(t.type, t.text) for t in lex(Source(PROGRAM))]
    text, shift = PROGRAM, 0
    for place in sorted(places):
        text = text[: place + shift] + f"\\{end}" + text[place + shift :]
        shift += 1 + len(end)
    spliced = list(lex(Source(text)))
    assert [(t.type, t.text) for t in spliced] == plain
    lines = text.split("\n")
    for token in spliced:
        if token.type != "NEWLINE":
            assert lines[token.span.line - 1][token.span.column - 1] == token.text[0]


def test_messages_point_to_the_line_as_it_stands() -> None:
    text = "__global__ void k(int *a) {\n  int x = \\\n    y;\n  a[0] = x;\n}"
    with pytest.raises(CompileError, match="`y` is not declared") as caught:
        check(read(Source(text)))
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (3, 5)
