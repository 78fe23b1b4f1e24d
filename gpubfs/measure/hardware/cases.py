"""Cases: a counter of a technique on a graph, as simulated, as instrumented and as measured.

Simulated in lockstep and under other schedules, counted on a GPU by an instrumented build, measured
there by Nsight Compute; the two latter are recorded.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from gpubfs.measure.hardware.records import Record, Records
from gpubfs.search.counters import value
from gpubfs.search.option import parse
from gpubfs.search.plugins import load_plugins
from gpubfs.search.runs import run

# What is changed for the hardware, to find out why it counts other numbers than the simulator.


@dataclass(frozen=True)
class Experiment:
    """One change in how kernels are compiled.

    Attributes
    ----------
    name : str
        What it is called in records and tables.
    flag : str
        The option for NVRTC.
    concerns : callable
        Whether it could make a difference, from the counters of a search.
    words : str
        What it shows where the simulator then agrees with the hardware.
    again : str
        The option as a user of the package writes it.
    """

    name: str
    flag: str
    concerns: Callable[[Mapping[str, Any]], bool]
    words: str
    again: str


BARRIER_HEADER = Path(__file__).with_name("atomic_barrier.cuh")

PAST_L1 = Experiment(
    "past L1",
    "--ptxas-options=-dlcm=cg",
    lambda counters: True,
    "The L1 caches of a GPU know nothing of each other. A load may find a line that is older than "
    "another multiprocessor's store, so a vertex that has been marked still looks unvisited, and "
    "is marked again; in the simulator a store is seen at once. The experiment: the same kernels "
    "with loads that go past the L1 cache, and nothing else changed.",
    "--ptxas-options=-dlcm=cg",
)
BARRIER = Experiment(
    "atomic barrier",
    f"--pre-include={BARRIER_HEADER}",
    lambda counters: bool(counters["grid_syncs"]),
    "CUDA's barrier of the grid is code that runs on the GPU: each block makes one atomic, then "
    "loads a word again and again until all have come. The hardware counts that among the "
    "kernel's own. The experiment: the same kernels with a barrier that waits by atomics alone.",
    "--pre-include=$PWD/gpubfs/measure/hardware/atomic_barrier.cuh",
)
EXPERIMENTS = (PAST_L1, BARRIER)


#: What is promised of relative differences from the hardware: the median, and the most.
LIMITS: dict[str, tuple[float, float | None]] = {
    "load_requests": (0.01, 0.05),
    "load_sectors": (0.01, 0.03),
    "store_requests": (0.01, 0.05),
    "store_sectors": (0.01, 0.03),
    "atomic_requests": (0.10, None),
}

#: Why a case is farther from the hardware than promised.
ORDER, OPEN = "order", "not explained"


@dataclass(frozen=True)
class Case:
    """One counter of one technique on one graph, as the three tell it.

    Attributes
    ----------
    technique, graph, counter : str
        What was counted where.
    simulated, instrumented : int
        By the simulator in lockstep, and by the build that counts.
    band : (int, int)
        The least and the most of the simulator, in lockstep and under other schedules.
    measured : tuple of int
        By Nsight Compute in several searches; empty for what it was not asked.
    experiments : mapping
        By Nsight Compute in the experiments, by their names.
    """

    technique: str
    graph: str
    counter: str
    simulated: int
    instrumented: int
    band: tuple[int, int]
    measured: tuple[int, ...] = ()
    experiments: Mapping[str, int] = field(default_factory=dict)

    @property
    def hardware(self) -> int | None:
        """The median of what Nsight Compute measured; None for what it was not asked."""
        return statistics.median_low(self.measured) if self.measured else None

    @property
    def difference(self) -> float | None:
        """(simulator - hardware) / hardware; None where only the simulator counted something.

        >>> Case("scan-free", "toy", "load_requests", 99, 100, (99, 99), (100,)).difference
        -0.01
        """
        if not self.hardware:
            return 0.0 if self.hardware == self.simulated else None
        return (self.simulated - self.hardware) / self.hardware

    @property
    def outside(self) -> bool:
        """Whether it is farther from the hardware than the most that is promised."""
        most = LIMITS.get(self.counter, (0.0, None))[1]
        share = self.difference
        return most is not None and (share is None or abs(share) > most)

    @property
    def reason(self) -> str:
        """Why it is outside, as far as the experiments show it; empty if it is not.

        ORDER if the hardware is where the simulator's schedules are, as closely as is promised; the
        name of the first experiment in which it is; else OPEN.
        """
        most = LIMITS.get(self.counter, (0.0, None))[1]
        if most is None or not self.outside:
            return ""
        if self.beyond(self.hardware) <= most:
            return ORDER
        explained = (n for n, count in self.experiments.items() if self.beyond(count) <= most)
        return next(explained, OPEN)

    def beyond(self, count: int | None) -> float:
        """How far a count is from the band, as a share of the count; 0 inside.

        >>> Case("scan-free", "toy", "store_requests", 90, 90, (80, 99)).beyond(100)
        0.01
        """
        if not count:
            return 0.0 if count == self.band[0] else float("inf")
        low, high = self.band
        return max(low - count, count - high, 0) / count

    @property
    def ordered(self) -> bool:
        """Whether the schedule makes a difference, as far as was tried."""
        return self.band[0] != self.band[1]


def schedules(number: int) -> list[str]:
    """As many random orders of all three kinds, in turn."""
    kinds = ("shuffled", "round-robin", "random")
    return [f"{kinds[turn % 3]}:{turn // 3}" for turn in range(number)]


def cases_of(record: Record, number: int = 0) -> list[Case]:
    """Return a record's counters that all three have; the simulator runs in `number` orders."""
    name, options = parse(record.technique)
    lockstep = run(name, record.graph, **options).counters
    others = [
        run(name, record.graph, schedule=order, **options).counters for order in schedules(number)
    ]
    return [_case(record, counter, lockstep, others) for counter in record.instrumented]


def _case(record: Record, counter: str, lockstep: Any, others: list[Any]) -> Case:
    found = [value(counters, counter) for counters in (lockstep, *others)]
    return Case(
        record.technique,
        record.graph,
        counter,
        found[0],
        record.instrumented[counter],
        (min(found), max(found)),
        tuple(record.hardware.get(counter, ())),
        {n: found[counter] for n, found in record.experiments.items() if counter in found},
    )


def all_cases(
    records: Records, number: int = 0, tell: Callable[[str], None] = lambda words: None
) -> list[Case]:
    """Return the cases of all records whose kernels are still the same; orders share all cores."""
    fresh = [record for record in records.records if not record.stale]
    with ProcessPoolExecutor(initializer=load_plugins) if number else nullcontext() as pool:
        work = pool.map if pool else map
        found = []
        for record, own in zip(fresh, work(partial(cases_of, number=number), fresh), strict=True):
            tell(f"{record.technique} on {record.graph}")
            found += own
    return found
