"""The preprocessor: macros, conditions, headers, pragmas, and the places of what they make."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.program.load import Folders
from simulator.read.preprocess import Preprocessor
from simulator.source import CompileError, Source, Token


def tokens(
    text: str, defines: dict[str, str] | None = None, headers: dict[str, str] | None = None
) -> list[Token]:
    return list(Preprocessor(defines or {}, headers or {}).tokens(Source(text, "k.cu")))


def expanded(text: str, **options: dict[str, str]) -> str:
    return " ".join(token.text for token in tokens(text, **options))


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("#define N 4\nN + M", "4 + M"),
        ("#define N\nN x", "x"),
        ("#define TWICE(x) ((x) + (x))\nTWICE(a[1, 2])", "too many arguments"),
        ("#define TWICE(x) ((x) + (x))\nTWICE(f(1, 2))", "( ( f ( 1 , 2 ) ) + ( f ( 1 , 2 ) ) )"),
        ("#define ADD(x, y) x + y\nADD(\n1,\n2)", "1 + 2"),
        ("#define F() 7\nF() F", "7 F"),
        ("#define F(x) [x]\nF() F (3)", "[ ] [ 3 ]"),
        ("\n__LINE__ __FILE__", '2 "k.cu"'),
        ("#define HERE() __LINE__\n\nHERE()\nHERE()", "3 4"),
        ("#if __LINE__ == 1\nfirst\n#endif", "first"),
        ("#define NOT_A_CALL (x)\nNOT_A_CALL", "( x )"),
        ("#define F(x) G(x)\n#define G(x) x x\nF(F(1))", "1 1 1 1"),
        ("#define LONG 1 + \\\n 2\nLONG", "1 + 2"),
        ("#define float double\nfloat x;", "double x ;"),
        ("#define N 4\n#undef N\nN", "N"),
        ("#define N 4\n#define N 4\nN", "4"),
        ("a /* # define */ b // c \\\n d\ne", "a b e"),
        ("#\n#  define N 3\n  # define M 4\nN M", "3 4"),
        ('#define F(x) #x\nF( a  + 1 ) F("b\\n")', r'"a + 1" "\"b\\n\""'),
        ("#define JOIN(a, b) a ## b\n#define N 4\nJOIN(N, 2) JOIN(, x) JOIN(x,) JOIN(,)", "N2 x x"),
        ("#define N 4\n#define S(x) #x\n#define T(x) S(x)\nS(N) T(N)", '"N" "4"'),
        ("#define HASHES # ## #\nHASHES", "##"),
        ("#define ab 7\n#define F(x) x ## b\nF(a)", "7"),
        ("#define F(f, ...) f(__VA_ARGS__)\nF(g, 1, (2, 3)) F(g)", "g ( 1 , ( 2 , 3 ) ) g ( )"),
        ("#define P(f, ...) p(f, ## __VA_ARGS__)\nP(1) P(1, 2)", "p ( 1 ) p ( 1 , 2 )"),
        ("#define P(f, ...) p(f, ## __VA_ARGS__)\n#define N\nP(1, N)", "p ( 1 , )"),
        ("#define P(f, rest...) p(f, rest)\nP(1, 2, 3)", "p ( 1 , 2 , 3 )"),
        ("#define P(f, ...) p(f __VA_OPT__(,) __VA_ARGS__)\nP(1) P(1, 2)", "p ( 1 ) p ( 1 , 2 )"),
        ('#if __has_include(<cuda_fp16.h>) && !__has_include("no.h")\nyes\n#endif', "yes"),
        ("#ifdef __has_include\nyes\n#endif", "yes"),
        ("INT_MIN UINT_MAX NULL", "( - 2147483647 - 1 ) 4294967295U nullptr"),
    ],
)
def test_macros_expand_as_in_c(text: str, result: str) -> None:
    if result == "too many arguments":
        with pytest.raises(CompileError, match="takes 1 argument, not 2"):
            expanded(text)
    else:
        assert expanded(text) == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("#define A A + 1\nA", "A + 1"),
        ("#define A B\n#define B A\nA B", "A B"),
        ("#define F(x) F(x) + 1\nF(F(2))", "F ( F ( 2 ) + 1 ) + 1"),
    ],
)
def test_no_macro_expands_inside_itself(text: str, result: str) -> None:
    assert expanded(text) == result


@pytest.mark.slow
def test_macros_that_explode_are_stopped() -> None:
    doubling = "".join(f"#define A{i} A{i + 1} A{i + 1}\n" for i in range(40))
    with pytest.raises(CompileError, match="expand too far"):
        tokens(doubling + "A0")


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("1", True),
        ("0", False),
        ("UNKNOWN", False),
        ("defined N", True),
        ("defined(N) && !defined(M)", True),
        ("N == 4 && N % 3 == 1", True),
        ("-7 / 2 == -3 && -7 % 2 == -1", True),
        ("N > 3 ? 0 : 1", False),
        ("(1 << 40) > 0", True),
        ("0 && 1 / 0", False),
        ("__CUDA_ARCH__ >= 700 && defined __CUDACC__", True),
    ],
)
def test_conditions(condition: str, holds: bool) -> None:
    text = f"#define N 4\n#if {condition}\nyes\n#else\nno\n#endif"
    assert expanded(text) == ("yes" if holds else "no")


def test_elif_takes_the_first_that_holds_and_skips_nested_ones() -> None:
    text = """
    #ifndef N
      #if 1 / 0
      #endif
    #elif N == 4
      four
      #ifdef M
        never
      #else
        inner
      #endif
    #elif 1
      never
    #else
      never
    #endif
    """
    assert expanded(text, defines={"N": "4"}) == "four inner"


def test_what_does_not_count_may_be_anything() -> None:
    assert expanded("#if 0\n it's \"all\n #nonsense é $ \0\n#endif\nok") == "ok"


@given(st.lists(st.booleans(), min_size=1, max_size=6))
def test_nested_conditions_hold_only_together(values: list[bool]) -> None:
    opened = "".join(f"#if {int(value)}\n" for value in values)
    assert expanded(opened + "x\n" + "#endif\n" * len(values)) == ("x" if all(values) else "")


def test_expanded_tokens_stand_at_the_use() -> None:
    body, argument, *_ = tokens("#define F(x) y x\n  F( z )")
    assert (body.span.line, body.span.column, body.span.text) == (2, 3, "F( z )")
    assert (argument.span.line, argument.span.column, argument.span.text) == (2, 6, "z")


def test_headers_bring_their_own_source() -> None:
    name, use = tokens('#include "n.cuh"\nN', headers={"n.cuh": "#define N 4\nx"})
    assert (name.text, name.span.source.name, name.span.line) == ("x", "n.cuh", 2)
    assert (use.text, use.span.source.name) == ("4", "k.cu")


def test_known_headers_are_skipped_and_once_means_once() -> None:
    headers = {"a.h": "#pragma once\na", "b.h": "b"}
    text = (
        '#include <cuda_runtime.h>\n#include "a.h"\n#include <a.h>\n#include "b.h"\n#include "b.h"'
    )
    assert expanded(text, headers=headers) == "a b b"


@pytest.mark.parametrize(
    ("line", "factor"), [("", ""), ("4", "4"), ("(4)", "4"), ("N", "8"), ("(N / 2)", "8 / 2")]
)
def test_unroll_is_a_token_with_its_factor(line: str, factor: str) -> None:
    found = tokens(f"#define N 8\n#pragma unroll {line}\nfor")
    assert [(token.type, token.text) for token in found] == [("UNROLL", factor), ("FOR", "for")]


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("\n#define", "#define needs a name", 2),
        ("#define N 1\n#define N 2", "already defined differently", 2),
        ("#define F(x) # y", "`#` in a macro makes a string of a parameter", 1),
        ("#define F(x) x ##", "`##` cannot begin or end a macro", 1),
        ("#define F ## x", "`##` cannot begin or end a macro", 1),
        ("#define F(..., x) x", "cannot be a macro's parameter", 1),
        ("#define F(x) x ## -\n\nF(1)", "`1` and `-` make no word together", 3),
        ("#define F(...) __VA_OPT__(x\nF(1)", "is not closed", 1),
        ("#define F(x, y, ...) x\nF(1)", "takes at least 2 arguments, not 1", 2),
        ("#if __has_include(3)\n#endif", "`__has_include` needs a header", 1),
        ("#define F(x, x) x", "two parameters", 1),
        ("#define F(x", "`\\)` is missing in the definition", 1),
        ("#define F(x) x\nF(1", "are not closed", 2),
        ("#define F(x, y) x\n F(1)", "takes 2 arguments, not 1", 2),
        ("#if 1\n", "this condition is not closed", 1),
        ("\n#endif", "#endif without #if", 2),
        ("#if 1\n#else\n#else\n#endif", "#else after #else", 3),
        ("#if\n#endif", "#if needs a condition", 1),
        ("#if 1 +\n#endif", "the program ends too early", 1),
        ("#if 1 / 0\n#endif", "division by zero", 1),
        ("#if f(1)\n#endif", "cannot stand", 1),
        ("#if defined\n#endif", "`defined` needs a name", 1),
        ("#error stop here", "#error stop here", 1),
        ("#include <nothing.h>", "the header `nothing.h` is not known", 1),
        ("#include", "#include needs a file's name", 1),
        ("#pragma pack(1)", "`#pragma pack` is not supported", 1),
        ("#line four", "#line needs a number", 1),
        ("\n#line 0", "#line needs a number", 2),
        ("#line 4 5", "#line needs a number", 1),
        ("# 4 five", "#line needs a number", 1),
        ("#import <a>", "`#import` is not supported", 1),
        ("x\n/* open", "this comment is not closed", 2),
    ],
)
def test_errors_name_the_directive_and_its_line(text: str, message: str, line: int) -> None:
    with pytest.raises(CompileError, match=message) as caught:
        tokens(text)
    assert caught.value.span is not None
    assert caught.value.span.line == line


def test_a_header_that_includes_itself_is_an_error() -> None:
    with pytest.raises(CompileError, match="includes itself"):
        tokens('#include "a.h"', headers={"a.h": '#include "a.h"'})


def test_defines_need_names() -> None:
    with pytest.raises(CompileError, match="`4x` cannot be the name of a macro"):
        tokens("", defines={"4x": "1"})


def test_headers_include_what_stands_beside_them() -> None:
    headers = {"sub/a.cuh": '#include "b.cuh"\n#include "../c.cuh"', "sub/b.cuh": "b", "c.cuh": "c"}
    assert expanded('#include "sub/a.cuh"', headers=headers) == "b c"


def test_folders_give_files_by_their_relative_names(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.cu").write_text("a")
    (tmp_path / "b.cuh").write_text("b")
    (tmp_path / "broken.h").write_bytes(b"\xff")
    folders = Folders([tmp_path])
    assert (folders["sub/a.cu"], list(folders)) == ("a", ["b.cuh", "broken.h"])
    assert "nothing.h" not in folders
    with pytest.raises(CompileError, match=r"`broken\.h` cannot be read"):
        folders["broken.h"]
    with pytest.raises(KeyError):
        folders["nothing.h"]
