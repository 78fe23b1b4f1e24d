"""Where panes are on terminals of all sizes, and how Tab leads through them."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpubfs.show.traces.terminal.arrangement import LEAST, Shown, arranged, has_room
from gpubfs.show.traces.terminal.choice import Choice
from gpubfs.show.traces.terminal.panes.table import KINDS

PANES = tuple(KINDS)
some_panes = st.sampled_from([PANES, tuple(pane for pane in PANES if pane != "graph")])
shown = st.builds(
    Shown,
    some_panes,
    st.sampled_from([pane for pane in PANES if pane != "graph"]),
    st.booleans(),
    st.integers(1, 2),
    st.sampled_from([2, 4, 32]),
    st.integers(0, 48),
)


@given(shown, st.integers(LEAST[0], 300), st.integers(LEAST[1] - 4, 100))
def test_panes_fill_the_terminal_and_none_covers_another(own, width: int, height: int) -> None:
    found = arranged(own, width, height)
    cells = Counter()
    for place in found.places:
        assert place.height > 0
        assert place.width > 2 * place.edge
        for y in range(place.y, place.y + place.height):
            cells.update((x, y) for x in range(place.x, place.x + place.width, 4))
        assert place.x + place.width <= width
        assert place.y + place.height <= height
    lines = {y for _, y in cells}
    assert lines == set(range(height))
    area = sum(place.width * place.height for place in found.places)
    assert width * height - 2 * (own.tracks - 1) * height <= area <= width * height
    keys = [(place.pane, place.track) for place in found.places]
    assert len(keys) == len(set(keys))


@given(shown, st.integers(LEAST[0], 300), st.integers(LEAST[1] - 4, 100))
def test_the_chosen_pane_is_seen_and_tab_leads_to_all(own, width: int, height: int) -> None:
    choice = Choice()
    choice.offer(own.panes)
    choice.chosen, choice.alone = own.chosen, own.alone
    seen = set()
    for _ in range(len(PANES)):
        found = arranged(own._replace(chosen=choice.chosen), width, height)
        choice.sheets = found.sheets
        places = {place.pane for place in found.places}
        assert choice.chosen in places
        assert places == set(choice.sheet)
        seen |= places
        choice.turn(1)
    assert seen == set(own.panes)
    before = choice.chosen
    choice.turn(1)
    choice.turn(-1)
    assert choice.sheet == next(s for s in [choice.sheet] if before in s)


@pytest.mark.parametrize(
    ("width", "height", "columns", "sheets"),
    [(80, 21, 1, 3), (80, 40, 1, 2), (120, 32, 2, 1), (120, 20, 2, 2), (200, 47, 3, 1)],
)
def test_columns_and_sheets_by_the_size(width, height, columns, sheets) -> None:
    found = arranged(Shown(PANES, "source"), width, height)
    assert len({place.x for place in found.places}) == columns
    assert len(found.sheets) == sheets


def test_small_terminals_have_no_room_for_panes() -> None:
    assert not has_room(40, 10)
    assert not has_room(59, 40)
    assert not has_room(200, 13)
    assert has_room(80, 24)
