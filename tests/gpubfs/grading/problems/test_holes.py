"""Places of a queue that were reserved and never written: feedback says which, and by whom."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from gpubfs.errors import UsageError
from gpubfs.grading import Launch, Problem, Queue, Unwritten, load
from gpubfs.grading.outcome import Failure
from gpubfs.grading.processes.worker import outcomes

ROOT = Path(__file__).parents[4]
CLAIM = "03-frontier-queues/claim"
TWICE, DFQ = "03-frontier-queues/twice", "04-dfq/fewer-atomics"


def lost(exercise: str, file: Path, case: str, secret: str = "") -> Failure | None:
    lesson, slug = exercise.split("/")
    one = load(ROOT / "lessons" / lesson / "exercises" / slug)
    (found,) = outcomes(one, file, [case], secret)
    return found.failure


def planted(exercise: str, name: str) -> Path:
    return ROOT / "tests/lessons/submissions" / exercise / name


def test_a_place_that_is_taken_and_not_written() -> None:
    """Its blocks do not copy the last vertex that they have found."""
    failure = lost(TWICE, planted(TWICE, "off_by_one.cu"), "four threads")
    assert failure
    assert (failure.reason, failure.message[:21]) == ("result", "next, sorted, differs")
    assert failure.detail.startswith(
        "A hole in the queue: next_size has reserved 6 places of next, "
        "and nothing has written next[5].\n"
    )


def test_how_many_there_are() -> None:
    failure = lost(TWICE, planted(TWICE, "one_copy_each.cu"), "no races")
    assert failure
    assert "nothing has written 64 of them, of which next[128] is the first" in failure.detail


def test_a_hole_of_another_order_is_no_missing_bounds_check() -> None:
    """Places given back are behind others: their -1 is visited, and is no vertex."""
    file = planted(DFQ, "reach_of_the_given_back.cu")
    failure = lost(DFQ, file, "some warps are refused, others come after them")
    assert failure
    assert "reads offsets[-1]" in failure.message
    assert "A hole in the queue: sizes[6] has reserved 23 places of sub_queues" in failure.detail
    assert "bounds check" not in failure.detail


def test_where_all_places_are_written_there_is_none() -> None:
    failure = lost(TWICE, planted(TWICE, "volatile.cu"), "blocks of one warp, shared neighbours")
    assert failure is None or "hole" not in failure.detail
    failure = lost(TWICE, planted(TWICE, "past_the_end.cu"), "four threads")
    assert failure
    assert "hole" not in failure.detail
    assert "bounds check" in failure.detail


def test_a_search_that_reads_a_place_which_its_counter_counts() -> None:
    failure = lost(CLAIM, planted(CLAIM, "off_by_one.cu"), "five leaves")
    assert failure
    assert "reads frontier[0], which nothing has written" in failure.message
    assert "next_size said that it has 5 entries" in failure.detail
    assert "nothing into place 0" in failure.detail
    assert "Fill it from the host" not in failure.detail


def test_a_search_that_reads_behind_what_is_counted(tmp_path: Path) -> None:
    solution = (ROOT / "lessons/03-frontier-queues/exercises/claim/solution.cu").read_text()
    file = tmp_path / "mine.cu"
    file.write_text(solution.replace("i >= frontier_size", "i > frontier_size"))
    failure = lost(CLAIM, file, "five leaves")
    assert failure
    assert "hole" not in failure.detail


def test_of_a_hidden_case_no_place_is_told() -> None:
    failure = lost(TWICE, planted(TWICE, "off_by_one.cu"), "any names", secret="s")
    assert failure
    assert "next" not in failure.message + failure.detail


KERNEL = """extern "C" __global__ void gather(int *queue, int *size, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  int place = atomicAdd(size, 1);
  if (i % 4) queue[place] = i;
}
"""
EXERCISE = """
title = "Gather"
kind = "write"
hints = ["one", "two"]
[[cases]]
name = "a"
points = 1
{more}
"""
MAKE = """
import numpy as np
from gpubfs.grading import Launch, Problem, Queue, Unwritten

def make(rng):
    return Problem(
        arrays={{"queue": {queue}, "size": np.zeros(1, np.int32)}},
        launches=(Launch("gather", {grid}, 32, ("queue", "size", 9)),),
        check=lambda found: "it is wrong",
        queues=(Queue("queue", "size"),),
    )
"""


@pytest.mark.parametrize(
    ("queue", "grid", "more", "told"),
    [
        ("Unwritten(64)", 1, "", True),
        ("Unwritten(64)", 1, 'sanitize = "all"', True),
        ("np.full(64, -1, np.int32)", 1, "", True),
        ("np.zeros(64, np.int32)", 1, "", False),  # an entry may be 0
        ("Unwritten(9216)", 1024, 'schedules = ["lockstep"]', False),  # too much to do it again
    ],
)
def test_what_a_queue_holds_at_the_start(
    tmp_path: Path, queue: str, grid: int, more: str, told: bool
) -> None:
    (tmp_path / "exercise.toml").write_text(EXERCISE.format(more=more))
    (tmp_path / "problem.py").write_text(MAKE.format(queue=queue, grid=grid))
    (tmp_path / "mine.cu").write_text(KERNEL)
    (found,) = outcomes(load(tmp_path), tmp_path / "mine.cu", ["a"], "")
    assert found.failure
    assert found.failure.message == "it is wrong"
    is_blank = queue.startswith("np")
    how = "as at the start, there is still -1 in" if is_blank else "nothing has written"
    words = f"size has reserved 9 places of queue, and {how} 3 of them"
    assert (words in found.failure.detail) == told


def test_a_queue_names_arrays_that_are_there() -> None:
    arrays = {"next": Unwritten(4), "size": np.zeros(1, np.int32)}
    launches = (Launch("f", 1, 32, ("next",)),)
    good = Problem(arrays, launches, queues=(Queue("next", "size"),))
    assert good.queues[0].capacity is None
    for queues, words in (
        ((Queue("nxt", "size"),), "did you mean next"),
        (Queue("next", "size"), "no tuple of Queue"),
    ):
        with pytest.raises(UsageError) as refused:
            dataclasses.replace(good, queues=queues)
        assert words in str(refused.value)
