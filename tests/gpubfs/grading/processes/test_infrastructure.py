"""What the machine does wrong costs no marks, is told, is graded again, and leaves nothing."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from gpubfs.cli.main import group
from gpubfs.grading.cohort import grading as cohort
from gpubfs.grading.cohort.packing import Packed, grade_packed
from gpubfs.grading.errors import NotGradedError
from gpubfs.grading.outcome import Grade
from gpubfs.grading.processes.sandbox import SECRET, grade
from gpubfs.grading.processes.starting import end_server
from tests.gpubfs.grading.doubling import PROBLEM, RIGHT, TOML, exercise, submission

#: The call of a problem that fails as a full disk does, where a file is there.
FULL = """
import errno, os
if os.path.exists({flag!r}):
    raise OSError(errno.ENOSPC, "No space left on device", "/somewhere")
"""


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system with next to no room."""
    place = tmp_path / "small"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def fill(place: Path, left: int = 0) -> Path:
    """Leave so many bytes of room on a file system."""
    file = place / "filling"
    with file.open("wb", buffering=0) as stream:
        with suppress(OSError):
            while True:
                stream.write(bytes(4096))
        stream.truncate(stream.tell() - left)
    return file


def gpubfs(*arguments: str | Path, temporary: Path) -> subprocess.Popen[str]:
    kept = {name: value for name, value in os.environ.items() if name != SECRET}
    return subprocess.Popen(
        [sys.executable, "-m", "gpubfs", *map(str, arguments)],
        env={**kept, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_a_full_disk_for_temporary_files_loses_nothing(small: Path, tmp_path: Path) -> None:
    made, file = exercise(tmp_path), submission(tmp_path, f"{RIGHT}// {'long ' * 9999}")
    filling = fill(small, 8192)  # so much that Python looks for no other folder
    command = ("grade", file, "--exercise", made.folder)
    full = gpubfs(*command, temporary=small)
    out, err = full.communicate(timeout=120)
    assert full.returncode == 2
    assert "of 2 points" not in out
    assert "No space left on device" in err
    assert "Traceback" not in err
    filling.unlink()
    assert gpubfs(*command, temporary=small).wait(120) == 0
    assert list(small.iterdir()) == []


@pytest.mark.slow
def test_a_disk_that_is_full_for_results_is_told_and_what_is_missing_graded_later(
    small: Path, tmp_path: Path
) -> None:
    made = exercise(tmp_path)
    for student in ("ada", "bob"):
        submission(tmp_path / "class" / student, RIGHT)
    command = ("grade-all", tmp_path / "class", "--exercise", made.folder, "--to", small / "to")
    filling = fill(small)
    full = gpubfs(*command, temporary=tmp_path)
    assert full.wait(120) == 2
    assert full.stderr is not None
    assert "No space left on device" in full.stderr.read()
    filling.unlink()
    assert gpubfs(*command, temporary=tmp_path).wait(120) == 0
    rows = (small / "to" / "marks.csv").read_text().splitlines()
    assert rows[1:] == ["ada,2,2", "bob,2,2"]


@pytest.mark.slow
def test_a_failure_in_the_grading_process_loses_nothing(tmp_path: Path) -> None:
    flag = tmp_path / "full"
    flag.touch()
    made, file = exercise(tmp_path), submission(tmp_path, RIGHT)
    simple = "from gpubfs.grading.kinds import kernel as kernels\n"
    hook = f"\ndef fail(*_):\n{''.join('    ' + line + chr(10) for line in FULL.splitlines())}"
    text = PROBLEM.replace("import numpy", f"{simple}import numpy").replace(
        "    values =", "    inner = kernels.on_device\n    kernels.on_device = fail\n    values ="
    )
    (made.folder / "problem.py").write_text(hook.format(flag=str(flag)) + text)
    with pytest.raises(NotGradedError, match="'small': No space left on device: /somewhere"):
        grade(made, file)


@pytest.fixture
def three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A class of three, of whom one cannot be graded as long as a file is there."""
    for student in ("ada", "bob", "cyd"):
        submission(tmp_path / "class" / student, f"// {student}\n{RIGHT}")
    (tmp_path / "full").touch()

    def graded(packed: Packed) -> dict[str, object]:
        if b"bob" in packed.content and (tmp_path / "full").exists():
            raise NotGradedError("the grading process was killed, twice")
        return Grade(packed.exercise.name, "Double", packed.name, ()).as_dict()

    monkeypatch.setattr(cohort, "grade_packed", graded)
    return tmp_path / "class"


def test_one_that_was_not_graded_is_told_and_graded_the_next_time(
    three: Path, tmp_path: Path
) -> None:
    made, to = exercise(tmp_path), tmp_path / "to"
    command = ["grade-all", str(three), "--exercise", str(made.folder), "--to", str(to)]
    first = CliRunner().invoke(group, command)
    assert isinstance(first.exception, NotGradedError)
    assert first.exception.message.startswith("not graded: 00-lesson/double of bob: the grading")
    assert "started again, it goes on" in first.exception.hint
    assert sorted(path.parent.name for path in to.rglob("*.json")) == ["ada", "cyd"]
    assert not (to / "marks.csv").exists()
    (tmp_path / "full").unlink()
    assert CliRunner().invoke(group, command).exit_code == 0
    assert len(list((to / "results").rglob("*.json"))) == 3


def test_an_error_of_the_system_is_none_of_the_submission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = exercise(tmp_path)
    packed = cohort.pack(made, submission(tmp_path, RIGHT), "")

    def full(*arguments: object, **more: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "/tmp")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(NotGradedError, match="No space left on device"):
        grade_packed(packed)


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM])
def test_a_process_that_cannot_be_started_is_told(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object, **more: object) -> None:
        raise OSError(number, os.strerror(number))

    end_server()
    monkeypatch.setattr(subprocess, "Popen", refuse)
    with pytest.raises(NotGradedError, match="no grading process can be started"):
        grade(exercise(tmp_path), submission(tmp_path, RIGHT))


@pytest.mark.slow
@pytest.mark.parametrize("act", ["", "seconds", "SIGTERM", "SIGINT", "kill"])
def test_grade_leaves_nothing_behind(act: str, tmp_path: Path) -> None:
    toml = TOML if act != "seconds" else f"seconds = 0.001\n{TOML}"
    made = exercise(tmp_path, toml=toml)
    endless = RIGHT.replace("if (i < size)", "for (int k = 0; k < 1 << 26; k++) if (i < size)")
    file = submission(tmp_path, endless if act.startswith("SIG") or act == "kill" else RIGHT)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    running = gpubfs("grade", file, "--exercise", made.folder, temporary=temporary)
    if act.startswith("SIG") or act == "kill":
        end = time.monotonic() + 60
        while not list(temporary.rglob("submission*")) and time.monotonic() < end:
            time.sleep(0.02)
    if act == "kill":
        for server in children(running.pid):
            for child in children(server):
                os.kill(child, signal.SIGKILL)
    elif act.startswith("SIG"):
        running.send_signal(getattr(signal, act))
    code = running.wait(120)
    assert code == {"": 0, "seconds": 1, "SIGTERM": 143, "SIGINT": 130, "kill": 1}[act]
    assert list(temporary.iterdir()) == []


def children(process: int) -> list[int]:
    """The processes that a process has started."""
    listed = Path(f"/proc/{process}/task/{process}/children")
    if not listed.is_file():
        pytest.skip("the system does not say which processes another one has started")
    return [int(number) for number in listed.read_text().split()]


def test_links_to_folders_are_not_followed_and_are_told(three: Path, tmp_path: Path) -> None:
    (tmp_path / "full").unlink()
    made, to = exercise(tmp_path), tmp_path / "to"
    elsewhere = tmp_path / "elsewhere"
    submission(elsewhere, RIGHT)
    (three / "eve").symlink_to(elsewhere)
    command = ["grade-all", str(three), "--exercise", str(made.folder), "--to", str(to)]
    done = CliRunner().invoke(group, command)
    assert done.exit_code == 0
    assert "eve" not in (to / "marks.csv").read_text()
    assert "eve in" in " ".join(done.output.split())
    assert "is a link, and was not followed" in " ".join(done.output.split())


@pytest.mark.parametrize("name", ["a" * 255, "ä" * 127, "a" * 252])
def test_names_may_be_as_long_as_the_system_allows(name: str, three: Path, tmp_path: Path) -> None:
    (tmp_path / "full").unlink()
    made, to = exercise(tmp_path), tmp_path / "to"
    for own in (name, f"{name[:-1]}b"):
        submission(three / own, RIGHT)
    command = ["grade-all", str(three), "--exercise", str(made.folder), "--to", str(to)]
    done = CliRunner().invoke(group, command)
    assert done.exit_code == 0, done.exception
    assert len(list((to / "feedback").iterdir())) == 5
    assert name in (to / "marks.csv").read_text()
