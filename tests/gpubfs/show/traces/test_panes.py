"""Panes keep to their room, at any size and whatever keys are pressed."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.text import Text

from gpubfs.show.traces.terminal.gallery import Panes
from gpubfs.show.traces.terminal.panes.ascii import in_ascii
from gpubfs.show.traces.terminal.panes.flow import flow, words
from gpubfs.show.traces.terminal.panes.placing import placed
from gpubfs.show.traces.terminal.panes.syntax import coloured
from gpubfs.show.traces.terminal.panes.table import KINDS
from gpubfs.show.traces.terminal.panes.timeline import here_cell, step_at
from gpubfs.show.traces.terminal.stepping import KEYS, OF_PANES, Stepper
from simulator.source import Source
from tests.gpubfs.show.traces import searches
from tests.gpubfs.show.traces.panes import steps_of
from tests.sampling import sampled

sizes = st.tuples(st.integers(40, 220), st.integers(10, 70))


@cache
def panes_of(search, ascii_only: bool) -> Panes:
    """The panes of a trace, whose course is known."""
    return Panes(Stepper(search()), ascii_only)


def drawn(search, at: int, size: tuple[int, int], chosen: str, ascii_only: bool = False):
    """The lines of all panes that are seen, with their places."""
    panes = panes_of(search, ascii_only)
    panes.stepper.at = at
    panes.stepper.choice.chosen = chosen if chosen in panes.stepper.choice.panes else "source"
    panes.forget()
    return [(place, panes.lines(place.pane, place.track)) for place in panes.arranged(*size)]


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(st.sampled_from(searches.ALL), st.floats(0, 1), sizes, st.sampled_from(list(KINDS)))
def test_nothing_is_larger_than_its_pane(search, share, size, chosen) -> None:
    show = search()
    for place, lines in drawn(search, int(share * (len(show) - 1)), size, chosen):
        assert len(lines) == place.height
        assert max(line.cell_len for line in lines) <= place.width, place


@pytest.mark.slow
@settings(deadline=None, max_examples=10)
@given(st.sampled_from(searches.ALL), st.floats(0, 1), sizes, st.sampled_from(list(KINDS)))
def test_a_terminal_of_ascii_gets_the_same_cells(search, share, size, chosen) -> None:
    show = search()
    at = int(share * (len(show) - 1))
    for (place, lines), (_, plain) in zip(
        drawn(search, at, size, chosen),
        drawn(search, at, size, chosen, ascii_only=True),
        strict=True,
    ):
        assert all(line.plain.isascii() for line in plain), place
        assert [line.cell_len for line in lines] == [line.cell_len for line in plain]


@pytest.mark.slow
@settings(deadline=None, max_examples=12)
@given(
    st.sampled_from([searches.scan_free, searches.pair, searches.launches]),
    st.lists(st.sampled_from([*KEYS, *OF_PANES, *"24a", "escape"]), max_size=25),
    sizes,
)
def test_no_keys_lead_to_what_cannot_be_drawn(search, keys: list[str], size) -> None:
    show = search()
    stepper = Stepper(show, len(show) // 2)
    panes = Panes(stepper)
    for key in keys:
        stepper.press(key)
        assert 0 <= stepper.at < len(show)
        panes.forget()
        places = panes.arranged(*size)
        assert stepper.choice.chosen in {place.pane for place in places}
        for place in places:
            assert len(panes.lines(place.pane, place.track)) == place.height
    show.follow(None)


@pytest.mark.slow
@pytest.mark.parametrize("size", sampled([((80, 22),), ((120, 33),), ((200, 48),)], 3))
def test_nothing_is_cut_beside_empty_space(size: tuple[int, int]) -> None:
    for search in (searches.scan_free, searches.queues, searches.long_names):
        show = search()
        for at in steps_of(show, 4):
            for chosen in ("source", "memory", "counters"):
                for _, lines in drawn(search, at, size, chosen):
                    assert not [line.plain for line in lines if "…  " in line.plain]


@given(st.lists(st.text("ab ", max_size=12), max_size=8), st.integers(1, 30))
def test_text_that_flows_keeps_its_letters(parts: list[str], width: int) -> None:
    lines = flow(map(Text, parts), width, 2)
    assert max(line.cell_len for line in lines) <= width
    letters = "".join(line.plain for line in lines).replace(" ", "")
    assert letters == "".join(parts).replace(" ", "")
    whole = " ".join(parts)
    kept = "".join(line.plain for line in words(Text(whole), width, 2))
    assert kept.replace(" ", "") == whole.replace(" ", "")


@given(st.data())
@settings(deadline=None, max_examples=40)
def test_labels_never_cover_each_other(data) -> None:
    count = data.draw(st.integers(1, 30))
    place = st.tuples(st.integers(0, 1000), st.integers(0, 1000))
    places = data.draw(st.lists(place, min_size=count, max_size=count))
    width, height = data.draw(st.integers(10, 120)), data.draw(st.integers(1, 30))
    found = placed(places, [6] * count, width, height)
    if found is None:
        return
    cells = Counter()
    for vertex in range(count):
        x, y = found.around(vertex, 6)
        assert 0 <= x <= width - 6
        assert 0 <= y < height
        cells.update((x + by, y) for by in range(6))
    assert max(cells.values()) == 1


@given(st.integers(1, 500), st.integers(1, 200), st.data())
def test_a_step_is_in_the_cell_that_leads_to_it(steps: int, width: int, data) -> None:
    at = data.draw(st.integers(0, steps - 1))
    cell = here_cell(at, width, steps)
    assert step_at(cell, width, steps) <= at
    assert at <= max(step_at(cell + 1, width, steps) - 1, step_at(cell, width, steps))


def test_syntax_has_colours_and_keeps_the_text() -> None:
    source = Source(
        '#define A 1\n/* two\nlines */ int i = 0x1f; // end\nif (atomicAdd(p, "s")) {}\n'
    )
    lines = coloured(source)
    assert [line.plain for line in lines] == source.lines
    styles = [{line.plain[s.start : s.end]: str(s.style) for s in line.spans} for line in lines]
    assert styles[0]["#define A 1"] == "yellow"
    assert styles[1]["/* two"] == styles[2]["lines */"] == styles[2]["// end"] == "dim italic"
    assert styles[2]["int"] == "green"
    assert styles[2]["0x1f"] == "cyan"
    assert styles[3]["atomicAdd"] == "magenta"


def test_signs_of_ascii_are_as_wide() -> None:
    line = Text("■□▲ ▶ 0→1 ⡇ é", "bold")
    assert in_ascii(line).plain == "#o^ > 0>1 . ?"
