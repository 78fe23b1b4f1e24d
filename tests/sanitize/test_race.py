"""Races: pairs of kernels, one with the bug and one without."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulator
from simulator import Fault
from tests.sanitize.machine import kernel, sanitized, versions

A = np.zeros(256, "i4")

# What is in «» is what makes the kernel correct.
PAIRS = {
    "a barrier between a write and another warp's read": (
        "__shared__ int s[64]; s[threadIdx.x] = threadIdx.x;"
        "«__syncthreads();» a[threadIdx.x] = s[63 - threadIdx.x];",
        1,
        64,
    ),
    "a barrier before the next turn overwrites": (
        "__shared__ int s[64]; int sum = 0; for (int i = 0; i < 3; i++) {"
        "s[threadIdx.x] = i; __syncthreads(); sum += s[63 - threadIdx.x]; «__syncthreads();»}"
        "a[threadIdx.x] = sum;",
        1,
        64,
    ),
    "a warp's lanes synchronise": (
        "__shared__ int s[32]; s[threadIdx.x] = 1; for (int d = 16; d; d /= 2) {"
        "«__syncwarp();» int x = s[threadIdx.x ^ d]; «__syncwarp();» s[threadIdx.x] += x; }"
        "a[threadIdx.x] = s[threadIdx.x];",
        1,
        32,
    ),
    "a shuffle orders no memory": (
        "__shared__ int s[32]; s[threadIdx.x] = 1; int x = __shfl_sync(~0u, 1, 0); «__syncwarp();»"
        "a[threadIdx.x] = s[31 - threadIdx.x] + x;",
        1,
        32,
    ),
    "half a warp synchronises": (
        "__shared__ int s[32]; if (threadIdx.x < 16) { s[threadIdx.x] = 1; «__syncwarp(0xffff);»"
        "a[threadIdx.x] = s[15 - threadIdx.x]; }",
        1,
        32,
    ),
    "a sum by atomics": ("«atomicAdd(&»a[0]«, 1)»«!++»;", 4, 32),
    "the last block adds up": (
        "__shared__ bool last; if (threadIdx.x == 0) { a[blockIdx.x + 1] = blockIdx.x;"
        "«__threadfence();» last = atomicAdd(&a[0], 1) == gridDim.x - 1; } __syncthreads();"
        "if (last && threadIdx.x < gridDim.x) a[100 + threadIdx.x] = a[1 + threadIdx.x];",
        4,
        32,
    ),
    "all of a block is released by one thread": (
        "__shared__ int got; a[1 + blockIdx.x * blockDim.x + threadIdx.x] = 1; __syncthreads();"
        "if (threadIdx.x == 0) { «__threadfence();» got = atomicAdd(&a[0], 1); } __syncthreads();"
        "if (got == gridDim.x - 1) a[200 + threadIdx.x] = a[1 + threadIdx.x];",
        4,
        32,
    ),
    "every thread fences, then one tells": (
        "if (blockIdx.x == 0) { a[1 + threadIdx.x] = 1; «__threadfence();» __syncthreads();"
        "if (threadIdx.x == 0) atomicExch(a, 1); } else { if (threadIdx.x == 0)"
        "while (atomicAdd(a, 0) == 0); __syncthreads();"
        "a[100 + threadIdx.x] = a[32 - threadIdx.x]; }",
        2,
        32,
    ),
    "every lane fences for the block, then one tells": (
        "if (threadIdx.x < 32) { a[1 + threadIdx.x] = 1; __threadfence_block(); «__syncwarp();»"
        "if (threadIdx.x == 0) atomicExch(a, 1); } else { while (atomicAdd(a, 0) == 0);"
        "a[100 + threadIdx.x] = a[64 - threadIdx.x]; }",
        1,
        64,
    ),
    "a fence before a barrier covers what came before it": (
        "if (blockIdx.x == 0) { a[1 + threadIdx.x] = 1; __threadfence(); «!a[1 + threadIdx.x] = 2;»"
        "__syncthreads(); if (threadIdx.x == 0) atomicExch(a, 1); }"
        "else { while (atomicAdd(a, 0) == 0); a[100 + threadIdx.x] = a[32 - threadIdx.x]; }",
        2,
        32,
    ),
    "a lock that is given back after a fence": (
        "bool done = false; while (!done) { if (atomicCAS(&a[0], 0, 1) == 0) {"
        "a[1] += threadIdx.x; «__threadfence();» atomicExch(&a[0], 0); done = true; } }",
        2,
        48,
    ),
    "a volatile flag after a fence": (
        "if (threadIdx.x == 0) { a[1] = 5; __threadfence(); *(«volatile» int *)a = 1; }"
        "if (threadIdx.x == 32) { while (*(volatile int *)a == 0); a[2] = a[1]; }",
        1,
        64,
    ),
    "a fence for the grid, not the block": (
        "if (threadIdx.x == 0 && blockIdx.x == 0) { a[1] = 5; __threadfence«!_block»();"
        "atomicExch(a, 1); }"
        "if (threadIdx.x == 0 && blockIdx.x == 1 && atomicAdd(a, 0)) a[2] = a[1];",
        2,
        32,
    ),
    "dynamic shared memory": (
        "extern __shared__ int s[]; s[threadIdx.x] = 1; «__syncthreads();»"
        "a[threadIdx.x] = s[63 - threadIdx.x];",
        1,
        64,
    ),
    "a computed pointer to what an array holds": (
        "int *p = (int *)(unsigned long long)a; p[threadIdx.x] = 1; a[threadIdx.x «! + 1»] = 2;",
        1,
        32,
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_pairs(name: str) -> None:
    body, grid, block = PAIRS[name]
    right, wrong = (kernel("int *a", text) for text in versions(body))
    assert sanitized(right, A, grid=grid, block=block, shared=1024).findings == []
    with pytest.raises(Fault, match="race on"):
        sanitized(wrong, A, grid=grid, block=block, shared=1024)


def test_blocks_of_different_waves_meet_in_global_memory_only() -> None:
    apart = "__shared__ int s; if (threadIdx.x == 0) { s = blockIdx.x; a[blockIdx.x] = s; }"
    together = "if (threadIdx.x == 0 && blockIdx.x % 39 == 0) a[0] = blockIdx.x;"
    assert sanitized(kernel("int *a", apart), A, grid=40, block=4, profile="toy4").findings == []
    with pytest.raises(Fault, match=r"race on a\[0\]"):
        sanitized(kernel("int *a", together), A, grid=40, block=4, profile="toy4")


def test_equal_values_are_harmless() -> None:
    (found,) = sanitized(kernel("int *found", "*found = 1;"), A).findings
    assert (found.array, found.declared, found.count) == ("found", False, 1)
    with pytest.raises(Fault):
        sanitized(kernel("int *found", "*found = 1; *found += 1;"), A)


def test_a_launch_orders_what_came_before() -> None:
    text = kernel("int *a, int v", "a[(threadIdx.x + v) % 32] = v + threadIdx.x;")
    with simulator.Device(), simulator.sanitize("race") as report:
        a = simulator.zeros(32, "int32")
        for turn in range(3):
            simulator.RawKernel(text, "k")((1,), (32,), (a, turn))
    assert report.findings == []


@pytest.mark.parametrize("name", ["seen", "label"])
def test_declared_by_the_name_in_source_or_by_label(name: str) -> None:
    text = kernel("int *seen", "seen[0] = threadIdx.x;")
    with simulator.Device() as device:
        a = simulator.zeros(4, "int32")
        device.label(a, "label")
        with simulator.sanitize("race", allow={name: "any will do"}) as report:
            simulator.RawKernel(text, "k")((1,), (32,), (a,))
        with pytest.raises(Fault), simulator.sanitize("race", allow={"other": ""}):
            simulator.RawKernel(text, "k")((1,), (32,), (a,))
    (found,) = report.findings
    assert (found.array, found.declared, found.reason) == (name, True, "any will do")


def test_both_sides_are_named() -> None:
    body = "__shared__ int s[64];\ns[threadIdx.x] = 1;\na[0] = s[threadIdx.x ^ 32];"
    with pytest.raises(Fault) as caught:
        sanitized(kernel("int *a", body), A, block=64, allow={"a": "not meant here"})
    ((_, other),) = caught.value.notes
    assert caught.value.span is not None
    assert other is not None
    assert (caught.value.span.line, other.line) == (5, 4)


SIZES = {"unsigned char": 1, "unsigned short": 2, "unsigned": 4, "unsigned long long": 8}


@st.composite
def touches(draw: st.DrawFn) -> tuple[str, int, bool]:
    """An access: its type, where it begins, and whether it writes."""
    ctype = draw(st.sampled_from(list(SIZES)))
    return ctype, draw(st.integers(0, 16 // SIZES[ctype] - 1)) * SIZES[ctype], draw(st.booleans())


@given(st.lists(touches(), min_size=1, max_size=4))
def test_accesses_of_different_sizes_meet_where_they_overlap(
    accesses: list[tuple[str, int, bool]],
) -> None:
    lines, overlap = [], False
    for thread, (ctype, at, writes) in enumerate(accesses):
        place = f"*({ctype} *)(bytes + {at})"
        value = f"({ctype})0x{f'{thread + 1:02x}' * 8}ull"
        act = f"{place} = {value};" if writes else f"sink = {place};"
        lines.append(f"if (threadIdx.x == {thread}) {{ {act} }}")
        for other, start, also in accesses[:thread]:
            apart = start + SIZES[other] <= at or at + SIZES[ctype] <= start
            overlap |= not apart and (writes or also)
    text = kernel("unsigned char *bytes", "unsigned long long sink = 0;\n" + "\n".join(lines))
    try:
        sanitized(text, np.zeros(16, "u1"), names=("race",))
    except Fault:
        assert overlap
    else:
        assert not overlap


LAST_BLOCK = """
__shared__ bool last;
if (threadIdx.x == 0) {
  partial[blockIdx.x] = in[blockIdx.x];
  __threadfence();
  last = atomicInc(arrived, gridDim.x) == gridDim.x - 1;
}
__syncthreads();
if (last && threadIdx.x == 0) {
  int all = 0;
  for (int b = 0; b < gridDim.x; b++) all += partial[b];
  *out = all;
  *arrived = 0;  // an atomic behind a fence tells of itself, too
}"""


@pytest.mark.parametrize("schedule", ["lockstep", "warp", "random:1", "random:2"])
def test_the_last_block_may_reset_what_counted_the_others(schedule: str) -> None:
    text = kernel("const int *in, volatile int *partial, unsigned *arrived, int *out", LAST_BLOCK)
    given = np.arange(6, dtype="i4"), np.zeros(6, "i4"), np.zeros(1, "u4"), np.zeros(1, "i4")
    for source, races in ((text, False), (text.replace("__threadfence();", ""), True)):
        with simulator.Device(schedule=schedule, memory=1 << 20):
            arrays = tuple(map(simulator.asarray, given))
            launched = simulator.RawKernel(source, "k")
            with pytest.raises(Fault) if races else nullcontext(), simulator.sanitize("race"):
                launched((6,), (32,), arrays)
            assert races or (arrays[3].item(), arrays[2].item()) == (15, 0)


SUMS_UP = """
__shared__ int s[32];
__shared__ bool last;
s[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
__syncthreads();
for (int half = 16; half > 0; half /= 2) {
  if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
  __syncthreads();
}
if (threadIdx.x == 0) {
  partial[blockIdx.x] = s[0];
  __threadfence();
  last = atomicInc(ticket, gridDim.x) == gridDim.x - 1;
}
__syncthreads();
if (last && threadIdx.x < gridDim.x) atomicAdd(out, partial[threadIdx.x]);"""


@pytest.mark.parametrize("fence", [True, False])
@pytest.mark.parametrize("seed", range(20))
def test_blocks_that_draw_tickets_in_any_order(seed: int, fence: bool) -> None:
    text = kernel("const int *in, int *partial, unsigned *ticket, int *out", SUMS_UP)
    if not fence:
        text = text.replace("__threadfence();", "")
    with simulator.Device(schedule=f"shuffled:{seed}", memory=1 << 20):
        given = simulator.arange(256, dtype="int32"), simulator.empty(8, "int32")
        given += simulator.zeros(1, "uint32"), simulator.zeros(1, "int32")
        with (
            nullcontext() if fence else pytest.raises(Fault, match=r"race on partial\["),
            simulator.sanitize("all") as report,
        ):
            simulator.RawKernel(text, "k")((8,), (32,), given)
        assert report.findings == []
        assert given[3].item() == sum(range(256))


def test_a_vote_orders_nothing_under_a_trace_either() -> None:
    body = (
        "__shared__ int s[32]; s[threadIdx.x] = 1; int any = __any_sync(~0u, 1);"
        "a[threadIdx.x] = any + s[31 - threadIdx.x];"
    )
    with simulator.Device(memory=1 << 20), simulator.tracing(), simulator.sanitize("race"):
        launched = simulator.RawKernel(kernel("int *a", body), "k")
        with pytest.raises(Fault, match=r"race on s\["):
            launched((1,), (32,), (simulator.zeros(32, "int32"),))
