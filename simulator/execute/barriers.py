"""Barriers and the watchdog: who waits for whom, and whether any thread can still go on."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.cluster_barriers import ClusterBarriers
from simulator.execute.gang import Gang
from simulator.execute.launch_config import ITERATION_STEPS, Budget
from simulator.execute.meetings import Meetings
from simulator.execute.memory import Memory
from simulator.execute.waiting import MOVE, BarrierFault, Waiting
from simulator.execute.wave import Wave
from simulator.ir.events import CLUSTER_ARRIVE, CLUSTER_WAIT
from simulator.lanes.arithmetic import LaneError


class Barriers:
    """The barriers of one wave.

    Parameters
    ----------
    wave : Wave
        Its blocks.
    exited : ndarray of bool, shape (lanes of the wave,)
        Which lanes have returned.
    gangs : sequence of Gang
        All gangs.
    clustered : bool
        Whether there may be barriers of clusters.
    """

    def __init__(
        self, wave: Wave, exited: NDArray[np.bool_], gangs: Sequence[Gang], clustered: bool = False
    ) -> None:
        self.wave = wave
        self.exited = exited
        self.gangs = len(gangs)
        #: How many gangs of each block have not ended.
        self._running = Counter(gang.first // wave.padded for gang in gangs)
        self._blocks: dict[int, list[Waiting]] = defaultdict(list)
        self._grid: list[Waiting] = []
        #: Barriers that gangs had passed which ended with threads that never returned, by block.
        self._over: dict[int, int] = {}
        self._clusters = ClusterBarriers(wave, exited) if clustered else None
        #: The gangs at barriers in memory, once there are some.
        self.meetings: Meetings | None = None

    def arrive(
        self, gang: Gang, kind: str, site: int, lanes: NDArray[np.int64], argument: Any
    ) -> list[Gang]:
        """Take in a gang that has come to a barrier; return the gangs that may go on.

        Raises
        ------
        BarrierFault
            If some threads cannot come to it.
        """
        waiting = Waiting(gang, kind, site, lanes, argument)
        if kind == "grid":
            return self._at_grid(waiting)
        if kind == "memory":
            self.meetings = self.meetings or Meetings()
            return self.meetings.wait(waiting)
        if self._clusters is not None and kind == CLUSTER_ARRIVE:
            return self._clusters.arrive(waiting)
        if self._clusters is not None and kind == CLUSTER_WAIT:
            return self._clusters.wait(waiting)
        self._check_whole(waiting)
        if gang.lane_count >= self.wave.padded:
            return self._open([waiting])
        return self._at_block(waiting)

    def ended(self, gang: Gang) -> list[Gang]:
        """Take in a gang that has ended; return the gangs that may go on because of it."""
        is_whole = gang.lane_count >= self.wave.padded
        if is_whole and self._clusters is None:
            left_out = gang.lanes[:0]  # nobody asks
        else:
            left_out = gang.lanes[~gang.exited[gang.lanes]]
        gang.exited[:] = True
        if self._grid:
            raise BarrierFault(self._grid[0].gang, _missing_from_grid())
        free = [] if self._clusters is None else self._clusters.ended(gang, left_out)
        if is_whole:
            return free
        slot = gang.first // self.wave.padded
        self._running[slot] -= 1
        if left_out.size:
            self._over[slot] = min(gang.barriers_passed, self._over.get(slot, gang.barriers_passed))
        return free + self._opened(slot)

    def deadlock(self) -> BarrierFault | None:
        """Return why no gang can go on any more, if some wait."""
        if self.meetings is not None and (fault := self.meetings.deadlock()) is not None:
            return fault
        for waiting in self._blocks.values():
            if waiting:
                return BarrierFault(waiting[0].gang, self._incomplete(waiting))
        if self._grid:
            return BarrierFault(self._grid[0].gang, _missing_from_grid())
        return None if self._clusters is None else self._clusters.deadlock()

    # Barriers of a block.

    def _check_whole(self, waiting: Waiting) -> None:
        """Refuse a barrier that some running threads of the gang's blocks have not reached."""
        gang, wave = waiting.gang, self.wave
        lanes = waiting.lanes
        if lanes.size == gang.lanes.size:
            return
        if lanes.size + np.count_nonzero(gang.exited[gang.lanes]) == gang.lanes.size:
            return
        slots = -(-gang.lane_count // wave.padded)
        here = np.bincount(lanes // wave.padded, minlength=slots)
        live = gang.lanes[~gang.exited[gang.lanes]]
        wanted = np.bincount(live // wave.padded, minlength=slots)
        missing = (here > 0) & (here != wanted)
        if missing.any():
            block = int(missing.argmax())
            of = "" if gang.lane_count >= wave.padded else " of these warps"
            what = f"a barrier that {here[block]} of {wanted[block]} threads{of} reach"
            raise BarrierFault(gang, LaneError(what, MOVE, lanes // wave.padded == block))

    def _at_block(self, waiting: Waiting) -> list[Gang]:
        slot = waiting.gang.first // self.wave.padded
        others = self._blocks[slot]
        others.append(waiting)
        if others[0].site != waiting.site:
            what = "the threads of a block wait at two different barriers"
            raise BarrierFault(waiting.gang, LaneError(what, "Let all of them reach the same one."))
        return self._opened(slot)

    def _opened(self, slot: int) -> list[Gang]:
        """Open a block's barrier if all are there; return the gangs that may go on."""
        waiting = self._blocks[slot]
        if not waiting:
            return []
        passed = waiting[0].gang.barriers_passed
        if self._over.get(slot, passed + 1) <= passed:
            raise BarrierFault(waiting[0].gang, self._incomplete(waiting))
        if len(waiting) < self._running[slot]:
            return []
        padded = self.wave.padded
        here = sum(w.lanes.size for w in waiting)
        left = np.count_nonzero(self.exited[slot * padded : slot * padded + self.wave.threads])
        if here + left < self.wave.threads:
            return []
        self._blocks[slot] = []
        return self._open(waiting)

    def _incomplete(self, waiting: list[Waiting]) -> LaneError:
        here = sum(w.lanes.size for w in waiting)
        return LaneError(f"a barrier that {here} of {self.wave.threads} threads reach", MOVE)

    def _open(self, waiting: list[Waiting]) -> list[Gang]:
        if waiting[0].kind != "all":
            self._reply(waiting)
        for w in waiting:
            w.gang.barriers_passed += 1
        return [w.gang for w in waiting]

    def _reply(self, waiting: list[Waiting]) -> None:
        """Tell gangs that wait for the same barriers how their blocks have voted."""
        padded, slots = self.wave.padded, self.wave.slots
        if all(w.gang.lane_count <= padded for w in waiting):  # they are of one block
            here = sum(w.lanes.size for w in waiting)
            yes = sum(int(np.count_nonzero(w.argument)) for w in waiting)
            vote = _votes(waiting[0].kind, yes, here)
            for w in waiting:
                w.gang.reply = np.full(w.lanes.size, vote, np.int32)
            return
        each, agreeing = np.zeros(slots, np.int64), np.zeros(slots, np.int64)
        for w in waiting:
            if _is_whole(w, padded):
                first, count = w.gang.first // padded, w.lanes.size // padded
                each[first : first + count] += padded
                yes = np.not_equal(w.argument, 0).reshape(count, padded)
                agreeing[first : first + count] += np.count_nonzero(yes, axis=1)
                continue
            slot = self._slots_of(w)
            each += np.bincount(slot, minlength=slots)
            agreeing += np.bincount(slot[w.argument != 0], minlength=slots)
        votes = np.array(_votes(waiting[0].kind, agreeing, each), np.int32)
        for w in waiting:
            w.gang.reply = votes[self._slots_of(w)]

    def _slots_of(self, waiting: Waiting) -> NDArray[np.int64]:
        """Return which of the wave's blocks each waiting lane is of."""
        table: NDArray[np.int64] = waiting.gang.table("slot_of")
        return table if waiting.lanes.size == table.size else table[waiting.lanes]

    # The barrier of the grid.

    def _at_grid(self, waiting: Waiting) -> list[Gang]:
        here, all_of_them = waiting.lanes.size, waiting.gang.lanes.size
        if here != all_of_them:
            what = f"a grid barrier that {here} of {all_of_them} threads reach"
            raise BarrierFault(waiting.gang, LaneError(what, MOVE))
        self._grid.append(waiting)
        if len(self._grid) < self.gangs:
            return []
        free, self._grid = [w.gang for w in self._grid], []
        return free


def _is_whole(waiting: Waiting, padded: int) -> bool:
    """Return whether all lanes of a gang wait, and it is of whole blocks without padding."""
    size = waiting.gang.lane_count
    return waiting.lanes.size == size and size % padded == 0 and waiting.gang.first % padded == 0


def _votes(kind: str, yes: Any, here: Any) -> Any:
    """Return what threads that meet get of `yes` votes among those that are `here`."""
    if kind == "count":
        return yes
    return yes == here if kind == "and" else yes > 0


def _missing_from_grid() -> LaneError:
    return LaneError("a grid barrier that not all threads of the grid reach", MOVE)


# The watchdog: whether a launch gets anywhere, and how many steps it may take.
#
# A hang is proved, not guessed by a time limit:
#
# 1. Only loops that memory alone can end count as waiting (`compile.spin_loops`): all others come
#    to an end by themselves, are where they were before (`recurrence`), or run out of steps.
# 2. A gang waits if it comes by in the same visit of such a loop with the same lanes: were it
#    another visit, or were there fewer lanes, it would have got on.
# 3. Nothing can change any more if all gangs wait or stand at barriers while memory stays as it
#    is. A gang needs several iterations to look at all that it waits for, so that a first match of
#    checksums is compared with a second one, taken after each gang came by again.
# 4. Other loops may wait although they count (`plan.may_spin`). There the proof is missing, so
#    that memory is looked at ever more rarely, and who is caught is no fault yet: the launch is
#    repeated with a gang a warp, where only rules 1 to 3 and the limit of steps decide.


#: How often a gang must come by with nothing changed before that counts as waiting.
_REPEATS = 3
#: After how many suspect iterations, for each gang, memory is looked at for the first time.
_FIRST_LOOK = 8


class Livelock(Exception):
    """All gangs wait in loops or at barriers, and what they wait for cannot change."""

    def __init__(self, gang: Gang, loop: int, lanes: NDArray[np.int64]) -> None:
        super().__init__()
        self.gang = gang
        self.loop = loop
        self.lanes = lanes


class OutOfSteps(Exception):
    """The launch has used up its steps; `gang` ran at that moment, in a loop with `lanes`."""

    def __init__(self, gang: Gang, lanes: NDArray[np.int64]) -> None:
        super().__init__()
        self.gang = gang
        self.lanes = lanes


class Endless(OutOfSteps):
    """It would use them up: `gang` is in a loop in which nothing changes any more."""

    @property
    def is_final(self) -> bool:
        """Whether no lane waits for those in the loop, as warps of one gang do for each other."""
        return self.lanes.size == np.count_nonzero(~self.gang.exited[self.gang.lanes])


@dataclass
class _Watch:
    loop: int
    visit: object
    lanes: NDArray[np.int64]
    repeats: int = 0


class Watchdog:
    """Watches the gangs of a wave.

    Parameters
    ----------
    memory : Memory
        The device's, whose checksum says whether anything changes.
    budget : Budget
        The launch's steps.
    """

    def __init__(self, memory: Memory, budget: Budget) -> None:
        self.memory = memory
        self.budget = budget
        self._watches: dict[Gang, _Watch] = {}
        self._quiet = 0
        self._last_checksum: int | None = None
        self._suspicions, self._look, self._seen = 0, _FIRST_LOOK, -1

    def spend(self, gang: Gang, lanes: NDArray[np.int64], cost: int) -> None:
        """Count the steps of a gang that has used up its budget, at last with `lanes`.

        An iteration took `cost` of the budget besides its lanes.

        Raises
        ------
        OutOfSteps
            If that was more than the launch may take.
        """
        iterations = max(1.0, gang.budget / (lanes.size + cost))
        self.budget.left -= int(iterations * (lanes.size + ITERATION_STEPS))
        if self.budget.left < 0:
            raise OutOfSteps(gang, lanes)

    def progressed(self, gang: Gang) -> None:
        """Note that the gang does something else than wait in a loop, or waits anew."""
        self._last_checksum = None
        watch = self._watches.pop(gang, None)
        if watch is not None and watch.repeats >= _REPEATS:
            self._quiet -= 1

    def iterated(
        self, gang: Gang, loop: int, visit: object, lanes: Any, running: int, whole: bool = True
    ) -> bool:
        """Note that the gang is in a loop that may wait; `running` gangs are at no barrier.

        `visit` is another object each time that the loop is entered. An iteration that is not
        `whole` is one of a loop inside it: it may get on, as who holds a lock does who looks for
        something, and says nothing of what the loop itself waits for.

        Returns
        -------
        bool
            Whether it was there before, in the same visit and with the same lanes.

        Raises
        ------
        Livelock
            If no gang can go on.
        """
        watch = self._watches.get(gang)
        if watch is None or watch.visit is not visit or not np.array_equal(watch.lanes, lanes):
            self.progressed(gang)
            self._watches[gang] = _Watch(loop, visit, lanes)
            return False
        if not whole:
            return True
        watch.repeats += 1
        if watch.repeats == _REPEATS:
            self._quiet += 1
        if self._quiet >= running:
            self._compare()
        return True

    def suspect(self, gang: Gang, lanes: NDArray[np.int64], running: int) -> None:
        """Note that the gang is in a loop at whose end other warps of it may wait.

        If that happens again and again, and memory stays as it is, it may wait for just these. A
        gang of one warp is never suspect: it cannot keep another warp waiting.

        Raises
        ------
        Livelock
            If every warp should better be a gang of its own.
        """
        if gang.lane_count <= gang.wave.warp_size or lanes.size >= gang.lanes.size:
            return
        if lanes.size >= np.count_nonzero(~gang.exited[gang.lanes]):
            return
        self._suspicions += 1
        if self._suspicions < self._look * running:
            return
        checksum = self.memory.checksum()
        if checksum == self._seen:
            raise Livelock(gang, -1, lanes)
        self._seen = checksum
        self._look *= 2

    def _compare(self) -> None:
        checksum = self.memory.checksum()
        if checksum == self._last_checksum:
            raise self._livelock()
        self._last_checksum = checksum
        self._quiet = 0
        for other in self._watches.values():
            other.repeats = 0

    def _livelock(self) -> Livelock:
        """Choose the most telling of all that wait: other lanes of its warp are past the loop."""
        for gang, watch in self._watches.items():
            size = gang.wave.warp_size
            live = gang.lanes[~gang.exited[gang.lanes]] // size
            if np.count_nonzero(np.isin(live, watch.lanes // size)) > watch.lanes.size:
                break
        else:
            gang, watch = next(iter(self._watches.items()))
        return Livelock(gang, watch.loop, watch.lanes)
