"""What a launch does besides computing in memory: print, read the clock, launch kernels.

Kernels that kernels launch wait in a queue that fills while a grid runs.

When a grid has ended, what it launched on the default stream and as fire-and-forget runs in the
order of the launches, each followed by its own children; its tail launches come last. A GPU may run
more of this at the same time; since no thread can wait for a kernel that it launched, it cannot
depend on that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from simulator.compile.kernel import PLAIN, CompiledKernel
from simulator.execute.device import Budget, Device
from simulator.execute.geometry import Triple
from simulator.execute.order import Argument, Order, structure, within
from simulator.ir import tree
from simulator.ir.events import Build, Ordered
from simulator.ir.types import Pointer, Struct
from simulator.lanes.arithmetic import LaneError
from simulator.lanes.printing import Format, Printed
from simulator.source import LaunchError

#: Grids inside one another (tail launches replace their parent and do not count), and launches
#: that one launch from the host may lead to.
MOST_LEVELS, MOST_LAUNCHES = 24, 1_000_000


@dataclass(frozen=True)
class Child:
    """One launch in the queue, and how many grids it is inside of."""

    order: Order
    level: int


class Variables(Protocol):
    """A module's variables as `simulator.RawModule` keeps them."""

    def arguments(self, device: Device, kernel: CompiledKernel) -> list[Argument]:
        """What a kernel's generated code gets for the variables that it uses."""


class Launchable(Protocol):
    """A kernel as `simulator.RawKernel` is one."""

    function: tree.Function

    @property
    def variables(self) -> Variables:
        """Those of its module."""

    def admitted(
        self, device: Device, grid: Sequence[int], block: Sequence[int]
    ) -> tuple[Triple, Triple]:
        """The sizes of a launch, if a GPU would take them."""

    def check_shared(self, device: Device, kernel: CompiledKernel, dynamic: int) -> None:
        """Refuse launches that need too much shared memory."""

    def compiled(self, modes: tuple[str, ...], build: Build) -> CompiledKernel:
        """The generated code."""


class Children:
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
        self._queue: list[Child] = []
        self._tail: list[Child] = []
        self._level = 0
        self._total = 0

    def add(
        self,
        order: Ordered,
        count: int,
        grid: tuple[Any, ...],
        block: tuple[Any, ...],
        shared: Any,
        values: tuple[Any, ...],
        origins: tuple[int | None, ...],
    ) -> None:
        """A launch by each of `count` lanes; columns hold one value a lane, or one for all.

        Raises
        ------
        LaneError
            for a launch that a GPU would refuse
        """
        kernel = self._kernels(order.name)
        columns = [np.broadcast_to(part, count) for part in (*grid, *block, shared, *values)]
        for lane in range(count):
            row = [column[lane] for column in columns]
            try:
                self._add(kernel, order, row, origins)
            except LaunchError as problem:
                bad = np.arange(count) == lane
                raise LaneError(f"a refused launch: {problem.message}", problem.hint, bad) from None

    def _add(
        self, kernel: Launchable, order: Ordered, row: list[Any], origins: tuple[int | None, ...]
    ) -> None:
        tail = order.stream == "tail"
        self._count(order, tail)
        sizes = [int(part) for part in row[:7]]
        grid, block = kernel.admitted(self.device, sizes[:3], sizes[3:6])
        parameters = kernel.function.parameters
        bound = [
            self._bound(order, symbol, value, origin)
            for symbol, value, origin in zip(parameters, row[7:], origins, strict=True)
        ]
        compiled = kernel.compiled(tuple(mode for mode, _ in bound), self.device.build)
        kernel.check_shared(self.device, compiled, sizes[6])
        arguments = [argument for _, argument in bound]
        arguments += kernel.variables.arguments(self.device, compiled)
        level = self._level + (not tail)
        device = self.device
        made = Order(
            compiled, grid, block, arguments, sizes[6], device.memory, device.profile, True
        )
        (self._tail if tail else self._queue).append(Child(made, level))

    def _count(self, order: Ordered, tail: bool) -> None:
        if not tail and self._level == MOST_LEVELS:
            hint = "Launch it on cudaStreamTailLaunch: such a kernel replaces this one."
            what = f"{order.name} launched by a kernel {MOST_LEVELS} launches deep"
            raise LaunchError(what, None, hint)
        if self._total == MOST_LAUNCHES:
            what = f"{order.name} launched after {MOST_LAUNCHES:,} launches by kernels"
            raise LaunchError(what, None, "Does it end? Launch fewer and larger grids.")
        self._total += 1

    def _bound(
        self, order: Ordered, symbol: tree.Symbol, value: Any, origin: int | None
    ) -> tuple[str, Argument]:
        """An argument as the host binds it, by its array where that is known."""
        memory = self.device.memory
        if isinstance(symbol.type, Struct):
            return PLAIN, structure(memory, symbol.name, symbol.type, np.asarray(value))
        if not isinstance(symbol.type, Pointer):
            return PLAIN, Argument(value)
        address = int(value)
        array = memory.find(origin) if origin else None
        if array is None:
            self._refuse_private(order, symbol, address)
            return PLAIN, Argument(np.int64(address))
        return within(memory, symbol.type, address, array)

    def _refuse_private(self, order: Ordered, symbol: tree.Symbol, address: int) -> None:
        """Refuse shared memory and local arrays; what ends right before one may be meant."""
        found = self.device.memory.find(address)
        if found is None or not found.scratch:
            return
        before = self.device.memory.find(address - 1)
        if before is None or before.scratch:
            what = f"{order.name} launched with a pointer to shared or local memory"
            what += f" as `{symbol.name}`"
            hint = "That memory is gone when the kernel runs: pass global memory, or the values."
            raise LaunchError(what, None, hint)

    def run(self, execute: Callable[[Order], None]) -> None:
        """Run what is queued by `execute`, and what that launches, to the end of it all."""
        waiting = self._taken()
        while waiting:
            child = waiting.pop()
            self._level = child.level
            execute(child.order)
            waiting += self._taken()

    def mark(self) -> tuple[int, int, int]:
        """How far the queue has filled, for `back`."""
        return len(self._queue), len(self._tail), self._total

    def back(self, mark: tuple[int, int, int]) -> None:
        """Forget the launches since `mark`."""
        queued, tail, self._total = mark
        del self._queue[queued:], self._tail[tail:]

    def _taken(self) -> list[Child]:
        """What the grid that has ended launched, the first to run last."""
        taken = [*self._queue, *self._tail][::-1]
        self._queue, self._tail = [], []
        return taken


# What a launch does besides computing in memory: print, read the clock, launch kernels.


#: Cycles that one reading of the clock takes, about those of a GPU.
TICK = 32


class Effects:
    """What generated code calls as `launch.effects`; one a launch from the host."""

    def __init__(self, children: Children) -> None:
        self.children = children
        self.budget = Budget(children.device.steps, children.device.steps)
        self.printed = Printed()
        self._device = children.device

    def show(self, form: Format, count: int, *columns: Any) -> None:
        """`printf` by `count` lanes."""
        self.printed.add(form, count, columns)

    def clock(self) -> np.int64:
        """A count that grows with each reading, and with nothing else: it does not measure."""
        self._device.ticks += TICK
        return np.int64(self._device.ticks)

    def mark(self) -> Any:
        """What has been done so far, for a grid that may have to begin again."""
        return self.printed.mark(), self.children.mark(), self._device.ticks

    def back(self, mark: Any) -> None:
        """Forget what was done since `mark`."""
        printed, children, self._device.ticks = mark
        self.printed.back(printed)
        self.children.back(children)

    def finish(self) -> None:
        """The launch has ended, well or not."""
        self.printed.flush()
