"""A launch as it was ordered: the kernel, its size and arguments, and the memory it runs in."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.compile.kernel import PLAIN, SHIFTED, VIEWED, CompiledKernel
from simulator.compile.values import numpy_dtype
from simulator.execute.geometry import Triple
from simulator.execute.memory import Allocation, Memory
from simulator.execute.profiles import Profile
from simulator.ir.types import Pointer, Scalar, Struct, size_of


@dataclass(frozen=True)
class Argument:
    """One kernel argument as generated code takes it.

    A value, and for pointers a view with an index shift.
    """

    value: Any
    view: NDArray[Any] | None = None
    shift: int = 0
    base: int = 0


@dataclass(frozen=True)
class Order:
    """A launch as it was ordered; `device_side` says that a kernel ordered it."""

    kernel: CompiledKernel
    grid: Triple
    block: Triple
    arguments: list[Argument]
    dynamic_shared: int
    memory: Memory
    profile: Profile
    device_side: bool = False

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.block[0] * self.block[1] * self.block[2]


def structure(memory: Memory, name: str, ctype: Struct, value: NDArray[Any]) -> Argument:
    """The bytes of a structure called `name`, in memory of the launch's own."""
    allocation = memory.allocate(ctype.size, name, scratch=True)
    memory.arena[allocation.start : allocation.end] = value.reshape(-1).view(np.uint8)
    view = memory.view(allocation.start, ctype.size, numpy_dtype(ctype))
    argument = Argument(np.int64(allocation.start), view, 0, allocation.start)
    weakref.finalize(argument, memory.drop, allocation)
    return argument


def within(
    memory: Memory, ctype: Pointer, address: int, allocation: Allocation
) -> tuple[str, Argument]:
    """An address in an allocation: with a view of it where its elements fit, else bare."""
    pointer = np.int64(address)
    if not isinstance(ctype.to, (Scalar, Pointer, Struct)):
        return PLAIN, Argument(pointer, base=allocation.start)
    size = size_of(ctype.to)
    if not size:  # of a structure that is declared and never defined
        return PLAIN, Argument(pointer)
    offset = address - allocation.start
    if offset % size:
        return PLAIN, Argument(pointer)
    view = memory.view(allocation.start, allocation.nbytes, numpy_dtype(ctype.to))
    mode = SHIFTED if offset else VIEWED
    return mode, Argument(pointer, view, offset // size, allocation.start)
