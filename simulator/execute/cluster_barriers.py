"""The barriers of a wave's clusters: threads arrive, and wait until all others have arrived.

As with PTX's `barrier.cluster.arrive` and `barrier.cluster.wait` each thread takes part by itself,
and who has returned is not waited for. Who comes to the end of the kernel without a `return` is
missed, as at a barrier of a block: how far each gang is must not decide whether a kernel is right.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.execute.gang import Gang
from simulator.execute.waiting import MOVE, BarrierFault, Waiting
from simulator.execute.wave import Wave
from simulator.lanes.arithmetic import LaneError

_PAIRS = "Let each barrier_arrive() be followed by one barrier_wait() of the same thread."


class ClusterBarriers:
    """The barriers of the clusters of one wave.

    Parameters
    ----------
    wave : Wave
        Its blocks.
    exited : ndarray of bool, shape (lanes of the wave,)
        Which lanes have returned, or come to the end.
    """

    def __init__(self, wave: Wave, exited: NDArray[np.bool_]) -> None:
        self._exited = exited
        self._lanes = wave.padded * wave.cluster_blocks
        #: How often each lane has arrived, and how often it has waited.
        self._arrived = np.zeros(wave.lane_count, np.int64)
        self._waited = np.zeros(wave.lane_count, np.int64)
        #: Lanes that came to the end without a return, and those that there are.
        self._ended = np.zeros(wave.lane_count, np.bool_)
        self._there = np.arange(wave.lane_count) % wave.padded < wave.threads
        self._waiting: list[Waiting] = []

    def arrive(self, waiting: Waiting) -> list[Gang]:
        """Take in that lanes arrive; return the gangs that may go on, theirs among them.

        Raises
        ------
        BarrierFault
            If one has not waited since it arrived last.
        """
        lanes = self._in_wave(waiting)
        twice = self._arrived[lanes] > self._waited[lanes]
        if twice.any():
            what = "a second arrival at the cluster's barrier before a wait"
            raise BarrierFault(waiting.gang, LaneError(what, _PAIRS, twice))
        self._arrived[lanes] += 1
        return [waiting.gang, *self._opened()]

    def wait(self, waiting: Waiting) -> list[Gang]:
        """Take in that lanes wait; return the gangs that may go on.

        Raises
        ------
        BarrierFault
            If one has not arrived, or some threads cannot.
        """
        lanes = self._in_wave(waiting)
        early = self._arrived[lanes] == self._waited[lanes]
        if early.any():
            what = "a wait at the cluster's barrier without an arrival"
            raise BarrierFault(waiting.gang, LaneError(what, _PAIRS, early))
        self._waiting.append(waiting)
        return self._opened()

    def ended(self, left_out: NDArray[np.int64]) -> list[Gang]:
        """Take in that lanes have come to the end; return the gangs that may go on."""
        self._ended[left_out] = True
        return self._opened()

    def deadlock(self) -> BarrierFault | None:
        """Return why the gangs that wait cannot go on."""
        return self._incomplete(self._waiting[0]) if self._waiting else None

    def _in_wave(self, waiting: Waiting) -> NDArray[np.int64]:
        return waiting.lanes + waiting.gang.first

    def _opened(self) -> list[Gang]:
        """Return the gangs whose lanes need not wait any more."""
        free = [waiting for waiting in self._waiting if self._is_open(waiting)]
        self._waiting = [waiting for waiting in self._waiting if waiting not in free]
        for waiting in free:
            self._waited[self._in_wave(waiting)] += 1
        return [waiting.gang for waiting in free]

    def _is_open(self, waiting: Waiting) -> bool:
        """Return whether all threads have arrived for which the lanes wait."""
        gang = waiting.gang
        missing = self._missing(waiting)
        if not missing.any():
            return True
        own = missing[gang.first : gang.first + gang.lane_count]
        if own.any() or (missing & self._ended).any():
            raise self._incomplete(waiting)
        return False

    def _missing(self, waiting: Waiting) -> NDArray[np.bool_]:
        """Return which lanes have not arrived at a barrier that some lanes wait for."""
        lanes = self._in_wave(waiting)
        wanted = np.zeros(self._arrived.size // self._lanes, np.int64)
        np.maximum.at(wanted, lanes // self._lanes, self._waited[lanes] + 1)
        behind = self._arrived < np.repeat(wanted, self._lanes)
        return behind & self._there & (~self._exited | self._ended)

    def _incomplete(self, waiting: Waiting) -> BarrierFault:
        missing = self._missing(waiting)
        cluster = int(np.argmax(missing)) // self._lanes
        part = slice(cluster * self._lanes, (cluster + 1) * self._lanes)
        taking = self._there & (~self._exited | self._ended)
        wanted = int(np.count_nonzero(taking[part]))
        here = wanted - int(np.count_nonzero(missing[part]))
        what = f"a barrier of the cluster that {here} of {wanted} threads reach"
        bad = self._in_wave(waiting) // self._lanes == cluster
        return BarrierFault(waiting.gang, LaneError(what, MOVE, bad))
