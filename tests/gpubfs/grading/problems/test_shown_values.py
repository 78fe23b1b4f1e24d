"""Elements of wrong results: masks in hexadecimal; what nothing has written, as traces show it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpubfs.grading.problems.problem import Launch, Problem, compare
from gpubfs.grading.processes.sandbox import grade
from gpubfs.grading.steps.rerun import opened
from gpubfs.machines.unwritten import unwritten
from gpubfs.show.traces.files.viewer.cells import Codes
from gpubfs.show.traces.frames.lanes import shown
from simulator.execute.wave import POISON
from tests.gpubfs.grading.doubling import PROBLEM, TOML, exercise, submission

WORDS = "? (what memory holds that nothing has written)"
COPIES = """
extern "C" __global__ void twice(const int *in, int *out, int size) {
  __shared__ int tile[32];
  if (threadIdx.x < size / 2) tile[threadIdx.x] = 2 * in[threadIdx.x];
  out[threadIdx.x] = tile[threadIdx.x];
}
"""


def told(wanted: np.ndarray, held: np.ndarray, **more: tuple[str, ...]) -> tuple[str, str]:
    """What is said of the first element that is wrong: expected, and got."""
    start = {"a": np.full_like(wanted, 7)}
    problem = Problem(start, (Launch("f", 1, 32, ("a",)),), {"a": wanted}, **more)  # type: ignore[arg-type]
    return compare(problem, {"a": held})[1:]


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "uint32", "int64", "uint64"])
@given(data=st.data())
def test_a_mask_is_shown_in_all_of_its_bits(dtype: str, data: st.DataObject) -> None:
    most = np.iinfo(dtype)
    numbers = st.integers(int(most.min), int(most.max)).filter(
        lambda n: n != 7 and not unwritten(np.array(n, dtype))
    )
    wanted, held = data.draw(st.lists(numbers, min_size=2, max_size=2, unique=True))
    texts = told(np.array([wanted], dtype), np.array([held], dtype), masks=("a",))
    for text, number in zip(texts, (wanted, held), strict=True):
        bits, decimal = text.partition(" (")[0].split(" = ")
        assert len(bits) == 2 + most.bits // 4
        assert int(bits, 16) == number % (1 << most.bits)
        assert int(decimal) == number


def test_numbers_that_are_no_masks_are_decimal() -> None:
    assert told(np.array([5]), np.array([6])) == ("5", "6")


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "float32", "float64"])
def test_what_nothing_has_written_is_the_same_in_feedback_and_traces(dtype: str) -> None:
    bare = np.frombuffer(bytes([POISON] * 8), dtype)[:1]
    assert told(np.ones(1, dtype), bare) == (str(np.dtype(dtype).type(1)), WORDS)
    assert shown(bare[0]) == "?"
    codes = Codes()
    assert codes.of(bare).tolist() == [codes.unknown]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "float16"])
def test_short_numbers_may_be_the_same_by_chance(dtype: str) -> None:
    bare = np.frombuffer(bytes([POISON] * 2), dtype)[:1]
    assert told(np.ones(1, dtype), bare)[1].startswith(str(bare[0]))
    assert shown(bare[0]) not in ("?", "")


def test_a_copy_of_what_nothing_has_written_is_known(tmp_path: Path) -> None:
    made, file = exercise(tmp_path), submission(tmp_path, COPIES)
    (outcome,) = grade(made, file).outcomes
    assert outcome.failure is not None
    assert outcome.failure.got == WORDS
    with opened(made, file) as found:
        trace = found.watched.traced()
    last = [line.plain for line in trace.frame(len(trace) - 1, 140, 40)]
    (row,) = (line for line in last if line.startswith("out "))
    assert "*?" in row


def test_masks_are_declared_in_the_problem(tmp_path: Path) -> None:
    text = PROBLEM.replace("2 * values})", '2 * values}, masks=("out",))')
    made = exercise(tmp_path, text, TOML)
    (outcome,) = grade(made, submission(tmp_path, COPIES.replace("2 *", "3 *"))).outcomes
    assert outcome.failure is not None
    assert (outcome.failure.expected, outcome.failure.got) == ("0x00000002 = 2", "0x00000003 = 3")
