"""printf in kernels: C's formatting, who prints when, and what the checker refuses."""

from __future__ import annotations

import ctypes
import ctypes.util
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from simulator import CompileError, Fault
from simulator.ir.format_strings import FormatError, pieces
from simulator.lanes.printing import Format, Printed
from tests.simulator.launching import fault, run, source

C = ctypes.CDLL(ctypes.util.find_library("c")) if ctypes.util.find_library("c") else None
needs_c = pytest.mark.skipif(C is None, reason="this machine's C library cannot be found")

FLAGS = st.text("-+ #0", max_size=3)
WIDTHS = st.one_of(st.just(""), st.integers(1, 24).map(str))
PRECISIONS = st.one_of(st.just(""), st.just("."), st.integers(0, 20).map(".{}".format))
KINDS = {"hh": ctypes.c_int, "h": ctypes.c_int, "": ctypes.c_int, "l": ctypes.c_int64}
KINDS |= {"ll": ctypes.c_int64, "z": ctypes.c_int64}
BIG = st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(-300, 300), st.just(-(2**63)))


def of_c(form: str, value: Any) -> str:
    """What this machine's C library makes of one value."""
    assert C is not None
    buffer = ctypes.create_string_buffer(1000)
    C.snprintf(buffer, 1000, form.encode(), value)
    return buffer.value.decode()


def printed(text: str, *arguments: Any, capsys: Any, **more: Any) -> str:
    run(text, *arguments, **more)
    out: str = capsys.readouterr().out
    return out


@pytest.mark.slow
@needs_c
@settings(max_examples=300)
@given(FLAGS, WIDTHS, PRECISIONS, st.sampled_from(list(KINDS)), st.sampled_from("diuoxX"), BIG)
def test_integers_as_c_shows_them(
    flags: str, width: str, precision: str, length: str, kind: str, value: int
) -> None:
    form = f"%{flags}{width}{precision}{length}{kind}"
    passed = KINDS[length](value)
    assert Format(pieces(form)).filled(iter([passed.value])) == of_c(form, passed)


@needs_c
@settings(max_examples=300)
@given(FLAGS, WIDTHS, PRECISIONS, st.sampled_from("eEfFgG"), st.floats())
def test_floats_as_c_shows_them(
    flags: str, width: str, precision: str, kind: str, value: float
) -> None:
    if value != value:
        value = abs(value)  # C shows the sign bit of a NaN; those of a GPU have none
    form = f"%{flags}{width}{precision}{kind}"
    assert Format(pieces(form)).filled(iter([value])) == of_c(form, ctypes.c_double(value))


@needs_c
@given(st.text("-", max_size=1), WIDTHS, PRECISIONS, st.text("abcxyz ", max_size=9))
def test_texts_as_c_shows_them(flags: str, width: str, precision: str, value: str) -> None:
    form = f"<%{flags}{width}{precision}s|%%>"
    shown = Format(pieces(form), (value,)).filled(iter([0]))
    assert shown == of_c(form, ctypes.c_char_p(value.encode()))


def test_a_star_takes_the_width_from_a_value() -> None:
    form = Format(pieces("[%*d][%-*d][%0*x]"))
    assert form.filled(iter([5, 7, 4, 7, 6, 255])) == "[    7][7   ][0000ff]"
    assert form.filled(iter([-3, 1, -3, 1, -4, 15])) == "[1  ][1  ][f   ]"


# In kernels


def test_values_of_every_type(capsys: Any) -> None:
    body = r"""
      bool b = n; char c = 'x'; unsigned char u = 200; short s = -7; float f = 1.5f;
      printf("%d %c %u %hd %d %f %g\n", b, c, u, s, u, f, 0.25);
      printf("%ld %llu %zu %p %p\n", -1l, 18446744073709551615ull, sizeof(n), a, (int *)0);
    """
    out = printed(source("int *a, int n", body), np.zeros(4, "i4"), 1, block=1, capsys=capsys)
    first, second = out.splitlines()
    assert first == "1 x 200 -7 200 1.500000 0.25"
    assert second.startswith("-1 18446744073709551615 4 0x")
    assert second.endswith(" (nil)")


def test_each_call_prints_its_lanes_in_order(capsys: Any) -> None:
    body = r"""
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i % 2) printf("odd %d\n", i); else printf("even %d\n", i);
      printf("all\n");
    """
    out = printed(source("", body), grid=2, block=3, capsys=capsys).splitlines()
    assert sorted(out) == sorted(
        [f"{'odd' if i % 2 else 'even'} {i}" for i in range(6)] + ["all"] * 6
    )
    assert [line for line in out if line[0] == "o"] == ["odd 1", "odd 3", "odd 5"]
    assert [line for line in out if line[0] == "e"] == ["even 0", "even 2", "even 4"]


def test_strings_with_escapes_are_joined_and_chosen(capsys: Any) -> None:
    body = r"""printf("\x41\102\t\"%s\" %s" "|\n", "a\\b", threadIdx.x ? "rest" : "first");"""
    assert printed(source("", body), block=2, capsys=capsys) == (
        'AB\t"a\\b" first|\nAB\t"a\\b" rest|\n'
    )


def test_its_value_is_the_number_of_values_shown() -> None:
    body = r'a[threadIdx.x] = printf("") + 10 * printf("%d %s", 1, "x");'
    assert run(source("int *a", body), np.zeros(2, "i4"), block=2).arrays[0].tolist() == [20, 20]


def test_what_was_printed_comes_out_before_a_fault(capsys: Any) -> None:
    body = r'printf("before %d\n", threadIdx.x); a[9] = 1; printf("after\n");'
    with pytest.raises(Fault):
        run(source("int *a", body), np.zeros(4, "i4"), block=2)
    assert capsys.readouterr().out == "before 0\nbefore 1\n"


def test_it_comes_out_when_the_launch_ends_and_once(capsys: Any) -> None:
    kernel = simulator.RawKernel(source("int n", r'printf("%d\n", n);'), "k")
    for n in (1, 2):
        kernel((1,), (1,), (n,))
        assert capsys.readouterr().out == f"{n}\n"


def test_too_much_is_cut_and_said() -> None:
    written: list[str] = []
    printed = Printed(most=10)
    printed.add(Format(pieces("%d\n")), 8, (np.arange(100, 108),))
    printed.flush(written.append)
    (text,) = written
    assert text.startswith("100\n101\n102\n[printf: cut after 12 characters; 5 more calls")
    printed.add(Format(pieces("x")), 1, ())
    printed.flush(written.append)
    assert written[1:] == ["x"]


def test_a_launch_prints_about_a_mebibyte(capsys: Any) -> None:
    body = r'for (int i = 0; i < 40; i++) printf("%1000d\n", i);'
    out = printed(source("", body), block=32, capsys=capsys)
    assert 1 << 20 <= len(out) <= (1 << 20) + 1200
    assert "more calls printed nothing" in out.splitlines()[-1]


@pytest.mark.parametrize(
    ("call", "message", "at"),
    [
        ('printf("%d", 1.5f)', "`%d` does not show a value of type `float`", "1.5f"),
        ('printf("%f", 1)', "`%f` does not show a value of type `int`", "1"),
        ('printf("%d", 1ll)', "`%d` does not show a value of type `long long`", "1ll"),
        ('printf("%lld", 1)', "`%lld` does not show a value of type `int`", "1"),
        ('printf("%d", a)', "`%d` does not show a value of type `int *`", "a"),
        ('printf("%p", 1ull)', "`%p` does not show a value of type `unsigned long long`", "1ull"),
        ('printf("%s", a)', "`%s` shows strings and arrays of char, not `int *`", "a"),
        ('printf("%s", a ? "x" : (char *)a)', "`%s` takes two strings, or two pointers", None),
        ('printf("%d", "x")', "`%d` shows no string", '"x"'),
        ('printf("%d %d", 1)', "the format needs 2 values, but 1 follow", None),
        ('printf("%d", 1, 2)', "the format needs 1 value, but 2 follow", None),
        ('printf("%*d", 1)', "the format needs 2 values, but 1 follow", None),
        ('printf("50%")', "`%` at its end is no conversion", '"50%"'),
        ('printf("%.*f", 1, 2.0)', "`%.*f`: CUDA has no `.*`", None),
        ('printf("%n", a)', "`%n` is not supported", None),
        ('printf("%a", 1.0)', "`%a` is not supported", None),
        ('printf("%hf", 1.0)', "`%hf` is not supported", None),
        ('printf("%99999d", 1)', "`%99999d` is wider than", None),
        ("printf()", "`printf` needs a string literal first", None),
        ("printf(a)", "`printf` needs a string literal first", None),
        (r'printf("\q")', r"`\q` in a string is no character", None),
        ("a = printf", "the function `printf` is not called here", "printf"),
        ('puts("x")', "`puts` is not supported", None),
    ],
)
def test_refused(call: str, message: str, at: str | None) -> None:
    with pytest.raises(CompileError) as caught:
        simulator.RawModule(code=source("int *a", f"{call};"))
    assert message in caught.value.message
    assert caught.value.span is not None
    if at is not None:
        assert caught.value.span.text == at


def test_the_remedy_names_the_conversion() -> None:
    for value, word in (("1ull", "%llu"), ("sizeof(int)", "%zu"), ("1.5f", "%g"), ("a", "%p")):
        with pytest.raises(CompileError) as caught:
            simulator.RawModule(code=source("int *a", f'printf("%c", {value});'))
        assert word in caught.value.hint


def test_more_values_than_cuda_takes() -> None:
    values = ", ".join(["1"] * 33)
    with pytest.raises(CompileError, match="`printf` takes at most 32 values, not 33"):
        simulator.RawModule(code=source("", f'printf("{"%d" * 33}", {values});'))


@given(st.text("%diucsxl.*0-9hz \n", max_size=12))
def test_any_text_is_a_format_or_refused(text: str) -> None:
    try:
        found = pieces(text)
    except FormatError:
        assert "%" in text
    else:
        again = "".join(p.replace("%", "%%") if isinstance(p, str) else str(p) for p in found)
        assert pieces(again) == found


@pytest.mark.parametrize("form", ["%" + "9" * 5000 + "d", "%." + "9" * 5000 + "f"])
def test_widths_of_too_many_digits_are_refused(form: str) -> None:
    text = f'extern "C" __global__ void k() {{ printf("{form}", 1); }}'
    with pytest.raises(simulator.CompileError, match="wider than 4,096"):
        simulator.RawKernel(text, "k")((1,), (1,), ())


def test_a_number_that_is_not_octal_may_have_many_digits() -> None:
    text = f'extern "C" __global__ void k() {{ int a = 0{"9" * 5000}; }}'
    with pytest.raises(simulator.CompileError, match="not a number"):
        simulator.RawKernel(text, "k")((1,), (1,), ())


def test_characters_in_memory(capsys: pytest.CaptureFixture[str]) -> None:
    """Arrays of any kind of memory, each as far as its zero."""
    body = """__shared__ char s[3];
    char own[4];
    int i = threadIdx.x;
    for (int j = 0; j < i; j++) own[j] = 'a' + j;
    own[i] = 0;
    if (i == 0) { s[0] = 'x'; s[1] = s[2] = 0; }
    __syncthreads();
    const char *middle = fixed + 1;
    printf("%s|%3s|%-2s|%.1s|%s;", own, s, g + i, middle, i == 1 ? middle : fixed);"""
    text = source("const char *g", body, "__constant__ char fixed[3] = {'p', 'q', 0};")
    letters = np.frombuffer(b"AB\0", "i1")
    shown = printed(text, letters, block=3, capsys=capsys)
    assert shown == "|  x|AB|q|pq;a|  x|B |q|q;ab|  x|  |q|pq;"


def test_characters_without_an_end_are_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    text = source("const char *g", 'printf("%*.5s", 7, g); printf("%s", g);')
    found = fault(text, np.full(5, 65, "i1"), block=1)
    assert "just past the end of an array of 5 bytes" in str(found)
    assert capsys.readouterr().out == "  AAAAA"
