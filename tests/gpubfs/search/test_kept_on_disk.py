"""Searches whose kernels are kept on disk: the same results, counters and traces, and sooner."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gpubfs
from gpubfs.grading.loading import load
from gpubfs.grading.processes.sandbox import grade
from tests.gpubfs.show.traces.recording import RECORDED, recording
from tests.sampling import sampled
from tests.simulator.program.disk import disk
from tests.timing import allowed

COMMAND = [sys.executable, "-m", "gpubfs", "run", "scan-free", "--graph", "toy"]
LESSONS = Path(__file__).parents[3] / "lessons"


def outcome(name: str) -> str:
    """What a run tells, but for its time."""
    told = gpubfs.run(name, "grid:9x7", device="toy8", sanitize="all").as_dict()
    return json.dumps(timeless(told))


def timeless(told: Any) -> Any:
    """The same without what depends on the clock."""
    if isinstance(told, list):
        return [timeless(one) for one in told]
    if not isinstance(told, dict):
        return told
    return {key: timeless(one) for key, one in told.items() if key not in ("seconds", "mteps")}


@pytest.mark.parametrize("name", sampled(gpubfs.techniques(), 12))
def test_a_run_is_the_same(name: str, tmp_path: Path) -> None:
    plain = outcome(name)
    with disk(tmp_path / "cache") as kept:
        cold, read, compiled = kept.anew(lambda: outcome(name))
        assert read > 0
        assert compiled > 0
        assert cold == plain
        assert kept.anew(lambda: outcome(name)) == (plain, 0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", sampled(RECORDED, 28))
def test_a_trace_is_the_same(name: str, tmp_path: Path) -> None:
    plain = recording(name)
    with disk(tmp_path / "cache") as kept:
        assert kept.anew(lambda: recording(name))[0] == plain
        assert kept.anew(lambda: recording(name)) == (plain, 0, 0)


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "GPUBFS_CACHE": str(folder)}


@pytest.mark.slow
def test_two_processes_at_once(tmp_path: Path) -> None:
    """Each makes the parser's tables and the kernel, or takes what the other one has made."""
    run = [*COMMAND, "--json"]
    for _ in range(3):
        both = [
            subprocess.Popen(run, stdout=subprocess.PIPE, env=environment(tmp_path))
            for _ in range(2)
        ]
        told = [json.loads(process.communicate()[0]) for process in both]
        assert [process.returncode for process in both] == [0, 0]
        assert told[0]["counters"] == told[1]["counters"]
        assert told[0]["sites"] == told[1]["sites"]
    assert {file.suffix for file in tmp_path.iterdir()} == {".kept", ".tables"}


@pytest.mark.slow
def test_the_second_run_is_sooner(tmp_path: Path) -> None:
    """It takes less than half of the time of the processor that it takes to compile, and 1.2 s."""

    def seconds(cache: str) -> float:
        variables = {**os.environ, "GPUBFS_CACHE": cache}
        variables.pop("PYTHONDONTWRITEBYTECODE", None)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(COMMAND, env=variables, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return sum(getattr(after, x) - getattr(before, x) for x in ("ru_utime", "ru_stime"))

    seconds(str(tmp_path))
    warm = min(seconds(str(tmp_path)) for _ in range(5))
    assert warm < min(seconds("off") for _ in range(2)) / 2
    assert warm < allowed(1.2)


@pytest.mark.slow
def test_grading_keeps_no_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    exercise = load(LESSONS / "00-warp" / "exercises" / "reverse")
    grade(exercise, secret="")
    place = tmp_path / ".cache" / "gpubfs"
    assert [file.suffix for file in place.iterdir()] == [".tables"]
