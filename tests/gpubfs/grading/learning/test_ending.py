"""Grading that is ended from outside: at once, and its process with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpubfs.grading import load
from gpubfs.grading.processes import sandbox
from gpubfs.grading.processes.starting import Process

REVERSE = Path(__file__).parents[4] / "lessons/00-warp/exercises/reverse"


class EndError(Exception):
    """What the test raises."""


@pytest.mark.slow
@pytest.mark.parametrize("after", [0, 2])
def test_what_is_raised_meanwhile_ends_the_process(
    after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, calls = list[Process](), 0
    start = sandbox._started

    def remembered(variables: dict[str, str]) -> Process:
        started.append(start(variables))
        return started[-1]

    def tick() -> None:
        nonlocal calls
        calls += 1
        if calls > after:
            raise EndError

    monkeypatch.setattr(sandbox, "_started", remembered)
    with pytest.raises(EndError):
        sandbox.grade(load(REVERSE), tick=tick)
    assert calls == after + 1
    assert [process.wait() for process in started] == [-9]
