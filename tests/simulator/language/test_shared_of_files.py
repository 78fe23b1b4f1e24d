"""Shared variables outside functions: `extern` arrays that the launch makes, and static ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import simulator
from gpubfs.machines import nvrtc
from simulator import CompileError
from tests.sanitize.machine import kernel, sanitized
from tests.simulator.instrument.test_instrument import check
from tests.simulator.launching import fault, run, source

ZEROS = np.zeros(32, "i4")
READ = "a[threadIdx.x] = buffer[threadIdx.x];"

#: What stands before the kernel `k(int *a)`, its body, and what its first threads leave.
RIGHT = {
    "at file scope": (
        "extern __shared__ int buffer[];",
        "buffer[threadIdx.x] = threadIdx.x + 5; a[threadIdx.x] = buffer[threadIdx.x];",
        [5, 6, 7],
    ),
    "the words in another order": (
        "__shared__ extern int buffer[];",
        "buffer[1] = 4; a[0] = buffer[1];",
        [4],
    ),
    "after extern C": (
        'extern "C" __shared__ int buffer[];',
        "buffer[1] = 4; a[0] = buffer[1];",
        [4],
    ),
    "in a block of extern C": (
        'extern "C" { extern __shared__ int buffer[]; }',
        "buffer[1] = 4; a[0] = buffer[1];",
        [4],
    ),
    "in a namespace": (
        "namespace n { extern __shared__ int buffer[];"
        " __device__ int *second() { return buffer + 1; } }",
        "n::buffer[1] = 4; a[0] = *n::second();",
        [4],
    ),
    "of one name in two namespaces": (
        "namespace n { extern __shared__ int b[]; } namespace m { extern __shared__ float b[]; }",
        "n::b[0] = 0x3f800000; a[0] = (int)m::b[0];",
        [1],
    ),
    "other names and types begin at the same place": (
        "extern __shared__ unsigned words[]; extern __shared__ unsigned char bytes[];",
        "words[1] = 0x01020304; a[0] = bytes[4]; a[1] = bytes[7]; a[2] = bytes == (void *)words;",
        [4, 1, 1],
    ),
    "declared twice": (
        "extern __shared__ int buffer[]; extern __shared__ int buffer[];",
        "buffer[1] = 4; a[0] = buffer[1];",
        [4],
    ),
    "declared in the file and in functions": (
        "extern __shared__ int buffer[];"
        " __device__ int f() { extern __shared__ int buffer[]; return buffer[2]; }",
        "extern __shared__ int buffer[]; buffer[2] = 9; a[0] = f();",
        [9],
    ),
    "used by device functions alone": (
        "extern __shared__ int buffer[]; __device__ void put(int x) { buffer[3] = x; }"
        " __device__ int got() { return buffer[3]; }",
        "put(8); a[0] = got();",
        [8],
    ),
    "used by a function that calls itself": (
        "extern __shared__ int buffer[];"
        " __device__ int sum(int n) { return n < 0 ? 0 : buffer[n] + sum(n - 1); }",
        "for (int i = 0; i < 4; i++) buffer[i] = i; a[0] = sum(3);",
        [6],
    ),
    "in a template": (
        "extern __shared__ unsigned char bytes[];"
        " template <typename T> __device__ T *all() { return (T *)bytes; }",
        "all<int>()[1] = 7; a[0] = all<short>()[2];",
        [7],
    ),
    "of structures": (
        "struct P { int x; float y; }; extern __shared__ P points[];",
        "points[1].y = 3; a[0] = (int)points[1].y;",
        [3],
    ),
    "of rows": (
        "extern __shared__ int rows[][4];",
        "rows[1][2] = 5; a[0] = (&rows[0][0])[6];",
        [5],
    ),
    "aligned": (
        "extern __shared__ __align__(16) unsigned char bytes[];",
        "*(int4 *)bytes = make_int4(1, 2, 3, 4); a[0] = ((int *)bytes)[2];",
        [3],
    ),
    "behind static arrays": (
        "__shared__ int fixed[3]; extern __shared__ int buffer[];",
        "fixed[2] = 1; buffer[0] = 2; a[0] = fixed[2]; a[1] = buffer[0];"
        "a[2] = (char *)buffer - (char *)fixed;",
        [1, 2, 16],
    ),
    "static at file scope": (
        "static __shared__ int s[4]; __device__ __shared__ int t;"
        " __device__ int f() { return s[1] * t; }",
        "s[1] = 6; t = 7; a[0] = f();",
        [42],
    ),
}

#: What CUDA's compiler refuses, and what of our message.
WRONG = {
    "another type in the file": (
        "extern __shared__ int buffer[]; extern __shared__ float buffer[];",
        "a[0] = 1;",
        "is `float.*` here, and `int.*` in line 1",
    ),
    "another type in the kernel": (
        "extern __shared__ float buffer[];",
        "extern __shared__ int buffer[]; " + READ,
        "is `int.*` here, and `float.*` in line 1",
    ),
    "another type in two functions": (
        "__device__ float f() { extern __shared__ float buffer[]; return buffer[0]; }",
        "extern __shared__ int buffer[]; a[0] = f();" + READ,
        "is `int.*` here, and `float.*` in line 1",
    ),
    "another type in an instance of a template": (
        "template <typename T> __device__ T f() { extern __shared__ T raw[]; return raw[0]; }",
        "a[0] = f<int>() + f<float>();",
        "is `float.*` here, and `int.*` in line 1",
    ),
    "volatile here and not there": (
        "extern __shared__ int buffer[];",
        "extern volatile __shared__ int buffer[]; " + READ,
        "is `volatile int.*` here, and `int.*` in line 1",
    ),
    "a function of its name": (
        "__device__ int buffer() { return 1; }",
        "extern __shared__ int buffer[]; " + READ,
        "is a function, too",
    ),
    "without a length and extern": ("__shared__ int buffer[];", READ, "needs a length"),
    "a first value": ("__shared__ int s = 1;", "a[0] = s;", "cannot have a first value"),
    "a constant": ("__shared__ const int s[4];", "a[0] = s[0];", "needs a value"),
    "static and extern": ("static extern __shared__ int buffer[];", READ, "after `static`"),
    "extern and static": ("extern static __shared__ int buffer[];", READ, "after `extern`"),
    "constant memory, too": ("extern __constant__ __shared__ int buffer[];", READ, "__constant__"),
    "managed, too": ("__managed__ __shared__ int s;", "a[0] = s;", "__managed__"),
    "in a register": ("register __shared__ int s;", "a[0] = s;", "register"),
    "its size": ("extern __shared__ int buffer[];", "a[0] = sizeof(buffer);", "no size here"),
    "as a first value": (
        "extern __shared__ int buffer[]; __device__ int *p = buffer;",
        "a[0] = *p;",
        "not constant",
    ),
}


def compiles(text: str) -> bool:
    """Whether NVIDIA's compiler accepts a text."""
    try:
        nvrtc.compile_text(text, "kernel.cu", Path("."))
    except RuntimeError:
        return False
    return True


@pytest.mark.parametrize("case", RIGHT.values(), ids=RIGHT)
def test_it_works(case: tuple[str, str, list[int]]) -> None:
    before, body, expected = case
    found = run(source("int *a", body, before), ZEROS, block=3, shared=256).arrays[0]
    assert found[: len(expected)].tolist() == expected


@pytest.mark.parametrize("case", RIGHT.values(), ids=RIGHT)
def test_the_rewritten_text_counts_the_same(case: tuple[str, str, list[int]]) -> None:
    before, body, _ = case
    check(source("int *a", body, before), ZEROS, block=32, grid=1, shared=256)


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG)
def test_it_is_refused(case: tuple[str, str, str]) -> None:
    before, body, message = case
    with pytest.raises(CompileError, match=message):
        run(source("int *a", body, before), ZEROS, shared=256)


@pytest.mark.skipif(nvrtc.load()[0] is None, reason="NVRTC is not installed")
def test_cudas_compiler_agrees() -> None:
    right = [
        n for n, (before, body, _) in RIGHT.items() if compiles(source("int *a", body, before))
    ]
    wrong = [
        n for n, (before, body, _) in WRONG.items() if compiles(source("int *a", body, before))
    ]
    assert (right, wrong) == (list(RIGHT), [])


def test_several_kernels_have_what_each_launch_asks_for() -> None:
    text = "extern __shared__ int buffer[];\n" + source("int *a", "a[0] = buffer[7] = 1;")
    text += 'extern "C" __global__ void none(int *a) { a[0] = 2; }\n'
    module = simulator.RawModule(code=text)
    with simulator.Device(memory=1 << 20):
        a = simulator.zeros(1, "int32")
        module.get_function("k")((1,), (1,), (a,), shared_mem=32)
        module.get_function("none")((1,), (1,), (a,))
        assert a.get().tolist() == [2]
    assert module.get_function("none").compiled().plan.shared == []
    with pytest.raises(CompileError, match="no __device__ or __constant__ variable 'buffer'"):
        module.get_global("buffer")


def test_its_end_is_where_the_launch_says() -> None:
    text = source("int *a", "a[0] = buffer[8];", "extern __shared__ int buffer[];")
    assert "reads buffer[8], but buffer has 8 elements" in str(fault(text, ZEROS, shared=32))
    assert "shared_mem=BYTES" in str(fault(text, ZEROS))


def test_sanitizers_and_traces_name_it() -> None:
    before = "extern __shared__ int buffer[];"
    body = "buffer[threadIdx.x] = 1; %s a[threadIdx.x] = buffer[63 - threadIdx.x];"
    a = np.zeros(64, "i4")
    sanitized(kernel("int *a", body % "__syncthreads();", before), a, block=64, shared=256)
    with pytest.raises(simulator.Fault, match="race on buffer"):
        sanitized(kernel("int *a", body % "", before), a, block=64, shared=256)
    with pytest.raises(simulator.Fault, match=r"reads buffer\[0\], which nothing has written"):
        sanitized(kernel("int *a", "a[0] = buffer[0];", before), a, shared=256)
    text = source(
        "int *a",
        "extern __shared__ int buffer[]; f(); " + body % "",
        before + " __device__ void f() { extern __shared__ int buffer[]; buffer[0] = 1; }",
    )
    with simulator.Device(memory=1 << 20), simulator.tracing() as trace:
        simulator.RawKernel(text, "k")((1,), (64,), (simulator.zeros(64, "int32"),), shared_mem=256)
    assert [array.name for array in trace.launches[0].shared] == ["buffer"]
