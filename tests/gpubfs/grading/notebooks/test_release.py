"""The trees for nbgrader: what students get, what is refused, and what nbgrader itself says."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gpubfs.cli.main import group
from gpubfs.errors import UsageError
from gpubfs.grading.loading import exercises
from gpubfs.grading.notebooks.nbgrader import cells_of, source_of, student_version
from gpubfs.grading.notebooks.release import release
from gpubfs.grading.processes.sandbox import grade

LESSONS = Path(__file__).parents[4] / "lessons"

SOLUTION = {"grade": False, "solution": True, "locked": False, "task": False}
TEST = {"grade": True, "solution": False, "locked": True, "task": False, "points": 1}
PREDICTION = "### BEGIN SOLUTION\nguess = 24\n### END SOLUTION"
ASSERTION = """assert guess is not None, "write down a number"
### BEGIN HIDDEN TESTS
assert guess == 24, "count the sectors"
### END HIDDEN TESTS"""


def mark(grade_id: str, kind: dict[str, Any], **other: Any) -> dict[str, Any]:
    return {"nbgrader": {"schema_version": 3, "grade_id": grade_id} | kind | other}


def cell(name: str, source: str, metadata: Any = None, kind: str = "code") -> dict[str, Any]:
    made = {"id": name, "cell_type": kind, "metadata": metadata or {}, "source": source}
    extra = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return made | extra


def notebook(*rows: dict[str, Any]) -> dict[str, Any]:
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": list(rows), "metadata": {"kernelspec": kernel}, "nbformat": 4} | {
        "nbformat_minor": 5
    }


def whole(number: str = "00") -> dict[str, Any]:
    """A small lesson's notebook, with a bit of everything."""
    function = "def twice(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION"
    return notebook(
        cell("question", "# How many?", kind="markdown"),
        cell("predict", PREDICTION, mark(f"{number}-predict", SOLUTION)),
        cell("check", ASSERTION, mark(f"{number}-predict-test", TEST)),
        cell("twice", function, mark(f"{number}-twice", SOLUTION)),
        cell("check-twice", "assert twice(2) == 4", mark(f"{number}-twice-test", TEST)),
    )


@pytest.fixture
def lessons(tmp_path: Path) -> Path:
    """Two lessons with notebooks, one of them with an exercise."""
    made = tmp_path / "lessons"
    for name in ("00-first", "01-second"):
        (made / name).mkdir(parents=True)
        put(made / name, whole(name[:2]))
    where = "exercises/reverse"
    shutil.copytree(LESSONS / "00-warp" / where, made / "00-first" / where)
    shutil.copy(LESSONS / "conftest.py", made)
    (made / "README.md").write_text("Read me.\n")
    return made


def put(folder: Path, content: dict[str, Any]) -> Path:
    path = folder / f"{folder.name}.ipynb"
    path.write_text(json.dumps(content))
    return path


def sources(path: Path) -> dict[str, str]:
    return {row["id"]: source_of(row) for row in json.loads(path.read_text("utf-8"))["cells"]}


def ran(*arguments: str | Path) -> Result:
    return CliRunner().invoke(group, ["release", *map(str, arguments)])


def test_what_lies_beside_a_notebook_comes_along(lessons: Path, tmp_path: Path) -> None:
    (lessons / "00-first" / "ways.cu").write_text("// two ways\n")
    for folder in release(lessons, tmp_path / "course"):
        assert (folder / "ways.cu").is_file() == (folder.name == "00-first")


def test_source_is_the_notebook_byte_by_byte(lessons: Path, tmp_path: Path) -> None:
    release(lessons, tmp_path / "course")
    name = "00-first/00-first.ipynb"
    assert (tmp_path / "course/source" / name).read_bytes() == (lessons / name).read_bytes()


def test_students_get_stubs_in_the_place_of_solutions(lessons: Path, tmp_path: Path) -> None:
    release(lessons, tmp_path / "course")
    for name in ("00-first", "01-second"):
        made = sources(tmp_path / "course/release" / name / f"{name}.ipynb")
        assert made["predict"] == "# YOUR CODE HERE\nguess = None"
        assert made["check"] == 'assert guess is not None, "write down a number"'
        stub = "def twice(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()"
        assert made["twice"] == stub
        assert made["check-twice"] == "assert twice(2) == 4"
        assert made["question"] == "# How many?"


@pytest.mark.parametrize(
    ("solution", "stub"),
    [
        ("guess = 24", "guess = None"),
        ("guess = 2 * 32 + 1  # why", "guess = None"),
        ("lanes, of = 3, 32\nmasks = [1, -2]", "lanes = None\nof = None\nmasks = None"),
        ("lanes = 3\nmasks = [1, -2]", "lanes = None\nmasks = None"),
        ("guess = count(graph)", "guess = None"),
        ("guess[0] = 24", "raise NotImplementedError()"),
        ("guess = 24\nprint(guess)", "raise NotImplementedError()"),
        ("guess =", "raise NotImplementedError()"),
        ("", "raise NotImplementedError()"),
    ],
)
def test_only_what_is_written_out_is_a_prediction(solution: str, stub: str) -> None:
    text = f"before = 1\n### BEGIN SOLUTION\n{solution}\n### END SOLUTION\nafter = 2"
    content = notebook(cell("a", text, mark("00-a", SOLUTION)))
    made = student_version(Path("n.ipynb"), content)
    assert made["cells"][0]["source"] == f"before = 1\n# YOUR CODE HERE\n{stub}\nafter = 2"
    assert content["cells"][0]["source"] == text


def test_a_solution_without_a_region_is_all_of_the_cell() -> None:
    words = mark("00-b", SOLUTION | {"grade": True}, points=2)
    content = notebook(
        cell("a", "guess = 24", mark("00-a", SOLUTION)),
        cell("b", "Because.", words, "markdown"),
    )
    made = student_version(Path("n.ipynb"), content)
    stubs = [row["source"] for row in made["cells"]]
    assert stubs == ["# YOUR CODE HERE\nraise NotImplementedError()", "YOUR ANSWER HERE"]


def test_outputs_do_not_give_the_answer_away() -> None:
    row = cell("a", "print(24)") | {"outputs": [{"text": "24"}], "execution_count": 3}
    made = student_version(Path("n.ipynb"), notebook(row))["cells"][0]
    assert made["outputs"] == []
    assert made["execution_count"] is None


def test_exercises_come_with_fresh_starters_and_without_solutions(
    lessons: Path, tmp_path: Path
) -> None:
    folder = lessons / "00-first/exercises/reverse"
    fresh = (folder / "starter.cu").read_text()
    (folder / "starter.cu").write_text("// what somebody tried\n")
    (folder / "mine.cu").write_text("// the solution, once more\n")
    release(lessons, tmp_path / "course")
    for tree in ("source", "release"):
        lesson = tmp_path / "course" / tree / "00-first"
        own = lesson / "exercises/reverse"
        assert {path.name for path in own.iterdir()} == {
            "exercise.toml",
            "problem.py",
            "starter.cu",
        }
        assert (own / "starter.cu").read_text() == fresh
        assert (lesson / "conftest.py").is_file()
        files = [path for path in lesson.rglob("*") if path.is_file()]
        assert not any(path.name.startswith("solution") for path in files)
        assert not any(
            "__syncthreads();" in path.read_text() for path in files if path.suffix == ".cu"
        )


def test_released_exercises_are_graded_as_before(lessons: Path, tmp_path: Path) -> None:
    release(lessons, tmp_path / "course")
    (one,) = exercises(tmp_path / "course/release")
    solution = lessons / "00-first/exercises/reverse/solution.cu"
    assert one.name == "00-first/reverse"
    assert grade(one, solution, "secret").full


def test_nothing_is_overwritten_unless_that_is_wanted(lessons: Path, tmp_path: Path) -> None:
    course = tmp_path / "course"
    assert ran(course, "--lessons", lessons).exit_code == 0
    (course / "gradebook.db").write_text("marks")
    edited = course / "release/00-first/exercises/reverse/starter.cu"
    edited.write_text("// edited\n")
    again = ran(course, "--lessons", lessons)
    assert "is there already" in str(again.exception)
    assert edited.read_text() == "// edited\n"
    forced = ran(course, "--lessons", lessons, "--force")
    assert forced.exit_code == 0, forced.exception
    assert len(forced.output.splitlines()) == 4
    assert edited.read_text() != "// edited\n"
    assert (course / "gradebook.db").read_text() == "marks"


def test_a_mistake_in_any_lesson_leaves_everything_as_it_was(lessons: Path, tmp_path: Path) -> None:
    bad = whole("01")
    bad["cells"][1]["metadata"]["nbgrader"]["schema_version"] = 2
    put(lessons / "01-second", bad)
    with pytest.raises(UsageError, match="schema_version is 2"):
        release(lessons, tmp_path / "course")
    assert not (tmp_path / "course").exists()


def test_trees_among_the_lessons_are_refused(lessons: Path) -> None:
    with pytest.raises(UsageError, match="among the lessons"):
        release(lessons, lessons / "course")


def test_a_folder_without_lessons_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="no lesson"):
        release(tmp_path, tmp_path.parent / "course")


Change = dict[str, Any]


@pytest.mark.parametrize(
    ("place", "change", "words"),
    [
        ("predict", {"schema_version": None}, "schema_version is None"),
        ("predict", {"schema_version": 4}, "schema_version is 4"),
        ("predict", {"grade_id": ""}, "grade_id is ''"),
        ("predict", {"grade_id": "00 a"}, "grade_id is '00 a'"),
        ("predict", {"grade_id": "00-twice"}, "has the grade_id 00-twice, too"),
        ("predict", {"grade_id": "01-predict"}, "has the grade_id 01-predict, too"),
        ("predict", {"solution": None}, "do not say solution"),
        ("predict", {"solution": False}, "do not say solution"),
        ("predict", {"points": 1}, "has points, and is not graded"),
        ("predict", {"cell_type": "markdown"}, "another cell_type"),
        ("predict", {"pionts": 1}, "knows no pionts"),
        ("check", {"points": None}, "its points are none"),
        ("check", {"points": 0}, "its points are 0"),
        ("check", {"points": "1"}, "its points are '1'"),
        ("check", {"grade": False, "points": None}, "do not say grade"),
    ],
)
def test_metadata_that_nbgrader_would_not_take_are_refused(
    lessons: Path, tmp_path: Path, place: str, change: Change, words: str
) -> None:
    content = whole("00")
    row = next(row for row in content["cells"] if row["id"] == place)
    kept = row["metadata"]["nbgrader"] | change
    row["metadata"]["nbgrader"] = {key: value for key, value in kept.items() if value is not None}
    path = put(lessons / "00-first", content)
    words = words.replace("None", "none")
    with pytest.raises(UsageError) as caught:
        release(lessons, tmp_path / "course")
    told = str(caught.value)
    assert words in told
    assert path.name in told or "01-second.ipynb" in told
    assert f"cell '{place}'" in told or "too" in words


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("### BEGIN SOLUTION\nguess = 1", "is not ended"),
        ("guess = 1\n### END SOLUTION", "ended that was not begun"),
        ("### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION", "begins inside another"),
    ],
)
def test_regions_come_in_pairs(source: str, words: str) -> None:
    content = notebook(cell("a", source, mark("00-a", SOLUTION)))
    with pytest.raises(UsageError, match=words):
        student_version(Path("n.ipynb"), content)


@pytest.mark.parametrize("kind", ["code", "markdown"])
def test_a_solution_that_stands_elsewhere_too_is_refused(kind: str) -> None:
    content = whole()
    content["cells"].append(cell("later", "As we saw:\n  guess = 24\n", kind=kind))
    with pytest.raises(UsageError, match=r"cell 'later': it shows the solution of cell 'predict'"):
        student_version(Path("n.ipynb"), content)
    content["cells"][-1]["source"] = "guess = 240"
    student_version(Path("n.ipynb"), content)


@pytest.mark.parametrize("text", ["", "[1, 2]", '{"nbformat": 3, "cells": []}', "\x00"])
def test_what_is_no_notebook_is_refused_by_name(lessons: Path, tmp_path: Path, text: str) -> None:
    (lessons / "00-first/00-first.ipynb").write_text(text)
    with pytest.raises(UsageError, match=r"00-first\.ipynb is no notebook"):
        release(lessons, tmp_path / "course")


def nbgrader(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run nbgrader itself in a folder."""
    command = shutil.which("nbgrader")
    if command is None:
        pytest.skip("nbgrader is not installed (pip install nbgrader)")
    home = {"HOME": str(folder), "JUPYTER_PLATFORM_DIRS": "1"}
    return subprocess.run(
        [command, *arguments], cwd=folder, env=os.environ | home, capture_output=True, text=True
    )


@pytest.fixture
def course(lessons: Path, tmp_path: Path) -> Path:
    release(lessons, tmp_path / "course")
    return tmp_path / "course"


@pytest.mark.slow
def test_nbgrader_finds_nothing_wrong_with_the_source(course: Path) -> None:
    done = nbgrader(course, "validate", "source/00-first/00-first.ipynb")
    assert done.returncode == 0, done.stderr
    assert "Success!" in done.stdout


@pytest.mark.slow
def test_nbgrader_finds_every_test_of_the_release_failing(course: Path) -> None:
    done = nbgrader(course, "validate", "release/00-first/00-first.ipynb")
    assert "VALIDATION FAILED ON 2 CELL(S)" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
def test_nbgrader_makes_the_same_release_of_the_source(course: Path) -> None:
    ours = {path: path.read_bytes() for path in (course / "release").rglob("*") if path.is_file()}
    for name in ("00-first", "01-second"):
        done = nbgrader(course, "generate_assignment", name, "--force")
        assert done.returncode == 0, done.stderr
    theirs = {path for path in (course / "release").rglob("*") if path.is_file()}
    assert theirs == set(ours)
    for path in theirs:
        if path.suffix != ".ipynb":
            assert path.read_bytes() == ours[path]
            continue
        own = cells_of(path, json.loads(ours[path]))
        made = cells_of(path, json.loads(path.read_text("utf-8")))
        for one, other in zip(own, made, strict=True):
            predicted = one.source.replace("guess = None", "raise NotImplementedError()")
            assert predicted == other.source
