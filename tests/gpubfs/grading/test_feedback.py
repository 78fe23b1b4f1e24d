"""What a student reads of a grade, on any terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from gpubfs.grading.feedback import Feedback
from gpubfs.grading.outcome import Failure, Grade, Outcome

RACE = "s.cu:7:9: fault: race on a[0]\n    a[0] = threadIdx.x;\n    ^~~~\n  one each"


def lines(*outcomes: Outcome, width: int = 80, encoding: str = "utf-8") -> list[str]:
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    grade = Grade("00-warp/sum", "Sum", "sum.cu", outcomes)
    Console(file=file, width=width, color_system=None).print(Feedback(grade))
    file.seek(0)
    return [line.rstrip() for line in file.read().splitlines()]


def test_a_command_is_one_line_however_long_it_is() -> None:
    command = f"gpubfs trace --exercise '/a b/{'deep/' * 30}x' --case 2"
    grade = Grade("00-warp/sum", "Sum", "sum.cu", (Outcome("a", 1), lost("b", message="m")))
    console = Console(file=io.StringIO(), width=60, color_system=None)
    console.print(Feedback(grade, {"b": command}), crop=False)
    rows = console.file.getvalue().splitlines()
    assert rows[-2] == f"    see it   {command}"
    assert sum("see it" in row for row in rows) == 1


def lost(case: str, **parts: str) -> Outcome:
    return Outcome(case, 2, failure=Failure(**({"reason": "answer", "message": ""} | parts)))


def test_answers_are_told_one_by_one() -> None:
    made = lines(
        lost("a", message="4 is too much", called="swaps on x", got="4"),
        lost("b", message="4 is too little", called="swaps on y", got="4"),
        lost("c", message="4 is too much", called="swaps on z", got="4"),
    )
    for case, words, called in (("a", "much", "x"), ("b", "little", "y"), ("c", "much", "z")):
        first = made.index(f"✗ {case}  0 of 2")
        assert made[first + 1 : first + 3] == [
            f"    4 is too {words}",
            f"    called   swaps on {called}",
        ]


def test_what_is_the_same_in_everything_is_told_once_and_says_where() -> None:
    made = lines(
        lost("one", message="no kernel f"), Outcome("two", 1), lost("three", message="no kernel f")
    )
    assert made[made.index("✗ three  0 of 2") + 1] == '    as in "one"'


def test_what_was_called_and_found_is_told_though_the_place_is_the_same() -> None:
    made = lines(
        lost("one", message="race on a[0]", detail=RACE, called="f<<<1, 32>>>"),
        lost("two", message="race on a[0]", detail=RACE, called="f<<<2, 32>>>"),
    )
    second = made[made.index("✗ two  0 of 2") :]
    assert "    called   f<<<2, 32>>>" in second
    assert '    otherwise as in "one"' in second
    assert sum("fault" in line for line in made) == 1


@pytest.mark.parametrize("width", [30, 60, 100])
def test_carets_stay_under_what_they_point_at(width: int) -> None:
    source = "    int place = offsets[blockIdx.x * blockDim.x + threadIdx.x + the_fault[here]];"
    start = source.index("the_fault")
    detail = f"s.cu:1:1: fault\n{source}\n{' ' * start}^{'~' * 14}\n  {'some words ' * 20}"
    made = lines(lost("a", message="m", detail=detail), width=width)
    caret = next(line for line in made if set(line.strip()) <= set("^~") and line.strip())
    above = made[made.index(caret) - 1]
    column = caret.index("^")
    assert above[column : column + 9] == "the_fault"
    assert max(map(len, made)) <= width


def test_without_unicode_marks_are_letters() -> None:
    made = lines(Outcome("a", 1), lost("b", message="m"), encoding="ascii")
    assert made[1:3] == ["+ a  1 of 1", "x b  0 of 2"]


HOSTILE = "\x1b]0;mine\x07 \x9b31m \u202e"


@pytest.mark.parametrize("part", ["message", "called", "expected", "got", "detail"])
def test_a_terminal_obeys_nothing_that_was_handed_in(part: str) -> None:
    told = lines(lost("a", **{"message": "m", part: f"before {HOSTILE}behind"}))
    row = next(line for line in told if "before" in line)
    assert "behind" in row
    assert row.isprintable()


def test_carets_stay_where_they_were_behind_what_no_terminal_may_obey() -> None:
    source = "    /* \x1b[2J\tx */ the_fault();"
    caret = f"{' ' * source.index('the_fault')}^{'~' * 8}"
    made = lines(lost("a", message="m", detail=f"s.cu:1:1: fault\n{source}\n{caret}"))
    column = next(line for line in made if line.endswith("~~~~~~~~")).index("^")
    assert any(line[column:].startswith("the_fault") for line in made)
