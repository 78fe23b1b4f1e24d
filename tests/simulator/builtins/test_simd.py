"""Integers within a word: each function against its definition, part by part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulator
from simulator.builtins import ROWS, simd
from tests.simulator.launching import source

Word = st.one_of(
    st.integers(0, 2**32 - 1),
    st.lists(st.sampled_from([0, 1, 0x7F, 0x80, 0xFF]), min_size=4, max_size=4).map(
        lambda parts: int.from_bytes(bytes(parts), "little")
    ),
)
Pairs = st.lists(st.tuples(Word, Word), min_size=1, max_size=40)


def parts(word: int, count: int, signed: bool) -> list[int]:
    """The parts of a word, the lowest first."""
    bits = 32 // count
    found = [word >> at * bits & (1 << bits) - 1 for at in range(count)]
    return [v - (1 << bits) if signed and v >> (bits - 1) else v for v in found]


def average(a: int, b: int) -> int:
    """Halves go away from zero."""
    return (a + b + 1) // 2 if a + b >= 0 else -((-a - b + 1) // 2)


OPERATORS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "abs": lambda a, b: abs(a),
    "neg": lambda a, b: -a,
    "absdiff": lambda a, b: abs(a - b),
    "avg": average,
    "hadd": lambda a, b: (a + b) // 2,
    "max": max,
    "min": min,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "ge": lambda a, b: a >= b,
    "gt": lambda a, b: a > b,
    "le": lambda a, b: a <= b,
    "lt": lambda a, b: a < b,
}


def expected(name: str, a: int, b: int) -> int:
    """What CUDA's manual says of a function's result."""
    word, count = name[3:-1], int(name[-1])
    saturates = word in ("addss", "subss", "absss", "negss", "addus", "subus")
    stem = word[:-2] if saturates else word
    compares = stem[:3] if stem[:3] in ("cmp", "set") else ""
    stem = stem.removeprefix(compares) if compares else stem
    if stem in OPERATORS:  # the signs make no difference, or the suffix says them
        signed = not word.endswith("us")
    else:
        stem, signed = stem[:-1], stem.endswith("s")
    pairs = zip(parts(a, count, signed), parts(b, count, signed), strict=True)
    if stem == "sad":
        return sum(abs(x - y) for x, y in pairs)
    bits = 32 // count
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    result = 0
    for at, (x, y) in enumerate(pairs):
        value = OPERATORS[stem](x, y)
        value = -int(value) if compares == "cmp" else int(value)
        value = min(max(value, low), high) if saturates else value
        result |= (value & (1 << bits) - 1) << at * bits
    return result


NAMES = sorted(row.name for row in simd.ROWS if row.name.startswith("__v"))


def called(name: str) -> str:
    return f"{name}(x[i])" if ROWS[name].signature.count("unsigned") == 2 else f"{name}(x[i], y[i])"


CALLS = "".join(f"out[{at} * n + i] = {called(name)}; " for at, name in enumerate(NAMES))
KERNEL = simulator.RawKernel(
    source(
        "const unsigned *x, const unsigned *y, unsigned *out, int n",
        f"int i = threadIdx.x; {CALLS}",
    ),
    "k",
)


def test_there_are_all_that_cuda_has() -> None:
    assert len(NAMES) == 82


@given(Pairs)
def test_each_part_by_itself(pairs: list[tuple[int, int]]) -> None:
    x, y = (np.array(column, "uint32") for column in zip(*pairs, strict=True))
    out = simulator.zeros((len(NAMES), len(pairs)), "uint32")
    KERNEL((1,), (len(pairs),), (simulator.asarray(x), simulator.asarray(y), out, len(pairs)))
    found = {name: row.tolist() for name, row in zip(NAMES, out.get(), strict=True)}
    assert found == {name: [expected(name, a, b) for a, b in pairs] for name in NAMES}


DOTS = ("__dp4a", "__dp2a_lo", "__dp2a_hi")


@pytest.mark.parametrize("name", DOTS)
@given(Pairs, st.integers(0, 2**32 - 1))
def test_sums_of_products(name: str, pairs: list[tuple[int, int]], addend: int) -> None:
    count, first = (4, 0) if name == "__dp4a" else (2, 2 if name.endswith("hi") else 0)
    x, y = (np.array(column, "uint32") for column in zip(*pairs, strict=True))
    given_x, given_y = simulator.asarray(x), simulator.asarray(y)
    out = simulator.zeros((4, len(pairs)), "uint32")
    one = "char4" if count == 4 else "short2"
    body = f"""int i = threadIdx.x;
    out[i] = {name}((int)x[i], (int)y[i], (int)c);
    out[n + i] = {name}(*({one} *)(x + i), *(char4 *)(y + i), (int)c);
    out[2 * n + i] = {name}(x[i], y[i], c);
    out[3 * n + i] = {name}(*(u{one} *)(x + i), *(uchar4 *)(y + i), c);"""
    text = source("const unsigned *x, const unsigned *y, unsigned *out, unsigned c, int n", body)
    kernel = simulator.RawKernel(text, "k")
    kernel((1,), (len(pairs),), (given_x, given_y, out, np.uint32(addend), len(pairs)))
    for row, signed in zip(out.get(), (True, True, False, False), strict=True):
        wanted = [
            sum(
                p * q
                for p, q in zip(parts(a, count, signed), parts(b, 4, signed)[first:], strict=False)
            )
            for a, b in pairs
        ]
        assert row.tolist() == [(value + addend) % 2**32 for value in wanted]
