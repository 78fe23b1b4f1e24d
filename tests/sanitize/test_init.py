"""Reads of what nothing has written: device memory, shared memory, threads' own arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulator
from simulator import Fault
from tests.sanitize.machine import kernel, sanitized

READ = kernel("const int *a, int *out", "out[threadIdx.x] = a[threadIdx.x];")
WRITE = kernel("int *a, int first", "a[first + threadIdx.x] = 1;")
UNWRITTEN = "which nothing has written"


def launch(text: str, threads: int, *arguments: object) -> None:
    simulator.RawKernel(text, "k")((1,), (threads,), arguments)


@given(st.data())
def test_what_host_and_kernels_wrote_may_be_read(data: st.DataObject) -> None:
    size = 12
    written = np.zeros(size, np.bool_)
    with simulator.Device(memory=1 << 20), simulator.sanitize("init"):
        a, out = simulator.empty(size, "int32"), simulator.empty(size, "int32")
        for _ in range(data.draw(st.integers(0, 3))):
            first = data.draw(st.integers(0, size - 1))
            count = data.draw(st.integers(1, size - first))
            how = data.draw(st.sampled_from(["slice", "fill", "kernel", "index", "mask"]))
            if how == "slice":
                a[first : first + count] = 5
            elif how == "fill":
                a[first : first + count].fill(5)
            elif how == "kernel":
                launch(WRITE, count, a, first)
            elif how == "index":
                a[first], count = 5, 1
            else:
                a[np.arange(size) == first], count = 5, 1
            written[first : first + count] = True
        threads = data.draw(st.integers(1, size))
        if written[:threads].all():
            launch(READ, threads, a, out)
        else:
            missing = int(np.argmin(written[:threads]))
            with pytest.raises(Fault, match=rf"reads a\[{missing}\], {UNWRITTEN}"):
                launch(READ, threads, a, out)


@pytest.mark.parametrize(
    ("body", "bad"),
    [
        ("a[threadIdx.x] = 1; out[threadIdx.x] = a[threadIdx.x];", ""),
        ("out[threadIdx.x] = a[threadIdx.x]; a[threadIdx.x] = 1;", "a[0]"),
        ("atomicAdd(&a[1], 1);", "a[1]"),
        ("a[1] = 0; atomicAdd(&a[1], 1);", ""),
        ("a[1] += 2;", "a[1]"),
        ("int x; if (threadIdx.x == 0) x = 1; out[0] = __shfl_sync(~0u, x, 0);", ""),
        ("int x; if (threadIdx.x == 0) x = 1; out[0] = __shfl_sync(~0u, x + 1, 0);", "x"),
        ("((char *)a)[5] = 1; out[0] = ((char *)a)[5];", ""),
        ("((char *)a)[5] = 1; out[0] = a[1];", "a[1]"),
        ("int *p = (int *)(unsigned long long)(a + 3); out[0] = *p;", "a[3]"),
        ("__shared__ int s[64]; s[threadIdx.x] = 1; __syncthreads(); out[0] = s[0];", ""),
        ("__shared__ int s[64]; s[threadIdx.x] = 1; __syncthreads(); out[0] = s[32];", "s[32]"),
        ("int mine[3]; mine[0] = 1; out[0] = mine[0];", ""),
        ("int mine[3]; mine[0] = 1; out[0] = mine[2];", "mine[2]"),
        ("int x; out[0] = x;", "x"),
        ("int x; x = 3; out[0] = x;", ""),
        ("int x; if (threadIdx.x < 9) x = 3; out[0] = x;", "thread (9, 0, 0), lane 9 reads x"),
        ("int x; if (threadIdx.x < 9) x = 3; if (threadIdx.x < 9) out[0] = x;", ""),
        ("int x; if (threadIdx.x) x = 3; out[0] = threadIdx.x ? x : 0;", ""),
        ("int sum; for (int i = 0; i < 3; i++) sum += i; out[0] = sum;", "reads sum"),
        ("int x; for (int i = 0; i < 3; i++) { if (i) out[0] = x; x = i; }", ""),
        ("int *p; if (threadIdx.x < 40) p = out; *p = 1;", ""),
        ("int *p; if (threadIdx.x < 4) p = out; *p = 1;", "thread (4, 0, 0), lane 4 reads p"),
        ("int x; set(x); out[0] = x;", ""),
        ("int x; out[0] = same(x);", "reads x"),
        ("int mine[3] = {1}; out[0] = mine[2];", ""),
        ("int mine[3]; int *p = &mine[threadIdx.x & 1]; p[1] = 4; out[0] = mine[0];", "mine[0]"),
    ],
)
def test_inside_one_launch(body: str, bad: str) -> None:
    functions = "__device__ void set(int &x) { x = 1; } __device__ int same(int x) { return x; }"
    text = kernel("int *a, int *out", body, functions)
    with simulator.Device(memory=1 << 20), simulator.sanitize("init"):
        a, out = simulator.empty(64, "int32"), simulator.empty(64, "int32")
        if not bad:
            launch(text, 32, a, out)
            return
        with pytest.raises(Fault) as caught:
            launch(text, 32, a, out)
    assert f"{bad}, {UNWRITTEN}" in caught.value.message


def test_every_block_has_shared_memory_of_its_own() -> None:
    body = "__shared__ int s[1]; if (blockIdx.x == 0) s[0] = 1; __syncthreads(); a[0] = s[0];"
    for profile, grid in (("h200", 2), ("toy2", 9)):
        with pytest.raises(Fault, match=r"block \(1, 0, 0\).* reads s\[0\]"):
            sanitized(
                kernel("int *a", body),
                np.zeros(1, "i4"),
                grid=grid,
                block=2,
                names=("init",),
                profile=profile,
            )


def test_unwatched_launches_count_as_having_written_all_they_could() -> None:
    with simulator.Device(memory=1 << 20):
        a, b, out = (simulator.empty(32, "int32") for _ in range(3))
        launch(WRITE, 1, a, 0)
        with simulator.sanitize("init"):
            launch(READ, 32, a, out)
            with pytest.raises(Fault, match=UNWRITTEN):
                launch(READ, 32, b, out)


def test_arrays_of_values_are_written() -> None:
    with simulator.Device(memory=1 << 20), simulator.sanitize("init"):
        out = simulator.empty(8, "int32")
        for a in (simulator.zeros(8, "int32"), simulator.arange(8, dtype="int32")):
            launch(READ, 8, a, out)
        launch(READ, 8, out.copy(), simulator.zeros_like(out))


def test_lanes_that_a_shuffle_does_not_ask_need_no_value() -> None:
    body = """int base;
      if (threadIdx.x % 32 == 3) base = atomicAdd(a, 32);
      a[1 + threadIdx.x] = __shfl_sync(0xffffffff, base, 3);"""
    with simulator.Device(memory=1 << 20), simulator.sanitize("init"):
        a = simulator.zeros(33, "int32")
        launch(kernel("int *a", body), 32, a)
        assert a.get().tolist() == [32] + [0] * 32
