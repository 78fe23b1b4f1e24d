"""Pointers to shared memory in gangs of several blocks: as if the arrays were indexed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator import Counters, Fault
from tests.simulator.launching import Ran, run, source

LENGTH = 200
BODY = f"""
  __shared__ char before[3];
  __shared__ TYPE items[{LENGTH}];
  __shared__ int size;
  Queue own = {{items, &size}};
  if (threadIdx.x == 0) SIZE = 0;
  items[threadIdx.x] = 0;
  before[threadIdx.x % 3] = 0;
  __syncthreads();
  if (threadIdx.x % count == 0) atomicAdd(&SIZE, 1);
  if (threadIdx.x % 3 < count) ITEMS[(int)threadIdx.x * step] = blockIdx.x + threadIdx.x;
  __syncthreads();
  int sum = (int)ITEMS[(int)threadIdx.x * step] + SIZE;
  out[blockIdx.x * blockDim.x + threadIdx.x] = __syncthreads_count(sum % 2) + 100 * sum;
"""
BY_POINTER = {"SIZE": "own.size[0]", "ITEMS": "own.items"}
BY_NAME = {"SIZE": "size", "ITEMS": "items"}


def launched(
    words: dict[str, str], dtype: str, grid: int, block: int, count: int, step: int
) -> Ran:
    body = BODY
    for word, by in words.items():
        body = body.replace(word, by)
    parameters, queue = "int *out, int count, int step", "struct Queue { TYPE *items; int *size; };"
    text = source(parameters, body, queue).replace("TYPE", dtype)
    return run(text, np.zeros(grid * block, "i4"), count, step, grid=grid, block=block)


def amounts(counters: Counters) -> dict[str, object]:
    """All counters, but for the name of the address with the most atomics."""
    return {name: str(n) for name, n in vars(counters).items() if name != "hottest_address"}


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["char", "short", "int", "double"]),
    st.integers(1, 6),
    st.sampled_from([1, 31, 32, 40, 64, 96, 100]),
    st.integers(1, 3),
    st.integers(0, 1),
)
def test_pointers_in_structures_do_what_arrays_do(
    dtype: str, grid: int, block: int, count: int, step: int
) -> None:
    by_pointer = launched(BY_POINTER, dtype, grid, block, count, step)
    by_name = launched(BY_NAME, dtype, grid, block, count, step)
    assert by_pointer.arrays[0].tolist() == by_name.arrays[0].tolist()
    assert amounts(by_pointer.counters) == amounts(by_name.counters)


def test_one_lane_behind_its_array_is_refused() -> None:
    launched(BY_POINTER, "int", 5, 64, 1, 3)
    with pytest.raises(Fault, match=r"items\[201\] through a pointer, but items has 200 elements"):
        launched(BY_POINTER, "int", 5, 68, 1, 3)  # 67 * 3 is one more than 200


@pytest.mark.parametrize("block", [40, 64])
def test_lanes_before_their_array_are_refused(block: int) -> None:
    with pytest.raises(Fault, match="another block's shared memory"):
        launched(BY_POINTER, "int", 5, block, 1, -1)


PASSED_ON = """
  __shared__ int items[8];
  int *mine = items + threadIdx.x % 8;
  if (threadIdx.x == 0) kept[blockIdx.x] = mine;
  __syncthreads();
  int *other = kept[(blockIdx.x + (threadIdx.x >= away ? 1 : 0)) % gridDim.x];
  *other = 1;
"""


def test_one_lane_in_another_blocks_array_is_refused() -> None:
    text = source("int **kept, int away", PASSED_ON)
    run(text, np.zeros(4, "u8"), 64, grid=4, block=64, schedule="lockstep")
    with pytest.raises(Fault, match="another block's shared memory"):
        run(text, np.zeros(4, "u8"), 63, grid=4, block=64, schedule="lockstep")
