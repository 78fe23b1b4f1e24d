"""What a kernel's parameters are given: numbers, and arrays by their values or by a shape."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs.errors import UsageError
from gpubfs.grading.exercise import Field, is_number
from gpubfs.grading.loading import check_table
from gpubfs.grading.problems.problem import DEVICE_MEMORY, Unwritten
from simulator.ir.types import Pointer, Scalar


def is_whole(value: object, least: int = 1) -> bool:
    """Return whether a value is a whole number that is large enough."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_size(value: object) -> bool:
    sizes = value if isinstance(value, list) else [value]
    return 1 <= len(sizes) <= 3 and all(map(is_whole, sizes))


#: Of a grid, a block and an array.
SIZE = Field(_is_size, "give a number from 1, or up to three: [4, 2]")
#: Of the elements of arrays.
DTYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64".split()
#: The keys of an array.
FIELDS = {
    "dtype": Field(lambda value: value in DTYPES, f"give one of {', '.join(DTYPES)}").optional(),
    "values": Field(lambda value: isinstance(value, list), "give a list: [1, 2, 3]").optional(),
    "shape": SIZE.optional(),
    "fill": Field(
        lambda value: value == "arange" or isinstance(value, bool) or is_number(value),
        'give a number, or "arange" for 0, 1, 2 and so on',
    ).optional(),
}


def argument(where: str, kind: Any, value: Any) -> Any:
    """Return what a parameter is given: a NumPy scalar, an array, or `Unwritten`.

    Parameters
    ----------
    where : str
        What to call it in messages.
    kind : CType
        The type of the parameter.
    value : object
        What is said of it.

    Raises
    ------
    UsageError
        If it does not fit.
    """
    if isinstance(kind, Pointer):
        return _array(where, kind, value)
    if not isinstance(kind, Scalar):
        raise UsageError(f"{where} is of type {kind}", "take a kernel of numbers and arrays")
    dtype = np.dtype(kind.code)
    if not _holds(value, dtype):
        raise UsageError(f"{where} is {_shown(value)}, and the kernel takes {kind}", _wanted(dtype))
    return dtype.type(value)


def _holds(value: object, dtype: np.dtype[Any]) -> bool:
    """Return whether a value is a number of this type.

    >>> [_holds(value, np.dtype("int8")) for value in (127, 128, 1.0, True, "1")]
    [True, False, False, False, False]
    """
    if dtype.kind == "f":
        return isinstance(value, float) or is_number(value)
    if dtype.kind == "b":
        return isinstance(value, int) and value in (0, 1)
    limits = np.iinfo(dtype)
    return is_whole(value, int(limits.min)) and value <= int(limits.max)  # type: ignore[operator]


def _wanted(dtype: np.dtype[Any]) -> str:
    """Return what values of a type are."""
    if dtype.kind in "fb":
        return "give true or false" if dtype.kind == "b" else "give a number"
    return f"give a whole number from {np.iinfo(dtype).min} to {np.iinfo(dtype).max}"


def _shown(value: object) -> str:
    return "a table" if isinstance(value, dict) else f"{value!r:.60}"


def _array(where: str, kind: Pointer, value: Any) -> NDArray[Any] | Unwritten:
    """Return what a pointer is given: values, a filled array, or one that nothing wrote."""
    data = {"values": value} if isinstance(value, list) else value
    if not isinstance(data, dict):
        hint = "give values, [1, 2, 3], or { fill = 0, shape = 64 }"
        raise UsageError(f"{where} is {_shown(value)}, and the kernel takes {kind}", hint)
    path, _, name = where.rpartition(": ")
    check_table(Path(path), name, data, FIELDS)
    if ("values" in data) == ("shape" in data) or {"values", "fill"} <= set(data):
        hint = "give values = [1, 2, 3], or a shape = 64 and a fill = 0"
        raise UsageError(f"{where} has not one of values and shape", hint)
    dtype = _dtype(where, kind, data)
    make = _of_values if "values" in data else _of_shape
    return make(where, data, dtype)


def _dtype(where: str, kind: Pointer, data: Mapping[str, Any]) -> np.dtype[Any]:
    """Return the type of an array's elements: what the kernel takes, where that is known."""
    known = np.dtype(kind.to.code) if isinstance(kind.to, Scalar) else None
    if known is None and "dtype" not in data:
        raise UsageError(f"{where} does not say its dtype, and the kernel takes {kind}", "add it")
    given: np.dtype[Any] = np.dtype(data.get("dtype", known))
    if known is not None and given != known:
        words = f"{where}: dtype is {given.name}, but the kernel takes {kind}"
        raise UsageError(words, f"give {known.name}, or leave it out")
    return given


def _of_values(where: str, data: Mapping[str, Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    values = data["values"]
    for value in _flat(values):
        if not _holds(value, dtype):
            words = f"{where} has the value {_shown(value)}, and elements are {dtype.name}"
            raise UsageError(words, _wanted(dtype))
    try:
        found = np.array(values, dtype)
    except ValueError:
        words = f"{where}: the lists among its values are not all of one length"
        raise UsageError(words, "write as many values in each") from None
    if not found.size:
        raise UsageError(f"{where} has no values", "give at least one")
    return found


def _flat(values: list[Any]) -> Iterator[Any]:
    for value in values:
        yield from _flat(value) if isinstance(value, list) else (value,)


def _of_shape(
    where: str, data: Mapping[str, Any], dtype: np.dtype[Any]
) -> NDArray[Any] | Unwritten:
    sizes, fill = data["shape"], data.get("fill")
    shape = tuple(sizes) if isinstance(sizes, list) else (sizes,)
    count = math.prod(shape)
    if count * dtype.itemsize > DEVICE_MEMORY:
        words = f"{where} has {count * dtype.itemsize:,} bytes, and the device {DEVICE_MEMORY:,}"
        raise UsageError(words, "take a smaller shape")
    if fill is None:
        return Unwritten(shape, dtype.name)
    if fill == "arange":
        return np.arange(count).astype(dtype).reshape(shape)
    if not _holds(fill, dtype):
        words = f"{where}: fill is {_shown(fill)}, and elements are {dtype.name}"
        raise UsageError(words, _wanted(dtype))
    return np.full(shape, fill, dtype)
