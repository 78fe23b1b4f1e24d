"""Limits hold for any secret, and for all that compiles to the same instructions."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from gpubfs.grading.exercise import Exercise
from gpubfs.grading.processes.worker import outcomes
from gpubfs.kernels import KERNELS
from gpubfs.machines import nvrtc
from tests.lessons.submitted import EXERCISES, FOLDER, of

SECRETS = 20
#: Right submissions that load again what they have, and how many loads a compiler makes of it.
AGAIN = {
    "01-levels/expand": FOLDER / "01-levels/expand/right-loaded-again.cu",
    "01-levels/check-levels": FOLDER / "01-levels/check-levels/right-loaded-again.cu",
}
LIMITED = [one for one in EXERCISES if any(c.hidden and (c.limits or c.shares) for c in one.cases)]

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("exercise", LIMITED, ids=lambda exercise: exercise.name)
def test_limits_of_hidden_cases_hold_for_any_secret(exercise: Exercise) -> None:
    once = (dataclasses.replace(c, schedules=c.schedules[:1]) for c in exercise.cases)
    hidden = tuple(case for case in once if case.hidden)
    asked = dataclasses.replace(exercise, cases=hidden)
    for file in (exercise.solution, *(one.file for one in of(exercise) if one.right)):
        for number in range(SECRETS):
            names = [case.name for case in hidden]
            for outcome in outcomes(asked, file, names, f"secret {number}"):
                assert outcome.failure is None, (file.name, number)


@pytest.mark.parametrize("name", AGAIN)
def test_a_compiler_makes_one_load_of_equal_ones(name: str) -> None:
    if nvrtc.load()[0] is None:
        pytest.skip("CuPy and NVRTC are not installed")
    (exercise,) = (one for one in EXERCISES if one.name == name)
    solution = loads(exercise.solution)
    assert loads(AGAIN[name]) <= solution + 1
    text = AGAIN[name].read_text("utf-8")
    assert text.count("neighbours[e]") > exercise.solution.read_text("utf-8").count("neighbours[e]")


def loads(file: Path) -> int:
    """The load instructions of a kernel file."""
    module, _ = nvrtc.load()
    program = module.createProgram(file.read_text("utf-8"), file.name, (), ())
    module.compileProgram(program, ("-arch=sm_90", f"-I{KERNELS}"))
    made = module.getPTX(program)
    return len(re.findall(r"\bld\.global", made if isinstance(made, str) else made.decode()))
