"""The whole course of a trace: lanes at work, contention, what lines cost, how counters grew."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from simulator.observe.trace import accesses

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simulator.observe.trace import Access, TracedLaunch, TracedStep
    from simulator.source import Source

#: Counters of sectors that lines move.
SECTORS = ("load_sectors", "store_sectors", "atomic_sectors")
#: At how many steps, evenly spread, counters are kept.
SAMPLES = 120


def at_work(launch: TracedLaunch, step: TracedStep) -> float:
    """Return the share of lanes at work in the warps that take part in a step."""
    lanes = launch.warps_of(step).size * launch.warp_size
    return step.lanes.size / lanes if lanes else 0.0


def contention(
    launch: TracedLaunch, step: TracedStep, known: Mapping[int, list[Access]] = MappingProxyType({})
) -> int:
    """Return how many lanes an atomic of a warp serves one after the other at one address.

    Of some warps it may be `known` what they ask of memory.
    """
    if not any(operand.site.kind == "atomic" for operand in step.block.operands):
        return 0
    found = [0]
    for warp in launch.warps_of(step).tolist():
        for access in known[warp] if warp in known else accesses(launch, step, warp):
            if access.site.kind == "atomic":
                most = np.unique(access.addresses, return_counts=True)[1].max()
                found.append(1 if access.merged else int(most))
    return max(found)


class Course:
    """What is known of all steps of a trace; of a long one `advance` learns it bit by bit.

    Parameters
    ----------
    launches : sequence of TracedLaunch
        The launches of the trace.

    Attributes
    ----------
    at_work : float array
        The share of lanes at work in each step.
    contention : int array
        How many lanes meet at one address of an atomic.
    sectors, ran : Counter
        How many sectors each line of a source moved, and in how many steps it ran.
    samples : list of (int, dict)
        Steps, ascending, and the run's counters there.
    known : int
        How many steps are known, from the first on.
    """

    def __init__(self, launches: Sequence[TracedLaunch]) -> None:
        self.count = sum(len(launch.steps) for launch in launches)
        self.at_work = np.zeros(self.count)
        self.contention = np.zeros(self.count, np.int64)
        self.sectors: Counter[tuple[Source, int]] = Counter()
        self.ran: Counter[tuple[Source, int]] = Counter()
        self.samples: list[tuple[int, dict[str, int]]] = []
        self.known = 0
        self._every = max(self.count // SAMPLES, 1)
        self._steps = self._read(launches)

    @property
    def complete(self) -> bool:
        """Whether all steps are known."""
        return self.known == self.count

    def advance(self, seconds: float | None = None) -> None:
        """Learn more steps, all of them or for so many seconds."""
        end = None if seconds is None else time.monotonic() + seconds
        for at in self._steps:
            self.known = at + 1
            if end is not None and time.monotonic() > end:
                return

    def _read(self, launches: Sequence[TracedLaunch]) -> Iterator[int]:
        """Yield the number of each step when it is known."""
        at, before = 0, Counter[str]()
        for launch in launches:
            moved = 0
            for step in launch.steps:
                self.at_work[at] = at_work(launch, step)
                self.contention[at] = contention(launch, step)
                place = step.focus.source, step.focus.line
                now = sum(step.totals.get(name, 0) for name in SECTORS)
                self.sectors[place] += now - moved
                self.ran[place] += 1
                moved = now
                if at % self._every == 0 or at == self.count - 1:
                    self.samples.append((at, dict(before + Counter(step.totals))))
                yield at
                at += 1
            before += Counter(launch.steps[-1].totals)
