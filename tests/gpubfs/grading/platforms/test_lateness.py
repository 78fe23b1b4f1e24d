"""Late rules, and times as people and platforms write them."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from gpubfs.grading.platforms.lateness import late_rule, time_of


@pytest.mark.parametrize(
    ("after", "left"),
    [("0m", 10), ("15m", 10), ("15m1s", 9), ("24h", 9), ("24h1s", 8), ("9000h", 0)],
)
def test_what_is_left_of_a_late_mark(after: str, left: float) -> None:
    spans = {"0m": 0, "15m": 900, "15m1s": 901, "24h": 86400, "24h1s": 86401, "9000h": 9000 * 3600}
    rule = late_rule("2026-11-02 12:00", "10%/day", "15m")
    assert rule.mark(10, 10, rule.due + timedelta(seconds=spans[after])) == pytest.approx(left)


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-02 14:05",
        "2026-11-02T14:05",
        "Monday, 2 November 2026, 2:05 PM",
        "2 November 2026, 14:05",
        "02.11.2026 14:05",
    ],
)
def test_times_are_read_as_people_and_platforms_write_them(text: str) -> None:
    assert time_of(text) == datetime(2026, 11, 2, 14, 5).astimezone()


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Kathmandu"])
def test_a_time_with_a_zone_means_the_same_everywhere(
    monkeypatch: pytest.MonkeyPatch, zone: str
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        for text in ("2026-11-02 14:05:00 UTC", "2026-11-02T15:05:00+01:00"):
            assert time_of(text) == datetime(2026, 11, 2, 14, 5, tzinfo=UTC)
    finally:
        monkeypatch.undo()
        time.tzset()
