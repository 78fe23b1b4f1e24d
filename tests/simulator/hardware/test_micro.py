"""The simulator counts what Nsight Compute counted on an H200, in launches known by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import simulator
from gpubfs.machines import nvrtc
from tests.simulator.hardware.micro import BYTES, MATRICES, MICROS, Micro

#: Global loads and stores of both warps by the machine code that NVRTC 13.5 makes for sm_90.
REQUESTS = {
    "halves_along": (24, 8),
    "halves_across": (24, 8),
    "halves_tall": (28, 8),
    "halves_wide": (36, 16),
    "bfloats_across": (32, 16),
    "bytes_along": (16, 8),
    "bytes_across": (40, 8),
    "tf32s": (24, 8),
    "doubles": (6, 2),
}

#: What the hardware counts otherwise, and why: simulator/README.md says so.
OTHERWISE = {
    "async_barrier": "the copy is one of the engine for tensors, which makes no requests",
}

RECORDED = json.loads(Path(__file__).with_name("micro.json").read_text("utf-8"))["counters"]


def launched(micro: Micro) -> simulator.Counters:
    a, b = (simulator.zeros(BYTES, "uint8") for _ in range(2))
    with simulator.counting() as record:
        simulator.RawKernel(micro.code, micro.name)((1,), (micro.threads,), (a, b))
    return record.launches[0].counters


@pytest.mark.parametrize("micro", MICROS, ids=lambda micro: micro.name)
def test_counters_are_those_of_the_hardware(micro: Micro) -> None:
    if micro.name not in RECORDED:
        pytest.skip("not recorded yet: python -m tests.simulator.hardware.record FILE")
    counted = launched(micro)
    expected = RECORDED[micro.name]
    found = {name: getattr(counted, name) for name in expected}
    assert (found == expected) == (micro.name not in OTHERWISE)


@pytest.mark.parametrize("name", REQUESTS)
def test_matrices_are_requests_of_the_instructions_that_a_compiler_makes(name: str) -> None:
    (micro,) = (one for one in MATRICES if one.name == name)
    counted = launched(micro)
    assert (counted.load_requests, counted.store_requests) == REQUESTS[name]
    assert counted.matrix_products == 2


@pytest.mark.slow
@pytest.mark.skipif(nvrtc.load()[0] is None, reason=nvrtc.load()[1])
@pytest.mark.parametrize("micro", MICROS, ids=lambda micro: micro.name)
def test_nvidias_compiler_takes_them(micro: Micro, tmp_path: Path) -> None:
    nvrtc.compile_text(micro.code, "micro.cu", tmp_path, flags=("-std=c++17",))
