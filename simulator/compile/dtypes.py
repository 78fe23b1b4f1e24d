"""How NumPy holds C's values: the dtypes of types, and their names in generated code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from simulator.ir.types import BFLOAT16, Array, CType, Scalar, Struct
from simulator.lanes.rounding import to_bfloat16


def innermost(ctype: CType) -> tuple[CType, int]:
    """Return the element of a (nested) array and how many; of other types, one of itself."""
    count = 1
    while isinstance(ctype, Array):
        count *= ctype.length or 0
        ctype = ctype.of
    return ctype, count


def dtype_code(ctype: CType) -> str:
    """NumPy's code for the elements that hold a `ctype`: pointers are 64-bit addresses."""
    return ctype.code if isinstance(ctype, Scalar) else "i8"


def numpy_dtype(ctype: CType) -> np.dtype[Any]:
    """Return the dtype of a `ctype` in memory.

    A structure's has a field a member; arrays of arrays in it are one long array.
    """
    if isinstance(ctype, Array):
        element, count = innermost(ctype)
        return np.dtype((numpy_dtype(element), (count,)))
    if not isinstance(ctype, Struct):
        return np.dtype(dtype_code(ctype))
    if not ctype.fields:
        return np.dtype(f"V{ctype.size}")
    names, types, offsets = zip(*ctype.fields, strict=True)
    formats = [numpy_dtype(t) for t in types]
    layout = {"names": names, "formats": formats, "offsets": offsets, "itemsize": ctype.size}
    return np.dtype(layout)  # type: ignore[call-overload, no-any-return]


def dtype_name(ctype: CType) -> str:
    """Return the name of that dtype in generated code."""
    if isinstance(ctype, Struct):
        return f"T_{ctype.tag or ctype.name}"
    code = dtype_code(ctype)
    return "b1" if code == "?" else code


#: Integers that generated code finds as arrays without dimensions, which NumPy combines with arrays
#: sooner than it converts numbers.
_HELD = frozenset({*range(-1, 34), 63, 64, 127, 255, *(1 << bit for bit in range(7, 13))})
_HELD_KINDS = ("i4", "u4", "i8", "u8")


def held(number: int, kind: str) -> str:
    """Return the name of an integer of a dtype beside an array, else its digits."""
    if kind not in _HELD_KINDS or number not in _HELD or (number < 0 and kind[0] == "u"):
        return str(number) if number >= 0 else f"({number})"
    return f"k{'m' if number < 0 else ''}{abs(number)}_{kind}"


def held_constants() -> Iterator[tuple[str, int, str]]:
    """Yield the integers that have names, with their names and dtypes."""
    for kind in _HELD_KINDS:
        for number in _HELD:
            name = held(number, kind)
            if name.isidentifier():
                yield name, number, kind


def in_memory(value: bool | int | float, ctype: CType) -> bool | int | float:
    """Return a number as arrays of its type hold it: of a bfloat16, the bits."""
    return int(to_bfloat16(np.float64(value))) if ctype == BFLOAT16 else value
