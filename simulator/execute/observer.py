"""Observers: whoever looks at what launches do, told of each launch from its beginning to its end.

An analysis is an `Observer` that a device holds, and what it makes of one launch is a
`LaunchObserver`. Both do nothing by themselves, so that an analysis says only what it wants.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.compile.kernel import PLAIN, SHIFTED, VIEWED, CompiledKernel
from simulator.compile.values import numpy_dtype
from simulator.execute.geometry import Triple, Wave
from simulator.execute.memory import Allocation, Memory
from simulator.execute.profiles import Profile
from simulator.ir.events import BasicBlock, Build
from simulator.ir.types import Pointer, Scalar, Struct, size_of
from simulator.source import Fault

# A launch as it was ordered: the kernel, its size and arguments, and the memory it runs in.


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


class LaunchObserver:
    """Watches one launch.

    Attributes
    ----------
    stepwise : bool
        Whether it sees each logged basic block by `watch` while memory is as that left it; else it
        reads the log by `consume`, many blocks at a time.
    """

    stepwise = False

    def start(self, wave: Wave) -> None:
        """A new wave of resident blocks begins."""

    def watch(self, entry: tuple[Any, ...]) -> None:
        """One basic block has been executed, or another gang has its turn."""

    def consume(self, log: list[tuple[Any, ...]], blocks: list[BasicBlock]) -> None:
        """Read what was logged since the last call, in the order of execution."""

    def finish_wave(self) -> None:
        """All threads of the wave have ended."""

    def blame(self, fault: Fault) -> Fault:
        """The launch ended by `fault`: that, or what was found before and may have caused it."""
        return fault

    def abandon(self) -> None:
        """The launch begins anew: nothing that was seen of it counts."""

    def finish(self) -> None:
        """The launch has ended.

        Raises
        ------
        Fault
            If something was found that must not be.
        """


class Observer:
    """Watches the launches on a device; see `Device.observers`."""

    @property
    def build(self) -> Build:
        """What kernels must log for it, beyond what they always do."""
        return Build()

    def begin(self, order: Order) -> LaunchObserver | None:
        """A launch begins; None if this one is not watched."""
        raise NotImplementedError
