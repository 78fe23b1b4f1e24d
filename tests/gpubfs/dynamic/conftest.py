"""Tests of graphs that change compile large kernels: by default a sample of them runs."""

from __future__ import annotations

from pathlib import Path

import pytest

#: Of so many tests one runs by default, the others with `-m slow`.
EVERY = 14


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all but the first of each few as slow; those of a GPU stay what they are."""
    folder = Path(__file__).parent
    quick = [
        item
        for item in items
        if item.path.is_relative_to(folder)
        and not any(item.get_closest_marker(name) for name in ("slow", "gpu"))
    ]
    for at, item in enumerate(quick):
        if at % EVERY:
            item.add_marker(pytest.mark.slow)
