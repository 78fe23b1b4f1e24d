"""Traces: a traced run is the same run, and what its steps show adds up to its counters."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as hs

import simulator
from simulator.observe.trace import ACTIVE, ENDED, MASKED, WAITING, Cursor, TracedLaunch, accesses
from simulator.observe.trace import recorder as face
from tests.fuzz import run as fuzzing
from tests.reference.job import Job, Memory, difference
from tests.sampling import examples, sampled
from tests.simulator.execute.test_random import any_program
from tests.teaching import case as teaching
from tests.teaching.cases import CASES

SCHEDULES = ("lockstep", "shuffled:1", "warp", "round-robin:1", "random:1")
#: The same as parameters; some take longer than all others.
ORDERS = [
    *SCHEDULES[:2],
    *(pytest.param(name, marks=pytest.mark.slow) for name in SCHEDULES[2:]),
]
#: Counters that every step has.
SUMMED = (
    "load_requests load_sectors store_requests store_sectors atomic_requests atomic_sectors "
    "atomic_lanes shared_requests bank_conflicts cas_failed branches divergent_branches "
    "warp_steps thread_steps"
).split()


def shown(launch: TracedLaunch) -> Counter[str]:
    """The counters of memory, added up from what the warps of every step are shown to do."""
    total: Counter[str] = Counter()
    for step in launch.steps:
        for warp in launch.warps_of(step):
            for access in accesses(launch, step, int(warp)):
                kind = "shared" if access.shared else access.site.kind
                total[f"{kind}_requests"] += 1
                total["bank_conflicts"] += access.conflicts
                if not access.shared:
                    total[f"{kind}_sectors"] += access.sectors
                if access.site.kind == "atomic" and not access.shared:
                    total["atomic_lanes"] += access.lanes.size
                if access.swapped is not None:
                    total["cas_failed"] += int((~access.swapped).sum())
    return total


def check(launch: TracedLaunch, counters: simulator.Counters) -> None:
    """What the last step has counted is what the launch has; and so is what the steps show."""
    last = launch.steps[-1].totals
    assert {n: last.get(n, 0) for n in SUMMED} == {n: getattr(counters, n) for n in SUMMED}
    found = shown(launch)
    names = [name for name in SUMMED if "step" not in name and "branch" not in name]
    assert {n: found[n] for n in names} == {n: getattr(counters, n) for n in names}


def run(
    job: Job, profile: str, schedule: str, traced: bool
) -> tuple[Memory, list[simulator.Launch], list[TracedLaunch]]:
    """Memory afterwards, the counters, and the traces if they are wanted."""
    with (
        simulator.Device(profile, memory=1 << 20, schedule=schedule),
        simulator.tracing() as trace,
        simulator.counting() as record,
    ):
        trace.paused = not traced
        arrays = fuzzing.run(job, simulator)
    return arrays, record.launches, trace.launches


def same_traced(random: Random) -> bool:
    made, profile = any_program(random)
    job, schedule = made.job(), random.choice(("lockstep", "warp"))
    try:
        plain, counted, _ = run(job, profile, schedule, traced=False)
    except simulator.Fault:
        return False
    arrays, launches, traces = run(job, profile, schedule, traced=True)
    assert difference(plain, arrays) == "", made.text()
    for one, other, trace in zip(launches, counted, traces, strict=True):
        assert one.counters.as_dict() == other.counters.as_dict(), made.text()
        check(trace, one.counters)
    cursor = Cursor(trace)
    cursor.at(len(trace.steps) - 1)
    held = [arrays[name] for name in job.launches[-1].arguments if isinstance(name, str)]
    for array, values in zip(trace.arrays, held, strict=True):
        values_there, _ = cursor.contents(array)
        assert values_there[: values.size].tobytes() == values.tobytes(), (array.name, made.text())
    places = [random.randrange(len(trace.steps)) for _ in range(6)]
    for place in places:
        fresh, here = Cursor(trace).at(place), cursor.at(place)
        for array in trace.arrays:
            assert fresh.contents(array)[0].tobytes() == here.contents(array)[0].tobytes()
        assert fresh.states().tolist() == here.states().tolist()
    return True


@pytest.mark.slow
@settings(examples(25, 8), suppress_health_check=list(HealthCheck))
@given(hs.randoms(use_true_random=False))
def test_a_traced_random_kernel_is_the_same_kernel(random: Random) -> None:
    assume(same_traced(random))


@pytest.mark.slow
def test_larger_random_kernels() -> None:
    assert sum(same_traced(Random(seed)) for seed in range(25)) > 12


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_many_random_kernels(seed: int) -> None:
    assert sum(same_traced(Random(1000 * seed + at)) for at in range(60)) > 30


@pytest.mark.parametrize("schedule", ORDERS)
@pytest.mark.parametrize("case", sampled(CASES, 9), ids=lambda case: case.name)
def test_traced_teaching_kernels_give_the_same_counters(case: teaching.Case, schedule: str) -> None:
    records, results = [], []
    for paused in (True, False):
        with (
            simulator.Device(schedule=schedule),
            simulator.tracing() as trace,
            simulator.counting() as record,
        ):
            trace.paused = paused
            results.append(teaching.run(case, simulator, np.random.default_rng(5))[1])
        records.append(record.launches)
    for name, held in results[0].items():
        if name not in case.unordered:
            assert np.array_equal(held, results[1][name], equal_nan=held.dtype.kind == "f")
    if schedule in ("lockstep", "warp", "shuffled:1"):  # the others stop before each access
        assert [a.counters.as_dict() for a in records[0]] == [
            b.counters.as_dict() for b in records[1]
        ]
    by_kernel = sorted(trace.launches, key=lambda launch: launch.kernel)
    counted = sorted(records[1], key=lambda launch: launch.kernel)
    if len({launch.kernel for launch in counted}) == len(counted):
        for launch, record_of in zip(by_kernel, counted, strict=True):
            check(launch, record_of.counters)


def traced(code: str, grid: int, block: int, *arrays: Any, **device: Any) -> TracedLaunch:
    with simulator.Device(**device), simulator.tracing() as trace:
        arguments = tuple(simulator.asarray(np.array(a, np.int32)) for a in arrays)
        simulator.RawKernel(code, "k")((grid,), (block,), arguments)
    return trace.launches[0]


def test_lanes_part_wait_return_and_join() -> None:
    launch = traced(
        """extern "C" __global__ void k(int *a) {
          int i = threadIdx.x;
          if (i == 3) return;
          if (i > 0) {
            a[i] = 7;
          }
          a[0] += 1;
        }""",
        1,
        3 + 1,
        [0, 0, 0, 0],
        profile="toy4",
    )
    cursor = Cursor(launch)
    seen = [(s.span.line, cursor.at(n).lanes(0).tolist()) for n, s in enumerate(launch.steps)]
    all_four, three = [ACTIVE] * 4, [ACTIVE, ACTIVE, ACTIVE, ENDED]
    assert seen == [
        (2, all_four),
        (3, all_four),
        (3, [MASKED, MASKED, MASKED, ACTIVE]),
        (4, three),
        (5, [MASKED, ACTIVE, ACTIVE, ENDED]),
        (7, three),
    ]
    assert cursor.at(4).next(0).tolist() == [5, 5, 5, -1]
    assert cursor.last(0).tolist() == [3, 4, 4, 2]


def test_a_warp_waits_at_a_barrier_for_the_other() -> None:
    launch = traced(
        """extern "C" __global__ void k(int *a) {
          if (threadIdx.x < 2) __nanosleep(0);
          __syncthreads();
          a[threadIdx.x] = 1;
        }""",
        1,
        4,
        [0] * 4,
        profile="toy2",
        schedule="warp",
    )
    cursor = Cursor(launch)
    states = [
        (cursor.at(n).lanes(0).tolist(), cursor.lanes(1).tolist())
        for n, _ in enumerate(launch.steps)
    ]
    assert ([ACTIVE] * 2, [WAITING] * 2) in states
    assert ([WAITING] * 2, [ACTIVE] * 2) not in states  # warp 0 came last: nobody waits any more
    final = states[-1]
    assert WAITING not in final[0] + final[1]


def test_lanes_of_one_address_are_served_one_after_the_other() -> None:
    code = """extern "C" __global__ void k(int *a) {
      int old = atomicAdd(&a[threadIdx.x % 2], threadIdx.x + 1);
    }"""
    for schedule in ("lockstep", "shuffled:3"):
        launch = traced(code, 1, 32, [0, 0], schedule=schedule)
        (access,) = [x for s in launch.steps for x in accesses(launch, s, 0)]
        assert access.found is not None
        orders = []
        for _, served in access.groups():
            lanes = access.lanes[served]
            running = np.concatenate([[0], np.cumsum(lanes + 1)[:-1]])
            assert access.found[served].tolist() == running.tolist()
            orders.append(lanes.tolist())
        assert (orders == [list(range(0, 32, 2)), list(range(1, 32, 2))]) == (
            schedule == "lockstep"
        )
        assert access.sectors == 16


def test_memory_that_nothing_wrote_is_known() -> None:
    launch = traced(
        """extern "C" __global__ void k(int *a) {
          __shared__ int tile[4];
          if (threadIdx.x < 2) tile[threadIdx.x] = 5;
          a[0] = 1;
        }""",
        1,
        4,
        [0],
        profile="toy4",
    )
    values, written = Cursor(launch).at(len(launch.steps) - 1).shared(launch.shared[0], 0)
    assert written.tolist() == [True, True, False, False]
    assert values[:2].tolist() == [5, 5]


def test_a_trace_that_grows_too_long_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(face, "MOST_STEPS", 50)
    with pytest.raises(simulator.SimulatorError, match="more than 50 steps"):
        traced(
            """extern "C" __global__ void k(int *a) {
              for (int i = 0; i < 100; i++) a[0] += i;
            }""",
            1,
            1,
            [0],
        )


def test_what_a_faulty_launch_did_before_the_fault_is_there() -> None:
    with simulator.tracing() as trace, pytest.raises(simulator.Fault):
        simulator.RawKernel(
            """extern "C" __global__ void k(int *a) {
              a[0] = 3;
              a[5] = 4;
            }""",
            "k",
        )((1,), (1,), (simulator.zeros(2, "int32"),))
    (launch,) = trace.launches
    assert [step.span.line for step in launch.steps] == [2]
    assert Cursor(launch).at(0).values("a")[0].tolist() == [3, 0]


def test_the_statement_at_which_a_fault_stopped_it_may_be_added() -> None:
    kernel = simulator.RawKernel(
        """extern "C" __global__ void k(int *a) {
          if (threadIdx.x % 2) a[blockIdx.x + 3] = 4;
        }""",
        "k",
    )
    with (
        simulator.Device("toy2"),
        simulator.tracing() as trace,
        pytest.raises(simulator.Fault) as caught,
    ):
        kernel((2,), (3,), (simulator.zeros(4, "int32"),))
    assert caught.value.lanes == (5, 1)
    (launch,) = trace.launches
    before = len(launch.steps)
    launch.stop_at(caught.value)
    step = launch.steps[-1]
    assert (len(launch.steps), step.span.line, step.lanes.tolist()) == (before + 1, 2, [1, 5])
    states = Cursor(launch).at(before).states()
    assert (states == ACTIVE).nonzero()[0].tolist() == [1, 5]


def test_a_launch_that_has_ended_is_stopped_by_nothing() -> None:
    kernel = simulator.RawKernel(
        'extern "C" __global__ void k(int *a) { a[0] = threadIdx.x; }', "k"
    )
    with (
        simulator.tracing() as trace,
        simulator.sanitize("race"),
        pytest.raises(simulator.Fault) as caught,
    ):
        kernel((1,), (2,), (simulator.zeros(1, "int32"),))
    assert caught.value.lanes in ((0,), (1,))
    (launch,) = trace.launches
    before = len(launch.steps)
    launch.stop_at(caught.value)
    assert len(launch.steps) == before


def test_untraced_kernels_log_nothing_for_traces() -> None:
    kernel = simulator.RawKernel(
        'extern "C" __global__ void k(int *a) { int i = a[0]; a[1] = i; }', "k"
    )
    forms = {o.form for b in kernel.compiled().plan.blocks for o in b.operands}
    assert forms == {"view"}


CLUSTERED = """#include <cooperative_groups.h>
extern "C" __cluster_dims__(2) __global__ void k(int *out) {
  __shared__ int s[4];
  auto c = cooperative_groups::this_cluster();
  s[threadIdx.x] = threadIdx.x + c.block_rank();
  c.sync();
  if (c.block_rank() == 0) out[blockIdx.x * 4 + threadIdx.x] = c.map_shared_rank(s, 1)[threadIdx.x];
  c.sync();
}"""


def test_blocks_of_a_cluster_wait_for_each_other() -> None:
    """A warp waits until that of the other block has come, and reads what that one has."""
    with simulator.Device("toy4", schedule="warp"), simulator.tracing() as trace:
        out = simulator.zeros(16, "int32")
        simulator.RawKernel(CLUSTERED, "k")((4,), (4,), (out,))
        (launch,) = trace.launches
    states = [
        Cursor(launch).at(number).states().reshape(4, 4)[:, 0]
        for number in range(len(launch.steps))
    ]
    alone = [s.tolist() for s in states if s[0] == WAITING and ACTIVE in s[1:2]]
    assert alone, "block 0 waits while block 1 runs"
    read = [
        access
        for step in launch.steps
        for warp in launch.warps_of(step)
        for access in accesses(launch, step, int(warp))
        if access.site.kind == "load"
    ]
    assert [(access.shared, access.conflicts, access.sectors) for access in read] == [
        (True, 0, 0)
    ] * 2
    assert [access.found.tolist() for access in read if access.found is not None] == [
        [1, 2, 3, 4]
    ] * 2
