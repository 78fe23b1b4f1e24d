"""The course's page: its commands are ones, and what it shows is what is printed."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from statistics import median

import pytest
from click.testing import CliRunner

from gpubfs.cli.main import group
from gpubfs.grading.processes.sandbox import SECRET
from tests.lessons.submitted import LESSONS

TEXT = (LESSONS / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
GIVEN = re.compile(r'given\(\s*"([^"]+)", (\d+), (\d+)(?:, step=(\d+))?')
LINES = [line for kind, block in BLOCKS if kind == "bash" for line in block.splitlines()]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the page takes for granted: lessons, a file of one's own, what was handed in, tables."""
    (tmp_path / "lessons").symlink_to(LESSONS)
    (tmp_path / "exercises").symlink_to(LESSONS / "00-warp/exercises")
    (tmp_path / "mine.cu").write_text("")
    for folder in ("handed-in", "grades", "course", "course/release"):
        (tmp_path / folder).mkdir()
    for table in ("course/grades.csv", "export.csv", "worksheet.csv"):
        (tmp_path / table).write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("line", [line for line in LINES if line.startswith("gpubfs ")])
def test_its_commands_are_understood(line: str, checkout: Path) -> None:
    name, *arguments = shlex.split(line)[1:]
    group.commands[name].make_context(name, arguments)


@pytest.mark.parametrize("line", [line for line in LINES if " -m pytest " in line])
def test_what_it_gives_to_pytest_is_there(line: str) -> None:
    for word in shlex.split(line):
        if word.startswith(("exercises", "tests")):
            home = LESSONS / "00-warp" if word.startswith("exercises") else LESSONS.parent
            assert (home / word).exists()


def test_its_links_lead_somewhere() -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)\)", TEXT)
    lessons = {path.name for path in LESSONS.iterdir() if (path / "exercises").is_dir()}
    assert lessons <= set(links)
    assert [link for link in links if "/" in link and not (LESSONS / link).exists()] == []


def test_the_feedback_that_it_shows_is_what_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SECRET, raising=False)
    monkeypatch.chdir(LESSONS / "00-warp")  # which the README's commands are given in
    printed = " ".join(CliRunner().invoke(group, ["grade", "exercises/reverse"]).output.split())
    (shown,) = [block for kind, block in BLOCKS if block.startswith("Reverse a tile")]
    for line in shown.splitlines():
        assert " ".join(line.split()) in printed


def test_how_many_numbers_questions_have_is_as_it_says() -> None:
    predictions: set[str] = set()
    questions: dict[str, list[int]] = {}
    for notebook in LESSONS.glob("*/*.ipynb"):
        for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
            marks = cell["metadata"].get("nbgrader", {})
            if marks.get("solution"):
                predictions.add(marks["grade_id"])
            text = "".join(cell["source"])
            for name, low, high, step in GIVEN.findall(text):
                numbers = len(range(int(low), int(high) + 1, int(step or 1)))
                questions.setdefault(name.partition("/")[0], []).append(numbers)
    assert set(questions) < predictions
    every = [one for numbers in questions.values() for one in numbers]
    words = " ".join(TEXT.split())
    assert f"{len(questions)} of the {len(predictions)} predictions" in words
    of = f"one of {min(every)} to {max(every):,}, the median is {median(every):g}"
    assert of in words


def test_the_syllabus_names_exercises_that_there_are() -> None:
    text = (LESSONS / "INSTRUCTORS.md").read_text("utf-8")
    every = {path.parent.name for path in LESSONS.glob("*/exercises/*/exercise.toml")}
    weeks = [row.strip("|").split("|") for row in text.splitlines() if re.match(r"\| \d+ \|", row)]
    assert len(weeks) == 18
    for _, where, *_, asked, question in weeks:
        assert question.strip().endswith("?")
        lessons = re.findall(r"\]\(([\w-]+)\)", where)
        assert lessons
        here = {path.name for lesson in lessons for path in (LESSONS / lesson).glob("exercises/*")}
        named = set(re.findall(r"`([\w-]+)`", asked))
        assert named <= every
        assert named & here


def test_the_instructors_commands_are_understood(checkout: Path) -> None:
    text = (LESSONS / "INSTRUCTORS.md").read_text("utf-8")
    lines = [line for line in text.splitlines() if line.startswith("gpubfs ")]
    lines += re.findall(r"`(gpubfs grade [^`]+)`", text)
    assert len(lines) == 2
    for line in lines:
        name, *arguments = shlex.split(line)[1:]
        group.commands[name].make_context(name, arguments)
