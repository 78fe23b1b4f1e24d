"""Integer intrinsics, division and shifts against references in plain Python."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulator
from simulator.lanes.arithmetic import divide, remainder
from tests.reference.types import INT, INTEGERS, LLONG, UINT, ULLONG, Type, common, promoted
from tests.sampling import sampled
from tests.simulator.lanes.operands import MIXED_WAYS, WAYS, check, pairs

WIDE = (INT, UINT, LLONG, ULLONG)
SOME_WAYS = ("lanes", "literals", "mixture")


def named(value: Any) -> str:
    return value.name if isinstance(value, Type) else str(value)


def edges(ctype: Type, more: int = 12) -> list[int]:
    """0, 1, -1, the limits and their neighbours, and a few random numbers of every size."""
    rng = random.Random(ctype.name)
    half = 1 << ctype.bits - 1
    near = [0, 1, -1, 2, 7, 85, half, half - 1, half + 1]
    near += [rng.getrandbits(rng.randint(1, ctype.bits)) for _ in range(more)]
    return sorted({int(ctype.convert(v)) for v in near})


# Bits.

BITS = {
    "__popc": (INT, UINT, lambda v: v.bit_count()),
    "__popcll": (INT, ULLONG, lambda v: v.bit_count()),
    "__clz": (INT, INT, lambda v: 32 - (v % 2**32).bit_length()),
    "__clzll": (INT, LLONG, lambda v: 64 - (v % 2**64).bit_length()),
    "__ffs": (INT, INT, lambda v: (v & -v).bit_length()),
    "__ffsll": (INT, LLONG, lambda v: (v & -v).bit_length()),
    "__brev": (UINT, UINT, lambda v: int(f"{v:032b}"[::-1], 2)),
    "__brevll": (ULLONG, ULLONG, lambda v: int(f"{v:064b}"[::-1], 2)),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", BITS)
def test_bits(name: str, way: str) -> None:
    result, ctype, reference = BITS[name]
    check(way, result, f"{name}({{0}})", [(ctype, edges(ctype))], reference)


def mul24(left: int, right: int) -> int:
    low = [((v & 0xFFFFFF) ^ 0x800000) - 0x800000 for v in (left, right)]
    return INT.convert(low[0] * low[1])


PRODUCTS: dict[str, tuple[Type, Callable[[int, int], int]]] = {
    "__mulhi": (INT, lambda a, b: a * b >> 32),
    "__umulhi": (UINT, lambda a, b: a * b >> 32),
    "__mul64hi": (LLONG, lambda a, b: a * b >> 64),
    "__umul64hi": (ULLONG, lambda a, b: a * b >> 64),
    "__hadd": (INT, lambda a, b: (a + b) // 2),
    "__uhadd": (UINT, lambda a, b: (a + b) // 2),
    "__rhadd": (INT, lambda a, b: (a + b + 1) // 2),
    "__urhadd": (UINT, lambda a, b: (a + b + 1) // 2),
    "__mul24": (INT, mul24),
    "__umul24": (UINT, lambda a, b: UINT.convert((a & 0xFFFFFF) * (b & 0xFFFFFF))),
}


@pytest.mark.parametrize(("name", "way"), sampled(product(PRODUCTS, MIXED_WAYS), 3, each=0))
def test_products(name: str, way: str) -> None:
    ctype, reference = PRODUCTS[name]
    left, right = pairs(edges(ctype, 2), edges(ctype, 2))
    check(way, ctype, f"{name}({{0}}, {{1}})", [(ctype, left), (ctype, right)], reference)


@pytest.mark.parametrize("way", MIXED_WAYS)
@pytest.mark.parametrize(("name", "ctype"), [("__sad", INT), ("__usad", UINT)])
def test_sums_of_differences(name: str, ctype: Type, way: str) -> None:
    left, right = pairs(edges(ctype, 2), edges(ctype, 2))
    rest = (edges(UINT, 3) * len(left))[: len(left)]
    operands = [(ctype, left), (ctype, right), (UINT, rest)]
    text = f"{name}({{0}}, {{1}}, {{2}})"
    check(way, UINT, text, operands, lambda a, b, c: UINT.convert(abs(a - b) + c))


# Smaller, larger, absolute.


@pytest.mark.parametrize(
    ("ctype", "way"), sampled(product(INTEGERS, SOME_WAYS), 3, each=0), ids=named
)
@pytest.mark.parametrize("name", ["min", "max"])
def test_min_and_max(name: str, ctype: Type, way: str) -> None:
    left, right = pairs(edges(ctype, 1), edges(ctype, 1))
    reference = {"min": min, "max": max}[name]
    check(way, promoted(ctype), f"{name}({{0}}, {{1}})", [(ctype, left), (ctype, right)], reference)


@pytest.mark.parametrize(
    ("one", "two"), [(INT, UINT), (UINT, INT), (LLONG, ULLONG), (ULLONG, LLONG)]
)
@pytest.mark.parametrize("name", ["min", "max"])
def test_min_and_max_of_mixed_signs_are_unsigned(name: str, one: Type, two: Type) -> None:
    ctype, chosen = common(one, two), {"min": min, "max": max}[name]
    left, right = pairs(edges(one, 1), edges(two, 1))
    check(
        "lanes",
        ctype,
        f"{name}({{0}}, {{1}})",
        [(one, left), (two, right)],
        lambda a, b: chosen(ctype.convert(a), ctype.convert(b)),
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("ctype", [t for t in INTEGERS if t.signed], ids=lambda t: t.name)
def test_absolute_values_wrap(ctype: Type, way: str) -> None:
    result = promoted(ctype)
    check(way, result, "abs({0})", [(ctype, edges(ctype))], lambda v: result.convert(abs(v)))


# Division and shifts.


def quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


@pytest.mark.parametrize(("ctype", "way"), sampled(product(WIDE, SOME_WAYS), 2, each=0), ids=named)
def test_division_truncates(ctype: Type, way: str) -> None:
    left, right = pairs(edges(ctype, 2), [v for v in edges(ctype, 2) if v])
    operands = [(ctype, left), (ctype, right)]
    check(way, ctype, "{0} / {1}", operands, lambda a, b: ctype.convert(quotient(a, b)))
    check(way, ctype, "{0} % {1}", operands, lambda a, b: a - b * quotient(a, b))


@pytest.mark.parametrize("op", ["/", "%"])
@pytest.mark.parametrize("divisor", ["a[i]", "n", "(n - n)"])
def test_division_by_zero_is_a_fault(op: str, divisor: str) -> None:
    source = f"""extern "C" __global__ void k(int *a, int n) {{
        int i = threadIdx.x;
        if (i > 4) a[i] = 7 {op} {divisor};
    }}"""
    with pytest.raises(simulator.Fault, match="division by zero"):
        simulator.RawKernel(source, "k")((1,), (8,), (simulator.zeros(8, "int32"), 0))


def test_lanes_that_do_not_divide_may_have_zeros() -> None:
    source = """extern "C" __global__ void k(int *a) {
        int i = threadIdx.x;
        a[i] = i % 2 && 9 / (i % 2) > 3 ? 8 / (i % 2) : -1;
    }"""
    array = simulator.zeros(4, "int32")
    simulator.RawKernel(source, "k")((1,), (4,), (array,))
    assert array.get().tolist() == [-1, 8, -1, 8]


@pytest.mark.parametrize(("ctype", "way"), sampled(product(WIDE, SOME_WAYS), 2, each=0), ids=named)
@pytest.mark.parametrize("count", [INT, ULLONG], ids=lambda t: t.name)
def test_shifts(ctype: Type, count: Type, way: str) -> None:
    left, right = pairs(edges(ctype, 2), [0, 1, 7, ctype.bits // 2, ctype.bits - 1])
    operands = [(ctype, left), (count, right)]
    check(way, ctype, "{0} << {1}", operands, lambda a, b: ctype.convert(a << b))
    check(way, ctype, "{0} >> {1}", operands, lambda a, b: a >> b)


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1).filter(bool))
def test_a_quotient_and_its_remainder_make_the_dividend(a: int, b: int) -> None:
    left, right = np.array([a]), np.array([b])
    with np.errstate(all="ignore"):
        q, r = divide(left, right), remainder(left, right)
        assert (q * right + r)[0] == a
    assert abs(int(r[0])) < abs(b)
    assert not r[0] or (r[0] < 0) == (a < 0)


@pytest.mark.parametrize("arguments", ["1, 2l", "1l, 2ll", "1, 2.0f", "threadIdx.x, 1ull"])
def test_min_and_max_of_unlike_numbers_are_refused_as_cuda_does(arguments: str) -> None:
    source = f'extern "C" __global__ void k(float *o) {{ o[0] = max({arguments}); }}'
    with pytest.raises(simulator.CompileError, match="two numbers of one kind"):
        simulator.RawModule(source)
