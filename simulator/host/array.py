"""Arrays in simulated device memory, with the API of `cupy.ndarray` as far as kernels need it."""

from __future__ import annotations

import math
import weakref
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from simulator.execute.device import Device, current
from simulator.execute.memory import Allocation


class MemoryPointer:
    """A device address that keeps its allocation alive; `ptr` is the address as int.

    The allocation lives as long as the pointer that was made with it, which a view's pointer holds
    as its `owner`.
    """

    def __init__(
        self, device: Device, allocation: Allocation, ptr: int, owner: MemoryPointer | None = None
    ) -> None:
        self.owner = owner
        self.device = device
        self.allocation = allocation
        self.ptr = ptr

    def __add__(self, offset: int) -> MemoryPointer:
        """Return the address `offset` bytes further."""
        return MemoryPointer(self.device, self.allocation, self.ptr + offset, self.owner or self)

    def __sub__(self, offset: int) -> MemoryPointer:
        """Return the address `offset` bytes before."""
        return self + -offset

    def __int__(self) -> int:
        return self.ptr


def allocated(device: Device, nbytes: int, label: str = "") -> MemoryPointer:
    """Allocate device memory that lives as long as the pointer that is returned."""
    allocation = device.memory.allocate(nbytes, label)
    pointer = MemoryPointer(device, allocation, allocation.start)
    weakref.finalize(pointer, device.memory.drop, allocation)
    return pointer


class ndarray:
    """An array in device memory.

    Made by `asarray`, `empty`, `zeros`, `full` and `arange`, or over memory that is there already:
    `ndarray(shape, dtype, memptr)` with what `RawModule.get_global` returns. Kernels take it as an
    argument; the host reads it with `get` or `asnumpy`, writes it with `set`, `fill` or by index,
    and slices it like NumPy: a slice is a view of the same memory.

    Parameters
    ----------
    shape : int or tuple of int
        Elements in each dimension.
    dtype : dtype
        Their type; by default float64.
    memptr : MemoryPointer, optional
        Memory that is there already; by default it is allocated.
    strides : None
        Arrays are in C's order only.
    order : str
        "C".

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
        strides: None = None,
        order: str = "C",
    ) -> None:
        if strides is not None or order != "C":
            raise ValueError("the simulator has arrays in the order of C only: leave strides out")
        if memptr is None:
            made = new_array(shape, dtype)
            self.data, self._host = made.data, made._host
        else:
            self.data, self._host = _over(memptr, _extent(shape), np.dtype(dtype))

    @classmethod
    def _of(cls, data: MemoryPointer, host: NDArray[Any]) -> ndarray:
        array = cls.__new__(cls)
        array.data, array._host = data, host
        return array

    def __reduce__(self) -> tuple[Any, ...]:
        """Its elements: a copy is an array of its own, on the current device."""
        return asarray, (self.get(),)

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return self._host.shape

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

    def get(self) -> NDArray[Any]:
        """Copy it to the host.

        Returns
        -------
        numpy.ndarray
            The elements.
        """
        return self._host.copy()

    def set(self, values: ArrayLike) -> None:
        """Overwrite from the host; the shape must be the same.

        Parameters
        ----------
        values : array_like
            The new elements.

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
        allocation = self.data.allocation
        if allocation.written is None:
            return
        if key is ... and self._host.nbytes == allocation.nbytes:
            allocation.written = None
            return
        host, start = self._host, self.data.ptr - allocation.start
        kind = f"i{host.itemsize}"
        np.ndarray(host.shape, kind, allocation.written, start, host.strides)[key] = -1

    def item(self) -> Any:
        """Return the only element as a Python number.

        Returns
        -------
        int, float or bool
            The value as Python has it.
        """
        return self._host.item()

    def astype(self, dtype: DTypeLike) -> ndarray:
        """Make a new array with the elements converted.

        Parameters
        ----------
        dtype : dtype
            Of the elements: numbers.

        Returns
        -------
        ndarray
            Of the same shape.
        """
        return asarray(self._host.astype(dtype))

    def reshape(self, *shape: Any) -> ndarray:
        """Return the same memory under another shape.

        Parameters
        ----------
        *shape : int or tuple of int
            Lengths of the axes, one of which may be -1.

        Returns
        -------
        ndarray
            A view.
        """
        return ndarray._of(self.data, self._host.reshape(*shape))

    def ravel(self) -> ndarray:
        """Return the same memory as one row.

        Returns
        -------
        ndarray
            A view of one dimension.
        """
        return self.reshape(-1)

    def copy(self) -> ndarray:
        """Make a new array with the same elements.

        Returns
        -------
        ndarray
            The same values in memory of their own.
        """
        return asarray(self._host)

    def __getitem__(self, key: Any) -> ndarray:
        part = self._host[key]
        if not isinstance(part, np.ndarray):
            part = np.asarray(self._host[_as_slices(key, self._host)]).reshape(())
        if not np.shares_memory(part, self._host) and part.size:
            return asarray(part)
        start = part.__array_interface__["data"][0] - self._host.__array_interface__["data"][0]
        owner = self.data.owner or self.data
        data = MemoryPointer(owner.device, owner.allocation, self.data.ptr + start, owner)
        return ndarray._of(data, part)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._write(key, value._host if isinstance(value, ndarray) else value)

    def __int__(self) -> int:
        return int(self._host.item())

    def __float__(self) -> float:
        return float(self._host.item())

    def __bool__(self) -> bool:
        return bool(self._host.item())

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise TypeError(
            "a device array is not a NumPy array; take a copy with .get() or simulator.asnumpy(a)"
        )

    def _no_arithmetic(self, *others: Any) -> NoReturn:
        raise TypeError(
            "the simulator has arrays for kernels only: compute on the host with a.get()"
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _no_arithmetic
    __floordiv__ = __mod__ = __neg__ = __lt__ = __le__ = __gt__ = __ge__ = _no_arithmetic
    __and__ = __or__ = __xor__ = __invert__ = __iadd__ = __isub__ = __imul__ = _no_arithmetic
    __eq__ = __ne__ = _no_arithmetic
    __hash__ = object.__hash__

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"simulator.ndarray has no {name!r}: the simulator has arrays for kernels only; "
            "compute on the host with a.get()"
        )

    def __repr__(self) -> str:
        return f"simulator.{self._host!r}"


def _as_slices(key: Any, host: NDArray[Any]) -> tuple[slice, ...]:
    """Make slices of one element's index, so that NumPy gives a view and not a copy."""
    keys = key if isinstance(key, tuple) else (key,)
    whole = [int(k) % n for k, n in zip(keys, host.shape, strict=True)]
    return tuple(slice(k, k + 1) for k in whole)


def _extent(shape: Any) -> tuple[int, ...]:
    """Return the lengths of the axes; one number is one axis."""
    return (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(shape)


def _over(
    pointer: MemoryPointer, extent: tuple[int, ...], kind: np.dtype[Any]
) -> tuple[MemoryPointer, NDArray[Any]]:
    """Make an array of a shape and type in memory that is there already."""
    nbytes = int(np.prod(extent, dtype=np.int64)) * kind.itemsize
    room = pointer.allocation.end - pointer.ptr
    if nbytes > room:
        raise ValueError(f"an array of {nbytes} bytes does not fit the {room} bytes at the pointer")
    data = MemoryPointer(pointer.device, pointer.allocation, pointer.ptr, pointer.owner or pointer)
    view = pointer.device.memory.view(pointer.ptr, nbytes, kind)
    return data, view.reshape(extent)


def new_array(shape: Any, dtype: DTypeLike) -> ndarray:
    """Make an array of unset elements, all of which count as written."""
    device = current()
    kind = np.dtype(dtype)
    extent = _extent(shape)
    if any(n < 0 for n in extent):
        raise ValueError(f"an array cannot have the shape {extent}: lengths are from 0")
    if kind.kind not in "biufc":
        raise TypeError(f"kernels have no elements of type {kind}: use numbers")
    count = math.prod(map(int, extent))
    pointer = allocated(device, count * kind.itemsize)
    view = device.memory.view(pointer.ptr, pointer.allocation.nbytes, kind)
    return ndarray._of(pointer, view.reshape(extent))


def asarray(a: Any, dtype: DTypeLike | None = None) -> ndarray:
    """Copy a host array to the current device; a device array is returned as it is.

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
    if isinstance(a, ndarray):
        return a if dtype is None or a.dtype == dtype else asarray(a.get(), dtype)
    host = np.asarray(a, dtype)
    array = new_array(host.shape, host.dtype)
    array.fill(host)
    return array
