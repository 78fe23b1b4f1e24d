"""Make device arrays, with CuPy's names: `empty`, `zeros`, `arange` and their like."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from simulator.execute.memory import shadow
from simulator.host.array import asarray, ndarray, new_array


def empty(shape: Any, dtype: DTypeLike = float) -> ndarray:
    """Make a new array of unset elements on the current device.

    Parameters
    ----------
    shape : int or tuple of int
        Lengths of the axes.
    dtype : dtype
        Of the elements: numbers.

    Returns
    -------
    ndarray
        A device array.
    """
    array = new_array(shape, dtype)
    allocation = array.data.allocation
    allocation.written = shadow(allocation.nbytes)
    return array


def zeros(shape: Any, dtype: DTypeLike = float) -> ndarray:
    """Make a new array of zeros on the current device.

    Parameters
    ----------
    shape : int or tuple of int
        Lengths of the axes.
    dtype : dtype
        Of the elements: numbers.

    Returns
    -------
    ndarray
        A device array.
    """
    return full(shape, 0, dtype)


def ones(shape: Any, dtype: DTypeLike = float) -> ndarray:
    """Make a new array of ones on the current device.

    Parameters
    ----------
    shape : int or tuple of int
        Lengths of the axes.
    dtype : dtype
        Of the elements: numbers.

    Returns
    -------
    ndarray
        A device array.
    """
    return full(shape, 1, dtype)


def full(shape: Any, fill_value: Any, dtype: DTypeLike | None = None) -> ndarray:
    """Make a new array with every element `fill_value`.

    Parameters
    ----------
    shape : int or tuple of int
        Lengths of the axes.
    fill_value : number
        What every element is set to.
    dtype : dtype, optional
        Of the elements; that of `fill_value` by default.

    Returns
    -------
    ndarray
        A device array.
    """
    array = new_array(shape, np.asarray(fill_value).dtype if dtype is None else dtype)
    array.fill(fill_value)
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
    return asarray(np.arange(start, stop, step), dtype)


def asnumpy(a: Any) -> NDArray[Any]:
    """Copy a device array to the host; a host array is returned as it is.

    Parameters
    ----------
    a : ndarray or array_like
        What to copy.

    Returns
    -------
    numpy.ndarray
        A host array.
    """
    return a.get() if isinstance(a, ndarray) else np.asarray(a)


def array(a: Any, dtype: DTypeLike | None = None) -> ndarray:
    """Make a new device array with a copy of `a`.

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
    return asarray(a.get() if isinstance(a, ndarray) else a, dtype)


def empty_like(a: ndarray) -> ndarray:
    """Make a new array of unset elements with the shape and type of `a`.

    Parameters
    ----------
    a : ndarray
        Whose shape and type to take.

    Returns
    -------
    ndarray
        A device array.
    """
    return empty(a.shape, a.dtype)


def zeros_like(a: ndarray) -> ndarray:
    """Make a new array of zeros with the shape and type of `a`.

    Parameters
    ----------
    a : ndarray
        Whose shape and type to take.

    Returns
    -------
    ndarray
        A device array.
    """
    return zeros(a.shape, a.dtype)
