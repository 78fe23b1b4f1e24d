"""What every exercise must have, and that its marks mean something."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpubfs.grading.exercise import KINDS, Case, Exercise
from gpubfs.grading.loading import load
from gpubfs.grading.notebooks.release import read_lessons, starter_of
from gpubfs.grading.outcome import REASONS
from gpubfs.grading.processes.sandbox import grade
from tests.lessons import submitted
from tests.lessons.submitted import ALL, EXERCISES, FOLDER, Submitted

SECRET = "a secret of the tests"
#: What grading its solution has shown of each exercise: others for it need not count that again.
SHOWN: dict[str, dict[str, float]] = {}


def _described(exercise: Exercise) -> str:
    return (exercise.folder / "exercise.toml").read_text("utf-8")


each = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)


@each
def test_the_starter_is_what_the_solution_makes(exercise: Exercise) -> None:
    made = starter_of(exercise.solution.read_text("utf-8"))
    assert exercise.starter.read_text("utf-8") == made
    assert "SOLUTION" not in made


@each
def test_it_has_hints_points_and_hidden_cases(exercise: Exercise) -> None:
    assert len(exercise.hints) >= 2
    assert all(hint.endswith((".", "?", "`", ")")) for hint in exercise.hints)
    assert exercise.points == 10
    assert exercise.kind == "predict" or any(case.hidden for case in exercise.cases)
    left = {path.name for path in exercise.folder.iterdir()} - {"__pycache__"}
    known = {"exercise.toml", "problem.py", exercise.starter.name, exercise.solution.name}
    assert left <= known | set(KINDS[exercise.kind].files)


@pytest.mark.slow
@each
def test_the_solution_gets_full_marks_and_the_starter_does_not(exercise: Exercise) -> None:
    solved = grade(exercise, exercise.solution, SECRET, known=_anew(exercise))
    assert solved.full, [o.failure for o in solved.outcomes if o.failure]
    assert solved.got == exercise.points
    begun = grade(exercise, exercise.starter, SECRET, known=_known(exercise))
    assert begun.got <= exercise.points / 2


@pytest.mark.slow
@each
def test_an_empty_file_gets_nothing(exercise: Exercise, tmp_path: Path) -> None:
    file = tmp_path / f"empty{exercise.suffix}"
    file.write_text(_emptied(exercise.solution.read_text("utf-8"), exercise))
    assert grade(exercise, file, SECRET, known=_known(exercise)).got == 0


#: Exercises that say themselves how many lane steps a launch may take.
BOUNDED = [one for one in EXERCISES if re.search(r"^steps = ", _described(one), re.MULTILINE)]


@pytest.mark.slow
@pytest.mark.parametrize("exercise", BOUNDED, ids=lambda exercise: exercise.name)
def test_an_eighth_of_the_steps_are_enough_for_the_solution(
    exercise: Exercise, tmp_path: Path
) -> None:
    folder = tmp_path / exercise.name.replace("/", "/exercises/")
    shutil.copytree(exercise.folder, folder)
    fewer = re.sub(r"(?<=^steps = )[\d_]+", _eighth, _described(exercise), flags=re.MULTILINE)
    (folder / "exercise.toml").write_text(fewer, encoding="utf-8")
    bounded = load(folder)
    assert all(bounded.steps_of(b) < exercise.steps_of(a) for a, b in _pairs(exercise, bounded))
    solved = grade(bounded, exercise.solution, SECRET)
    assert solved.full, [o.failure for o in solved.outcomes if o.failure]


def _eighth(steps: re.Match[str]) -> str:
    return str(int(steps[0]) // 8)


def _pairs(one: Exercise, other: Exercise) -> Iterator[tuple[Case, Case]]:
    return zip(one.cases, other.cases, strict=True)


def _anew(exercise: Exercise) -> dict[str, float]:
    """Of what is known of an exercise, nothing: it is counted for this submission."""
    SHOWN[exercise.name] = {}
    return SHOWN[exercise.name]


def _known(exercise: Exercise) -> dict[str, float]:
    """What is known of an exercise, as where a whole class is graded."""
    return SHOWN.setdefault(exercise.name, {})


def _emptied(text: str, exercise: Exercise) -> str:
    """The solution with all kernels empty; of other kinds, nothing at all."""
    if exercise.suffix != ".cu":
        return ""
    text = re.sub(r"//[^\n]*", "", text)
    heads = re.findall(r"((?:extern\s+\"C\"\s+)?__global__[^{]*)\{", text)
    includes = re.findall(r"^\s*#\s*include.*$", text, re.MULTILINE)
    return "\n".join([*includes, *(f"{head.strip()} {{}}" for head in heads)]) + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("submission", ALL, ids=lambda submission: submission.id)
def test_submissions_get_what_they_deserve(submission: Submitted) -> None:
    made = grade(submission.exercise, submission.file, SECRET, known=_known(submission.exercise))
    failures = [outcome.failure for outcome in made.outcomes if outcome.failure]
    if submission.right:
        assert made.full, failures
        assert made.got == submission.exercise.points
        return
    assert made.got < submission.exercise.points
    assert submission.loses in {failure.reason for failure in failures}, failures
    words = [" ".join(vars(failure).values()) for failure in failures]
    texts = [text.replace(submission.file.name, "") for text in words]  # names may say it, too
    assert any(submission.says in text for text in texts), texts


@each
def test_there_are_wrong_submissions_of_many_kinds_and_right_ones(exercise: Exercise) -> None:
    own = submitted.of(exercise)
    wrong = [one for one in own if not one.right]
    assert len({one.what for one in wrong}) >= 5
    assert len([one for one in own if one.right]) >= 2
    assert all(one.loses in REASONS and one.says for one in wrong)


def test_submissions_belong_to_exercises() -> None:
    files = {path for path in FOLDER.rglob("*") if path.is_file()}
    assert {one.file for one in ALL} == files


def test_the_lesson_without_a_number_comes_first() -> None:
    lessons = list(dict.fromkeys(exercise.name.partition("/")[0] for exercise in EXERCISES))
    assert lessons == ["first-kernels", *sorted(lessons[1:])]
    assert [one.folder.name for one in read_lessons(submitted.LESSONS)] == lessons


def test_every_kind_of_exercise_is_used() -> None:
    assert {exercise.kind for exercise in EXERCISES} == set(KINDS)
