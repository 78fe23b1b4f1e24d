"""A class is graded once, resumed where it stopped, and on a cluster with the same marks."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpubfs.errors import UsageError
from gpubfs.grading.cohort import grading as cohort
from gpubfs.grading.cohort.grading import Cohort
from gpubfs.grading.cohort.report import marks_table, report_sheets
from gpubfs.grading.cohort.submissions import Job, make_jobs
from gpubfs.grading.exercise import Exercise
from gpubfs.grading.loading import load

FOLDER = Path(__file__).parents[3] / "lessons" / "00-warp" / "exercises" / "reverse"
EXERCISE = load(FOLDER)
RIGHT = EXERCISE.solution.read_text("utf-8")
RACE = EXERCISE.starter.read_text("utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A class: one in each way of handing in, one with nothing."""
    there = tmp_path / "handed-in"
    files = {
        "ada/reverse.cu": RIGHT,
        "bob/00-warp/reverse.cu": RACE,
        "cyd/lessons/00-warp/exercises/reverse/starter.cu": "int broken(",
        "dan/other.cu": RIGHT,
    }
    for name, text in files.items():
        (there / name).parent.mkdir(parents=True, exist_ok=True)
        (there / name).write_text(text, "utf-8")
    return there


def cohort_of(folder: Path, to: Path, secret: str = "s") -> Cohort:
    return Cohort(make_jobs(folder, [EXERCISE]), to, secret)


@pytest.mark.slow
def test_a_class_is_graded_and_then_not_again(folder: Path, tmp_path: Path, monkeypatch) -> None:
    told: list[Job] = []
    first = cohort_of(folder, tmp_path / "to").run(2, at_job=told.append)
    assert sorted(job.student for job in told) == ["ada", "bob", "cyd", "dan"]
    marks = {one.student: one.grade.got for one in first}
    assert marks == {"ada": 10, "bob": 2, "cyd": 0, "dan": 0}
    reasons = {o.failure.reason for one in first for o in one.grade.outcomes if o.failure}
    assert {"read", "missing"} < reasons

    def refused(*arguments: object) -> None:
        raise AssertionError("graded again")

    monkeypatch.setattr(cohort, "grade_packed", refused)
    again = cohort_of(folder, tmp_path / "to").run(2)
    assert marks_table(again) == marks_table(first)
    (folder / "bob" / "00-warp" / "reverse.cu").write_text(RIGHT, "utf-8")
    with pytest.raises(AssertionError, match="graded again"):
        cohort_of(folder, tmp_path / "to").run(1)
    with pytest.raises(AssertionError, match="graded again"):
        cohort_of(folder, tmp_path / "to", secret="another").run(1)


@pytest.mark.slow
def test_a_result_that_was_cut_short_is_made_again(folder: Path, tmp_path: Path) -> None:
    (folder / "bob" / "00-warp" / "reverse.cu").unlink()
    made = cohort_of(folder, tmp_path / "to")
    made.run(2)
    path = next((tmp_path / "to").rglob("ada/*.json"))
    path.write_text(path.read_text("utf-8")[:50], "utf-8")
    assert made.done(made.jobs[0]) is None
    assert {one.student: one.grade.got for one in made.run(2)}["ada"] == 10


@pytest.mark.slow
def test_marks_and_report(folder: Path, tmp_path: Path) -> None:
    marked = cohort_of(folder, tmp_path / "to").run(2)
    rows = list(csv.reader(marks_table(marked).splitlines()))
    assert rows[0] == ["student", "00-warp/reverse", "total"]
    assert rows[1:3] == [["ada", "10", "10"], ["bob", "2", "2"]]
    exercises, cases = report_sheets(marked)
    assert exercises.rows[0][:2] == ("00-warp/reverse", "4")
    assert any("1 missing" in row[-1] for row in cases.rows)


@pytest.mark.slow
def test_killed_in_the_middle_it_goes_on_where_it_stopped(tmp_path: Path) -> None:
    there, to = tmp_path / "handed-in", tmp_path / "to"
    for number in range(6):
        (there / f"s{number}").mkdir(parents=True)
        (there / f"s{number}" / "reverse.cu").write_text(f"// {number}\n{RIGHT}", "utf-8")
    command = [sys.executable, "-m", "gpubfs", "grade-all", str(there), "--exercise", str(FOLDER)]
    command += ["--to", str(to), "--jobs", "1"]
    running = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
    begun = time.monotonic()
    results = to / "results"
    while len(list(results.rglob("*.json"))) < 2 and time.monotonic() - begun < 120:
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    before = {path: path.stat().st_mtime_ns for path in results.rglob("*.json")}
    assert 2 <= len(before) < 6
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    after = {path: path.stat().st_mtime_ns for path in results.rglob("*.json")}
    assert len(after) == 6
    assert {path: after[path] for path in before} == before
    assert "6 of 6 graded" in done.stderr
    assert (to / "marks.csv").read_text("utf-8").count(",9,9\n") == 6  # without the hidden case
    assert "all points" in (to / "report.html").read_text("utf-8")


@pytest.mark.slow
def test_a_cluster_gives_the_same_marks(folder: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="needs the extra cluster")
    here = cohort_of(folder, tmp_path / "here").run(2)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=True, dashboard_address=None
    ) as cluster:
        there = cohort_of(folder, tmp_path / "there").run(scheduler=cluster.scheduler_address)
    assert marks_table(there) == marks_table(here)


@pytest.mark.slow
def test_mistakes_are_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no folders"):
        make_jobs(tmp_path, [EXERCISE])
    pytest.importorskip("distributed", reason="needs the extra cluster")
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "reverse.cu").write_text(RIGHT, "utf-8")
    with pytest.raises(UsageError, match="no Dask scheduler"):
        cohort_of(tmp_path, tmp_path / "to").run(scheduler="tcp://127.0.0.1:9")


def test_exercises_of_one_slug_are_told_apart(tmp_path: Path) -> None:
    other = Exercise(tmp_path / "01-levels" / "exercises" / "reverse", "t", "mend", (), ("h",))
    (tmp_path / "class" / "ada" / "01-levels").mkdir(parents=True)
    (tmp_path / "class" / "ada" / "01-levels" / "reverse.cu").write_text("x", "utf-8")
    found = {
        job.exercise.name: job.file for job in make_jobs(tmp_path / "class", [EXERCISE, other])
    }
    assert found["00-warp/reverse"] is None
    assert found["01-levels/reverse"] is not None
