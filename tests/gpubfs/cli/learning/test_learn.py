"""`gpubfs learn`: what is printed, and a dialogue by keys and saves that a test makes up."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gpubfs.cli import tutor
from gpubfs.cli.main import main
from gpubfs.grading.learning import saves
from tests.gpubfs.cli.learning.child import quick

TOML = """title = "{title}"
kind = "{kind}"
hints = ["read level[v]", "write it"]
[search]
technique = "scan-free"
[[cases]]
name = "a"
points = 3
given = {{ graph = "toy" }}
[[cases]]
name = "b"
points = 5
given = {{ graph = "toy" }}
[[cases]]
name = "c"
points = 2
hidden = true
given = {{ graph = "toy" }}
"""

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two lessons, of two exercises and of one; each question mark in a file loses a case."""
    for name, title, kind in (
        ("00-first/claim", "Claim it", "write"),
        ("00-first/twice", "Only once", "mend"),
        ("01-second/last", "The end", "write"),
    ):
        lesson, slug = name.split("/")
        folder = tmp_path / lesson / "exercises" / slug
        folder.mkdir(parents=True)
        (folder / "exercise.toml").write_text(TOML.format(title=title, kind=kind))
        (folder / "starter.cu").write_text("??\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GPUBFS_SECRET", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setattr("gpubfs.grading.processes.sandbox.grade", quick)
    monkeypatch.setattr(saves, "QUIET", 0.0)
    return tmp_path


def starter(course: Path, name: str) -> Path:
    lesson, slug = name.split("/")
    return course / lesson / "exercises" / slug / "starter.cu"


def test_elsewhere_than_on_a_terminal_it_says_what_is_next(course: Path, call: Call) -> None:
    code, out, err = call("learn")
    assert (code, err) == (0, "")
    assert "00-first  0 of 16" in out
    assert "0 of 3 exercises done, 0 of 24 points" in out
    assert "next: Claim it (00-first/claim)\nwrite: fill in a kernel\n" in out
    assert "edit  00-first/exercises/claim/starter.cu\n" in out
    assert not list(course.rglob(".gpubfs*"))  # to look changes nothing


@pytest.mark.parametrize("columns", [20, 40, 60, 90])
def test_no_mark_is_cut_in_a_narrow_terminal(
    columns: int, course: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("learn", "--once")
    monkeypatch.setenv("COLUMNS", str(columns))
    _, out, _ = call("learn")
    assert re.search(r"claim +0 of 8", out)
    if columns >= 40:
        assert "not begun" in out
    assert "starter.cu" in out


def test_once_grades_the_next_and_keeps_the_marks(course: Path, call: Call) -> None:
    code, out, _ = call("learn", "--once")
    assert code == 1
    assert "Claim it (00-first/claim)\n✗ a  0 of 3\n" in out
    starter(course, "00-first/claim").write_text("?\n")
    assert call("learn", "--once")[0] == 1
    _, out, _ = call("learn", "--json")
    found = json.loads(out)
    first = found["lessons"][0]["exercises"][0]
    assert (first["state"], first["best"], first["points"], first["tries"]) == ("begun", 5, 8, 2)
    starter(course, "00-first/claim").write_text("right\n")
    code, _, err = call("learn", "--once", "claim")
    assert (code, err) == (0, "")
    assert "✓ claim" in call("learn")[1]
    assert json.loads(call("learn", "--json")[1])["next"] == "00-first/twice"
    starter(course, "00-first/claim").write_text("??\n")
    assert call("learn", "--once", "claim")[0] == 1
    assert "✓ claim" in call("learn")[1]  # what was reached once stays


def test_progress_that_cannot_be_read_is_told_and_kept(course: Path, call: Call) -> None:
    file = course / "00-first/exercises/.gpubfs-progress.json"
    file.write_text("{")
    code, _, err = call("learn")
    assert code == 0
    assert "warning: " in err
    assert file.read_text() == "{"
    _, _, err = call("learn", "--once")
    assert "it is kept as .gpubfs-progress.json.unreadable-1" in " ".join(err.split())
    assert (file.parent / ".gpubfs-progress.json.unreadable-1").read_text() == "{"


def test_a_course_that_is_done(course: Path, call: Call) -> None:
    for name in ("00-first/claim", "00-first/twice", "01-second/last"):
        starter(course, name).write_text("right\n")
        assert call("learn", "--once")[0] == 0
    assert "All exercises are done." in call("learn")[1]
    code, out, _ = call("learn", "--once")  # there is nothing to grade
    assert code == 0
    assert out.endswith("All exercises are done.\n")
    assert json.loads(call("learn", "--json")[1])["next"] is None


class Script:
    """Keys that a test presses, and what it does between them."""

    def __init__(self, *steps: str | Callable[[], object]) -> None:
        self.steps: Iterator[Any] = iter(steps)
        self.lent_times = 0

    def __enter__(self) -> Script:
        return self

    def __exit__(self, *exception: object) -> None:
        pass

    def read(self, seconds: float) -> str:
        if not seconds:
            return ""
        step = next(self.steps, "q")
        return step if isinstance(step, str) else step() or ""

    def lent(self) -> Script:
        self.lent_times += 1
        return self


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch, call: Call) -> Callable[..., str]:
    """What is printed of a dialogue."""

    def play(*steps: str | Callable[[], object], of: str = "") -> str:
        script = Script(*steps)
        monkeypatch.setattr("gpubfs.cli.keys.can_read", lambda: True)
        monkeypatch.setattr(tutor, "Keys", lambda: script)
        code, out, _ = call("learn", *filter(None, [of]))
        assert code == 0
        return out

    return play


def test_a_save_is_graded_and_the_next_offered(course: Path, played: Any) -> None:
    file = starter(course, "00-first/claim")
    out = played(lambda: file.write_text("right now\n") and "", "n")
    before, after = out.split("8 of 8 points")
    assert "0 of 8 points" in before
    assert "Done. Press n for the next: Only once (00-first/twice)" in after
    assert "mend: find the bug" in after
    assert "watching  00-first/exercises/twice/starter.cu" in after


def test_a_save_of_what_was_left_grades_nothing_else(course: Path, played: Any) -> None:
    file = starter(course, "00-first/claim")
    out = played(lambda: (file.write_text("right now\n"), "n")[1], "?")
    assert out.count("Only once (00-first/twice)\n✗ a") == 1


def test_hints_come_one_by_one_and_stay(course: Path, played: Any) -> None:
    out = played("h", "h", "h", "r")
    assert out.count("hint 1 of 2: read level[v]") == 2  # at the key, and below the next marks
    assert "there are no more hints than these 2" in out


def test_the_other_exercises(course: Path, played: Any) -> None:
    out = played("p", "n", "n", "n", "l", "x", "?")
    assert "this is the first exercise" in out
    assert "this is the last exercise" in out
    assert ">  last " in out


def test_the_path_and_the_editor(
    course: Path, played: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = played("o")
    assert str(starter(course, "00-first/claim")) in out
    assert "set EDITOR" in out
    monkeypatch.setenv("EDITOR", "no-such-editor --wait")
    assert "no-such-editor: No such file or directory" in played("o")
    called = []
    monkeypatch.setattr("subprocess.run", lambda command, **_: called.append(command))
    played("o")
    assert called == [["no-such-editor", "--wait", str(starter(course, "00-first/claim"))]]


def test_the_trace_of_what_is_lost(
    course: Path, played: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = []
    monkeypatch.setattr("subprocess.run", lambda command, **_: called.append(command))
    out = played("t")
    command = "gpubfs trace --exercise 00-first/exercises/claim --case 1"
    assert out.count(command) == 2  # below the case, and when it runs
    assert [" ".join(one[2:]) for one in called] == [command]
    starter(course, "00-first/claim").write_text("right\n")
    assert "no case is lost" in played("t")


def test_a_file_that_is_gone_is_told_and_waited_for(course: Path, played: Any) -> None:
    file = starter(course, "00-first/claim")
    out = played(lambda: file.unlink(), "r", lambda: file.write_text("right\n") and "")
    assert "there is no starter.cu" in out
    assert "8 of 8 points" in out


def test_an_exercise_with_a_mistake_ends_nothing(
    course: Path, played: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gpubfs.errors import UsageError

    def fails(*_: Any, **__: Any) -> None:
        raise UsageError("the exercise has a mistake", "ask")

    monkeypatch.setattr("gpubfs.grading.processes.sandbox.grade", fails)
    assert "the exercise has a mistake" in played("r", "h")


def test_marks_of_a_file_that_changes_meanwhile_are_not_kept(
    course: Path, played: Any, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = starter(course, "00-first/claim")
    file.write_text("right\n")

    def slow(*given: Any, **more: Any) -> Any:
        made = quick(*given, **more)
        file.write_text("??? and now it is wrong\n")
        return made

    monkeypatch.setattr("gpubfs.grading.processes.sandbox.grade", slow)
    assert call("learn", "--once")[0] == 0
    assert json.loads(call("learn", "--json")[1])["done"] == 0


def test_nobody_is_waited_for_where_standard_input_is_closed(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(SystemExit) as ended:
        main(["learn"])
    assert not ended.value.code
