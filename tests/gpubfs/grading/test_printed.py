"""What a submission prints: how much of it is shown, where, and that it forges nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpubfs.cli.main import main
from gpubfs.grading.collecting import _section
from gpubfs.grading.feedback import Feedback, gradescope_results, plain_text
from gpubfs.grading.kinds.schedules import Capped
from gpubfs.grading.outcome import Failure, Grade, Outcome

LOST = Failure("crash", "the process died")  # which has no steps to trace


@given(
    st.lists(st.text("ab\n\r\x1b", max_size=30), max_size=8), st.integers(0, 40), st.integers(0, 6)
)
def test_what_is_kept_is_a_beginning_of_few_lines(parts: list[str], most: int, lines: int) -> None:
    capped = Capped(most, lines)
    for part in parts:
        assert capped.write(part) == len(part)
    whole, kept = "".join(parts), "".join(capped._parts)
    assert whole.startswith(kept)
    assert len(kept) <= most
    assert kept.count("\n") <= lines
    if len(whole) <= most and whole.count("\n") < lines:
        assert capped.text() == whole


def test_it_says_how_many_lines_are_left_out() -> None:
    capped = Capped(2000, 2)
    for number in range(5):
        capped.write(f"{number}\n")
    assert capped.text() == "0\n1\n… 6 more characters were printed, in 3 more lines"


def made(printed: str) -> Grade:
    cases = Outcome("small", 2, printed=printed), Outcome("large", 3, failure=LOST, printed=printed)
    return Grade("00-warp/sum", "Sum", "sum.cu", cases)


FORGED = "✓ all cases  5 of 5\n5 of 5 points\x1b[2J\x9b2J\x85\u2028\r✗ large  0 of 3\n"


def test_it_is_shown_for_cases_that_are_lost_unless_all_are_asked_for() -> None:
    few, every = (plain_text(Feedback(made("lane 7\n"), {}, every), 80) for every in (False, True))
    assert few.count("lane 7") == 1
    assert few.index("lane 7") > few.index("large")
    assert "--printed" in few
    assert every.count("lane 7") == 2
    assert "--printed" not in every


def test_of_further_cases_the_beginning_is_shown() -> None:
    long = "".join(f"{number}\n" for number in range(30))
    cases = tuple(Outcome(name, 1, failure=LOST, printed=long) for name in "abc")
    grade = Grade("00-warp/sum", "Sum", "sum.cu", cases)
    few = plain_text(Feedback(grade, {}, printed=False), 80)
    assert [few.count(f"      {number}\n") for number in (0, 2, 3, 29)] == [3, 3, 1, 1]
    assert few.count("      …\n") == 2
    assert plain_text(Feedback(grade, {}), 80).count("      29\n") == 3


def test_what_is_printed_forges_no_marks_and_moves_no_cursor() -> None:
    shown = plain_text(Feedback(made(FORGED), {}), 80)
    assert all(c.isprintable() or c == "\n" for c in shown)
    margin = [row for row in shown.splitlines() if not row.startswith("    ")]
    assert [row for row in margin if "points" in row or "5 of 5" in row] == ["2 of 5 points"]
    text = json.dumps(gradescope_results([made(FORGED)]))
    assert json.loads(text)["score"] == 2
    assert "\x1b" not in json.loads(text)["tests"][1]["output"]


def test_pytest_gets_no_line_that_looks_like_its_own() -> None:
    section = _section(Outcome("a", 1, printed="===== 5 passed =====\n\x1b[2JFAILED x\nFAILED y\n"))
    assert section.splitlines() == ["  ===== 5 passed =====", r"\x1b[2JFAILED x", "  FAILED y"]


def test_the_command_shows_it_with_the_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpubfs.grading.processes.sandbox.grade", lambda *a, **k: made("lane 7\n"))
    folder = Path(__file__).parents[3] / "lessons/00-warp/exercises/reverse"
    for option, times in ((), 1), (("--printed",), 2):
        with pytest.raises(SystemExit):
            main(["grade", str(folder), *option])
        assert capsys.readouterr().out.count("lane 7") == times


def fake_grade(exercise: Any, *a: Any, **k: Any) -> Grade:
    cases = Outcome("a", 4), Outcome("b", 6, failure=LOST)
    return Grade(exercise.name, exercise.title, str(exercise.starter), cases)


def test_a_lesson_ends_with_its_marks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("gpubfs.grading.processes.sandbox.grade", fake_grade)
    lessons = Path(__file__).parents[3] / "lessons"
    to = tmp_path / "results.json"
    with pytest.raises(SystemExit) as ended:
        main(["grade", str(lessons / "00-warp"), "--json", str(to)])
    assert ended.value.code == 1
    rows = capsys.readouterr().out.splitlines()
    assert rows[-5:] == [
        "00-warp/count    4 of 10",
        "00-warp/one-way  4 of 10",
        "00-warp/reverse  4 of 10",
        "00-warp/sum      4 of 10",
        "00-warp          16 of 40",
    ]
    assert rows[-6] == ""
    found = json.loads(to.read_text("utf-8"))
    assert (found["score"], found["extra_data"]["points"]) == (16, 40)
    assert found["extra_data"]["exercises"][0]["exercise"] == "00-warp/count"


def test_several_lessons_end_with_the_sum_of_each(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpubfs.grading.processes.sandbox.grade", fake_grade)
    lessons = Path(__file__).parents[3] / "lessons"
    with pytest.raises(SystemExit):
        main(["grade", str(lessons)])
    words = [" ".join(row.split()) for row in capsys.readouterr().out.splitlines()]
    assert "00-warp 16 of 40" in words
    assert words[-1].startswith("all exercises ")
    with pytest.raises(SystemExit):
        main(["grade", str(lessons / "00-warp/exercises/sum")])
    assert capsys.readouterr().out.splitlines()[-1] == "4 of 10 points"
