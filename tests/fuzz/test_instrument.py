"""Random kernels that are rewritten to count: the same memory, and the simulator's counters."""

from __future__ import annotations

from typing import Any

import pytest

import simulator
from simulator.instrument import InstrumentedModule, instrumented
from tests.fuzz.generate import program
from tests.fuzz.run import MEMORY, run
from tests.reference.job import Job, difference
from tests.sampling import sampled

#: Not the branches: what the simulator knows where it inlines a function, it does not count, and
#: lanes of a switch may have different values and one label.
EXACT = (
    *("load_requests", "load_sectors", "load_bytes", "store_requests", "store_sectors"),
    *("store_bytes", "atomic_requests", "atomic_sectors", "atomic_lanes", "same_address_max"),
    *("cas_failed", "shared_requests", "bank_conflicts", "barriers", "grid_syncs"),
)


class Counting:
    """The simulator, but for modules: those are rewritten."""

    def __init__(self) -> None:
        self.launches: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(simulator, name)

    def RawModule(self, code: str) -> InstrumentedModule:  # noqa: N802
        made = instrumented(code)
        module = InstrumentedModule(simulator, simulator.RawModule(code=made.text), made)
        self.launches = module.launches
        return module


def disagreements(job: Job) -> list[str]:
    with simulator.Device(memory=MEMORY) as device, simulator.counting(device) as record:
        expected = run(job, simulator)
    counting = Counting()
    with simulator.Device(memory=4 * MEMORY):
        found = run(job, counting)
    wrong = [text for text in [difference(expected, found)] if text]
    for theirs, ours in zip(record.launches, counting.launches, strict=True):
        for name in EXACT:
            pair = getattr(theirs.counters, name), getattr(ours.counters, name)
            if pair[0] != pair[1]:
                wrong.append(f"{theirs.kernel}: {name} {pair}")
        for name in ("work", "work_per_warp", "work_per_block"):
            one, other = (getattr(launch.counters, name).as_dict() for launch in (theirs, ours))
            if one != other:
                wrong.append(f"{theirs.kernel}: {name}")
    return wrong


def all_disagreements(seeds: range) -> dict[int, list[str]]:
    """Of programs in which nobody polls: how often one that waits looks depends on its machine."""
    jobs = {seed: program(seed, messages=False).job() for seed in seeds}
    return {seed: wrong for seed, job in jobs.items() if (wrong := disagreements(job))}


@pytest.mark.slow
@pytest.mark.parametrize("seed", sampled(range(1, 4), 3))
def test_rewritten_programs_count_what_they_did(seed: int) -> None:
    assert all_disagreements(range(seed, seed + 1)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 200, 20))
def test_many_rewritten_programs(first: int) -> None:
    assert all_disagreements(range(first, first + 20)) == {}
