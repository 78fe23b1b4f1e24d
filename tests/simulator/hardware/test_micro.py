"""The simulator counts what Nsight Compute counted on an H200, in launches known by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import simulator
from tests.simulator.hardware.micro import BYTES, MICROS, Micro

RECORDED = json.loads(Path(__file__).with_name("micro.json").read_text("utf-8"))["counters"]


@pytest.mark.parametrize("micro", MICROS, ids=lambda micro: micro.name)
def test_counters_are_those_of_the_hardware(micro: Micro) -> None:
    if micro.name not in RECORDED:
        pytest.skip("no GPU has counted it yet")
    a, b = (simulator.zeros(BYTES, "uint8") for _ in range(2))
    with simulator.counting() as record:
        simulator.RawKernel(micro.code, micro.name)((1,), (micro.threads,), (a, b))
    counted = record.launches[0].counters
    expected = RECORDED[micro.name]
    assert {name: getattr(counted, name) for name in expected} == expected
