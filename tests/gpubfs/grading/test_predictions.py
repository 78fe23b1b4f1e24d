"""What is said of a number that was predicted, and when the reason is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpubfs.errors import UsageError
from gpubfs.grading import notebook
from gpubfs.grading.notebook import OPEN, check

WHY = "one for each"


@pytest.fixture(autouse=True)
def anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "_guessed", {})


def said(guess: Any, counted: Any = 461) -> str:
    return str(check("03-busiest", busiest=(guess, counted)))


@pytest.mark.parametrize("guess", [None, ...])
def test_an_open_guess_is_asked_for_and_tells_nothing(guess: Any) -> None:
    for _ in range(3):
        assert said(guess) == f"busiest: {OPEN}"


def test_the_reason_comes_after_the_second_try() -> None:
    assert said(7) == "busiest: 7 is too low; try again"
    assert said(7) == "busiest: 7 is too low; try again"  # the notebook was run once more
    assert said(None) == f"busiest: {OPEN}"
    second = said(500)
    assert second.startswith("busiest: 500 is too high. 461 operations")
    assert WHY in second


def test_a_right_guess_is_told_why() -> None:
    assert said(461).startswith("busiest: 461 is right. 461 operations")
    assert WHY in said(np.int64(461), np.int64(461))


@pytest.mark.parametrize("guess", ["461", [461], True, float("nan"), 3j, {}])
def test_what_is_no_number_is_told(guess: Any) -> None:
    assert "is no number" in said(guess)
    assert WHY not in said(guess)


def test_a_share_may_differ() -> None:
    for guess, good in ((0.9, True), (1.0, True), (0.5, False)):
        verdict = check("02-scattered", sectors_for_each=(guess, 0.88), within=0.25)
        assert verdict.right is good
        assert float(repr(verdict)) == good


def test_all_guesses_of_a_cell_must_be_right() -> None:
    verdict = check("03-paper", additions=(5, 5), requests=(None, 2))
    assert not verdict.right
    assert verdict.rows[0].startswith("additions: 5 is right")
    assert verdict.rows[1] == f"requests: {OPEN}"
    assert verdict._repr_html_().count("<p>") == 2


def test_a_prediction_that_nobody_explains_is_an_error() -> None:
    with pytest.raises(UsageError, match="03-bussiest"):
        check("03-bussiest", busiest=(1, 2))


@given(st.integers() | st.floats(allow_nan=False), st.integers(-(10**6), 10**6))
def test_nothing_but_the_number_is_right(guess: float, counted: int) -> None:
    verdict = check("03-busiest", busiest=(guess, counted))
    assert verdict.right == (guess == counted)
    assert repr(verdict) == ("1.0" if guess == counted else "0.0")
