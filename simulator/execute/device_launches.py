"""Launches by kernels, which wait in a queue that fills while a grid runs.

When a grid has ended, what it launched on the default stream and as fire-and-forget runs in the
order of the launches, each followed by its own children; its tail launches come last. A GPU may run
more of this at the same time; since no thread can wait for a kernel that it launched, it cannot
depend on that.

A launch is pending from then until its grid has ended, and takes a place in the device's pool of
pending launches, whatever its stream. One that finds the pool full does not take place, and its
thread gets the error. As children run after their parent here, it fills the pool as much as it ever
can; on a GPU children that end while their parent runs make room for others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.compile.compiled import PLAIN, CompiledKernel
from simulator.execute.device import Device
from simulator.execute.launch_config import (
    Argument,
    LaunchConfig,
    pointer_argument,
    structure_argument,
)
from simulator.execute.wave import Triple
from simulator.ir import tree
from simulator.ir.events import Build, LaunchTarget
from simulator.ir.types import Pointer, Struct
from simulator.lanes.arithmetic import LaneError
from simulator.source import LaunchError

#: Grids inside one another (tail launches replace their parent and do not count), and launches
#: that one launch from the host may lead to.
MOST_LEVELS, MOST_LAUNCHES = 24, 1_000_000


@dataclass(frozen=True)
class QueuedLaunch:
    """One launch in the queue, and how many grids it is inside of."""

    config: LaunchConfig
    level: int


class Variables(Protocol):
    """A module's variables as `simulator.RawModule` keeps them."""

    def arguments(self, device: Device, kernel: CompiledKernel) -> list[Argument]:
        """Return what the generated code of a kernel gets for the variables that it uses."""


class Launchable(Protocol):
    """A kernel as `simulator.RawKernel` is one."""

    function: tree.Function

    @property
    def variables(self) -> Variables:
        """Those of its module."""

    def admitted(
        self, device: Device, grid: Sequence[int], block: Sequence[int]
    ) -> tuple[Triple, Triple]:
        """Check the sizes of a launch: those that a GPU would take."""

    def check_resources(
        self, device: Device, kernel: CompiledKernel, grid: Triple, block: Triple, dynamic: int
    ) -> None:
        """Refuse launches that need too much shared memory, or clusters that cannot be."""

    def compiled(self, modes: tuple[str, ...], build: Build) -> CompiledKernel:
        """Return the generated code."""


class LaunchQueue:
    """What kernels of one launch from the host launch.

    Parameters
    ----------
    device : Device
        Where they run.
    kernels : callable
        A kernel of the program by its name.

    Attributes
    ----------
    device : Device
        The device.
    """

    def __init__(self, device: Device, kernels: Callable[[str], Launchable]) -> None:
        self.device = device
        self._kernels = kernels
        self._queue: list[QueuedLaunch] = []
        self._tail: list[QueuedLaunch] = []
        self._level = 0
        self._total = 0
        self._pending = 0

    def add(
        self,
        target: LaunchTarget,
        count: int,
        grid: tuple[Any, ...],
        block: tuple[Any, ...],
        shared: Any,
        values: tuple[Any, ...],
        origins: tuple[int | None, ...],
    ) -> NDArray[np.bool_]:
        """Queue a launch by each of `count` lanes; columns hold one value a lane, or one for all.

        Returns
        -------
        ndarray of bool, shape (count,)
            Which of the launches failed, because the pool of pending launches was full.

        Raises
        ------
        LaneError
            for a launch that a GPU would refuse
        """
        kernel = self._kernels(target.name)
        columns = [np.broadcast_to(part, count) for part in (*grid, *block, shared, *values)]
        failed = np.zeros(count, np.bool_)
        for lane in range(count):
            row = [column[lane] for column in columns]
            try:
                failed[lane] = not self._add(kernel, target, row, origins)
            except LaunchError as problem:
                bad = np.arange(count) == lane
                raise LaneError(f"a refused launch: {problem.message}", problem.hint, bad) from None
        return failed

    def _add(
        self,
        kernel: Launchable,
        target: LaunchTarget,
        row: list[Any],
        origins: tuple[int | None, ...],
    ) -> bool:
        """Queue a launch, and say whether there was room for it."""
        tail = target.stream == "tail"
        self._check_counts(target, tail)
        sizes = [int(part) for part in row[:7]]
        grid, block = kernel.admitted(self.device, sizes[:3], sizes[3:6])
        parameters = kernel.function.parameters
        bound = [
            self._bound(target, symbol, value, origin)
            for symbol, value, origin in zip(parameters, row[7:], origins, strict=True)
        ]
        build = self.device.build_of(kernel.function.span)
        compiled = kernel.compiled(tuple(mode for mode, _ in bound), build)
        kernel.check_resources(self.device, compiled, grid, block, sizes[6])
        if self._pending >= self.device.pending_launches:
            return False
        arguments = [argument for _, argument in bound]
        arguments += kernel.variables.arguments(self.device, compiled)
        level = self._level + (not tail)
        device = self.device
        made = LaunchConfig(
            compiled, grid, block, arguments, sizes[6], device.memory, device.profile, True
        )
        (self._tail if tail else self._queue).append(QueuedLaunch(made, level))
        self._total += 1
        self._pending += 1
        return True

    def _check_counts(self, target: LaunchTarget, tail: bool) -> None:
        if not tail and self._level == MOST_LEVELS:
            hint = "Launch it on cudaStreamTailLaunch: such a kernel replaces this one."
            what = f"{target.name} launched by a kernel {MOST_LEVELS} launches deep"
            raise LaunchError(what, None, hint)
        if self._total == MOST_LAUNCHES:
            what = f"{target.name} launched after {MOST_LAUNCHES:,} launches by kernels"
            raise LaunchError(what, None, "Does it end? Launch fewer and larger grids.")

    def _bound(
        self, target: LaunchTarget, symbol: tree.Symbol, value: Any, origin: int | None
    ) -> tuple[str, Argument]:
        """Bind an argument as the host does, by its array where that is known."""
        memory = self.device.memory
        if isinstance(symbol.type, Struct):
            return PLAIN, structure_argument(memory, symbol.name, symbol.type, np.asarray(value))
        if not isinstance(symbol.type, Pointer):
            return PLAIN, Argument(value)
        address = int(value)
        array = memory.find(origin) if origin else None
        if array is None:
            self._refuse_private(target, symbol, address)
            return PLAIN, Argument(np.int64(address))
        return pointer_argument(memory, symbol.type, address, array)

    def _refuse_private(self, target: LaunchTarget, symbol: tree.Symbol, address: int) -> None:
        """Refuse shared memory and local arrays; what ends right before one may be meant."""
        found = self.device.memory.find(address)
        if found is None or not found.scratch:
            return
        before = self.device.memory.find(address - 1)
        if before is None or before.scratch:
            what = f"{target.name} launched with a pointer to shared or local memory"
            what += f" as `{symbol.name}`"
            hint = "That memory is gone when the kernel runs: pass global memory, or the values."
            raise LaunchError(what, None, hint)

    def run(self, execute: Callable[[LaunchConfig], None]) -> None:
        """Run what is queued by `execute`, and what that launches, to the end of it all."""
        waiting = self._taken()
        while waiting:
            child = waiting.pop()
            self._level = child.level
            execute(child.config)
            self._pending -= 1
            waiting += self._taken()

    def checkpoint(self) -> tuple[int, int, int, int]:
        """How far the queue has filled, for `rollback`."""
        return len(self._queue), len(self._tail), self._total, self._pending

    def rollback(self, checkpoint: tuple[int, int, int, int]) -> None:
        """Forget the launches since `checkpoint`."""
        queued, tail, self._total, self._pending = checkpoint
        del self._queue[queued:], self._tail[tail:]

    def _taken(self) -> list[QueuedLaunch]:
        """Take what the grid that has ended launched, the first to run last."""
        taken = [*self._queue, *self._tail][::-1]
        self._queue, self._tail = [], []
        return taken
