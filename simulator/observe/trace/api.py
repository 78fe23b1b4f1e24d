"""The public face of traces: `with simulator.tracing() as trace: …`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulator.observe.trace.recorder import Recorder
from simulator.observe.trace.steps import Array, TracedLaunch
from simulator.source import SimulatorError

if TYPE_CHECKING:
    from simulator.execute.device import Device
    from simulator.execute.launch import Order

#: The most steps that are recorded, and the most values of lanes, of 8 bytes or less.
MOST_STEPS, MOST_VALUES = 200_000, 1 << 26


class TraceTooLong(SimulatorError):
    """More happened than a trace can hold."""


@dataclass
class Tracing:
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

    def begin(self, device: Device, order: Order, device_side: bool) -> Recorder:
        """Watch a launch that begins now."""
        kernel = order.kernel
        arrays, scalars = [], {}
        for name, argument in zip(kernel.parameters, order.arguments, strict=True):
            if argument.view is None:
                scalars[name] = argument.value
                continue
            address, dtype = int(argument.value), argument.view.dtype
            allocation = device.memory.find(address)
            label = allocation.label if allocation is not None else ""
            length = argument.view.size - argument.shift
            arrays.append(Array(name, label, address, dtype, length))
        launch = TracedLaunch(
            kernel.name,
            order.grid,
            order.block,
            device.profile.warp_size,
            tuple(arrays),
            scalars,
            tuple(kernel.plan.shared),
            device.memory.save(),
            device_side,
            dynamic_shared=order.dynamic_shared,
        )
        self.launches.append(launch)
        return Recorder(self, launch, device.memory, kernel.plan.blocks)

    def drop_last(self) -> None:
        """Forget the last launch, which begins anew."""
        self.launches.pop()

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
    from simulator.execute.device import watched

    target = watched(device)
    found = Tracing()
    target.traces.append(found)
    try:
        yield found
    finally:
        target.traces[:] = [other for other in target.traces if other is not found]
