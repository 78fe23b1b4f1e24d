"""Figures are read in frames of text, in panes of a terminal, and on pages in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.gpubfs.show.traces import browsers, seen
from tests.gpubfs.show.traces.panes import PaneReader
from tests.gpubfs.show.traces.shown import Reader, reading


# Playwright keeps a loop running, which no test of other modules must meet.
@pytest.fixture(scope="module")
def pages() -> Iterator[Reader | str]:
    """Pages in a browser, or why there are none."""
    with reading() as reader:
        yield reader


@pytest.fixture(
    scope="module", params=["chromium", pytest.param("firefox", marks=pytest.mark.slow)]
)
def browser(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Each browser that pages are for, where it is installed."""
    with browsers.browser(request.param) as found:
        if isinstance(found, str):
            pytest.skip(found)
        yield found


@pytest.fixture(params=["text", "page", pytest.param("panes", marks=pytest.mark.slow)])
def both(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `frames` read frames of text, then what panes show, and then what pages do."""
    if request.param == "panes":
        monkeypatch.setattr(seen, "READER", PaneReader())
    if request.param == "page":
        reader = request.getfixturevalue("pages")
        if isinstance(reader, str):
            pytest.skip(reader)
        monkeypatch.setattr(seen, "READER", reader)
