"""The autograder for Gradescope: what is in its zip, and what it says of submissions."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gpubfs.cli.main import group
from gpubfs.errors import UsageError
from gpubfs.grading.exercise import MAX_BYTES
from gpubfs.grading.loading import exercises, load
from gpubfs.grading.outcome import Grade, Outcome
from gpubfs.grading.platforms import autograder
from gpubfs.grading.platforms.autograder_zip import write_autograder
from gpubfs.grading.processes.sandbox import SECRET

LESSONS = Path(__file__).parents[4] / "lessons"
LESSON = LESSONS / "00-warp"
REVERSE = load(LESSON / "exercises" / "reverse")
RIGHT = REVERSE.solution.read_text("utf-8")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The zip of a lesson."""
    to = tmp_path_factory.mktemp("zip") / "autograder.zip"
    write_autograder(LESSON, to, "what only instructors know")
    return to


def test_the_zip_has_all_exercises_and_no_solution(made: Path) -> None:
    with zipfile.ZipFile(made) as archive:
        names = archive.namelist()
        texts = [archive.read(name) for name in names if name.startswith("lessons/")]
        modes = {name: archive.getinfo(name).external_attr >> 16 for name in names}
    for exercise in exercises(LESSON):
        assert f"lessons/{exercise.name.replace('/', '/exercises/')}/exercise.toml" in names
        assert exercise.solution.read_bytes() not in texts
    assert not any("solution" in name for name in names)
    assert modes["setup.sh"] & 0o111
    assert modes["run_autograder"] & 0o111
    assert stat.S_IMODE(made.stat().st_mode) == 0o600  # the secret is in it


def test_the_wheel_has_the_package_and_what_it_needs(made: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(made) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".whl"))
        wheel = Path(archive.extract(name, tmp_path))
    with zipfile.ZipFile(wheel) as archive:
        (record,) = (one for one in archive.namelist() if one.endswith("RECORD"))
        rows = archive.read(record).decode().splitlines()
        assert len(rows) == len(archive.namelist())
        assert {"gpubfs/kernels/scan_free.cu", "simulator/read/cuda.lark"} <= set(
            archive.namelist()
        )
        metadata = archive.read(record.replace("RECORD", "METADATA")).decode()
    assert "Requires-Dist: numpy" in metadata


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SECRET, raising=False)
    to = tmp_path / "a.zip"
    result = CliRunner().invoke(group, ["gradescope", str(REVERSE.folder), "--to", str(to)])
    assert result.exit_code == 0
    assert "00-warp/reverse: 9 points, handed in as reverse.cu" in result.output
    assert "hidden cases are left out (1)" in result.output
    assert "9 points in all" in result.output
    with zipfile.ZipFile(to) as archive:
        assert "secret" not in archive.namelist()


def test_what_is_no_lesson_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no exercise"):
        write_autograder(tmp_path, tmp_path / "a.zip", "")
    for lesson in ("00-a", "01-b"):
        own = tmp_path / lesson / "exercises" / "reverse"
        shutil.copytree(REVERSE.folder, own)
    with pytest.raises(UsageError, match="two exercises are handed in as"):
        write_autograder(tmp_path, tmp_path / "a.zip", "")


def graded(folder: Path, secret: str = "") -> dict[str, Any]:
    return autograder.results_of(folder, [REVERSE, load(LESSON / "exercises" / "sum")], secret)


def test_results_are_as_gradescope_documents_them(tmp_path: Path) -> None:
    (tmp_path / "reverse (1).cu").write_text(RIGHT, "utf-8")
    (tmp_path / "what\n<b>.cu").write_text(RIGHT, "utf-8")
    results = json.loads(json.dumps(graded(tmp_path, "s")))
    assert results["score"] == 10
    assert results["stdout_visibility"] == "hidden"
    for test in results["tests"]:
        assert {"name", "score", "max_score", "output", "visibility"} <= set(test)
        assert test["visibility"] in ("visible", "after_due_date")
        missing = test["name"].startswith("00-warp/sum")
        assert test["score"] == (0 if missing else test["max_score"])
        assert ("name the file sum.cu" in test["output"]) == missing
    lines = results["output"].splitlines()
    assert lines[0] == "00-warp/reverse: 10 of 10 points, reverse (1).cu"
    assert lines[1] == "00-warp/sum: 0 of 10 points, no file (it must be named sum.cu)"
    assert lines[2] == r"not graded: what\n<b>.cu (its name is no exercise's)"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty"),
        (b"\xff\xfe\x00", "the file is no UTF-8 text"),
        (b"x" * (MAX_BYTES + 1), "the file has more than"),
        (b'#include "../../source/secret"\n' + RIGHT.encode(), "secret"),
    ],
)
def test_files_that_cannot_be_read_lose_their_points(
    tmp_path: Path, content: bytes, words: str
) -> None:
    (tmp_path / "submission").mkdir()
    (tmp_path / "submission" / "reverse.cu").write_bytes(content)
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "secret").write_text("PSST", "utf-8")
    results = autograder.results_of(tmp_path / "submission", [REVERSE], "")
    assert results["score"] == 0
    assert words in results["tests"][0]["output"]
    assert "PSST" not in json.dumps(results)


def test_two_files_and_links_get_nothing_and_are_named(tmp_path: Path) -> None:
    for folder in "ab":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "reverse.cu").write_text(RIGHT, "utf-8")
    (tmp_path / "sum.cu").symlink_to(REVERSE.solution)
    results = graded(tmp_path)
    assert results["score"] == 0
    said = {test["name"].partition(":")[0]: test["output"] for test in results["tests"]}
    assert "a/reverse.cu, b/reverse.cu; hand in one" in said["00-warp/reverse"]
    assert "the file is a link" in said["00-warp/sum"]


def test_many_strange_files_are_counted() -> None:
    grade = Grade("00-warp/reverse", "Reverse", "reverse.cu", (Outcome("a", 1),))
    files = {Path(f"x{number}.cu"): Path("x") for number in range(50)}
    assigned = autograder.assign("s", files, [REVERSE])  # type: ignore[arg-type]
    lines = autograder.described([grade], assigned)["output"].splitlines()
    assert len(lines) == 1 + autograder.NAMED + 1
    assert lines[-1] == f"and {50 - autograder.NAMED} more"


@pytest.fixture(scope="module")
def container(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as Gradescope's image has it, after setup.sh; without a network."""
    root = tmp_path_factory.mktemp("autograder")
    for folder in ("source", "submission", "results"):
        (root / folder).mkdir()
    with zipfile.ZipFile(made) as archive:
        archive.extractall(root / "source")
    environment = os.environ | {
        "GPUBFS_AUTOGRADER": str(root),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
    }
    script = ["bash", str(root / "source" / "setup.sh")]
    subprocess.run(script, env=environment, check=True, capture_output=True, timeout=300)
    (site,) = root.glob("venv/lib/python*/site-packages")
    # What gpubfs needs is not installed anew; the package itself comes from the wheel.
    (site / "needed.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    return root


def run(root: Path, files: dict[str, str]) -> tuple[int, dict[str, Any]]:
    shutil.rmtree(root / "submission")
    for name, text in files.items():
        path = root / "submission" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    environment = {"GPUBFS_AUTOGRADER": str(root), "PATH": os.environ["PATH"]}
    script = ["bash", str(root / "source" / "run_autograder")]
    done = subprocess.run(script, env=environment, cwd=root, capture_output=True, timeout=300)
    results = root / "results" / "results.json"
    return done.returncode, json.loads(results.read_text("utf-8")) if results.exists() else {}


@pytest.mark.slow
def test_in_a_fresh_folder_solutions_get_all_points(container: Path) -> None:
    files = {
        f"{one.folder.name}{one.suffix}": one.solution.read_text("utf-8")
        for one in exercises(LESSON)
    }
    code, results = run(container, files)
    assert code == 0
    assert results["score"] == sum(one.points for one in exercises(LESSON))
    assert any(test["visibility"] == "after_due_date" for test in results["tests"])


@pytest.mark.slow
def test_in_a_fresh_folder_nothing_is_forged(container: Path) -> None:
    forged = json.dumps({"score": 40, "tests": []})
    files = {
        "results.json": forged,
        "results/results.json": forged,
        "gpubfs/__init__.py": "raise SystemExit(0)\n",
        "json.py": "raise SystemExit(0)\n",
        "reverse.cu": REVERSE.starter.read_text("utf-8"),
    }
    (container / "results" / "results.json").write_text(forged, "utf-8")
    code, results = run(container, files)
    assert code == 0
    assert results["score"] <= 5
    assert len(results["tests"]) > 4


@pytest.mark.slow
def test_a_broken_exercise_leaves_no_results(container: Path) -> None:
    problem = container / "source/lessons/00-warp/exercises/reverse/problem.py"
    text = problem.read_text("utf-8")
    problem.write_text("raise ValueError\n", "utf-8")
    try:
        assert run(container, {"reverse.cu": RIGHT}) == (1, {})
    finally:
        problem.write_text(text, "utf-8")


@pytest.mark.slow
def test_a_driver_cannot_write_results(tmp_path: Path) -> None:
    loop = load(LESSONS / "01-levels" / "exercises" / "level-loop")
    target = tmp_path / "results.json"
    (tmp_path / "level-loop.py").write_text(
        f"open({str(target)!r}, 'w').write('{{\"score\": 40}}')\n", "utf-8"
    )
    results = autograder.results_of(tmp_path, [loop], "")
    assert results["score"] == 0
    assert not target.exists()


@pytest.mark.slow
def test_a_kind_of_exercise_from_a_plugin_is_graded(tmp_path: Path) -> None:
    plugin = Path(__file__).parents[3] / "extensions" / "exercise_kind.py"
    deep = tmp_path / "lessons" / "00-mine" / "exercises" / "deep"
    deep.mkdir(parents=True)
    (deep / "exercise.toml").write_text(
        'title = "Deep"\nkind = "hard-graph"\ntechnique = "scan-free"\nvertices = 8\n'
        'hints = ["A row."]\n[[cases]]\nname = "three levels"\npoints = 4\n'
        'given = { counter = "launches", least = 3 }\n',
        "utf-8",
    )
    root, to = tmp_path / "root", tmp_path / "a.zip"
    (root / "submission").mkdir(parents=True)
    (root / "submission" / "deep (1).txt").write_text("0 1\n1 2\n2 3\n", "utf-8")
    start = [sys.executable, "-P", "-m"]
    command = [*start, "gpubfs", "--plugin", str(plugin), "gradescope", str(deep), "--to", str(to)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    with zipfile.ZipFile(to) as archive:
        archive.extractall(root / "source")
    command = [*start, "gpubfs.grading.platforms.autograder", str(root)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    assert json.loads((root / "results" / "results.json").read_text("utf-8"))["score"] == 4
