"""Enumerations: their names are constants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from simulator.check import check
from simulator.read import read
from tests.simulator.launching import run, source


def values(definition: str, names: list[str]) -> list[int]:
    """The values of enumerators in a kernel."""
    stores = " ".join(f"out[{at}] = (long long){name};" for at, name in enumerate(names))
    text = source("long long *out", stores, definition)
    return run(text, np.zeros(max(1, len(names)), "i8"), block=1).arrays[0].tolist()


@settings(deadline=None, max_examples=25)
@given(st.lists(st.none() | st.integers(-(2**31), 2**31 - 100), min_size=1, max_size=8))
def test_each_name_is_one_more_than_the_last(given: list[int | None]) -> None:
    names = [f"N{at}" for at in range(len(given))]
    items = [f"{n} = {v}" if v is not None else n for n, v in zip(names, given, strict=True)]
    expected, last = [], -1
    for value in given:
        last = last + 1 if value is None else value
        expected.append(last)
    assert values(f"enum E {{ {', '.join(items)} }};", names) == expected
    scoped = [f"E::{name}" for name in names]
    assert values(f"enum class E {{ {', '.join(items)}, }};", scoped) == expected


@pytest.mark.parametrize(
    ("definition", "size", "signed"),
    [
        ("enum E { A };", 4, False),
        ("enum E { A = -1 };", 4, True),
        ("enum E { A = 0xffffffff };", 4, False),
        ("enum E { A = 1LL << 40 };", 8, False),
        ("enum E : unsigned char { A = 255 };", 1, False),
        ("enum class E : long long { A };", 8, True),
    ],
)
def test_the_type_holds_all_values(definition: str, size: int, signed: bool) -> None:
    text = source("int *out", "E e = E::A; out[0] = sizeof(e); out[1] = (E)-1 < (E)0;", definition)
    got = run(text, np.zeros(2, "i4"), block=1).arrays[0].tolist()
    assert got[0] == size
    if signed:
        assert got[1]


def test_enumerators_stand_wherever_constants_do() -> None:
    functions = """
    enum { SIZE = 4, LAST = SIZE - 1 };
    enum Kind { TREE, BACK = SIZE * 2, CROSS };
    enum class Way : short { UP, DOWN };
    struct Edge { Kind kind; Way way; };
    __device__ Kind turn(Kind kind) { return kind == TREE ? BACK : TREE; }"""
    body = """int i = threadIdx.x;
      __shared__ int v[SIZE];
      v[i & LAST] = i;
      enum Local { HERE = 30 };
      Edge e = {i ? CROSS : TREE, Way::DOWN};
      switch (turn(e.kind)) { case Kind::BACK: out[i] = HERE; break; case TREE: out[i] = 1; }
      enum Kind k = turn(BACK);
      out[i] += k + (int)e.way + sizeof(v);"""
    assert run(source("int *out", body, functions), np.zeros(4, "i4"), block=4).arrays[
        0
    ].tolist() == [47, 18, 18, 18]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("enum E { A, A };", "`A` is already declared"),
        ("enum E { A = 1.5 };", "the value `1.5` is not a constant integer"),
        ("enum E : float { A };", "an enumeration cannot be of type `float`"),
        ("enum E : unsigned char { A = 256 };", "256 does not fit `unsigned char`"),
        ("enum class E { A }; __device__ int f() { return A; }", "`A` is not declared"),
        ("enum class E { A }; __device__ int f() { return (int)E::B; }", "`E::B` is not declared"),
        ("enum E { A }; __device__ void f() { A = 2; }", "`A` is const"),
        ("enum E { A }; __device__ const int *f() { return &A; }", "has no address"),
        ("enum E { A }; enum E { B };", "`E` is already declared"),
    ],
)
def test_misuse_is_refused(text: str, words: str) -> None:
    with pytest.raises(simulator.CompileError) as caught:
        check(read(simulator.Source(text)))
    assert words in caught.value.message
    assert caught.value.span is not None
