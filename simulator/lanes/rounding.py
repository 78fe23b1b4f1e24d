"""Rounding: numbers in the formats of floats, in each direction, each time rounded once.

Formats narrower than a double are reached from doubles that stand for the exact value: those that
it does not fit are *rounded to odd* first (cut, and the last bit set), which no second rounding can
tell from the value itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.lanes.arithmetic import fused_odd

__all__ = ["from_bfloat16", "saturated", "to_bfloat16"]

Lanes = Any

#: The directions, by the letters that end the names of CUDA's functions.
DIRECTIONS: dict[str, Callable[[Lanes], Lanes]] = {
    "rn": np.rint,
    "rz": np.trunc,
    "ru": np.ceil,
    "rd": np.floor,
}


@dataclass(frozen=True)
class Format:
    """A binary format: its significant bits, the exponents of its normal numbers, its largest."""

    bits: int
    least: int
    largest: float


HALF = Format(11, -14, 65504.0)
BFLOAT16 = Format(8, -126, float.fromhex("0x1.fep127"))
SINGLE = Format(24, -126, float.fromhex("0x1.fffffep127"))


def rounded(value: Lanes, form: Format, direction: str = "rn") -> Lanes:
    """Round doubles to a narrower format; they stay doubles.

    Examples
    --------
    >>> rounded(np.array([1 / 3, 1e9, -1e9]), HALF, "ru").tolist()
    [0.33349609375, inf, -65504.0]
    """
    _, exponent = np.frexp(value)
    unit = np.maximum(exponent, form.least + 1) - form.bits
    found = np.ldexp(DIRECTIONS[direction](np.ldexp(value, -unit)), unit)
    beyond = np.isfinite(value) & (np.abs(found) > form.largest)
    outwards = {"rn": True, "rz": False, "ru": found > 0, "rd": found < 0}[direction]
    limit = np.copysign(np.where(outwards, np.inf, form.largest), found)
    return np.where(beyond, limit, np.where(np.isfinite(value), found, value))


def as_double(value: Lanes) -> Lanes:
    """Return numbers as doubles: integers beyond 53 bits are rounded to odd."""
    value = np.asarray(value)
    if value.dtype.kind not in "iu" or value.dtype.itemsize < 8:
        return value.astype(np.float64)
    one = value.dtype.type
    tail = value & one(0xFFF)
    odd = (value - tail) | np.where(tail & one(0x7FF) != 0, one(0x800), tail)
    large = value >= one(1 << 53)
    if value.dtype.kind == "i":
        large |= value <= -one(1 << 53)
    return np.where(large, odd, value).astype(np.float64)


# bfloat16: arrays hold the bits, as 16-bit integers; its numbers are those of float's upper halves.


def from_bfloat16(bits: Lanes) -> Lanes:
    """Return the floats that bfloat16s are.

    Examples
    --------
    >>> from_bfloat16(np.array([0x3F80, 0xC049], np.uint16)).tolist()
    [1.0, -3.140625]
    """
    return (np.asarray(bits).astype(np.uint32) << np.uint32(16)).view(np.float32)[()]


def to_bfloat16(value: Lanes) -> Lanes:
    """Round numbers of any type to the nearest bfloat16s, halfway to the even one.

    Examples
    --------
    >>> [hex(bits) for bits in to_bfloat16(np.array([1, 3.14159, np.nan], np.float32)).tolist()]
    ['0x3f80', '0x4049', '0x7fff']
    """
    value = np.asarray(value)
    if value.dtype.kind != "f" or value.dtype.itemsize == 8:
        return packed_bfloat16(rounded(as_double(value), BFLOAT16))
    bits = value.astype(np.float32).view(np.uint32)
    even = bits >> np.uint32(16) & np.uint32(1)
    nearest = (bits + np.uint32(0x7FFF) + even) >> np.uint32(16)
    return np.where(np.isnan(value), 0x7FFF, nearest).astype(np.uint16)[()]


def packed_bfloat16(value: Lanes) -> Lanes:
    """Return the bits of numbers that are bfloat16s already."""
    bits = np.asarray(value).astype(np.float32).view(np.uint32) >> np.uint32(16)
    return np.where(np.isnan(value), 0x7FFF, bits).astype(np.uint16)[()]


# Integers.


def saturated(value: Lanes, dtype: Any, direction: str = "rz") -> Lanes:
    """Round floats to the integers of a type: those beyond its limits become these, NaN 0.

    If either side has 64 bits, NaN is the integer whose highest bit alone is set.

    Examples
    --------
    >>> saturated(np.array([-1.5, 300.0, np.nan], np.float32), np.uint8, "rn").tolist()
    [0, 255, 0]
    """
    limits, wide = np.iinfo(dtype), np.asarray(value, np.float64)
    whole = DIRECTIONS[direction](wide)
    low, high, bad = whole <= limits.min, whole >= limits.max, np.isnan(wide)
    result = np.where(low | high | bad, 0, whole).astype(dtype)
    result = np.where(low, limits.min, np.where(high, limits.max, result)).astype(dtype)
    if limits.bits == 64 or np.asarray(value).dtype.itemsize == 8:
        result[bad] = limits.min or limits.max // 2 + 1
    return result[()]


# Operators of floats, in each direction.


def _single(value: Lanes, direction: str) -> Lanes:
    return rounded(value, SINGLE, direction).astype(np.float32)


def single_sum(left: Lanes, right: Lanes, direction: str) -> Lanes:
    """Add floats."""
    found = _single(fused_odd(left, np.ones_like(left), right), direction)
    return _signed_zero(found, left, right, direction)


def _signed_zero(found: Lanes, left: Lanes, right: Lanes, direction: str) -> Lanes:
    """Give a sum that vanishes its sign: downwards it is negative, unless both are zeros alike."""
    if direction != "rd":
        return found
    differ = (found == 0) & ~((left == 0) & (right == 0) & ~np.signbit(left) & ~np.signbit(right))
    return np.where(differ & (left == -right), -np.abs(found), found)


def single_product(left: Lanes, right: Lanes, direction: str) -> Lanes:
    """Multiply floats."""
    return _single(left.astype(np.float64) * right.astype(np.float64), direction)


def single_quotient(left: Lanes, right: Lanes, direction: str) -> Lanes:
    """Divide floats.

    A quotient of floats that is none itself is farther from every float, and from what lies midway
    between two, than a double's rounding moves it.
    """
    return _single(left.astype(np.float64) / right.astype(np.float64), direction)


def single_root(value: Lanes, direction: str) -> Lanes:
    """Take square roots of floats; the same holds for them."""
    return _single(np.sqrt(value.astype(np.float64)), direction)


def single_fused(left: Lanes, right: Lanes, addend: Lanes, direction: str) -> Lanes:
    """Give `left * right + addend` of floats, rounded once."""
    found = _single(fused_odd(left, right, addend), direction)
    product = left.astype(np.float64) * right.astype(np.float64)
    return _signed_zero(found, product, addend.astype(np.float64), direction)
