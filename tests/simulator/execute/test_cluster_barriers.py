"""The barrier of a cluster: arrivals, waits, threads that never come, and other barriers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulator
from tests.simulator.execute.clusters import SCHEDULES, clustered
from tests.simulator.launching import fault, run

EVERY = pytest.mark.parametrize("schedule", SCHEDULES)


@EVERY
def test_nobody_goes_on_before_all_have_arrived(schedule: str) -> None:
    """Every thread adds to a counter of its cluster in each round, and sees all of them."""
    body = """int *count = counts + cg::this_grid().cluster_rank();
    for (int round = 1; round < 6; round++) {
      atomicAdd(count, 1);
      c.sync();
      if (atomicAdd(count, 0) != round * (int)c.num_threads()) atomicAdd(wrong, 1);
      c.sync();
    }"""
    text = clustered("int *counts, int *wrong", body, "2")
    ran = run(text, np.zeros(3, "i4"), np.zeros(1, "i4"), grid=6, block=72, schedule=schedule)
    assert ran.arrays[0].tolist() == [5 * 144] * 3
    assert not ran.arrays[1].any()
    assert (ran.counters.cluster_syncs, ran.counters.barriers) == (3 * 10, 0)


@EVERY
def test_work_between_arrival_and_wait(schedule: str) -> None:
    body = """__shared__ int s[40]; int sum = 0;
    for (int round = 0; round < 4; round++) {
      s[threadIdx.x] = round + c.block_rank();
      c.barrier_arrive();
      int own = a[threadIdx.x] * round;
      c.barrier_wait();
      sum += own + c.map_shared_rank(s, 1 - c.block_rank())[threadIdx.x];
      c.sync();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;"""
    text = clustered("const int *a, int *out", body, "2")
    given_ = np.arange(40, dtype="i4"), np.zeros(160, "i4")
    found = run(text, *given_, grid=4, block=40, schedule=schedule).arrays[1].reshape(4, 40)
    for block in range(4):
        assert found[block].tolist() == [6 * i + 6 + 4 * (1 - block % 2) for i in range(40)]


@EVERY
def test_who_has_returned_is_not_waited_for(schedule: str) -> None:
    body = """if (threadIdx.x % 3 == 0 || c.block_rank() == 1) return;
    c.sync(); atomicAdd(out, 1); c.sync();"""
    found = run(clustered("int *out", body), np.zeros(1, "i4"), grid=4, schedule=schedule)
    assert found.arrays[0][0] == 3 * 21


@EVERY
def test_with_barriers_of_blocks_and_warps_in_between(schedule: str) -> None:
    body = """__shared__ int s[64]; int me = threadIdx.x;
    s[me] = me; __syncthreads();
    int other = s[63 - me]; __syncthreads(); s[me] = other; c.barrier_arrive(); __syncwarp();
    __syncthreads(); c.barrier_wait(); __syncthreads();
    out[blockIdx.x * 64 + me] = c.map_shared_rank(s, 1 - c.block_rank())[me]; c.sync();"""
    text = clustered("int *out", body, "2")
    found = run(text, np.zeros(128, "i4"), grid=2, block=64, schedule=schedule).arrays[0]
    assert found.reshape(2, 64).tolist() == [list(range(63, -1, -1))] * 2


@pytest.mark.parametrize("schedule", ["lockstep", "warp", "random:1"])
def test_with_barriers_of_the_grid(schedule: str) -> None:
    body = """__shared__ int s; if (threadIdx.x == 0) s = blockIdx.x;
    c.sync(); int other = *c.map_shared_rank(&s, 1 - c.block_rank());
    cg::this_grid().sync();
    if (threadIdx.x == 0) out[blockIdx.x] = other;
    cg::this_grid().sync();
    if (threadIdx.x == 0) s = out[(blockIdx.x + 2) % 4];
    c.sync(); other = *c.map_shared_rank(&s, 1 - c.block_rank()); c.sync();
    cg::this_grid().sync();
    if (threadIdx.x == 0) out[blockIdx.x] = other;"""
    with simulator.Device(schedule=schedule):
        out = simulator.zeros(4, "int32")
        text = clustered("int *out", body, "2")
        kernel = simulator.RawKernel(text, "k", enable_cooperative_groups=True)
        kernel((4,), (40,), (out,))
        assert out.get().tolist() == [2, 3, 0, 1]


def test_a_cooperative_launch_has_whole_clusters_resident() -> None:
    """A toy GPU holds 8 blocks, and two clusters of three."""
    text = clustered("int *out", "cg::this_grid().sync();", "3")
    with simulator.Device("toy4"):
        kernel = simulator.RawKernel(text, "k", enable_cooperative_groups=True)
        kernel((6,), (4,), (simulator.zeros(1, "int32"),))
        with pytest.raises(simulator.LaunchError, match="launched cooperatively with 18 blocks"):
            kernel((9, 2), (4,), (simulator.zeros(1, "int32"),))
        with pytest.warns(UserWarning, match="reduced from 9 to 6"):
            kernel((9,), (4,), (simulator.zeros(1, "int32"),))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("if (threadIdx.x < 3) c.sync();", "that 6 of 96 threads reach"),
        ("if (threadIdx.x < 32) c.sync();", "that 64 of 96 threads reach"),
        ("if (c.block_rank() == 0) c.sync();", "that 48 of 96 threads reach"),
        ("for (int i = 0; i < 2 + (int)c.block_rank(); i++) c.sync();", "that 48 of 96 threads"),
        ("if (threadIdx.x < 3) return; if (threadIdx.x < 32) c.sync();", "58 of 90 threads"),
        ("c.barrier_arrive(); if (threadIdx.x) c.barrier_wait(); c.barrier_arrive();", "a second"),
        ("c.barrier_arrive(); c.barrier_arrive();", "a second arrival at the cluster's barrier"),
        ("c.barrier_wait();", "a wait at the cluster's barrier without an arrival"),
        ("c.sync(); c.barrier_wait();", "a wait at the cluster's barrier without an arrival"),
        ("c.barrier_arrive(); c.sync();", "a second arrival at the cluster's barrier"),
    ],
)
@EVERY
def test_a_barrier_that_cannot_open_is_a_fault(body: str, message: str, schedule: str) -> None:
    text = clustered("int *out", body, "2")
    found = fault(text, np.zeros(1, "i4"), grid=4, block=48, schedule=schedule)
    if schedule != "lockstep":  # who is there depends on who ran first
        message = re.sub(r"\d+", r"\\d+", message)
    assert re.search(message, found.message), found.message


@EVERY
def test_the_last_arrival_needs_no_wait(schedule: str) -> None:
    """Who only arrives lets others go on, and may end."""
    body = """__shared__ int s; if (threadIdx.x == 0) s = 7;
    c.barrier_arrive();
    if (c.block_rank() == 0) { c.barrier_wait(); atomicAdd(out, s); }"""
    text = clustered("int *out", body, "2")
    found = run(text, np.zeros(1, "i4"), grid=2, block=32, schedule=schedule)
    assert found.arrays[0][0] == 7 * 32


@given(st.data())
def test_a_word_goes_round_the_cluster(data: st.DataObject) -> None:
    """In every round each block takes what the one before it had, whatever the sizes."""
    blocks, rounds = data.draw(st.integers(1, 8)), data.draw(st.integers(0, 9))
    threads, clusters = data.draw(st.sampled_from([1, 3, 4, 9])), data.draw(st.integers(1, 3))
    schedule = data.draw(st.sampled_from(SCHEDULES))
    body = """__shared__ int s[16]; s[threadIdx.x] = 100 * c.block_rank() + threadIdx.x;
    for (int i = 0; i < rounds; i++) {
      c.sync();
      int rank = (c.block_rank() + c.num_blocks() - 1) % c.num_blocks();
      int got = c.map_shared_rank(s, rank)[threadIdx.x];
      c.sync();
      s[threadIdx.x] = got;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x];"""
    text = clustered("int rounds, int *out", body, str(blocks))
    out: Any = np.zeros(blocks * clusters * threads, "i4")
    ran = run(
        *(text, np.int32(rounds), out),
        **{"grid": blocks * clusters, "block": threads, "schedule": schedule},
    )
    found = ran.arrays[1].reshape(clusters, blocks, threads)
    start = 100 * np.arange(blocks)[:, None] + np.arange(threads)
    assert (found == np.roll(start, rounds, axis=0)).all()
