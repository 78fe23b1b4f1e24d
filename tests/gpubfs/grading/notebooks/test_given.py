"""Numbers of a question that each student has of their own."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from gpubfs.errors import UsageError
from gpubfs.grading.notebook import check
from gpubfs.grading.notebooks.given import BY_FOLDER, STUDENT, given, student_name

NAMES = [f"student {number}" for number in range(400)]


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(STUDENT, raising=False)


def numbers(question: str) -> list[int]:
    return [given(question, 10, 40, step=5, student=name) for name in NAMES]


def test_without_a_name_everybody_has_the_usual_number() -> None:
    assert given("a", 10, 40, usual=25) == given("a", 10, 40, usual=25, student="  ") == 25
    assert given("a", 10, 40) == 10


def test_a_student_has_the_same_number_always_and_others_have_others() -> None:
    found = Counter(numbers("a"))
    assert numbers("a") == numbers("a")
    assert set(found) == set(range(10, 41, 5))
    assert max(found.values()) < 2 * len(NAMES) / len(found)


def test_questions_have_numbers_that_do_not_follow_from_each_other() -> None:
    same = sum(a == b for a, b in zip(numbers("a"), numbers("b"), strict=True))
    assert same < len(NAMES) / 3


def test_a_slip_in_the_name_makes_no_other_student() -> None:
    assert student_name(" Ada  LOVELACE\n") == student_name("ada lovelace")
    assert given("a", 0, 10**6, student="ADA") == given("a", 0, 10**6, student="ada ")


def test_the_environment_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STUDENT, "Grace")
    assert student_name("Ada") == "grace"


def test_a_grader_takes_the_name_of_the_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """nbgrader runs ``autograded/STUDENT/LESSON`` in that folder."""
    lesson = tmp_path / "autograded" / "Grace" / "first-kernels"
    lesson.mkdir(parents=True)
    monkeypatch.chdir(lesson)
    monkeypatch.setenv(STUDENT, BY_FOLDER)
    assert student_name("Ada") == "grace"
    wanted = given("a", 0, 10**6, student="Ada")
    monkeypatch.delenv(STUDENT)
    assert wanted == given("a", 0, 10**6, student="Grace") != given("a", 0, 10**6, student="Ada")


def test_there_must_be_something_to_choose_from() -> None:
    with pytest.raises(UsageError, match="has no two numbers from 5 to 9 in steps of 5"):
        given("a", 5, 9, step=5)


@pytest.mark.slow
def test_the_explanation_names_the_student_s_numbers() -> None:
    said = str(check("first-guard", too_many=(26, 26), numbers={"n": 70}))
    assert "70 elements need whole blocks" in said
