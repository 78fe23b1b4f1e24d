"""A class on a Dask cluster: the same marks, and words where the cluster is not as it must be."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gpubfs.errors import UsageError
from gpubfs.grading.cohort import cluster
from gpubfs.grading.cohort.grading import Cohort
from gpubfs.grading.cohort.report import marks_table
from gpubfs.grading.cohort.submissions import Job, Marked, make_jobs
from gpubfs.grading.loading import load

pytest.importorskip("distributed", reason="needs the extra cluster")
pytestmark = pytest.mark.slow  # each test starts processes

FOLDER = Path(__file__).parents[3] / "lessons" / "00-warp" / "exercises" / "reverse"
EXERCISE = load(FOLDER)
RIGHT = EXERCISE.solution.read_text("utf-8")

#: Seconds that a test may take: what would wait for a cluster for ever fails then.
LIMIT = 180

Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture(autouse=True)
def limited() -> Iterator[None]:
    """End a test that takes longer than `LIMIT`."""

    def end(number: int, frame: object) -> None:
        pytest.fail(f"it still waited after {LIMIT} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(LIMIT)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A class in which one handed in nothing."""
    there = tmp_path / "handed-in"
    for name in ("ada", "bob", "cyd", "dan"):
        (there / name).mkdir(parents=True)
        (there / name / "reverse.cu").write_text(f"// {name}\n{RIGHT}", "utf-8")
    (there / "dan" / "reverse.cu").unlink()
    return there


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts parts of a cluster, whose packages come from a folder of its own."""
    started = []

    def begin(part: str, *options: str, packages: Path | None = None) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{part}", "--no-dashboard"]
        path = str(FOLDER.parents[3] if packages is None else packages)
        process = subprocess.Popen(
            [*command, "--scheduler-file", str(tmp_path / "scheduler.json"), *options],
            env={**os.environ, "PYTHONPATH": path},
            cwd=tmp_path,
            stderr=subprocess.DEVNULL,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A folder of packages where gpubfs cannot be imported."""
    (tmp_path / "packages" / "gpubfs").mkdir(parents=True)
    init = tmp_path / "packages" / "gpubfs" / "__init__.py"
    init.write_text("raise ImportError('no gpubfs here')\n", "utf-8")
    return tmp_path / "packages"


@pytest.fixture
def scheduler(start: Start, other: Path) -> subprocess.Popen[bytes]:
    """A scheduler, which has no gpubfs."""
    return start("scheduler", "--port", "0", "--host", "127.0.0.1", packages=other)


def address(tmp_path: Path) -> str:
    path, end = tmp_path / "scheduler.json", time.monotonic() + 60
    while time.monotonic() < end:
        try:
            return str(json.loads(path.read_text("utf-8"))["address"])
        except (OSError, ValueError):
            time.sleep(0.1)
    raise AssertionError("no scheduler")


def worker(start: Start, packages: Path | None = None) -> None:
    start("worker", "--no-nanny", "--nthreads", "2", packages=packages)


def cohort_of(folder: Path, to: Path) -> Cohort:
    return Cohort(make_jobs(folder, [EXERCISE]), to, "s")


@pytest.mark.usefixtures("scheduler")
def test_it_waits_for_workers_and_says_so(
    folder: Path, tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 0.2)
    where, said = address(tmp_path), []

    def say(words: str) -> None:
        said.append(words)
        worker(start)

    there = cohort_of(folder, tmp_path / "there").run(scheduler=where, say=say)
    assert said == [f"no workers yet at {where}; waiting for them"]
    assert marks_table(there) == marks_table(cohort_of(folder, tmp_path / "here").run(2))
    again = cohort_of(folder, tmp_path / "there").run(scheduler="tcp://127.0.0.1:9")
    assert again == there  # and nobody is asked, where nothing is left


def test_a_scheduler_that_is_lost_is_told(
    folder: Path,
    tmp_path: Path,
    start: Start,
    scheduler: subprocess.Popen[bytes],
    capfd: pytest.CaptureFixture[str],
) -> None:
    worker(start)
    where, to = address(tmp_path), tmp_path / "there"

    def kill(job: Job) -> None:
        if job.file is not None:  # the first that was graded there
            scheduler.kill()

    with pytest.raises(UsageError, match=f"the scheduler at {where} was lost") as lost:
        cohort_of(folder, to).run(scheduler=where, at_job=kill)
    assert "started again, it goes on" in lost.value.hint
    assert "Traceback" not in capfd.readouterr().err
    found: list[Marked] = cohort_of(folder, to).run(2)
    assert [one.grade.got for one in found] == [10, 10, 10, 0]


def test_a_scheduler_that_is_lost_while_there_are_no_workers_is_told(
    folder: Path,
    tmp_path: Path,
    scheduler: subprocess.Popen[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 0.2)
    where = address(tmp_path)
    with pytest.raises(UsageError, match=f"the scheduler at {where} was lost"):
        cohort_of(folder, tmp_path / "to").run(scheduler=where, say=lambda w: scheduler.kill())


@pytest.mark.usefixtures("scheduler")
@pytest.mark.parametrize("late", [False, True])
def test_a_worker_without_the_package_is_told(
    folder: Path, tmp_path: Path, start: Start, other: Path, monkeypatch, late: bool
) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 0.2)
    where = address(tmp_path)
    if not late:
        worker(start, other)
        wait_for_worker(where)
    with pytest.raises(UsageError, match=r"cannot import gpubfs \(no gpubfs") as told:
        cohort_of(folder, tmp_path / "to").run(scheduler=where, say=lambda w: worker(start, other))
    assert "on all workers" in told.value.hint


@pytest.mark.usefixtures("scheduler")
def test_a_worker_with_another_package_is_told(
    folder: Path, tmp_path: Path, start: Start, other: Path
) -> None:
    home = other / "gpubfs" / "grading" / "cohort"
    home.mkdir(parents=True)
    for folder_of_it in (home, home.parent, home.parents[1]):
        (folder_of_it / "__init__.py").write_text("")
    (home / "packing.py").write_text("def package_identity():\n    return '0.0.1, another'\n")
    where = address(tmp_path)
    worker(start, other)
    wait_for_worker(where)
    with pytest.raises(UsageError, match=r"has another gpubfs \(0.0.1, another; here it is"):
        cohort_of(folder, tmp_path / "to").run(scheduler=where)


def test_workers_that_die_are_told(
    folder: Path, tmp_path: Path, start: Start, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
    start("scheduler", "--port", "0", "--host", "127.0.0.1", packages=other)
    where = address(tmp_path)
    dying = start("worker", "--no-nanny", "--nthreads", "2")

    def kill(job: Job) -> None:
        if job.file is not None and dying.poll() is None:
            dying.kill()
            dying.wait()
            worker(start)  # for what it had done and nobody had fetched

    with pytest.raises(UsageError, match="died while they graded 00-warp/reverse"):
        cohort_of(folder, tmp_path / "to").run(scheduler=where, at_job=kill)
    kept = [path.parent.name for path in (tmp_path / "to").rglob("*.json")]
    assert "dan" in kept
    assert 2 <= len(kept) < 4


def test_what_is_done_is_fetched_at_once(folder: Path, tmp_path: Path, start: Start) -> None:
    start("scheduler", "--port", "0", "--host", "127.0.0.1")
    where = address(tmp_path)
    dying = start("worker", "--no-nanny", "--nthreads", "2")

    def kill(job: Job) -> None:
        if job.file is not None and dying.poll() is None:
            wait_until_done(where)
            dying.kill()

    assert cohort_of(folder, tmp_path / "to").run(scheduler=where, at_job=kill)
    assert len([*(tmp_path / "to").rglob("*.json")]) == 4


def wait_until_done(where: str) -> None:
    """Until the scheduler knows of no task that is not done, and a moment for what fetches them."""
    import distributed

    def states(dask_scheduler: Any) -> set[str]:
        return {task.state for task in dask_scheduler.tasks.values()}

    with distributed.Client(where, timeout=60) as client:
        end = time.monotonic() + 60
        while client.run_on_scheduler(states) - {"memory"} and time.monotonic() < end:
            time.sleep(0.1)
    time.sleep(1)


def wait_for_worker(where: str) -> None:
    import distributed

    with distributed.Client(where, timeout=60) as client:
        client.wait_for_workers(1, timeout=60)
