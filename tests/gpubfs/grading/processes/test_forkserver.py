"""Grading processes that are forked: each is new, dies alone, and is told apart from the others."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gpubfs.grading.processes import starting as processes
from gpubfs.grading.processes.forkserver import ForkServer
from gpubfs.grading.processes.sandbox import _environment, grade
from gpubfs.grading.processes.starting import end_server
from tests.gpubfs.grading.doubling import RIGHT, exercise, submission

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")

#: A problem that changes what all processes have in common, and notes what it has found.
CHANGES = """
import os
import numpy as np
import gpubfs
from gpubfs.grading import Launch, Problem


def make(rng, size):
    with open({notes!r}, "a") as file:
        changed = getattr(gpubfs, "changed", "new")
        print(changed, os.getpid(), os.getsid(0), len(os.listdir("/proc/self/fd")), file=file)
    gpubfs.changed = "changed"
    values = np.arange(size, dtype=np.int32)
    launch = Launch("twice", 1, 32, ("in", "out", size))
    return Problem({{"in": values, "out": 0 * values}}, (launch,), {{"out": 2 * values}})
"""


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    made = ForkServer(_environment())
    yield made
    made.end()


def alive(process: int) -> bool:
    """Whether a process is there, and no zombie."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False
    return text.rsplit(")", 1)[1].split()[0] != "Z"


def dies(process: int) -> bool:
    end = time.monotonic() + 20
    while alive(process) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(process)


def test_each_submission_gets_a_new_process(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    made = exercise(tmp_path, CHANGES.format(notes=str(notes)))
    file = submission(tmp_path, RIGHT)
    for _ in range(3):
        assert grade(made, file).full
    rows = [line.split() for line in notes.read_text().splitlines()]
    assert [row[0] for row in rows] == ["new"] * 3
    assert len({row[1] for row in rows}) == 3
    assert all(row[1] == row[2] for row in rows)  # a session of its own
    assert len({row[3] for row in rows}) == 1  # no files are left open


@pytest.mark.slow
def test_many_at_a_time_are_told_apart(server: ForkServer) -> None:
    def ended(number: int) -> tuple[str, int]:
        process = server.started({"NUMBER": str(number)})
        if number % 3 == 0:
            process.kill()
        with process.stdin:
            pass  # no job: it fails
        with process.stdout:
            return process.stdout.read(), process.wait()

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ended, range(24)))
    assert {text for text, _ in found} == {""}
    assert [code for number, (_, code) in enumerate(found) if number % 3] == [1] * 16
    assert {code for _, code in found[::3]} <= {-signal.SIGKILL, 1}


@pytest.mark.slow
def test_a_process_that_is_killed_is_told_and_the_next_one_works(server: ForkServer) -> None:
    process = server.started({})
    os.kill(process.pid, signal.SIGSEGV)
    assert process.wait() == -signal.SIGSEGV
    assert process.wait() == -signal.SIGSEGV
    process.kill()
    other = server.started({})
    other.kill()
    assert other.wait() == -signal.SIGKILL
    for one in (process, other):
        one.stdin.close()
        one.stdout.close()


@pytest.mark.slow
def test_with_the_server_all_that_it_has_started_ends() -> None:
    server = ForkServer(_environment())
    running = [server.started({}) for _ in range(3)]
    server.end()
    assert all(dies(process.pid) for process in running)
    assert [process.wait() for process in running] == [-signal.SIGKILL] * 3
    with pytest.raises(OSError, match="Bad file descriptor"):
        server.started({})


def test_a_server_that_is_killed_is_started_again(tmp_path: Path) -> None:
    made, file = exercise(tmp_path), submission(tmp_path, RIGHT)
    assert grade(made, file).full
    first = processes._server
    assert first is not None
    first._process.kill()
    first._process.wait()
    assert grade(made, file).full  # by a process that was started anew
    assert grade(made, file).full
    assert processes._server is not first


@pytest.mark.slow
def test_a_server_is_no_other_process_s(tmp_path: Path) -> None:
    made, file = exercise(tmp_path), submission(tmp_path, RIGHT)
    assert grade(made, file).full
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.write(write, b"full" if grade(made, file).full else b"not")
        end_server()
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 10) == b"full"
    assert grade(made, file).full


@pytest.mark.slow
def test_variables_reach_it_and_a_change_makes_a_new_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, file = exercise(tmp_path), submission(tmp_path, RIGHT)
    assert grade(made, file).full
    first = processes._server
    monkeypatch.setenv("LANG", "en_GB.UTF-8")
    assert grade(made, file).full
    assert processes._server is not first


@pytest.mark.slow
def test_the_secret_is_not_in_the_server_s_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPUBFS_SECRET", "what only instructors know")
    end_server()
    assert grade(exercise(tmp_path), submission(tmp_path, RIGHT)).full
    server = processes._server
    assert server is not None
    environment = Path(f"/proc/{server._process.pid}/environ").read_bytes()
    assert b"what only" not in environment
