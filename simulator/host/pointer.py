"""Addresses in simulated device memory, which keep what they point to alive."""

from __future__ import annotations

import math
import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.device import Device
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

    def memset(self, value: int, size: int) -> None:
        """Set `size` bytes to `value`."""
        self._write(np.uint8(value), size)

    def memset_async(self, value: int, size: int, stream: Any = None) -> None:
        """Set `size` bytes to `value`, at once."""
        self.memset(value, size)

    def copy_from_device(self, src: MemoryPointer, size: int) -> None:
        """Copy `size` bytes from another address."""
        self._write(src._bytes(size).copy(), size)

    def copy_from(self, mem: MemoryPointer, size: int) -> None:
        """Copy `size` bytes from another address."""
        self.copy_from_device(mem, size)

    def _write(self, values: Any, size: int) -> None:
        """Set bytes, and remember that they have been set."""
        self._bytes(size)[...] = values
        if self.allocation.written is not None:
            start = self.ptr - self.allocation.start
            self.allocation.written[start : start + size] = 0xFF

    def _bytes(self, size: int) -> NDArray[np.uint8]:
        room = self.allocation.end - self.ptr
        if not 0 <= size <= room:
            raise ValueError(f"{size} bytes are not the {room} bytes at the pointer")
        return self.device.memory.view(self.ptr, size, np.uint8)


def allocated(device: Device, nbytes: int, label: str = "") -> MemoryPointer:
    """Allocate device memory that lives as long as the pointer that is returned."""
    allocation = device.memory.allocate(nbytes, label)
    pointer = MemoryPointer(device, allocation, allocation.start)
    weakref.finalize(pointer, device.memory.drop, allocation)
    return pointer


def view_at(
    pointer: MemoryPointer,
    extent: tuple[int, ...],
    kind: np.dtype[Any],
    strides: tuple[int, ...] | None,
    order: str,
) -> NDArray[Any]:
    """Return memory that is there already under a shape and a type.

    Parameters
    ----------
    pointer : MemoryPointer
        Where the first element is.
    extent : tuple of int
        Lengths of the axes.
    kind : dtype
        Of the elements.
    strides : tuple of int, optional
        Bytes between neighbours on each axis; without gaps by default.
    order : str
        "C" or "F": which axis has the neighbours, if there are no strides.

    Raises
    ------
    ValueError
        If an element would lie outside of the allocation.
    """
    allocation, room = pointer.allocation, pointer.allocation.end - pointer.ptr
    if strides is None:
        nbytes = math.prod(map(int, extent)) * kind.itemsize
        if nbytes > room:
            what = f"an array of {nbytes} bytes does not fit the {room} bytes at the pointer"
            raise ValueError(what)
        flat = pointer.device.memory.view(pointer.ptr, nbytes, kind)
        return flat.reshape(extent, order="F" if order == "F" else "C")
    steps = [(n - 1) * step for n, step in zip(extent, strides, strict=True)]
    first = sum(s for s in steps if s < 0) if all(extent) else 0
    last = sum(s for s in steps if s > 0) + kind.itemsize if all(extent) else 0
    if pointer.ptr + first < allocation.start or last > room:
        what = f"an array of shape {extent} and strides {strides} leaves the memory at the pointer"
        raise ValueError(what)
    memory = pointer.device.memory.view(allocation.start, allocation.nbytes, np.uint8)
    return np.ndarray(extent, kind, memory, pointer.ptr - allocation.start, strides)
