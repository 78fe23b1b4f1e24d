"""Values of the generated code: a piece of Python, its C type, and whether all lanes share it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.compile.layouts import innermost
from simulator.ir.constants import rounded
from simulator.ir.types import BOOL, INT, Array, CType, Scalar, Struct
from simulator.lanes.arithmetic import to_integer


@dataclass(frozen=True)
class Value:
    """`code` is a name or stands in brackets; `constant` is the value itself where it is known."""

    code: str
    type: CType
    scalar: bool = False
    constant: bool | int | float | None = None


def dtype_code(ctype: CType) -> str:
    """NumPy's code for the elements that hold a `ctype`: pointers are 64-bit addresses."""
    return ctype.code if isinstance(ctype, Scalar) else "i8"


def numpy_dtype(ctype: CType) -> np.dtype[Any]:
    """The dtype of a `ctype` in memory.

    A structure's has a field a member; arrays of arrays in it are one long array.
    """
    if isinstance(ctype, Array):
        element, count = innermost(ctype)
        return np.dtype((numpy_dtype(element), (count,)))
    if not isinstance(ctype, Struct):
        return np.dtype(dtype_code(ctype))
    names, types, offsets = zip(*ctype.members, strict=True)
    formats = [numpy_dtype(t) for t in types]
    layout = {"names": names, "formats": formats, "offsets": offsets, "itemsize": ctype.size}
    return np.dtype(layout)  # type: ignore[call-overload, no-any-return]


def dtype_name(ctype: CType) -> str:
    """The name of that dtype in generated code."""
    if isinstance(ctype, Struct):
        return f"T_{ctype.tag or ctype.name}"
    code = dtype_code(ctype)
    return "b1" if code == "?" else code


def constant(value: bool | int | float, ctype: CType) -> Value:
    """A known value, wrapped and rounded to `ctype` as C does."""
    dtype = np.dtype(dtype_code(ctype))
    if dtype.kind in "iu" and not isinstance(value, float):
        bits = int(value) & ((1 << (8 * dtype.itemsize)) - 1)
        top = 1 << (8 * dtype.itemsize - 1)
        known: bool | int | float = bits - 2 * top if dtype.kind == "i" and bits >= top else bits
    elif dtype.kind == "b":
        known = bool(value)
    else:
        known = rounded(value) if dtype.itemsize == 4 else float(value)
    return Value(_literal(known), ctype, True, known)


def _literal(value: bool | int | float) -> str:
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return "nan" if value != value else "inf" if value > 0 else "(-inf)"
    text = repr(value)
    return f"({text})" if text.startswith("-") else text


def typed(value: Value) -> str:
    """The code of `value` with its dtype: a Python literal has none of its own."""
    return value.code if value.constant is None else f"{dtype_name(value.type)}({value.code})"


def known(value: Value) -> Any:
    """The NumPy scalar of a constant."""
    return np.dtype(dtype_code(value.type)).type(value.constant)


def zero() -> Value:
    """Index 0."""
    return constant(0, INT)


def nothing(ctype: CType) -> Value:
    """What stands for a value that nobody reads: of calls without a result, of structures."""
    return Value("None", ctype, True)


def negated(test: Value) -> Value:
    """Where `test` does not hold."""
    return Value(f"(~{test.code})", BOOL, test.scalar)


def convert(value: Value, ctype: CType) -> Value:
    """`value` as a `ctype`, by C's rules."""
    if value.constant is not None and isinstance(ctype, Scalar):
        return _convert_constant(value, value.constant, ctype)
    source, target = dtype_name(value.type), dtype_name(ctype)
    if source == target:
        return Value(value.code, ctype, value.scalar, value.constant)
    if target == "b1":
        code = f"({value.code} != 0)"
    elif source[0] == "f" and target[0] in "iu":
        code = f"to_integer({value.code}, {target})"
    elif source[0] in "iu" and target[0] in "iu" and source[1] == target[1]:
        code = f"{typed(value)}.view({target})"
    else:
        code = f"{typed(value)}.astype({target})"
    return Value(code, ctype, value.scalar)


def _convert_constant(value: Value, number: bool | int | float, ctype: Scalar) -> Value:
    if isinstance(number, float) and ctype.is_integer and not ctype.is_bool:
        with np.errstate(all="ignore"):
            whole = to_integer(known(value), np.dtype(ctype.code).type)
        return constant(whole.item(), ctype)
    return constant(number, ctype)
