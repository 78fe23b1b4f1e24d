"""The driver of a wave: it lets one gang after another run until all have ended."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from simulator.compile.kernel import CompiledKernel
from simulator.execute.barriers import Barriers, Blame
from simulator.execute.budget import Budget
from simulator.execute.effects import Effects
from simulator.execute.faults import explain, interrupted
from simulator.execute.gang import Gang, Stop
from simulator.execute.observer import LaunchObserver
from simulator.execute.schedule import Schedule
from simulator.execute.scratch import Scratch
from simulator.execute.watchdog import Progress
from simulator.ir.events import GANG_SWITCH
from simulator.lanes.arithmetic import LaneError

#: Logged basic blocks of many small gangs that are counted together.
_MOST_LOGGED = 4096
#: Lane steps of a gang that waits for others: one look, so that they get on.
_WAITING = 1


class Driver:
    """Runs the gangs of one wave.

    Parameters
    ----------
    kernel : CompiledKernel
        What they run.
    scratch : Scratch
        The wave's shared and local memory.
    schedule : Schedule
        Which gangs there are, and who runs when.
    arguments : list of Argument
        The launch's.
    budget : Budget
        The launch's steps.
    effects : Effects
        What it does besides computing in memory.
    observers : sequence of LaunchObserver
        Who reads the log; without any there is none.
    """

    def __init__(
        self,
        kernel: CompiledKernel,
        scratch: Scratch,
        schedule: Schedule,
        arguments: list[Any],
        budget: Budget,
        effects: Effects,
        observers: Sequence[LaunchObserver],
    ) -> None:
        self.kernel = kernel
        self.wave = scratch.wave
        self.schedule = schedule
        self.observers = observers
        self.consumers = [observer for observer in observers if not observer.stepwise]
        watchers = [observer for observer in observers if observer.stepwise]
        self.events: list[tuple[Any, ...]] = []
        log: Callable[[Any], object] = deque(maxlen=0).append
        if self.consumers:
            log = self.events.append
        self.log = _telling(watchers, log) if watchers else log
        gone = np.zeros(self.wave.lane_count, np.bool_)
        self.gangs = [
            Gang(
                scratch,
                first,
                count,
                self.log,
                gone[first : first + count],
                effects,
                schedule.budget(),
                schedule.fuse(),
            )
            for first, count in schedule.gangs(self.wave)
        ]
        for gang in self.gangs:
            gang.lane_dice = schedule.lane_dice
            gang.steps = kernel.function(gang, arguments)
        self.barriers = Barriers(self.wave, gone, len(self.gangs))
        self.progress = Progress(scratch.memory, budget)

    def run(self) -> None:
        """Run all gangs to their end.

        Raises
        ------
        Fault
            When a thread does something undefined.
        Stuck, OutOfSteps
            When they get nowhere, or not far enough.
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
        ready = list(self.gangs)
        many = len(ready) > 1
        while ready:
            gang = ready.pop(self.schedule.choose(ready))
            if many:
                self.log((GANG_SWITCH, gang.first))
            try:
                ready += self._resume(gang, len(ready) + 1)
            except Blame as blame:
                self._blame(blame)
            if len(self.events) > _MOST_LOGGED:
                self._flush()
        deadlock = self.barriers.deadlock()
        if deadlock is not None:
            self._blame(deadlock)

    def _resume(self, gang: Gang, running: int) -> list[Gang]:
        """Let a gang run until it stops: the gangs that are ready because of it."""
        try:
            stop = gang.advance()
        except (IndexError, LaneError) as problem:
            self._explain(problem, gang)
        if stop is None:
            self.progress.moved(gang)
            return self.barriers.ended(gang)
        return self._stopped(gang, stop, running)

    def _stopped(self, gang: Gang, stop: Stop, running: int) -> list[Gang]:
        kind, number, lanes, argument = stop
        if kind == "switch":
            gang.reply = self.schedule.fuse()
            return [gang]
        if kind not in ("turn", "sleep"):
            self.progress.moved(gang)
            return self.barriers.arrive(gang, kind, number, lanes, argument)
        cost, visit = argument
        if kind == "turn":
            if len(self.gangs) == 1:
                self._flush()
            self.progress.spend(gang, lanes, cost)
            gang.reply = gang.budget = self.schedule.budget()
            if self.kernel.plan.listens:
                self.progress.doubted(gang, lanes, running)
        if number >= 0:
            again = self.progress.turned(gang, number, visit, lanes, running)
            if again and running > 1 and kind == "turn":
                gang.reply = gang.budget = _WAITING
        else:
            self.progress.moved(gang)
        return [gang]

    def _blame(self, blame: Blame) -> NoReturn:
        """Raise the fault of a barrier where its gang stands."""
        steps = blame.gang.steps
        assert steps is not None
        try:
            steps.throw(blame.problem)
        except LaneError as problem:
            self._explain(problem, blame.gang)
        raise blame

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


def _telling(
    watchers: Sequence[LaunchObserver], log: Callable[[Any], object]
) -> Callable[[Any], None]:
    """A log that shows its entries to `watchers` first."""

    def told(entry: tuple[Any, ...]) -> None:
        for watcher in watchers:
            watcher.watch(entry)
        log(entry)

    return told
