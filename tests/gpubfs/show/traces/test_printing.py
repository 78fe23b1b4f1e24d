"""Traces printed into pipes and files."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from gpubfs.show.traces import LaunchTrace
from gpubfs.show.traces.remark import Remark
from gpubfs.show.traces.terminal.session import page, print_frames
from tests.gpubfs.show.traces import searches
from tests.gpubfs.show.traces.toy import STEPS, Toy
from tests.sampling import sampled

ROOT = Path(__file__).parents[4]
SCRIPT = "from gpubfs.show.traces.terminal.session import step_through as show; "
SCRIPT += "from tests.gpubfs.show.traces.toy import Toy; show(Toy())"
PRINT = [sys.executable, "-c", SCRIPT]


def environment(**variables: str) -> dict[str, str]:
    unset = ("COLUMNS", "LINES", "FORCE_COLOR", "TTY_COMPATIBLE", "PYTHONUNBUFFERED")
    given = {name: value for name, value in os.environ.items() if name not in unset}
    return {**given, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **variables}


def printed(**variables: str) -> list[str]:
    shown = subprocess.run(PRINT, capture_output=True, check=True, env=environment(**variables))
    assert not shown.stderr
    return shown.stdout.decode().splitlines()


@pytest.mark.slow
def test_a_pipe_gets_all_frames_counted_and_plain() -> None:
    lines = printed()
    counts = [line for line in lines if line.startswith("step ")]
    assert counts == [f"step {number} of {STEPS}" for number in range(1, STEPS + 1)]
    assert lines[1] == "step-0 level-0 line-7"
    assert lines[24] == "80x24".rjust(80)
    assert lines[25:28] == ["", "step 2 of 12", "step-1 level-0 line-8"]
    assert "\x1b" not in "".join(lines)


@pytest.mark.slow
def test_who_prints_does_not_wait_for_textual() -> None:
    script = f"{SCRIPT}; import sys, gpubfs.cli.trace; print('textual' in sys.modules)"
    shown = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, env=environment()
    )
    assert shown.stdout.decode().splitlines()[-1] == "False"


@pytest.mark.slow
def test_the_size_of_frames_in_a_pipe() -> None:
    lines = printed(COLUMNS="50", LINES="12")
    assert lines[12] == "50x12".rjust(50)
    assert "80x24".rjust(80) in printed(COLUMNS="wide", LINES="0")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
@pytest.mark.parametrize("lines", sampled(["2", "200"], 2))
def test_a_reader_that_goes_ends_it_quietly(lines: str) -> None:
    pipe = subprocess.PIPE
    size = environment(LINES=lines)  # less than a buffer, and more
    with subprocess.Popen(PRINT, stdout=pipe, stderr=pipe, env=size) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_a_console_says_how_large_frames_are() -> None:
    file = io.StringIO()
    print_frames(Toy(), console=Console(file=file, width=44, height=11))
    assert "44x11".rjust(44) in file.getvalue().splitlines()


@pytest.mark.parametrize("at", [30, 60])
def test_what_is_printed_for_ascii_tells_lanes_apart(at: int) -> None:
    show = searches.scan_free()
    wide, ascii_only = (
        page(show, at, Console(file=io.TextIOWrapper(io.BytesIO(), encoding=code), width=80))
        for code in ("utf-8", "ascii")
    )
    assert ascii_only.isascii()
    assert ascii_only.count("?") == wide.count("?")
    assert ascii_only.count("#") - wide.count("#") == wide.count("■")


@pytest.mark.parametrize(("step", "at"), [(None, 0), (2, 2)])
def test_what_is_said_of_a_run_stands_where_it_is_about_or_at_the_first(
    step: int | None, at: int
) -> None:
    said = Remark("a[1] is wrong"), Remark("nothing writes a[1]", step)
    traced = LaunchTrace(searches.launches().launches, "odd elements", remarks=said)
    written = io.StringIO()
    print_frames(traced, console=Console(file=written, width=80, height=24))
    frames = written.getvalue().split("\nstep ")
    assert ["nothing writes a[1]" in frame for frame in frames].index(True) == at
    assert written.getvalue().count("a[1] is wrong") == 1
