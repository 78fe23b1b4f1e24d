"""Launches of any kernels, shown step by step."""

from __future__ import annotations

import pytest

import simulator
from gpubfs.errors import UsageError
from gpubfs.show.traces import LaunchTrace, Pair, of_launches

CODE = """
extern "C" __global__ void odd(int *level) {
  int i = threadIdx.x;
  if (i % 2) level[i] = 10 * level[i];
}
extern "C" __global__ void all(int *level) {
  level[threadIdx.x] += 1;
}
"""


def traced(*kernels: str) -> list[simulator.observe.trace.TracedLaunch]:
    with simulator.Device("toy4"), simulator.tracing() as found:
        module = simulator.RawModule(code=CODE)
        values = simulator.arange(4, dtype="int32")
        for kernel in kernels:
            module.get_function(kernel)((1,), (4,), (values,))
    return found.launches


def text(shown: LaunchTrace | Pair, at: int, width: int = 80) -> str:
    return "\n".join(line.plain for line in shown.frame(at, width, 30))


def test_a_frame_shows_masked_lanes_and_no_graph() -> None:
    shown = of_launches(traced("odd"), "odd elements")
    assert [shown.step(at).lanes.tolist() for at in range(3)] == [[0, 1, 2, 3]] * 2 + [[1, 3]]
    frame = text(shown, 2)
    assert frame.startswith("odd elements · odd<<<1, 4>>>")
    assert "2 of 4 lanes active" in frame
    assert "0, 2 masked since line 4 (i % 2 is false)" in frame
    # An array that is called as a search's status array is no status array here.
    assert "graph" not in frame


def test_keys_for_levels_lead_from_launch_to_launch() -> None:
    shown = of_launches(traced("odd", "all"))
    assert shown.title == "odd, all"
    assert shown.levels == [0, 0, 0, 1]
    assert shown.next_level(0) == 3
    assert shown.previous_level(3) == 0


def test_two_are_shown_side_by_side_and_as_a_slider() -> None:
    pair = Pair(of_launches(traced("odd")), of_launches(traced("all")))
    assert "odd<<<1, 4>>>" in text(pair, 0, 160)
    assert "all<<<1, 4>>>" in text(pair, 0, 160)
    assert "<iframe" in of_launches(traced("all"))._repr_html_()


def test_as_data_it_has_its_title_and_steps() -> None:
    data = of_launches(traced("all"), "all of them").as_dict()
    assert data["title"] == "all of them"
    assert [step["kernel"] for step in data["steps"]] == ["all"]


def test_without_a_launch_there_is_nothing_to_show() -> None:
    with pytest.raises(UsageError, match="no launch was traced"):
        of_launches([])
