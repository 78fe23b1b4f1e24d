"""Functions of floats beyond NumPy's: parts of them, multiples of pi, remainders with quotients.

All take and return arrays over the active lanes; those with two results return a tuple.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.lanes.arithmetic import nearest_remainder, round_half_away, to_integer

Lanes = Any

_HUGE = 2.0**1000
_INT = np.iinfo(np.int32)


def fraction_and_exponent(x: Lanes) -> tuple[Lanes, Lanes]:
    """C's frexp: `x` as a fraction in [0.5, 1) times a power of two; 0 for the power of inf.

    Examples
    --------
    >>> [part.tolist() for part in fraction_and_exponent(np.array([12.0, 0.0]))]
    [[0.75, 0.0], [4, 0]]
    """
    fraction, exponent = np.frexp(x)
    return fraction, np.where(np.isfinite(x), exponent, 0)


def fraction_and_whole(x: Lanes) -> tuple[Lanes, Lanes]:
    """C's modf: what is behind the point, and what is before it, both with the sign of `x`."""
    fraction, whole = np.modf(x)
    return fraction, whole


def exponent(x: Lanes) -> Lanes:
    """C's logb: the exponent of `x` as a float; -inf for 0."""
    _, power = np.frexp(x)
    finite = np.where(x == 0, -np.inf, power - 1.0)
    return np.where(np.isfinite(x), finite, np.abs(x)).astype(x.dtype)


def integer_exponent(x: Lanes) -> Lanes:
    """C's ilogb: the least integer for 0 and NaN, the greatest for infinities."""
    _, power = np.frexp(x)
    special = np.where(np.isinf(x), _INT.max, _INT.min)
    return np.where(np.isfinite(x) & (x != 0), power - 1, special)


def scaled(x: Lanes, power: Lanes) -> Lanes:
    """Return `x` times two to the power."""
    return np.ldexp(x, np.clip(power, -5000, 5000).astype(np.int32))


def nearest_integer(x: Lanes) -> Lanes:
    """C's llrint: halves go to the even neighbour."""
    return to_integer(np.rint(x), np.int64)


def nearest_integer_away(x: Lanes) -> Lanes:
    """C's llround: halves go away from zero."""
    return to_integer(round_half_away(x), np.int64)


def remainder_and_quotient(x: Lanes, y: Lanes) -> tuple[Lanes, Lanes]:
    """C's remquo: the nearest remainder, and the last three bits of the quotient, with its sign.

    Examples
    --------
    >>> [part.tolist() for part in remainder_and_quotient(np.array([-29.0]), np.array([3.0]))]
    [[1.0], [-2]]
    """
    left, right = np.abs(x).astype(np.float64), np.abs(y).astype(np.float64)
    scale = np.where(right > _HUGE, 2.0**-8, 1.0)
    left, right = left * scale, right * scale
    left = np.fmod(left, 8 * right)
    quotient = np.zeros(np.shape(left), np.int32)
    for part in (4, 2, 1):  # each difference is exact
        takes = left >= part * right
        left = np.where(takes, left - part * right, left)
        quotient += np.where(takes, part, 0).astype(np.int32)
    odd = quotient & 1 == 1
    quotient += (2 * left > right) | ((2 * left == right) & odd)
    usual = np.isfinite(x) & np.isfinite(y) & (y != 0)
    signed = np.where(np.signbit(x) != np.signbit(y), -(quotient & 7), quotient & 7)
    return nearest_remainder(x, y), np.where(usual, signed, 0)


def sine_and_cosine(x: Lanes) -> tuple[Lanes, Lanes]:
    """C's sincos."""
    return np.sin(x), np.cos(x)


def sine_and_cosine_of_pi(x: Lanes) -> tuple[Lanes, Lanes]:
    """Return sine and cosine of `x` times pi, of which whole turns and quarters are exact.

    Examples
    --------
    >>> [part.tolist() for part in sine_and_cosine_of_pi(np.array([0.5, 1e15]))]
    [[1.0, 0.0], [0.0, 1.0]]
    """
    turned = np.fmod(x.astype(np.float64), 2)
    quarters = np.rint(2 * turned)
    angle = np.pi * (turned - quarters / 2)
    quarter = to_integer(quarters, np.int32) & 3
    sine, cosine = np.sin(angle), np.cos(angle)
    swapped = quarter & 1 == 1
    sines = np.where(swapped, cosine, sine) * np.where(quarter >= 2, -1.0, 1.0)
    cosines = np.where(swapped, -sine, cosine) * np.where(quarter >= 2, -1.0, 1.0)
    sines = np.where(sines == 0, np.copysign(0.0, turned), sines)
    return sines.astype(x.dtype), (cosines + 0.0).astype(x.dtype)


def sine_of_pi(x: Lanes) -> Lanes:
    """Return the sine of `x` times pi."""
    return sine_and_cosine_of_pi(x)[0]


def cosine_of_pi(x: Lanes) -> Lanes:
    """Return the cosine of `x` times pi."""
    return sine_and_cosine_of_pi(x)[1]


def length(*parts: Lanes) -> Lanes:
    """Return the square root of the sum of squares, which do not overflow."""
    total = parts[0]
    for part in parts[1:]:
        total = np.hypot(total, part)
    return total


def reciprocal_length(*parts: Lanes) -> Lanes:
    """Return the reciprocal of `length`."""
    return np.reciprocal(length(*parts))
