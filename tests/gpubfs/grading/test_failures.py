"""Which reason a fault of the simulator stands for."""

from __future__ import annotations

from pathlib import Path

import pytest

import simulator
from gpubfs.grading.failures import failure_of
from gpubfs.grading.outcome import Outcome, redacted

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
    assert failure_of(caught.value).reason == reason


ENDLESS = {
    "waits": "while (*(volatile int *)a == 0);",
    "goes on": "for (int i = 1; i >= 0; i /= 2) a[0] = i;",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_what_does_not_end_is_told_as_that_in_a_hidden_case(name: str) -> None:
    code = f'extern "C" __global__ void k(int *a) {{ {ENDLESS[name]} }}'
    with simulator.Device(steps=10_000), pytest.raises(simulator.Fault) as caught:
        simulator.RawKernel(code, "k")((1,), (1,), (simulator.zeros(32, "int32"),))
    shown = failure_of(caught.value)
    assert "Device(" not in shown.detail
    lost = redacted(Outcome("a", 1, True, shown)).failure
    assert lost is not None
    assert "does not end" in lost.message
    assert "undefined" not in lost.message


HEADER = "__device__ int at(const int *a, int i) { return a[i]; }\n"


@pytest.mark.parametrize("called", [False, True])
def test_a_fault_in_a_header_does_not_ask_for_a_check_there(called: bool, tmp_path: Path) -> None:
    (tmp_path / "at.cuh").write_text(HEADER + 'extern "C" __global__ void g(int *a) { at(a, 9); }')
    file = tmp_path / "mine.cu"
    body = "at(a, 9);" if called else ""
    file.write_text(f'#include "at.cuh"\nextern "C" __global__ void k(int *a) {{ {body} }}\n')
    kernel = "k" if called else "g"
    with simulator.Device():
        module = simulator.RawModule(path=str(file), options=(f"-I{tmp_path}",))
        a, launched = simulator.zeros(4, "int32"), module.get_function(kernel)
        with pytest.raises(simulator.Fault) as caught:
            launched((1,), (1,), (a,))
    detail = failure_of(caught.value, file=file).detail
    assert "a has 4 elements" in detail
    assert ("at.cuh is not yours" in detail) is not called
    assert ("missing bounds check" in detail) is called


def test_memory_that_is_not_there_is_told_as_that_in_a_hidden_case() -> None:
    code = '__device__ int all[1 << 20]; extern "C" __global__ void k(int *a) { all[0] = 1; }'
    small = simulator.Device("h200", 1 << 20)
    with small, pytest.raises(simulator.SimulatorError) as caught:
        simulator.RawKernel(code, "k")((1,), (1,), (simulator.zeros(32, "int32"),))
    lost = redacted(Outcome("a", 1, True, failure_of(caught.value))).failure
    assert lost is not None
    assert "more memory than the device has" in lost.message
