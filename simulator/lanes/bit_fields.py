"""Bit fields: some bits of a word, or of words that lie one behind another."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["extract_bits", "fit_bits", "insert_bits", "join_words", "part_of_word"]


def extract_bits(word: Any, bit: int, width: int, dtype: Any) -> Any:
    """Return `width` bits of unsigned words from bit `bit` on, as numbers of type `dtype`.

    Examples
    --------
    >>> extract_bits(np.array([0b11101000], "u4"), 3, 5, np.int8)
    array([-3], dtype=int8)
    """
    return fit_bits(word >> bit, width, dtype)


def fit_bits(value: Any, width: int, dtype: Any) -> Any:
    """Return the lowest `width` bits of integers, as numbers of type `dtype`: with their sign."""
    if dtype is np.bool_:
        return (value & 1) != 0
    found = value.astype(f"u{np.dtype(dtype).itemsize}")
    above = 8 * found.dtype.itemsize - width
    return (found << above).view(dtype) >> above


def insert_bits(word: Any, bit: int, width: int, value: Any) -> Any:
    """Return words in which `width` bits from bit `bit` on are those of `value`."""
    mask = np.array((1 << width) - 1 << bit, np.uint64).astype(word.dtype)
    given = np.asarray(value).astype(word.dtype) << word.dtype.type(bit)
    return (word & ~mask) | (given & mask)


def join_words(*words: Any) -> Any:
    """Return words that lie one behind another, the lowest first, as one of 64 bits."""
    found, at = np.uint64(0), 0
    for word in words:
        found = found | (word.astype(np.uint64) << np.uint64(at))
        at += 8 * word.dtype.itemsize
    return found


def part_of_word(word: Any, bit: int, dtype: Any) -> Any:
    """Return the part of a word from bit `bit` on that is a whole number of type `dtype`."""
    return (word >> np.uint64(bit)).astype(dtype)
