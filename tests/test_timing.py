"""Bounds of time: they grow with the machine's slowness, and nothing else makes them longer."""

from __future__ import annotations

import time

import pytest

from tests import timing


@pytest.mark.parametrize(("times", "expected"), [(0.5, 3.0), (1, 3.0), (4, 12.0)])
def test_a_slow_machine_may_take_longer_and_a_fast_one_no_less(
    monkeypatch: pytest.MonkeyPatch, times: float, expected: float
) -> None:
    monkeypatch.setattr(timing, "_seconds", lambda: times * timing.REFERENCE)
    timing.slowness.cache_clear()
    try:
        assert timing.allowed(3) == pytest.approx(expected)
    finally:
        timing.slowness.cache_clear()


def busy(seconds: float) -> None:
    begun = time.process_time()
    while time.process_time() - begun < seconds:
        pass


def test_what_is_busy_for_longer_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "slowness", lambda: 1.0)
    with pytest.raises(AssertionError), timing.soon(0.01):
        busy(0.03)


def test_what_waits_for_others_does_not() -> None:
    with timing.soon(0.05):
        time.sleep(0.1)
