"""C's arithmetic where NumPy's differs: division, remainder, conversions from float, bit counts.

Every function takes and returns arrays over the active lanes, or scalars where all lanes agree.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Lanes = Any  # an array over the active lanes, or a NumPy scalar that all of them share


class LaneError(Exception):
    """Some active lanes did something undefined; `bad` marks them among the active lanes (None.

    All of them).
    """

    def __init__(self, what: str, hint: str, bad: Any = None) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.bad = bad


def _refuse_zero(divisor: Lanes) -> None:
    zero = np.equal(divisor, 0)
    if np.any(zero):
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
    if np.issubdtype(quotient.dtype, np.signedinteger):
        inexact = quotient * right != left
        quotient = quotient + ((np.less(left, 0) != np.less(right, 0)) & inexact)
    return quotient


def remainder(left: Lanes, right: Lanes) -> Lanes:
    """The remainder that goes with `divide`: its sign is the dividend's.

    Examples
    --------
    >>> remainder(np.array([-7, 7]), np.array([2, -2])).tolist()
    [-1, 1]
    """
    _refuse_zero(right)
    return np.fmod(left, right)


def to_integer(value: Lanes, dtype: type[np.integer[Any]]) -> Lanes:
    """Float to integer as a GPU converts: towards zero, saturating, NaN to zero.

    Examples
    --------
    >>> to_integer(np.array([-1.9, 3e9, np.nan]), np.int32).tolist()
    [-1, 2147483647, 0]
    """
    limits = np.iinfo(dtype)
    wide = np.trunc(
        np.nan_to_num(np.asarray(value, np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf)
    )
    low, high = wide <= limits.min, wide >= limits.max
    inside = np.where(low | high, 0, wide).astype(dtype)
    result = np.where(low, limits.min, np.where(high, limits.max, inside)).astype(dtype)
    return result[()] if np.ndim(value) == 0 else result


def popcount(value: Lanes) -> Lanes:
    """How many bits are set, as int."""
    return np.bitwise_count(value).astype(np.int32)


def leading_zeros(value: Lanes) -> Lanes:
    """How many zero bits stand before the highest set bit; the width for zero."""
    unsigned = _unsigned(value)
    width = unsigned.dtype.itemsize * 8
    for shift in (1, 2, 4, 8, 16, 32)[: width.bit_length() - 1]:
        unsigned = unsigned | (unsigned >> unsigned.dtype.type(shift))
    return (width - np.bitwise_count(unsigned).astype(np.int32)).astype(np.int32)


def find_first_set(value: Lanes) -> Lanes:
    """The place of the lowest set bit counted from 1; 0 for zero."""
    unsigned = _unsigned(value)
    one = unsigned.dtype.type(1)
    below = np.bitwise_count((unsigned & (~unsigned + one)) - one).astype(np.int32)
    return np.where(unsigned == 0, 0, below + 1).astype(np.int32)[()]


def reverse_bits(value: Lanes) -> Lanes:
    """The bits in the opposite order."""
    unsigned = _unsigned(value)
    width = unsigned.dtype.itemsize * 8
    result = np.zeros_like(unsigned)
    one = unsigned.dtype.type(1)
    for place in range(width):
        bit = (unsigned >> unsigned.dtype.type(place)) & one
        result = result | (bit << unsigned.dtype.type(width - 1 - place))
    return result


def _unsigned(value: Lanes) -> Lanes:
    return value.view(np.dtype(f"u{value.dtype.itemsize}"))


def multiply_high(left: Lanes, right: Lanes) -> Lanes:
    """The upper 32 bits of a 32 by 32 bit product."""
    wide = np.int64 if np.issubdtype(left.dtype, np.signedinteger) else np.uint64
    return ((left.astype(wide) * right.astype(wide)) >> wide(32)).astype(left.dtype)


def multiply_24(left: Lanes, right: Lanes) -> Lanes:
    """The lower 32 bits of the product of the lowest 24 bits, extended as the type says."""
    eight = left.dtype.type(8)
    return ((left << eight) >> eight) * ((right << eight) >> eight)
