"""Barriers: who waits where, who may go on, and which barriers can never open."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.gang import Gang
from simulator.execute.geometry import Wave
from simulator.lanes.arithmetic import LaneError

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
