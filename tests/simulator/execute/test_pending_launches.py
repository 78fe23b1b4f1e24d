"""The pool of pending launches: a launch that finds it full fails, and only its thread hears of it.

CUDA keeps the arguments of a launch by a kernel from the launch until the grid has ended, in a pool
of 2,048 places unless the host asks for more.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from tests.simulator.launching import source

PENDING = 69  # cudaErrorLaunchPendingCountExceeded

#: Each thread launches a child, which marks the thread's element, and keeps what came of it.
MARK = """
__global__ void mark(int *marks, int i) { marks[i] += 1; }
extern "C" __global__ void k(int *marks, int *errors, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    mark<<<1, 1>>>(marks, i);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) errors[i] = error;
  }
}
"""


def run(
    text: str, *arrays: Any, threads: int, limit: int | None = None, pool: int = 8
) -> list[np.ndarray]:
    """The arrays after `k` with so many threads, on a GPU with few places in its pool."""
    profile = replace(simulator.PROFILES["toy4"], pending_launches=pool)
    with simulator.Device(profile):
        if limit is not None:
            runtime = simulator.cuda.runtime
            runtime.deviceSetLimit(runtime.cudaLimitDevRuntimePendingLaunchCount, limit)
        given = [simulator.asarray(a) if isinstance(a, np.ndarray) else a for a in arrays]
        kernel = simulator.RawKernel(text, "k", options=("-dc",))
        kernel((-(-threads // 4),), (4,), tuple(given))
        return [a.get() for a in given if isinstance(a, simulator.ndarray)]


def marked(threads: int, **how: Any) -> tuple[np.ndarray, np.ndarray]:
    zeros = np.zeros(threads, "i4"), np.zeros(threads, "i4")
    marks, errors = run(MARK, *zeros, threads, threads=threads, **how)
    return marks, errors


@pytest.mark.parametrize("name", simulator.PROFILES)
def test_a_gpu_has_room_for_2048(name: str) -> None:
    assert simulator.PROFILES[name].pending_launches == 2048
    assert simulator.Device(name).pending_launches == 2048


@settings(max_examples=30, deadline=None)
@given(threads=st.integers(1, 40), pool=st.integers(0, 40), limit=st.none() | st.integers(0, 40))
def test_as_many_children_run_as_the_pool_holds(threads: int, pool: int, limit: int | None) -> None:
    marks, errors = marked(threads, pool=pool, limit=limit)
    room = pool if limit is None else limit
    assert marks.sum() == min(threads, room)
    np.testing.assert_array_equal(errors, np.where(marks == 1, 0, PENDING))


def test_the_default_is_exceeded_by_the_2049th() -> None:
    marks, errors = marked(2050, pool=2048)
    assert marks.sum() == 2048
    assert np.bincount(errors).nonzero()[0].tolist() == [0, PENDING]
    marks, errors = marked(2050, pool=2048, limit=4096)
    assert marks.all()
    assert not errors.any()


@pytest.mark.parametrize("schedule", ["warp", "shuffled:1", "round-robin:2", "random:3"])
def test_in_every_order_as_many_fail(schedule: str) -> None:
    profile = replace(simulator.PROFILES["toy4"], pending_launches=5)
    with simulator.Device(profile, schedule=schedule):
        marks, errors = simulator.zeros(24, "int32"), simulator.zeros(24, "int32")
        simulator.RawKernel(MARK, "k")((3,), (8,), (marks, errors, 24))
        assert marks.get().sum() == 5
        np.testing.assert_array_equal(errors.get(), np.where(marks.get() == 1, 0, PENDING))


def test_a_grid_gives_its_place_back_when_it_has_ended() -> None:
    """Children run one after the other, so that of theirs there are never more than eight."""
    functions = """
    __global__ void leaf(int *a) { atomicAdd(a, 1); }
    __global__ void inner(int *a) {
      for (int i = 0; i < 4; i++) { leaf<<<1, 1>>>(a); if (cudaGetLastError()) a[1] = 1; }
    }
    """
    body = "inner<<<1, 1>>>(a); if (cudaGetLastError()) a[1] = 1;"
    text = source("int *a", body, functions)
    (a,) = run(text, np.zeros(2, "i4"), threads=4, pool=8)
    assert a.tolist() == [16, 0]
    (a,) = run(text, np.zeros(2, "i4"), threads=4, pool=7)
    assert a.tolist() == [15, 1]  # the first child's own place is taken while it launches


def test_a_loop_of_tail_launches_needs_no_more_than_two_places() -> None:
    text = """
    extern "C" __global__ void k(int *a, int n) {
      if (threadIdx.x > 0) return;
      a[0]++;
      if (n > 0) k<<<1, 1, 0, cudaStreamTailLaunch>>>(a, n - 1);
      if (cudaGetLastError() != cudaSuccess) a[1]++;
    }
    """
    assert run(text, np.zeros(2, "i4"), 30, threads=4, pool=2)[0].tolist() == [31, 0]
    assert run(text, np.zeros(2, "i4"), 30, threads=4, pool=1)[0].tolist() == [2, 1]


def test_the_last_error_is_the_threads_own_and_stays_until_it_is_taken() -> None:
    functions = "__global__ void c(int *a) { a[7] = cudaGetLastError(); }"
    body = """
    a[0] = cudaGetLastError();
    if (threadIdx.x == 0) { c<<<1, 1>>>(a); c<<<1, 1>>>(a); }
    int mine = cudaPeekAtLastError();
    atomicAdd(&a[1], mine == cudaErrorLaunchPendingCountExceeded);
    if (threadIdx.x == 0) {
      a[2] = cudaPeekAtLastError();
      a[3] = cudaGetLastError();
      a[4] = cudaGetLastError();
      c<<<1, 1>>>(a);
      cudaGetLastError();
      a[5] = cudaPeekAtLastError();
    }
    """
    (a,) = run(source("int *a", body, functions), np.full(8, -1, "i4"), threads=4, pool=1)
    assert a.tolist() == [0, 0, PENDING, PENDING, 0, 0, -1, 0]


def test_a_launch_that_succeeds_keeps_the_error_before() -> None:
    functions = "__global__ void c(int *a) { a[0]++; }"
    body = """if (threadIdx.x == 0) {
      for (int i = 0; i < 5; i++) c<<<1, 1, 0, cudaStreamFireAndForget>>>(a);
      a[1] = cudaGetLastError();
    }"""
    (a,) = run(source("int *a", body, functions), np.zeros(2, "i4"), threads=4, pool=3)
    assert a.tolist() == [3, PENDING]


def test_what_a_gpu_refuses_is_a_fault_even_if_the_pool_is_full() -> None:
    text = source("int *a", "c<<<1, 2000>>>(a);", "__global__ void c(int *a) { }")
    with pytest.raises(simulator.Fault, match="2000"):
        run(text, np.zeros(1, "i4"), threads=4, pool=0)


def test_launches_that_fail_are_not_counted() -> None:
    profile = replace(simulator.PROFILES["toy4"], pending_launches=3)
    with simulator.Device(profile), simulator.counting() as record:
        marks, errors = simulator.zeros(8, "int32"), simulator.zeros(8, "int32")
        simulator.RawKernel(MARK, "k")((2,), (4,), (marks, errors, 8))
    assert record.device_launches == 3


def test_the_limit_is_the_devices_and_can_be_read() -> None:
    runtime = simulator.cuda.runtime
    limit = runtime.cudaLimitDevRuntimePendingLaunchCount
    with simulator.Device():
        assert runtime.deviceGetLimit(limit) == 2048
        runtime.deviceSetLimit(limit, 100_000)
        assert runtime.deviceGetLimit(limit) == 100_000
        with simulator.Device():
            assert runtime.deviceGetLimit(limit) == 2048


def test_limits_that_make_no_difference_here_are_refused_by_number() -> None:
    runtime = simulator.cuda.runtime
    for call in (lambda: runtime.deviceGetLimit(0), lambda: runtime.deviceSetLimit(2, 1 << 20)):
        with pytest.raises(simulator.SimulatorError, match="has no limit") as caught:
            call()
        assert "cudaLimitDevRuntimePendingLaunchCount" in str(caught.value)
    limit = runtime.cudaLimitDevRuntimePendingLaunchCount
    for wrong in (-1, 1.5, True):
        with pytest.raises(simulator.SimulatorError, match="pending launches"):
            runtime.deviceSetLimit(limit, wrong)
    with pytest.raises(AttributeError, match="deviceSetLimit"):
        _ = runtime.deviceReset


def test_numbers_are_cudas() -> None:
    cuda = pytest.importorskip("cupy.cuda.runtime", reason="CuPy is not installed")
    runtime = simulator.cuda.runtime
    name = "cudaLimitDevRuntimePendingLaunchCount"
    assert getattr(runtime, name) == getattr(cuda, name)
