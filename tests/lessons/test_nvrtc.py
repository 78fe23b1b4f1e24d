"""The course's kernels through NVIDIA's compiler: what is graded here must run on a GPU, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpubfs.machines import nvrtc
from tests.lessons.submitted import ALL, EXERCISES, LESSONS, Submitted

SHIPPED = sorted(LESSONS.rglob("*.cu"))
STARTERS = [file for file in SHIPPED if file.stem == "starter"]
WRITTEN_IN_C = {exercise.folder for exercise in EXERCISES if exercise.suffix == ".cu"}

pytestmark = pytest.mark.slow


def _name(file: Path) -> str:
    return str(file.relative_to(LESSONS))


@pytest.fixture(autouse=True)
def compiler() -> None:
    module, reason = nvrtc.load()
    if module is None:
        pytest.skip(reason)


@pytest.mark.parametrize("architecture", ["sm_75", "sm_80", "sm_90"])
@pytest.mark.parametrize("file", sorted({*SHIPPED} - {*STARTERS}), ids=_name)
def test_what_the_lessons_ship_compiles_without_a_word(file: Path, architecture: str) -> None:
    assert nvrtc.compile_file(file, architecture) == ""


@pytest.mark.parametrize("file", STARTERS, ids=_name)
def test_starters_compile_though_they_do_not_use_everything(file: Path) -> None:
    nvrtc.compile_file(file)


@pytest.mark.parametrize(
    "submission", [o for o in ALL if o.right and o.exercise.suffix == ".cu"], ids=lambda one: one.id
)
def test_right_submissions_compile(submission: Submitted) -> None:
    nvrtc.compile_file(submission.file)


def test_there_are_kernels_in_every_such_exercise() -> None:
    assert {file.parent for file in SHIPPED} >= WRITTEN_IN_C
