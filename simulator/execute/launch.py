"""Execute a launch, in waves of resident blocks, and tell the device's records what it did."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from simulator.compile.kernel import CompiledKernel
from simulator.execute.budget import Budget
from simulator.execute.device import Device, Launch
from simulator.execute.driver import Consumer, Driver
from simulator.execute.effects import Effects
from simulator.execute.faults import livelock, out_of_steps, too_many_steps
from simulator.execute.geometry import Triple, Wave
from simulator.execute.memory import Allocation
from simulator.execute.schedule import Lockstep, Random, Schedule, schedule_named
from simulator.execute.scratch import Scratch
from simulator.execute.shadow import assume_written
from simulator.execute.watchdog import OutOfSteps, Stuck
from simulator.observe.counters.tally import Tally
from simulator.source import Fault


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
    """A launch as it was ordered."""

    kernel: CompiledKernel
    grid: Triple
    block: Triple
    arguments: list[Argument]
    dynamic_shared: int

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.block[0] * self.block[1] * self.block[2]


def execute(
    device: Device,
    kernel: CompiledKernel,
    grid: Triple,
    block: Triple,
    arguments: list[Argument],
    dynamic_shared: int,
    effects: Effects,
) -> None:
    """Run a launch to its end, and tell the device's records what it did.

    Gangs of several warps may wait for themselves: a warp that spins until another one of its gang
    sets a flag keeps that one waiting at the end of the branch. A kernel that could do so starts
    again, with a gang a warp, from the memory as it was, when it gets nowhere or out of steps.

    Raises
    ------
    Fault
        When a thread does something undefined, or nobody gets on.
    """
    order = Order(kernel, grid, block, arguments, dynamic_shared)
    number, device.launches = device.launches, device.launches + 1
    schedule = schedule_named(device.schedule, number)
    shared = order.threads > device.profile.warp_size or order.blocks > 1
    waiting = bool(kernel.plan.waits) or kernel.plan.listens
    restartable = waiting and isinstance(schedule, Lockstep | Random) and shared
    saved = device.memory.save() if restartable else None
    mark, steps = effects.mark(), effects.budget.left
    attempt = _Attempt(device, order, effects)
    try:
        attempt.run(schedule, final=saved is None)
    except (Stuck, OutOfSteps):
        assert saved is not None
        effects.budget.left = steps
        device.memory.restore(saved)
        effects.back(mark)
        attempt.forget()
        attempt = _Attempt(device, order, effects)
        attempt.run(schedule_named(device.schedule, number, single=True), final=True)
    attempt.finish()


class _Attempt:
    """One run of a launch, and those who are told what it does."""

    def __init__(self, device: Device, order: Order, effects: Effects) -> None:
        self.effects = effects
        self.device = device
        self.order = order
        self.tally = Tally(device.profile.warp_size) if device.records else None
        self.checkers = [
            s.checker(device, order.kernel, order.arguments) for s in device.sanitizers
        ]
        self.traces = [t for t in device.traces if not t.paused]
        self.recorders = [
            t.begin(device, order, bool(effects.children.running)) for t in self.traces
        ]

    def run(self, schedule: Schedule, final: bool) -> None:
        """Run all waves; `final` turns a standstill into the fault that it is."""
        device, order, kernel = self.device, self.order, self.order.kernel
        budget = self.effects.budget
        budget.begin(order.blocks * order.threads)
        if budget.left < 0:
            raise too_many_steps(kernel, budget)
        shared = kernel.shared_bytes + order.dynamic_shared
        resident = device.profile.resident_blocks(order.threads, shared)
        for first in range(0, order.blocks, resident):
            wave = _wave(device, order, first, min(resident, order.blocks - first))
            try:
                self._run_wave(wave, schedule, budget)
            except Stuck as stuck:
                if not final:
                    raise
                later = order.blocks - first - wave.slots
                raise self._blamed(livelock(stuck, kernel, wave, later)) from None
            except OutOfSteps as spent:
                if not final:
                    raise
                raise self._blamed(out_of_steps(spent, kernel, wave, budget)) from None
            except Fault as fault:
                raise self._blamed(fault) from None

    def _run_wave(self, wave: Wave, schedule: Schedule, budget: Budget) -> None:
        device, order, kernel = self.device, self.order, self.order.kernel
        if not any(s.init for s in device.sanitizers):
            assume_written(device.memory, kernel.plan.blocks, wave.bases)
        consumers: list[Consumer] = [*([self.tally] if self.tally else []), *self.checkers]
        scratch = Scratch(device.memory, wave, kernel.shared_bytes, order.dynamic_shared)
        try:
            gangs = kernel, scratch, schedule, order.arguments
            for recorder in self.recorders:
                recorder.start(wave)
            Driver(*gangs, budget, self.effects, consumers, self.recorders).run()
            for recorder in self.recorders:
                recorder.finish_wave()
        finally:
            scratch.release()

    def _blamed(self, fault: Fault) -> Fault:
        """The fault, or what the sanitizers found before it and what may have caused it."""
        for checker in self.checkers:
            fault = checker.blame(fault)
        return fault

    def forget(self) -> None:
        """It is begun anew: traces drop what they have of it."""
        for trace in self.traces:
            trace.drop_last()

    def finish(self) -> None:
        """Tell the records what the launch did, and raise what the sanitizers found."""
        order = self.order
        if self.tally is not None:
            child = self.effects.children.running
            counters = replace(self.tally.counters(), device_launches=int(child))
            launch = Launch(
                order.kernel.name,
                order.grid,
                order.block,
                counters,
                self.tally.sites(),
                child,
            )
            for record in self.device.records:
                record.launches.append(launch)
        for checker in self.checkers:
            checker.finish()


def _wave(device: Device, order: Order, first: int, slots: int) -> Wave:
    kernel, arguments = order.kernel, order.arguments
    wave = Wave(order.grid, order.block, device.profile.warp_size, first, slots)
    wave.bases = {
        view: arguments[place].base + offset for view, (place, offset) in kernel.bases.items()
    }
    parameters = [
        (int(a.value), name, 0 if a.view is None else a.view.itemsize)
        for a, name in zip(arguments, kernel.parameters, strict=True)
        if a.base
    ]
    wave.label, wave.element = _namers(device, parameters)
    return wave


def _namers(device: Device, parameters: list[tuple[int, str, int]]) -> tuple[Any, Any]:
    """How counters name addresses: by label, else by the parameter whose array they lie in.

    Of parameters there are the address, the name, and the size of what they point to: elements are
    of that size, however a cast made the access. Those of a parameter count from its pointer.
    """

    def nearest(address: int, within: Allocation) -> tuple[int, str, int]:
        inside = [p for p in parameters if within.start <= p[0] <= within.end]
        below = [p for p in inside if p[0] <= address]
        return max(below, default=min(inside, default=(within.start, "", 0)))

    def label(address: int) -> str:
        allocation = device.memory.find(address)
        if allocation is None:
            return ""
        return allocation.label or nearest(address, allocation)[1]

    def element(address: int, size: int, array: str) -> str:
        allocation = device.memory.find(address)
        if allocation is None:
            return f"{address:#x}"
        start, parameter, unit = nearest(address, allocation)
        if allocation.label or not parameter:
            start = allocation.start
        name = allocation.label or parameter or array or f"allocation at {start:#x}"
        return f"{name}[{(address - start) // (unit or size)}]"

    return label, element
