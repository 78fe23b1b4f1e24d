"""Bit fields: code that takes their bits out of words, and puts them in."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.compile.context import Context
from simulator.compile.dtypes import dtype_name
from simulator.compile.values import (
    AtAddress,
    BitField,
    Element,
    Register,
    Value,
    convert,
    typed,
)
from simulator.ir.types import ULLONG, Bits, CType, Scalar, size_of


def bit_field(
    words: tuple[Register | Element | AtAddress, ...],
    types: tuple[CType, ...],
    ctype: Bits,
    bit: int,
    label: str,
) -> BitField:
    """Return where a bit field is: from bit `bit` of the first of some words on."""
    return BitField(ctype.of, words, types, bit, ctype.width, label)


def bits_of_words(words: Sequence[Value], bit: int, width: int, ctype: Scalar) -> Value:
    """Return the value of a bit field that begins at bit `bit` of the first word."""
    code = f"extract_bits({_joined(words)}, {bit}, {width}, {dtype_name(ctype)})"
    return Value(code, ctype, all(word.scalar for word in words))


def bits_inserted(
    words: Sequence[Value], bit: int, width: int, given: Value, context: Context
) -> list[Value]:
    """Return words in which a bit field has another value."""
    scalar = given.scalar and all(word.scalar for word in words)
    code = f"insert_bits({_joined(words)}, {bit}, {width}, {typed(given)})"
    if len(words) == 1:
        return [context.keep("word", Value(code, words[0].type, scalar))]
    whole = context.keep("words", Value(code, ULLONG, scalar))
    found, at = [], 0
    for word in words:
        part = f"part_of_word({whole.code}, {at}, {dtype_name(word.type)})"
        found.append(context.keep("word", Value(part, word.type, scalar)))
        at += 8 * size_of(word.type)
    return found


def _joined(words: Sequence[Value]) -> str:
    if len(words) == 1:
        return typed(words[0])
    return f"join_words({', '.join(map(typed, words))})"


def fitted(where: BitField, value: Value) -> Value:
    """Return what a bit field has after `value` is stored in it, for which it may be too narrow."""
    assert isinstance(where.type, Scalar)
    given = convert(value, where.type)
    code = f"fit_bits({typed(given)}, {where.width}, {dtype_name(where.type)})"
    return Value(code, where.type, value.scalar)
