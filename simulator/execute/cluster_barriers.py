"""The barriers of a wave's clusters: threads arrive, and wait until all others have arrived.

As with PTX's `barrier.cluster.arrive` and `barrier.cluster.wait` each thread takes part by itself,
and who has returned is not waited for. Who comes to the end of the kernel without a `return` is
missed, as at a barrier of a block: how far each gang is must not decide whether a kernel is right.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.execute.gang import Gang
from simulator.execute.waiting import MOVE, BarrierFault, Waiting
from simulator.execute.wave import Wave
from simulator.lanes.arithmetic import LaneError

_PAIRS = "Let each barrier_arrive() be followed by one barrier_wait() of the same thread."


@dataclass
class _Wait:
    """A gang that waits, and the number of the barrier that it waits for in each of `clusters`."""

    waiting: Waiting
    clusters: slice
    wanted: NDArray[np.int64]


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
        #: Those that wait, by the first of their clusters: a gang is in one cluster, or has all.
        self._waits: dict[int, list[_Wait]] = defaultdict(list)

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
        return [waiting.gang, *self._opened(self._clusters_of(waiting.gang))]

    def wait(self, waiting: Waiting) -> list[Gang]:
        """Take in that lanes wait; return the gangs that may go on.

        Raises
        ------
        BarrierFault
            If one has not arrived, or some threads cannot.
        """
        lanes, gang = self._in_wave(waiting), waiting.gang
        early = self._arrived[lanes] == self._waited[lanes]
        if early.any():
            what = "a wait at the cluster's barrier without an arrival"
            raise BarrierFault(gang, LaneError(what, _PAIRS, early))
        clusters = self._clusters_of(gang)
        wanted = np.zeros(clusters.stop - clusters.start, np.int64)
        np.maximum.at(wanted, lanes // self._lanes - clusters.start, self._waited[lanes] + 1)
        wait = _Wait(waiting, clusters, wanted)
        self._waits[clusters.start].append(wait)
        free = self._opened(clusters)
        if gang not in free:
            self._check(wait)
        return free

    def ended(self, gang: Gang, left_out: NDArray[np.int64]) -> list[Gang]:
        """Take in that a gang has ended, some lanes without a return; return who may go on.

        Raises
        ------
        BarrierFault
            If one of these is waited for.
        """
        self._ended[left_out + gang.first] = True
        clusters = self._clusters_of(gang)
        free = self._opened(clusters)
        for wait in self._waits[clusters.start]:
            self._check(wait)
        return free

    def deadlock(self) -> BarrierFault | None:
        """Return why the gangs that wait cannot go on."""
        return next((self._incomplete(w) for waits in self._waits.values() for w in waits), None)

    def _in_wave(self, waiting: Waiting) -> NDArray[np.int64]:
        return waiting.lanes + waiting.gang.first

    def _clusters_of(self, gang: Gang) -> slice:
        last = gang.first + gang.lane_count - 1
        return slice(gang.first // self._lanes, last // self._lanes + 1)

    def _taking_part(self, clusters: slice) -> tuple[slice, NDArray[np.bool_]]:
        """Return the lanes of some clusters, and which of them are waited for."""
        part = slice(clusters.start * self._lanes, clusters.stop * self._lanes)
        return part, self._there[part] & (~self._exited[part] | self._ended[part])

    def _opened(self, clusters: slice) -> list[Gang]:
        """Return the gangs of some clusters whose lanes need not wait any more."""
        waits = self._waits[clusters.start]
        if not waits:
            return []
        part, taking = self._taking_part(clusters)
        each = np.where(taking, self._arrived[part], np.iinfo(np.int64).max)
        least = each.reshape(-1, self._lanes).min(axis=1)
        free = [wait for wait in waits if (wait.wanted <= least).all()]
        self._waits[clusters.start] = [wait for wait in waits if (wait.wanted > least).any()]
        for wait in free:
            self._waited[self._in_wave(wait.waiting)] += 1
        return [wait.waiting.gang for wait in free]

    def _check(self, wait: _Wait) -> None:
        """Refuse a wait for lanes that cannot come: those of the gang itself, or who has ended."""
        part, missing = self._missing(wait)
        gang = wait.waiting.gang
        first = gang.first - part.start
        if missing[first : first + gang.lane_count].any() or (missing & self._ended[part]).any():
            raise self._incomplete(wait)

    def _missing(self, wait: _Wait) -> tuple[slice, NDArray[np.bool_]]:
        """Return the lanes of the clusters, and which have not arrived that are waited for."""
        part, taking = self._taking_part(wait.clusters)
        return part, taking & (self._arrived[part] < np.repeat(wait.wanted, self._lanes))

    def _incomplete(self, wait: _Wait) -> BarrierFault:
        _, missing = self._missing(wait)
        number = int(np.argmax(missing)) // self._lanes
        cluster = wait.clusters.start + number
        _, taking = self._taking_part(slice(cluster, cluster + 1))
        wanted = int(np.count_nonzero(taking))
        own = missing.reshape(-1, self._lanes)[number]
        what = f"a barrier of the cluster that {wanted - int(own.sum())} of {wanted} threads reach"
        bad = self._in_wave(wait.waiting) // self._lanes == cluster
        return BarrierFault(wait.waiting.gang, LaneError(what, MOVE, bad))
