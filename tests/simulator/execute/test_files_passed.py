"""How many files a small kernel passes through: those of a feature only if it uses that."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import simulator

ROOT = Path(simulator.__file__).parent.as_posix()
SCALE = """extern "C" __global__ void f(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= 2;
}"""
#: Files that only kernels with these features need.
FEATURES = {
    "lanes/printing.py": 'printf("%d", a[0]);',
    "compile/switches.py": "switch (n) { case 1: a[0] = 1; }",
    "compile/atomics.py": "atomicAdd(a, n);",
    "compile/spin_loops.py": "for (int i = 0; i < n; ++i) a[i] = 0;",
    "execute/device_launches.py": "g<<<1, 1>>>(a);",
    "lanes/control_flow.py": "a[0] = deep(n);",
    "compile/device_functions.py": "a[0] = deep(n);",
    "compile/barriers.py": "__syncthreads();",
    "execute/meetings.py": "__shared__ Barrier b; init(&b, 32); b.arrive_and_wait();",
    "execute/memory_barriers.py": "__shared__ Barrier b; init(&b, 32); b.arrive_and_wait();",
    "compile/memory_barriers.py": "__shared__ Barrier b; init(&b, 32); b.arrive_and_wait();",
    "compile/ordered.py": "cuda::atomic_ref<int> x(a[0]); x.store(1);",
    "execute/shared_pointers.py": "__shared__ int s[8]; int *p = s; p += n; *p = 0;",
    "execute/cluster_barriers.py": "cooperative_groups::this_cluster().sync();",
    "host/clusters.py": "cooperative_groups::this_cluster().sync();",
}
HELPERS = """
#include <cooperative_groups.h>
#include <cuda/barrier>
using Barrier = cuda::barrier<cuda::thread_scope_block>;
__device__ int deep(int n) { return n > 0 ? deep(n - 1) : 0; }
extern "C" __global__ void g(int *a) { a[0] = 3; }
"""


def files_passed(text: str) -> set[str]:
    """The files of the simulator of which a function runs, by their path in it."""
    found: set[str] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            found.add(frame.f_code.co_filename)

    array, before = simulator.arange(5, dtype="int32"), sys.getprofile()
    sys.setprofile(note)
    try:
        simulator.RawKernel(text, "f")((1,), (32,), (array, 5))
    finally:
        sys.setprofile(before)
    return {path.removeprefix(f"{ROOT}/") for path in found if path.startswith(ROOT)}


def test_a_small_kernel_passes_through_few_files() -> None:
    passed = files_passed(SCALE)
    # Three of them stand apart so that a run whose kernels are kept on disk imports no compiler.
    assert (
        sum(path.startswith(("compile/", "execute/", "host/", "lanes/")) for path in passed) <= 24
    )
    assert not passed & FEATURES.keys()


@pytest.mark.parametrize("path", FEATURES)
def test_a_feature_has_its_file(path: str) -> None:
    body = f"if (blockIdx.x == 0) {{ {FEATURES[path]} }}"
    kernel = f'extern "C" __global__ void f(int *a, int n) {{ {body} }}  // {path}'  # no other's
    assert path in files_passed(HELPERS + kernel)
