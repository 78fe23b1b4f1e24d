"""The gangs that wait at barriers in memory, which others complete by their arrivals."""

from __future__ import annotations

import numpy as np

from simulator.execute.gang import Gang
from simulator.execute.waiting import BarrierFault, Waiting

_HELD_UP = (
    "{} more lanes of the warp stand elsewhere, and go on here only when these do: let them\n"
    "arrive before the lanes part."
)


class Meetings:
    """The gangs of one wave that wait at barriers in memory."""

    def __init__(self) -> None:
        self._waiting: list[Waiting] = []

    def wait(self, waiting: Waiting) -> list[Gang]:
        """Take in a gang that waits; return it if it need not."""
        if waiting.argument.over():
            return [_free(waiting)]
        self._waiting.append(waiting)
        return []

    def woken(self) -> list[Gang]:
        """Return the gangs that need not wait any more."""
        if not self._waiting:
            return []
        over = [one for one in self._waiting if one.argument.over()]
        self._waiting = [one for one in self._waiting if not any(one is o for o in over)]
        return [_free(one) for one in over]

    def first(self, warps: int = 1) -> Waiting | None:
        """Return one that still waits, of a gang of at least so many warps."""
        fewest = warps * self._waiting[0].gang.wave.warp_size if self._waiting else 0
        return next((one for one in self._waiting if one.gang.lane_count >= fewest), None)

    def deadlock(self) -> BarrierFault | None:
        """Return why those that wait cannot go on."""
        first = self.first()
        if first is None:
            return None
        problem = first.argument.problem()
        if (others := _held_up(first)) > 0:
            problem.hint = _HELD_UP.format(others)
        return BarrierFault(first.gang, problem)


def _held_up(waiting: Waiting) -> int:
    """Return how many lanes of the warps that wait are elsewhere."""
    gang = waiting.gang
    size, live = gang.wave.warp_size, gang.lanes[~gang.exited[gang.lanes]]
    return int(np.isin(live // size, waiting.lanes // size).sum()) - waiting.lanes.size


def _free(waiting: Waiting) -> Gang:
    waiting.gang.reply = waiting.argument.phases()
    return waiting.gang
