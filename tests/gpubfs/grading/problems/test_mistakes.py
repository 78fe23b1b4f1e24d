"""Mistakes of an exercise itself end grading: they are nobody's loss."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gpubfs.cli.main import main
from gpubfs.grading.errors import ExerciseError
from gpubfs.grading.outcome import Grade
from gpubfs.grading.problems.problem import CHECK_FAILED, Problem, compare, load_make
from gpubfs.grading.processes import sandbox
from gpubfs.grading.processes.sandbox import grade
from tests.gpubfs.grading.doubling import PROBLEM, RIGHT, TOML, error_of, exercise, submission

#: What is put in the place of what, and what is told of it.
MISTAKES = {
    "raises": ("values = ", "size / 0\n    values = ", "problem.py, line 7: ZeroDivisionError"),
    "raises at once": ("import numpy", "import nunpy", "problem.py, line 2: ModuleNotFoundError"),
    "no Python": ("def make(", "def make((", "problem.py, line 6: SyntaxError"),
    "exits": ("values = ", "raise SystemExit(3)\n    values = ", "line 7: SystemExit: 3"),
    "recursion": ("values = ", "make(rng, size)\n    values = ", "RecursionError"),
    "no make": ("def make(", "def made(", "problem.py has no function make"),
    "no function": ("def make(", "make = 3\ndef made(", "has no function make"),
    "nothing": ("return Problem", "Problem", "make in problem.py returns nothing"),
    "a dictionary": ("return Problem(", "return dict(a=", "SyntaxError"),
    "another type": ("return Problem", "return 3, Problem", "something of type tuple"),
    "another argument": ("size)", "sizes)", "there is no argument of make", "did you mean sizes?"),
    "one more argument": ("size)", "size, block)", "missing a required argument: 'block'"),
    "an array's name": ('("in", "out"', '("inn", "out"', "line 9", '"inn"', "did you mean in?"),
    "an expected name": ('{"out": 2', '{"oit": 2', "line 9", '"oit"', "did you mean out?"),
    "a shape": ("2 * values", "2 * np.arange(size + 1)", "out has the shape (32,), and (33,)"),
    "a list": ("2 * values", "[2, 4]", "what out must hold is no array"),
    "one launch": ("(launch,)", "launch", "the launches are no tuple"),
    "no launch": ("(launch,)", "()", "the launches are no tuple"),
    "two launches": ("(launch,)", "(launch, 'twice')", "among the launches is 'twice'"),
    "an empty grid": ('"twice", 1', '"twice", 0', "line 8", "the grid of a launch of twice is 0"),
    "a large block": ("32, (", "2048, (", "has 2,048 threads"),
    "a list as argument": ("size))", "[size]))", "is of type list"),
    "a large number": ("size))", "size << 40))", "has more than 32 bits"),
    "words in an array": ("0 * values", 'np.array(["a"])', "the array out has elements of type"),
    "too much memory": ("0 * values", "np.zeros(1 << 27, np.int32)", "536,871,040 bytes"),
    "unordered": ('{"out": 2 * values}', '{"out": 2 * values}, "out"', "unordered is no tuple"),
    "masks": ('{"out": 2 * values}', '{"out": 2 * values}, masks="out"', "masks is no tuple"),
    "a mask's name": ('{"out": 2 * values}', '{"out": 2 * values}, masks=("in",)', "masks",
                      "named \"in\"", "known: out"),
    "fractions": ('{"out": 2 * values}', '{"out": 2.0 * values}, masks=("out",)',
                  "out is among the masks, and no whole numbers are expected of it"),
    "no graph": ("values = ", "import gpubfs\n    gpubfs.graph('kro:3')\n    values = ",
                 "line 8: GraphError: there is no graph called 'kro'"),
}  # fmt: skip


def changed(name: str) -> tuple[str, tuple[str, ...]]:
    old, new, *words = MISTAKES[name]
    assert old in PROBLEM
    return PROBLEM.replace(old, new), tuple(words)


@pytest.mark.parametrize("name", MISTAKES)
def test_what_no_kernel_can_mend_is_a_mistake(name: str, tmp_path: Path) -> None:
    text, words = changed(name)
    made = exercise(tmp_path, text)
    with pytest.raises(ExerciseError) as caught:
        load_make(made.folder)(np.random.default_rng(1), **made.cases[0].given)
    for part in words:
        assert part in str(caught.value)


def test_memory_is_no_mistake(tmp_path: Path) -> None:
    """Cases before this one may have left too little."""
    made = exercise(tmp_path, PROBLEM.replace("values = ", "raise MemoryError\n    values = "))
    with pytest.raises(MemoryError):
        load_make(made.folder)(np.random.default_rng(1), size=3)


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (lambda found: str(found["b"]), f"{CHECK_FAILED}: KeyError: 'b'"),
        (lambda found: True, f"{CHECK_FAILED}: it returned True"),
        (lambda found: "too few", "too few"),
        (lambda found: None, ""),
        (lambda found: "", ""),
    ],
)
def test_a_check_that_fails_is_told_of_the_result(
    check: Callable[..., str], words: str, tmp_path: Path
) -> None:
    made = load_make(exercise(tmp_path).folder)(np.random.default_rng(1), size=2)
    problem = Problem(made.arrays, made.launches, check=check)
    assert compare(problem, {"out": np.zeros(2)})[0].startswith(words)
    assert bool(compare(problem, {"out": np.zeros(2)})[0]) == bool(words)


SOME = ("raises", "raises at once", "nothing", "another argument", "an array's name")


@pytest.mark.slow
@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize("text", [RIGHT, 'extern "C" __global__ void twice() {}'])
def test_a_mistake_is_nobodys_loss(name: str, text: str, tmp_path: Path) -> None:
    problem, words = changed(name)
    message = error_of(exercise(tmp_path, problem), submission(tmp_path, text))
    assert "the exercise 00-lesson/exercises/double has a mistake, case 'small'" in message
    for part in words:
        assert part in message


@pytest.mark.slow
def test_a_mistake_of_a_later_case_is_found(tmp_path: Path) -> None:
    more = TOML[TOML.index("[[cases]]") :].replace("small", "large").replace("32", "0")
    made = exercise(tmp_path, PROBLEM.replace("values = ", "1 / size\n    values = "), TOML + more)
    assert "case 'large': problem.py, line 7: Zero" in error_of(made, submission(tmp_path, RIGHT))


@pytest.mark.slow
def test_a_check_that_raises_costs_the_case_alone(tmp_path: Path) -> None:
    text = PROBLEM.replace('{"out": 2 * values}', "check=lambda a: '' if a['out'][1] else [][1]")
    made = exercise(tmp_path, text)
    assert grade(made, submission(tmp_path, RIGHT)).full
    (lost,) = grade(made, submission(tmp_path, RIGHT.replace("2 *", "0 *"))).outcomes
    assert lost.failure is not None
    assert lost.failure.reason == "result"
    assert lost.failure.message.startswith(f"{CHECK_FAILED}: problem.py, line 9: IndexError")


@pytest.mark.slow
def test_grade_ends_with_2_and_writes_no_points(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = exercise(tmp_path, changed("raises")[0])
    file, to = submission(tmp_path, RIGHT), tmp_path / "results.json"
    with pytest.raises(SystemExit) as caught:
        main(["grade", str(file), "--exercise", str(made.folder), "--json", str(to)])
    assert caught.value.code == 2
    shown = capsys.readouterr()
    assert "points" not in shown.out
    assert "ZeroDivisionError" in shown.err
    assert "Traceback" not in shown.err
    assert not to.exists()


@pytest.mark.slow
def test_a_class_is_not_graded_on_a_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = exercise(tmp_path, changed("another argument")[0])
    for student in ("ada", "bob", "cyd"):
        submission(tmp_path / "class" / student, RIGHT)
    command = ["grade-all", str(tmp_path / "class"), "--exercise", str(made.folder)]
    with pytest.raises(SystemExit) as caught:
        main([*command, "--to", str(tmp_path / "to"), "--jobs", "2"])
    assert caught.value.code == 2
    shown = capsys.readouterr().err
    assert "the exercise 00-lesson/exercises/double has a mistake" in shown
    assert "did you mean sizes?" in shown
    assert not list((tmp_path / "to").rglob("*.json"))
    assert not (tmp_path / "to" / "marks.csv").exists()


@pytest.mark.slow
def test_a_process_that_does_not_start_is_nobodys_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, file = exercise(tmp_path), submission(tmp_path, RIGHT)
    monkeypatch.setattr(sandbox, "PACKAGES", str(tmp_path))
    (tmp_path / "gpubfs").mkdir()
    (tmp_path / "gpubfs" / "__init__.py").write_text("raise ImportError\n")
    assert "the grading process did not start (exit code 1)" in error_of(made, file)


@pytest.mark.slow
def test_a_right_kernel_still_gets_its_points(tmp_path: Path) -> None:
    made: Grade = grade(exercise(tmp_path), submission(tmp_path, RIGHT))
    assert made.full
