"""Random race-free programs leave the same memory on every machine and schedule."""

from __future__ import annotations

from pathlib import Path

import pytest

import simulator
from tests.conftest import why_no_gpu
from tests.fuzz.campaign import Campaign
from tests.fuzz.generate import program
from tests.fuzz.job import Job, digest
from tests.fuzz.run import MEMORY, expected, machines, on_simulator, run

SCHEDULES = ("lockstep", "warp", "random:1")
REGRESSIONS = sorted((Path(__file__).parent / "regressions").glob("*.cu"))


def disagreements(seeds: range, names: tuple[str, ...]) -> list[str]:
    """What differs on some seeds."""
    results = [Campaign(names).check(seed) for seed in seeds]
    return [f"seed {r.seed}: {r.differences}" for r in results if r.differences]


@pytest.mark.parametrize("first", range(0, 60, 5))
def test_all_schedules_leave_the_memory_that_single_threads_leave(first: int) -> None:
    assert disagreements(range(first, first + 5), SCHEDULES) == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 2000, 50))
def test_many_programs(first: int) -> None:
    names = (*SCHEDULES, f"random:{first}")
    assert disagreements(range(first, first + 50), names) == []


@pytest.mark.parametrize("path", REGRESSIONS, ids=lambda path: path.stem)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_programs_that_once_went_wrong(path: Path, schedule: str) -> None:
    job, memory = Job.of_file(path.read_text(encoding="utf-8"))
    assert digest(on_simulator(job, schedule)) == memory


@pytest.mark.parametrize("profile", ["toy2", "v100"])
def test_how_many_blocks_are_resident_does_not_matter(profile: str) -> None:
    seed = next(s for s in range(99) if fits_toy(s))
    with simulator.Device(profile, MEMORY):
        found = run(program(seed).job(), simulator)
    assert digest(found) == expected(program(seed)).digest


def fits_toy(seed: int) -> bool:
    """Whether a program has several blocks and does not depend on how many lanes a warp has."""
    kernels = program(seed).kernels
    text = program(seed).text()
    return any(k.blocks > 4 for k in kernels) and "wmask" not in text


@pytest.mark.gpu
def test_a_gpu_leaves_the_memory_that_single_threads_leave() -> None:
    if reason := why_no_gpu():
        pytest.skip(reason)
    assert disagreements(range(40), ("gpu",)) == []


def test_every_machine_has_a_name_of_its_own() -> None:
    job = program(3).job()
    assert len({digest(machine(job)) for machine in machines(list(SCHEDULES)).values()}) == 1
