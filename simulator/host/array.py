"""Arrays in simulated device memory, with the API of `cupy.ndarray`.

Kernels compute on the device; operators, methods and functions compute with NumPy on the host.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from numbers import Number
from typing import Any, Literal, NamedTuple, NoReturn, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from simulator.execute.device import current
from simulator.host.pointer import MemoryPointer, allocated, view_at

#: Functions of NumPy whose Python numbers are device arrays in CuPy.
_SCALARS = {np.allclose, np.array_equal, np.array_equiv, np.count_nonzero}
#: Those that change their first argument.
_CHANGING = {
    *(np.copyto, np.fill_diagonal, np.place, np.put, np.put_along_axis, np.putmask),
    *(np.ndarray.partition, np.ndarray.put, np.ndarray.sort),
}
#: Methods that are NumPy's, on the host.
_METHODS = (
    "all any argmax argmin argpartition argsort byteswap choose clip compress conj conjugate "
    "cumprod cumsum diagonal dot flatten max mean min nonzero partition prod put repeat reshape "
    "round searchsorted sort squeeze std sum swapaxes take trace transpose var view"
).split()


#: What each of them says of itself.
_METHOD = """Compute as NumPy's method `{}` does, on the host.

    Parameters
    ----------
    *args, **options : object
        What NumPy's takes, with device arrays for arrays.

    Returns
    -------
    object
        What NumPy's returns, with device arrays for arrays and numbers.
    """


class Flags(NamedTuple):
    """How an array lies in memory."""

    c_contiguous: bool
    f_contiguous: bool
    owndata: bool

    def __getitem__(self, name: Any) -> Any:
        return getattr(self, name.lower()) if isinstance(name, str) else tuple(self)[name]


class ndarray(np.lib.mixins.NDArrayOperatorsMixin):
    """An array in device memory.

    Made by `asarray`, `empty`, `zeros`, `full` and `arange`, or over memory that is there already:
    `ndarray(shape, dtype, memptr)` with what `RawModule.get_global` returns. Kernels take it as an
    argument; the host reads it with `get` or `asnumpy`, writes it with `set`, `fill` or by index,
    and slices it like NumPy: a slice is a view of the same memory. Operators, and methods such as
    `sum`, compute as in CuPy, but on the host: no launch, and nothing is counted.

    Parameters
    ----------
    shape : int or tuple of int
        Elements in each dimension.
    dtype : dtype
        Their type; by default float64.
    memptr : MemoryPointer, optional
        Memory that is there already; by default it is allocated.
    strides : tuple of int, optional
        Bytes between neighbours on each axis, over memory that is there already.
    order : str
        "C" or "F": whether neighbours in memory differ in the last index or in the first.

    Examples
    --------
    >>> import simulator
    >>> a = simulator.zeros(4, "int32")
    >>> a[1:3] = 7
    >>> a.get().tolist(), int(a[1])
    ([0, 7, 7, 0], 7)
    """

    data: MemoryPointer
    _host: NDArray[Any]

    def __init__(
        self,
        shape: Any,
        dtype: DTypeLike = float,
        memptr: MemoryPointer | None = None,
        strides: Sequence[int] | None = None,
        order: str = "C",
    ) -> None:
        if memptr is None:
            if strides is not None:
                raise ValueError("strides are of memory that is there already: pass memptr, too")
            made = new_array(shape, dtype, order)
            self.data, self._host = made.data, made._host
        else:
            steps = None if strides is None else tuple(strides)
            self.data = memptr + 0
            self._host = view_at(memptr, extent_of(shape), np.dtype(dtype), steps, order)

    @classmethod
    def _of(cls, data: MemoryPointer, host: NDArray[Any]) -> ndarray:
        array = cls.__new__(cls)
        array.data, array._host = data, host
        return array

    def __reduce__(self) -> tuple[Any, ...]:
        """Its elements: a copy is an array of its own, on the current device."""
        return asarray, (self.get(order="A"),)

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes; another one can be set, under which the memory stays as it is."""
        return self._host.shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        self._host = self.reshape(shape)._host

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes between neighbours on each axis."""
        return self._host.strides

    @property
    def flags(self) -> Flags:
        """Whether the elements lie without gaps, in C's order or Fortran's."""
        flags = self._host.flags
        return Flags(flags.c_contiguous, flags.f_contiguous, self.data.owner is None)

    @property
    def itemsize(self) -> int:
        """How many bytes an element takes."""
        return self._host.itemsize

    @property
    def T(self) -> ndarray:
        """A view with the axes in the other order; kernels see the same memory as of the array."""
        result: ndarray = self.transpose()
        return result

    @property
    def real(self) -> ndarray:
        """The real parts: a view."""
        result: ndarray = computed(np.real, self)
        return result

    @property
    def imag(self) -> ndarray:
        """The imaginary parts: a view, or zeros."""
        result: ndarray = computed(np.imag, self)
        return result

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the elements."""
        return self._host.dtype

    @property
    def size(self) -> int:
        """How many elements."""
        return self._host.size

    @property
    def nbytes(self) -> int:
        """How many bytes the elements take."""
        return self._host.nbytes

    @property
    def ndim(self) -> int:
        """How many axes."""
        return self._host.ndim

    def __len__(self) -> int:
        return len(self._host)

    def get(
        self,
        stream: Any = None,
        order: Literal["C", "F", "A"] = "C",
        out: NDArray[Any] | None = None,
        blocking: bool = True,
    ) -> NDArray[Any]:
        """Copy it to the host.

        Parameters
        ----------
        stream, blocking : object
            As in CuPy; they change nothing here.
        order : str
            Of the copy: "C", "F", or "A" for that of this array.
        out : numpy.ndarray, optional
            Where to write instead of a new array.

        Returns
        -------
        numpy.ndarray
            The elements.
        """
        if out is None:
            return self._host.copy(order)
        out[...] = self._host
        return out

    def set(self, values: ArrayLike, stream: Any = None) -> None:
        """Overwrite from the host; the shape must be the same.

        Parameters
        ----------
        values : array_like
            The new elements.
        stream : object, optional
            As in CuPy; it changes nothing here.

        Raises
        ------
        ValueError
            If the shapes differ.
        """
        array = np.asarray(values)
        if array.shape != self.shape:
            raise ValueError(f"set: array of shape {array.shape} into one of shape {self.shape}")
        self._write(..., array)

    def fill(self, value: Any) -> None:
        """Set every element.

        Parameters
        ----------
        value : number
            What every element is set to.
        """
        self._write(..., value)

    def _write(self, key: Any, value: Any) -> None:
        """Set some elements, and remember that they have been set."""
        self._host[key] = value
        self._written(key)

    def _written(self, key: Any = ...) -> None:
        """Remember that some elements have been set."""
        allocation = self.data.allocation
        if allocation.written is None:
            return
        if key is ... and self._host.nbytes == allocation.nbytes:
            allocation.written = None
            return
        host, start = self._host, self.data.ptr - allocation.start
        kind = f"V{host.itemsize}"
        mask = np.ndarray(host.shape, kind, allocation.written, start, host.strides)
        mask[key] = np.void(b"\xff" * host.itemsize)

    def item(self, *at: Any) -> Any:
        """Return one element as a Python number: the only one, or that at an index.

        Parameters
        ----------
        *at : int
            Its index.

        Returns
        -------
        int, float, complex or bool
            The value as Python has it.
        """
        return self._host.item(*at)

    def tolist(self) -> Any:
        """Return the elements as nested Python lists.

        Returns
        -------
        list
            Of numbers.
        """
        return self._host.tolist()

    def tobytes(self, order: Literal["C", "F", "A"] = "C") -> bytes:
        """Return a copy of the bytes.

        Parameters
        ----------
        order : str
            In which order the elements come.

        Returns
        -------
        bytes
            Those of the elements.
        """
        return self._host.tobytes(order)

    def astype(
        self,
        dtype: DTypeLike,
        order: str = "K",
        casting: Any = "unsafe",
        subok: bool | None = None,
        copy: bool = True,
    ) -> ndarray:
        """Make a new array with the elements converted.

        Parameters
        ----------
        dtype : dtype
            Of the elements: numbers.
        order : str
            "C", "F", or "K" for that of this array.
        casting, subok : object
            As in NumPy.
        copy : bool
            Whether it must be a new one, even if nothing changes.

        Returns
        -------
        ndarray
            Of the same shape.
        """
        if not copy and self.dtype == dtype and order == "K":
            return self
        with np.errstate(all="ignore"):
            host = self._host.astype(dtype, order=_order(order), casting=casting)
        return asarray(host)

    def ravel(self, order: Literal["C", "F", "A", "K"] = "C") -> ndarray:
        """Return the elements as one row.

        Parameters
        ----------
        order : str
            In which order they come.

        Returns
        -------
        ndarray
            A view of one dimension, or a copy where the elements do not lie so.
        """
        result: ndarray = computed(np.ndarray.ravel, self, order=order)
        return result

    def copy(self, order: str = "C") -> ndarray:
        """Make a new array with the same elements.

        Parameters
        ----------
        order : str
            Of the new one: "C", "F", "A" or "K" for that of this one.

        Returns
        -------
        ndarray
            The same values in memory of their own.
        """
        return asarray(self._host, order=order)

    def __getitem__(self, key: Any) -> ndarray:
        plain = _plain(key)
        part: Any = self._host[plain]
        if not isinstance(part, np.ndarray):  # an element: as a view
            part = self._host[(*(plain if isinstance(plain, tuple) else (plain,)), ...)]
        result: ndarray = _on_device(part, [self])
        return result

    def __setitem__(self, key: Any, value: Any) -> None:
        self._write(_plain(key), _plain(value))

    def __iter__(self) -> Iterator[ndarray]:
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    def __int__(self) -> int:
        return int(self._host.item())

    def __float__(self) -> float:
        return float(self._host.item())

    def __complex__(self) -> complex:
        return complex(self._host.item())

    def __index__(self) -> int:
        return self._host.__index__()

    def __bool__(self) -> bool:
        return bool(self._host)

    def __format__(self, spec: str) -> str:
        return format(self._host if self.ndim else self._host[()], spec)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise TypeError(
            "implicit conversion to a NumPy array is not allowed: "
            "take a copy with .get() or simulator.asnumpy(a)"
        )

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        for value in inputs:
            if not isinstance(value, (ndarray, Number, np.generic, np.ndarray)):
                raise TypeError(f"Unsupported type {type(value)}: compute with device arrays")
        # NumPy's scalars come as arrays without axes if a comparison begins with them.
        plain = (v[()] if isinstance(v, np.ndarray) and not v.ndim else v for v in inputs)
        result = computed(getattr(ufunc, method), *plain, **options)
        if method == "at":
            inputs[0]._written()
        return result

    def __array_function__(
        self, function: Callable[..., Any], types: Any, args: Any, options: Any
    ) -> Any:
        return computed(function, *args, **options)

    __hash__ = object.__hash__

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"simulator.ndarray has no {name!r}; compute on the host with a.get()")

    def __str__(self) -> str:
        return str(self._host)

    def __repr__(self) -> str:
        return f"simulator.{self._host!r}"


def computed(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call a function of NumPy on the elements of device arrays, on the host.

    Parameters
    ----------
    function : callable
        What computes.
    *args, **options : object
        What it takes, with device arrays, also in lists and tuples.

    Returns
    -------
    object
        What it returns, with new device arrays for arrays and numbers, and views for views.

    Raises
    ------
    TypeError
        If a NumPy array is among the arguments.
    """
    found: list[ndarray] = []
    host_args = [_on_host(value, found) for value in args]
    host_options = {name: _on_host(value, found) for name, value in options.items()}
    with np.errstate(all="ignore"):
        result = function(*host_args, **host_options)
    outputs = options.get("out")
    changed = outputs if isinstance(outputs, tuple) else (outputs,)
    for array in (*changed, *args[: function in _CHANGING]):
        if isinstance(array, ndarray):
            array._written()
    return _on_device(np.asarray(result) if function in _SCALARS else result, found)


def _on_host(value: Any, found: list[ndarray]) -> Any:
    """Return what NumPy computes with, and append the device arrays in it to `found`."""
    if isinstance(value, ndarray):
        found.append(value)
        return value._host
    if isinstance(value, np.ndarray):
        raise TypeError(
            f"Unsupported type {type(value)}: implicit conversion to a device array is not "
            "allowed; move it first, simulator.asarray(array)"
        )
    if type(value) in (list, tuple):
        return type(value)(_on_host(part, found) for part in value)
    return value


def _on_device(value: Any, found: Sequence[ndarray]) -> Any:
    """Return what NumPy computed as device arrays: `found` are those it may be a view of."""
    if isinstance(value, np.generic):
        return asarray(value)
    if isinstance(value, (tuple, list)):
        parts = [_on_device(part, found) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if not isinstance(value, np.ndarray):
        return value
    for array in found:
        if value is array._host:
            return array
        if np.may_share_memory(value, array._host):
            return _view(array, value)
    return asarray(value)


def _view(array: ndarray, part: NDArray[Any]) -> ndarray:
    """Return a part of an array's memory as an array."""
    start = part.__array_interface__["data"][0] - array._host.__array_interface__["data"][0]
    return ndarray._of(array.data + start, part)


def _plain(value: Any) -> Any:
    """Return what NumPy takes for a value or an index in which there may be device arrays."""
    if type(value) in (list, tuple):
        return type(value)(map(_plain, value))
    return value._host if isinstance(value, ndarray) else value


def _method(name: str) -> Callable[..., Any]:
    """Return a method that is NumPy's of the same name."""
    function = getattr(np.ndarray, name)

    def method(self: ndarray, *args: Any, **options: Any) -> Any:
        return computed(function, self, *args, **options)

    method.__name__, method.__qualname__ = name, f"ndarray.{name}"
    method.__doc__ = _METHOD.format(name)
    return method


for _name in _METHODS:
    setattr(ndarray, _name, _method(_name))


def _order(order: str | None) -> Literal["C", "F", "A", "K"]:
    """Check an order in memory; None is "K"."""
    found = {"C": "C", "F": "F", "A": "A", "K": "K"}.get((order or "K").upper())
    if found is None:
        raise ValueError(f"order not understood: {order!r}; it is 'C', 'F', 'A' or 'K'")
    return cast(Literal["C", "F", "A", "K"], found)


def extent_of(shape: Any) -> tuple[int, ...]:
    """Return the lengths of the axes; one number is one axis."""
    whole = isinstance(shape, (int, np.integer))
    return (int(shape),) if whole else tuple(map(operator.index, shape))


def new_array(shape: Any, dtype: DTypeLike, order: str = "C") -> ndarray:
    """Make an array of unset elements, all of which count as written."""
    device = current()
    kind = np.dtype(dtype)
    extent = extent_of(shape)
    if any(n < 0 for n in extent):
        raise ValueError(f"an array cannot have the shape {extent}: lengths are from 0")
    if kind.kind not in "biufcV" or kind.hasobject or not kind.itemsize:
        raise TypeError(f"kernels have no elements of type {kind}: use numbers")
    if not kind.isnative:
        raise ValueError(f"Unsupported dtype {kind}: its bytes are in the other order than a GPU's")
    count = math.prod(extent)
    pointer = allocated(device, count * kind.itemsize)
    view = device.memory.view(pointer.ptr, pointer.allocation.nbytes, kind)
    return ndarray._of(pointer, view.reshape(extent, order="F" if _order(order) == "F" else "C"))


def asarray(a: Any, dtype: DTypeLike | None = None, order: str | None = None) -> ndarray:
    """Copy a host array to the current device; a device array is returned as it is.

    Parameters
    ----------
    a : array_like or ndarray
        What to copy: also lists of device arrays.
    dtype : dtype, optional
        To convert to.
    order : str, optional
        "C" or "F" for the order in memory; by default that of `a`.

    Returns
    -------
    ndarray
        A device array.
    """
    layout, kind = _order(order), None if dtype is None else np.dtype(dtype)
    if isinstance(a, ndarray):
        asked = a.flags.c_contiguous if layout == "C" else a.flags.f_contiguous
        if (kind is None or a.dtype == kind) and (layout in "AK" or asked):
            return a
        a = a._host
    host = np.asarray(_plain(a), kind)
    fortran = host.flags.f_contiguous and not host.flags.c_contiguous
    kept = "F" if fortran else "C"
    native = host.dtype.newbyteorder("=")
    array = new_array(host.shape, native, kept if layout in "AK" else layout)
    array.fill(host)
    return array
