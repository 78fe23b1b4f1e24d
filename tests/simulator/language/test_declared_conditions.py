"""Declarations in the parentheses of statements: what they compute and count, under every order."""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from simulator.observe.trace import Cursor
from tests.simulator.launching import run, source

LANES = np.arange(40)


def turns(lane: int) -> int:
    """What the second program below computes, as C++ says it."""
    n, total = lane, 0
    while m := n // 2:
        if m == 1:
            n -= 1
            continue
        total += m
        n = m
        if total > 3:
            break
    return total * 10 + n


def lefts(lane: int) -> int:
    total, i = 0, lane % 9
    while left := i - 2:
        if left < 0:
            break
        if left != 3:
            total += left
        i -= 1
    return total


PROGRAMS = [
    ("if (int x = t % 3) a[t] = x; else a[t] = -1 - x;", lambda t: t % 3 or -1),
    (
        "int n = t, s = 0; while (int m = n / 2) { if (m == 1) { n--; continue; } s += m; n = m;"
        " if (s > 3) break; } a[t] = s * 10 + n;",
        turns,
    ),
    (
        "int s = 0; for (int i = t % 9; int left = i - 2; i--) { if (left < 0) break;"
        " if (left == 3) continue; s += left; } a[t] = s;",
        lefts,
    ),
    (
        "if (int x = t * 2; x > 9) a[t] = x; else if (int y = x + 1; y > 3) a[t] = y;"
        " else a[t] = x - y;",
        lambda t: 2 * t if 2 * t > 9 else 2 * t + 1 if 2 * t + 1 > 3 else -1,
    ),
    (
        "switch (int x = t % 4; x) { case 0: a[t] = 5; break; case 1: [[fallthrough]];"
        " case 2: a[t] = x; break; default: a[t] = -x; }",
        lambda t: [5, 1, 2, -3][t % 4],
    ),
    (
        "switch (char x = t + 256) { case 3: a[t] = x; break; default: a[t] = 0; }",
        lambda t: 3 * (t == 3),
    ),
    ("if (int &r = a[t]; t % 2) r = t; else r -= 4;", lambda t: t if t % 2 else -4),
    ("if (int *p = t > 5 ? a + t : nullptr) *p = 7;", lambda t: 7 * (t > 5)),
    ("if (; t > 3) a[t] = 1;", lambda t: int(t > 3)),
    ("int x = 9; if (x = t; x > 3) a[t] = x; { if (int x = 2) a[t] += x; } a[t] += x;", None),
]


def program(body: str) -> str:
    return source("int *a", f"int t = threadIdx.x + blockIdx.x * 20; {body}")


@pytest.mark.parametrize(
    "schedule", ["lockstep", "warp", "shuffled:1", "round-robin:2", "random:3"]
)
@pytest.mark.parametrize(("body", "means"), PROGRAMS)
def test_what_parentheses_declare_is_computed(body: str, means, schedule: str) -> None:
    means = means or (lambda t: (t if t > 3 else 0) + 2 + t)
    with simulator.Device(schedule=schedule):
        a = simulator.zeros(40, "int32")
        simulator.RawKernel(program(body), "k")((2,), (20,), (a,))
        assert a.get().tolist() == [means(int(t)) for t in LANES]


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("if (int x = t % 3) a[t] = x;", "{ int x = t % 3; if (x) a[t] = x; }"),
        ("if (int x = t; x % 3) a[t] = x;", "{ int x = t; if (x % 3) a[t] = x; }"),
        (
            "int n = t % 5; while (int m = n--) a[t] += m;",
            "int n = t % 5; for (;;) { int m = n--; if (!m) break; a[t] += m; }",
        ),
        (
            "switch (int x = t & 3) { case 1: a[t] = x; }",
            "int x = t & 3; switch (x) { case 1: a[t] = x; }",
        ),
    ],
)
def test_they_count_as_what_they_stand_for(short: str, long: str) -> None:
    one, other = (run(program(body), np.zeros(40, "i4"), block=40) for body in (short, long))
    np.testing.assert_array_equal(one.arrays[0], other.arrays[0])
    assert one.counters.as_dict() == other.counters.as_dict()
    assert one.counters.divergent_branches > 0


def test_traces_show_the_declared_variable() -> None:
    text = source("int *a", "int t = threadIdx.x;\nif (int x = t % 3)\n  a[t] = x;")
    with simulator.tracing() as trace:
        simulator.RawKernel(text, "k")((1,), (6,), (simulator.zeros(6, "int32"),))
    (launch,) = trace.launches
    lines = [step.span.line - 2 for step in launch.steps]
    assert lines == [1, 2, 2, 3]
    values, _ = Cursor(launch).at(3).values("a")
    assert values.tolist() == [0, 1, 2, 0, 1, 2]
    assert launch.steps[3].lanes.tolist() == [1, 2, 4, 5]


def test_a_spin_on_a_declared_value_is_taken_for_waiting() -> None:
    text = source(
        "volatile int *flag, int *a",
        "if (blockIdx.x == 1) { a[0] = 5; __threadfence(); flag[0] = 1; }"
        " else { while (int wait = 1 - flag[0]) a[1] = wait; a[2] = a[0]; }",
    )
    a = run(text, np.zeros(1, "i4"), np.zeros(3, "i4"), grid=2, block=1).arrays[1]
    assert a[2] == 5
