"""Shared memory of a block: 48 KiB on every GPU, and beyond it what a profile's GPU has."""

from __future__ import annotations

import pytest

import simulator
from simulator import LaunchError
from simulator.execute.launch_config import PROFILES, Profile

KIB = 1 << 10

#: CUDA's figures for the compute capability of each GPU; toys are like those without an opt-in.
MOST = {"h200": 227, "rtx3090": 99, "v100": 96, "rtx2080ti": 64}

PROGRAM = r"""
extern "C" __global__ void fill(int *a) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = 7;
  a[threadIdx.x] = tile[threadIdx.x];
}
extern "C" __global__ void both(int *a) {
  __shared__ int own[256];
  extern __shared__ int tile[];
  tile[threadIdx.x] = 7;
  own[threadIdx.x] = tile[threadIdx.x];
  a[threadIdx.x] = own[threadIdx.x];
}"""


def launched(kernel: simulator.RawKernel, size: int) -> None:
    a = simulator.zeros(4, "int32")
    kernel((1,), (4,), (a,), shared_mem=size)
    assert a.get().tolist() == [7] * 4


@pytest.fixture(params=list(PROFILES))
def profile(request: pytest.FixtureRequest) -> Profile:
    return PROFILES[request.param]


def test_a_block_may_have_so_much(profile: Profile) -> None:
    most = MOST.get(profile.name, 48) * KIB
    with simulator.Device(profile=profile.name):
        kernel = simulator.RawKernel(PROGRAM, "fill")
        launched(kernel, 48 * KIB)
        with pytest.raises(LaunchError, match="needs 49,156 bytes of shared memory a block"):
            launched(kernel, 48 * KIB + 4)
        kernel.max_dynamic_shared_size_bytes = most
        launched(kernel, most)
        with pytest.raises(LaunchError, match=f"{profile.title} gives a block {most:,} at most"):
            kernel.max_dynamic_shared_size_bytes = most + 1
        assert kernel.max_dynamic_shared_size_bytes == most
        with pytest.raises(LaunchError, match=f"gives a block {most:,} at most"):
            launched(kernel, most + 4)


def test_what_a_kernel_declares_counts_too(profile: Profile) -> None:
    most = MOST.get(profile.name, 48) * KIB
    with simulator.Device(profile=profile.name):
        kernel = simulator.RawKernel(PROGRAM, "both")
        kernel.max_dynamic_shared_size_bytes = most
        launched(kernel, most - KIB)
        with pytest.raises(LaunchError, match=f"both needs {most + 4:,} bytes"):
            launched(kernel, most - KIB + 4)


def test_what_was_allowed_on_a_large_gpu_is_not_on_a_small_one() -> None:
    kernel = simulator.RawKernel(PROGRAM, "fill")
    with simulator.Device(profile="h200"):
        kernel.max_dynamic_shared_size_bytes = 200 * KIB
        launched(kernel, 200 * KIB)
    with (
        simulator.Device(profile="rtx3090"),
        pytest.raises(LaunchError, match="RTX 3090 gives a block 101,376 at most"),
    ):
        launched(kernel, 200 * KIB)


def test_less_than_nothing_is_refused() -> None:
    kernel = simulator.RawKernel(PROGRAM, "fill")
    with pytest.raises(LaunchError, match="It counts bytes from 0"):
        kernel.max_dynamic_shared_size_bytes = -1
    with pytest.raises(LaunchError, match="It counts bytes from 0"):
        launched(kernel, -4)


def test_no_multiprocessor_gives_a_block_more_than_it_has(profile: Profile) -> None:
    assert profile.shared_per_block <= profile.shared_per_block_optin
    assert profile.shared_per_block_optin <= profile.shared_per_multiprocessor
