"""What CUDA's compiler takes and the simulator once refused, with what of it CUDA refuses."""

from __future__ import annotations

import pytest

from simulator.check import check
from simulator.compile.kernel import compile_kernel
from simulator.read import read
from simulator.source import CompileError, Source
from tests.simulator.language.accepted import ACCEPTED
from tests.simulator.launching import cuda_takes
from tests.simulator.verify import verify

#: Close to what is accepted, and refused by both.
REFUSED = [
    "__global__ void k(int *a) { if (int x = a[0]) { int x = 3; a[1] = x; } }",
    "__global__ void k(int *a) { if (int x = a[0]) a[1] = x; else { int x = 2; a[1] = x; } }",
    "__global__ void k(int *a) { while (int x = a[0]) { int x = 3; a[0] = x; } }",
    "__global__ void k(int *a) { while (int x = a[0]; x > 0) { a[0] = x - 1; } }",
    "__global__ void k(int *a) { if (int x = a[0]) a[1] = x; a[2] = x; }",
    "__global__ void k(int *a) { if (int x) a[1] = x; }",
    "__global__ void k(int *a) { a[0] = [[likely]] 3; }",
    "__global__ void k(int *a) { a[[0]] = 3; }",
    "__global__ void k(int *a, __grid_constant__ int n) { a[0] = n; }",
    "__device__ int f(const __grid_constant__ int n) { return n; }",
    "__global__ void k(int *a) { const int x = 1; int y = 2; (a[0] ? x : y) = 3; }",
    "__global__ void k(int *a) { unsigned x = 1; int y = 2; (a[0] ? x : y) = 3; }",
    "__global__ void k(int *a) { int x = 1; x++ = 3; }",
    "__constant__ int c; __global__ void k(int *a) { c = a[0]; }",
    "__constant__ const int c[2] = {1, 2}; __global__ void k(int *a) { int *p = c; a[0] = *p; }",
    "__global__ void k(int *a) { __device__ int s; a[0] = s; }",
    "__global__ void k(int *a) { __constant__ int s; a[0] = s; }",
    "__global__ void k(int *a) { typedef int T; int T = 3; }",
    "__device__ int size_t;",
    "#line 0\n__device__ int x;",
    "#define A 1 + \\ \n 2\n__device__ int x = A;",
]


def accepted(text: str) -> None:
    program = verify(check(read(Source(text), headers={})))
    for kernel in program.kernels.values():
        compile_kernel(kernel)


@pytest.mark.parametrize("text", ACCEPTED)
def test_what_cuda_takes_is_taken(text: str) -> None:
    accepted(text)


@pytest.mark.parametrize("text", REFUSED)
def test_what_cuda_refuses_is_refused(text: str) -> None:
    with pytest.raises(CompileError):
        accepted(text)


@pytest.mark.slow
@pytest.mark.parametrize("text", ACCEPTED + REFUSED)
def test_cuda_says_so(text: str) -> None:
    assert cuda_takes(text) == (text in ACCEPTED)
