"""Functions with shared arrays of their own, called in any order: races and reads of nothing.

A call of `f` or `g` writes the thread's own element of that function's array, or reads its own or
its neighbour's. By definition there is a race where one thread writes and another reads an element
and no barrier comes between; a read before any write is one of nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from simulator import Fault
from tests.sanitize.machine import kernel

WRITE, OWN, OTHER = range(3)
BARRIER = "__syncthreads();"
FUNCTIONS = "".join(
    f"""__device__ int {name}(int what) {{
  __shared__ int kept_{name}[8];
  if (what == 0) {{ kept_{name}[threadIdx.x] = threadIdx.x; return 0; }}
  return what == 1 ? kept_{name}[threadIdx.x] : kept_{name}[(threadIdx.x + 1) % 8];
}}
__device__ int again_{name}(int what) {{ return {name}(what); }}
"""
    for name in "fg"
)
#: A call: the function, what it does, and by which way it is called.
CALLS = st.tuples(
    st.sampled_from("fg"), st.integers(WRITE, OTHER), st.sampled_from(["", "again_", "twice"])
)
PROGRAMS = st.lists(st.one_of(CALLS, st.just(BARRIER)), min_size=1, max_size=10)

Step = tuple[str, int, str] | str


def lines(program: list[Step]) -> Iterator[str]:
    for step in program:
        if isinstance(step, str):
            yield step
        elif step[2] == "twice":
            yield f"for (int i = 0; i < 2; i++) sum += {step[0]}({step[1]});"
        else:
            yield f"sum += {step[2]}{step[0]}({step[1]});"


def races(program: list[Step]) -> bool:
    """Whether an element is written and read by two threads between two barriers."""
    done: set[tuple[str, int]] = set()
    for step in program:
        if isinstance(step, str):
            done = set()
            continue
        done.add(step[:2])
        if {(step[0], WRITE), (step[0], OTHER)} <= done:
            return True
    return False


def reads_nothing(program: list[Step]) -> bool:
    written: set[str] = set()
    for step in program:
        if not isinstance(step, str):
            if step[1] == WRITE:
                written.add(step[0])
            elif step[0] not in written:
                return True
    return False


@pytest.mark.slow
@settings(max_examples=80)
@given(PROGRAMS)
def test_calls_are_judged_as_defined(program: list[Step]) -> None:
    text = kernel(
        "int *a", f"int sum = 0; {' '.join(lines(program))} a[threadIdx.x] = sum;", FUNCTIONS
    )
    found = ""
    with simulator.Device("toy4", memory=1 << 20), simulator.sanitize("race", "init"):
        try:
            simulator.RawKernel(text, "k")((1,), (8,), (simulator.asarray(np.zeros(8, "i4")),))
        except Fault as fault:
            found = fault.sanitizer
    expected = "race" if races(program) else "init" if reads_nothing(program) else ""
    assert found == expected
