"""The line of progress, and which steps its cells are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gpubfs.show.traces.terminal.panes.timeline import step_at
from gpubfs.show.traces.terminal.status import ASCII, SHAPES, progress_line
from gpubfs.show.traces.terminal.stepping import Stepper
from tests.gpubfs.show.traces.toy import Toy


class Long(Toy):
    """A toy of so many steps, in levels of seven."""

    def __init__(self, steps: int) -> None:
        super().__init__()
        self.steps = steps
        self.levels = [step // 7 for step in range(steps)]

    def __len__(self) -> int:
        return self.steps


def line(steps: int, at: int, width: int, ascii_only: bool = False) -> str:
    return progress_line(Stepper(Long(steps), at), width, ascii_only).plain


sizes = st.tuples(st.integers(1, 400), st.integers(1, 120))


@given(sizes, st.data())
def test_a_click_leads_to_a_step_that_its_cell_shows(size: tuple[int, int], data) -> None:
    steps, width = size
    cell = data.draw(st.integers(0, width - 1))
    at = step_at(cell, width, steps)
    assert 0 <= at < steps
    assert line(steps, at, width)[cell] == SHAPES[1]


@given(sizes, st.data())
def test_every_step_has_a_cell_between_those_before_and_behind_it(
    size: tuple[int, int], data
) -> None:
    steps, width = size
    drawn = line(steps, data.draw(st.integers(0, steps - 1)), width)
    before, here, behind = map(drawn.count, SHAPES)
    assert here >= 1
    assert drawn == SHAPES[0] * before + SHAPES[1] * here + SHAPES[2] * behind
    assert before + here + behind == width


@given(sizes)
def test_both_ends_of_the_line_are_the_ends_of_the_trace(size: tuple[int, int]) -> None:
    steps, width = size
    assert line(steps, 0, width)[0] == SHAPES[1]
    assert line(steps, steps - 1, width)[-1] == SHAPES[1]


def test_cells_have_the_colours_of_levels() -> None:
    drawn = progress_line(Stepper(Toy(), 5), 24)
    assert [str(span.style) for span in drawn.spans] == ["cyan"] * 8 + ["green"] * 8 + [
        "yellow"
    ] * 8


def test_a_terminal_without_such_characters_has_others() -> None:
    assert line(10, 3, 10, ascii_only=True) == "===#------"
    assert ASCII.isascii()
