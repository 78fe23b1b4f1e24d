"""Operators and conversions that say how they round: to nearest, towards zero, up or down."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from simulator.builtins.lowerings import Elementwise
from simulator.builtins.row import Row
from simulator.lanes import rounding
from simulator.lanes.rounding import SINGLE, as_double, rounded, saturated

Lanes = Any
Function = Callable[..., Lanes]

_INTEGERS = {
    "int": ("int", np.int32),
    "uint": ("unsigned", np.uint32),
    "ll": ("long long", np.int64),
    "ull": ("unsigned long long", np.uint64),
}


def _difference(left: Lanes, right: Lanes, direction: str) -> Lanes:
    return rounding.single_sum(left, -right, direction)


def _reciprocal(value: Lanes, direction: str) -> Lanes:
    return rounding.single_quotient(np.ones_like(value), value, direction)


#: Operators of floats: how many operands they have, and what computes them.
_OPERATORS: dict[str, tuple[int, Function]] = {
    "__fadd": (2, rounding.single_sum),
    "__fsub": (2, _difference),
    "__fmul": (2, rounding.single_product),
    "__fdiv": (2, rounding.single_quotient),
    "__frcp": (1, _reciprocal),
    "__fsqrt": (1, rounding.single_root),
    "__fmaf": (3, rounding.single_fused),
}


def _rounding(function: Function, direction: str) -> Elementwise:
    return Elementwise(lambda *operands: function(*operands, direction))


def _to_float(value: Lanes, direction: str) -> Lanes:
    return rounded(as_double(value), SINGLE, direction).astype(np.float32)


def _to_integer(dtype: Any) -> Function:
    return lambda value, direction: saturated(value, dtype, direction)


def _rows() -> Iterator[Row]:
    for direction in rounding.DIRECTIONS:
        for name, (count, code) in _OPERATORS.items():
            if (name, direction) == ("__fsqrt", "rn"):  # it is one of math.py's
                continue
            operands = ", ".join(f"float {letter}" for letter in "xyz"[:count])
            yield Row(f"float {name}_{direction}({operands})", _rounding(code, direction))
        for word, (ctype, dtype) in _INTEGERS.items():
            for source in ("float", "double"):
                head = f"{ctype} __{source}2{word}_{direction}({source} x)"
                yield Row(head, _rounding(_to_integer(dtype), direction))
            head = f"float __{word}2float_{direction}({ctype} x)"
            yield Row(head, _rounding(_to_float, direction))
        head = f"float __double2float_{direction}(double x)"
        yield Row(head, _rounding(_to_float, direction))


def _joined(high: Lanes, low: Lanes) -> Lanes:
    wide = high.view(np.uint32).astype(np.uint64) << np.uint64(32)
    return (wide | low.view(np.uint32).astype(np.uint64)).view(np.float64)


def _clamped(value: Lanes) -> Lanes:
    return np.where(np.isnan(value), np.float32(0), np.clip(value, 0, 1)) + np.float32(0)


ROWS = (
    *_rows(),
    Row("double __int2double_rn(int x)", Elementwise("{0}.astype(f8)")),
    Row("double __uint2double_rn(unsigned x)", Elementwise("{0}.astype(f8)")),
    Row("double __hiloint2double(int high, int low)", Elementwise(_joined)),
    Row("int __double2hiint(double x)", Elementwise("({0}.view(i8) >> i8(32)).astype(i4)")),
    Row("int __double2loint(double x)", Elementwise("{0}.view(i8).astype(i4)")),
    Row("float __saturatef(float x)", Elementwise(_clamped)),
)
