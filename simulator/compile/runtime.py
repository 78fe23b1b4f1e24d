"""The names that generated code finds: NumPy, helpers over arrays of lanes, and its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from simulator.compile.values import dtype_name, numpy_dtype
from simulator.ir.types import DIM3, VECTORS
from simulator.lanes import (
    arithmetic,
    atomics,
    bits,
    groups,
    match_reduce,
    serving_order,
    switch_labels,
    warp,
)
from simulator.lanes.recursion import deeper
from simulator.lanes.traps import no_value, require, trap


def fetch(view: Any, index: int) -> Any:
    """The element that all lanes load."""
    return view[inside(index)]


def inside(index: int) -> int:
    """An index that all lanes share; negative ones are out of bounds, not counted from the end."""
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


def spread(value: Any, count: int, dtype: Any) -> Any:
    """A writable array of `count` lanes with `value` in it."""
    result = np.empty(count, dtype)
    result[:] = value
    return result


_MODULES = (arithmetic, atomics, bits, groups, match_reduce, serving_order, switch_labels, warp)
_FUNCTIONS = (fetch, inside, nonnegative, row_index, union, spread, require, trap, no_value, deeper)

RUNTIME: dict[str, Any] = {
    "__builtins__": {},
    "np": np,
    "special": special,
    "b1": np.bool_,
    **{f"{kind}{size}": np.dtype(f"{kind}{size}").type for kind in "iu" for size in (1, 2, 4, 8)},
    **{dtype_name(vector): numpy_dtype(vector) for vector in VECTORS.values()},
    dtype_name(DIM3): numpy_dtype(DIM3),
    "f4": np.float32,
    "f8": np.float64,
    "nan": float("nan"),
    "inf": float("inf"),
    "int": int,
    "nobody": np.empty(0, np.int64),
    "count_nonzero": np.count_nonzero,
    **{name: getattr(module, name) for module in _MODULES for name in module.__all__},
    **{f.__name__: f for f in _FUNCTIONS},
}
