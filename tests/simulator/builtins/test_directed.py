"""Operators and conversions that say how they round, against fractions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import simulator
from simulator.lanes.rounding import DIRECTIONS, SINGLE
from tests.simulator.builtins.test_narrow import nearest


def launched(text: str, kind: str, result: str, columns: list[Any]) -> Any:
    loads = "".join(f"{kind} {v} = p{v}[i]; " for v in "xyz"[: len(columns)])
    head = "".join(f"const {kind} *p{v}, " for v in "xyz"[: len(columns)])
    code = f"""extern "C" __global__ void k({head}{result} *out, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) {{ {loads} out[i] = {text}; }} }}"""
    n = len(columns[0])
    kinds = {"float": "float32", "double": "float64", "int": "int32", "long long": "int64"}
    out = simulator.zeros(n, kinds[result])
    given = [simulator.asarray(c) for c in columns]
    simulator.RawKernel(code, "k")((-(-n // 256),), (256,), (*given, out, n))
    return out.get()


def floats(count: int) -> list[Any]:
    """Return random floats of all magnitudes, and some that cancel or are near each other."""
    rng = np.random.default_rng(5)
    wide = rng.integers(0, 1 << 32, (count, 800), dtype=np.uint32).view(np.float32)
    near = (rng.integers(-64, 64, (count, 200)) / 8).astype(np.float32)
    return list(np.hstack([wide, near]))


OPERATORS: dict[str, tuple[int, Callable[..., Fraction | None]]] = {
    "__fadd": (2, lambda x, y: x + y),
    "__fsub": (2, lambda x, y: x - y),
    "__fmul": (2, lambda x, y: x * y),
    "__fdiv": (2, lambda x, y: x / y if y else None),
    "__frcp": (1, lambda x: 1 / x if x else None),
    "__fmaf": (3, lambda x, y, z: x * y + z),
}


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", OPERATORS)
def test_operators_round_once(name: str, direction: str) -> None:
    count, exact = OPERATORS[name]
    columns = floats(count)
    operands = ", ".join("xyz"[:count])
    got = launched(f"{name}_{direction}({operands})", "float", "float", columns)
    for found, row in zip(
        got.tolist(), zip(*(c.tolist() for c in columns), strict=True), strict=True
    ):
        if all(map(math.isfinite, row)) and (value := exact(*map(Fraction, row))) is not None:
            assert found == nearest(value, SINGLE, direction), row


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_roots_lie_on_the_side_of_their_direction(direction: str) -> None:
    (column,) = floats(1)
    column = np.abs(column[np.isfinite(column)])
    got = launched(f"__fsqrt_{direction}(x)", "float", "float", [column])
    for found, given in zip(got, column, strict=True):
        square, exact = Fraction(float(found)) ** 2, Fraction(float(given))
        below = Fraction(float(np.nextafter(found, np.float32(-1)))) ** 2
        above = Fraction(float(np.nextafter(found, np.float32(np.inf)))) ** 2
        assert below < exact < above or exact == square
        assert direction == "rn" or (square >= exact if direction == "ru" else square <= exact)


WHOLE = {"rn": round, "rz": math.trunc, "ru": math.ceil, "rd": math.floor}


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("word", "ctype", "bits"), [("int", "int", 32), ("ll", "long long", 64)])
def test_conversions(word: str, ctype: str, bits: int, direction: str) -> None:
    (column,) = floats(1)
    column = column[np.isfinite(column)]
    got = launched(f"__float2{word}_{direction}(x)", "float", ctype, [column])
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1
    wanted = [min(max(WHOLE[direction](v), low), high) for v in column.tolist()]
    assert got.tolist() == wanted
    whole = np.random.default_rng(2).integers(low, high, 500).astype(f"i{bits // 8}")
    back = launched(f"__{word}2float_{direction}(x)", ctype, "float", [whole])
    assert back.tolist() == [nearest(Fraction(v), SINGLE, direction) for v in whole.tolist()]


def test_halves_of_a_double() -> None:
    values = np.array([1.5, -math.pi, 1e300, 0.0])
    text = "__hiloint2double(__double2hiint(x), __double2loint(x))"
    assert launched(text, "double", "double", [values]).tolist() == values.tolist()
