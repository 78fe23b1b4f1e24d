"""Lessons' notebooks: what they are made of, that they run, and that they grade."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpubfs.grading.exercises.exercise import exercises
from gpubfs.grading.releasing.cells import read
from gpubfs.grading.releasing.nbgrader import for_students
from gpubfs.grading.releasing.release import read as released
from tests.lessons.notebooks import LESSONS, NOTEBOOKS, execute, failed, problems

each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)

PREDICTION = {"grade": False, "solution": True, "locked": False, "task": False}
TEST = {"grade": True, "solution": False, "locked": True, "task": False, "points": 1}
RUN = "requests = recorded('scan-free', 'toy', 'load_requests')['load_requests'].simulated"


@each
def test_a_notebook_is_made_as_a_lesson(path: Path) -> None:
    assert problems(path) == []


def test_every_lesson_has_its_notebook() -> None:
    if not NOTEBOOKS:
        pytest.skip("there are no notebooks")
    lessons = {one.folder.parent.parent for one in exercises(LESSONS)}
    assert {path.resolve().parent for path in NOTEBOOKS} == lessons


def test_all_lessons_can_be_released() -> None:
    assert {one.folder for one in released(LESSONS)} >= {path.parent for path in NOTEBOOKS}


@pytest.mark.slow
@each
def test_a_notebook_runs_from_top_to_bottom(path: Path, tmp_path: Path) -> None:
    assert failed(execute(path, tmp_path)) == []


@pytest.mark.slow
@each
def test_who_predicts_nothing_gets_no_points(path: Path, tmp_path: Path) -> None:
    content = for_students(path, read(path))
    graded = {cell["id"] for cell in content["cells"] if _mark(cell).get("grade")}
    made = execute(path, tmp_path, content, errors=True)
    assert graded == set(failed(made))
    for cell in made.cells:
        if cell.id in graded:  # who has not predicted is not told the answer
            error = cell.outputs[-1]
            assert error.ename == "AssertionError"
            assert error.evalue.startswith("write down your number")


def _mark(cell: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = cell["metadata"].get("nbgrader", {})
    return found


def _cell(name: str, source: str, kind: str = "code", **mark: Any) -> dict[str, Any]:
    metadata = {"nbgrader": {"schema_version": 3, "cell_type": kind} | mark} if mark else {}
    made = {"id": name, "cell_type": kind, "metadata": metadata, "source": source}
    return made | ({"outputs": [], "execution_count": None} if kind == "code" else {})


def _tiny() -> dict[str, Any]:
    """The least that is a lesson."""
    end = "## Exercises\n\nNone.\n\n## What this lesson did *not* teach\n\nMuch."
    guess = "### BEGIN SOLUTION\nguess = 34\n### END SOLUTION"
    rows = [
        _cell("question", "# Loads\n\nHow many requests are loads?", "markdown"),
        _cell("imports", "from gpubfs.grading.notebook import kernel, recorded"),
        _cell("kernel", "kernel('scan-free', only='scan_free')"),
        _cell("predict", guess, grade_id="09-loads", **PREDICTION),
        _cell("run", RUN),
        _cell("test", "assert guess == requests, 'why'", grade_id="09-loads-test", **TEST),
        _cell("end", end, "markdown"),
    ]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    return {"cells": rows, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture
def tiny(tmp_path: Path) -> Callable[[dict[str, Any]], Path]:
    """Writes a lesson's notebook, as Jupyter does: a cell's text in lines."""

    def write(content: dict[str, Any]) -> Path:
        content = copy.deepcopy(content)
        for cell in content["cells"]:
            cell["source"] = cell["source"].splitlines(keepends=True)
        path = tmp_path / "09-tiny" / "09-tiny.ipynb"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content, indent=1) + "\n")
        return path

    return write


Write = Callable[[dict[str, Any]], Path]


def test_the_least_lesson_is_one(tiny: Write) -> None:
    assert problems(tiny(_tiny())) == []


@pytest.mark.parametrize(
    ("name", "source", "words"),
    [
        ("imports", "import json", "imports nothing of the package"),
        ("imports", "import gpubfs\nimport pandas as pd", "imports pandas"),
        ("kernel", "code = '__global__ void f() {}'", "has a kernel"),
        ("end", "```\n__global__ void f(int *a) {\n```\n# What it did not teach", "has a kernel"),
        ("kernel", "open('/home/me/a.cu')", "names a place"),
        ("run", "requests = 34", "nothing recorded"),
        ("test", "assert guess == requests", "does not explain itself"),
        ("end", "## Exercises", "last heading"),
        ("end", "## What this lesson did not teach", "about exercises"),
        ("end", "## What this lesson did not teach\n## Exercises", "last heading"),
    ],
)
def test_what_a_lesson_must_not_be_is_said(tiny: Write, name: str, source: str, words: str) -> None:
    content = _tiny()
    next(cell for cell in content["cells"] if cell["id"] == name)["source"] = source
    found = problems(tiny(content))
    assert any(words in one for one in found), found


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows: rows.append(rows.pop(0)), "predicted before the question"),
        (lambda rows: rows[0].update(id="q"), "id question"),
        (lambda rows: rows[2].update(outputs=[{}]), "has outputs"),
        (lambda rows: rows[2].update(execution_count=1), "has outputs"),
        (lambda rows: rows[2].update(id="predict"), "ids, one each"),
        (lambda rows: rows.pop(5), "no graded cell below"),
        (lambda rows: rows.insert(3, rows.pop(5)), "no graded cell below"),
        (lambda rows: rows.pop(3), "nothing is predicted"),
        (lambda rows: _mark(rows[3]).update(grade_id="loads"), "lesson's number"),
    ],
)
def test_what_is_not_in_its_place_is_said(
    tiny: Write, change: Callable[[list[Any]], Any], words: str
) -> None:
    content = copy.deepcopy(_tiny())
    change(content["cells"])
    found = problems(tiny(content))
    assert any(words in one for one in found), found


@pytest.mark.slow
def test_a_notebook_is_run_and_its_errors_are_found(tiny: Write, tmp_path: Path) -> None:
    path = tiny(_tiny())
    assert failed(execute(path, tmp_path / "a")) == []
    left_open = for_students(path, _tiny())
    assert failed(execute(path, tmp_path / "b", left_open, errors=True)) == ["test"]


@pytest.mark.slow
def test_a_notebook_that_leaves_files_behind_is_told(tiny: Write, tmp_path: Path) -> None:
    content = _tiny()
    content["cells"][4]["source"] = RUN + "\nopen('left.txt', 'w').close()"
    with pytest.raises(AssertionError, match="leaves files behind"):
        execute(tiny(content), tmp_path / "a")
