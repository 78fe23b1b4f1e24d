"""Idioms of real kernels are clean, and their broken twins are found, in any order of warps."""

from __future__ import annotations

import pytest

import simulator
from tests.sanitize.idioms import IDIOMS

SCHEDULES = (
    "lockstep",
    "warp",
    "shuffled:0",
    "shuffled:1",
    "round-robin:0",
    "random:0",
    "random:1",
)
EVERY = pytest.mark.parametrize("name", IDIOMS)


def run(name: str, text: str, schedule: str) -> simulator.observe.sanitizers.Report:
    idiom = IDIOMS[name]
    with simulator.Device(schedule=schedule, memory=1 << 20), simulator.sanitize("race") as report:
        a, v = simulator.zeros(256, "int32"), simulator.zeros(64, "int32")
        w = simulator.zeros(64, "uint64")
        simulator.RawKernel(text, "k")((idiom.grid,), (idiom.block,), (a, v, w))
    return report


def clean(name: str, schedule: str) -> None:
    assert run(name, IDIOMS[name].versions()[0], schedule).findings == []


def races(name: str, schedule: str) -> None:
    with pytest.raises(simulator.Fault, match=f"race on ({IDIOMS[name].race})") as caught:
        run(name, IDIOMS[name].versions()[1], schedule)
    assert caught.value.sanitizer == "race"


@EVERY
def test_in_one_of_the_orders(name: str) -> None:
    """Each in another order, so that the quick tests see all of them."""
    schedule = SCHEDULES[list(IDIOMS).index(name) % len(SCHEDULES)]
    clean(name, schedule)
    races(name, schedule)


@pytest.mark.slow
@pytest.mark.parametrize("schedule", SCHEDULES)
@EVERY
def test_in_every_order(name: str, schedule: str) -> None:
    clean(name, schedule)
    races(name, schedule)
