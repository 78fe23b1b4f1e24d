"""Exercises under pytest: a test for each case, of what students edited, with its feedback."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from gpubfs.grading import collecting
from gpubfs.grading.exercise import Exercise
from gpubfs.grading.feedback import Feedback
from gpubfs.grading.outcome import Failure, Grade, Outcome
from gpubfs.grading.processes.sandbox import SECRET, grade

pytestmark = pytest.mark.slow  # each test starts processes

pytest_plugins = ["pytester"]

LESSONS = Path(__file__).parents[3] / "lessons"
EXERCISE = """
title = "Two of three"
kind = "write"
hints = ["Look.", "Look again."]
cases = [
  { name = "small", points = 2 },
  { name = "large one", points = 3 },
  { name = "secret", points = 5, hidden = true },
]
"""
CARET = "starter.cu:3:1: fault: a very long sentence" + 30 * " about it" + "\n  a = b;\n  ^"
LOST = Failure("fault", "kernel f fails", "f<<<1, 2>>>(a)", "1", "[2]", CARET)


@pytest.fixture
def lesson(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lesson with one exercise that is graded by its own process."""
    monkeypatch.delenv(SECRET, raising=False)
    shutil.copy(LESSONS / "conftest.py", pytester.path / "conftest.py")
    folder = pytester.path / "07-lesson" / "exercises" / "two"
    folder.mkdir(parents=True)
    (folder / "exercise.toml").write_text(EXERCISE)
    (folder / "problem.py").write_text("# nothing\n")
    (folder / "starter.cu").write_text("// nothing\n")
    return folder


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """Instead of grading: the case "small" passes, others fail; what was asked for."""
    calls: list[tuple[str, ...]] = []

    def fake(exercise: Exercise, *args: Any) -> Grade:
        calls.append(tuple(case.name for case in exercise.cases))
        made = (
            Outcome(c.name, c.points, c.hidden, None if c.name == "small" else LOST)
            for c in exercise.cases
        )
        return Grade(exercise.name, exercise.title, str(exercise.starter), tuple(made))

    monkeypatch.setattr(collecting, "grade", fake)
    return calls


Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester) -> Run:
    return lambda *args: pytester.runpytest_inprocess("-p", "no:cacheprovider", "-rs", *args)


def test_each_case_is_a_test(lesson: Path, asked: list[Any], run: Run) -> None:
    result = run("07-lesson", "-v")
    result.assert_outcomes(passed=1, failed=1, skipped=1)
    result.stdout.fnmatch_lines(["07-lesson/exercises/two/*::small *PASSED*"])
    result.stdout.fnmatch_lines(["*::large one *FAILED*", "*::secret *SKIPPED*"])


def test_hidden_cases_say_why_they_are_skipped(lesson: Path, asked: list[Any], run: Run) -> None:
    result = run("07-lesson")
    assert any(SECRET in line for line in result.outlines if line.startswith("SKIPPED"))


def test_with_a_secret_they_are_graded(
    lesson: Path, asked: list[Any], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SECRET, "known")
    run("07-lesson").assert_outcomes(passed=1, failed=2)
    assert asked == [("small", "large one", "secret")]


def test_feedback_is_that_of_gpubfs_grade(lesson: Path, asked: list[Any], run: Run) -> None:
    shown = run("07-lesson").stdout.str()
    made = Grade("07-lesson/two", "", "", (Outcome("large one", 3, False, LOST),))
    file = io.StringIO()
    Console(file=file, width=1000, highlight=False).print(Feedback(made))
    rows = [line.rstrip() for line in file.getvalue().splitlines()][1:-1]
    assert "\n".join(rows) in shown
    assert "    expected 1\n    got      [2]\n" in shown
    assert "      a = b;\n      ^\n" in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize(("count", "shown"), [(0, 0), (1, 1), (2, 2), (9, 2)])
def test_hints_are_given_on_request(
    lesson: Path, asked: list[Any], run: Run, count: int, shown: int
) -> None:
    lines = run("07-lesson", *(["--hints", str(count)] if count else [])).outlines
    hints = ["hint 1 of 2: Look.", "hint 2 of 2: Look again."]
    assert [line for line in lines if line.startswith("hint ")] == hints[:shown]


def test_only_what_is_selected_is_graded(lesson: Path, asked: list[Any], run: Run) -> None:
    run("07-lesson", "-k", "large").assert_outcomes(failed=1, deselected=2)
    assert asked == [("large one",)]
    run("07-lesson/exercises/two/exercise.toml::small").assert_outcomes(passed=1)
    assert asked[1:] == [("small",)]
    run("07-lesson", "-k", "two and not large").assert_outcomes(passed=1, skipped=1, deselected=1)


def test_the_first_failure_may_be_the_last_test(lesson: Path, asked: list[Any], run: Run) -> None:
    run("07-lesson", "-x").assert_outcomes(passed=1, failed=1)


def test_a_starter_can_be_named_itself(lesson: Path, asked: list[Any], run: Run) -> None:
    result = run("07-lesson/exercises/two/starter.cu")
    result.assert_outcomes(passed=1, failed=1, skipped=1)


def test_several_lessons_bring_the_option_once(
    lesson: Path, asked: list[Any], run: Run, pytester: pytest.Pytester
) -> None:
    shutil.copytree(pytester.path / "07-lesson", pytester.path / "08-lesson")
    for name in ("07-lesson", "08-lesson"):
        shutil.copy(pytester.path / "conftest.py", pytester.path / name)
    (pytester.path / "conftest.py").unlink()
    result = run("07-lesson", "08-lesson", "--hints", "1")
    result.assert_outcomes(passed=2, failed=2, skipped=2)


def test_a_broken_exercise_is_an_error_with_the_place(
    lesson: Path, asked: list[Any], run: Run
) -> None:
    (lesson / "exercise.toml").write_text(EXERCISE.replace("points = 3", "point = 3"))
    result = run("07-lesson")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*exercise.toml*", "*did you mean points*"])


def test_nothing_but_exercises_is_collected(lesson: Path, asked: list[Any], run: Run) -> None:
    (lesson / "starter.py").write_text("raise SystemExit\n")
    (lesson / "problem.py").write_text("raise SystemExit\n")
    elsewhere = lesson.parent.parent / "starter.cu"
    elsewhere.write_text("")
    run("07-lesson").assert_outcomes(passed=1, failed=1, skipped=1)
    assert run(str(elsewhere)).ret == pytest.ExitCode.USAGE_ERROR


def test_processes_of_xdist_share_the_cases(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real exercise, in processes: what it tells is what grading finds."""
    monkeypatch.delenv(SECRET, raising=False)
    shutil.copy(LESSONS / "conftest.py", pytester.path)
    where = "00-warp/exercises/reverse"
    shutil.copytree(LESSONS / where, pytester.path / where)
    from gpubfs.grading.loading import load

    made = grade(load(pytester.path / where))
    monkeypatch.setenv("PYTHONPATH", str(LESSONS.parent))
    result = pytester.runpytest_subprocess("00-warp", "-n", "2", "-p", "no:cacheprovider")
    lost = sum(outcome.failure is not None for outcome in made.outcomes)
    hidden = sum(outcome.skipped for outcome in made.outcomes)
    result.assert_outcomes(failed=lost, skipped=hidden, passed=len(made.outcomes) - lost - hidden)
    assert lost
    result.stdout.fnmatch_lines(["*race on tile*", "*^~~*"])


def test_what_a_kernel_prints_is_in_a_section_of_its_own(
    lesson: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fake(exercise: Exercise, *args: Any) -> Grade:
        made = (
            Outcome(c.name, c.points, False, None if c.name == "small" else LOST, printed="lane 7")
            for c in exercise.cases
        )
        return Grade(exercise.name, exercise.title, str(exercise.starter), tuple(made))

    monkeypatch.setattr(collecting, "grade", fake)
    rows = run("07-lesson").outlines
    assert rows.count("lane 7") == 1
    assert rows.index("lane 7") - 1 == next(
        number for number, row in enumerate(rows) if "Captured stdout call" in row
    )
    assert run("07-lesson", "-rP").outlines.count("lane 7") == 2
