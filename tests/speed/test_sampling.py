"""Samples are told apart by the part of the project that they are in."""

from __future__ import annotations

import time
from types import FrameType

import pytest

import gpubfs
from tests.speed.__main__ import row, table
from tests.speed.sampling import ROOT, part_of, profile


def frame_in(file: str) -> FrameType:
    """Return a frame of code that says it stands in `file`."""
    names: dict[str, object] = {}
    exec(compile("import sys\ndef f():\n    return sys._getframe()", file, "exec"), names)
    found: FrameType = names["f"]()  # type: ignore[operator]
    return found


@pytest.mark.parametrize(
    ("file", "part"),
    [
        ("<scan_free compiled from scan_free.cu>", "kernel"),
        (f"{ROOT}/simulator/lanes/warp.py", "kernel"),
        (f"{ROOT}/simulator/observe/log.py", "counting"),
        (f"{ROOT}/simulator/execute/gang.py", "execution"),
        (f"{ROOT}/gpubfs/host.py", "launching"),
        ("/elsewhere/numpy/fromnumeric.py", ""),
    ],
)
def test_a_frame_is_in_the_part_of_its_file(file: str, part: str) -> None:
    assert part_of(frame_in(file)) == part


def test_of_a_queue_that_overflows_the_page_says_so() -> None:
    graph = gpubfs.graph("star:20000")
    assert table([row("hierarchical-queue", graph)]).splitlines()[-1] == (
        "| hierarchical-queue | overflows | – | – | – | – |"
    )


def test_work_is_repeated_for_its_time_and_sampled() -> None:
    done: list[float] = []

    def work() -> None:
        end = time.process_time() + 0.01
        while time.process_time() < end:
            pass
        done.append(end)

    least, found = profile(work, 0.1)
    assert len(done) >= 5
    assert 0.01 <= least < 1
    assert set(found) <= {""}
