"""Lessons' notebooks: what they are made of, that they run, and that they grade."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpubfs.grading.loading import exercises
from gpubfs.grading.notebook import OPEN, explanations
from gpubfs.grading.notebooks.nbgrader import read_notebook, student_version
from gpubfs.grading.notebooks.release import read_lessons as released
from gpubfs.grading.notebooks.release import release
from tests.lessons.notebooks import LESSONS, NOTEBOOKS, execute, failed, points, problems

each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)

PREDICTION = {"grade": False, "solution": True, "locked": False, "task": False}
TEST = {"grade": True, "solution": False, "locked": True, "task": False, "points": 1}
CHECK = "check('09-loads', guess=(guess, requests))"
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
    made = execute(path, tmp_path)
    assert failed(made) == []
    assert {points(cell) for cell in made.cells if _mark(cell).get("grade")} == {1.0}


@pytest.mark.slow
@each
def test_who_predicts_nothing_goes_through_and_gets_no_points(path: Path, tmp_path: Path) -> None:
    made = execute(path, tmp_path, student_version(path, read_notebook(path)))
    assert failed(made) == []
    graded = [cell for cell in made.cells if _mark(cell).get("grade")]
    assert graded
    for cell in graded:  # who has not predicted is not told the answer
        (shown,) = (output for output in cell.outputs if output.output_type == "execute_result")
        assert points(cell) == 0
        rows = re.findall("<p>(.*?)</p>", shown.data["text/html"])
        assert rows
        assert all(row.endswith(f": {OPEN}") for row in rows)


@each
def test_no_released_cell_shows_why(path: Path) -> None:
    text = json.dumps(student_version(path, read_notebook(path)), ensure_ascii=False)
    for row in (row for texts in explanations().values() for row in texts.values()):
        words = row.partition("{counted")[2].partition("}")[2].strip()
        assert words[:40] not in text


def test_every_explanation_belongs_to_a_prediction() -> None:
    asked = {
        _mark(cell).get("grade_id") for path in NOTEBOOKS for cell in read_notebook(path)["cells"]
    }
    assert set(explanations()) <= asked


@each
def test_links_lead_to_lessons_from_where_jupyter_is_started(path: Path, tmp_path: Path) -> None:
    """All lessons lie below the folder that README names, in the lessons and when released."""
    command = re.search(r"^jupyter lab (\S+)$", (LESSONS / "README.md").read_text(), re.MULTILINE)
    assert command is not None
    assert command[1] == "course/release"
    release(LESSONS, tmp_path / "course")
    for root in (LESSONS, tmp_path / command[1]):
        text = json.dumps(read_notebook(root / path.relative_to(LESSONS)))
        for link in re.findall(r"\]\(([^)#\s]+)\)", text):
            if "://" not in link:
                target = (root / path.parent.name / link).resolve()
                assert target.is_file(), link
                assert target.is_relative_to(root.resolve()), link


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
        _cell("imports", "from gpubfs.grading.notebook import check, kernel, recorded"),
        _cell("kernel", "kernel('scan-free', only='scan_free')"),
        _cell("predict", guess, grade_id="09-loads", **PREDICTION),
        _cell("run", RUN),
        _cell("test", CHECK, grade_id="09-loads-test", **TEST),
        _cell("end", end, "markdown"),
    ]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    return {"cells": rows, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture(autouse=True)
def explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tiny lesson's prediction is explained, too."""
    texts = {**explanations(), "09-loads": {"guess": "It is {counted}."}}
    monkeypatch.setattr("tests.lessons.notebooks.explanations", lambda: texts)


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
        ("test", "check('09-loads', other=(guess, requests))", "does not explain other"),
        ("test", f"assert guess == requests, 'why'\n{CHECK}", "ends a notebook"),
        ("test", "guess == requests", "does not check('09-loads'"),
        ("test", CHECK.replace("09", "08"), "does not check('09-loads'"),
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
        (lambda rows: _mark(rows[5]).update(points=2), "other points"),
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
    content = _tiny()
    ours = CHECK.replace("09-loads", "03-star").replace("guess=", "on_the_star=")
    content["cells"][5]["source"] = ours
    path = tiny(content)
    assert failed(execute(path, tmp_path / "a")) == []
    left_open = student_version(path, content)
    assert failed(execute(path, tmp_path / "b", left_open)) == []
    content["cells"][5]["source"] = "raise ValueError"
    assert failed(execute(tiny(content), tmp_path / "c", errors=True)) == ["test"]


@pytest.mark.slow
def test_a_notebook_that_leaves_files_behind_is_told(tiny: Write, tmp_path: Path) -> None:
    content = _tiny()
    content["cells"][5]["source"] = "None"
    content["cells"][4]["source"] = RUN + "\nopen('left.txt', 'w').close()"
    with pytest.raises(AssertionError, match="leaves files behind"):
        execute(tiny(content), tmp_path / "a")
