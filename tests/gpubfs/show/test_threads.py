"""Pictures of threads over elements: they show what a kernel did, so that it can be read."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import simulator
from gpubfs.errors import UsageError
from gpubfs.show.threads import WIDTH, draw_threads, reached
from gpubfs.show.traces import of_launches
from gpubfs.show.traces.trace import LaunchTrace

CODE = """
extern "C" __global__ void both(const int *in, int *out, int n) {
  __shared__ int tile[4];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i;
  if (i < n) out[i] = in[2 * i + 1] + in[0] + tile[threadIdx.x];
}
"""
#: Pixels across of a telephone, and how high a letter must be there.
NARROW, HIGH = 360, 8


@pytest.fixture(scope="module")
def trace() -> LaunchTrace:
    with simulator.Device("toy4"), simulator.tracing() as record:
        a, b = simulator.arange(16, dtype="int32"), simulator.zeros(8, "int32")
        simulator.RawModule(code=CODE).get_function("both")((2,), (4,), (a, b, 6))
    return of_launches(record.launches)


def words(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def dashed(figure: Figure) -> int:
    boxes = [one for one in figure.axes[0].patches if isinstance(one, Rectangle)]
    return sum(one.get_linestyle() in ("--", "dashed") for one in boxes)


def test_what_threads_go_to_is_what_the_launch_did(trace: LaunchTrace) -> None:
    assert reached(trace, "out") == [[0], [1], [2], [3], [4], [5], [], []]
    assert [sorted(own) for own in reached(trace, "in")] == [
        *([0, 2 * thread + 1] for thread in range(6)),
        [],
        [],
    ]


def test_blocks_that_are_no_whole_warps_have_their_own_threads() -> None:
    with simulator.Device("toy4"), simulator.tracing() as record:
        a, b = simulator.arange(16, dtype="int32"), simulator.zeros(6, "int32")
        simulator.RawModule(code=CODE).get_function("both")((2,), (3,), (a, b, 6))
    assert reached(of_launches(record.launches), "out") == [[n] for n in range(6)]


def test_an_array_that_is_not_there_is_named(trace: LaunchTrace) -> None:
    with pytest.raises(UsageError, match="both has no array 'input'") as error:
        reached(trace, "input")
    assert "in, out" in str(error.value)


def test_threads_without_an_element_are_drawn_otherwise(trace: LaunchTrace) -> None:
    figure = draw_threads(reached(trace, "out"), 6, block=4, title="guarded")
    assert dashed(figure) == 2
    assert len(figure.axes[0].lines) == 6
    assert "block 0: 0 to 3; block 1: 4 to 7" in words(figure)[-1]


def test_rows_have_the_numbers_of_their_threads() -> None:
    figure = draw_threads([[0, 4], [1, 5], [2], []], 7, block=2, columns=4)
    assert words(figure)[:7] == ["0", "1", "2", "–", "0", "1", "–"]
    assert dashed(figure) == 2
    labelled = draw_threads([[0], [1]], 2, block=2, columns=2, labels=["0,0", "1,0"])
    assert words(labelled)[:2] == ["0,0", "1,0"]


def test_sectors_that_nobody_goes_to_say_so() -> None:
    figure = draw_threads([[0], [1]], 16, block=2, sector=8)
    assert [text for text in words(figure) if "sector" in text] == [
        "sector 0",
        "sector 1, untouched",
    ]


def test_more_than_can_be_read_is_refused() -> None:
    with pytest.raises(UsageError, match="17 boxes stand side by side"):
        draw_threads([[0]], 17, block=1)


@pytest.mark.parametrize("columns", [None, 8])
def test_it_can_be_read_on_a_telephone(columns: int | None) -> None:
    reach = [[thread] for thread in range(12)]
    figure = draw_threads(reach, 16, block=2, columns=columns, sector=8, title="a long title " * 5)
    figure.draw_without_rendering()
    assert figure.get_figwidth() == WIDTH
    pixels = NARROW / (WIDTH * figure.dpi)
    edge = figure.bbox.width
    for text in figure.axes[0].texts:
        assert text.get_fontsize() * figure.dpi / 72 * pixels >= HIGH
        assert text.get_window_extent().x1 <= edge
