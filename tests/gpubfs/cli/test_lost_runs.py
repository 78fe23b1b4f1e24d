"""From a lost case to its reason: what the command that `gpubfs grade` prints opens."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pytest

from tests.gpubfs.grading.doubling import exercise, submission

LESSONS = Path(__file__).parents[3] / "lessons"
LOST = Path(__file__).parent / "lost"
Call = Callable[..., tuple[int, str, str]]


@dataclass
class Shown:
    """A trace as JSON has it, and how it is printed.

    Steps count from 1, and so do those of remarks.
    """

    data: dict[str, Any]
    printed: Call

    @cached_property
    def frame(self) -> str:
        """The first frame, which is that of the step where it goes wrong."""
        code, out, _ = self.printed()
        assert code == 0
        assert out.startswith(f"step {self.begin:,} of ")
        return out.partition("\n\n")[0]

    @property
    def begin(self) -> int:
        return int(self.data["wrong_step"])

    @property
    def reason(self) -> str:
        return " ".join(one["text"] for one in self.data["remarks"] if one["step"] is None)

    @property
    def remarks(self) -> list[tuple[int, str]]:
        found = [(one["step"], one["text"]) for one in self.data["remarks"]]
        return [(step, text) for step, text in found if step is not None]

    def step(self, number: int) -> dict[str, Any]:
        return dict(self.data["steps"][number - 1])

    def line(self, number: int) -> int:
        return int(self.step(number)["line"])


def shown(call: Call, folder: Path, file: Path, case: int) -> Shown:
    """Grade a file, and run exactly the command that is printed below a case."""
    code, out, _ = call("grade", file, "--exercise", folder)
    assert code == 1
    lines = [line.partition("see it")[2] for line in out.splitlines() if "see it" in line]
    found = [shlex.split(line)[1:] for line in lines]
    command = next(c for c in found if c[c.index("--case") + 1] == str(case))
    code, data, _ = call(*command, "--json", "--all")
    assert code == 0
    return Shown(json.loads(data), partial(call, *command))


def of_lesson(call: Call, name: str, file: str, case: int) -> Shown:
    lesson, _, slug = name.partition("/")
    return shown(call, LESSONS / lesson / "exercises" / slug, LOST / file, case)


@pytest.mark.slow
def test_of_a_race_both_accesses_are_shown(call: Call) -> None:
    found = of_lesson(call, "00-warp/sum", "race.cu", 4)
    assert "race on warp_sums[1]" in found.reason
    (read, first), (write, second) = found.remarks
    assert first == "block (0, 0, 0), thread (0, 0, 0) reads warp_sums[1], line 21"
    assert second == "block (0, 0, 0), thread (32, 0, 0) writes warp_sums[1], line 17"
    assert found.begin == read
    assert found.line(read) == 21
    assert 0 in found.step(read)["lanes"]
    assert found.line(write) == 17
    assert 32 in found.step(write)["lanes"]
    # Of the turns of the reading loop it is the second one, which reads element 1.
    assert [found.line(step) for step in range(1, read)].count(21) == 1
    assert "✗ here: block (0, 0, 0), thread (0, 0, 0) reads warp_sums[1]" in found.frame
    assert f"✗ step {write}: block (0, 0, 0), thread (32, 0, 0) writes" in found.frame


@pytest.mark.slow
def test_of_a_result_that_is_wrong_in_some_orders_the_race_is_shown(call: Call) -> None:
    found = of_lesson(call, "00-warp/sum", "race.cu", 2)
    assert "right in lockstep, but not in the order warp" in found.reason
    assert "race on warp_sums[1]" in found.reason
    assert found.line(found.begin) == 22
    lines = {text.rpartition(" ")[2]: found.line(step) for step, text in found.remarks}
    assert lines == {"last": 22, "17": 17, "21": 21}


def endless(found: Shown, lines: set[int], lanes: str) -> None:
    assert "no end" in found.reason or "livelock" in found.reason
    (turn, first), (last, second) = found.remarks
    assert (found.begin, last) == (len(found.data["steps"]), last)
    assert "from here on lines" in first
    assert {found.line(step) for step in range(turn, last)} == lines
    assert found.line(turn - 1) not in lines or found.line(turn) == min(lines)
    assert second.startswith(f"{lanes} never left the loop")
    assert "never left the loop" in found.frame


def test_of_an_endless_loop_the_lines_that_repeat_are_shown(call: Call, tmp_path: Path) -> None:
    text = """extern "C" __global__ void twice(const int *in, volatile int *out, int size) {
  int i = threadIdx.x;
  while (out[i] == 0) {
    if (in[i] > 2)
      out[i] = 2 * in[i];
  }
}
"""
    home = exercise(tmp_path).folder
    found = shown(call, home, submission(tmp_path, text), 1)
    endless(found, {3, 4}, "lanes 0-2")


@pytest.mark.slow
def test_of_an_endless_loop_of_a_lesson_the_lines_that_repeat_are_shown(call: Call) -> None:
    found = of_lesson(call, "02-memory/frontier-edges", "endless.cu", 1)
    endless(found, {7, 8}, "lanes 2, 4, 7")


def test_of_parted_lanes_the_branch_and_its_ways_are_shown(call: Call) -> None:
    found = of_lesson(call, "00-warp/one-way", "parted.cu", 2)
    assert "idle_share is 0.51, more than 0.33" in found.reason
    (branch, what), *ways = found.remarks
    assert found.begin == branch
    assert found.line(branch) == 7
    assert "lanes part at `i % 4 == 0`, line 7" in what
    assert len(found.step(branch)["lanes"]) == 128
    alone = {text.partition(" alone, ")[2]: text for _, text in ways}
    assert {"lines 8-9; 24 wait", "lines 11-12; 24 wait", "lines 17-18; 24 wait"} <= {*alone}
    assert alone["lines 8-9; 24 wait"].startswith("lanes 0, 4, 8, 12, 16, 20, 24, 28 alone")
    assert [found.line(step) for step, _ in ways] == [8, 10, 11, 13, 14, 17]


@pytest.mark.slow
def test_grade_says_at_which_branches_lanes_part(call: Call) -> None:
    folder = LESSONS / "00-warp" / "exercises" / "one-way"
    _, out, _ = call("grade", LOST / "parted.cu", "--exercise", folder)
    assert "parted.cu:7:9: cost: 192 of 576 divergent_branches" in out


@pytest.mark.slow
def test_of_a_write_beyond_the_end_the_lane_is_shown(call: Call) -> None:
    found = of_lesson(call, "00-warp/reverse", "beyond.cu", 2)
    assert "writes out[384], but out has 384 elements" in found.reason
    assert found.remarks == [(5, "lane 31 stops in line 6")]
    assert found.begin == 5
    assert "block 2, warp 3: 32 of 32 lanes stopped" in found.frame


@pytest.mark.slow
def test_of_a_barrier_those_are_shown_that_do_not_come(call: Call) -> None:
    found = of_lesson(call, "03-frontier-queues/block-tail", "barrier.cu", 2)
    assert "a barrier that 70 of 128 threads reach" in found.reason
    (at, waiting), (since, gone) = found.remarks
    assert waiting == "threads 0-69 of block 0 wait at the barrier of line 16"
    assert gone == "threads 70-127 of block 0 go another way: v < vertices is false, line 13"
    assert (found.begin, found.line(at), found.line(since)) == (at, 16, 13)
    assert "lanes stopped" in found.frame
    assert "leave the barrier" not in found.frame


@pytest.mark.slow
def test_of_a_wrong_level_its_last_write_is_shown(call: Call) -> None:
    found = of_lesson(call, "01-levels/expand", "level.cu", 4)
    assert "vertex 85 has level 1, but no neighbour of it is at level 0" in found.reason
    assert found.remarks == [(found.begin, "level[85] is written last")]
    assert found.line(found.begin) == 12


@pytest.mark.slow
def test_of_a_limit_the_launch_with_most_of_it_is_shown(call: Call) -> None:
    found = of_lesson(call, "01-levels/expand", "level.cu", 3)
    assert "merged_load_requests is 510, more than 400" in found.reason
    words = "the largest part of it is of line 10, `neighbours[e]`: 143 of 510 merged_load_requests"
    assert found.remarks == [(found.begin, words)]
    assert found.line(found.begin) == 10
    assert found.step(found.begin)["level"] > 0
