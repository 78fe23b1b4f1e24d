"""Execute a launch, in waves of resident blocks, and tell the device's observers what it does."""

from __future__ import annotations

from typing import Any

from simulator.execute.device import Budget, Device
from simulator.execute.device_launches import Effects
from simulator.execute.driver import Driver
from simulator.execute.faults import livelock, out_of_steps, too_many_steps
from simulator.execute.geometry import Wave
from simulator.execute.memory import Allocation, assume_written
from simulator.execute.order import Order
from simulator.execute.schedule import Lockstep, Random, Schedule, schedule_named
from simulator.execute.scratch import Scratch
from simulator.execute.watchdog import OutOfSteps, Stuck
from simulator.source import Fault


def execute(device: Device, order: Order, effects: Effects) -> None:
    """Run a launch to its end, and tell the device's observers what it does.

    Gangs of several warps may wait for themselves: a warp that spins until another one of its gang
    sets a flag keeps that one waiting at the end of the branch. A kernel that could do so starts
    again, with a gang a warp, from the memory as it was, when it gets nowhere or out of steps.

    Raises
    ------
    Fault
        When a thread does something undefined, or nobody gets on.
    """
    number, device.launches = device.launches, device.launches + 1
    schedule = schedule_named(device.schedule, number)
    plan = order.kernel.plan
    shared = order.threads > device.profile.warp_size or order.blocks > 1
    waiting = bool(plan.waits) or plan.listens
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
        attempt.abandon()
        attempt = _Attempt(device, order, effects)
        attempt.run(schedule_named(device.schedule, number, single=True), final=True)
    attempt.finish()


class _Attempt:
    """One run of a launch, and those who watch it."""

    def __init__(self, device: Device, order: Order, effects: Effects) -> None:
        self.effects = effects
        self.device = device
        self.order = order
        self.initialised = device.build.locals
        watching = [observer.begin(order) for observer in device.observers]
        self.observers = [observer for observer in watching if observer is not None]

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
        if not self.initialised:
            assume_written(device.memory, kernel.plan.blocks, wave.bases)
        scratch = Scratch(device.memory, wave, kernel.shared_bytes, order.dynamic_shared)
        try:
            gangs = kernel, scratch, schedule, order.arguments
            Driver(*gangs, budget, self.effects, self.observers).run()
        finally:
            scratch.release()

    def _blamed(self, fault: Fault) -> Fault:
        """The fault, or what was found before it and what may have caused it."""
        for observer in self.observers:
            fault = observer.blame(fault)
        return fault

    def abandon(self) -> None:
        """It is begun anew."""
        for observer in self.observers:
            observer.abandon()

    def finish(self) -> None:
        """Tell all observers that it has ended, and raise the first of what they found."""
        found: list[Fault] = []
        for observer in self.observers:
            try:
                observer.finish()
            except Fault as fault:
                found.append(fault)
        if found:
            raise found[0]


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
