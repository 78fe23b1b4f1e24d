"""The driver of a wave: it lets its gangs run, from barrier to barrier, until all have ended."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from simulator.compile.kernel import CompiledKernel
from simulator.execute.device import Budget
from simulator.execute.device_launches import Effects
from simulator.execute.faults import explain, interrupted
from simulator.execute.gang import Gang, Stop
from simulator.execute.geometry import Wave
from simulator.execute.observer import LaunchObserver
from simulator.execute.schedule import Schedule
from simulator.execute.scratch import Scratch
from simulator.execute.watchdog import Progress
from simulator.ir.events import GANG_SWITCH
from simulator.lanes.arithmetic import LaneError

# Barriers: who waits where, who may go on, and which barriers can never open.


_MOVE = "Move the barrier out of the branch or loop: all threads must reach it."


class Blame(Exception):
    """`gang` stands at a barrier that cannot open; `problem` says why."""

    def __init__(self, gang: Gang, problem: LaneError) -> None:
        super().__init__(problem.what)
        self.gang = gang
        self.problem = problem


@dataclass
class _Waiting:
    gang: Gang
    kind: str
    site: int
    lanes: NDArray[np.int64]
    argument: Any


class Barriers:
    """The barriers of one wave.

    Parameters
    ----------
    wave : Wave
        Its blocks.
    gone : ndarray of bool, shape (lanes of the wave,)
        Which lanes have returned.
    gangs : int
        How many gangs there are.
    """

    def __init__(self, wave: Wave, gone: NDArray[np.bool_], gangs: int) -> None:
        self.wave = wave
        self.gone = gone
        self.gangs = gangs
        self._blocks: dict[int, list[_Waiting]] = defaultdict(list)
        self._grid: list[_Waiting] = []
        self._over: dict[int, int] = {}

    def arrive(
        self, gang: Gang, kind: str, site: int, lanes: NDArray[np.int64], argument: Any
    ) -> list[Gang]:
        """A gang has come to a barrier: the gangs that may go on, their replies set.

        Raises
        ------
        Blame
            If some threads cannot come to it.
        """
        waiting = _Waiting(gang, kind, site, lanes, argument)
        if kind == "grid":
            return self._at_grid(waiting)
        self._check_whole(waiting)
        if gang.lane_count >= self.wave.padded:
            return self._open([waiting])
        return self._at_block(waiting)

    def ended(self, gang: Gang) -> list[Gang]:
        """A gang has run to its end: the gangs that may go on because of it."""
        left_out = gang.lanes[~gang.gone[gang.lanes]]
        gang.gone[:] = True
        if self._grid:
            raise Blame(self._grid[0].gang, _missing_from_grid())
        if gang.lane_count >= self.wave.padded:
            return []
        slot = gang.first // self.wave.padded
        if left_out.size:
            self._over[slot] = min(gang.passed, self._over.get(slot, gang.passed))
        return self._opened(slot)

    def deadlock(self) -> Blame | None:
        """Why nobody can go on any more, if somebody waits."""
        for waiting in self._blocks.values():
            if waiting:
                return Blame(waiting[0].gang, self._incomplete(waiting))
        return Blame(self._grid[0].gang, _missing_from_grid()) if self._grid else None

    # Barriers of a block.

    def _check_whole(self, waiting: _Waiting) -> None:
        """Every thread of the gang's blocks that has not returned must be there."""
        gang, wave = waiting.gang, self.wave
        lanes = waiting.lanes
        if lanes.size + np.count_nonzero(gang.gone[gang.lanes]) == gang.lanes.size:
            return
        slots = -(-gang.lane_count // wave.padded)
        here = np.bincount(lanes // wave.padded, minlength=slots)
        live = gang.lanes[~gang.gone[gang.lanes]]
        wanted = np.bincount(live // wave.padded, minlength=slots)
        missing = (here > 0) & (here != wanted)
        if missing.any():
            block = int(missing.argmax())
            of = "" if gang.lane_count >= wave.padded else " of these warps"
            what = f"a barrier that {here[block]} of {wanted[block]} threads{of} reach"
            raise Blame(gang, LaneError(what, _MOVE, lanes // wave.padded == block))

    def _at_block(self, waiting: _Waiting) -> list[Gang]:
        slot = waiting.gang.first // self.wave.padded
        others = self._blocks[slot]
        others.append(waiting)
        if others[0].site != waiting.site:
            what = "the threads of a block wait at two different barriers"
            raise Blame(waiting.gang, LaneError(what, "Let all of them reach the same one."))
        return self._opened(slot)

    def _opened(self, slot: int) -> list[Gang]:
        """The gangs at a block's barrier, if it opens."""
        waiting = self._blocks[slot]
        if not waiting:
            return []
        if self._over.get(slot, waiting[0].gang.passed + 1) <= waiting[0].gang.passed:
            raise Blame(waiting[0].gang, self._incomplete(waiting))
        padded = self.wave.padded
        here = sum(w.lanes.size for w in waiting)
        left = np.count_nonzero(self.gone[slot * padded : slot * padded + self.wave.threads])
        if here + left < self.wave.threads:
            return []
        self._blocks[slot] = []
        return self._open(waiting)

    def _incomplete(self, waiting: list[_Waiting]) -> LaneError:
        here = sum(w.lanes.size for w in waiting)
        return LaneError(f"a barrier that {here} of {self.wave.threads} threads reach", _MOVE)

    def _open(self, waiting: list[_Waiting]) -> list[Gang]:
        padded, slots = self.wave.padded, self.wave.slots
        if waiting[0].kind != "all":
            yes, here = np.zeros(slots, np.int64), np.zeros(slots, np.int64)
            for w in waiting:
                slot = (w.lanes + w.gang.first) // padded
                here += np.bincount(slot, minlength=slots)
                yes += np.bincount(slot[w.argument != 0], minlength=slots)
            votes = {"count": yes, "and": yes == here, "or": yes > 0}[waiting[0].kind]
            for w in waiting:
                w.gang.reply = votes.astype(np.int32)[(w.lanes + w.gang.first) // padded]
        for w in waiting:
            w.gang.passed += 1
        return [w.gang for w in waiting]

    # The barrier of the grid.

    def _at_grid(self, waiting: _Waiting) -> list[Gang]:
        here, all_of_them = waiting.lanes.size, waiting.gang.lanes.size
        if here != all_of_them:
            what = f"a grid barrier that {here} of {all_of_them} threads reach"
            raise Blame(waiting.gang, LaneError(what, _MOVE))
        self._grid.append(waiting)
        if len(self._grid) < self.gangs:
            return []
        free, self._grid = [w.gang for w in self._grid], []
        return free


def _missing_from_grid() -> LaneError:
    return LaneError("a grid barrier that not all threads of the grid reach", _MOVE)


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
