"""NumPy code from outside this package, as kernels call it: its results are checked and converted.

A mistake in such code becomes a fault that names the function, where the kernel calls it.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.lanes.arithmetic import LaneError

#: The folder of this package.
_PACKAGE = Path(__file__).parents[1]

Array = NDArray[Any]
Function = Callable[..., Any]


def elementwise(function: Function, name: str, dtype: np.dtype[Any]) -> Function:
    """Wrap a function of the lanes' own values: it gives one value a lane, or one for all.

    Examples
    --------
    >>> half = elementwise(lambda x: x // 2, "half", np.dtype(np.int32))
    >>> half(np.array([7, 8]))
    array([3, 4], dtype=int32)
    """

    def call(*arguments: Any) -> Any:
        shape = np.broadcast_shapes(*map(np.shape, arguments))
        given = map(_kept, arguments)
        return _fitted(_called(function, name, *given), shape, dtype, name)[()]

    return call


def of_warp(function: Function, name: str, dtype: np.dtype[Any]) -> Function:
    """Wrap a function of the active lanes, the size of a warp, and arguments."""

    def call(lanes: Array, size: int, *arguments: Any) -> Any:
        result = _called(function, name, _kept(lanes), size, *map(_kept, arguments))
        return _fitted(result, lanes.shape, dtype, name)

    return call


def atomic(function: Function, name: str, swaps: bool) -> Function:
    """Wrap an atomic: it is given arrays, and gives what each lane found, and who swapped."""

    def call(view: Array, index: Any, *rest: Any) -> Any:
        *operands, count = rest
        index = np.broadcast_to(np.asarray(index, np.int64), count)
        given = [np.broadcast_to(np.asarray(v, view.dtype), count) for v in operands]
        found = _called(function, name, view, index, *given, count)
        if not swaps:
            return _fitted(found, (count,), view.dtype, name)
        if not isinstance(found, tuple) or len(found) != 2:
            raise _mistake(name, "does not give what lanes found and which of them swapped")
        old, swapped = found
        shape, flag = (count,), np.dtype(np.bool_)
        return _fitted(old, shape, view.dtype, name), _fitted(swapped, shape, flag, name)

    return call


def line_outside(error: BaseException) -> tuple[str, int] | None:
    """Return the first file and line outside of this package that an error went through."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = (one for one in frames if not Path(one.filename).is_relative_to(_PACKAGE))
    return next(((one.filename, one.lineno or 0) for one in theirs), None)


def _kept(argument: Any) -> Any:
    """Return an argument that cannot be written to: it may be a variable of the kernel."""
    if not isinstance(argument, np.ndarray):
        return argument
    view = argument.view()
    view.flags.writeable = False
    return view


def _called(function: Function, name: str, *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except LaneError:
        raise
    except (Exception, SystemExit) as problem:
        what = f"fails: {type(problem).__name__}: {problem}"
        raise _mistake(name, what) from problem


def _fitted(result: Any, shape: tuple[int, ...], dtype: np.dtype[Any], name: str) -> Array:
    """Return the result in the type that the signature says, one for each lane."""
    found = np.asarray(result)
    numbers = "biuf" if dtype.kind == "f" else "biu"
    if found.dtype.kind not in numbers:
        raise _mistake(name, f"gives {found.dtype} where its signature says {dtype}")
    if found.shape not in (shape, ()):
        wanted = f"{shape[0]} lanes" if shape else "one value"
        raise _mistake(name, f"gives an array of shape {found.shape} for {wanted}")
    converted = found.astype(dtype, copy=not found.flags.writeable)
    return converted if found.shape == shape else np.full(shape, converted)


def _mistake(name: str, what: str) -> LaneError:
    return LaneError(f"the NumPy code of `{name}` {what}", "Correct the function that was added.")
