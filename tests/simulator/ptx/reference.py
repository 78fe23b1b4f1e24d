"""What PTX instructions mean, of one thread, on Python's integers and NumPy's floats.

Registers are bits: integers below 2**32 or 2**64, whatever an instruction takes them for.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

Bits = int


def signed(x: Bits, size: int) -> int:
    return x - (1 << size) if x >> size - 1 else x


def masked(x: int, size: int) -> Bits:
    return x & (1 << size) - 1


def single(x: Bits) -> float:
    return struct.unpack("<f", struct.pack("<I", x))[0]


def double(x: Bits) -> float:
    return struct.unpack("<d", struct.pack("<Q", x))[0]


def of_single(x: float) -> Bits:
    with np.errstate(all="ignore"):
        return int(np.float32(x).view(np.uint32))


def of_double(x: float) -> Bits:
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def view(x: Bits, ptx_type: str) -> Any:
    """A register's bits as a number of a type."""
    size = int(ptx_type[1:])
    if ptx_type[0] == "f":
        return single(x) if size == 32 else double(x)
    return signed(masked(x, size), size) if ptx_type[0] == "s" else masked(x, size)


def bits(x: Any, ptx_type: str) -> Bits:
    """A number of a type as bits."""
    size = int(ptx_type[1:])
    if ptx_type[0] == "f":
        return of_single(x) if size == 32 else of_double(x)
    return masked(int(x), size)


def rounded_single(exact: Fraction | float) -> float:
    """An exact number, or a special one, as a float."""
    if isinstance(exact, float):
        return exact
    if exact == 0:
        return 0.0
    sign, size = (-1 if exact < 0 else 1), abs(exact)
    exponent = max(-126, math.floor(math.log2(size.numerator) - math.log2(size.denominator)) - 1)
    while size >= Fraction(2) ** (exponent + 1):
        exponent += 1
    unit = Fraction(2) ** (exponent - 23)
    return sign * float(round(size / unit) * unit) if exponent < 128 else sign * math.inf


def truncated(x: int, y: int) -> int:
    """A quotient rounded towards zero."""
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def remainder(x: int, y: int) -> int:
    return x - truncated(x, y) * y


def bfe(a: Bits, start: Bits, length: Bits, ptx_type: str) -> Bits:
    """The definition of the manual: bit by bit, filled with the sign."""
    size = int(ptx_type[1:])
    pos, many = start & 0xFF, length & 0xFF
    sign = 0 if ptx_type[0] == "u" or many == 0 else a >> min(pos + many - 1, size - 1) & 1
    found = 0
    for i in range(size):
        bit = a >> pos + i & 1 if i < many and pos + i <= size - 1 else sign
        found |= bit << i
    return found


def bfi(a: Bits, b: Bits, start: Bits, length: Bits, size: int) -> Bits:
    pos, many, found = start & 0xFF, length & 0xFF, b
    for i in range(many):
        if pos + i > size - 1:
            break
        found = found & ~(1 << pos + i) | (a >> i & 1) << pos + i
    return found


def prmt(a: Bits, b: Bits, selector: Bits) -> Bits:
    octets = list((a | b << 32).to_bytes(8, "little"))
    found = []
    for at in range(4):
        control = selector >> 4 * at & 15
        octet = octets[control & 7]
        found.append(255 * (octet >> 7) if control & 8 else octet)
    return int.from_bytes(bytes(found), "little")


def lop3(a: Bits, b: Bits, c: Bits, table: int) -> Bits:
    found = 0
    for i in range(32):
        row = (a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1
        found |= (table >> row & 1) << i
    return found


def funnel(low: Bits, high: Bits, count: Bits, side: str, mode: str) -> Bits:
    by = min(count, 32) if mode == "clamp" else count & 31
    both = high << 32 | low
    return masked((both << by) >> 32 if side == "l" else both >> by, 32)


def bfind(x: int, size: int) -> Bits:
    x = ~x if x < 0 else x
    return x.bit_length() - 1 if x else 0xFFFFFFFF


def to_integer(x: float, way: str, ptx_type: str, source: str) -> Bits:
    """Round, and clamp to what the type has; NaN is 0 if both have 32 bits, else the top bit."""
    size = int(ptx_type[1:])
    if math.isnan(x):
        return 0 if (source, size) == ("f32", 32) else 1 << size - 1
    low, high = (
        (-(1 << size - 1), (1 << size - 1) - 1) if ptx_type[0] == "s" else (0, (1 << size) - 1)
    )
    if math.isinf(x):
        return masked(low if x < 0 else high, size)
    rounding: dict[str, Callable[[float], int]] = {
        "rni": round,
        "rzi": math.trunc,
        "rmi": math.floor,
        "rpi": math.ceil,
    }
    return masked(min(max(rounding[way](x), low), high), size)


#: Comparisons of numbers of which none is NaN.
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
    "lo": lambda x, y: x < y,
    "ls": lambda x, y: x <= y,
    "hi": lambda x, y: x > y,
    "hs": lambda x, y: x >= y,
}


def compare(name: str, x: Any, y: Any) -> bool:
    """A comparison; of floats, those that end with u hold if one is NaN."""
    either = x != x or y != y
    if name in ("num", "nan"):
        return either == (name == "nan")
    if either:
        return len(name) == 3
    return COMPARISONS[name.removesuffix("u") if len(name) == 3 else name](x, y)
