"""The page on bugs of published kernels is what its command prints, and what it claims holds."""

from __future__ import annotations

import pytest

from tests.sanitize.published import KINDS, PAGE, Kind, page, said


@pytest.mark.slow
def test_the_page_is_what_its_command_prints() -> None:
    assert PAGE.read_text("utf-8") == page()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_bug_is_reported_and_its_twin_is_not(kind: Kind) -> None:
    assert "race" in said(kind.bug, "lockstep", buggy=True)
    assert not said(kind.bug, "lockstep", buggy=False)
