"""The public face of traces: `with simulator.tracing() as trace: …`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from simulator.execute.device import Device, observing
from simulator.execute.observer import Observer
from simulator.execute.order import Order
from simulator.ir.events import Build
from simulator.observe.trace.recorder import Recorder
from simulator.observe.trace.steps import Array, TracedLaunch
from simulator.source import SimulatorError

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

    def begin(self, order: Order) -> Recorder | None:
        """Watch a launch that begins now."""
        if self.paused:
            return None
        kernel, memory = order.kernel, order.memory
        arrays, scalars = [], {}
        for name, argument in zip(kernel.parameters, order.arguments, strict=True):
            if argument.view is None:
                scalars[name] = argument.value
                continue
            address, dtype = int(argument.value), argument.view.dtype
            allocation = memory.find(address)
            label = allocation.label if allocation is not None else ""
            length = argument.view.size - argument.shift
            arrays.append(Array(name, label, address, dtype, length))
        launch = TracedLaunch(
            kernel.name,
            order.grid,
            order.block,
            order.profile.warp_size,
            tuple(arrays),
            scalars,
            tuple(kernel.plan.shared),
            memory.save(),
            order.device_side,
            dynamic_shared=order.dynamic_shared,
        )
        self.launches.append(launch)
        return Recorder(launch, memory, kernel.plan.blocks, self.recorded, self.launches.remove)

    @property
    def too_many_steps(self) -> bool:
        """Whether there are more steps than a trace can hold."""
        return self.steps > MOST_STEPS

    def recorded(self, values: int) -> None:
        """One more step, of so many values.

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
