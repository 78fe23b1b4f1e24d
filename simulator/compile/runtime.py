"""The names that generated code finds: NumPy, helpers over arrays of lanes, and its own."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any

import numpy as np

try:  # without the wrapper in Python, which takes longer than to count the lanes of a warp
    from numpy._core.multiarray import count_nonzero
except ImportError:  # it is NumPy's own business where it is
    from numpy import count_nonzero

from simulator.compile.compiled import Generated
from simulator.compile.dtypes import dtype_name, held_constants, numpy_dtype
from simulator.ir.types import DIM3, PAIRS, VECTORS
from simulator.lanes import arithmetic, atomics, bit_fields, control_flow, rounding, warp
from simulator.lanes.control_flow import check_depth, no_value, require, trap, unreachable

# The names that generated code finds: NumPy, helpers over arrays of lanes, and its own.


def fetch(view: Any, index: int) -> Any:
    """Load the element that all lanes share."""
    return view[inside(index)]


def inside(index: int) -> int:
    """Check an index that all lanes share: a negative one does not count from the end."""
    if index < 0:
        raise IndexError(index)
    return index


def nonnegative(index: Any) -> None:
    """Refuse 64-bit indices if some are negative."""
    if index.size and index.min() < 0:
        raise IndexError(index.min())


def row_index(view: Any, slot: Any, index: Any) -> Any:
    """Element `index` of each lane's block's shared array, counted in a flat view of all blocks."""
    if np.any(np.less(index, 0)) or np.any(np.greater_equal(index, view.shape[1])):
        raise IndexError("shared")
    size = view.dtype.itemsize
    return slot * (view.strides[0] // size) + index * (view.strides[1] // size)


def union(*lanes: Any) -> Any:
    """Disjoint ascending arrays of lanes as one."""
    some = [part for part in lanes if part.size]
    return some[0] if len(some) == 1 else np.sort(np.concatenate(lanes))


def staying(lanes: Any, exited: Any) -> Any:
    """Lanes without those that are marked as having left."""
    left = exited if lanes.size == exited.size else exited[lanes]
    count = count_nonzero(left)
    if not count:
        return lanes
    return lanes[np.logical_not(left).nonzero()[0]] if count < lanes.size else lanes[:0]


def filled(value: Any, count: int, dtype: Any) -> Any:
    """Make a writable array of `count` lanes filled with `value`."""
    result = np.empty(count, dtype)
    result[:] = value
    return result


_MODULES = (arithmetic, atomics, bit_fields, control_flow, rounding, warp)
_FUNCTIONS = (
    fetch,
    inside,
    nonnegative,
    row_index,
    union,
    staying,
    filled,
    require,
    trap,
    no_value,
    unreachable,
    check_depth,
)

#: Functions of SciPy, which is slow to import.
SPECIAL = "special"
RUNTIME: dict[str, Any] = {
    "__builtins__": {},
    "np": np,
    "b1": np.bool_,
    **{f"{kind}{size}": np.dtype(f"{kind}{size}").type for kind in "iu" for size in (1, 2, 4, 8)},
    **{dtype_name(vector): numpy_dtype(vector) for vector in (*VECTORS.values(), *PAIRS)},
    dtype_name(DIM3): numpy_dtype(DIM3),
    "f2": np.float16,
    "f4": np.float32,
    "f8": np.float64,
    "nan": float("nan"),
    "inf": float("inf"),
    "int": int,
    "no_lanes": np.empty(0, np.int64),
    "every": slice(None),
    "count_nonzero": count_nonzero,
    **{name: np.array(number, kind) for name, number, kind in held_constants()},
    **{name: getattr(module, name) for module in _MODULES for name in module.__all__},
    **{f.__name__: f for f in _FUNCTIONS},
}


def function_of(code: CodeType, names: Mapping[str, Any]) -> Generated:
    """Return the function of generated code, which finds these names besides the usual ones."""
    namespace = {**RUNTIME, **names}
    if SPECIAL in _names_of(code):
        namespace[SPECIAL] = importlib.import_module("scipy.special")
    return FunctionType(code, namespace)


def _names_of(code: CodeType) -> Iterator[str]:
    """Yield the names outside that generated code, or the functions in it, asks for."""
    yield from code.co_names
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _names_of(one)
