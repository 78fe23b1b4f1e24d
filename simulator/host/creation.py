"""Make device arrays, with CuPy's names: `empty`, `zeros`, `arange` and their like."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from simulator.execute.memory import shadow
from simulator.host.array import asarray, ndarray, new_array


def empty(shape: Any, dtype: DTypeLike = float, order: str = "C") -> ndarray:
    """Make a new array of unset elements on the current device.

    Parameters
    ----------
    shape : int or tuple of int
        Lengths of the axes.
    dtype : dtype
        Of the elements: numbers.

    order : str
        "C" or "F": the order in memory.

    Returns
    -------
    ndarray
        A device array.
    """
    array = new_array(shape, dtype, order)
    allocation = array.data.allocation
    allocation.written = shadow(allocation.nbytes)
    return array


def zeros(shape: Any, dtype: DTypeLike = float, order: str = "C") -> ndarray:
    """Make a new array of zeros on the current device.

    Parameters
    ----------
    shape : int or tuple of int
        Lengths of the axes.
    dtype : dtype
        Of the elements: numbers.

    order : str
        "C" or "F": the order in memory.

    Returns
    -------
    ndarray
        A device array.
    """
    return full(shape, 0, dtype, order)


def ones(shape: Any, dtype: DTypeLike = float, order: str = "C") -> ndarray:
    """Make a new array of ones on the current device.

    Parameters
    ----------
    shape : int or tuple of int
        Lengths of the axes.
    dtype : dtype
        Of the elements: numbers.

    order : str
        "C" or "F": the order in memory.

    Returns
    -------
    ndarray
        A device array.
    """
    return full(shape, 1, dtype, order)


def full(shape: Any, fill_value: Any, dtype: DTypeLike | None = None, order: str = "C") -> ndarray:
    """Make a new array with every element `fill_value`.

    Parameters
    ----------
    shape : int or tuple of int
        Lengths of the axes.
    fill_value : number
        What every element is set to.
    dtype : dtype, optional
        Of the elements; that of `fill_value` by default.

    order : str
        "C" or "F": the order in memory.

    Returns
    -------
    ndarray
        A device array.
    """
    value = fill_value.get() if isinstance(fill_value, ndarray) else fill_value
    kind = np.asarray(value).dtype if dtype is None else dtype
    array = new_array(shape, kind, order)
    array.fill(value)
    return array


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: DTypeLike | None = None) -> ndarray:
    """Make a range as NumPy's arange does, on the current device.

    Parameters
    ----------
    start, stop, step : number
        As in NumPy: of one number it is `stop`.
    dtype : dtype, optional
        Of the elements; NumPy's choice by default.

    Returns
    -------
    ndarray
        A device array.
    """
    if stop is None:
        start, stop = 0, start
    return asarray(np.arange(*map(_number, (start, stop, step))), dtype)


def asnumpy(
    a: Any,
    stream: Any = None,
    order: Literal["C", "F", "A"] = "C",
    out: NDArray[Any] | None = None,
    *,
    blocking: bool = True,
) -> NDArray[Any]:
    """Copy a device array to the host; a host array is returned as it is.

    Parameters
    ----------
    a : ndarray or array_like
        What to copy.
    stream, blocking : object
        As in CuPy; they change nothing here.
    order : str
        Of the copy: "C", "F" or "A".
    out : numpy.ndarray, optional
        Where to write a device array instead of a new array.

    Returns
    -------
    numpy.ndarray
        A host array.
    """
    if isinstance(a, ndarray):
        return a.get(stream, order, out, blocking)
    return np.asarray(a, order=order)


def array(
    obj: Any,
    dtype: DTypeLike | None = None,
    copy: bool | None = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
) -> ndarray:
    """Make a new device array with a copy of `obj`.

    Parameters
    ----------
    obj : array_like or ndarray
        What to copy.
    dtype : dtype, optional
        To convert to.
    copy : bool
        Whether a device array is copied even if nothing changes.
    order : str
        "C" or "F" for the order in memory, "K" for that of `obj`.
    subok : bool
        As in CuPy; it changes nothing.
    ndmin : int
        Axes at least, added in front.

    Returns
    -------
    ndarray
        A device array.
    """
    made = asarray(obj, dtype, order)
    if made is obj and copy:
        made = made.copy(order)
    missing = ndmin - made.ndim
    found: ndarray = made.reshape((1,) * missing + made.shape) if missing > 0 else made
    return found


def ascontiguousarray(a: Any, dtype: DTypeLike | None = None) -> ndarray:
    """Return an array in C's order, of one axis at least: `a` itself if it is one.

    Parameters
    ----------
    a : array_like or ndarray
        What to copy.
    dtype : dtype, optional
        To convert to.

    Returns
    -------
    ndarray
        A device array.
    """
    return array(a, dtype, copy=False, order="C", ndmin=1)


def asfortranarray(a: Any, dtype: DTypeLike | None = None) -> ndarray:
    """Return an array in Fortran's order, of one axis at least: `a` itself if it is one.

    Parameters
    ----------
    a : array_like or ndarray
        What to copy.
    dtype : dtype, optional
        To convert to.

    Returns
    -------
    ndarray
        A device array.
    """
    return array(a, dtype, copy=False, order="F", ndmin=1)


def empty_like(
    prototype: Any,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: Any = None,
    shape: Any = None,
) -> ndarray:
    """Make a new array of unset elements with the shape and type of `prototype`.

    Parameters
    ----------
    prototype : ndarray
        Whose shape and type to take.
    dtype : dtype, optional
        Another type.
    order : str
        "C" or "F" for the order in memory, "K" for that of `prototype`.
    subok : object
        As in CuPy; it changes nothing.
    shape : int or tuple of int, optional
        Another shape.

    Returns
    -------
    ndarray
        A device array.
    """
    return empty(*_like(prototype, dtype, order, shape))


def zeros_like(
    a: Any, dtype: DTypeLike | None = None, order: str = "K", subok: Any = None, shape: Any = None
) -> ndarray:
    """Make a new array of zeros; parameters as of `empty_like`.

    Parameters
    ----------
    a, dtype, order, subok, shape : object
        Whose shape, type and order to take, and others instead.

    Returns
    -------
    ndarray
        A device array.
    """
    return zeros(*_like(a, dtype, order, shape))


def ones_like(
    a: Any, dtype: DTypeLike | None = None, order: str = "K", subok: Any = None, shape: Any = None
) -> ndarray:
    """Make a new array of ones; parameters as of `empty_like`.

    Parameters
    ----------
    a, dtype, order, subok, shape : object
        Whose shape, type and order to take, and others instead.

    Returns
    -------
    ndarray
        A device array.
    """
    return ones(*_like(a, dtype, order, shape))


def full_like(
    a: Any,
    fill_value: Any,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: Any = None,
    shape: Any = None,
) -> ndarray:
    """Make a new array with every element `fill_value`; other parameters as of `empty_like`.

    Parameters
    ----------
    a, dtype, order, subok, shape : object
        Whose shape, type and order to take, and others instead.
    fill_value : number
        What every element is set to.

    Returns
    -------
    ndarray
        A device array.
    """
    extent, kind, layout = _like(a, dtype, order, shape)
    return full(extent, fill_value, kind, layout)


def _like(
    a: Any, dtype: DTypeLike | None, order: str, shape: Any
) -> tuple[Any, np.dtype[Any], str]:
    """Return the shape, type and order of an array like `a`."""
    kept = "F" if a.flags.f_contiguous and not a.flags.c_contiguous else "C"
    kind = a.dtype if dtype is None else np.dtype(dtype)
    return a.shape if shape is None else shape, kind, kept if order in "AK" else order


def _number(value: Any) -> Any:
    """Return the number in an array without axes."""
    return value.item() if isinstance(value, ndarray) else value
