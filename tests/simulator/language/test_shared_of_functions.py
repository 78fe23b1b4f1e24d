"""Shared variables of device functions: one for a block, however often the function is called."""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from simulator import Fault
from simulator.execute.wave import POISON
from tests.sanitize.machine import kernel, sanitized
from tests.simulator.instrument.test_instrument import check
from tests.simulator.launching import run, source

#: Each of 32 threads puts `x` in its place in the function's own array; what was there comes back.
SWAP = """__device__ int swap(int x) {
  __shared__ int kept[32];
  int old = kept[threadIdx.x];
  kept[threadIdx.x] = x;
  return old;
}
"""
NONSENSE = int(np.full(4, POISON, np.uint8).view("i4")[0])
ZEROS = np.zeros(32, "i4")
SUM = """__device__ int sum(int x) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, x);
  __syncthreads();
  int all = total;
  %s
  return all;
}
"""
CLOSED, OPEN = SUM % "__syncthreads();", SUM % ""


def first(text: str, block: int = 32) -> int:
    """What the first thread of kernel `k(int *a)` leaves in a[0]."""
    return int(run(text, ZEROS, block=block).arrays[0][0])


def test_the_second_call_finds_what_the_first_left() -> None:
    body = "int nothing = swap(7); a[threadIdx.x] = 10 * swap(8) + (nothing == -1);"
    assert first(source("int *a", body, SWAP)) == 70


def test_chains_of_calls_lead_to_one_variable() -> None:
    chains = SWAP + "__device__ int f(int x) { return swap(x); }\n"
    chains += "__device__ int g(int x) { return f(x) + swap(x + 1); }\n"
    body = "g(3); a[0] = f(5) * 10 + swap(6);"
    assert first(source("int *a", body, chains)) == 45


def test_a_call_in_a_loop_and_in_a_branch_has_the_same_variable() -> None:
    body = """swap(1);
    for (int i = 0; i < 3; i++) a[i] = swap(10 + i);
    if (a[0] == 1) a[3] = swap(20);"""
    assert run(source("int *a", body, SWAP), ZEROS).arrays[0][:4].tolist() == [1, 10, 11, 12]


def test_instances_of_a_template_have_one_each() -> None:
    functions = """template <typename T> __device__ T swap(T x) {
      __shared__ T kept;
      T old = kept;
      kept = x;
      return old;
    }
    """
    body = "swap<int>(1); swap<float>(2); a[0] = swap<int>(3); a[1] = (int)swap<float>(4);"
    found = run(source("int *a", body, functions), ZEROS, block=1)
    assert found.arrays[0][:2].tolist() == [1, 2]


def test_a_function_that_calls_itself_has_one_too() -> None:
    functions = """__device__ int down(int n) {
      __shared__ int calls;
      if (n == 3) calls = 0;
      calls++;
      if (n > 0) down(n - 1);
      return calls;
    }
    """
    assert first(source("int *a", "a[0] = down(3);", functions), block=1) == 4


def test_each_block_has_its_own() -> None:
    body = "a[blockIdx.x] = swap(blockIdx.x); a[blockIdx.x] = swap(9);"
    assert run(source("int *a", body, SWAP), ZEROS, grid=4).arrays[0][:4].tolist() == [0, 1, 2, 3]


def test_two_kernels_have_their_own() -> None:
    text = SWAP + 'extern "C" __global__ void j(int *a) { swap(1); }\n'
    text += source("int *a", "a[0] = swap(2);")
    module = simulator.RawModule(code=text)
    with simulator.Device(memory=1 << 20):
        a = simulator.zeros(1, "int32")
        module.get_function("j")((1,), (32,), (a,))
        module.get_function("k")((1,), (32,), (a,))
        assert int(a.get()[0]) == NONSENSE


def test_capacity_counts_it_once() -> None:
    functions = """__device__ char touch(char x) {
      __shared__ char kept[40000];
      kept[threadIdx.x] = x;
      return kept[threadIdx.x];
    }
    """
    text = source("int *a", "a[0] = touch(1) + touch(2);", functions)
    assert first(text, block=1) == 3
    assert simulator.RawKernel(text, "k").compiled().shared_bytes == 40000
    too_much = source("int *a", "a[0] = touch(1) + touch(2);", functions.replace("40000", "50000"))
    with pytest.raises(simulator.LaunchError, match="50,000 bytes of shared memory"):
        run(too_much, ZEROS)


def test_counters_traces_and_rewritten_kernels_follow() -> None:
    text = source("int *a", "a[threadIdx.x] = sum(1) + sum(2);", CLOSED)
    check(text, np.zeros(64, "i4"), grid=1, block=64)
    with simulator.Device(memory=1 << 20), simulator.tracing() as trace:
        simulator.RawKernel(text, "k")((1,), (2,), (simulator.zeros(2, "int32"),))
    assert [array.name for array in trace.launches[0].shared] == ["total"]


def test_a_helper_without_its_closing_barrier_races_with_its_next_call() -> None:
    body = "a[threadIdx.x] = sum(1) + sum(2);"
    a = np.zeros(64, "i4")
    sanitized(kernel("int *a", body, CLOSED), a, block=64)
    with pytest.raises(Fault, match="race on total"):
        sanitized(kernel("int *a", body, OPEN), a, block=64)
    sanitized(kernel("int *a", "a[threadIdx.x] = sum(1);", OPEN), a, block=64)


def test_what_the_first_call_wrote_is_written_for_the_second() -> None:
    body = "put(1, 5); a[threadIdx.x] = put(0, 0);"
    functions = """__device__ int put(bool write, int x) {
      __shared__ int kept[32];
      if (write) kept[threadIdx.x] = x;
      return kept[threadIdx.x];
    }
    """
    sanitized(kernel("int *a", body, functions), ZEROS)
    with pytest.raises(Fault, match=r"reads kept\[0\], which nothing has written"):
        sanitized(kernel("int *a", body.replace("put(1, 5);", ""), functions), ZEROS)
