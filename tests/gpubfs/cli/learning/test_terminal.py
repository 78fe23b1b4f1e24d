"""`gpubfs learn` on a real terminal: keys, saves, and how it is left."""

from __future__ import annotations

import os
import re
import shutil
import signal
from pathlib import Path

import pytest

from tests.gpubfs.cli.learning.terminal import Learning

LESSONS = Path(__file__).parents[4] / "lessons"
pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs pseudo-terminals")


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """One exercise of two, as students get them."""
    for slug in ("reverse", "sum"):
        folder = tmp_path / "00-warp" / "exercises" / slug
        folder.mkdir(parents=True)
        for name in ("exercise.toml", "problem.py", "starter.cu"):
            shutil.copy(LESSONS / "00-warp/exercises" / slug / name, folder)
        (folder / "starter.cu").write_text("??\n")
    return tmp_path


def gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return Path(f"/proc/{process}/stat").read_text().split()[2] == "Z"


def test_a_session(course: Path) -> None:
    with Learning(course, "reverse") as terminal:
        terminal.shows("points", "q quit")
        assert terminal.is_raw()
        terminal.press("right", "h")  # an arrow is no h, p or l
        terminal.shows("hint 1 of 3")
        file = course / "00-warp/exercises/reverse/starter.cu"
        new = file.with_name(".new")
        new.write_text("right\n")
        new.replace(file)
        terminal.shows("Done. Press n for the next: Add up a block")
        terminal.press("n")
        terminal.shows("watching  00-warp/exercises/sum/starter.cu", "q quit")
        terminal.press("q")
        assert terminal.ends() == 0
        assert terminal.settings == terminal.before


@pytest.mark.slow
def test_a_narrow_terminal_that_can_only_print(course: Path) -> None:
    (course / "00-warp/exercises/sum/starter.cu").write_text("? wait\n")
    with Learning(course, columns=40, rows=60, TERM="dumb", LC_ALL="C") as terminal:
        terminal.shows("sleeps in ")
        process = int(re.search(r"sleeps in (\d+)", "\n".join(terminal.lines))[1])
        terminal.press("n")  # ends grading
        terminal.shows("Reverse a tile", "q quit")
        terminal.until(lambda: gone(process))
        terminal.press("p")
        terminal.until(lambda: "\n".join(terminal.lines).count("sleeps in") == 2)
        process = int(re.findall(r"sleeps in (\d+)", "\n".join(terminal.lines))[1])
        terminal.send(b"\x03")
        assert terminal.ends() == 130
        assert b"stopped" in terminal.raw
        assert gone(process)
        assert b"\x1b[2J" not in terminal.raw
        assert terminal.settings == terminal.before


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.slow)]
)
def test_signals_end_it_in_order(number: signal.Signals, course: Path) -> None:
    with Learning(course) as terminal:
        terminal.shows("q quit")
        terminal.process.send_signal(number)
        assert terminal.ends() == 128 + number
        assert terminal.settings == terminal.before


@pytest.mark.slow
def test_a_trace_and_back_again(course: Path) -> None:
    shutil.copy(
        LESSONS / "00-warp/exercises/reverse/starter.cu", course / "00-warp/exercises/reverse"
    )
    with Learning(course, "reverse", real=True, columns=100, rows=40) as terminal:
        terminal.shows("2 of 9 points", "q quit")
        terminal.press("t")
        terminal.shows("step")
        terminal.until(lambda: b"\x1b[?1049h" in terminal.raw)
        terminal.press("q")
        terminal.until(lambda: b"\x1b[?1049l" in terminal.raw)
        terminal.press("h")
        terminal.until(lambda: b"hint 1 of 3" in terminal.raw)
        terminal.press("q")
        assert terminal.ends() == 0
        assert terminal.settings == terminal.before
