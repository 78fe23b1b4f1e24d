"""C's literals, and the floats that fit integer types, for random programs."""

from __future__ import annotations

import random

from tests.reference.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    LLONG,
    LONG,
    UINT,
    ULLONG,
    ULONG,
    Type,
)

#: The values between which a float of 32 or 64 bits may be converted to an integer type.
_LIMITS = {
    (7, 8): ("-128.0f", "127.0f"),
    (8, 8): ("0.0f", "255.0f"),
    (15, 16): ("-32768.0f", "32767.0f"),
    (16, 16): ("0.0f", "65535.0f"),
    (31, 32): ("-2147483648.0f", "2147483520.0f"),
    (32, 32): ("0.0f", "4294967040.0f"),
    (63, 64): ("-9223372036854775808.0f", "9223371487098961920.0f"),
    (64, 64): ("0.0f", "18446742974197923840.0f"),
}


def limits(ctype: Type) -> tuple[str, str]:
    """Floats between which every value can be converted to the integer type `ctype`."""
    return _LIMITS[ctype.bits - ctype.signed, ctype.bits]


#: Literals whose types are the interesting question.
_TRICKY = (
    ("0x7fffffff", INT),
    ("0x80000000", UINT),
    ("0xffffffff", UINT),
    ("0x100000000", LONG),
    ("0xffffffffffffffff", ULONG),
    ("2147483647", INT),
    ("2147483648", LONG),
    ("4294967295", LONG),
    ("4294967295u", UINT),
    ("4294967296u", ULONG),
    ("037777777777", UINT),
    ("0777", INT),
    ("0b1011", INT),
    ("-2147483648", LONG),
    ("-2147483647 - 1", INT),
    ("-9223372036854775807L - 1", LONG),
    ("9223372036854775807ll", LLONG),
    ("0x8000000000000000ll", ULLONG),
    ("18446744073709551615ull", ULLONG),
    ("'a'", CHAR),
    ("'\\n'", CHAR),
    ("'\\0'", CHAR),
    ("'\\xff'", CHAR),
    ("'\\200'", CHAR),
    ("true", BOOL),
    ("false", BOOL),
)
_SUFFIXES = {
    INT: ("",),
    UINT: ("u", "U"),
    LONG: ("l", "L"),
    ULONG: ("ul", "LU", "uL"),
    LLONG: ("ll", "LL"),
    ULLONG: ("ull", "LLU"),
}
_REALS = tuple("0.0 1.0 0.5 .25 3. 1e10 1e-3 2.5e+0 0.1 16777217.0 0x1.8p1".split())
_DOUBLES = ("1e300", "4.9e-324", "1.7976931348623157e308")
_FLOATS = ("1e38f", "1e-45f", "3.4028234e38f", "0.3333333433f")


def literal(rng: random.Random) -> tuple[str, Type]:
    """A constant in C, and its type; those with a sign are expressions."""
    kind = rng.random()
    if kind < 0.25:
        return rng.choice(_TRICKY)
    if kind < 0.45:
        return _real(rng)
    ctype = rng.choice(tuple(_SUFFIXES))
    bits = rng.choice((2, 3, 5, 8, 16, ctype.bits - 1))
    value = rng.getrandbits(bits)
    form = rng.choice(("{}", "{}", "{:#x}", "0{:o}", "{:#b}"))
    return form.format(value) + rng.choice(_SUFFIXES[ctype]), ctype


def _real(rng: random.Random) -> tuple[str, Type]:
    if rng.random() < 0.5:
        return rng.choice(_REALS + _DOUBLES), DOUBLE
    single = rng.choice((*_FLOATS, *(text + "f" for text in _REALS)))
    return single, FLOAT
