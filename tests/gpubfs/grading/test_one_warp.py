"""Schedules that order nothing but warps are one, where no launch has more than one warp."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import simulator
from gpubfs.grading.exercise import SCHEDULES, Case
from gpubfs.grading.kinds.kernel import KernelKind
from gpubfs.grading.kinds.schedules import Ran
from gpubfs.grading.limits.costs import Cost
from gpubfs.grading.outcome import Failure
from gpubfs.grading.processes.sandbox import grade
from simulator.source import SimulatorError
from tests.fuzz.generate import counted
from tests.fuzz.run import MEMORY, run
from tests.gpubfs.grading.doubling import PROBLEM, RIGHT, TOML, exercise, submission
from tests.reference.job import Job, digest

#: Schedules that serve the lanes of a warp in the same order.
WARPS = ("lockstep", "warp", "round-robin:1", "random:3", "random:4")


def schedules_run(kind: KernelKind, several: bool, wrong: str = "") -> list[str]:
    """The schedules under which a case is run, with a failure under one of them."""
    under = []

    def ran(schedule: str, sanitize: str, counting: bool) -> Ran:
        under.append(schedule)
        failure = Failure("result", "wrong") if schedule == wrong else None
        return Ran(failure, Cost({}), several)

    kind.grade_schedules(Case("a case", 1), ran)
    return under


@pytest.fixture
def kind(tmp_path: Path) -> KernelKind:
    return KernelKind(exercise(tmp_path), submission(tmp_path, RIGHT))


def test_each_schedule_is_run_where_warps_have_an_order(kind: KernelKind) -> None:
    assert schedules_run(kind, several=True) == list(SCHEDULES)


def test_orders_of_one_warp_are_run_once_and_those_of_its_lanes_each(kind: KernelKind) -> None:
    assert schedules_run(kind, several=False) == ["lockstep", "shuffled:2"]


def test_what_is_wrong_under_the_lanes_order_is_still_found(kind: KernelKind) -> None:
    assert schedules_run(kind, several=False, wrong="shuffled:2")[-1] == "shuffled:2"


@pytest.mark.parametrize(
    ("grid", "block", "ordered"), [(1, 32, False), (1, 33, True), (2, 1, True)]
)
def test_a_device_knows_whether_warps_were_ordered(grid: int, block: int, ordered: bool) -> None:
    with simulator.Device() as device:
        simulator.RawKernel('extern "C" __global__ void k() {}', "k")((grid,), (block,), ())
    assert device.ordered_warps is ordered


@pytest.mark.parametrize(("block", "ordered"), [(8, False), (9, True)])
def test_warps_are_as_wide_as_the_devices(block: int, ordered: bool) -> None:
    with simulator.Device("toy8") as device:
        simulator.RawKernel('extern "C" __global__ void k() {}', "k")((1,), (block,), ())
    assert device.ordered_warps == ordered


def test_kernels_in_lockstep_whatever_the_schedule_are_not_ordered() -> None:
    with simulator.Device(schedule="warp") as device:
        device.in_lockstep = lambda kernel: True
        simulator.RawKernel('extern "C" __global__ void k() {}', "k")((9,), (64,), ())
    assert not device.ordered_warps


def test_launches_by_kernels_are_ordered_too() -> None:
    text = """
    __global__ void child(int *a) { a[blockIdx.x] = 1; }
    extern "C" __global__ void k(int *a) { child<<<2, 1>>>(a); }"""
    with simulator.Device() as device:
        simulator.RawKernel(text, "k")((1,), (1,), (simulator.zeros(2, "int32"),))
    assert device.ordered_warps


#: Lanes take places as they are served: right only if that is in their own order.
FIRST_COME = """
__device__ int next[2];
extern "C" __global__ void twice(const int *in, int *out, int size) {
  int i = threadIdx.x, place = 2 * atomicAdd(&next[i % 2], 1) + i % 2;
  if (i < size) out[i] = 2 * in[place];
}
"""
#: The first warp reads what the second one writes, without a barrier.
OTHER_WARP = """
extern "C" __global__ void twice(const int *in, int *out, int size) {
  int i = threadIdx.x, other = size - 1 - i;
  out[other] = in[other];
  __syncwarp();
  if (out[i] == in[i]) atomicAdd(&out[i], in[i]);
}
"""


@pytest.mark.parametrize(
    ("text", "size", "words"),
    [(FIRST_COME, 32, "shuffled:2"), (OTHER_WARP, 64, "not in the order warp")],
)
def test_what_only_one_order_shows_costs_the_case(
    text: str, size: int, words: str, tmp_path: Path
) -> None:
    toml = TOML.replace("32", str(size)).replace('schedules = ["lockstep"]\n', "")
    asked = exercise(tmp_path, PROBLEM.replace("1, 32", f"1, {size}"), toml)
    (outcome,) = grade(asked, submission(tmp_path, text)).outcomes
    assert outcome.failure is not None
    assert outcome.failure.reason == "schedule"
    assert words in outcome.failure.message


def counted_run(job: Job, schedule: str) -> tuple[str, list[Any]]:
    """The arrays after a job, or its problem, and what its launches counted."""
    with simulator.Device(memory=MEMORY, schedule=schedule) as device:
        with simulator.counting() as record:
            try:
                found = digest(run(job, simulator))
            except SimulatorError as error:
                found = str(error)
        assert not device.ordered_warps
        return found, [(launch.counters.as_dict(), launch.sites) for launch in record.launches]


@pytest.mark.parametrize("seed", range(12))
def test_one_warp_does_the_same_under_schedules_that_order_warps(seed: int) -> None:
    random = Random(seed)
    job = counted(random, (1, 1, 1), (random.randint(1, 32), 1, 1)).job()
    found = [counted_run(job, schedule) for schedule in WARPS]
    assert all(one == found[0] for one in found)


def test_one_warp_is_shown_the_same_races_under_schedules_that_order_warps() -> None:
    text = 'extern "C" __global__ void k(int *a) { a[threadIdx.x / 2] = a[threadIdx.x]; }'
    messages = []
    for schedule in WARPS:
        with simulator.Device(schedule=schedule), simulator.sanitize("race"):
            a = simulator.asarray(np.arange(32, dtype=np.int32))
            with pytest.raises(SimulatorError) as caught:
                simulator.RawKernel(text, "k")((1,), (32,), (a,))
            messages.append(str(caught.value))
    assert len(set(messages)) == 1
