"""Where lanes part and meet again, seen by `__activemask()`; barriers that not all reach."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator import Fault
from tests.simulator.launching import run, source

QUICK = settings(max_examples=25, deadline=None)
FLAGS = st.lists(st.booleans(), min_size=1, max_size=40)
TRIPS = st.lists(st.integers(0, 5), min_size=1, max_size=40)
I = "int i = threadIdx.x;\n"  # noqa: E741


def masks(
    body: str, column: list[int], functions: str = "", profile: str = "h200"
) -> list[list[int]]:
    """What each thread stores by `SEE(place)`: the active lanes there, as a set of threads."""
    defines = "#define SEE(k) out[4 * threadIdx.x + (k)] = __activemask()\n"
    text = source("const int *a, unsigned *out, int n", f"{I}{body}", defines + functions)
    n = len(column)
    ran = run(text, np.array(column, "i4"), np.zeros(4 * n, "u4"), 7, block=n, profile=profile)
    return ran.arrays[1].reshape(-1, 4).tolist()


def mask_of(active: list[bool], thread: int, warp_size: int = 32) -> int:
    """The active lanes of a thread's warp; 0 where the thread is not among them."""
    first = thread // warp_size * warp_size
    warp = active[first : first + warp_size]
    return sum(1 << lane for lane, on in enumerate(warp) if on) if active[thread] else 0


def wanted(*columns: list[bool], warp_size: int = 32) -> list[list[int]]:
    size = len(columns[0])
    padded = [*columns, *([[False] * size] * (4 - len(columns)))]
    return [[mask_of(c, i, warp_size) for c in padded] for i in range(size)]


@QUICK
@given(FLAGS)
@pytest.mark.parametrize("profile", ["h200", "toy4"])
def test_if_and_else(profile: str, test: list[bool]) -> None:
    test = test[:16]
    found = masks("if (a[i]) SEE(0); else SEE(1); SEE(2);", test, profile=profile)
    size = {"h200": 32, "toy4": 4}[profile]
    other, every = [not t for t in test], [True] * len(test)
    assert found == wanted(test, other, every, warp_size=size)


@QUICK
@given(TRIPS)
def test_lanes_wait_at_the_end_of_a_loop(trips: list[int]) -> None:
    found = masks("for (int k = 0; k < a[i]; k++) if (k == 2) SEE(0); SEE(1);", trips)
    assert found == wanted([t > 2 for t in trips], [True] * len(trips))


@QUICK
@given(TRIPS)
def test_lanes_that_break_wait_at_the_end_of_the_loop(trips: list[int]) -> None:
    body = """for (int k = 0; k < 9; k++) {
      if (k == a[i]) { SEE(0); break; }
      if (k == 3) SEE(1);
    }
    SEE(2);"""
    found = masks(body, trips)
    together = [[mask_of([x == t for x in trips], i)] for i, t in enumerate(trips)]
    rest = wanted([t > 3 for t in trips], [True] * len(trips))
    assert found == [[*first, *row[:2], 0] for first, row in zip(together, rest, strict=True)]


@QUICK
@given(FLAGS)
def test_lanes_that_continue_meet_before_the_step(skip: list[bool]) -> None:
    functions = "__device__ unsigned see() { return __activemask(); }"
    body = """unsigned m;
    for (int k = 0; k < 2; m = see(), k++) { if (a[i]) continue; SEE(0); }
    out[4 * i + 1] = m;"""
    found = masks(body, skip, functions)
    assert found == wanted([not s for s in skip], [True] * len(skip))


@QUICK
@given(FLAGS)
def test_lanes_that_return_are_gone(leave: list[bool]) -> None:
    found = masks("if (a[i]) { SEE(0); return; } SEE(1); if (i >= 0) SEE(2);", leave)
    stay = [not x for x in leave]
    assert found == wanted(leave, stay, stay)


@QUICK
@given(FLAGS)
def test_lanes_meet_after_a_function(early: list[bool]) -> None:
    functions = """__device__ int f(int x, unsigned *m) {
      while (true) { if (x) return 1; x++; if (x > 5) break; }
      *m = __activemask();
      return 2;
    }"""
    body = "unsigned m = 0; int r = f(a[i], &m); SEE(0); out[4 * i + 1] = m; out[4 * i + 2] = r;"
    found = masks(body, early, functions)
    # All return in the end: those with a 0 one turn later, so nobody comes to the store.
    every = [True] * len(early)
    assert [row[:2] for row in found] == [row[:2] for row in wanted(every)]
    assert [row[2] for row in found] == [1] * len(early)


@QUICK
@given(FLAGS)
@pytest.mark.parametrize("op", ["&&", "||"])
def test_the_right_side_of_a_logical(op: str, left: list[bool]) -> None:
    functions = "__device__ bool f(unsigned *m) { *m = __activemask(); return true; }\n"
    found = masks(
        f"unsigned m = 0; bool b = a[i] {op} f(&m); out[4 * i] = m; SEE(1);", left, functions
    )
    assert found == wanted([x == (op == "&&") for x in left], [True] * len(left))


@QUICK
@given(FLAGS)
def test_the_sides_of_a_choice(test: list[bool]) -> None:
    functions = "__device__ unsigned f() { return __activemask(); }"
    found = masks("out[4 * i] = a[i] ? f() : f(); SEE(1);", test, functions)
    sides = [mask_of(test, i) or mask_of([not t for t in test], i) for i in range(len(test))]
    every = wanted([True] * len(test))
    assert found == [[side, row[0], 0, 0] for side, row in zip(sides, every, strict=True)]


@QUICK
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3)), min_size=1, max_size=40))
def test_loops_in_branches_in_loops(plan: list[tuple[bool, int]]) -> None:
    body = """for (int k = 0; k < 2; k++) {
      if (a[i] > 9) {
        for (int j = 0; j < a[i] % 10; j++) { if (j == 1) { if (k == 1) SEE(0); break; } }
      } else if (k == 1) SEE(1);
      if (k == 1) SEE(2);
    }"""
    column = [10 + t if b else t for b, t in plan]
    found = masks(body, column)
    inner = [b and t > 1 for b, t in plan]
    assert found == wanted(inner, [not b for b, _ in plan], [True] * len(plan))


# Order


def test_then_comes_before_else() -> None:
    body = f"{I} if (i & 1) a[0] = a[0] * 10 + 1; else a[0] = a[0] * 10 + 2;"
    assert run(source("int *a", body), np.zeros(1, "i4")).arrays[0].tolist() == [12]


def test_of_lanes_that_write_one_element_the_last_wins() -> None:
    body = f"{I} a[i / 4] = i; a[9] = i; if (i < 5) a[10] = i;"
    found = run(source("int *a", body), np.zeros(11, "i4")).arrays[0].tolist()
    assert found == [3, 7, 11, 15, 19, 23, 27, 31, 0, 31, 4]


def test_all_lanes_load_before_one_stores() -> None:
    body = f"{I} a[i] = a[(i + 1) % 32];"
    found = run(source("int *a", body), np.arange(32, dtype="i4")).arrays[0].tolist()
    assert found == [*range(1, 32), 0]


# Barriers

LEGAL = {
    "all together": "__syncthreads();",
    "after some have returned": "if (i < 9) return; __syncthreads();",
    "after a return in a loop": """for (int k = 0; ; k++) {
      if (k == n) break;
      if (k == i) return;
    }
    __syncthreads();""",
    "in a loop that all go round": "for (int k = 0; k < n; k++) { __syncthreads(); }",
    "in a branch that all take": "if (n > 3) __syncthreads();",
    "in a branch that some blocks take": "if (blockIdx.x % 2) { __syncthreads(); }",
    "in a loop, some return": "while (n--) { if (i == n) return; __syncthreads(); }",
    "in a function": "f();",
    "after lanes have met again": "for (int k = 0; k < i; k++) { } __syncthreads();",
    "do, while": "int k = 0; do { __syncthreads(); } while (++k < n);",
    "continue before, break after": """for (int k = 0; k < 9; k++) {
      if (k < 2) continue;
      __syncthreads();
      if (k == n) break;
    }""",
}
GONE = {"after some have returned": 9, "after a return in a loop": 5, "in a loop, some return": 5}


@pytest.mark.parametrize("name", LEGAL)
@pytest.mark.parametrize("block", [10, 33, 64])
def test_legal_barriers(name: str, block: int) -> None:
    body = f"{I}{LEGAL[name]} atomicAdd(&a[0], 1);"
    text = source("int *a, int n", body, "__device__ void f() { __syncthreads(); }")
    ran = run(text, np.zeros(1, "i4"), 5, grid=3, block=block)
    assert ran.arrays[0][0] == 3 * (block - GONE.get(name, 0))


ILLEGAL = {
    "if (i < 2) __syncthreads();": (0, 2),
    "if (i < 2) __syncthreads(); else __syncthreads();": (0, 2),
    "for (int k = 0; k < i; k++) __syncthreads();": (1, 39),
    "if (i == 7) { a[0] = 1; } else { __syncthreads(); }": (0, 39),
    "if (i < 32) __syncthreads();": (0, 32),
    "f();": (5, 35),
    "if (i && __syncthreads_or(1)) a[0] = 1;": (1, 39),
    "int x = i > 3 ? __syncthreads_count(1) : 0; a[0] = x;": (4, 36),
    "while (true) { if (i < 3) break; __syncthreads(); break; }": (3, 37),
    "for (int k = 0; k < 3; k++) { if (i == k) continue; __syncthreads(); }": (1, 39),
}


@pytest.mark.parametrize("body", ILLEGAL)
def test_barriers_that_not_all_reach(body: str) -> None:
    functions = "__device__ void f() { if (threadIdx.x < 5) return; __syncthreads(); }"
    text = source("int *a", f"{I}{body}", functions)
    first, count = ILLEGAL[body]
    with pytest.raises(Fault, match=f"barrier that {count} of 40 threads reach") as caught:
        run(text, np.zeros(1, "i4"), grid=2, block=40)
    assert f"block (0, 0, 0), thread ({first}, 0, 0)" in caught.value.message
    assert caught.value.span is not None
    assert caught.value.span.text.startswith("__syncthreads")


def test_those_that_have_returned_are_not_waited_for() -> None:
    text = source("int *a", f"{I} if (i < 4) return; if (i < 6) __syncthreads();")
    with pytest.raises(Fault, match="barrier that 2 of 6 threads reach"):
        run(text, np.zeros(1, "i4"), block=10)


@QUICK
@given(st.lists(st.integers(0, 4), min_size=1, max_size=70), st.integers(0, 4))
def test_votes_of_the_threads_that_are_left(values: list[int], limit: int) -> None:
    n = len(values)
    text = source(
        "const int *v, int *out, int limit",
        f"""{I} int x = v[i]; if (x == 0) return;
        out[3 * i] = __syncthreads_count(x > limit);
        out[3 * i + 1] = __syncthreads_and(x > limit);
        out[3 * i + 2] = __syncthreads_or(x > limit);""",
    )
    ran = run(text, np.array(values, "i4"), np.zeros(3 * n, "i4"), limit, block=n)
    votes = [v > limit for v in values if v]
    result = [sum(votes), int(all(votes)), int(any(votes))]
    assert ran.arrays[1].reshape(-1, 3).tolist() == [result if v else [0] * 3 for v in values]


def test_shared_memory_is_each_blocks_own() -> None:
    text = source(
        "int *out",
        f"""__shared__ int s[4]; {I} if (i < 4) s[i] = blockIdx.x * 10 + i; __syncthreads();
        out[blockIdx.x * blockDim.x + i] = s[(i + 1) % 4];""",
    )
    ran = run(text, np.zeros(40, "i4"), grid=5, block=8)
    assert ran.arrays[0].tolist() == [10 * b + (i + 1) % 4 for b in range(5) for i in range(8)]


def test_a_choice_between_calls_without_value() -> None:
    functions = "__device__ void set(int *a, int i, int v) { a[i] = v; }"
    body = """
      int t = threadIdx.x;
      t % 2 ? set(a, t, 1) : set(a, t, 2);
      n ? set(a, t + 4, 3) : set(a, t + 4, 4);
      t > 2 && (set(a, t, 5), true);
    """
    ran = run(source("int *a, int n", body, functions), np.zeros(8, "i4"), 0, block=4)
    assert ran.arrays[0].tolist() == [2, 1, 2, 5, 4, 4, 4, 4]
