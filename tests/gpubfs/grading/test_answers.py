"""Answers to questions about counters: of searches, and of an exercise's own kernels."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpubfs.grading.cohort.packing import grade_packed, pack
from gpubfs.grading.kinds.predict import PredictKind
from gpubfs.grading.loading import load
from gpubfs.grading.outcome import Failure
from gpubfs.grading.processes.sandbox import grade

KERNEL = """
#include "csr.cuh"
extern "C" __global__ void odd(int *a) {
  int i = threadIdx.x;
  if (i % 2) a[i] *= 10;
}
"""
PROBLEM = """
import numpy as np
from gpubfs.grading import Launch, Problem

def make(rng, threads, factor=10):
    values = np.arange(threads, dtype=np.int32)
    expected = np.where(values % 2, factor * values, values)
    return Problem({"a": values}, (Launch("odd", 1, threads, ("a",)),), {"a": expected})
"""
EXERCISE = """
title = "Count"
kind = "predict"
hints = ["Count warps."]
[[cases]]
name = "parted"
points = 5
given = { counter = "divergent_branches", threads = 96 }
[[cases]]
name = "share"
points = 5
given = { counter = "simt_efficiency", threads = 32, within = 0.05 }
[[cases]]
name = "search"
points = 5
given = { counter = "launches", technique = "scan-free", graph = "path:4", source = 0 }
[[cases]]
name = "broken"
points = 5
given = { counter = "branches", threads = 32, factor = 3 }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "lessons" / "00-any" / "exercises" / "count"
    made.mkdir(parents=True)
    (made / "exercise.toml").write_text(EXERCISE)
    (made / "kernel.cu").write_text(KERNEL)
    (made / "problem.py").write_text(PROBLEM)
    return made


def check(folder: Path, name: str, answers: str) -> Failure | None:
    exercise = load(folder)
    file = folder / "answers.toml"
    file.write_text(answers)
    case = next(case for case in exercise.cases if case.name == name)
    return PredictKind(exercise, file).grade_case(case, seed=1)


def test_a_kernel_of_the_exercise_is_counted(folder: Path) -> None:
    assert check(folder, "parted", "parted = 3") is None
    wrong = check(folder, "parted", "parted = 96")
    assert wrong is not None
    assert wrong.reason == "answer"
    assert wrong.message == "96 is too much"
    assert wrong.called == "divergent_branches of kernel.cu, threads=96"


def test_answers_may_be_near_where_the_case_says_so(folder: Path) -> None:
    # Three statements, the last by half of the lanes.
    assert check(folder, "share", "share = 0.83") is None
    assert check(folder, "share", "share = 0.5") is not None


def test_a_search_is_counted_where_a_technique_is_named(folder: Path) -> None:
    assert check(folder, "search", "search = 4") is None
    wrong = check(folder, "search", "search = 3")
    assert wrong is not None
    assert wrong.called == "launches of scan-free on path:4, source=0"


def test_what_is_no_number_is_told(folder: Path) -> None:
    for answers in ("", "parted = '3'", "parted = true", "parted = nan", f"parted = 1{'0' * 400}"):
        wrong = check(folder, "parted", answers)
        assert wrong is not None
        assert "there is no number for 'parted'" in wrong.message


def test_a_kernel_that_is_itself_wrong_is_told(folder: Path) -> None:
    wrong = check(folder, "broken", "broken = 1")
    assert wrong is not None
    assert wrong.reason == "result"
    assert "a[1] is wrong" in wrong.message


TOO_MUCH = {
    "digits": ("a = 1\nparted = " + "9" * 5000, "too many digits (line 2)"),
    "brackets": ("a = 1\n\nparted = " + "[" * 5000 + "]" * 5000, "too deeply (line 3)"),
    "tables": ("parted = " + "{a=" * 3000 + "1" + "}" * 3000, "too deeply (line 1)"),
}


@pytest.mark.parametrize("name", TOO_MUCH)
def test_more_than_can_be_read_is_told_with_its_line(name: str, folder: Path) -> None:
    text, words = TOO_MUCH[name]
    file = folder / "answers.toml"
    file.write_text(text)
    exercise = load(folder)
    found = PredictKind(exercise, file).grade_case(exercise.cases[0], 1)
    assert found is not None
    assert found.reason == "read"
    assert words in found.message
    assert "parted = " in found.detail
    assert max(map(len, found.detail.splitlines())) < 100


@pytest.mark.parametrize("value", ["0x{}", "[0x{}]", "{{ a = 0x{} }}"])
def test_a_number_that_nobody_writes_out_is_told(value: str, folder: Path) -> None:
    lost = check(folder, "parted", f"parted = {value.format('f' * 5000)}")
    assert lost is not None
    assert (lost.reason, lost.got) == ("answer", "a number with too many digits")


SOUND = EXERCISE[: EXERCISE.index('[[cases]]\nname = "broken"')]


def answers(folder: Path, name: str, parted: int) -> Path:
    file = folder.parents[3] / name
    file.write_text(f"parted = {parted}\nshare = 0.8333\nsearch = 4\n")
    return file


@pytest.mark.slow
def test_what_was_counted_for_one_student_is_not_counted_again(folder: Path) -> None:
    (folder / "exercise.toml").write_text(SOUND)
    known: dict[str, float] = {}
    first = grade(load(folder), answers(folder, "ada.toml", 3), "s", known=known)
    assert [outcome.got for outcome in first.outcomes] == [5, 5, 5]
    assert known == {"parted": 3, "share": pytest.approx(5 / 6), "search": 4}
    known["parted"] = 7
    second = grade(load(folder), answers(folder, "bo.toml", 7), "s", known=known)
    assert [outcome.got for outcome in second.outcomes] == [5, 5, 5]


@pytest.mark.slow
def test_what_was_counted_is_of_this_exercise_and_secret(folder: Path) -> None:
    def got(name: str, parted: int, secret: str = "s") -> float:
        exercise = load(folder)
        made = grade_packed(pack(exercise, answers(folder, name, parted), secret))
        return float(made["outcomes"][0]["got"])

    (folder / "exercise.toml").write_text(SOUND)
    assert (got("ada.toml", 3), got("bo.toml", 4), got("cy.toml", 3, "t")) == (5, 0, 5)
    (folder / "kernel.cu").write_text(KERNEL.replace("i % 2", "i < 96"))
    (folder / "problem.py").write_text(PROBLEM.replace("values % 2", "values < 96"))
    assert (got("ada.toml", 3), got("bo.toml", 0)) == (0, 5)
