"""Traces tell the truth: memory, lanes and operands of every step, against the machine itself."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import simulator
from simulator.ir.events import CONDITION
from simulator.observe.trace import ACTIVE, ENDED, MASKED, WAITING, Cursor, TracedLaunch, accesses
from tests.fuzz.run import run
from tests.simulator.execute.test_random import any_program
from tests.simulator.observe.trace.recorded_states import observed, traced
from tests.simulator.observe.trace.test_trace import SCHEDULES


def int32(*values: int) -> Any:
    return np.array(values, np.int32)


def zeros(count: int, dtype: str = "int32") -> Any:
    return np.zeros(count, dtype)


KERNELS: dict[str, tuple[str, Any, Any, tuple[Any, ...]]] = {
    "blocks of three dimensions, returns, break and continue": (
        """extern "C" __global__ void k(int *a) {
          int i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
          if (i == 2) return;
          a[b * 9 + i] = i * 10 + b;
          for (int j = 0; j < i; j++) {
            if (j == 3) break;
            if (j == 1) continue;
            a[b * 9 + i] += j;
          }
        }""",
        (2, 2, 2),
        (3, 1, 3),
        (zeros(72),),
    ),
    "switch, ternary, short circuit and do": (
        """extern "C" __global__ void k(int *a, int *b) {
          int x = a[threadIdx.x];
          switch (x) {
            case 10: b[0] = 1;
            case 20: b[threadIdx.x] = 2; break;
            case 30: return;
            default: b[threadIdx.x] = 9;
          }
          int y = x > 10 ? a[0] : a[1]++;
          if (x > 5 && a[threadIdx.x % 2]++ > 3 || (b[1] -= 1)) b[2] += y;
          do { x -= 10; if (x == 0) continue; b[3] = x; } while (x > 0);
        }""",
        (2,),
        (6,),
        (int32(10, 20, 30, 40, 10, 20), zeros(8)),
    ),
    "recursion and early returns": (
        """__device__ int f(int x, int *p) {
          if (x < 2) return x;
          p[x] += 1;
          if (x % 2) return f(x - 1, p) + f(x - 2, p);
          return x;
        }
        __device__ void g(int *p, int i) {
          if (i > 3) return;
          p[i] = 100;
          for (;;) { if (p[i]-- < 98) return; }
        }
        extern "C" __global__ void k(int *a, int *b) {
          int i = threadIdx.x;
          a[i] = f(i, b);
          g(a, i);
          b[i] += a[i];
        }""",
        (1,),
        (7,),
        (zeros(8), zeros(8)),
    ),
    "elements of every size": (
        """extern "C" __global__ void k(
            unsigned char *c, long long *l, float *f, double *d, short *s, int *q) {
          int i = threadIdx.x;
          c[i] = i * 100;
          l[i] = (long long)i << 40;
          f[i] = i / 3.0f;
          d[i] = i / 3.0;
          s[i] = -i;
          if (c[i] > 150) d[i] = 1e300;
          int4 v = ((int4 *)q)[i % 4];
          v.x += i;
          ((int4 *)q)[(i + 1) % 4] = v;
          ((char *)q)[i] = 1;
        }""",
        (1,),
        (9,),
        (
            *(zeros(16, dtype) for dtype in ("uint8", "int64", "float32", "float64", "int16")),
            zeros(16),
        ),
    ),
    "structures with pointers": (
        """struct P { int x; float y; int *q; };
        extern "C" __global__ void k(struct P *p, int *q) {
          int i = threadIdx.x;
          p[i].q = q + i;
          p[i].y = 0.5f;
          *(p[i].q) = 7;
          struct P c = p[i];
          c.x = 3;
          p[7 - i] = c;
        }""",
        (1,),
        (4,),
        (zeros(32), zeros(16)),
    ),
    "pointers to this or that array": (
        """extern "C" __global__ void k(int *a, int *b) {
          int i = threadIdx.x;
          int *p = i % 2 ? a : b;
          p[i] = i;
          int x = p[i] + 1;
          atomicAdd(&p[0], x);
          p[1] = 3;
        }""",
        (1,),
        (6,),
        (zeros(8), zeros(8)),
    ),
    "pointers to memory of every kind": (
        """__constant__ int c[4] = {3, 4, 5, 6};
        __device__ int count;
        extern "C" __global__ void k(int *a) {
          __shared__ int tile[4];
          int own[4];
          int i = threadIdx.x;
          tile[i % 4] = c[i % 4];
          own[i % 4] = 2;
          int *p = i % 3 == 0 ? own : i % 3 == 1 ? tile : a;
          p[i % 4] = 9;
          int old = atomicAdd(&count, p[i % 4]);
          a[i] += old;
        }""",
        (2,),
        (6,),
        (zeros(8),),
    ),
    "shared memory, barriers and shared atomics": (
        """extern "C" __global__ void k(int *a) {
          __shared__ int n;
          __shared__ int tile[5];
          extern __shared__ int more[];
          int i = threadIdx.x;
          if (i == 0) n = 0;
          __syncthreads();
          int at = atomicAdd(&n, 1);
          tile[at % 5] = i;
          more[i] = at;
          __syncthreads();
          if (i < 2) atomicMax(&tile[i], 50);
          int some = __syncthreads_count(i > 3);
          a[blockIdx.x * 6 + i] = more[(i + 1) % 6] + tile[0] + some;
          if (i == 1) { atomicExch(&a[0], 4); atomicCAS(&a[1], 0, 3); }
        }""",
        (5,),
        (6,),
        (zeros(30),),
    ),
    "warps and groups": (
        """#include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        extern "C" __global__ void k(int *a) {
          int i = threadIdx.x;
          auto two = cg::tiled_partition<2>(cg::this_thread_block());
          int x = two.shfl(i, 1) + two.ballot(i > 2);
          a[i] = x;
          cg::this_grid().sync();
          a[i] += a[(i + 1) % 8] + (__any_sync(0xffffffff, i == 3) ? 1 : 0);
          __syncwarp();
        }""",
        (1,),
        (8,),
        (zeros(8),),
    ),
    "a flag that another warp sets": (
        """extern "C" __global__ void k(volatile int *flag, int *a) {
          if (threadIdx.x < 32) {
            while (flag[0] == 0) {}
            a[0] = 1;
          } else {
            flag[0] = 1;
          }
          a[threadIdx.x] = 3;
        }""",
        (1,),
        (64,),
        (zeros(1), zeros(64)),
    ),
    "kernels that launch kernels": (
        """extern "C" __global__ void c(int *a, int n) { a[threadIdx.x] += n; }
        extern "C" __global__ void k(int *a) {
          int i = threadIdx.x;
          a[i] = i;
          if (i == 2) { c<<<1, 4>>>(a, 5); a[0] = 77; }
          if (i == 1) c<<<1, 2>>>(a + 1, 7);
          a[3] += 1;
        }""",
        (1,),
        (4,),
        (zeros(8),),
    ),
    "nothing to do": ('extern "C" __global__ void k(int *a) { }', (1,), (4,), (zeros(0),)),
}


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("profile", ["toy2", "h200"])
@pytest.mark.parametrize("name", KERNELS)
def test_every_step_has_left_memory_as_it_was(name: str, profile: str, schedule: str) -> None:
    if "flag" in name and profile == "toy2":  # whose blocks are too small
        profile = "v100"
    code, grid, block, arrays = KERNELS[name]
    traced(code, grid, block, *arrays, profile=profile, schedule=schedule, shared_mem=40)


@pytest.mark.slow
def test_every_step_of_random_kernels_has_left_memory_as_it_was() -> None:
    done = 0
    for seed in range(40):
        made, profile = any_program(Random(seed))
        with observed() as truth, simulator.Device(profile, memory=1 << 20):
            with simulator.tracing() as trace:
                try:
                    run(made.job(), simulator)
                    done += 1
                except simulator.Fault:
                    pass
            for launch in trace.launches:
                truth.check(launch)
    assert done > 15


def states(launch: TracedLaunch) -> list[tuple[str, list[int]]]:
    cursor = Cursor(launch)
    return [(s.span.text, cursor.at(n).states().tolist()) for n, s in enumerate(launch.steps)]


def test_a_warp_that_has_come_to_the_end_has_returned() -> None:
    code = """extern "C" __global__ void k(int *a) {
      int i = threadIdx.x;
      if (i % 2) a[i] = 1;
    }"""
    (launch,) = traced(code, (1,), (3,), zeros(4), profile="toy2", schedule="warp")
    assert states(launch) == [
        ("int i = threadIdx.x;", [ACTIVE, ACTIVE, MASKED, 0]),
        ("if (i % 2) a[i] = 1;", [ACTIVE, ACTIVE, MASKED, 0]),
        ("a[i] = 1;", [MASKED, ACTIVE, MASKED, 0]),
        ("int i = threadIdx.x;", [ENDED, ENDED, ACTIVE, 0]),
        ("if (i % 2) a[i] = 1;", [ENDED, ENDED, ACTIVE, 0]),
    ]


def test_a_warp_that_a_fault_has_kept_from_its_end_has_not_returned() -> None:
    code = """extern "C" __global__ void k(int *a) {
      __syncthreads();
      a[threadIdx.x] = 1;
    }"""
    with (
        simulator.Device("toy2", schedule="warp"),
        simulator.tracing() as trace,
        pytest.raises(simulator.Fault),
    ):
        simulator.RawKernel(code, "k")((1,), (6,), (simulator.zeros(2, "int32"),))
    assert ENDED not in states(trace.launches[0])[-1][1]


def test_nobody_waits_at_a_barrier_that_others_have_passed() -> None:
    code = """extern "C" __global__ void k(int *a) {
      a[threadIdx.x] = 1;
      __syncthreads();
      a[threadIdx.x] = 2;
      __syncthreads();
    }"""
    for schedule in SCHEDULES:
        (launch,) = traced(code, (3,), (4,), zeros(4), profile="toy2", schedule=schedule)
        arrived, passed = np.zeros((3, 4), np.int64), np.zeros((3, 4), np.int64)
        final = [max(n for n, s in enumerate(launch.steps) if b in s.lanes // 4) for b in range(3)]
        cursor = Cursor(launch)
        for number, step in enumerate(launch.steps):
            passed.flat[step.lanes] = arrived.flat[step.lanes]
            if any(o.form == "barrier" for o in step.block.operands):
                arrived.flat[step.lanes] += 1
            waiting = arrived > passed.max(axis=1, keepdims=True)
            waiting[[number > last for last in final]] = False
            waiting.flat[step.lanes] = False
            assert np.array_equal(cursor.at(number).states() == WAITING, waiting.ravel())


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("a[0] > 0 && (b[i] += 1)", {"a[0] > 0": [True] * 4}),
        ("i > 1 && (b[i] += 1)", {"i > 1": [False, False, True, True]}),
        ("i > 1 || (b[i] += 1)", {"i > 1": [False, False, True, True]}),
    ],
)
def test_a_condition_is_shown_with_its_own_truth(test: str, expected: dict[str, Any]) -> None:
    code = f"""extern "C" __global__ void k(int *a, int *b) {{
      int i = threadIdx.x;
      bool x = {test};
      a[1] = x;
    }}"""
    (launch,) = traced(code, (1,), (4,), int32(1, 1), zeros(4), profile="toy4")
    found = {
        operand.site.span.text: step.of(value, slice(0, 4)).tolist()
        for step in launch.steps
        for operand, value in step.named(CONDITION)
    }
    assert found == expected


def test_a_switch_shows_what_it_selects_by() -> None:
    code = """extern "C" __global__ void k(int *a) {
      switch (a[threadIdx.x]) { case 30: a[0] = 1; break; case 10: a[1] = 2; }
    }"""
    (launch,) = traced(code, (1,), (3,), int32(10, 20, 30), profile="toy4")
    values = [v.tolist() for o, v in launch.steps[0].named("value")]
    assert values == [[10, 20, 30]]


def test_shared_arrays_have_the_length_that_was_asked_for() -> None:
    code = """extern "C" __global__ void k(int *a) {
      extern __shared__ int more[];
      more[threadIdx.x] = 1;
    }"""
    (launch,) = traced(code, (1,), (3,), zeros(1), shared_mem=20)
    assert Cursor(launch).at(0).shared(launch.shared[0], 0)[0].size == 5


@pytest.mark.slow
def test_lanes_that_go_to_both_memories_are_two_accesses() -> None:
    code, grid, block, arrays = KERNELS["pointers to memory of every kind"]
    (launch,) = traced(code, grid, block, *arrays, profile="h200")
    step = next(s for s in launch.steps if s.span.text == "p[i % 4] = 9;")
    shared, device = accesses(launch, step, 0)
    assert (shared.shared, shared.lanes.tolist()) == (True, [1, 4])
    assert (device.shared, device.lanes.tolist()) == (False, [2, 5])
