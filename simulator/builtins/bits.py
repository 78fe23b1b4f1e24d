"""Integers: their bits and bytes, products, averages and differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.builtins.lowerings import Elementwise
from simulator.builtins.overloads import Absolute, Alike
from simulator.builtins.row import Row

Lanes = Any


def _difference(x: Lanes, y: Lanes) -> Lanes:
    """Return how far two integers are apart, as an unsigned one: that always has room for it."""
    unsigned = np.dtype(f"u{x.dtype.itemsize}")
    return np.maximum(x, y).astype(unsigned) - np.minimum(x, y).astype(unsigned)


def sum_of_difference(x: Lanes, y: Lanes, z: Lanes) -> Lanes:
    """Return how far `x` and `y` are apart, and `z`."""
    return _difference(x, y) + z


def average(x: Lanes, y: Lanes) -> Lanes:
    """Return the average of two integers, rounded down."""
    return (x & y) + ((x ^ y) >> x.dtype.type(1))


def rounded_average(x: Lanes, y: Lanes) -> Lanes:
    """Return the average of two integers, rounded up."""
    return (x | y) - ((x ^ y) >> x.dtype.type(1))


def multiply_high64(x: Lanes, y: Lanes) -> Lanes:
    """Return the high half of the product of two 64-bit integers, by the parts of 32 bits each."""
    half, low = x.dtype.type(32), x.dtype.type(0xFFFFFFFF)
    inner = (x >> half) * (y & low)
    # Both parts of a low half are below 2**32: made unsigned, their product has 64 bits.
    carry = ((x & low).view("u8") * (y & low).view("u8") >> np.uint64(32)).astype(x.dtype)
    middle = inner + carry
    other = (x & low) * (y >> half) + (middle & low)
    return (x >> half) * (y >> half) + (middle >> half) + (other >> half)


_FUNNEL = "(unsigned low, unsigned high, unsigned shift)"

ROWS = (
    Row("int __popc(unsigned x)", Elementwise("popcount({0})")),
    Row("int __popcll(unsigned long long x)", Elementwise("popcount({0})")),
    Row("int __ffs(int x)", Elementwise("find_first_set({0})")),
    Row("int __ffsll(long long x)", Elementwise("find_first_set({0})")),
    Row("int __clz(int x)", Elementwise("leading_zeros({0})")),
    Row("int __clzll(long long x)", Elementwise("leading_zeros({0})")),
    Row("unsigned __brev(unsigned x)", Elementwise("reverse_bits({0})")),
    Row("unsigned long long __brevll(unsigned long long x)", Elementwise("reverse_bits({0})")),
    Row(
        "unsigned __byte_perm(unsigned low, unsigned high, unsigned selector)",
        Elementwise("byte_permutation({0}, {1}, {2})"),
    ),
    Row(f"unsigned __funnelshift_l{_FUNNEL}", Elementwise("funnel_left({0}, {1}, {2})")),
    Row(f"unsigned __funnelshift_lc{_FUNNEL}", Elementwise("funnel_left({0}, {1}, {2}, 32)")),
    Row(f"unsigned __funnelshift_r{_FUNNEL}", Elementwise("funnel_right({0}, {1}, {2})")),
    Row(f"unsigned __funnelshift_rc{_FUNNEL}", Elementwise("funnel_right({0}, {1}, {2}, 32)")),
    Row("int __mulhi(int x, int y)", Elementwise("multiply_high({0}, {1})")),
    Row("unsigned __umulhi(unsigned x, unsigned y)", Elementwise("multiply_high({0}, {1})")),
    Row("long long __mul64hi(long long x, long long y)", Elementwise(multiply_high64)),
    Row(
        "unsigned long long __umul64hi(unsigned long long x, unsigned long long y)",
        Elementwise(multiply_high64),
    ),
    Row("int __mul24(int x, int y)", Elementwise("multiply_low24({0}, {1})")),
    Row("unsigned __umul24(unsigned x, unsigned y)", Elementwise("multiply_low24({0}, {1})")),
    Row("int __hadd(int x, int y)", Elementwise(average)),
    Row("unsigned __uhadd(unsigned x, unsigned y)", Elementwise(average)),
    Row("int __rhadd(int x, int y)", Elementwise(rounded_average)),
    Row("unsigned __urhadd(unsigned x, unsigned y)", Elementwise(rounded_average)),
    Row("unsigned __sad(int x, int y, unsigned z)", Elementwise(sum_of_difference)),
    Row("unsigned __usad(unsigned x, unsigned y, unsigned z)", Elementwise(sum_of_difference)),
    Absolute("T abs(T x)", Elementwise("np.abs({0})"), standard=True),
    Absolute("long labs(long x)", Elementwise("np.abs({0})"), standard=True),
    Absolute("long long llabs(long long x)", Elementwise("np.abs({0})"), standard=True),
    Alike(
        "T min(T x, T y)", Elementwise("np.minimum({0}, {1})", "smaller({0}, {1})"), standard=True
    ),
    Alike(
        "T max(T x, T y)", Elementwise("np.maximum({0}, {1})", "larger({0}, {1})"), standard=True
    ),
    Alike("unsigned umin(unsigned x, unsigned y)", Elementwise("np.minimum({0}, {1})")),
    Alike("unsigned umax(unsigned x, unsigned y)", Elementwise("np.maximum({0}, {1})")),
    Alike("long long llmin(long long x, long long y)", Elementwise("np.minimum({0}, {1})")),
    Alike("long long llmax(long long x, long long y)", Elementwise("np.maximum({0}, {1})")),
    Alike("unsigned long long ullmin(T x, T y)", Elementwise("np.minimum({0}, {1})")),
    Alike("unsigned long long ullmax(T x, T y)", Elementwise("np.maximum({0}, {1})")),
)
