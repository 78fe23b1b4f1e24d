"""How many memory operations each lane of a wave has done, added up late.

Most waves of a search have few lanes that do anything: for those no array over all lanes is made.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.execute.wave import Wave
from simulator.observe.counters.requests import Lanes, Requests, changes
from simulator.observe.counters.work import Work

#: Of so many lanes of a wave one at least must be named before an array over all is made.
_SPARSE = 8


class Amounts:
    """What is added to lanes of a wave.

    Parameters
    ----------
    wave : Wave
        The wave.
    """

    def __init__(self, wave: Wave) -> None:
        self._wave = wave
        self._parts: list[tuple[Requests, int]] = []
        self._named = 0
        self._all: NDArray[np.int64] | None = None

    def add(self, requests: Requests, each: int) -> None:
        """Add a number to each lane of requests, as often as the lane is there."""
        self._parts.append((requests, each))
        self._named += requests.count
        if self._all is not None or self._named * _SPARSE > self._wave.lane_count:
            self._fill()

    def _fill(self) -> NDArray[np.int64]:
        """Add what has been named to an array over all lanes."""
        if self._all is None:
            self._all = np.zeros(self._wave.lane_count, np.int64)
        for requests, each in self._parts:
            requests.add_to(self._all, each)
        self._parts.clear()
        return self._all

    def spread(self) -> tuple[Work, Work, Work]:
        """Return how the sum is spread over threads, over warps and over blocks."""
        wave = self._wave
        if self._all is None:
            return self._few()
        rows = self._all.reshape(wave.slots, wave.padded)
        warps = self._all.reshape(-1, wave.warp_size).sum(axis=1)
        blocks = warps.reshape(wave.slots, -1).sum(axis=1)
        return Work.of(rows[:, : wave.threads]), Work.of(warps), Work.of(blocks)

    def _few(self) -> tuple[Work, Work, Work]:
        """Spread what few lanes have, whose blocks and warps are some of many."""
        wave = self._wave
        lanes, amounts = _sums([r.lanes for r, _ in self._parts], [each for _, each in self._parts])
        found = []
        for width, count in (
            (1, wave.slots * wave.threads),
            (wave.warp_size, wave.lane_count // wave.warp_size),
            (wave.padded, wave.slots),
        ):
            heads = changes(lanes // width).nonzero()[0]
            sums = np.add.reduceat(amounts, heads) if heads.size else amounts
            found.append(Work.of(sums, count - sums.size))
        return found[0], found[1], found[2]


def _sums(parts: list[Lanes], each: list[int]) -> tuple[Lanes, NDArray[np.int64]]:
    """Add up what lanes get: those that are named, ascending, and how much each has."""
    if not parts:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    lanes, place = np.unique(np.concatenate(parts), return_inverse=True)
    amounts = np.repeat(np.array(each, np.int64), [part.size for part in parts])
    return lanes, np.bincount(place, amounts, lanes.size).astype(np.int64)
