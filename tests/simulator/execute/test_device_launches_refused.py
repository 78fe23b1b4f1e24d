"""Launches by kernels that are refused: when they are read, and when they run."""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from simulator import CompileError
from tests.simulator.execute.device_launches import fault
from tests.simulator.launching import source


def refusal(text: str) -> CompileError:
    with pytest.raises(CompileError) as caught:
        simulator.RawModule(code=text)
    return caught.value


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("c<<<1>>>(a, 1);", "a launch takes 2 to 4 values, not 1"),
        ("c<<<1, 1, 0, 0, 0>>>(a, 1);", "a launch takes 2 to 4 values, not 5"),
        ("c<<<1, 1>>>(a);", "`c` takes 2 arguments, not 1"),
        ("c<<<1, 1>>>(a, a);", "the argument `f` of `c` is `int *`, but `float` is needed"),
        ("c<<<1, 1>>>(1.5f, 1);", "the argument `p` of `c` is `float`"),
        ("c<<<a, 1>>>(a, 1);", "the grid is `int *`"),
        ("c<<<1, 1, a>>>(a, 1);", "the size of shared memory is `int *`"),
        ("c<<<1, 1, 0, cudaStreamPerThread>>>(a, 1);", "`cudaStreamPerThread` is no stream"),
        ("c<<<1, 1, 0, n>>>(a, 1);", "`n` is no stream"),
        ("d<<<1, 1>>>(1);", "`d` is a device function, no kernel"),
        ("unknown<<<1, 1>>>(1);", "the kernel `unknown` is not declared"),
        ("n<<<1, 1>>>(1);", "`n` is no kernel"),
        ("later<<<1, 1>>>();", "the kernel `later` is declared, but not defined"),
        ("n = c<<<1, 1>>>(a, 1);", "has no value"),
        ("c(a, 1);", "the kernel `c` cannot be called from device code"),
        ("cudaDeviceSynchronize();", "`cudaDeviceSynchronize` is not supported"),
        ("cudaStream_t s;", "`cudaStream_t` is not supported"),
    ],
)
def test_refused_when_it_is_read(statement: str, message: str) -> None:
    functions = """
    __global__ void c(int *p, float f) { }
    __global__ void later();
    __device__ int d(int x) { return x; }
    """
    assert message in refusal(source("int *a, int n", statement, functions)).message


def test_why_device_code_cannot_wait() -> None:
    found = refusal(source("", "cudaDeviceSynchronize();"))
    assert "since CUDA 12" in found.hint
    assert "cudaStreamTailLaunch" in found.hint


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("c<<<t - 2, 1>>>(a);", "c launched with grid.x = -2"),
        ("c<<<1, dim3(1, t)>>>(a);", "c launched with block.y = 0"),
        ("if (t == 3) c<<<1, 1025>>>(a);", "c launched with block.x = 1025"),
        ("if (t > 1) c<<<1, dim3(64, 64)>>>(a);", "4096 threads a block (64 x 64 x 1)"),
        ("c<<<1, dim3(1, 1, 65)>>>(a);", "c launched with block.z = 65"),
        ("c<<<1, 1, 49153>>>(a);", "c needs 49,153 bytes of shared memory a block"),
        ("bounded<<<1, 33>>>(a);", "bounded launched with 33 threads a block"),
        ("__shared__ int s[2]; c<<<1, 1>>>(s);", "a pointer to shared or local memory as `a`"),
        ("int m[2]; if (t) c<<<1, 1>>>(m + 1);", "a pointer to shared or local memory as `a`"),
    ],
)
def test_faults_at_the_launching_line(statement: str, message: str) -> None:
    functions = """
    __global__ void c(int *a) { }
    __global__ void __launch_bounds__(32) bounded(int *a) { }
    """
    text = source("int *a", f"int t = threadIdx.x;\n{statement}", functions)
    if "grid.x" in message:
        message = message.replace("-2", str(2**32 - 2))
    found = fault(text, np.zeros(4, "i4"), block=4)
    assert "a refused launch: " in found.message
    assert message in found.message
    assert found.span is not None
    assert statement.split(";")[-2].endswith(found.span.text)


def test_the_lane_that_launches_wrongly_is_named() -> None:
    functions = "__global__ void c(int *a) { }"
    text = source("int *a", "c<<<1, 3 - threadIdx.x>>>(a);", functions)
    assert "thread (3, 0, 0)" in fault(text, np.zeros(1, "i4"), block=8).message
