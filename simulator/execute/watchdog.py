"""Progress: whether a launch gets anywhere, and how many steps it may take."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.device import TURN_STEPS, Budget
from simulator.execute.gang import Gang
from simulator.execute.memory import Memory

#: How often a gang must come by with nothing changed before that counts as standing still.
_REPEATS = 3
#: After how many doubtful turns, for each gang, memory is looked at for the first time.
_FIRST_LOOK = 8


class Stuck(Exception):
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


@dataclass
class _Watch:
    loop: int
    visit: object
    lanes: NDArray[np.int64]
    repeats: int = 0


class Progress:
    """Watches the gangs of a wave.

    A gang that comes by again and again in a loop whose exit depends on memory alone, with the same
    lanes, waits. If all that have not ended do so or stand at barriers, and no byte of memory has
    changed since each of them came by a few times, nothing ever will.
    """

    def __init__(self, memory: Memory, budget: Budget) -> None:
        self.memory = memory
        self.budget = budget
        self._watches: dict[Gang, _Watch] = {}
        self._quiet = 0
        self._signature: int | None = None
        self._doubts, self._look, self._seen = 0, _FIRST_LOOK, -1

    def spend(self, gang: Gang, lanes: NDArray[np.int64], cost: int) -> None:
        """Count the steps of a gang that has used up its budget, at last with `lanes`.

        A turn took `cost` of the budget besides its lanes.

        Raises
        ------
        OutOfSteps
            If that was more than the launch may take.
        """
        turns = max(1.0, gang.budget / (lanes.size + cost))
        self.budget.left -= int(turns * (lanes.size + TURN_STEPS))
        if self.budget.left < 0:
            raise OutOfSteps(gang, lanes)

    def moved(self, gang: Gang) -> None:
        """The gang does something else than wait in a loop, or waits anew."""
        self._signature = None
        watch = self._watches.pop(gang, None)
        if watch is not None and watch.repeats >= _REPEATS:
            self._quiet -= 1

    def turned(self, gang: Gang, loop: int, visit: object, lanes: Any, running: int) -> bool:
        """The gang came by in a loop that may wait; `running` gangs stand at no barrier.

        `visit` is another object each time that the loop is entered.

        Returns
        -------
        bool
            Whether it was there before, in the same visit and with the same lanes.

        Raises
        ------
        Stuck
            If nobody can go on.
        """
        watch = self._watches.get(gang)
        if watch is None or watch.visit is not visit or not np.array_equal(watch.lanes, lanes):
            self.moved(gang)
            self._watches[gang] = _Watch(loop, visit, lanes)
            return False
        watch.repeats += 1
        if watch.repeats == _REPEATS:
            self._quiet += 1
        if self._quiet >= running:
            self._compare()
        return True

    def doubted(self, gang: Gang, lanes: NDArray[np.int64], running: int) -> None:
        """The gang came by in a loop that may keep other warps of the gang waiting at its end.

        If that happens again and again, and memory stays as it is, it may wait for just these. A
        gang of one warp is never in doubt: its lanes are one another's business.

        Raises
        ------
        Stuck
            If every warp should better be a gang of its own.
        """
        live = np.count_nonzero(~gang.gone[gang.lanes])
        if gang.lane_count <= gang.wave.warp_size or lanes.size >= live:
            return
        self._doubts += 1
        if self._doubts < self._look * running:
            return
        signature = self._sign()
        if signature == self._seen:
            raise Stuck(gang, -1, lanes)
        self._seen = signature
        self._look *= 2

    def _compare(self) -> None:
        signature = self._sign()
        if signature == self._signature:
            raise self._stuck()
        self._signature = signature
        self._quiet = 0
        for other in self._watches.values():
            other.repeats = 0

    def _stuck(self) -> Stuck:
        """The most telling of all that wait: one whose warp's other lanes are past the loop."""
        for gang, watch in self._watches.items():
            live = gang.lanes[~gang.gone[gang.lanes]] // gang.wave.warp_size
            if (
                np.count_nonzero(np.isin(live, watch.lanes // gang.wave.warp_size))
                > watch.lanes.size
            ):
                return Stuck(gang, watch.loop, watch.lanes)
        gang, watch = next(iter(self._watches.items()))
        return Stuck(gang, watch.loop, watch.lanes)

    def _sign(self) -> int:
        """A checksum of all that threads can see."""
        signature = 0
        for a in self.memory.allocations():
            signature = zlib.crc32(self.memory.arena[a.start : a.end].data, signature)
        return signature
