"""Reads through textures and surfaces of what the same launch has written before.

Their caches need not see it, be it behind a barrier or by the thread itself. Reads that come before
the writes are fine, and what nothing orders is a race like any other.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simulator.observe.sanitizers.conflicts import CACHED_LOAD, WRITE, Conflicts, Numbers

#: Of locations, accessors and times.
_Columns = tuple[Numbers, Numbers, Numbers]


class StaleReads:
    """Collects the accesses of a launch whose kernel reads by textures or surfaces."""

    def __init__(self) -> None:
        self._reads: list[_Columns] = []
        self._writes: list[_Columns] = []

    def add(self, reads: bool, location: Numbers, who: Numbers, time: Numbers) -> None:
        """Add accesses, one of them a row; `time` is their order in the launch."""
        (self._reads if reads else self._writes).append((location, who, time))

    def found(self) -> Iterator[Conflicts]:
        """Yield the reads that come behind the first write of their location."""
        if not self._reads or not self._writes:
            return
        location, who, time = _joined(self._reads)
        changed, writer, at = _joined(self._writes)
        order = np.lexsort((at, changed))
        changed, writer, at = changed[order], writer[order], at[order]
        first = np.minimum(np.searchsorted(changed, location), changed.size - 1)
        late = (changed[first] == location) & (at[first] < time)
        if late.any():
            same = np.zeros(int(late.sum()), np.bool_)
            kinds = WRITE, CACHED_LOAD
            yield Conflicts(location[late], writer[first[late]], who[late], kinds, same)


def _joined(rows: list[_Columns]) -> _Columns:
    location, who, time = (np.concatenate(column) for column in zip(*rows, strict=True))
    return location, who, time
