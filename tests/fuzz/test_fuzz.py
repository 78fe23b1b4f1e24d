"""Random race-free programs leave the same memory on every machine and schedule."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

import simulator
from simulator.execute.device import Profile
from tests.conftest import why_no_gpu
from tests.fuzz.campaign import Campaign
from tests.fuzz.generate import program
from tests.fuzz.run import MEMORY, expected, on_simulator, run
from tests.reference.job import Job, digest
from tests.sampling import sampled

SCHEDULES = ("lockstep", "warp", "random:1")
REGRESSIONS = sorted((Path(__file__).parent / "regressions").glob("*.cu"))


def disagreements(seeds: range, names: tuple[str, ...]) -> list[str]:
    """What differs on some seeds."""
    results = [Campaign(names).check(seed) for seed in seeds]
    return [f"seed {r.seed}: {r.differences}" for r in results if r.differences]


@pytest.mark.parametrize("seed", sampled(range(60), 30))
def test_all_schedules_leave_the_memory_that_single_threads_leave(seed: int) -> None:
    assert disagreements(range(seed, seed + 1), SCHEDULES) == []


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


NARROW = Profile("narrow", "a GPU with room for two blocks", 1, 256, 2, 48 << 10, 1 << 30)


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", sampled([s for s in range(30) if program(s).kernels[0].blocks > 2][:6], 2)
)
def test_how_many_blocks_are_resident_does_not_matter(seed: int) -> None:
    with simulator.Device(NARROW, MEMORY):
        found = run(program(seed).job(), simulator)
    assert digest(found) == expected(program(seed)).digest


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "schedule"), sampled(product(range(12), SCHEDULES), 12, each=1))
def test_sanitizers_are_silent_where_there_are_no_races(seed: int, schedule: str) -> None:
    sanitized(range(seed, seed + 1), schedule)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(12, 312, 20))
def test_sanitizers_are_silent_on_many_programs(first: int) -> None:
    for schedule in (*SCHEDULES, f"shuffled:{first}"):
        sanitized(range(first, first + 20), schedule)


def sanitized(seeds: range, schedule: str) -> None:
    """Run programs under all sanitizers, which find nothing."""
    for seed in seeds:
        device = simulator.Device(memory=MEMORY, schedule=schedule)
        with device, simulator.sanitize("all") as report:
            run(program(seed).job(), simulator)
        assert report.findings == [], seed


@pytest.mark.gpu
def test_a_gpu_leaves_the_memory_that_single_threads_leave() -> None:
    if reason := why_no_gpu():
        pytest.skip(reason)
    assert disagreements(range(40), ("gpu",)) == []


def test_a_machine_that_fails_is_a_difference() -> None:
    assert "there is no schedule 'sideways'" in disagreements(range(1), ("sideways",))[0]
