"""`simulator.tracing`: record each logged basic block as a step, with what it wrote to memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.device import Device, observing
from simulator.execute.launch_config import LaunchConfig
from simulator.execute.memory import Memory
from simulator.execute.observer import LaunchObserver, Observer
from simulator.execute.wave import Wave
from simulator.ir.events import MEMORY, BasicBlock, Build, Operand
from simulator.observe.counters.tally import Tally
from simulator.observe.log import Decoder
from simulator.observe.trace.steps import Lanes, TracedArray, TracedLaunch, TracedStep
from simulator.source import SimulatorError

#: Sites of these kinds change memory.
CHANGING = frozenset(("store", "atomic"))


class Recorder(LaunchObserver):
    """The steps of one launch.

    Parameters
    ----------
    launch : TracedLaunch
        Gets the steps.
    memory : Memory
        The device's.
    blocks : list of BasicBlock
        The kernel's.
    recorded : callable
        Told of each step how many values it has; raises where they are too many.
    drop : callable
        Takes the launch if it begins anew, and forgets it.
    """

    stepwise = True

    def __init__(
        self,
        launch: TracedLaunch,
        memory: Memory,
        blocks: list[BasicBlock],
        recorded: Callable[[int], None],
        drop: Callable[[TracedLaunch], None],
    ) -> None:
        self.launch = launch
        self.recorded = recorded
        self.drop = drop
        self.memory = memory
        self.blocks = blocks
        self.tally = Tally(launch.warp_size)
        self.decoder = Decoder()

    def start(self, wave: Wave) -> None:
        """Return a new wave of blocks begins."""
        self.wave = wave
        self.launch.waves.append(wave)
        self.launch.final.append(np.full(wave.warps, -1))
        self.tally.start(wave)
        self.decoder = Decoder()

    def finish_wave(self) -> None:
        """All threads of the wave have returned."""
        self.launch.ended += 1

    def abandon(self) -> None:
        """Drop the launch, which begins anew."""
        self.drop(self.launch)

    def watch(self, entry: tuple[Any, ...]) -> None:
        """See one entry: a basic block that has been executed, or a switch to another gang."""
        self.tally.consume([entry], self.blocks)
        for number, lanes, operands in self.decoder.each([entry]):
            if lanes.size:
                self._record(self.blocks[number], lanes, operands)

    def _record(self, block: BasicBlock, lanes: Lanes, operands: tuple[Any, ...]) -> None:
        written = tuple(self._written(block, lanes, operands))
        step = TracedStep(
            block, len(self.launch.waves) - 1, lanes, operands, written, self.tally.totals()
        )
        self.launch.final[-1][lanes // self.launch.warp_size] = len(self.launch.steps)
        self.launch.steps.append(step)
        self.recorded(lanes.size * (1 + len(operands)))

    def _written(
        self, block: BasicBlock, lanes: Lanes, operands: tuple[Any, ...]
    ) -> list[tuple[Lanes, NDArray[np.uint8]]]:
        """Copy what is now where the block has written."""
        found = []
        for operand, value in zip(block.operands, operands, strict=True):
            if operand.form in MEMORY and operand.site.kind in CHANGING:
                address = self._addresses(operand, lanes, value)
                every = address[:, None] + np.arange(operand.site.size)
                found.append((address, self.memory.arena[every]))
        return found

    def _addresses(self, operand: Operand, lanes: Lanes, value: Any) -> Lanes:
        values = np.asarray(value)
        found = self.wave.addresses(operand, lanes, values)
        return found if found.ndim else np.full(lanes.size, found)


# The public API: `with simulator.tracing() as trace: …`.


#: The most steps that are recorded, and the most values of lanes, of 8 bytes or less.
MOST_STEPS, MOST_VALUES = 200_000, 1 << 26


class TraceTooLong(SimulatorError):
    """More happened than a trace can hold."""


@dataclass
class Tracing(Observer):
    """What was traced.

    Attributes
    ----------
    launches : list of TracedLaunch
        In the order in which they began. Of a launch that ended in a fault there is what it did
        before.
    paused : bool
        While it is true launches run untraced.
    """

    launches: list[TracedLaunch] = field(default_factory=list)
    paused: bool = False
    steps: int = 0
    values: int = 0

    @property
    def build(self) -> Build:
        """Every statement must be logged, with what it leaves, unless nothing is traced now."""
        return Build(steps=not self.paused)

    def begin(self, config: LaunchConfig) -> Recorder | None:
        """Watch a launch that begins now.

        Parameters
        ----------
        config : LaunchConfig
            The launch.

        Returns
        -------
        Recorder or None
            What watches it; None while tracing is paused.
        """
        if self.paused:
            return None
        kernel, memory = config.kernel, config.memory
        arrays, scalars = [], {}
        for name, argument in zip(kernel.parameters, config.arguments, strict=True):
            if argument.view is None:
                scalars[name] = argument.value
                continue
            address, dtype = int(argument.value), argument.view.dtype
            allocation = memory.find(address)
            label = allocation.label if allocation is not None else ""
            length = argument.view.size - argument.shift
            arrays.append(TracedArray(name, label, address, dtype, length))
        launch = TracedLaunch(
            kernel.name,
            config.grid,
            config.block,
            config.profile.warp_size,
            tuple(arrays),
            scalars,
            tuple(kernel.plan.shared),
            memory.save(),
            config.device_side,
            dynamic_shared=config.dynamic_shared,
        )
        self.launches.append(launch)
        return Recorder(launch, memory, kernel.plan.blocks, self.recorded, self.launches.remove)

    @property
    def too_many_steps(self) -> bool:
        """Whether there are more steps than a trace can hold."""
        return self.steps > MOST_STEPS

    def recorded(self, values: int) -> None:
        """Count one more step.

        Parameters
        ----------
        values : int
            How many values it has.

        Raises
        ------
        TraceTooLong
            If that is more than a trace can hold.
        """
        self.steps += 1
        self.values += values
        if self.too_many_steps or self.values > MOST_VALUES:
            what = f"{MOST_STEPS:,} steps" if self.too_many_steps else "1/2 GiB of values"
            raise TraceTooLong(
                f"this takes more than {what}, which is more than a trace can hold",
                hint="trace less: fewer launches, threads or elements",
            )


@contextmanager
def tracing(device: Device | None = None) -> Iterator[Tracing]:
    """Record every step of every launch on `device` (the current one) while the context lasts.

    Yields
    ------
    Tracing
        Its `launches` grow as kernels run.

    Parameters
    ----------
    device : Device, optional
        The device to trace.

    Raises
    ------
    TraceTooLong
        From a launch that does more than a trace can hold.

    Examples
    --------
    >>> import simulator
    >>> kernel = simulator.RawKernel('''
    ... extern "C" __global__ void halve(int *a) {
    ...   int i = threadIdx.x;
    ...   if (a[i] % 2 == 0) a[i] /= 2;
    ... }''', "halve")
    >>> with simulator.tracing() as trace:
    ...     kernel((1,), (4,), (simulator.arange(4, dtype="int32"),))
    >>> [(step.span.line, step.lanes.tolist()) for step in trace.launches[0].steps]
    [(3, [0, 1, 2, 3]), (4, [0, 1, 2, 3]), (4, [0, 2])]
    """
    with observing(Tracing(), device) as found:
        yield found
