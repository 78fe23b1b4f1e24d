"""C's arithmetic where NumPy's differs: division, conversions from float, rounding, bits.

Every function takes and returns arrays over the active lanes, or scalars where all lanes agree.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = [
    "byte_permutation",
    "divide",
    "divide_by",
    "find_first_set",
    "funnel_left",
    "funnel_right",
    "fused",
    "larger",
    "leading_zeros",
    "multiply_high",
    "multiply_low24",
    "nearest_remainder",
    "nth_set_bit",
    "popcount",
    "positive_difference",
    "remainder",
    "reverse_bits",
    "round_half_away",
    "smaller",
    "to_integer",
]

# 32-bit values made of parts of others: funnel shifts, byte permutations, the nth set bit.


Lanes = Any  # an array over the active lanes, or a NumPy scalar that all of them share


_U4, _U8 = np.uint32, np.uint64


def _joined(low: Lanes, high: Lanes) -> Lanes:
    return np.asarray(high).astype(_U8) << _U8(32) | np.asarray(low).astype(_U8)


def _distance(shift: Lanes, most: int) -> Lanes:
    """How far to shift: modulo 32, or up to 32 where the function clamps (`most` is 32)."""
    shift = np.asarray(shift)
    return (np.minimum(shift, _U4(32)) if most == 32 else shift & _U4(31)).astype(_U8)


def funnel_left(low: Lanes, high: Lanes, shift: Lanes, most: int = 31) -> Lanes:
    """Return the high 32 bits of `high:low` shifted to the left.

    Examples
    --------
    >>> int(funnel_left(np.uint32(0x80000000), np.uint32(1), np.uint32(1)))
    3
    """
    return (_joined(low, high) << _distance(shift, most) >> _U8(32)).astype(_U4)[()]


def funnel_right(low: Lanes, high: Lanes, shift: Lanes, most: int = 31) -> Lanes:
    """Return the low 32 bits of `high:low` shifted to the right."""
    return (_joined(low, high) >> _distance(shift, most) & _U8(0xFFFFFFFF)).astype(_U4)[()]


def byte_permutation(low: Lanes, high: Lanes, selector: Lanes) -> Lanes:
    """Four of the eight bytes of `high:low`.

    Each hexadecimal digit of `selector` picks one; with its highest bit set, the byte's sign
    repeated.

    Examples
    --------
    >>> hex(int(byte_permutation(np.uint32(0x33221100), np.uint32(0x77665544), np.uint32(0x0145))))
    '0x114455'
    """
    both, selector = _joined(low, high), np.asarray(selector)
    result = np.zeros(np.broadcast(both, selector).shape, _U4)
    for number in range(4):
        digit = selector >> _U4(4 * number) & _U4(0xF)
        byte = (both >> ((digit & _U4(7)).astype(_U8) * _U8(8)) & _U8(0xFF)).astype(_U4)
        sign = np.where(byte & _U4(0x80), _U4(0xFF), _U4(0))
        result |= np.where(digit & _U4(8), sign, byte) << _U4(8 * number)
    return result[()]


def nth_set_bit(mask: Lanes, n: Lanes) -> Lanes:
    """Find the set bit of `mask` with `n` set bits below it; 32 where there is none.

    Examples
    --------
    >>> nth_set_bit(np.uint32(0b10110), np.array([0, 1, 2, 3, -1])).tolist()
    [1, 2, 4, 32, 32]
    """
    n = np.asarray(n, np.int64)
    rest = np.broadcast_to(np.asarray(mask, _U4), np.broadcast(mask, n).shape).copy()
    for cleared in range(int(min(31, n.max(initial=0)))):
        rest = np.where(cleared < n, rest & (rest - _U4(1)), rest)
    at = np.bitwise_count((rest & (~rest + _U4(1))) - _U4(1)).astype(np.int32)
    return np.where((n < 0) | (n > 31) | (rest == 0), 32, at).astype(np.int32)[()]


class LaneError(Exception):
    """Some active lanes did something undefined.

    `bad` marks them among the active lanes, None all of them; `sanitizer` is as in `Fault`.
    """

    def __init__(self, what: str, hint: str, bad: Any = None, sanitizer: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.bad = bad
        self.sanitizer = sanitizer


def _refuse_zero(divisor: Lanes) -> None:
    whole = np.logical_and.reduce(divisor, None) if np.ndim(divisor) else divisor
    if not whole:
        zero = np.equal(divisor, 0)
        raise LaneError("integer division by zero", "Test the divisor before dividing.", zero)


def divide(left: Lanes, right: Lanes) -> Lanes:
    """Integer division that truncates towards zero, as C's does.

    Examples
    --------
    >>> divide(np.array([-7, 7]), np.array([2, -2])).tolist()
    [-3, -3]
    """
    _refuse_zero(right)
    quotient = np.floor_divide(left, right)
    if quotient.dtype.kind == "i":
        apart = (left < 0) != (right < 0)
        if apart.any():  # it was rounded down, and not towards zero
            quotient = quotient + (apart & (quotient * right != left))
    return quotient


def divide_by(left: Lanes, right: Lanes) -> Lanes:
    """Divide by one positive number as `divide` does.

    Examples
    --------
    >>> divide_by(np.array([-7, 7]), 2).tolist()
    [-3, 3]
    """
    quotient: Lanes = np.floor_divide(left, right)
    if np.ndim(quotient) == 0 or quotient.min(initial=0) < 0:
        quotient = quotient + ((quotient < 0) & (quotient * right != left))
    return quotient


def remainder(left: Lanes, right: Lanes) -> Lanes:
    """Compute the remainder that goes with `divide`: its sign is the dividend's.

    Examples
    --------
    >>> remainder(np.array([-7, 7]), np.array([2, -2])).tolist()
    [-1, 1]
    """
    _refuse_zero(right)
    if isinstance(right, np.unsignedinteger) and not right & (right - 1):
        return np.bitwise_and(left, right - 1)
    return np.fmod(left, right)


def to_integer(value: Lanes, dtype: type[np.integer[Any]]) -> Lanes:
    """Float to integer as a GPU converts: towards zero, saturating in 32 or 64 bits.

    Narrower integers are what is left of 32 bits. NaN becomes 0 where neither side has 64 bits,
    else the integer whose highest bit alone is set.

    Examples
    --------
    >>> to_integer(np.array([-1.9, 3e9, np.nan], np.float32), np.int32).tolist()
    [-1, 2147483647, 0]
    >>> to_integer(np.array([-1.9, 300.0, 3e9]), np.uint8).tolist()
    [0, 44, 0]
    """
    narrow = np.dtype(dtype)
    computed = np.dtype(f"{narrow.kind}{max(4, narrow.itemsize)}")
    limits = np.iinfo(computed)
    wide = np.asarray(value, np.float64)
    low, high, bad = wide <= limits.min, wide >= limits.max, np.isnan(wide)
    result = np.where(low | high | bad, 0, wide).astype(computed)
    result[low], result[high] = limits.min, limits.max
    if computed.itemsize == 8 or value.dtype.itemsize == 8:
        result[bad] = limits.min or limits.max // 2 + 1
    return result.astype(narrow)[()]


def popcount(value: Lanes) -> Lanes:
    """Return how many bits are set, as int."""
    return np.bitwise_count(value).astype(np.int32)


def leading_zeros(value: Lanes) -> Lanes:
    """Return how many zero bits stand before the highest set bit; the width for zero."""
    unsigned = _unsigned(value)
    width = unsigned.dtype.itemsize * 8
    for shift in (1, 2, 4, 8, 16, 32)[: width.bit_length() - 1]:
        unsigned = unsigned | (unsigned >> unsigned.dtype.type(shift))
    return (width - np.bitwise_count(unsigned).astype(np.int32)).astype(np.int32)


def find_first_set(value: Lanes) -> Lanes:
    """Find the lowest set bit, counted from 1; 0 for zero."""
    unsigned = _unsigned(value)
    up_to_it = unsigned ^ (unsigned - unsigned.dtype.type(1))
    return np.bitwise_count(up_to_it).astype(np.int32) * (unsigned != 0)


def reverse_bits(value: Lanes) -> Lanes:
    """Reverse the order of the bits."""
    unsigned = _unsigned(value)
    width = unsigned.dtype.itemsize * 8
    result = np.zeros_like(unsigned)
    one = unsigned.dtype.type(1)
    for at in range(width):
        bit = (unsigned >> unsigned.dtype.type(at)) & one
        result = result | (bit << unsigned.dtype.type(width - 1 - at))
    return result


def _unsigned(value: Lanes) -> Lanes:
    return value.view(np.dtype(f"u{value.dtype.itemsize}"))


def multiply_high(left: Lanes, right: Lanes) -> Lanes:
    """Return the upper 32 bits of a 32 by 32 bit product."""
    wide = np.int64 if np.issubdtype(left.dtype, np.signedinteger) else np.uint64
    return ((left.astype(wide) * right.astype(wide)) >> wide(32)).astype(left.dtype)


def multiply_low24(left: Lanes, right: Lanes) -> Lanes:
    """Multiply the lowest 24 bits, extended as the type says: the lower 32 bits."""
    eight = left.dtype.type(8)
    return ((left << eight) >> eight) * ((right << eight) >> eight)


def smaller(left: Lanes, right: Lanes) -> Lanes:
    """Choose the smaller float: of a number and NaN the number, of two zeros the negative."""
    zeros = np.equal(left, 0) & np.equal(right, 0)
    return np.where(zeros, -(-left - right), np.fmin(left, right))[()]


def larger(left: Lanes, right: Lanes) -> Lanes:
    """Choose the larger float: of a number and NaN the number, of two zeros the positive."""
    zeros = np.equal(left, 0) & np.equal(right, 0)
    return np.where(zeros, left + right, np.fmax(left, right))[()]


def positive_difference(left: Lanes, right: Lanes) -> Lanes:
    """C's fdim: `left - right`, or 0 if that is negative; NaN if either is."""
    known = np.equal(left, left) & np.equal(right, right)
    zero = left.dtype.type(0)
    return np.where(known & np.less_equal(left, right), zero, left - right)[()]


def round_half_away(value: Lanes) -> Lanes:
    """C's round: halves go away from zero, and zeros keep their sign.

    Examples
    --------
    >>> round_half_away(np.array([-2.5, -0.25, 0.5])).tolist()
    [-3.0, -0.0, 1.0]
    """
    whole = np.trunc(value)
    up = np.abs(value - whole) >= 0.5
    return np.where(up, whole + np.copysign(value.dtype.type(1), value), whole)[()]


def nearest_remainder(left: Lanes, right: Lanes) -> Lanes:
    """C's remainder: what is left of `left` after the nearest multiple of `right`, exactly."""
    exact = np.frompyfunc(_nearest_remainder, 2, 1)(left, right)
    return np.asarray(exact, left.dtype)[()]


def _nearest_remainder(left: float, right: float) -> float:
    try:
        return math.remainder(left, right)
    except ValueError:
        return math.nan


def fused(left: Lanes, right: Lanes, addend: Lanes) -> Lanes:
    """Give `left * right + addend`, rounded once.

    Examples
    --------
    >>> tiny = np.float64(2.0**-53)
    >>> float(fused(1 + 2 * tiny, 1 - tiny, np.float64(-1))) == 2.0**-53 - 2.0**-105
    True
    """
    if left.dtype.itemsize < 8:
        return fused_odd(left, right, addend).astype(left.dtype)
    return np.asarray(np.frompyfunc(_fused_double, 3, 1)(left, right, addend), np.float64)[()]


def fused_odd(left: Lanes, right: Lanes, addend: Lanes) -> Lanes:
    """Add to the product of two floats or halves, exact in float64, rounding the sum to odd.

    What is rounded to odd can be rounded again, to float32 or less, without harm.
    """
    left, right, addend = (x.astype(np.float64) for x in (left, right, addend))
    product = left * right
    total = product + addend
    part = total - product
    error = (product - (total - part)) + (addend - part)
    bits = total.view(np.int64)
    inexact = np.isfinite(total) & (error != 0) & ((bits & 1) == 0)
    outwards = np.where((error > 0) == (total > 0), 1, -1)
    return (bits + np.where(inexact, outwards, 0)).view(np.float64)


def _fused_double(left: float, right: float, addend: float) -> float:
    if not (math.isfinite(left) and math.isfinite(right)):
        return left * right + addend
    if not math.isfinite(addend):
        return addend
    plain = left * right + addend
    exact = Fraction(left) * Fraction(right) + Fraction(addend)
    try:
        return float(exact) if exact else plain
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
