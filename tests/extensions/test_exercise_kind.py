"""A kind of exercise from a file of one's own: graded as any other, refused where it is wrong."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpubfs.errors import UsageError
from gpubfs.grading import ExerciseKind, Failure, exercise_kind, load
from gpubfs.grading.cohort.packing import grade_packed, pack
from gpubfs.grading.exercise import KINDS
from gpubfs.grading.processes.sandbox import grade
from gpubfs.search import plugins

PLUGIN = Path(__file__).with_name("exercise_kind.py")
ROOT = Path(__file__).parents[2]
TOML = """
title = "A deep graph"
kind = "hard-graph"
technique = "scan-free"
vertices = 8
hints = ["In a row, each vertex is a level."]
[[cases]]
name = "three levels"
points = 4
given = { counter = "launches", least = 3 }
[[cases]]
name = "any"
points = 6
given = { counter = "launches", least = 3 }
hidden = true
"""
SOLUTION = "# Each line is an edge.\n# BEGIN SOLUTION\n0 1\n1 2\n2 3\n# END SOLUTION\n"
WRONG = "0 1\n0 2\n0 3\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An exercise of that kind in a folder of lessons."""
    made = tmp_path / "lessons" / "00-mine" / "exercises" / "deep"
    made.mkdir(parents=True)
    (made / "exercise.toml").write_text(TOML)
    (made / "solution.txt").write_text(SOLUTION)
    return made


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The kind is there in this process as long as a test runs."""
    monkeypatch.setenv(plugins.VARIABLE, "")
    before = [(held, dict(held)) for held in (plugins.PLUGINS, KINDS)]
    plugins.load_plugins(PLUGIN)
    yield
    for held, content in before:
        held.clear()
        held.update(content)  # type: ignore[arg-type]


def gpubfs(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gpubfs", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | environment,
        timeout=60,
        check=False,
    )


@pytest.mark.slow
def test_it_is_graded_on_the_command_line(folder: Path, tmp_path: Path, loaded, command) -> None:
    assert command("starters", tmp_path / "lessons")[0] == 0
    assert (folder / "starter.txt").read_text() == "# Each line is an edge.\n# Your code here.\n"
    right = gpubfs(
        "--plugin", PLUGIN, "grade", folder / "solution.txt", "--exercise", folder, "--json", "-",
        GPUBFS_SECRET="s",
    )  # fmt: skip
    assert json.loads(right.stdout)["score"] == 10, right.stderr
    (tmp_path / "wrong.txt").write_text(WRONG)
    wrong = gpubfs(
        "grade", tmp_path / "wrong.txt", "--exercise", folder,
        GPUBFS_SECRET="s", GPUBFS_PLUGINS=str(PLUGIN),
    )  # fmt: skip
    assert wrong.returncode == 1
    assert "a search of the graph has fewer launches than it should" in wrong.stdout
    assert "expected at least 3" in wrong.stdout
    assert wrong.stdout.count("got      2") == 1  # and not of the hidden case
    assert "✗ any (hidden)  0 of 6\n    a result is wrong\n" in wrong.stdout
    (tmp_path / "wrong.txt").write_text("0 one\n")
    _, unreadable, _ = command("grade", tmp_path / "wrong.txt", "--exercise", folder)
    assert "'one' stands where a vertex number should be" in unreadable


@pytest.mark.slow
def test_a_class_is_graded_and_again_where_the_kind_has_changed(folder: Path, tmp_path) -> None:
    own = shutil.copy(PLUGIN, tmp_path / "own.py")
    for student, text in {"ada": SOLUTION, "bob": WRONG}.items():
        (tmp_path / "class" / student).mkdir(parents=True)
        (tmp_path / "class" / student / "deep.txt").write_text(text)
    command = ["--plugin", own, "grade-all", tmp_path / "class", "--to", tmp_path / "to"]
    command += ["--exercise", folder, "--without-hidden"]
    assert gpubfs(*command).returncode == 0
    marks = tmp_path / "to" / "marks.csv"
    assert marks.read_text().splitlines()[1:] == ["ada,4,4", "bob,0,0"]
    Path(own).write_text(PLUGIN.read_text().replace("counted >= least", "counted >= least - 1"))
    assert gpubfs(*command).returncode == 0
    assert marks.read_text().splitlines()[1:] == ["ada,4,4", "bob,4,4"]


@pytest.mark.slow
def test_pytest_grades_it(folder: Path) -> None:
    shutil.copy(ROOT / "lessons" / "conftest.py", folder.parents[2])
    (folder / "starter.txt").write_text(WRONG)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "."]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"GPUBFS_PLUGINS": str(PLUGIN), "PYTHONPATH": path}
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=folder.parents[2],
        env=environment,
        timeout=60,
        check=False,
    )
    assert "1 failed" in done.stdout, done.stdout + done.stderr
    assert "fewer launches than it should" in done.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("loaded")
def test_another_machine_grades_it_without_the_file(folder: Path, monkeypatch, tmp_path) -> None:
    packed = pack(load(folder), folder / "solution.txt", "s")
    assert packed.plugins == {str(PLUGIN): PLUGIN.read_bytes()}
    moved = {str(tmp_path / "gone" / "kind.py"): PLUGIN.read_bytes()}
    there = pickle.loads(pickle.dumps(packed))
    object.__setattr__(there, "plugins", moved)
    monkeypatch.delenv(plugins.VARIABLE)
    plugins.PLUGINS.clear()
    monkeypatch.delitem(KINDS, "hard-graph")
    assert grade_packed(there)["got"] == 10


@pytest.mark.usefixtures("loaded")
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("vertices = 8", "vertices = 0", "vertices is 0\n  give a number above 0"),
        ("vertices = 8\n", "", "the file does not say its vertices"),
        ("vertices = 8", "vertices = 8\nedges = 9", 'no key of the file .* "edges"'),
        ("least = 3", "least = '3'", "given of case 'three levels': least is '3'"),
        ("least = 3", "lest = 3", "no key of given of case 'three levels' .* \"lest\""),
        (", least = 3", "", "given of case 'three levels' does not say its least"),
        ("scan-free", "scan-fre", "technique does not exist"),
    ],
)
def test_what_the_kind_does_not_accept_is_refused(
    folder: Path, old: str, new: str, words: str
) -> None:
    (folder / "exercise.toml").write_text(TOML.replace(old, new, 1))
    with pytest.raises(UsageError, match=words):
        load(folder)


def test_without_the_plugin_the_kind_is_unknown(folder: Path) -> None:
    with pytest.raises(UsageError, match=r'there is no kind of exercise \(in .*\) "hard-graph"'):
        load(folder)


class Complete(ExerciseKind):
    suffix = ".any"

    def grade_case(self, case: object, seed: int) -> Failure | None:
        return None


class Unfinished(ExerciseKind):
    suffix = ".any"


class NoSuffix(Complete):
    suffix = ""


class NoField(Complete):
    fields = {"size": int}  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("mine", dict, "is no subclass of ExerciseKind"),
        ("mine", Unfinished, "does not say how a case is graded"),
        ("mine", NoSuffix, "does not say how files end"),
        ("mine", NoField, "size is no Field"),
        ("predict", Complete, r'there is a kind of exercise "predict" already, in .*predict\.py:'),
        ("My kind", Complete, "cannot be the name of a kind of exercise"),
    ],
)
def test_a_kind_that_is_not_complete_is_refused(name: str, kind: type, words: str) -> None:
    before = dict(KINDS)
    with pytest.raises(UsageError, match=words):
        exercise_kind(name)(kind)
    assert before == KINDS


def test_a_decorator_without_parentheses_is_refused() -> None:
    with pytest.raises(UsageError, match="@exercise_kind is used without parentheses"):
        exercise_kind(Complete)  # type: ignore[arg-type]


def test_a_broken_plugin_names_its_line(tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text(PLUGIN.read_text().replace('suffix = ".txt"', 'suffix = "txt"'))
    words = r"broken\.py:\d+: the kind of exercise 'hard-graph' does not say how files end"
    with pytest.raises(UsageError, match=words):
        plugins.run_file(file)


def test_the_example_is_what_the_page_shows() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert f"```python\n{PLUGIN.read_text('utf-8')}```" in page


GRADES = "        name, least = case.given"
MISTAKES = {
    "grade_case that fails": (f"        1 / 0\n{GRADES}", "ZeroDivisionError: division by zero"),
    "grade_case that exits": (f"        exit(0)\n{GRADES}", "SystemExit: 0 (in the kind of"),
    "grade_case that ends the process": (
        f"        import os\n        os._exit(0)\n{GRADES}",
        "its code ends the grading process (exit code 0)",
    ),
    "grade_case that is true": (f"        return True\n{GRADES}", "grade_case returns True"),
    "grade_case that yields": (f"        yield\n{GRADES}", "grade_case returns <generator"),
    "grade_case of unknown reasons": (
        f'        return Failure("nonsense", "a")\n{GRADES}',
        "a Failure for the reason 'nonsense'",
    ),
    "grade_case of numbers": (
        f'        return Failure("result", "a", expected=42)\n{GRADES}',
        "a Failure with expected=42, which is no text",
    ),
    "grade_case that searches with what is not there": (
        f'        gpubfs.run("scanfree", self.graph)\n{GRADES}',
        'there is no technique "scanfree"',
    ),
}
BODIES = {name: (GRADES, *case) for name, case in MISTAKES.items()}
ELSEWHERE = {
    "grade_case without a seed": ("case: Case, seed: int", "case: Case", "TypeError"),
    "__init__ that fails": (
        "        super().__init__(exercise, file)\n",
        "        1 / 0\n",
        "ZeroDivisionError: division by zero",
    ),
    "__init__ without super": (
        "        super().__init__(exercise, file)\n        try:",
        "        try:\n            self.exercise = None",
        "does not know its exercise",
    ),
    "validate without classmethod": ("    @classmethod\n", "", "missing 1 required positional"),
}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param(*case, id=name, marks=() if number % 5 == 0 else pytest.mark.slow)
        for number, (name, case) in enumerate((BODIES | ELSEWHERE).items())
    ],
)
def test_a_mistake_in_a_kind_costs_nobody_points(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, said: str
) -> None:
    text = PLUGIN.read_text("utf-8").replace('"hard-graph"', '"mistaken"')
    assert old in text
    (tmp_path / "kind.py").write_text(text.replace(old, new))
    (folder / "exercise.toml").write_text(TOML.replace("hard-graph", "mistaken"))
    monkeypatch.setenv(plugins.VARIABLE, "")
    before = [(held, dict(held)) for held in (plugins.PLUGINS, KINDS)]
    try:
        plugins.load_plugins(tmp_path / "kind.py")
        with pytest.raises(UsageError) as caught:
            grade(load(folder), folder / "solution.txt", "s")
    finally:
        for held, content in before:
            held.clear()
            held.update(content)  # type: ignore[arg-type]
    assert said in caught.value.message
    assert "kind.py:" in caught.value.message or "no technique" in said
