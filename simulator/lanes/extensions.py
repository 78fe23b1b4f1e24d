"""NumPy code from outside this package, as kernels call it: its results are checked and converted.

A mistake in such code becomes a fault that names the function, where the kernel calls it.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
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

    Where all lanes have the same arguments, these are arrays of one element.

    Examples
    --------
    >>> half = elementwise(lambda x: x // 2, "half", np.dtype(np.int32))
    >>> half(np.array([7, 8]))
    array([3, 4], dtype=int32)
    """
    code = _Code(function, name)

    def call(*arguments: Any) -> Any:
        shape = np.broadcast_shapes(*map(np.shape, arguments))
        given = [_spread(one, shape or (1,)) for one in arguments]
        found = code.fitted(code.called(*given), shape or (1,), dtype)
        return found if shape else found[0]

    return call


def leafwise(function: Function, dtypes: tuple[np.dtype[Any], ...]) -> Function:
    """Wrap a function of this package that gives a tuple: one array, or value, for each dtype.

    Examples
    --------
    >>> swap = leafwise(lambda x, y: (y, x), (np.dtype("f4"), np.dtype("f4")))
    >>> [float(part) for part in swap(np.float32(1), np.float32(2))]
    [2.0, 1.0]
    """

    def call(*arguments: Any) -> tuple[Any, ...]:
        shape = np.broadcast_shapes(*map(np.shape, arguments))
        given = [np.broadcast_to(one, shape or (1,)) for one in arguments]
        found = (
            np.broadcast_to(np.asarray(one).astype(dtype, copy=False), shape or (1,))
            for one, dtype in zip(function(*given), dtypes, strict=True)
        )
        return tuple(one if shape else one[0] for one in found)

    return call


def of_warp(function: Function, name: str, dtype: np.dtype[Any]) -> Function:
    """Wrap a function of the active lanes, the size of a warp, and arguments."""
    code = _Code(function, name)

    def call(lanes: Array, size: int, *arguments: Any) -> Any:
        given = [_spread(one, lanes.shape) for one in arguments]
        result = code.called(_spread(lanes, lanes.shape), size, *given)
        return code.fitted(result, lanes.shape, dtype)

    return call


def atomic(function: Function, name: str, swaps: bool) -> Function:
    """Wrap an atomic: it is given arrays, and gives what each lane found, and who swapped."""
    code = _Code(function, name)

    def call(view: Array, index: Any, *rest: Any) -> Any:
        *operands, count = rest
        index = np.broadcast_to(np.asarray(index, np.int64), count)
        given = [np.broadcast_to(np.asarray(v, view.dtype), count) for v in operands]
        found = code.called(view, index, *given, count)
        if not swaps:
            return code.fitted(found, (count,), view.dtype)
        if not isinstance(found, tuple) or len(found) != 2:
            raise code.mistake("does not give what lanes found and which of them swapped")
        old, swapped = found
        shape, flag = (count,), np.dtype(np.bool_)
        return code.fitted(old, shape, view.dtype), code.fitted(swapped, shape, flag)

    return call


def _spread(argument: Any, shape: tuple[int, ...]) -> Array:
    """Return an argument as an array of a shape; a variable of the kernel is not written to."""
    if np.shape(argument) != shape:
        return np.full(shape, argument)
    view: Array = argument.view()
    view.flags.writeable = False
    return view


def line_outside(error: BaseException) -> tuple[str, int] | None:
    """Return the first file and line outside of this package that an error went through."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = (one for one in frames if not Path(one.filename).is_relative_to(_PACKAGE))
    return next(((one.filename, one.lineno or 0) for one in theirs), None)


@dataclass(frozen=True)
class _Code:
    """A function from outside, and the name by which kernels call it."""

    function: Function
    name: str

    def called(self, *arguments: Any) -> Any:
        """Return what it gives."""
        try:
            return self.function(*arguments)
        except LaneError:
            raise
        except (Exception, SystemExit) as error:
            what = f"fails: {type(error).__name__}: {error}"
            raise self.mistake(what, line_outside(error)) from error

    def fitted(self, result: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """Return the result in the type that the signature says, one for each lane."""
        try:
            found = np.asarray(result)
        except ValueError:  # lists of different lengths
            raise self.mistake("gives no array") from None
        numbers = "biuf" if dtype.kind == "f" else "biu"
        if found.dtype.kind not in numbers:
            raise self.mistake(f"gives {found.dtype} where its signature says {dtype}")
        if found.shape not in (shape, ()):
            lanes = "1 lane" if shape == (1,) else f"{shape[0]} lanes"
            raise self.mistake(f"gives an array of shape {found.shape} for {lanes}")
        converted = found.astype(dtype, copy=not found.flags.writeable)
        return converted if found.shape == shape else np.full(shape, converted)

    def mistake(self, what: str, at: tuple[str, int] | None = None) -> LaneError:
        """Return the error that it does something wrong, at a line or where it is defined."""
        code = getattr(self.function, "__code__", None)
        if at is None and code is not None:
            at = code.co_filename, code.co_firstlineno
        mend = f"Mend {at[0]}:{at[1]}." if at else "Correct the function that was added."
        return LaneError(f"the NumPy code of `{self.name}` {what}", mend)
