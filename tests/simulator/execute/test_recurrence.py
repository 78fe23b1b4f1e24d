"""Loops in which nothing changes any more are told before their steps are used up; others end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator import Fault
from simulator.execute.recurrence import FIRST_LOOK
from tests.simulator.launching import run, source

SAME = "no end: all is as it was some iterations of this loop before"
ENDLESS = {
    "a short cycle": "while (i < n) { i = (i * 3 + 1) & 15; a[i] = 1; }",
    "one of two": "unsigned x = 0; while (x < 10) { x += ~0u; if (x > 9) x = 5; a[0] = x; }",
    "loops inside": "while (i < n) { for (int j = 0; j < 7; j++) a[j] = j; }",
    "a function": "while (i < n) i = same(i, a);",
    "a barrier": "while (true) { __syncthreads(); a[1] = i; }",
    "nan": "float x = a[0]; while (x != 1) { x = x / 0.0f * 0.0f; }",
}
FUNCTION = "__device__ int same(int i, int *a) { for (int j = 0; j < 3; j++) a[j] += 0; return i; }"


@pytest.mark.parametrize("schedule", ["lockstep", "warp"])
@pytest.mark.parametrize("body", ENDLESS.values(), ids=ENDLESS)
def test_a_loop_in_which_nothing_changes_is_told(body: str, schedule: str) -> None:
    text = source("int *a, int n", f"int i = threadIdx.x; {body}", FUNCTION)
    block = 64 if schedule == "lockstep" else 32  # a gang that runs alone
    with pytest.raises(Fault, match=SAME) as caught:
        run(text, np.zeros(100, "i4"), 1000, block=block, schedule=schedule)
    assert caught.value.endless


def test_the_loop_that_does_not_end_is_named_and_not_those_inside() -> None:
    body = """int i = threadIdx.x;
    while (i < n) {
      for (int j = 0; j < 7; j++) a[j] = j;
      for (int j = 0; j < 5; j++) a[j] = j;
    }"""
    with pytest.raises(Fault, match=SAME) as caught:
        run(source("int *a, int n", body), np.zeros(100, "i4"), 1000)
    assert str(caught.value).startswith("<kernel>:4:")


LATER = 4 * FIRST_LOOK
ENDS = {
    "a counter in memory": "while (atomicAdd(&a[9], 1) < n) a[0] = 1;",
    "a counter of one lane": "int m = 0; while (m < n) { a[0] = 1; if (i == 5) m++; "
    "m = __shfl_sync(0xffffffff, m, 5); }",
    "a counter inside": "int m = 0; while (m < n) { for (int j = 0; j < 7; j++) a[j] = j; m++; }",
    "a long cycle": "unsigned x = 1; while (x != 0xdeadbeef && i < n) { x = x * 5 + 3; i++; }",
    "an array of its own": "int own[2] = {0, 0}; int *p = own; while (*p < n) { ++*p; a[0] = 1; }",
    "shared memory": "__shared__ int m; if (!i) m = 0; __syncwarp(); "
    "while (*(volatile int *)&m < n) { if (!i) m++; __syncwarp(); }",
    "the clock": "long long start = clock64(); while (clock64() - start < 32 * n) a[0] = 1;",
    "the clock, a part of it": "while ((clock() >> 5) % 4001 != 4000) for (int j = 0; j < 2; j++) "
    "a[j] = j;",
    "the clock by a function": "while (now() % 4001 != 4000) a[0] = 1;",
    "a counter that only a function sees": "while (more(a, n, 1)) a[0] = 1;",
    "a function that calls itself": "i = down(n / 64, a);",
    "a float": "float x = 1; while (x < n) x += 0.5f;",
}
DOWN = """__device__ int down(int n, int *a) {
  if (n == 0) return 0;
  for (int j = 0; j < 64; j++) a[0] = 1;
  return down(n - 1, a);
}
__device__ unsigned now() { return clock() >> 5; }
__device__ bool more(int *a, int n, int depth) {
  if (depth > 0) return more(a, n, depth - 1);
  a[9]++;
  return a[9] < n;
}"""


@pytest.mark.parametrize("body", ENDS.values(), ids=ENDS)
def test_a_loop_that_goes_on_for_long_ends(body: str) -> None:
    text = source("int *a, int n", f"int i = threadIdx.x; {body} a[50 + threadIdx.x] = 7;", DOWN)
    found = run(text, np.zeros(100, "i4"), LATER, schedule="lockstep").arrays[0]
    assert found[50:82].tolist() == [7] * 32


@settings(max_examples=40, deadline=None)
@given(
    st.integers(FIRST_LOOK - 3, FIRST_LOOK + 60),
    st.integers(1, 30),
    st.integers(0, 3),
    st.sampled_from([1, 33, 64]),
)
def test_who_changes_one_thing_at_last_gets_there(
    turns: int, rare: int, inner: int, block: int
) -> None:
    """A number in memory counts every so many iterations; between them all may look the same."""
    body = """int phase = 0;
    while (*(volatile int *)a < turns) {
      phase = phase + 1 == rare ? 0 : phase + 1;
      for (int j = 0; j < inner; j++) a[1] = j;
      if (phase == 0 && threadIdx.x == 0) a[0]++;
      __syncthreads();
    }
    a[2 + threadIdx.x] = phase;"""
    text = source("int *a, int turns, int rare, int inner", body)
    arguments = (np.zeros(70, "i4"), turns // rare, rare, inner)
    found = run(text, *arguments, block=block, schedule="lockstep").arrays[0]
    assert found[0] == turns // rare
    assert found[2 : 2 + block].tolist() == [0] * block


def test_a_launch_does_not_begin_again_because_it_is_looked_at() -> None:
    """The second warp searches for long where nothing changes, and the first one waits for it."""
    body = """int warp = threadIdx.x / 32, k = 0;
    if (threadIdx.x % 32 == 0) a[4 + warp] = atomicAdd(&a[2], 1);
    bool on = warp;
    while (on) { if (*(volatile int *)a != 0 || k == n) on = false; k++; }
    if (threadIdx.x % 32 == 0) a[6 + warp] = atomicAdd(&a[2], 1);"""
    ran = run(source("int *a, int n", body), np.zeros(8, "i4"), 2 * FIRST_LOOK, block=64)
    assert ran.arrays[0][4:].tolist() == [0, 1, 2, 3]  # a gang a warp would have 0, 2, 1, 3
