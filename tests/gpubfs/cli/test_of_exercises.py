"""`gpubfs trace` and `gpubfs lines` of what a student made for an exercise."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sampling import sampled

LESSONS = Path(__file__).parents[3] / "lessons"
Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def reverse(tmp_path: Path) -> Path:
    """The exercise in a folder of its own, with a blank in its name."""
    made = tmp_path / "my lessons" / "00-warp" / "exercises" / "reverse"
    shutil.copytree(LESSONS / "00-warp/exercises/reverse", made)
    return made


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


def commands(out: str) -> list[list[str]]:
    """The commands that `gpubfs grade` prints, as a shell takes them apart."""
    return [
        shlex.split(line.partition("see it")[2]) for line in out.splitlines() if "see it" in line
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "here", sampled([".", "my lessons/00-warp", "my lessons/00-warp/exercises/reverse"], 3)
)
def test_grade_prints_a_command_that_shows_what_is_wrong(
    reverse: Path, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch, here: str
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.delenv("GPUBFS_SECRET", raising=False)
    monkeypatch.chdir(tmp_path / here)
    code, out, _ = call("grade", reverse)
    assert code == 1
    found = commands(out)
    assert [command[-2:] for command in found] == [["--case", str(n)] for n in (2, 3, 4)]
    for gpubfs, *arguments in found:
        assert gpubfs == "gpubfs"
        assert str(tmp_path) not in " ".join(arguments)
        code, out, err = call(*arguments)
        assert (code, steps(out)[0]) == (0, 3)
        assert "it goes wrong at step 3" in err


def test_the_command_names_a_file_that_is_elsewhere(
    reverse: Path, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my $file.cu").write_text((reverse / "starter.cu").read_text())
    _, out, _ = call("grade", "my $file.cu", "--exercise", reverse)
    command = commands(out)[0]
    assert command[-2:] == ["--submission", "my $file.cu"]
    assert "my $file.cu" in call(*command[1:])[1]


def test_of_hidden_cases_no_command_is_printed(
    reverse: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPUBFS_SECRET", "s")
    _, out, _ = call("grade", reverse)
    assert "(hidden)  0 of 1" in out
    assert [command[-1] for command in commands(out)] == ["2", "3", "4"]


@pytest.mark.usefixtures("unloaded")
def test_the_command_has_the_plugins_that_were_named(
    reverse: Path, tmp_path: Path, call: Call
) -> None:
    plugin = tmp_path / "my plugin.py"
    plugin.write_text("")
    _, out, _ = call("--plugin", plugin, "grade", reverse)
    assert commands(out)[0][:4] == ["gpubfs", "--plugin", str(plugin), "trace"]


@pytest.mark.parametrize("text", ["nonsense", 'extern "C" __global__ void other() {}'])
def test_what_is_not_run_has_no_command(reverse: Path, call: Call, text: str) -> None:
    (reverse / "starter.cu").write_text(text)
    code, out, _ = call("grade", reverse)
    assert code == 1
    assert "see it" not in out


def test_answers_have_no_command(call: Call) -> None:
    code, out, _ = call("grade", LESSONS / "00-warp/exercises/count")
    assert code == 1
    assert "see it" not in out
