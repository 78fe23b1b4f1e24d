"""explore: one program under many schedules, and what it says about them."""

from __future__ import annotations

import numpy as np
import pytest

import simulator

LOST = """extern "C" __global__ void k(int *count) {
  if (threadIdx.x == 0) for (int i = 0; i < 20; i++) *count = *count + 1;
}"""


def program(text: str, grid: int = 4, block: int = 32) -> simulator.ndarray:
    kernel = simulator.RawKernel(text, "k")
    count = simulator.zeros(1, "int32")
    kernel((grid,), (block,), (count,))
    return count


def test_a_correct_program_agrees_under_every_schedule() -> None:
    found = simulator.explore(
        lambda: program(LOST.replace("*count = *count + 1", "atomicAdd(count, 1)"))
    )
    assert found.agree
    assert found.differences == []
    assert [o.schedule for o in found.outcomes][:4] == [
        *("lockstep", "warp", "shuffled:0", "round-robin:0")
    ]
    assert len(found.outcomes) == 20
    assert {int(o.results["result"][0]) for o in found.outcomes} == {80}
    assert found.spread["atomic_lanes"] == (80, 80)
    assert str(found).startswith("20 schedules: the results agree")


def test_a_lost_update_is_named_with_its_schedule() -> None:
    found = simulator.explore(lambda: program(LOST), ["warp", "random:1"])
    assert not found.agree
    ((difference),) = found.differences
    assert difference.startswith("random:1: result[0] is ")
    assert difference.endswith(", not 80 as under warp")


def test_a_fault_is_a_difference_and_the_others_are_kept() -> None:
    waits = """extern "C" __global__ void k(int *count) { while (*count == 0) ; }"""
    found = simulator.explore(lambda: program(waits), 3)
    assert [o.error is not None for o in found.outcomes] == [True] * 3
    assert all("livelock" in difference for difference in found.differences)
    assert found.spread == {}
    assert str(found).startswith("3 schedules: all fail")


def test_counters_that_spread_are_listed() -> None:
    claim = """extern "C" __global__ void k(int *count) {
      if (*count == 0) atomicCAS(count, 0, 1);
    }"""
    found = simulator.explore(lambda: program(claim), 12)
    assert found.agree
    low, high = found.spread["atomic_lanes"]
    assert low < high <= 128
    assert f"atomic_lanes     {low:,} to {high:,}" in str(found)
    assert "all other counters agree" in str(found)


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        (lambda: None, []),
        (lambda: np.arange(3), ["result"]),
        (lambda: (1, simulator.zeros(2)), ["result 0", "result 1"]),
        (lambda: {"a": [1.0, float("nan")]}, ["a"]),
    ],
)
def test_results_of_any_shape_are_compared(answer: object, names: list[str]) -> None:
    found = simulator.explore(answer, 2)  # type: ignore[arg-type]
    assert found.agree
    assert [list(o.results) for o in found.outcomes] == [names, names]


def test_no_schedules_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one schedule"):
        simulator.explore(lambda: None, [])
    with pytest.raises(simulator.SimulatorError, match="there is no schedule"):
        simulator.explore(lambda: None, ["backwards"])


def test_what_fails_everywhere_does_not_differ() -> None:
    def program() -> None:
        simulator.RawKernel('extern "C" __global__ void k() { __trap(); }', "k")((1,), (1,), ())

    assert str(simulator.explore(program, 2)).startswith("2 schedules: all fail\n")
    assert str(simulator.explore(lambda: None, 1)).startswith("1 schedule: the results agree")
    with pytest.raises(ValueError, match="at least one"):
        simulator.explore(program, -1)
