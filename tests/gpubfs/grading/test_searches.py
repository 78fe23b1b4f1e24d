"""Searches with a kernel that was handed in: what is wrong though all levels are right."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import simulator
from gpubfs.grading.kinds.kernel import KernelKind, SearchRun
from gpubfs.grading.loading import load
from gpubfs.kernels import KERNELS
from simulator.source import Span

LESSONS = Path(__file__).parents[3] / "lessons"
EXPAND = LESSONS / "01-levels" / "exercises" / "expand"

ALL_AT_ONCE = """
extern "C" __global__ void status_array(const int *offsets, const int *neighbours, int *level,
                                        int vertices, int depth, int *found) {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  for (int d = 0; d < vertices; d++)
    for (int v = 0; v < vertices; v++)
      for (int e = offsets[v]; level[v] == d && e < offsets[v + 1]; e++)
        if (level[neighbours[e]] < 0) level[neighbours[e]] = d + 1;
}
"""


def test_one_launch_for_all_levels_is_told(tmp_path) -> None:
    exercise = load(EXPAND)
    file = tmp_path / "submission.cu"
    case = dataclasses.replace(exercise.cases[0], schedules=("lockstep",), limits={})
    file.write_text(ALL_AT_ONCE)
    lost = KernelKind(exercise, file).grade_case(case, 1)
    words = "level 1 was found, but no launch expands it: each expands one level"
    assert (lost.reason, lost.message) == ("result", words)
    file.write_text((KERNELS / "status_array.cu").read_text())
    (tmp_path / "csr.cuh").write_text((KERNELS / "csr.cuh").read_text())
    assert KernelKind(exercise, file).grade_case(case, 1) is None


def test_a_search_that_never_ends_is_stopped_soon_behind_the_last_vertex(tmp_path: Path) -> None:
    exercise = load(EXPAND)
    file = tmp_path / "submission.cu"
    code = (KERNELS / "status_array.cu").read_text("utf-8")
    (tmp_path / "csr.cuh").write_text((KERNELS / "csr.cuh").read_text())
    file.write_text(
        code.replace("if (v >= vertices) return;", "*found = 1;\nif (v >= vertices) return;")
    )
    given = {"graph": "star:5000", "source": 0}
    case = dataclasses.replace(
        exercise.cases[0], schedules=("lockstep",), given=given, limits={}, steps=1 << 25
    )
    lost = KernelKind(exercise, file).grade_case(case, 1)
    words = "level 128 is expanded, but no vertex is farther than 1 from the source"
    assert lost is not None
    assert lost.message == words


def test_only_what_is_handed_in_runs_in_another_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exercise = load(LESSONS / "02-memory" / "exercises" / "scan-together")
    file = tmp_path / "submission.cu"
    file.write_text(exercise.solution.read_text("utf-8"), encoding="utf-8")
    for name in exercise.includes:
        (tmp_path / name).write_text((KERNELS / name).read_text("utf-8"), encoding="utf-8")
    found: dict[str, set[str]] = {}
    asked = simulator.Device.schedule_of

    def schedule_of(device: simulator.Device, kernel: Span) -> str:
        schedule = asked(device, kernel)
        found.setdefault(Path(kernel.source.name).name, set()).add(schedule)
        return schedule

    monkeypatch.setattr(simulator.Device, "schedule_of", schedule_of)
    failure, *_ = SearchRun(exercise, file, exercise.cases[0], 0)("random:1", "race", False)
    assert failure is None
    assert found.pop("submission.cu") == {"random:1"}
    assert found
    assert set().union(*found.values()) == {"lockstep"}
