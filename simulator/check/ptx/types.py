"""The types of PTX that instructions take, and C of them that several instructions are made of."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.check.ptx.operands import C_TYPES, Operands, size_of
from simulator.read.ptx import Piece

Code = Iterator[str]

UNSIGNED = ("u16", "u32", "u64")
SIGNED = ("s16", "s32", "s64")
INTEGERS = (*UNSIGNED, *SIGNED)
WORDS = ("u32", "s32", "u64", "s64")
FLOATS = ("f32", "f64")
WIDER = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}
#: The letters of ways to round, in PTX and in names of CUDA's functions.
ROUNDINGS = {"rn": "rn", "rz": "rz", "rm": "rd", "rp": "ru"}


def cast(ptx_type: str, code: str) -> str:
    """Return C that converts to a type."""
    return f"({C_TYPES[ptx_type]})({code})"


def unsigned(ptx_type: str) -> str:
    """Return the unsigned type of a size."""
    return f"u{size_of(ptx_type)}"


def values_of(o: Operands, ptx_type: str, *operands: Piece) -> list[str]:
    """Return operands of one type as C."""
    return [o.value(one, ptx_type) for one in operands]


def flushed(code: str, flushes: bool) -> str:
    """Return C that makes zero of floats that are too small to be normal."""
    if not flushes:
        return code
    return f"(fabsf({code}) < 1.17549435e-38f ? copysignf(0.0f, {code}) : ({code}))"
