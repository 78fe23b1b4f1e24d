"""What sanitizers say, to the character, and how they are switched on."""

from __future__ import annotations

import re

import numpy as np
import pytest

import simulator
from simulator import Fault, SimulatorError
from tests.sanitize.machine import kernel, sanitized

A = np.zeros(64, "i4")


def said(body: str, name: str, block: int = 8) -> str:
    with pytest.raises(Fault) as caught:
        sanitized(kernel("int *a", body), A, names=(name,), block=block)
    return str(caught.value)


def test_a_race() -> None:
    body = (
        "__shared__ int s[64];\nif (threadIdx.x < 40)\n  s[threadIdx.x] = 1;\n"
        "a[threadIdx.x] = s[threadIdx.x / 2];"
    )
    assert said(body, "race", 40) == (
        "<kernel>:6:18: fault: kernel k: race on s[16] (and 19 more elements): block (0, 0, 0), "
        "thread (33, 0, 0) reads what block (0, 0, 0), thread (16, 0, 0) writes, and nothing "
        "orders the two\n"
        "    a[threadIdx.x] = s[threadIdx.x / 2];\n"
        "                     ^~~~~~~~~~~~~~~~~~\n"
        "  active lanes of the warp: ########........................\n"
        "  Put a __syncthreads() between the two that all threads of the block pass.\n"
        "<kernel>:5:3: note: here block (0, 0, 0), thread (16, 0, 0) writes it; "
        "active lanes of the warp: ################################\n"
        "      s[threadIdx.x] = 1;\n"
        "      ^~~~~~~~~~~~~~~~~~"
    )


def test_a_race_in_one_statement() -> None:
    assert said("if (threadIdx.x % 4 == 1)\n  *a = threadIdx.x;", "race") == (
        "<kernel>:4:3: fault: kernel k: race on a[0]: block (0, 0, 0), thread (1, 0, 0) writes "
        "what block (0, 0, 0), thread (5, 0, 0) writes, and nothing orders the two\n"
        "      *a = threadIdx.x;\n"
        "      ^~~~~~~~~~~~~~~~\n"
        "  active lanes of the warp: .#...#..........................\n"
        "  Any of them may win: give every thread an element of its own, let one thread write, or "
        "use\n"
        "  an atomic function.\n"
        "<kernel>:4:3: note: here block (0, 0, 0), thread (5, 0, 0) writes it; "
        "active lanes of the warp: .#...#..........................\n"
        "      *a = threadIdx.x;\n"
        "      ^~~~~~~~~~~~~~~~"
    )


def test_a_read_of_nothing() -> None:
    body = "__shared__ int s[64];\ns[threadIdx.x] = 1;\na[threadIdx.x] = s[threadIdx.x + 1];"
    assert said(body, "init") == (
        "<kernel>:5:18: fault: kernel k, block (0, 0, 0), thread (7, 0, 0), lane 7 reads s[8], "
        "which nothing has written\n"
        "    a[threadIdx.x] = s[threadIdx.x + 1];\n"
        "                     ^~~~~~~~~~~~~~~~~~\n"
        "  active lanes of the warp: ########........................\n"
        "  Shared memory begins with nonsense: let the threads fill it, then __syncthreads()."
    )


def test_a_mask_of_lanes_that_do_not_come() -> None:
    assert said("if (threadIdx.x < 6)\n  __syncwarp();", "sync") == (
        "<kernel>:4:3: fault: kernel k, block (0, 0, 0), thread (0, 0, 0), lane 0: the mask "
        "0xffffffff names lanes 6, 7, not active here\n"
        "      __syncwarp();\n"
        "      ^~~~~~~~~~~~\n"
        "  active lanes of the warp: ######..........................\n"
        "  Name only the lanes that take part, or let all of them come: call it outside the branch."
    )


def test_the_cause_before_the_fault() -> None:
    assert said("__shared__ int s[64];\na[s[threadIdx.x]] = 1;", "init") == (
        "<kernel>:4:3: fault: kernel k, block (0, 0, 0), thread (0, 0, 0), lane 0 reads s[0], "
        "which nothing has written\n"
        "    a[s[threadIdx.x]] = 1;\n"
        "      ^~~~~~~~~~~~~~\n"
        "  active lanes of the warp: ########........................\n"
        "  Shared memory begins with nonsense: let the threads fill it, then __syncthreads().\n"
        "<kernel>:4:1: note: after that, kernel k, block (0, 0, 0), thread (0, 0, 0), lane 0 "
        "writes a[-1515870811], but a has 64 elements\n"
        "    a[s[threadIdx.x]] = 1;\n"
        "    ^~~~~~~~~~~~~~~~~~~~~"
    )


def test_a_fault_of_its_own_is_left_alone() -> None:
    with pytest.raises(Fault, match="but a has 64 elements") as caught:
        sanitized(kernel("int *a", "a[threadIdx.x + 60] = 1;"), A)
    assert caught.value.notes == ()


def test_what_was_let_pass() -> None:
    report = sanitized(kernel("int *found", "if (threadIdx.x % 2)\n  *found = 1;"), A, block=8)
    assert str(report) == (
        "<kernel>:4:3: race, harmless: kernel k: race on found[0]: block (0, 0, 0), thread "
        "(1, 0, 0) writes what block (0, 0, 0), thread (7, 0, 0) writes, and nothing orders the "
        "two\n"
        "      *found = 1;\n"
        "      ^~~~~~~~~~\n"
        "  all of them write the same value"
    )
    (found,) = report.findings
    assert found.as_dict()["reason"] == "all of them write the same value"


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (
            "if (threadIdx.x) *(volatile int *)a = 1; else a[1] = a[0];",
            "thread (0, 0, 0) reads what block (0, 0, 0), thread (1, 0, 0) writes (volatile), and",
        ),
        (
            "if (threadIdx.x) a[0] = threadIdx.x; else atomicAdd(a, 1);",
            "thread (0, 0, 0) updates what block (0, 0, 0), thread (1, 0, 0) writes, and",
        ),
        ("((int2 *)a)[2].y = threadIdx.x;", "race on a[5]: "),
        ("__shared__ int2 s[4]; s[2].y = threadIdx.x;", "race on s[2].y: "),
        ("int *p = a + 3; *p = threadIdx.x;", "race on a[3]: "),
        ("int *p = (int *)(unsigned long long)a; p[3] = threadIdx.x;", "race on a[3]: "),
    ],
)
def test_who_does_what_where(body: str, what: str) -> None:
    assert what in said(body, "race", 2).replace("\n", " ")


def test_an_index_counts_from_the_array_that_was_passed() -> None:
    with simulator.Device(), simulator.sanitize("race"):
        a = simulator.zeros(16, "int32")
        launched = simulator.RawKernel(kernel("int *a", "a[2] = threadIdx.x;"), "k")
        with pytest.raises(Fault, match=r"race on a\[2\]: "):
            launched((1,), (2,), (a[5:],))


def test_names() -> None:
    with pytest.raises(SimulatorError) as caught, simulator.sanitize("rase"):
        pass
    assert str(caught.value) == (
        "error: there is no sanitizer 'rase'\n"
        "  did you mean `race`? sanitizers: race, init, sync, memory, livelock, steps, all"
    )
    with simulator.sanitize("memory", "livelock", "steps"):
        pass
    with pytest.raises(SimulatorError, match="steps=0"), simulator.sanitize(steps=0):
        pass


def test_it_ends_with_its_context() -> None:
    text = kernel("int *a", "*a = threadIdx.x;")
    with simulator.Device() as device:
        a = simulator.zeros(1, "int32")
        before = device.steps
        with simulator.sanitize("race", steps=1 << 20):
            assert device.steps == 1 << 20
        assert device.steps == before
        simulator.RawKernel(text, "k")((1,), (32,), (a,))
        other = simulator.Device()
        with simulator.sanitize("all", device=other):
            simulator.RawKernel(text, "k")((1,), (32,), (a,))


def test_counters_are_the_same_under_sanitizers() -> None:
    body = (
        "int mine[2] = {1, 2}, x; x = threadIdx.x < 9 ? 4 : 5; __syncwarp();"
        "if (x > 4 && mine[1]) a[threadIdx.x] += mine[threadIdx.x & 1] + x;"
    )
    counted = []
    for names in ((), ("all",)):
        with simulator.Device(), simulator.counting() as record, simulator.sanitize(*names):
            a = simulator.zeros(64, "int32")
            simulator.RawKernel(kernel("int *a", body), "k")((1,), (64,), (a,))
        counted.append(record.launches[0].counters.as_dict())
    assert counted[0] == counted[1]


def test_equal_contexts_are_told_apart() -> None:
    launched = simulator.RawKernel(kernel("int *a", "*a = 1;"), "k")
    with simulator.Device():
        a = simulator.zeros(1, "int32")
        with simulator.counting() as outer, simulator.sanitize("race") as watched:
            with simulator.counting() as inner, simulator.sanitize("race") as ended:
                launched((1,), (32,), (a,))
            launched((1,), (32,), (a,))
    assert (len(outer.launches), len(inner.launches)) == (2, 1)
    assert (watched.findings[0].count, ended.findings[0].count) == (2, 1)


def test_a_race_that_comes_back_is_shown_by_its_first_example_and_counted() -> None:
    launched = simulator.RawKernel(kernel("int *a, int n", "a[blockIdx.x % n] = 1;"), "k")
    with simulator.Device(), simulator.sanitize("race") as report:
        a = simulator.zeros(8, "int32")
        for elements, threads in ((1, 2), (3, 4), (2, 5)):
            launched((6,), (threads,), (a, elements))
    (only,) = report.findings
    assert only.message == (
        "kernel k: race on a[0]: block (0, 0, 0), thread (0, 0, 0) writes what block (5, 0, 0), "
        "thread (1, 0, 0) writes, and nothing orders the two"
    )
    assert (only.count, only.verdict) == (1 + 3 + 2, "harmless")


@pytest.mark.parametrize("names", [(), ("memory", "steps"), ("sync",)])
def test_who_looks_for_no_races_and_no_unwritten_reads_finds_none(
    names: tuple[str, ...],
) -> None:
    text = kernel("int *a", "__shared__ int s[2]; *a = s[1] + threadIdx.x;")
    assert sanitized(text, A, names=names).findings == []


@pytest.mark.parametrize("fence", ["", "__threadfence_block();"])
def test_elements_are_counted_once_however_often_they_meet(fence: str) -> None:
    body = (
        f"__shared__ int s[3];\n{fence} for (int i = 0; i < 5; i++) {{ __syncthreads();\n"
        "if (threadIdx.x < 3) s[threadIdx.x] = i;\na[threadIdx.x] = s[threadIdx.x % 3]; }"
    )
    with pytest.raises(Fault, match=r"race on s\[\d\] \(and 2 more elements\): "):
        sanitized(
            kernel("int *a", body), np.zeros(64, "i4"), grid=4, block=64, allow={"a": "meant"}
        )


@pytest.mark.parametrize("schedule", ["lockstep", "warp", "random:0"])
def test_a_race_comes_before_the_read_of_nothing_that_comes_of_it(schedule: str) -> None:
    body = "__shared__ int s[96];\ns[threadIdx.x] = 1;\na[threadIdx.x] = s[95 - threadIdx.x];"
    with simulator.Device(schedule=schedule), simulator.sanitize("all"):
        a = simulator.zeros(96, "int32")
        with pytest.raises(Fault, match="race on s"):
            simulator.RawKernel(kernel("int *a", body), "k")((1,), (96,), (a,))


@pytest.mark.parametrize(
    ("body", "remedy"),
    [
        ("if (threadIdx.x) a[0] = 1; else atomicAdd(a, 1);", "Only one side is atomic"),
        ("a[1] = threadIdx.x; atomicExch(a, 1);", "If a flag or a lock is to order them"),
    ],
)
def test_remedies_of_what_atomics_are_for(body: str, remedy: str) -> None:
    assert remedy in said(body, "race", 64)


REMEDIES = {
    "*(volatile int *)a = threadIdx.x;": (
        8,
        r"writes \(volatile\) what .*`volatile` orders nothing",
    ),
    "int x = __shfl_sync(0xff, 1, 0); a[threadIdx.x] = x; a[8] = a[threadIdx.x ^ 1];": (
        8,
        r"put __syncwarp\(\) between the two. Votes,\s+matches, reductions and shuffles order no",
    ),
    "if (threadIdx.x) atomicAdd(a, 1); else atomicAdd((unsigned long long *)a, 1ull);": (
        8,
        "not atomic for each other: let all that access these bytes",
    ),
    "a[threadIdx.x] = 1; a[9] = __ldg(a + threadIdx.x);": (
        1,
        r"race on a\[0\].* reads by __ldg what .* writes, and its cache need not see that",
    ),
}


@pytest.mark.parametrize("body", REMEDIES)
def test_what_is_said_of_races_that_have_their_own_remedy(body: str) -> None:
    block, message = REMEDIES[body]
    assert re.search(message, said(body, "race", block), re.DOTALL)


def test_a_flag_between_blocks_and_atomics_of_blocks() -> None:
    for body, message in {
        "if (threadIdx.x == 0) *(volatile int *)a = blockIdx.x;": "A flag is waited for in a loop",
        "atomicAdd_block(a, 1);": "atomic among the threads of one block only",
    }.items():
        with pytest.raises(Fault) as caught:
            sanitized(kernel("int *a", body), A, names=("race",), grid=2, block=8)
        assert message in str(caught.value)
