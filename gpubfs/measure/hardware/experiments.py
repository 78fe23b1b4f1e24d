"""What is changed for the hardware, to find out why it counts other numbers than the simulator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


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
