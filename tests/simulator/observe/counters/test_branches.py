"""Branches, divergence and steps of every shape of control flow, in closed form, warp by warp."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.simulator.launching import Ran, run, source

I = "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"  # noqa: E741
TRIPS = st.lists(st.integers(0, 6), min_size=1, max_size=70)
FLAGS = st.lists(st.booleans(), min_size=1, max_size=70)
QUICK = settings(max_examples=25, deadline=None)


class Flow(NamedTuple):
    """What control flow costs."""

    branches: int = 0
    divergent: int = 0
    warp_steps: int = 0
    thread_steps: int = 0

    def plus(self, other: Flow) -> Flow:
        return Flow(*(a + b for a, b in zip(self, other, strict=True)))


def flow(ran: Ran) -> Flow:
    found = ran.counters
    return Flow(found.branches, found.divergent_branches, found.warp_steps, found.thread_steps)


def measured(body: str, *columns: list[int], functions: str = "") -> tuple[Flow, list[int], Ran]:
    """One block with a thread an element: what it cost and what stands in `out`."""
    names = "abcd"[: len(columns)]
    parameters = ", ".join(f"const int *{name}" for name in names)
    text = source(f"{parameters}, int *out, int n", body, functions)
    given_columns = [np.array(c, "i4") for c in columns]
    size = len(columns[0])
    ran = run(text, *given_columns, np.zeros(size, "i4"), 5, block=size)
    return flow(ran), ran.arrays[len(columns)].tolist(), ran


def by_warps(*columns: list[int]) -> list[tuple[list[int], ...]]:
    """The columns cut into warps of 32 lanes."""
    size = len(columns[0])
    return [tuple(c[w : w + 32] for c in columns) for w in range(0, size, 32)]


def mixed(values: list[bool]) -> bool:
    return any(values) and not all(values)


def total(flows: list[Flow]) -> Flow:
    result = Flow()
    for one in flows:
        result = result.plus(one)
    return result


# if and else


@QUICK
@given(FLAGS)
def test_if_else(taken: list[bool]) -> None:
    body = f"{I} int x; if (a[i]) x = 1; else x = 2; out[i] = x;"
    found, out, _ = measured(body, taken)
    assert out == [1 if t else 2 for t in taken]
    assert found == total(
        [Flow(1, mixed(t), 3 + any(t) + (not all(t)), 4 * len(t)) for (t,) in by_warps(taken)]
    )


@QUICK
@given(FLAGS)
def test_if_without_else(taken: list[bool]) -> None:
    found, out, _ = measured(f"{I} if (a[i]) out[i] = 1;", taken)
    assert out == [int(t) for t in taken]
    assert found == total(
        [Flow(1, mixed(t), 2 + any(t), 2 * len(t) + sum(t)) for (t,) in by_warps(taken)]
    )


@QUICK
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=70))
def test_nested_if(pairs: list[tuple[bool, bool]]) -> None:
    body = f"{I} if (a[i]) {{ if (b[i]) out[i] = 1; else out[i] = 2; }} else out[i] = 3; n = 0;"
    outer, inner = [list(c) for c in zip(*pairs, strict=True)]
    found, out, _ = measured(body, outer, inner)
    assert out == [(1 if y else 2) if x else 3 for x, y in pairs]
    wanted = []
    for x, y in by_warps(outer, inner):
        within = [b for a, b in zip(x, y, strict=True) if a]
        steps = 3 + (not all(x)) + bool(within) + any(within) + (bool(within) and not all(within))
        wanted.append(
            Flow(1 + bool(within), mixed(x) + mixed(within), steps, 4 * len(x) + len(within))
        )
    assert found == total(wanted)


def test_a_condition_that_all_lanes_share_never_diverges() -> None:
    found, _, _ = measured(f"{I} if (n > 3) out[i] = 1; else out[i] = a[i];", [1] * 40)
    assert found == Flow(2, 0, 3 * 2, 3 * 40)


def test_a_condition_known_beforehand_is_no_branch() -> None:
    found, out, _ = measured(f"{I} if (sizeof(int) == 4) out[i] = 1; else out[i] = a[i];", [7] * 32)
    assert out == [1] * 32
    assert (found.branches, found.divergent) == (0, 0)


# Loops


@QUICK
@given(TRIPS)
@pytest.mark.parametrize("kind", ["for", "while"])
def test_loops_of_different_lengths(kind: str, trips: list[int]) -> None:
    loops = {
        "for": "for (int k = 0; k < a[i]; k++) x += k;",
        "while": "int k = 0; while (k < a[i]) { x += k; k++; }",
    }
    found, out, ran = measured(f"{I} int x = 0; {loops[kind]} out[i] = x;", trips)
    assert out == [t * (t - 1) // 2 for t in trips]
    wanted = [
        Flow(max(t) + 1, len(set(t)) - 1, 5 + 3 * max(t), 5 * len(t) + 3 * sum(t))
        for (t,) in by_warps(trips)
    ]
    assert found == total(wanted)
    assert ran.site("load", "a[i]").lanes == sum(t + 1 for t in trips)


@QUICK
@given(TRIPS)
def test_do_while(trips: list[int]) -> None:
    found, out, _ = measured(f"{I} int k = 0; do k++; while (k < a[i]); out[i] = k;", trips)
    turns = [max(1, t) for t in trips]
    assert out == turns
    assert found == total(
        [
            Flow(max(t), len(set(t)) - 1, 3 + 2 * max(t), 3 * len(t) + 2 * sum(t))
            for (t,) in by_warps(turns)
        ]
    )


@QUICK
@given(TRIPS)
@pytest.mark.parametrize("head", ["for (int k = 0; k < 9; k++)", "for (int k = 0; ; k++)"])
def test_break(head: str, trips: list[int]) -> None:
    """Lanes leave at the if; the loop's own test, where there is one, never fails."""
    body = f"{I} int x = 0; {head} {{ if (k == a[i]) break; x++; }} out[i] = x;"
    found, out, _ = measured(body, trips)
    assert out == trips
    tested = "9" in head
    wanted = []
    for (t,) in by_warps(trips):
        most, kinds = max(t), len(set(t))
        steps = 4 + (1 + tested) * (most + 1) + kinds + 2 * most
        threads = sum(4 + (1 + tested) * (m + 1) + 1 + 2 * m for m in t)
        wanted.append(Flow((1 + tested) * (most + 1), kinds - 1, steps, threads))
    assert found == total(wanted)


@QUICK
@given(FLAGS, st.integers(1, 5))
def test_continue_joins_before_the_step(odd: list[bool], turns: int) -> None:
    body = (
        f"{I} int x = 0; int c = a[i];\n"
        f"for (int k = 0; k < {turns}; k++) {{ if ((k & 1) == c) continue; x++; }} out[i] = x;"
    )
    found, out, _ = measured(body, odd)
    skips = [turns // 2 if o else -(-turns // 2) for o in odd]
    assert out == [turns - s for s in skips]
    wanted = []
    for (o,) in by_warps(odd):
        # Each turn tests the loop, tests the if, steps, and runs what its lanes want of two sides.
        sides = 2 * turns if mixed(o) else turns
        steps = 5 + (turns + 1) + 2 * turns + sides
        wanted.append(
            Flow(2 * turns + 1, turns * mixed(o), steps, len(o) * (5 + turns + 1 + 3 * turns))
        )
    assert found == total(wanted)


@QUICK
@given(TRIPS)
def test_return_in_a_loop(trips: list[int]) -> None:
    """Lanes that return are gone for good: the last statement is for those that stay."""
    body = f"{I} for (int k = 0; k < 4; k++) {{ if (k == a[i]) return; out[i]++; }} out[i] += 100;"
    found, out, _ = measured(body, trips)
    assert out == [t if t < 4 else 104 for t in trips]
    wanted = []
    for (t,) in by_warps(trips):
        gone = [x for x in t if x < 4]
        stay = len(gone) < len(t)
        turns = 4 if stay else max(t) + 1  # how often the if is tested
        returns = len(set(gone))
        bodies = 4 if stay else max(t)
        split = sum(mixed([x == k for x in t if x >= k]) for k in range(turns))
        branches = 2 * turns + stay
        steps = 2 + branches + returns + 2 * bodies + stay
        threads = sum(2 + 2 * (x + 1) + 1 + 2 * x if x < 4 else 2 + 9 + 8 + 1 for x in t)
        wanted.append(Flow(branches, split, steps, threads))
    assert found == total(wanted)


@QUICK
@given(FLAGS)
def test_return_in_the_middle(leave: list[bool]) -> None:
    found, out, ran = measured(f"{I} if (a[i]) return; out[i] = 1;", leave)
    assert out == [int(not x) for x in leave]
    assert found == total(
        [Flow(1, mixed(x), 2 + any(x) + (not all(x)), 3 * len(x)) for (x,) in by_warps(leave)]
    )
    assert ran.counters.store_requests == sum(not all(x) for (x,) in by_warps(leave))


# Functions and expressions


@QUICK
@given(TRIPS)
def test_lanes_meet_again_after_a_function_that_returns_early(values: list[int]) -> None:
    function = "__device__ int f(int x) { if (x < 2) return 10; if (x < 4) return 20; return x; }"
    found, out, _ = measured(f"{I} out[i] = f(a[i]); n = 1;", values, functions=function)
    assert out == [10 if v < 2 else 20 if v < 4 else v for v in values]
    wanted = []
    for (v,) in by_warps(values):
        low = [x < 2 for x in v]
        rest = [x < 4 for x in v if x >= 2]
        steps = 3 + 1 + any(low) + bool(rest) + any(rest) + (bool(rest) and not all(rest))
        threads = sum(3 + (2 if x < 2 else 3) for x in v)
        wanted.append(Flow(1 + bool(rest), mixed(low) + mixed(rest), steps, threads))
    assert found == total(wanted)


@QUICK
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=70))
@pytest.mark.parametrize("op", ["&&", "||"])
def test_the_right_side_of_a_logical_is_for_those_that_need_it(
    op: str, pairs: list[tuple[bool, bool]]
) -> None:
    left, right = [list(c) for c in zip(*pairs, strict=True)]
    found, out, ran = measured(f"{I} if (a[i] {op} b[i]) out[i] = 1;", left, right)
    holds = [(x and y) if op == "&&" else (x or y) for x, y in pairs]
    assert out == [int(h) for h in holds]
    needs = [x if op == "&&" else not x for x in left]
    assert ran.site("load", "a[i]").lanes == len(pairs)
    reads = [s for s in ran.launch.sites if s.text == "b[i]" and s.kind == "load"]
    assert sum(s.requests for s in reads) == sum(any(n) for (n,) in by_warps(needs))
    assert sum(s.lanes for s in reads) == sum(needs)
    assert found == total(
        [
            Flow(2, mixed(n) + mixed(h), 2 + any(h), 2 * len(h) + sum(h))
            for n, h in by_warps(needs, holds)
        ]
    )


def test_a_logical_without_accesses_is_no_branch() -> None:
    found, _, _ = measured(f"{I} if (i > 3 && i < 9 || i == n) out[i] = a[i];", [1] * 32)
    assert found == Flow(1, 1, 3, 2 * 32 + 5)


@QUICK
@given(FLAGS)
def test_a_choice_with_accesses_is_one_branch(test: list[bool]) -> None:
    n = len(test)
    found, out, ran = measured(f"{I} out[i] = a[i] ? b[i] : c[i];", test, [5] * n, [7] * n)
    assert out == [5 if t else 7 for t in test]
    assert found == total([Flow(1, mixed(t), 2, 2 * len(t)) for (t,) in by_warps(test)])
    reads = {s.text: s.lanes for s in ran.launch.sites if s.kind == "load"}
    assert reads.get("b[i]", 0) == sum(test)
    assert reads.get("c[i]", 0) == n - sum(test)


def test_a_choice_between_values_is_no_branch() -> None:
    found, _, _ = measured(f"{I} out[i] = i & 1 ? 5 : 7;", [0] * 32)
    assert found == Flow(0, 0, 2, 64)


# Efficiency


@pytest.mark.parametrize("block", [1, 31, 32, 33, 1000])
def test_lanes_that_do_not_exist_lower_the_efficiency(block: int) -> None:
    found, _, ran = measured(f"{I} out[i] = a[i];", [0] * block)
    warps = -(-block // 32)
    assert found == Flow(0, 0, 2 * warps, 2 * block)
    assert ran.counters.simt_efficiency == block / (32 * warps)


@pytest.mark.parametrize("lanes", [1, 2, 8, 31])
def test_one_long_loop_lowers_the_efficiency(lanes: int) -> None:
    body = "int t = threadIdx.x < n ? 1000 : 0; for (int k = 0; k < t; k++) { }"
    ran = run(source("int n", body), lanes)
    found = ran.counters
    assert found.warp_steps == 3 + 2000
    assert found.thread_steps == 3 * 32 + 2000 * lanes
    assert found.simt_efficiency == (96 + 2000 * lanes) / (32 * 2003)
