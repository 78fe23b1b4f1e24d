"""A small exercise as tests write it: `out` must be twice `in`."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpubfs.errors import UsageError
from gpubfs.grading.exercise import Exercise
from gpubfs.grading.loading import load
from gpubfs.grading.processes.sandbox import grade

TOML = """
title = "Double"
kind = "write"
hints = ["Twice."]
[[cases]]
name = "small"
points = 2
given = { size = 32 }
schedules = ["lockstep"]
"""
PROBLEM = """
import numpy as np
from gpubfs.grading import Launch, Problem


def make(rng, size):
    values = np.arange(size, dtype=np.int32)
    launch = Launch("twice", 1, 32, ("in", "out", size))
    return Problem({"in": values, "out": 0 * values}, (launch,), {"out": 2 * values})
"""
RIGHT = """
extern "C" __global__ void twice(const int *in, int *out, int size) {
  int i = threadIdx.x;
  if (i < size) out[i] = 2 * in[i];
}
"""


def exercise(folder: Path, problem: str | None = PROBLEM, toml: str = TOML) -> Exercise:
    home = folder / "lessons" / "00-lesson" / "exercises" / "double"
    home.mkdir(parents=True)
    (home / "exercise.toml").write_text(toml)
    if problem is not None:
        (home / "problem.py").write_text(problem)
    return load(home)


def submission(folder: Path, text: str, name: str = "double.cu") -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def error_of(exercise: Exercise, file: Path, secret: str = "") -> str:
    """The error that grading ends with."""
    with pytest.raises(UsageError) as caught:
        grade(exercise, file, secret)
    return str(caught.value)
