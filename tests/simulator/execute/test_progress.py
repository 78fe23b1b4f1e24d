"""Standing still and running for ever: found where they happen, and never where they do not."""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from tests.sampling import sampled
from tests.simulator.execute.test_schedules import SCHEDULES, run, zeros


def fault(text: str, *arguments: object, schedule: str, **options: object) -> str:
    with pytest.raises(simulator.Fault) as caught:
        run(text, *arguments, schedule=schedule, **options)  # type: ignore[arg-type]
    return str(caught.value)


def kernel(body: str) -> str:
    return f'extern "C" __global__ void k(int *a, int *b) {{\n{body}\n}}'


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_lock_that_spins_inside_a_warp_names_the_lanes_that_cannot_go_on(schedule: str) -> None:
    report = fault(
        kernel("while (atomicCAS(a, 0, 1) != 0) ;\n*b = *b + 1;\natomicExch(a, 0);"),
        zeros(1),
        zeros(1),
        block=64,
        schedule=schedule,
    )
    assert "<kernel>:2:8: fault: kernel k, block (0, 0, 0)" in report
    assert "livelock: 31 threads wait in this loop" in report
    assert "1 of the warp's lanes has left the loop" in report
    assert "while (atomicCAS(a, 0, 1) != 0) ;\n           ^~~~" in report


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    "body",
    [
        "while (true) ;",
        "for (;;) { }",
        "do { } while (1);",
        "while (a[0] == 0) ;",
        "int spins = 0; while (a[0] == 0) spins++; b[0] = spins;",
        "int pause = 8; while (a[0] == 0) { if (pause < 256) pause *= 2; }",
        "for (int i = 0; i < 10; ) { b[0] = 1; }",
        "while (atomicAdd(a, 0) == 0) { __threadfence(); }",
        "while (true) { if (atomicOr(a, 0) == 5) break; }",
        "bool done = false; while (!done) { if (atomicOr(a, 0) == 5) done = true; }",
        "while (true) { switch (a[0]) { case 0: break; default: return; } }",
        "while (a[0] == 0) switch (b[0]) { case 0: break; default: b[0] = 1; }",
        "if (threadIdx.x == 0) { while (a[0] == 0) ; }",
    ],
)
def test_waiting_for_what_nobody_does_is_a_livelock(body: str, schedule: str) -> None:
    report = fault(kernel(body), zeros(1), zeros(1), grid=2, block=64, schedule=schedule)
    assert "livelock" in report
    assert "nothing changes any more" in report


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_two_locks_in_opposite_order_are_a_livelock(schedule: str) -> None:
    """Each block waits until the other has its first lock, so that the embrace is certain."""
    body = """if (threadIdx.x) return;
      int mine = blockIdx.x, other = 1 - mine;
      while (atomicCAS(&a[mine], 0, 1) != 0) ;
      while (atomicAdd(&a[other], 0) == 0) ;
      while (atomicCAS(&a[other], 0, 1) != 0) ;
      atomicExch(&a[other], 0);
      atomicExch(&a[mine], 0);"""
    report = fault(kernel(body), zeros(2), zeros(1), grid=2, schedule=schedule)
    assert "livelock" in report
    assert "Who should set what it waits for?" in report
    assert "which statement of the loop changes what its condition asks?" in report


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_waiting_for_a_block_that_is_not_resident_says_so(schedule: str) -> None:
    body = "if (blockIdx.x + 1 < gridDim.x) { while (a[blockIdx.x + 1] == 0) ; } a[blockIdx.x] = 1;"
    report = fault(
        kernel(body), zeros(100), zeros(1), grid=100, block=8, schedule=schedule, profile="toy2"
    )
    assert "livelock" in report
    assert "98 blocks of the grid begin only when these have ended" in report


#: What ends, and what it leaves in its two arrays: memory stays as it is for long, but what is
#: counted ends the loop or changes memory.
ENDING = [
    ("int n = 0; while (a[0] == 0) { n++; if (n == 9000) a[0] = n; }", 9000, 0),
    ("int n = 0; while (true) { if (n++ == 9000) break; } a[0] = n;", 9001, 0),
    ("int n = 0; for (; a[0] == 0; n++) a[0] = n / 9000; b[0] = n;", 1, 9001),
    ("int p = 0; while (p < 9000) p = p + b[0] + 1; a[0] = p;", 9000, 0),
    ("int s = 0; do { s = s == 0 ? 1 : s == 1 ? 2 : 3; } while (s != 3); a[0] = s;", 3, 0),
    (
        "int s = 0, n = 0; while (s != 2) {"
        " if (s == 0) { if (++n == 9000) s = 1; } else s = 2; } a[0] = n;",
        9000,
        0,
    ),
    ("int n = 0, done = 0; while (!done) { if (++n == 9000) done = 1; } a[0] = n;", 9000, 0),
    ("int n = 0; int &r = n; while (n < 9000) r++; a[0] = n;", 9000, 0),
    (
        "int s = 0, n = 0; while (s != 2) switch (s) {"
        " case 0: if (++n == 9000) s = 1; break; case 1: s = 2; } a[0] = n;",
        9000,
        0,
    ),
    (
        "int n = 0; for (;; n++) switch (n) { case 9000: a[0] = n; return; default: break; }",
        9000,
        0,
    ),
    (
        "int n = 0; for (;;) { switch (a[0]) { case 0: n++; break; default: return; }"
        " if (n == 9000) break; } a[0] = n;",
        9000,
        0,
    ),
    ("int t; while ((t = atomicAdd(a, 1)) < 9000) ; b[0] = 1;", 9001, 1),
    ("int x = 1; while (x) { x = x * 3 + 1; if (x % 4096 == 0) x = 0; } a[0] = 7;", 7, 0),
]


@pytest.mark.parametrize(
    ("body", "a", "b", "schedule"),
    sampled(((*case, schedule) for case in ENDING for schedule in SCHEDULES), 8, each=0),
)
def test_a_loop_that_ends_by_itself_is_none(body: str, a: int, b: int, schedule: str) -> None:
    arrays, _ = run(kernel(body), zeros(1), zeros(1), block=1, schedule=schedule)
    assert (arrays[0][0], arrays[1][0]) == (a, b)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    "body",
    [
        "unsigned i = 0; while (i < 10) { i += 4294967295u; if (i > 9) i = 5 - (a[0]++ & 1); }",
        "for (unsigned i = 3; i >= 0; i--) b[0] = i;",
        "int x = 1; while (x) x += 2;",
        "while (true) { atomicAdd(a, 1); }",
        "float x = 0; while (x < 1e9f) { x += 1e-9f; b[0] = x; }",
        "while (true) { __syncthreads(); b[0]++; }",
    ],
)
def test_a_loop_without_end_uses_up_the_steps(body: str, schedule: str) -> None:
    report = fault(kernel(body), zeros(1), zeros(1), block=32, schedule=schedule, steps=1_000_000)
    assert "no end after 1,000,000 lane steps" in report
    assert "<kernel>:2:" in report


def test_a_launch_of_a_billion_threads_is_refused_before_it_begins() -> None:
    with simulator.Device():
        kernel = simulator.RawKernel('extern "C" __global__ void k() { }', "k")
        with pytest.raises(simulator.LaunchError, match="threads"):
            kernel((1_000_000,), (1024,), ())


def test_more_steps_can_be_allowed() -> None:
    text = kernel("for (int i = 0; i < 20000; i++) a[0] = i;")
    report = fault(text, zeros(1), zeros(1), block=1, schedule="lockstep", steps=1_000_000)
    assert "simulator.Device(steps=" in report
    arrays, _ = run(text, zeros(1), zeros(1), block=1, schedule="lockstep", steps=100_000_000)
    assert arrays[0][0] == 19999


@pytest.mark.parametrize("steps", [-1, 1.5, True, "many"])
def test_a_number_of_steps_that_cannot_be_is_refused(steps: object) -> None:
    with pytest.raises(simulator.SimulatorError, match="lane steps"):
        simulator.Device(steps=steps)  # type: ignore[arg-type]


def test_what_a_livelock_leaves_in_memory_can_be_looked_at() -> None:
    with simulator.Device():
        a, b = simulator.asarray(np.zeros(1, np.int32)), simulator.zeros(4, "int32")
        text = kernel("b[threadIdx.x] = 7; while (a[0] == 0) ;")
        with pytest.raises(simulator.Fault):
            simulator.RawKernel(text, "k")((1,), (4,), (a, b))
        assert b.get().tolist() == [7, 7, 7, 7]


MEETING = kernel(
    "if (threadIdx.x == 0) { atomicAdd(a, 1); while (atomicAdd(a, 0) < gridDim.x) ; }\n"
    "__syncthreads();\nb[blockIdx.x] = a[0];"
)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_many_that_wait_leave_the_steps_to_those_who_work(schedule: str) -> None:
    arguments = zeros(1), zeros(256)
    (_, b), _ = run(MEETING, *arguments, grid=256, block=64, schedule=schedule, steps=1 << 25)
    assert (b == 256).all()


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    "body",
    [
        "int seen = 0; while (seen < 3) { if (((volatile int *)b)[seen]) seen++; }",
        "int tries = 0; while (atomicAdd(b, 0) == 0) { a[1] = tries++; }",
        "int left = 9; while (left) { if (atomicAdd(b, 0)) left = 0; else left = 10 - left % 2; }",
    ],
)
def test_who_waits_and_counts_lets_others_come(body: str, schedule: str) -> None:
    text = kernel(
        f"if (blockIdx.x == 0) {{ if (threadIdx.x == 0) {{ {body} a[0] = 1; }} }}\n"
        "else if (threadIdx.x == 0) ((volatile int *)b)[blockIdx.x - 1] = 1;"
    )
    (a, _), _ = run(text, zeros(2), zeros(3), grid=4, block=32, schedule=schedule, steps=1 << 22)
    assert a[0] == 1


LOOK_BACK = """extern "C" __global__ void k(volatile int *a, int *b) {
  int tile = blockIdx.x, sum = 0;
  if (threadIdx.x == 31) {
    for (int before = tile - 1; before >= 0;) {
      int seen = a[before];
      if (seen == 0) continue;
      sum += seen;
      before--;
    }
    b[tile] = sum;
  }
  __syncwarp();
  if (threadIdx.x == 0) a[tile] = tile + 1;
}"""

QUEUE = """__device__ bool pop(volatile int *full, int *head) {
  int at = atomicAdd(head, 0);
  for (;;) {
    if (!full[at]) return false;
    int was = atomicCAS(head, at, at + 1);
    if (was == at) return true;
    at = was;
  }
}
extern "C" __global__ void k(volatile int *a, int *b) {
  if (blockIdx.x == 0) {
    int got = 0;
    while (got < 2) if (pop(a, &b[0])) got++;
    atomicAdd(&b[1], got);
  } else {
    for (int i = 0; i < 2; i++) a[2 * threadIdx.x + i] = 1;
  }
}"""


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    ("text", "wanted"),
    [(LOOK_BACK, [0, 1, 3, 6, 0, 0]), (QUEUE, [16, 16, 0, 0, 0, 0])],
    ids=["look-back", "queue"],
)
def test_loops_that_count_and_wait_let_the_others_run(
    text: str, wanted: list[int], schedule: str
) -> None:
    grid, block = (4, 32) if text is LOOK_BACK else (2, 8)
    arrays, _ = run(
        text, zeros(17), zeros(6), grid=grid, block=block, schedule=schedule, steps=1 << 26
    )
    assert arrays[1].tolist() == wanted


@pytest.mark.parametrize("schedule", [*SCHEDULES, *(f"random:{seed}" for seed in range(4, 20))])
def test_a_turn_that_goes_to_and_fro_is_no_livelock(schedule: str) -> None:
    """Whenever somebody looks, memory may be as it was before; but everybody gets on."""
    body = """if (threadIdx.x) return;
      for (int round = 0; round < 100; round++) {
        while (atomicAdd(a, 0) != blockIdx.x) ;
        atomicExch(a, 1 - blockIdx.x);
      }
      b[blockIdx.x] = 1;"""
    (turn, done), _ = run(kernel(body), zeros(1), zeros(2), grid=2, block=32, schedule=schedule)
    assert (turn.tolist(), done.tolist()) == ([0], [1, 1])


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("entries", [40, pytest.param(400, marks=pytest.mark.slow)])
def test_who_holds_a_lock_may_look_for_long_and_change_nothing(entries: int, schedule: str) -> None:
    """All others wait meanwhile, in the loop in which the holder has one of its own."""
    body = f"""bool done = false;
      while (!done) {{
        if (atomicExch(a, 1) == 0) {{
          __threadfence();
          count_if_all_zero(b, {entries});
          __threadfence();
          atomicExch(a, 0);
          done = true;
        }}
      }}"""
    text = """__device__ void count_if_all_zero(volatile int *list, int entries) {
      int found = 0;
      for (int i = 1; i <= entries; i++) found += list[i];
      if (found == 0) list[0] = list[0] + 1;
    }
    """
    (_, counted), _ = run(
        text + kernel(body), zeros(1), zeros(entries + 1), grid=2, block=64, schedule=schedule
    )
    assert counted[0] == 128
