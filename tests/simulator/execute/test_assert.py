"""assert, __trap, the clock and __nanosleep."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import simulator
from simulator import CompileError
from tests.simulator.launching import fault, run, source

A8 = np.arange(8, dtype="i4")


def test_an_assertion_that_holds_does_nothing() -> None:
    body = "assert(a[threadIdx.x] >= 0); assert(1); a[threadIdx.x]++;"
    assert run(source("int *a", body), A8, block=8).arrays[0].tolist() == (A8 + 1).tolist()


def test_an_assertion_that_fails_names_text_place_thread_and_lanes() -> None:
    body = 'int i = threadIdx.x;\nif (i > 2) {\n  assert(a[i] < 5 && "too large");\n}'
    found = fault(source("int *a", body), A8, block=8)
    assert 'the assertion `a[i] < 5 && "too large"` failed' in found.message
    assert "block (0, 0, 0), thread (5, 0, 0)" in found.message
    assert found.span is not None
    assert found.span.line == 5
    assert "...#####" in found.hint


@pytest.mark.parametrize("test", ["0", 'false && "text"', '!"text"', "(int *)0", "n - 7", "n < 3u"])
def test_conditions_that_all_threads_share(test: str) -> None:
    assert "the assertion" in fault(source("int n", f"assert({test});"), 7).message


def test_in_a_device_function() -> None:
    functions = "__device__ int half(int x) { assert(x % 2 == 0); return x / 2; }"
    text = source("int *a", "a[threadIdx.x] = half(a[threadIdx.x]);", functions)
    assert run(text, 2 * A8, block=8).arrays[0].tolist() == A8.tolist()
    found = fault(text, A8, block=8)
    assert "thread (1, 0, 0)" in found.message
    assert found.span is not None
    assert found.span.line == 1


def test_from_a_macro() -> None:
    text = source("int n", "CHECK(n > 8);", "#define CHECK(x) assert((x))")
    assert "n > 8" in fault(text, 7).message


def test_ndebug_from_outside_turns_them_off() -> None:
    text = source("int n", "assert(n > 8); assert(undeclared);")
    with simulator.Device(memory=1 << 20):
        simulator.RawKernel(text, "k", options=("-DNDEBUG",))((1,), (1,), (7,))
    with pytest.raises(CompileError, match="`undeclared` is not declared"):
        simulator.RawKernel(text, "k")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("assert()", "`assert` takes 1 condition, not 0"),
        ("assert(1, 2)", "`assert` takes 1 condition, not 2"),
        ("n = assert(1)", "`assert(1)` has no value"),
        ("n = clock(1)", "`clock` takes no arguments, not 1"),
        ("__nanosleep()", "`__nanosleep` takes 1 argument, not 0"),
    ],
)
def test_refused(call: str, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        simulator.RawModule(code=source("int n", f"{call};"))
    assert message in caught.value.message


def test_trap_ends_the_kernel_for_those_who_come_to_it() -> None:
    text = source("int *a, int n", "if (threadIdx.x == n) __trap(); a[threadIdx.x] = 1;")
    assert run(text, A8, 9, block=8).arrays[0].tolist() == [1] * 8
    found = fault(text, A8, 6, block=8)
    assert "thread (6, 0, 0), lane 6: __trap() was called" in found.message
    assert "......#." in found.hint


def test_the_clock_only_grows() -> None:
    body = """
      long long t = clock64(); clock_t c = clock();
      for (int i = 0; i < 3; i++) { a[i] = clock64(); }
      a[3] = t; a[4] = c;
    """
    found = run(source("long long *a", body), np.zeros(5, "i8"), block=1).arrays[0]
    order = [found[3], found[4], found[0], found[1], found[2]]
    assert all(first < second for first, second in pairwise(order))
    again = run(source("long long *a", body), np.zeros(5, "i8"), block=1).arrays[0]
    assert found.tolist() == again.tolist()


def test_the_clock_goes_on_from_launch_to_launch() -> None:
    kernel = simulator.RawKernel(source("long long *a, int i", "a[i] = clock64();"), "k")
    with simulator.Device(memory=1 << 20):
        a = simulator.zeros(3, "int64")
        for i in range(3):
            kernel((1,), (1,), (a, i))
        first, second, third = a.get()
    assert 0 < first < second < third


def test_waiting_for_the_clock_ends() -> None:
    body = "long long t = clock64(); while (clock64() - t < 10000) { } a[0] = 1;"
    assert run(source("int *a", body), A8).arrays[0][0] == 1


def test_nanosleep_changes_nothing_but_who_runs() -> None:
    body = """
      int i = threadIdx.x;
      for (int n = 0; n < i; n++) __nanosleep(100 * n);
      a[i] = i * i; __nanosleep(1);
    """
    assert run(source("int *a", body), A8, block=8).arrays[0].tolist() == (A8 * A8).tolist()


def test_counters_do_not_see_the_reports(capsys: Any) -> None:
    plain = source("int *a", "a[threadIdx.x] = 1;")
    talking = source("int *a", 'a[threadIdx.x] = 1; printf("x"); assert(1);')
    with_talk, without = (run(t, A8, block=8).counters for t in (talking, plain))
    assert with_talk.store_requests == without.store_requests == 1
    assert with_talk.branches == without.branches == 0
    assert with_talk.warp_steps == without.warp_steps + 2
