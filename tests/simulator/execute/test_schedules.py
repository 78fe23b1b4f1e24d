"""Schedules: every one of them is an order that CUDA allows, and a correct kernel cannot tell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator

SCHEDULES = (
    "lockstep",
    "warp",
    "shuffled:0",
    "round-robin:0",
    *(f"random:{seed}" for seed in range(4)),
)


def run(
    text: str,
    *arguments: Any,
    grid: int | tuple[int, ...] = 1,
    block: int | tuple[int, ...] = 32,
    schedule: str,
    **device: Any,
) -> tuple[list[Any], simulator.Launch]:
    """Launch kernel `k` under a schedule; what its arrays hold then, and what was counted."""
    with simulator.Device(schedule=schedule, memory=1 << 26, **device):
        given = [simulator.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
        sizes = [(s,) if isinstance(s, int) else s for s in (grid, block)]
        with simulator.counting() as record:
            simulator.RawKernel(text, "k")(*sizes, tuple(given))
        return [a.get() if isinstance(a, simulator.ndarray) else a for a in given], record.launches[
            0
        ]


def zeros(count: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    return np.zeros(count, np.int32)


REVERSE = """extern "C" __global__ void k(int *a) {
  __shared__ int tile[96];
  int i = threadIdx.x, first = blockIdx.x * blockDim.x;
  tile[i] = a[first + i];
  __syncthreads();
  for (int turn = 0; turn < 3; turn++) {
    int other = tile[blockDim.x - 1 - i];
    __syncthreads();
    tile[i] = other + 1;
    __syncthreads();
  }
  a[first + i] = tile[i];
}"""


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("block", [32, 70, 96])
def test_a_barrier_orders_the_warps_of_a_block(schedule: str, block: int) -> None:
    a = np.arange(5 * block, dtype=np.int32)
    (result,), _ = run(REVERSE, a, grid=5, block=block, schedule=schedule)
    assert result.tolist() == (a.reshape(5, block)[:, ::-1] + 3).ravel().tolist()


def test_counters_do_not_depend_on_the_schedule_if_execution_does_not() -> None:
    launches = {
        s: run(REVERSE, zeros(480), grid=5, block=96, schedule=s)[1].counters for s in SCHEDULES
    }
    assert all(counters == launches["lockstep"] for counters in launches.values())
    assert launches["warp"].barriers == 5 * 7


VOTES = """extern "C" __global__ void k(int *count, int *all, int *any) {
  int i = threadIdx.x, at = blockIdx.x * blockDim.x + i;
  count[at] = __syncthreads_count(i % 3 == blockIdx.x);
  all[at] = __syncthreads_and(blockIdx.x == 1 || i != 65);
  any[at] = __syncthreads_or(blockIdx.x == 1 && i == 65);
}"""


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_votes_of_a_block_gather_all_its_warps(schedule: str) -> None:
    results, _ = run(VOTES, *(zeros(200) for _ in range(3)), grid=2, block=100, schedule=schedule)
    count, every, some = (r.reshape(2, 100) for r in results)
    assert np.unique(count, axis=1).tolist() == [[34], [33]]
    assert np.unique(every, axis=1).tolist() == [[0], [1]]
    assert np.unique(some, axis=1).tolist() == [[0], [1]]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_warps_that_return_early_are_not_waited_for(schedule: str) -> None:
    text = """extern "C" __global__ void k(int *a, int n) {
      __shared__ int sum;
      if (threadIdx.x >= n) return;
      if (threadIdx.x == 0) sum = 0;
      __syncthreads();
      atomicAdd(&sum, 1);
      __syncthreads();
      a[threadIdx.x] = sum;
    }"""
    (a, _), _ = run(text, zeros(128), 40, block=128, schedule=schedule)
    assert a.tolist() == [40] * 40 + [0] * 88


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    "body",
    [
        "if (threadIdx.x < 32) __syncthreads();",
        "if (threadIdx.x >= 32) __syncthreads();",
        "if (threadIdx.x % 2) __syncthreads();",
        "for (int i = 0; i <= threadIdx.x / 32; i++) __syncthreads();",
        "if (threadIdx.x < 32) __syncthreads(); else __syncthreads();",
    ],
)
def test_a_barrier_that_not_all_threads_reach_is_a_fault(body: str, schedule: str) -> None:
    text = 'extern "C" __global__ void k(int *a) {' + body + " a[threadIdx.x] = 1; }"
    with pytest.raises(simulator.Fault, match="barrier"):
        run(text, zeros(64), block=64, schedule=schedule)


HANDSHAKE = """extern "C" __global__ void k(volatile int *flag, volatile int *data, int *out) {
  int i = threadIdx.x;
  if (blockIdx.x == FIRST) {
    if (i == 0) while (*flag == 0) ;
    __syncthreads();
    __threadfence();
    out[i] = data[i];
  } else {
    data[i] = 3 * i;
    __threadfence();
    __syncthreads();
    if (i == 0) *flag = 1;
  }
}"""


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("first", [0, 1])
def test_a_block_that_spins_on_a_flag_lets_the_other_one_set_it(schedule: str, first: int) -> None:
    text = HANDSHAKE.replace("FIRST", str(first))
    results, _ = run(text, zeros(1), zeros(64), zeros(64), grid=2, block=64, schedule=schedule)
    assert results[2].tolist() == list(range(0, 192, 3))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_warps_of_a_block_can_hand_work_on(schedule: str) -> None:
    text = """extern "C" __global__ void k(int *out) {
      __shared__ volatile int next;
      int warp = threadIdx.x / warpSize, lane = threadIdx.x % warpSize;
      if (threadIdx.x == 0) next = 3;
      __syncthreads();
      if (lane == 0) {
        while (next != warp) ;
        out[3 - warp] = warp;
        __threadfence();
        next = warp - 1;
      }
    }"""
    (out,), _ = run(text, zeros(4), block=128, schedule=schedule)
    assert out.tolist() == [3, 2, 1, 0]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_spin_lock_between_warps_gives_everyone_a_turn(schedule: str) -> None:
    text = """extern "C" __global__ void k(int *lock, int *count) {
      if (threadIdx.x % warpSize == 0) {
        while (atomicCAS(lock, 0, 1) != 0) ;
        __threadfence();
        *count = *count + 1;
        __threadfence();
        atomicExch(lock, 0);
      }
    }"""
    (lock, count), _ = run(text, zeros(1), zeros(1), grid=6, block=128, schedule=schedule)
    assert (lock[0], count[0]) == (0, 24)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_lock_inside_a_warp_works_if_it_is_freed_inside_the_loop(schedule: str) -> None:
    text = """extern "C" __global__ void k(int *lock, int *count) {
      bool done = false;
      while (!done)
        if (atomicCAS(lock, 0, 1) == 0) {
          *count = *count + 1;
          __threadfence();
          atomicExch(lock, 0);
          done = true;
        }
    }"""
    (_, count), _ = run(text, zeros(1), zeros(1), grid=3, block=64, schedule=schedule)
    assert count[0] == 192


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_restart_counts_and_changes_memory_once(schedule: str) -> None:
    """Lockstep has to begin again here; nothing of its first attempt may be left."""
    text = """extern "C" __global__ void k(volatile int *flag, int *visits) {
      atomicAdd(visits, 1);
      if (blockIdx.x == 0) { while (*flag == 0) ; }
      else *flag = 1;
    }"""
    (flag, visits), launch = run(text, zeros(1), zeros(1), grid=2, block=64, schedule=schedule)
    assert (flag[0], visits[0]) == (1, 128)
    assert launch.counters.atomic_lanes == 128


def test_a_seed_fixes_the_order_and_another_one_changes_it() -> None:
    text = """extern "C" __global__ void k(int *next, int *order) {
      order[atomicAdd(next, 1)] = blockIdx.x * blockDim.x + threadIdx.x;
    }"""

    def order(schedule: str) -> list[int]:
        arrays, _ = run(text, zeros(1), zeros(256), grid=4, block=64, schedule=schedule)
        return arrays[1].tolist()

    seen = {tuple(order(f"random:{seed}")) for seed in range(6)}
    assert all(sorted(found) == list(range(256)) for found in seen)
    assert len(seen) == 6
    assert order("random:3") == order("random:3")
    assert order("lockstep") == order("warp") == list(range(256))


def test_preemption_comes_between_two_memory_operations() -> None:
    """A plain increment loses updates under some order, as it may on a GPU."""
    text = """extern "C" __global__ void k(int *count) {
      if (threadIdx.x == 0) for (int i = 0; i < 20; i++) *count = *count + 1;
    }"""
    totals = {run(text, zeros(1), grid=4, schedule=f"random:{s}")[0][0][0] for s in range(12)}
    assert min(totals) < 80
    assert len(totals) > 1
    assert run(text, zeros(1), grid=4, schedule="warp")[0][0][0] == 80


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**9),
    grid=st.integers(1, 6),
    block=st.integers(1, 130),
    profile=st.sampled_from(["h200", "toy2", "toy4"]),
)
def test_every_thread_runs_once(seed: int, grid: int, block: int, profile: str) -> None:
    block = min(block, 16 if profile == "toy4" else 8 if profile == "toy2" else block)
    text = """extern "C" __global__ void k(int *seen, int *sum) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      seen[i] += 1;
      for (int j = 0; j < i % 7; j++) atomicAdd(sum, 1);
    }"""
    arguments = zeros(grid * block), zeros(1)
    for schedule in ("warp", f"random:{seed}"):
        (seen, total), launch = run(
            text, *arguments, grid=grid, block=block, schedule=schedule, profile=profile
        )
        assert seen.tolist() == [1] * (grid * block)
        assert total[0] == sum(i % 7 for i in range(grid * block)) == launch.counters.atomic_lanes


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("wrap", "there is no schedule 'wrap'"),
        ("random", "the schedule 'random' has no seed"),
        ("random:x", "has no seed"),
        ("random:-1", "has no seed"),
        ("warp:1", "there is no schedule 'warp:1'"),
        ("", "there is no schedule ''"),
    ],
)
def test_an_unknown_schedule_is_refused(name: str, words: str) -> None:
    with pytest.raises(simulator.SimulatorError, match=words):
        simulator.Device(schedule=name)


CLAIM = """extern "C" __global__ void claim(int *owner, int *won) {
  int warp = blockIdx.x * (blockDim.x / warpSize) + threadIdx.x / warpSize;
  if (atomicCAS(&owner[threadIdx.x % warpSize], -1, warp) == -1) atomicAdd(&won[warp], 1);
}"""


def claimed(schedule: str) -> tuple[list[int], list[int]]:
    with simulator.Device(schedule=schedule):
        owner, won = simulator.full(32, -1, "int32"), simulator.zeros(8, "int32")
        simulator.RawKernel(CLAIM, "claim")((2,), (128,), (owner, won))
        return owner.get().tolist(), won.get().tolist()


def test_shuffled_lanes_of_several_warps_win() -> None:
    assert claimed("lockstep")[1] == [32] + [0] * 7
    for seed in range(5):
        owner, won = claimed(f"shuffled:{seed}")
        assert won == [owner.count(warp) for warp in range(8)]
        assert sum(won) == 32
        assert max(won) < 20
    assert claimed("shuffled:3") == claimed("shuffled:3") != claimed("shuffled:4")


def drawn(statement: str, schedule: str) -> Any:
    """What the lanes of four warps, a row each, get from one address."""
    text = f"""extern "C" __global__ void draw(int *next, int *ticket) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % warpSize;
      {statement}
    }}"""
    with simulator.Device(schedule=schedule):
        next_, ticket = simulator.zeros(1, "int32"), simulator.full(128, -1, "int32")
        simulator.RawKernel(text, "draw")((2,), (64,), (next_, ticket))
        return ticket.get().reshape(-1, 32)


ONE_EACH = "ticket[i] = atomicAdd(next, 1);"
#: Each adds one, but the compiler cannot know.
WHAT_IS_THERE = "ticket[i] = atomicAdd(next, -ticket[i]);"


@pytest.mark.parametrize("statement", [ONE_EACH, f"if (lane % 3) {ONE_EACH}", WHAT_IS_THERE])
def test_shuffled_lanes_of_merged_atomics_stay_together(statement: str) -> None:
    warps = drawn(statement, "shuffled:1")
    for row in warps:
        assert (np.diff(row[row >= 0]) == 1).all()
    first = [tuple(drawn(statement, f"shuffled:{seed}")[:, 1]) for seed in range(6)]
    assert len({np.argsort(row).tobytes() for row in first}) > 1  # but warps come in any order


def test_shuffled_lanes_of_a_scan_that_not_all_lanes_come_to_are_served_singly() -> None:
    warps = drawn(f"if (lane % 3) {WHAT_IS_THERE}", "shuffled:1")
    came = warps[:, [lane for lane in range(32) if lane % 3]]
    assert sorted(came.ravel()) == list(range(came.size))
    assert all((np.diff(row) < 0).any() for row in came)


@pytest.mark.parametrize("operation", ["Add", "Sub", "Exch", "Max", "Or", "Inc"])
def test_shuffled_atomics_of_lanes_are_applied_once_each(operation: str) -> None:
    text = f"""extern "C" __global__ void k(unsigned *a, unsigned *found) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      found[i] = atomic{operation}(&a[i % 3], (unsigned)(i + 1));
    }}"""
    results = []
    for schedule in ("lockstep", "shuffled:0"):
        with simulator.Device(schedule=schedule):
            a, found = simulator.zeros(3, "uint32"), simulator.zeros(192, "uint32")
            simulator.RawKernel(text, "k")((3,), (64,), (a, found))
            results.append((a.get(), found.get()))
    (first, _), (other, found) = results
    if operation in ("Add", "Sub", "Max", "Or"):  # whose order does not matter for what remains
        np.testing.assert_array_equal(first, other)
    if operation == "Exch":  # everything that was put is found once, but what remains
        for place in range(3):
            put = {0} | {i + 1 for i in range(192) if i % 3 == place}
            assert sorted(put) == sorted([*found[place::3].tolist(), int(other[place])])
    assert not np.array_equal(found, results[0][1])


def test_in_a_round_robin_every_warp_has_its_turn_before_one_has_its_next() -> None:
    text = """extern "C" __global__ void k(int *next, int *order) {
      if (threadIdx.x % warpSize == 0) {
        for (int turn = 0; turn < 5; turn++) {
          order[atomicAdd(next, 1)] = blockIdx.x * 2 + threadIdx.x / warpSize;
        }
      }
    }"""
    seen = set()
    for seed in range(4):
        with simulator.Device(schedule=f"round-robin:{seed}"):
            next_, order = simulator.zeros(1, "int32"), simulator.zeros(40, "int32")
            simulator.RawKernel(text, "k")((4,), (64,), (next_, order))
        turns = order.get().reshape(5, 8)
        assert all(sorted(turn) == list(range(8)) for turn in turns.tolist())
        seen.add(tuple(turns[0].tolist()))
    assert len(seen) > 1


@pytest.mark.parametrize(
    "place", ["a[0]", "a[i % 2]", "tile[0]", "tile[i % 2]", "(i < 0 ? tile : a)[i % 2]"]
)
def test_of_shuffled_lanes_that_store_to_one_address_any_wins(place: str) -> None:
    text = f"""extern "C" __global__ void k(int *a) {{
      __shared__ int tile[2];
      int i = threadIdx.x;
      {place} = i;
      __syncthreads();
      if (i == 0 && {int(place.startswith("tile"))}) a[0] = tile[0];
    }}"""

    def winner(schedule: str) -> int:
        found, _ = run(text, zeros(2), block=64, schedule=schedule)
        return int(found[0][0])

    assert winner("lockstep") == (62 if "%" in place else 63)
    winners = {winner(f"shuffled:{seed}") for seed in range(8)}
    assert len(winners) > 3
    if "%" in place:
        assert all(lane % 2 == 0 for lane in winners)


TICKETS = """__device__ int next;
extern "C" __global__ void k(int *a) {
  if (threadIdx.x == 0) a[blockIdx.x] = atomicAdd(&next, 1);
}"""


@pytest.mark.parametrize("schedule", ["random:1", "shuffled:1", "round-robin:1"])
def test_some_kernels_may_keep_step_whatever_the_schedule(schedule: str) -> None:
    with simulator.Device(schedule=schedule) as device:
        asked: list[str] = []
        device.in_lockstep = lambda kernel: bool(asked.append(kernel.source.name)) or True
        a = simulator.zeros(64, "int32")
        simulator.RawKernel(TICKETS, "k")((64,), (32,), (a,))
        assert a.get().tolist() == list(range(64))
        assert asked
        device.in_lockstep = lambda kernel: False
        simulator.RawKernel(TICKETS, "k")((64,), (32,), (a,))
        assert sorted(a.get().tolist()) == list(range(64))
        if schedule == "random:1":
            assert a.get().tolist() != list(range(64))
