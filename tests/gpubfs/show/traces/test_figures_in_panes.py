"""Some of the figures' tests, which read the panes of a terminal; the slow ones read all."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.gpubfs.show.traces import seen
from tests.gpubfs.show.traces import test_figures as figures
from tests.gpubfs.show.traces.panes import PaneReader


@pytest.mark.parametrize(
    "told",
    [
        figures.test_4a_updates_statuses_atomically,
        figures.test_4a_enqueues_atomically,
        figures.test_4b_updates_the_status_of_2_and_6_and_twice_that_of_7,
    ],
    ids=lambda told: told.__name__.removeprefix("test_"),
)
def test_panes_tell_the_story_of_a_figure(
    told: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seen, "READER", PaneReader())
    told()
