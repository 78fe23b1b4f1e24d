"""What a declaration of races covers: all of an array, or only those of two writes."""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from simulator import Fault, SimulatorError
from tests.sanitize.machine import kernel, sanitized

A = np.zeros(64, np.int32)

#: Of the lanes that write one winner is found, with a barrier before it is asked for, or without.
ELECTION = """
__shared__ int winner;
winner = threadIdx.x;
{barrier}
a[threadIdx.x] = winner;"""
ELECTED = kernel("int *a", ELECTION.format(barrier="__syncthreads();"))
TOO_EARLY = kernel("int *a", ELECTION.format(barrier=""))


def test_a_declaration_of_writes_covers_writes() -> None:
    report = sanitized(ELECTED, A, block=64, allow={"winner:writes": "any may win"})
    (found,) = report.findings
    assert (found.array, found.reason, found.declared) == ("winner", "any may win", True)


def test_it_covers_no_read() -> None:
    with pytest.raises(Fault, match="race on winner"):
        sanitized(TOO_EARLY, A, block=64, allow={"winner:writes": "any may win"})
    assert sanitized(TOO_EARLY, A, block=64, allow={"winner": "whatever it is"}).findings


@pytest.mark.parametrize("update", ["atomicAdd(a, 1)", "atomicExch(a, 1)"])
def test_it_covers_no_atomic(update: str) -> None:
    text = kernel("int *a", f"if (threadIdx.x % 2) a[0] = threadIdx.x; else {update};")
    with pytest.raises(Fault, match=r"race on a\[0\]"):
        sanitized(text, A, allow={"a:writes": "any may win"})


@pytest.mark.parametrize("key", ["a:", "a:reads", "a: writes", ":", "a:writes:writes"])
def test_what_declares_nothing_is_refused(key: str) -> None:
    with (
        pytest.raises(SimulatorError, match="which is no array"),
        simulator.sanitize("race", allow={key: "any may win"}),
    ):
        pass


def test_names_of_namespaces_are_names() -> None:
    with simulator.sanitize("race", allow={"mine::a": "any may win", "mine::a:writes": "any"}):
        pass
