"""Execute a launch: its waves of resident blocks, and the gangs of each from barrier to barrier."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from simulator.execute.barriers import Barriers, Endless, Livelock, OutOfSteps, Watchdog
from simulator.execute.device import (
    Device,
    Lockstep,
    Random,
    Schedule,
    WarpByWarp,
    schedule_named,
)
from simulator.execute.faults import endless, explain, interrupted, too_many_steps
from simulator.execute.gang import Gang, SideEffects, Stop
from simulator.execute.launch_config import LaunchConfig
from simulator.execute.memory import Allocation, assume_written
from simulator.execute.observer import LaunchObserver
from simulator.execute.recurrence import FIRST_LOOK, MOST_LANES, Recurrence
from simulator.execute.scratch import Scratch
from simulator.execute.waiting import BarrierFault
from simulator.execute.wave import Wave
from simulator.ir.events import GANG_SWITCH, ITERATION_COST
from simulator.lanes.arithmetic import LaneError
from simulator.source import Fault

#: Logged basic blocks of many small gangs that are counted together.
_MOST_LOGGED = 4096
#: Lane steps of a gang that waits for others: one iteration, so that these get on.
_SPIN_BUDGET = 1


class WaveExecutor:
    """Runs the gangs of one wave.

    Parameters
    ----------
    config : LaunchConfig
        The launch.
    scratch : Scratch
        The wave's shared and local memory.
    schedule : Schedule
        Which gangs there are, and which runs when.
    effects : SideEffects
        What the launch does besides computing in memory, and its budget of steps.
    observers : sequence of LaunchObserver
        Who reads the log; without any there is none.
    """

    def __init__(
        self,
        config: LaunchConfig,
        scratch: Scratch,
        schedule: Schedule,
        effects: SideEffects,
        observers: Sequence[LaunchObserver],
    ) -> None:
        self.kernel = config.kernel
        self.wave = scratch.wave
        self.schedule = schedule
        self.observers = observers
        self.consumers = [observer for observer in observers if not observer.stepwise]
        watchers = [observer for observer in observers if observer.stepwise]
        self.events: list[tuple[Any, ...]] = []
        log: Callable[[Any], object] = deque(maxlen=0).append
        if self.consumers:
            log = self.events.append
        self.log = _notifying(watchers, log) if watchers else log
        exited = scratch.exited = np.zeros(self.wave.lane_count, np.bool_)
        self.gangs = [
            Gang(scratch, first, count, self.log, exited[first : first + count], effects, schedule)
            for first, count in schedule.gangs(self.wave)
        ]
        for gang in self.gangs:
            gang.steps = self.kernel.function(gang, config.arguments)
        clustered = self.kernel.plan.clustered
        self.barriers = Barriers(self.wave, exited, self.gangs, clustered)
        #: Whether the launch may start again, with a gang a warp.
        self.restartable = False
        self.watchdog = Watchdog(scratch.memory, effects.budget)
        self.recurrence: Recurrence | None = None
        #: Whether it can be told that the only gang is where it was before.
        self.may_recur = self._may_recur()

    def _may_recur(self) -> bool:
        gang, *others = self.gangs
        drawn = gang.lane_random is not None or not isinstance(self.schedule, Lockstep | WarpByWarp)
        if others or drawn or gang.lane_count > MOST_LANES or self.kernel.plan.meets:
            return False
        gang.budget = min(gang.budget, FIRST_LOOK * (gang.lane_count + ITERATION_COST))
        return True

    def run(self) -> None:
        """Run all gangs to their end.

        Raises
        ------
        Fault
            When a thread does something undefined.
        Livelock, OutOfSteps
            When they wait for what cannot happen, or take too many steps.
        """
        for observer in self.observers:
            observer.start(self.wave)
        try:
            with np.errstate(all="ignore"):
                self._run_all()
        finally:
            self._flush()
        for observer in self.observers:
            observer.finish_wave()

    def _run_all(self) -> None:
        ready, choose, log = list(self.gangs), self.schedule.choose, self.log
        many = len(ready) > 1
        while ready:
            gang = ready.pop(choose(ready))
            if many:
                log((GANG_SWITCH, gang.first))
            try:
                ready += self._resume(gang, len(ready) + 1)
            except BarrierFault as fault:
                self._raise_at_barrier(fault)
            if len(self.events) > _MOST_LOGGED:
                self._flush()
        self._check_meetings()
        deadlock = self.barriers.deadlock()
        if deadlock is not None:
            self._raise_at_barrier(deadlock)

    def _check_meetings(self) -> None:
        """Give up where warps of one gang may wait for each other at a barrier in memory.

        Raises
        ------
        Livelock
            If every warp should better be a gang of its own.
        """
        meetings = self.barriers.meetings
        several = None if meetings is None else meetings.first(warps=2)
        if several is not None and self.restartable:
            raise Livelock(several.gang, -1, several.lanes)

    def _resume(self, gang: Gang, running: int) -> list[Gang]:
        """Let a gang run until it stops: the gangs that are ready because of it."""
        free = self._advanced(gang, running)
        meetings = self.barriers.meetings
        return free if meetings is None else free + meetings.woken()

    def _advanced(self, gang: Gang, running: int) -> list[Gang]:
        try:
            stop = gang.advance()
        except (IndexError, LaneError) as problem:
            self._explain(problem, gang)
        if stop is None:
            self.watchdog.progressed(gang)
            return self.barriers.ended(gang)
        return self._stopped(gang, stop, running)

    def _stopped(self, gang: Gang, stop: Stop, running: int) -> list[Gang]:
        kind, number, lanes, argument = stop
        if kind == "switch":
            gang.reply = self.schedule.preempt_after()
            return [gang]
        if kind not in ("iteration", "sleep"):
            self.watchdog.progressed(gang)
            return self.barriers.arrive(gang, kind, number, lanes, argument)
        cost, visit = argument
        if kind == "iteration":
            self._iterated(gang, number, lanes, cost, running)
        if number >= 0:
            whole = cost != ITERATION_COST
            again = self.watchdog.iterated(gang, number, visit, lanes, running, whole)
            if again and running > 1 and kind == "iteration":
                gang.reply = gang.budget = _SPIN_BUDGET
        else:
            self.watchdog.progressed(gang)
        return [gang]

    def _iterated(
        self, gang: Gang, loop: int, lanes: NDArray[np.int64], cost: int, running: int
    ) -> None:
        """Count the steps of a gang that has used up its budget, and give it another one."""
        # Without a budget it stops after each iteration, to be compared: that is no time gone by.
        is_look = gang.budget == 0
        if len(self.gangs) == 1 and not is_look:
            self._flush()
        self.watchdog.spend(gang, lanes, cost)
        gang.reply = gang.budget = self.schedule.budget()
        if self.may_recur:
            self._look_back(gang, loop, lanes)
        if self.kernel.plan.may_spin and not is_look:
            self.watchdog.suspect(gang, lanes, running)

    def _look_back(self, gang: Gang, loop: int, lanes: NDArray[np.int64]) -> None:
        """Give up if the gang is where it was before; let it stop at once if that is asked for.

        Of loops that may wait the watchdog says more, if it has something to say.
        """
        if self.recurrence is None:
            self.recurrence = Recurrence(gang, self.watchdog.memory)
        if self.recurrence.came_by() and (loop < 0 or self.recurrence.is_done()):
            raise Endless(gang, lanes)
        if self.recurrence.looks():
            gang.reply = gang.budget = 0

    def _raise_at_barrier(self, fault: BarrierFault) -> NoReturn:
        """Raise the fault of a barrier where its gang stands."""
        steps = fault.gang.steps
        assert steps is not None
        try:
            steps.throw(fault.problem)
        except LaneError as problem:
            self._explain(problem, fault.gang)
        raise fault

    def _explain(self, problem: Exception, gang: Gang) -> NoReturn:
        fault = explain(problem, self.kernel, self.wave, gang.first)
        if fault is None:
            raise problem
        self._flush()
        rest = interrupted(problem, self.kernel)
        if rest is not None:
            log, blocks = rest
            for consumer in self.consumers:
                consumer.consume([(GANG_SWITCH, gang.first), *log], blocks)
        raise fault from None

    def _flush(self) -> None:
        if self.events:
            for consumer in self.consumers:
                consumer.consume(self.events, self.kernel.plan.blocks)
            self.events.clear()


def _notifying(
    watchers: Sequence[LaunchObserver], log: Callable[[Any], object]
) -> Callable[[Any], None]:
    """Return a log that shows its entries to `watchers` first."""

    def notify(entry: tuple[Any, ...]) -> None:
        for watcher in watchers:
            watcher.watch(entry)
        log(entry)

    return notify


def execute(device: Device, config: LaunchConfig, effects: SideEffects) -> None:
    """Run a launch to its end, and notify the device's observers of what it does.

    Gangs of several warps may wait for themselves: a warp that spins until another one of its gang
    sets a flag keeps that one waiting at the end of the branch. A kernel that could do so starts
    again, with a gang a warp, from the memory as it was, in a livelock or out of steps.

    Raises
    ------
    Fault
        When a thread does something undefined, in a livelock, or after too many steps.
    """
    number, device.launches = device.launches, device.launches + 1
    named = device.schedule_of(config.kernel.span)
    schedule = schedule_named(named, number)
    plan = config.kernel.plan
    several = config.threads > device.profile.warp_size or config.blocks > 1
    if several and not device.in_lockstep(config.kernel.span):
        device.ordered_warps = True
    waiting = bool(plan.spin_loops) or plan.may_spin or plan.meets
    restartable = waiting and isinstance(schedule, Lockstep | Random) and several
    saved = device.memory.save() if restartable else None
    checkpoint = effects.checkpoint() if restartable else None
    attempt = _Attempt(device, config, effects)
    try:
        attempt.run(schedule, final=saved is None)
    except (Livelock, OutOfSteps):
        assert saved is not None
        device.memory.restore(saved)
        effects.rollback(checkpoint)
        attempt.abandon()
        attempt = _Attempt(device, config, effects)
        attempt.run(schedule_named(named, number, single=True), final=True)
    attempt.finish()


class _Attempt:
    """One run of a launch, and its observers."""

    def __init__(self, device: Device, config: LaunchConfig, effects: SideEffects) -> None:
        self.effects = effects
        self.device = device
        self.config = config
        self.initialised = device.build_of(config.kernel.span).locals
        self.final = True
        begun = (observer.begin(config) for observer in device.observers)
        self.observers = [observer for observer in begun if observer is not None]

    def run(self, schedule: Schedule, final: bool) -> None:
        """Run all waves; `final` makes a fault of a livelock."""
        self.final = final
        device, config, kernel = self.device, self.config, self.config.kernel
        budget = self.effects.budget
        budget.begin(config.blocks * config.threads)
        if budget.left < 0:
            raise too_many_steps(kernel, budget)
        shared = kernel.shared_bytes + config.dynamic_shared
        resident = device.profile.resident_blocks(config.threads, shared, kernel.cluster_blocks)
        for first in range(0, config.blocks, resident):
            wave = _wave(device, config, first, min(resident, config.blocks - first))
            try:
                self._run_wave(wave, schedule)
            except (Livelock, OutOfSteps) as end:
                if not final and not (isinstance(end, Endless) and end.is_final):
                    raise
                later = config.blocks - first - wave.slots
                raise self._caused(endless(end, kernel, wave, later, budget)) from None
            except Fault as fault:
                raise self._caused(fault) from None

    def _run_wave(self, wave: Wave, schedule: Schedule) -> None:
        device, config, kernel = self.device, self.config, self.config.kernel
        if not self.initialised:
            assume_written(device.memory, kernel.plan.blocks, wave.bases)
        scratch = Scratch(
            device.memory, wave, kernel.shared_bytes, config.dynamic_shared, kernel.shared_align
        )
        try:
            executor = WaveExecutor(config, scratch, schedule, self.effects, self.observers)
            executor.restartable = not self.final
            executor.run()
        finally:
            scratch.release()

    def _caused(self, fault: Fault) -> Fault:
        """Return the fault, or what was found before it and may have caused it."""
        for observer in self.observers:
            fault = observer.blame(fault)
        return fault

    def abandon(self) -> None:
        """Tell the observers that the launch begins anew."""
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


def _wave(device: Device, config: LaunchConfig, first: int, slots: int) -> Wave:
    kernel, arguments = config.kernel, config.arguments
    wave = Wave(config.grid, config.block, device.profile.warp_size, first, slots)
    wave.cluster = kernel.cluster
    wave.bases = {
        view: arguments[number].base + offset for view, (number, offset) in kernel.bases.items()
    }
    parameters = [
        (int(a.value), name, 0 if a.view is None else a.view.itemsize)
        for a, name in zip(arguments, kernel.parameters, strict=True)
        if a.base
    ]
    wave.label, wave.element = _namers(device, parameters)
    return wave


def _namers(device: Device, parameters: list[tuple[int, str, int]]) -> tuple[Any, Any]:
    """Return how counters name addresses: by label, else by the parameter of their array.

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
