"""Words put together from parts of others: funnel shifts, byte permutations, the nth set bit.

Every function takes and returns arrays over the active lanes, or scalars where all lanes agree.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Lanes = Any  # an array over the active lanes, or a NumPy scalar that all of them share

__all__ = ["byte_permutation", "funnel_left", "funnel_right", "nth_set_bit"]

_U4, _U8 = np.uint32, np.uint64


def _joined(low: Lanes, high: Lanes) -> Lanes:
    return np.asarray(high).astype(_U8) << _U8(32) | np.asarray(low).astype(_U8)


def _distance(shift: Lanes, most: int) -> Lanes:
    """How far to shift: modulo 32, or up to 32 where the function clamps (`most` is 32)."""
    shift = np.asarray(shift)
    return (np.minimum(shift, _U4(32)) if most == 32 else shift & _U4(31)).astype(_U8)


def funnel_left(low: Lanes, high: Lanes, shift: Lanes, most: int = 31) -> Lanes:
    """The high word of `high:low` shifted to the left.

    Examples
    --------
    >>> int(funnel_left(np.uint32(0x80000000), np.uint32(1), np.uint32(1)))
    3
    """
    return (_joined(low, high) << _distance(shift, most) >> _U8(32)).astype(_U4)[()]


def funnel_right(low: Lanes, high: Lanes, shift: Lanes, most: int = 31) -> Lanes:
    """The low word of `high:low` shifted to the right."""
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
    for place in range(4):
        digit = selector >> _U4(4 * place) & _U4(0xF)
        byte = (both >> ((digit & _U4(7)).astype(_U8) * _U8(8)) & _U8(0xFF)).astype(_U4)
        sign = np.where(byte & _U4(0x80), _U4(0xFF), _U4(0))
        result |= np.where(digit & _U4(8), sign, byte) << _U4(8 * place)
    return result[()]


def nth_set_bit(mask: Lanes, n: Lanes) -> Lanes:
    """The place of the set bit of `mask` with `n` set bits below it; 32 where there is none.

    Examples
    --------
    >>> nth_set_bit(np.uint32(0b10110), np.array([0, 1, 2, 3, -1])).tolist()
    [1, 2, 4, 32, 32]
    """
    n = np.asarray(n, np.int64)
    rest = np.broadcast_to(np.asarray(mask, _U4), np.broadcast(mask, n).shape).copy()
    for turn in range(int(min(31, n.max(initial=0)))):
        rest = np.where(turn < n, rest & (rest - _U4(1)), rest)
    place = np.bitwise_count((rest & (~rest + _U4(1))) - _U4(1)).astype(np.int32)
    return np.where((n < 0) | (n > 31) | (rest == 0), 32, place).astype(np.int32)[()]
