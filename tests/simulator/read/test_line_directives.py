"""`#line`, `#warning` and pragmas: what of them counts."""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from simulator.check import check
from simulator.ir.tree import Loop, walk
from simulator.read import read
from simulator.source import Source
from tests.simulator.launching import run, source


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("a[0] = __LINE__;\n#line 100\na[1] = __LINE__;\n\na[2] = __LINE__;", [1, 100, 102]),
        ("\n#line 7\n#line 40\na[0] = __LINE__; a[1] = __LINE__;\na[2] = __LINE__;", [40, 40, 41]),
        (
            "\n#define L __LINE__\n#line 50\na[0] = L;\na[1] = L + __LINE__;\na[2] = 0;",
            [50, 102, 0],
        ),
        ("\n#define N 20\n#line N\na[0] = __LINE__;\na[1] = 0; a[2] = 0;", [20, 0, 0]),
        ("\n# 33\na[0] = __LINE__; a[1] = 0;\na[2] = __LINE__;", [33, 0, 34]),
        ("\n#line 010\na[0] = __LINE__; a[1] = 0; a[2] = 0;", [10, 0, 0]),
        ("\n#if 0\n#line 90\n#endif\na[0] = __LINE__; a[1] = 0; a[2] = 0;", [5, 0, 0]),
    ],
)
def test_lines_are_counted_from_what_line_says(body: str, lines: list[int]) -> None:
    text = f'extern "C" __global__ void k(int *a) {{ {body}\n}}'
    assert run(text, np.zeros(3, "i4"), block=1).arrays[0].tolist() == lines


def test_the_name_of_the_file_follows(capsys) -> None:
    text = source("", '\n#line 8 "other.cu"\nprintf("%s:%d", __FILE__, __LINE__);')
    simulator.RawKernel(text, "k")((1,), (1,), ())
    assert capsys.readouterr().out == "other.cu:8"


def test_messages_show_the_text_as_it_stands() -> None:
    text = 'extern "C" __global__ void k(int *a) {\n#line 500\n  a[9] = 1;\n}'
    with pytest.raises(simulator.Fault) as caught:
        run(text, np.zeros(3, "i4"), block=1)
    assert caught.value.span is not None
    assert caught.value.span.line == 3


def test_a_warning_of_the_program_is_one_of_the_program() -> None:
    program = check(read(Source("#warning it's slow\n__global__ void k() { }", "k.cu")))
    (warning,) = program.warnings
    assert str(warning).startswith("k.cu:1:2: warning: #warning it's slow\n")
    assert check(read(Source("#if 0\n#warning no\n#endif"))).warnings == ()


@pytest.mark.parametrize("pragma", ["omp parallel", "GCC diagnostic push", "nounroll", "once more"])
def test_foreign_pragmas_warn_at_most(pragma: str) -> None:
    text = f"#pragma {pragma}\n__global__ void k() {{ }}"
    assert all(w.severity == "warning" for w in check(read(Source(text))).warnings)


@pytest.mark.parametrize("pragma", ["nv_diag_suppress 177", "STDC FP_CONTRACT ON", 'message "x"'])
def test_pragmas_of_cudas_own_are_silent(pragma: str) -> None:
    assert check(read(Source(f"#pragma {pragma}\n__global__ void k() {{ }}"))).warnings == ()


def unrolled(text: str) -> list[str | None]:
    program = check(read(Source(text)))
    return [
        n.unroll for f in program.functions.values() for n in walk(f.body) if isinstance(n, Loop)
    ]


def test_a_pragma_as_an_operator_is_the_same() -> None:
    loop = "for (int i = 0; i < 4; i++) a[i] = i;"
    text = f"""
    #define UNROLL(n) _Pragma("unroll " n)
    #define ALL _Pragma("unroll")
    __global__ void k(int *a) {{ ALL {loop} _Pragma("unroll 2") {loop} {loop} }}
    """
    assert unrolled(text) == ["", "2", None]
