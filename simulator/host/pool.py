"""CuPy's memory pools: here memory is the device's at once, and nothing is kept for later."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.device import current
from simulator.host.pointer import MemoryPointer, allocated
from simulator.source import OutOfMemoryError as OutOfMemoryError
from simulator.source import SimulatorError


def alloc(size: int) -> MemoryPointer:
    """Allocate bytes on the current device.

    Parameters
    ----------
    size : int
        How many.

    Returns
    -------
    MemoryPointer
        Where they are; they live as long as it does.

    Examples
    --------
    >>> import simulator
    >>> simulator.ndarray(4, "int32", simulator.cuda.alloc(16)).nbytes
    16
    """
    return allocated(current(), size)


class MemoryPool:
    """The memory of the current device, of which a pool tells how much is used.

    Parameters
    ----------
    allocator : object, optional
        As in CuPy; it changes nothing here.
    """

    def __init__(self, allocator: Any = None) -> None:
        self.malloc = alloc

    def used_bytes(self) -> int:
        """Count the bytes in arrays and variables now."""
        return current().memory.bytes_used

    def total_bytes(self) -> int:
        """Count the same bytes: nothing is kept for later."""
        return self.used_bytes()

    def free_bytes(self) -> int:
        """Return 0: nothing is kept for later."""
        return 0

    def n_free_blocks(self) -> int:
        """Return 0: nothing is kept for later."""
        return 0

    def free_all_blocks(self, stream: Any = None) -> None:
        """Do nothing: what no array uses is free at once."""

    def get_limit(self) -> int:
        """Return 0, which means that there is no limit but the device's."""
        return 0

    def set_limit(self, size: int | None = None, fraction: float | None = None) -> None:
        """Refuse a limit, unless it is 0, which means none.

        Raises
        ------
        SimulatorError
            for a limit
        """
        if size or fraction:
            raise SimulatorError(
                "the simulator's memory pool has no limit of its own",
                hint="Make a device with less memory: simulator.Device(memory=BYTES).",
            )


def alloc_pinned_memory(size: int) -> NDArray[np.uint8]:
    """Allocate bytes on the host, of which none are pinned.

    Parameters
    ----------
    size : int
        How many.

    Returns
    -------
    numpy.ndarray
        Bytes, for `numpy.frombuffer`.
    """
    return np.zeros(size, np.uint8)


class PinnedMemoryPool:
    """No pinned memory: copies to the host are NumPy's.

    Parameters
    ----------
    allocator : object, optional
        As in CuPy; it changes nothing here.
    """

    def __init__(self, allocator: Any = None) -> None:
        self.malloc = alloc_pinned_memory

    def n_free_blocks(self) -> int:
        """Return 0."""
        return 0

    def free_all_blocks(self) -> None:
        """Do nothing."""


_pool, _pinned = MemoryPool(), PinnedMemoryPool()


def get_default_memory_pool() -> MemoryPool:
    """Return the pool of the current device.

    Returns
    -------
    MemoryPool
        Always the same.
    """
    return _pool


def get_default_pinned_memory_pool() -> PinnedMemoryPool:
    """Return the pool of pinned memory, of which there is none.

    Returns
    -------
    PinnedMemoryPool
        Always the same.
    """
    return _pinned


def set_allocator(allocator: Any = None) -> None:
    """Do nothing: all memory is the device's.

    Parameters
    ----------
    allocator : callable, optional
        As in CuPy.
    """
