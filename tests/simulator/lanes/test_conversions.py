"""Conversions between all scalar types over their edge values, and the types of literals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.reference.types import BOOL, CHAR, DOUBLE, FLOAT, INT, LONG, TYPES, UINT, ULONG, Type
from tests.sampling import sampled
from tests.simulator.lanes.operands import WAYS, evaluate, same

WIDTHS = (8, 16, 32, 64)
REALS = (0.0, -0.0, 0.25, -0.75, 1.5, -1.5, 1e-45, 5e-324, 127.9, -128.9, 254.5, 300.7)
LARGE_REALS = (1e10, -1e10, 1e19, 1e20, 3.4e38)


def edges(ctype: Type) -> list[Any]:
    """The interesting values of a type."""
    if ctype == BOOL:
        return [False, True]
    if ctype.real:
        return _real_edges(ctype)
    near = {0, 1, 2, -1, 85, 1 << 24, (1 << 53) + 1, (1 << 60) + (1 << 36) + 1}
    near |= {(1 << 64) - 1 - (3 << 36)}
    near |= {
        s * ((1 << b) + d)
        for b in (*WIDTHS, *(w - 1 for w in WIDTHS))
        for d in (-1, 0, 1)
        for s in (1, -1)
    }
    near |= {(1 << 24) + 1, (1 << 24) + 3, -(1 << 53) - 1}
    return sorted({int(ctype.convert(v)) for v in near})


def _real_edges(ctype: Type) -> list[float]:
    values = [
        *(*REALS, *LARGE_REALS),
        math.inf,
        -math.inf,
        math.nan,
        16777217.0,
        2.0**24 + 3,
        1 + 2.0**-24,
        1 + 2.0**-24 + 2.0**-50,
    ]
    values += [
        s * 2.0**b for b in (7, 8, 15, 16, 31, 32, 63, 64, -149, -150, 127, 128) for s in (1, -1)
    ]
    values += [2.0**b - 1 for b in (8, 31, 32)] + [3.4028235677973366e38, 1.7976931348623157e308]
    with np.errstate(all="ignore"):
        held = np.array(values, ctype.code)
    return [float(v) for v in held]


FORMS = [
    ("lanes", "{{0}}"),
    ("lanes", "static_cast<{}>({{0}})"),
    ("parameters", "({}){{0}}"),
    ("literals", "({}){{0}}"),
    ("constants", "({}){{0}}"),
]


@pytest.mark.parametrize(
    ("source", "way", "form"),
    sampled(((source, *form) for source in TYPES for form in FORMS), 5, each=0),
    ids=lambda value: value.name if isinstance(value, Type) else None,
)
def test_every_type_to_every_type(source: Type, way: str, form: str) -> None:
    values = edges(source)
    wanted = [(t, form.format(t.name)) for t in TYPES]
    for (target, _), got in zip(wanted, WAYS[way](wanted, [(source, values)]), strict=True):
        with np.errstate(all="ignore"):
            expected = np.array([target.convert(v, source) for v in values], target.code)
        wrong = (~same(got, expected)).nonzero()[0]
        assert not wrong.size, (
            f"({target.name}){values[wrong[0]]!r} of {source.name} came to {got[wrong[0]]!r}, "
            f"expected {expected[wrong[0]]!r}"
        )


LITERALS = [
    ("0", INT, 0),
    ("2147483647", INT, 2**31 - 1),
    ("2147483648", LONG, 2**31),
    ("0x7fffffff", INT, 2**31 - 1),
    ("0x80000000", UINT, 2**31),
    ("0xffffffff", UINT, 2**32 - 1),
    ("0x100000000", LONG, 2**32),
    ("0x7fffffffffffffff", LONG, 2**63 - 1),
    ("0x8000000000000000", ULONG, 2**63),
    ("9223372036854775807", LONG, 2**63 - 1),
    ("9223372036854775808", ULONG, 2**63),
    ("18446744073709551615", ULONG, 2**64 - 1),
    ("4294967295u", UINT, 2**32 - 1),
    ("4294967296u", ULONG, 2**32),
    ("017", INT, 15),
    ("037777777777", UINT, 2**32 - 1),
    ("0b101", INT, 5),
    ("0xffffffffl", LONG, 2**32 - 1),
    ("1l", LONG, 1),
    ("1uL", ULONG, 1),
    ("1LLu", ULONG, 1),
    ("18446744073709551615ull", ULONG, 2**64 - 1),
    ("'a'", CHAR, 97),
    ("'\\n'", CHAR, 10),
    ("'\\''", CHAR, 39),
    ("'\\x7f'", CHAR, 127),
    ("'\\xff'", CHAR, -1),
    ("'\\377'", CHAR, -1),
    ("true", BOOL, 1),
    ("-2147483648", LONG, -(2**31)),
    ("+'a'", INT, 97),
    ("~true", INT, -2),
    ("!5", BOOL, 0),
    ("-0u", UINT, 0),
    ("-1u", UINT, 2**32 - 1),
    ("sizeof(char)", ULONG, 1),
]


@pytest.mark.parametrize(
    ("text", "ctype", "value"), LITERALS, ids=[text for text, _, _ in LITERALS]
)
def test_integer_literals(text: str, ctype: Type, value: int) -> None:
    size, below, low = evaluate(
        [(INT, f"sizeof({text})"), (BOOL, f"({text}) * 0 - 1 < 0"), (ULONG, text)], {}, 1
    )
    assert size[0] * 8 == max(8, ctype.bits)
    assert below[0] == (ctype.signed or ctype.bits < 32)
    assert low[0] == value % 2**64


@pytest.mark.parametrize(
    ("text", "ctype", "value"),
    [
        ("0.1", DOUBLE, 0.1),
        ("0.1f", FLOAT, 0.10000000149011612),
        ("1e3f", FLOAT, 1000.0),
        (".5F", FLOAT, 0.5),
        ("3.", DOUBLE, 3.0),
        ("0x1.8p-2", DOUBLE, 0.375),
        ("0x1p-149f", FLOAT, 2.0**-149),
        ("16777217.0f", FLOAT, 16777216.0),
        ("1e39f", FLOAT, math.inf),
        ("1.7976931348623157e308", DOUBLE, 1.7976931348623157e308),
    ],
)
def test_real_literals(text: str, ctype: Type, value: float) -> None:
    size, got = evaluate([(INT, f"sizeof({text})"), (DOUBLE, text)], {}, 1)
    assert (size[0] * 8, got[0]) == (ctype.bits, value)


@pytest.mark.parametrize(
    ("text", "size", "signed"),
    [
        ("(char)1 + (char)1", 4, True),
        ("(unsigned short)1 * (unsigned short)1", 4, True),
        ("1 + 1u", 4, False),
        ("1l + 1u", 8, True),
        ("1ll + 1ul", 8, False),
        ("1ull + 1l", 8, False),
        ("1u << 1ll", 4, False),
        ("(char)1 << 1ull", 4, True),
        ("true ? (short)1 : (short)2", 2, True),
        ("true ? (short)1 : (char)2", 4, True),
        ("true ? 1 : 2u", 4, False),
        ("true ? 1 : 2.0f", 4, True),
        ("1.0f + 1ull", 4, True),
        ("1.0f * 1.0", 8, True),
        ("(1, (char)2)", 1, True),
        ("1 == 1", 1, True),
        ("-(unsigned char)1", 4, True),
    ],
)
def test_types_of_operators(text: str, size: int, signed: bool) -> None:
    bytes_, below = evaluate([(INT, f"sizeof({text})"), (BOOL, f"({text}) * 0 - 1 < 0")], {}, 1)
    assert (bytes_[0], below[0]) == (size, signed)
