"""`gpubfs grade-all`: what it writes, what it tells, and what it refuses."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gpubfs.cli.common import Terminated
from gpubfs.cli.grade_all import bar
from gpubfs.cli.main import group
from gpubfs.errors import UsageError
from gpubfs.grading.cohort import grading as cohort
from gpubfs.grading.cohort.packing import Packed
from gpubfs.grading.loading import load
from gpubfs.grading.outcome import Failure, Grade, Outcome
from gpubfs.grading.processes.sandbox import SECRET

FOLDER = Path(__file__).parents[3] / "lessons" / "00-warp" / "exercises" / "reverse"
EXERCISE = load(FOLDER)
RIGHT = EXERCISE.solution.read_text("utf-8")
#: Points of the cases that are not hidden, and those of all but the first.
POINTS = sum(case.points for case in EXERCISE.cases if not case.hidden)
GOT = f"{POINTS - EXERCISE.cases[0].points:g}"
WRONG = Failure("result", "a result is wrong", "f<<<1, 32>>>(a)", "1", "2")


@pytest.fixture
def graded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Instead of grading: the first case is lost, the others are not; what was handed in."""
    calls: list[str] = []

    def fake(packed: Packed) -> dict[str, Any]:
        calls.append(packed.content.decode())
        outcomes = (
            Outcome(c.name, c.points, c.hidden, skipped=True)
            if c.hidden and not packed.secret
            else Outcome(c.name, c.points, c.hidden, None if number else WRONG)
            for number, c in enumerate(EXERCISE.cases)
        )
        return Grade(EXERCISE.name, EXERCISE.title, packed.name, tuple(outcomes)).as_dict()

    monkeypatch.setattr(cohort, "grade_packed", fake)
    monkeypatch.delenv(SECRET, raising=False)
    return calls


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """A class of one."""
    folder = tmp_path / "handed-in"
    (folder / "ada").mkdir(parents=True)
    (folder / "ada" / "reverse.cu").write_text(RIGHT, "utf-8")
    return folder


def run(there: Path, *more: str, to: Path | None = None) -> Result:
    where = there.parent / "to" if to is None else to
    command = ["grade-all", str(there), "--exercise", str(FOLDER), "--to", str(where), *more]
    return CliRunner().invoke(group, command)


def refused(there: Path, *more: str, to: Path | None = None) -> str:
    """What a command is refused with."""
    error = run(there, *more, to=to).exception
    assert isinstance(error, UsageError)
    return str(error)


def written(there: Path) -> dict[str, bytes]:
    """What it wrote for people."""
    to = there.parent / "to"
    files = [to / "marks.csv", to / "report.html", *sorted((to / "feedback").iterdir())]
    return {os.fsencode(file.name).decode("latin-1"): file.read_bytes() for file in files}


def rows(there: Path) -> list[list[str]]:
    text = (there.parent / "to" / "marks.csv").read_text("utf-8")
    return list(csv.reader(text.splitlines()))[1:]


def test_a_name_that_is_not_utf8_is_escaped(there: Path, graded: list[str]) -> None:
    os.rename(there / "ada", os.fsencode(there) + b"/bad\xff")
    assert run(there).exit_code == 0
    assert rows(there)[0][0] == r"bad\xff"
    assert "bad\xff.txt" in written(there)
    os.rename(os.fsencode(there) + b"/bad\xff", there / "\x1b[2J")
    assert "\x1b" not in run(there).output
    assert rows(there)[0][0] == r"\x1b[2J"


def test_marks_and_report_are_whole_or_as_before(
    there: Path, graded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(there)
    before = written(there)
    os.rename(there / "ada", there / "bob")

    def full(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert isinstance(run(there).exception, OSError)
    assert written(there) == before
    assert not list((there.parent / "to").glob(".gpubfs*"))


@pytest.mark.parametrize("name", ["=1+1", "+ada", "-ada", "@ada"])
def test_a_name_is_no_formula(there: Path, graded: list[str], name: str) -> None:
    os.rename(there / "ada", there / name)
    run(there)
    assert rows(there) == [["'" + name, GOT, GOT]]


def test_a_name_may_look_like_markup(there: Path, graded: list[str]) -> None:
    os.rename(there / "ada", there / "[red] <b>")
    (there / "[red] <b>" / "reverse.cu").rename(there / "[red] <b>" / "[bold]<i>.cu")
    result = run(there)
    assert "[red] <b>" in result.output
    assert "[bold]<i>.cu" in result.output
    assert b"&lt;i&gt;" in written(there)["report.html"]


def test_a_link_loses_all_cases_and_shows_nothing(there: Path, graded: list[str]) -> None:
    (there / "bob").mkdir()
    (there / "bob" / "reverse.cu").symlink_to(there / "ada" / "reverse.cu")
    run(there)
    assert rows(there)[1] == ["bob", "0", "0"]
    text = written(there)["bob.txt"].decode()
    assert "the file is a link; hand in the file itself" in text
    assert graded == [RIGHT]


def test_a_forgotten_secret_is_told(there: Path, graded: list[str]) -> None:
    words = f"1 hidden case was left out: {SECRET} is not set"
    assert words in run(there).output
    assert words in written(there)["report.html"].decode()
    result = CliRunner(env={SECRET: "s"}).invoke(
        group, ["grade-all", str(there), "--exercise", str(FOLDER), "--to", str(there / "../to")]
    )
    assert result.exit_code == 0
    assert "left out" not in result.output
    before = written(there)
    assert SECRET in (words := refused(there))
    assert "1 result has hidden cases" in words
    assert "--without-hidden" in words
    assert len(graded) == 2
    assert written(there) == before
    assert "1 hidden case was left out: as you asked" in run(there, "--without-hidden").output
    assert len(graded) == 3
    assert run(there).exit_code == 0  # nothing is left that could be lost
    assert len(graded) == 3


def test_what_was_not_handed_in_is_empty_and_told(there: Path, graded: list[str]) -> None:
    (there / "bob").mkdir()
    (there / "bob" / "Reverse (1).cu").write_text(RIGHT, "utf-8")
    result = run(there)
    assert rows(there) == [["ada", GOT, GOT], ["bob", "", "0"]]
    text = " ".join(result.output.split())
    page = written(there)["report.html"].decode()
    for words in ("Reverse (1).cu", "did you mean 00-warp/reverse?", "nothing was found of these"):
        assert words in text
        assert words in page
    assert written(there)["bob.txt"].decode().splitlines()[1:] == [
        "nothing was handed in",
        f"0 of {POINTS:g} points",
    ]


def test_a_folder_one_level_too_high_is_told(there: Path, graded: list[str]) -> None:
    result = run(there.parent, to=there.parent.parent / "elsewhere")
    assert "nothing was found of anybody" in result.output
    assert "ada/reverse.cu" in result.output


def test_on_a_terminal_there_are_a_few_and_a_count(there: Path, graded: list[str]) -> None:
    for number in range(30):
        (there / "ada" / f"x{number:02d}.cu").write_text("", "utf-8")
    result = run(there)
    assert "x09.cu" in result.output
    assert "x10.cu" not in result.output
    assert "and 20 more" in result.output
    assert b"x29.cu" in written(there)["report.html"]


def test_an_exercise_that_is_named_twice_counts_once(there: Path, graded: list[str]) -> None:
    run(there, "--exercise", str(FOLDER), "--exercise", str(FOLDER / ".." / "reverse"))
    page = written(there)["report.html"].decode()
    assert page.count(">00-warp/reverse<") == 3  # in each table
    assert rows(there) == [["ada", GOT, GOT]]


@pytest.mark.parametrize("below", ["", "results", "a/../b"])
def test_results_do_not_go_among_students(there: Path, graded: list[str], below: str) -> None:
    assert "every folder is a student's" in refused(there, to=there / below)
    assert not graded


@pytest.mark.parametrize("address", ["", " "])
def test_an_empty_address_is_refused(there: Path, graded: list[str], address: str) -> None:
    assert "--scheduler has no address" in refused(there, "--scheduler", address)
    assert not graded


def test_after_gpubfs_changed_all_is_graded_again(
    there: Path, graded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        run(there)
    assert len(graded) == 1
    monkeypatch.setattr(cohort, "package_digest", lambda: "another")
    run(there)
    assert len(graded) == 2


def test_what_is_handed_back_does_not_change(there: Path, graded: list[str]) -> None:
    run(there)
    before = written(there)
    assert run(there).exit_code == 0
    assert written(there) == before
    assert len(graded) == 1
    text = before["ada.txt"].decode()
    assert text.startswith(f"{EXERCISE.title} (00-warp/reverse)\n✗ ")
    assert "    got      2\n" in text
    assert text.endswith(f"{GOT} of {POINTS:g} points\n")
    assert str(there.parent) not in text


@pytest.mark.slow
def test_feedback_is_that_of_grade_and_the_same_each_time(there: Path) -> None:
    (there / "ada" / "reverse.cu").write_text(EXERCISE.starter.read_text("utf-8"), "utf-8")
    file = there / "ada" / "reverse.cu"
    python = [sys.executable, "-m", "gpubfs"]
    command = [*python, "grade-all", str(there), "--exercise", str(FOLDER), "--to"]
    made = []
    for name in ("first", "second"):
        to = there.parent / name
        subprocess.run([*command, str(to)], check=True, capture_output=True)
        texts = (to / part for part in ("marks.csv", "report.html", "feedback/ada.txt"))
        made.append([text.read_text("utf-8") for text in texts])
    assert made[0] == made[1]
    one = [*python, "grade", str(file), "--exercise", str(FOLDER)]
    environment = {**os.environ, "COLUMNS": "100", "PYTHONUTF8": "1"}
    alone = subprocess.run(one, capture_output=True, text=True, env=environment)
    # But for the commands that open a trace: a path of who grades is of no use to students.
    lines = alone.stdout.splitlines(keepends=True)
    assert made[0][2] == "".join(line for line in lines if "see it   gpubfs trace" not in line)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_stopped_it_leaves_no_temporary_files(there: Path, number: int, code: int) -> None:
    temporary = there.parent / "tmp"
    temporary.mkdir()
    for student in ("bob", "cyd", "dan"):
        (there / student).mkdir()
        (there / student / "reverse.cu").write_text(f"// {student}\n{RIGHT}", "utf-8")
    to = there.parent / "to"
    command = [sys.executable, "-m", "gpubfs", "grade-all", str(there), "--exercise", str(FOLDER)]
    running = subprocess.Popen(
        [*command, "--to", str(to), "--jobs", "1"],
        env={**os.environ, "TMPDIR": str(temporary)},
        stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + 120
    while not list(to.rglob("*.json")) and time.monotonic() < end:
        time.sleep(0.05)
    running.send_signal(number)
    assert running.wait(60) == code
    assert list(temporary.iterdir()) == []
    assert 1 <= len(list(to.rglob("*.json"))) < 4


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_no_temporary_files(there: Path) -> None:
    temporary, folder = there.parent / "tmp", there.parent / "00-warp" / "exercises" / "reverse"
    temporary.mkdir()
    folder.mkdir(parents=True)
    for file in FOLDER.iterdir():
        if file.is_file():
            (folder / file.name).write_bytes(file.read_bytes())
    text = (folder / "exercise.toml").read_text("utf-8")
    (folder / "exercise.toml").write_text(f"seconds = 0.01\n{text}", "utf-8")
    command = [sys.executable, "-m", "gpubfs", "grade-all", str(there), "--exercise", str(folder)]
    done = subprocess.run(
        [*command, "--to", str(there.parent / "to")],
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "time" in done.stdout
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("end", [KeyboardInterrupt(), Terminated(143)])
def test_whoever_stops_it_reads_how_to_go_on(
    end: BaseException, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(type(end)), bar(3):
        raise end
    assert "the same command goes on" in capsys.readouterr().err
    with bar(3):
        pass
    assert "the same command goes on" not in capsys.readouterr().err
