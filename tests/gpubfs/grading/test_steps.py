"""How many lane steps a launch may take is said by the exercise, or by a case of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpubfs.grading.processes.sandbox import grade
from tests.gpubfs.grading.doubling import PROBLEM, TOML, exercise, submission

#: 30,000 iterations by a warp take some 62 million lane steps.
SLOW = """
extern "C" __global__ void twice(const int *in, int *out, int size) {
  int i = threadIdx.x;
  for (int turn = 0; turn < 30000; turn++) out[i] = in[i] + (turn + in[i]) - turn;
}
"""


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "reason"), [("", "fault"), ("steps = 70_000_000\n", "")])
def test_a_launch_may_take_the_steps_that_the_exercise_allows(
    steps: str, reason: str, tmp_path: Path
) -> None:
    double = exercise(tmp_path, toml=steps + TOML)
    (outcome,) = grade(double, submission(tmp_path, SLOW)).outcomes
    assert (outcome.failure.reason if outcome.failure else "") == reason
    assert outcome.failure is None or "no end after 33,554,432" in outcome.failure.message


def test_a_case_may_allow_other_steps_than_its_exercise(tmp_path: Path) -> None:
    other = TOML[TOML.index("[[cases]]") :].replace("small", "fewer") + "steps = 10_000_000\n"
    double = exercise(tmp_path, toml="steps = 70_000_000\n" + TOML + other)
    right, slow = grade(double, submission(tmp_path, SLOW)).outcomes
    assert right.failure is None
    assert slow.failure is not None
    assert "no end after 10,000,000 lane steps" in slow.failure.message


#: Threads of two warps wait for a value that nobody writes, and add to each other's elements.
WAITS = """
extern "C" __global__ void twice(const int *in, int *out, int size) {
  int i = threadIdx.x;
  out[i] = 2 * in[i];
  while (out[(i + 32) % 64] != -1) out[(i + 33) % 64] += 2;
}
"""


def test_a_race_in_a_loop_that_does_not_end_is_named(tmp_path: Path) -> None:
    toml = "steps = 4_000_000\n" + TOML.replace("32", "64")
    asked = exercise(tmp_path, PROBLEM.replace("1, 32", "1, 64"), toml)
    (outcome,) = grade(asked, submission(tmp_path, WAITS)).outcomes
    assert outcome.failure is not None
    assert "race on out" in outcome.failure.message
    assert "no end after 4,000,000 lane steps" in outcome.failure.detail


#: A race, and beside it a loop that would not end without the race either.
FORGETS = """
extern "C" __global__ void twice(const int *in, int *out, int size) {
  int i = threadIdx.x, k = 0;
  out[i] = out[(i + 1) % size];
  while (k < size) out[i] = 2 * in[i] + k * 0 + (out[i] & 0) + (k & 1);
}
"""


def test_a_race_beside_a_loop_that_does_not_end_is_not_said_to_be_its_cause(tmp_path: Path) -> None:
    asked = exercise(tmp_path, toml="steps = 4_000_000\n" + TOML)
    (outcome,) = grade(asked, submission(tmp_path, FORGETS)).outcomes
    assert outcome.failure is not None
    assert "race on out" in outcome.failure.message
    assert "What may come of it: kernel twice" in outcome.failure.detail
    assert "while (k < size)" in outcome.failure.detail.partition("What may come of it:")[2]


#: Races in a launch that takes long, and a loop that does not end in the next one.
LONG = """
extern "C" __global__ void twice(const int *in, int *out, int size) {
  int i = threadIdx.x, sum = 0;
  if (!in[0]) out[i / 2] = i;
  for (int turn = 0; turn < 2500 && !in[0]; turn++) sum += turn;
  while (in[0]) out[i] += sum + 1;
}
"""
TWICE = """
import numpy as np
from gpubfs.grading import Launch, Problem

def make(rng):
    zeros, ones = np.zeros(32, np.int32), np.ones(32, np.int32)
    launches = tuple(Launch("twice", 1, 32, (name, "out", 32)) for name in ("zeros", "ones"))
    arrays = {"zeros": zeros, "ones": ones, "out": zeros}
    return Problem(arrays=arrays, launches=launches, expected={"out": ones})
"""


def test_a_launch_that_ends_is_not_said_not_to(tmp_path: Path) -> None:
    toml = "steps = 8_000_000\n" + TOML.replace("given = ", "# given = ")
    (outcome,) = grade(exercise(tmp_path, TWICE, toml), submission(tmp_path, LONG)).outcomes
    assert outcome.failure is not None
    assert "race on out" in outcome.failure.message
    assert "no end after 8,000,000 lane steps" in outcome.failure.detail
    assert "no end after 1,000,000" not in outcome.failure.detail
    assert "for (int turn" not in outcome.failure.detail
