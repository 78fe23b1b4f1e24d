"""Requests and sectors of atomics against what Nsight Compute read on an H200, to the digit.

420 launches of one warp: every kind of atomic, at addresses that some lanes share and others do
not, and at one address for all, where the compiler merges some.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.instrument import InstrumentedModule, instrumented
from tests.sampling import sampled

RECORD = json.loads((Path(__file__).parent / "data" / "atomics_h200.json").read_text())


@pytest.mark.parametrize("name", sampled(RECORD["kernels"], 6))
def test_counters_equal_the_hardware(name: str) -> None:
    text, dtype = RECORD["kernels"][name], RECORD["types"][name]
    kernel, made = simulator.RawKernel(text, "probe"), instrumented(text)
    module = InstrumentedModule(simulator, simulator.RawModule(code=made.text), made)
    launches = [row[1:] for row in RECORD["launches"] if row[0] == name]
    assert len(launches) >= 6
    for pattern, *expected in launches:
        lanes = np.array([*RECORD["patterns"][pattern], 4], "int32")
        for run in (kernel, module.get_function("probe")):
            arrays = simulator.zeros(1024, dtype), simulator.asarray(lanes)
            with simulator.counting() as record:
                run((1,), (32,), (*arrays, simulator.zeros(32, dtype)))
            c = (record if run is kernel else module).launches[-1].counters
            assert [c.atomic_requests, c.atomic_sectors] == expected, lanes
