"""The quick checks of addresses let nothing pass that the check of each address refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from simulator.execute.memory import Memory, extent, within
from simulator.lanes.arithmetic import LaneError

DTYPES = (np.int8, np.int16, np.int32, np.int64, np.float64, np.dtype([("x", "i4"), ("y", "i8")]))


@given(
    sizes=st.lists(st.integers(0, 300), min_size=1, max_size=4),
    dtype=st.sampled_from(DTYPES),
    near=st.lists(st.tuples(st.integers(0, 3), st.integers(-20, 320), st.booleans()), max_size=6),
    whole=st.booleans(),
)
def test_what_one_allocation_holds_is_what_the_check_of_each_address_lets_pass(
    sizes: list[int], dtype: Any, near: list[tuple[int, int, bool]], whole: bool
) -> None:
    memory = Memory(1 << 20)
    made = [memory.allocate(size) for size in sizes]
    step = np.dtype(dtype).itemsize if whole else 1
    address = np.array(
        [
            made[at % len(made)].end - by % 32 if end else made[at % len(made)].start + by * step
            for at, by, end in near
        ],
        np.int64,
    )
    holder = memory.holder(address, dtype)
    if holder is None:
        return
    view, index = memory.resolve(address, dtype, extent(address))
    quick, at = memory.indexed(address, dtype)
    assert (at == index).all()
    assert quick.base is view.base
    size = np.dtype(dtype).itemsize
    assert all(holder.start <= one and one + size <= holder.end for one in address.tolist())


@given(sizes=st.integers(1, 300), by=st.integers(-20, 320), dtype=st.sampled_from(DTYPES))
def test_one_address_is_checked_as_many_are(sizes: int, by: int, dtype: Any) -> None:
    memory = Memory(1 << 20)
    start = memory.allocate(sizes).start
    one = memory.holder(np.int64(start + by), dtype)
    many = memory.holder(np.array([start + by]), dtype)
    assert one is many
    refused = False
    try:
        memory.resolve(np.int64(start + by), dtype, (start + by, start + by))
    except LaneError:
        refused = True
    assert refused == (one is None)


@given(
    offsets=st.lists(st.integers(-(1 << 40), 1 << 40) | st.integers(-9, 200), min_size=1),
    last=st.integers(-1, 200),
    low_bits=st.sampled_from((0, 1, 3, 7)),
)
def test_offsets_are_within_if_each_is(offsets: list[int], last: int, low_bits: int) -> None:
    found = within(np.array(offsets, np.int64), last, low_bits)
    assert found == all(0 <= one <= last and not one & low_bits for one in offsets)


KERNEL = """
extern "C" __global__ void through(const int *index, int *out) {
  __shared__ int before[8];
  __shared__ int own[8];
  __shared__ long long behind[4];
  int t = threadIdx.x;
  for (int i = t; i < 8; i += blockDim.x) {
    before[i] = 1;
    own[i] = 100 * blockIdx.x + i;
    behind[i % 4] = 7;
  }
  __syncthreads();
  int *p = own;
  p += index[t];
  out[blockIdx.x * blockDim.x + t] = *p;
  __syncthreads();
  *p = 5;
}
"""


def run(index: list[int], schedule: str) -> object:
    """Return what the kernel computes, or the message of its fault."""
    with simulator.Device(schedule=schedule, memory=1 << 20):
        kernel = simulator.RawKernel(KERNEL, "through")
        out = simulator.zeros((3, len(index)), "int32")
        try:
            kernel((3,), (len(index),), (simulator.asarray(np.array(index, np.int32)), out))
        except simulator.Fault as fault:
            return fault.message
        return out.get().tolist()


@settings(max_examples=40)
@given(index=st.lists(st.integers(0, 7) | st.integers(-30, 30), min_size=1, max_size=32))
def test_pointers_stay_in_their_shared_array_in_gangs_of_one_block_and_of_several(
    index: list[int],
) -> None:
    refused = any(not 0 <= one < 8 for one in index)
    right = [[100 * block + one for one in index] for block in range(3)]
    for schedule in ("warp", "lockstep"):
        found = run(index, schedule)
        assert isinstance(found, str) if refused else found == right


@pytest.mark.parametrize("at", [-9, -1, 8, 15, 16, 24, 100_000])
@pytest.mark.parametrize("lane", [0, 7, 31])
def test_one_lane_beside_its_shared_array_is_told(at: int, lane: int) -> None:
    index = [one % 8 for one in range(32)]
    index[lane] = at
    for schedule in ("lockstep", "warp"):
        message = run(index, schedule)
        assert isinstance(message, str)
        assert f"own[{at}]" in message or "another block's shared memory" in message
        assert f"lane {lane} " in message


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_an_allocation_holds_its_elements_and_none_beside_them(dtype: Any) -> None:
    memory, size = Memory(1 << 20), np.dtype(dtype).itemsize
    made = memory.allocate(5 * size)
    for at in range(-1, 7):
        for others in ([], [0], [0, 4]):
            address = made.start + size * np.array([at, *others], np.int64)
            found = memory.holder(address, dtype)
            assert (found is made) == (0 <= at < 5), (at, others)
