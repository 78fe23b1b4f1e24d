"""Which reason a fault of the simulator stands for."""

from __future__ import annotations

import pytest

import simulator
from gpubfs.grading.checks.failures import of_error

FAULTS = {
    "race": ("a[0] = threadIdx.x;", "sanitizer"),
    "a mask that names one lane that is not there": (
        "if (threadIdx.x != 3) __syncwarp();",
        "sanitizer",
    ),
    "a mask that leaves out a lane": ("__syncwarp(~8);", "sanitizer"),
    "nothing written": ("int b[2]; b[0] = 1; a[threadIdx.x] = b[1];", "sanitizer"),
    "beyond the end": ("a[threadIdx.x + 1] = 1;", "fault"),
    "an assertion": ("assert(threadIdx.x < 3);", "fault"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_has_the_reason_that_its_check_gives(name: str) -> None:
    statement, reason = FAULTS[name]
    code = f'extern "C" __global__ void k(int *a) {{ {statement} }}'
    with simulator.Device(), simulator.sanitize("all"), pytest.raises(simulator.Fault) as caught:
        simulator.RawKernel(code, "k")((1,), (32,), (simulator.zeros(32, "int32"),))
    assert of_error(caught.value).reason == reason
