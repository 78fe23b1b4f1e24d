"""`gpubfs trace` and `gpubfs lines` of what a student made for an exercise."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gpubfs.cli.main import main

LESSONS = Path(__file__).parents[3] / "lessons"
Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def reverse(tmp_path: Path) -> Path:
    """The exercise in a folder of its own, with a blank in its name."""
    made = tmp_path / "my lessons" / "00-warp" / "exercises" / "reverse"
    shutil.copytree(LESSONS / "00-warp/exercises/reverse", made)
    return made


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """The command line in this process: exit code, standard output, standard error."""

    def called(*arguments: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            main([*map(str, arguments)])
        return int(caught.value.code or 0), *capsys.readouterr()

    return called


def steps(out: str) -> list[int]:
    return [int(step) for step in re.findall(r"^step (\d+) of \d+$", out, re.MULTILINE)]


def test_a_trace_begins_where_it_goes_wrong_and_says_why(reverse: Path, call: Call) -> None:
    code, out, err = call("trace", "--exercise", reverse)
    assert code == 0
    assert steps(out) == list(range(3, 37))
    assert 'case 2 "several warps and blocks", warp: lost' in err
    assert "out[0] is wrong" in err
    assert "it goes wrong at step 3 of 36; --step 1 is the first" in err
    assert "starter.cu" in out


def test_another_step_case_and_order_may_be_asked_for(reverse: Path, call: Call) -> None:
    given = ("--case", "one warp", "--schedule", "warp", "--step", "2")
    code, out, err = call("trace", "--exercise", reverse, *given)
    assert (code, steps(out)) == (0, [2, 3])
    assert err == '00-warp/reverse, case 1 "one warp", warp: passed\n'


def test_a_file_elsewhere_may_be_named(reverse: Path, tmp_path: Path, call: Call) -> None:
    mine = shutil.copyfile(reverse / "solution.cu", tmp_path / "mine one.cu")
    code, out, err = call("trace", "--exercise", reverse, "--submission", mine)
    assert (code, steps(out)[0]) == (0, 1)
    assert "passed" in err
    assert "mine one.cu" in out


def test_as_json_it_says_what_is_lost_and_where(reverse: Path, call: Call) -> None:
    code, out, _ = call("trace", "--exercise", reverse, "--case", "3", "--json")
    data = json.loads(out)
    assert code == 0
    assert (data["case"], data["number"], data["sanitize"]) == ("no races", 3, "all")
    assert data["failure"]["reason"] == "sanitizer"
    assert "starter.cu:11" in data["failure"]["detail"]
    assert data["steps"][data["wrong_step"] - 1]["line"] == 11


def test_a_picture_is_of_the_step_where_it_goes_wrong(
    reverse: Path, tmp_path: Path, call: Call
) -> None:
    for name, more in (("a.svg", ()), ("b.svg", ("--step", "3")), ("c.svg", ("--step", "1"))):
        assert call("trace", "--exercise", reverse, "--export", tmp_path / name, *more)[0] == 0
    a, b, c = ((tmp_path / f"{name}.svg").read_text() for name in "abc")
    assert a == b != c


def test_lines_are_those_of_the_case_that_is_lost(reverse: Path, call: Call) -> None:
    code, out, err = call("lines", "--exercise", reverse)
    assert code == 0
    assert 'starter.cu: 00-warp/reverse, case 2 "several warps and blocks", warp' in out
    assert "out[0] is wrong" in err
    _, out, _ = call("lines", "--exercise", reverse, "--case", "1", "--json")
    data = json.loads(out)
    assert data["failure"] is None
    assert {site["line"] for site in data["sites"]} == {9, 11}


@pytest.mark.parametrize("command", ["trace", "lines"])
@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["scan-free"], "a technique and --exercise exclude each other"),
        (["--graph", "toy"], "--graph and --exercise exclude each other"),
        (["--device", "toy2"], "--device and --exercise exclude each other"),
        (["--option", "block=2"], "--option and --exercise exclude each other"),
        (["--source", "0"], "--source and --exercise exclude each other"),
        (["--case", "9"], 'no case of 00-warp/reverse called "9"'),
        (["--case", "5"], "is hidden"),
        (["--schedule", "fair"], "fair"),
        (["--submission", str(LESSONS)], "is a folder"),
    ],
)
def test_what_does_not_fit_is_refused(
    reverse: Path, call: Call, command: str, given: list[str], words: str
) -> None:
    code, out, err = call(command, *given, "--exercise", reverse)
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err


@pytest.mark.parametrize("command", ["trace", "lines"])
def test_a_case_needs_an_exercise(call: Call, command: str) -> None:
    code, _, err = call(command, "scan-free", "--graph", "toy", "--case", "1")
    assert code == 2
    assert "--case is for exercises" in err


@pytest.mark.parametrize("command", ["trace", "lines"])
def test_without_an_exercise_a_technique_and_a_graph_are_needed(call: Call, command: str) -> None:
    assert "missing argument 'TECHNIQUE" in call(command)[2]
    assert "missing option '--graph'" in call(command, "scan-free")[2]


def test_levels_and_the_gpu_are_for_techniques(reverse: Path, call: Call) -> None:
    assert "--level and" in call("trace", "--exercise", reverse, "--level", "2")[2]
    assert "--machine gpu and" in call("lines", "--exercise", reverse, "--machine", "gpu")[2]


def test_a_starter_that_is_not_there_is_told(reverse: Path, call: Call) -> None:
    (reverse / "starter.cu").rename(reverse / "mine.cu")
    code, _, err = call("trace", "--exercise", reverse)
    assert code == 2
    assert "there is no starter.cu" in err
