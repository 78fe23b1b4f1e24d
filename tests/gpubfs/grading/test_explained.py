"""What is said of a lost run is true of the steps that it points at."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpubfs.grading.limits.costs import Part, largest_launch
from gpubfs.grading.steps.rerun import opened
from gpubfs.grading.steps.watching import RunTrace
from tests.gpubfs.grading.doubling import PROBLEM, TOML, exercise, submission

HEAD = 'extern "C" __global__ void twice(const int *in, int *out, int size) {\n'


def traced(folder: Path, body: str, more: str, size: int = 64, block: int = 32) -> RunTrace:
    """A second case that is lost, with limits or sanitizers."""
    second = f"[[cases]]\nname = 'second'\npoints = 1\ngiven = {{ size = {size} }}\n{more}\n"
    problem = PROBLEM.replace("1, 32", f"1, {block}")
    made = exercise(folder, problem, TOML + second)
    with opened(made, submission(folder, f"{HEAD}{body}\n}}\n"), "second") as found:
        return found.watched.traced()


def remarks(found: RunTrace) -> list[tuple[int, str]]:
    return [(remark.at, remark.text) for remark in found.remarks if remark.at is not None]


def test_of_accesses_in_a_loop_those_are_shown_that_no_barrier_orders(tmp_path: Path) -> None:
    body = """  __shared__ int tile[64];
  int i = threadIdx.x;
  for (int turn = 0; turn < 3; turn++) {
    tile[i] = in[i];
    __syncthreads();
    out[i] = 2 * tile[i] + 0 * tile[size - 1 - i];
    if (turn == 0) __syncthreads();
  }"""
    found = traced(tmp_path, body, 'sanitize = "race"', block=64)
    first, second = sorted(at for at, _ in remarks(found))
    assert found.begin in (first, second)
    assert {found.lines[at] for at in (first, second)} == {5, 7}
    between = [found.step(at) for at in range(first, second)]
    assert not any("__syncthreads" in step.focus.text for step in between)


RETURNED = """  int i = threadIdx.x;
  if (i >= size) return;
  int sum = 0;
  for (int turn = 0; turn < 20; turn++) sum += turn;
  out[i] = 2 * in[i] + 0 * sum;"""


@pytest.mark.parametrize("limit", ["warp_steps = 30", "idle_share = 0.1"])
def test_lanes_that_have_returned_do_not_wait(tmp_path: Path, limit: str) -> None:
    found = traced(tmp_path, RETURNED, f"limits = {{ {limit} }}", 5)
    assert "more than" in found.remarks[0].text
    for at, text in remarks(found):
        step = found.step(at)
        waiting = re.search(r"; (\d+) wait", text)
        if waiting:
            assert int(waiting[1]) + step.lanes.size <= 32
            assert "return" in step.focus.text, text
        assert "5 wait" not in text or "return" in step.focus.text


def test_of_steps_that_no_parting_costs_the_dearest_line_is_shown(tmp_path: Path) -> None:
    found = traced(tmp_path, RETURNED, "limits = { warp_steps = 30 }", 5)
    ((at, words),) = remarks(found)
    assert found.lines[at] == 5
    assert re.fullmatch(r"most of it is of line 5: \d+ of \d+ warp_steps", words)


def test_what_is_less_than_half_is_not_most_of_it(tmp_path: Path) -> None:
    body = """  int i = threadIdx.x;
  if (i < size) out[i] = in[i];
  if (i < size) out[i] += in[i];
  if (i < size) out[i] += 0 * in[i];"""
    found = traced(tmp_path, body, "limits = { load_requests = 2 }", 32)
    ((_, words),) = remarks(found)
    count, whole = map(int, re.findall(r"(\d+) of (\d+) load_requests", words)[0])
    assert words.startswith("most" if 2 * count > whole else "the largest part of it is of line")
    parts = [Part(name, {"branches": 2}) for name in "fgh"]
    assert largest_launch("branches", parts).startswith("the largest part of it in launch 1 of 3")


def test_of_a_trace_that_is_full_the_lines_that_repeat_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simulator.observe.trace.recorder.MOST_STEPS", 300)
    body = """  int i = threadIdx.x, turn = 0;
  while (turn < 900) {
    turn++;
  }
  if (i < size) out[i] = 3 * in[i];"""
    found = traced(tmp_path, body, "")
    assert found.cut
    (turn, first), (last, second) = remarks(found)
    assert re.match(r"from here on lines 3-4 repeat, \d+ times until the trace is full", first)
    assert (last, second) == (len(found) - 1, "the trace ends: it can hold no more steps")
    assert {found.lines[at] for at in range(turn, last)} == {3, 4}
