"""What threads know to have happened, while a log is replayed."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from simulator.execute.geometry import Wave
from simulator.observe.sanitizers.accesses import Numbers


class Knowledge:
    """Events that each thread knows of, before it or fenced, as sets: the bits of an int.

    Threads are named by their block and their place in it; those of one wave at a time.
    """

    def __init__(self, padded: int) -> None:
        self._padded = padded
        self._own: dict[int, dict[int, int]] = defaultdict(dict)
        self._pools: dict[tuple[int, int], int] = defaultdict(int)
        self._grid: dict[int, int] = defaultdict(int)
        self._informed: set[int] = set()
        self._first = -1

    def start(self, wave: Wave) -> None:
        """What follows is of `wave`."""
        if wave.first_block != self._first:
            self._first = wave.first_block
            self._passed = np.zeros(wave.lane_count, np.int64)
            self._grids = np.zeros(wave.lane_count, np.int64)

    def of(self, block: int, place: int) -> int:
        """What a thread knows."""
        return self._common(block, place) | self._own[block].get(place, 0)

    def _common(self, block: int, place: int) -> int:
        lane = (block - self._first) * self._padded + place
        pooled = self._pools.get((block, int(self._passed[lane])), 0)
        return pooled | self._grid.get(int(self._grids[lane]), 0)

    def anything(self, block: int) -> bool:
        """Whether some thread of a block may know something."""
        return block in self._informed or bool(self._grid)

    def learn(self, block: int, place: int, events: int) -> None:
        """A thread learns of events."""
        if events:
            own = self._own[block]
            own[place] = own.get(place, 0) | events
            self._informed.add(block)

    def share(self, block: int, places: list[int]) -> None:
        """Some threads of a block bring together what they know."""
        if not self.anything(block):
            return
        together = 0
        for place in places:
            together |= self.of(block, place)
        for place in places:
            self.learn(block, place, together)

    def pool(self, lanes: Numbers, gridwide: bool) -> None:
        """Lanes pass the barriers of their blocks, or the grid's: what one knows, all learn."""
        first, last = (self._first + int(lanes[at]) // self._padded for at in (0, -1))
        for block in range(first, last + 1):
            if not self.anything(block):
                continue
            slot = block - self._first
            low, high = np.searchsorted(lanes, [slot * self._padded, (slot + 1) * self._padded])
            if high > low:
                self._pool(block, (lanes[low:high] - slot * self._padded).tolist(), gridwide)
        self._passed[lanes] += 1
        if gridwide:
            self._grids[lanes] += 1

    def _pool(self, block: int, places: list[int], gridwide: bool) -> None:
        known, own = self._common(block, places[0]), self._own[block]
        for place in own.keys() & set(places):
            known |= own.pop(place)
        lane = (block - self._first) * self._padded + places[0]
        self._pools[block, int(self._passed[lane]) + 1] |= known
        if gridwide and known:
            self._grid[int(self._grids[lane]) + 1] |= known
