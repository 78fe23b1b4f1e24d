"""The build of the kernels that counts on a GPU: it counts what the simulator counts."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

import gpubfs
import simulator
from gpubfs import machines
from gpubfs.kernels import KERNELS
from gpubfs.machines import nvrtc
from gpubfs.measure.annotate import annotated
from simulator.instrument import instrumented
from tests.conftest import why_no_gpu
from tests.gpubfs.machines.instrumenting import EXACT, InstrumentedSim, facts
from tests.gpubfs.techniques.variants import VARIANTS, label
from tests.sampling import sampled

#: Kernels that launch kernels are refused by name.
FILES = [
    file for file in sorted(KERNELS.glob("*.cu")) if not nvrtc.launch_options(file.read_text())
]
COUNTED = [v for v in VARIANTS if gpubfs.techniques()[v[0]].path in FILES]

#: Whose threads do the same in every order of warps.
SAME_IN_EVERY_ORDER = ["status-array"]


@pytest.fixture
def instrumented_machine(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(machines.MACHINES, "instrumented", InstrumentedSim)
    return "instrumented"


def both(name: str, spec: str, machine: str, **options: Any) -> tuple[gpubfs.Run, gpubfs.Run]:
    anywhere = replace(gpubfs.techniques()[name], machines=("sim", "gpu", machine))
    theirs = gpubfs.run(anywhere, spec, machine=machine, counters=True, **options)
    return gpubfs.run(anywhere, spec, **options), theirs


@pytest.mark.parametrize(
    ("name", "options", "spec"),
    sampled(((*v, s) for v in COUNTED for s in ("toy", "kron:6")), 13),
    ids=label,
)
def test_rewritten_kernels_count_what_the_simulator_counts(
    name: str, options: dict[str, Any], spec: str, instrumented_machine: str
) -> None:
    simulated, counted = both(name, spec, instrumented_machine, **options)
    np.testing.assert_array_equal(counted.levels, simulated.levels)
    for counter in EXACT:
        assert counted.counters[counter] == simulated.counters[counter], counter
    assert facts(counted.sites) == facts(simulated.sites)


@pytest.mark.parametrize(
    ("name", "device"),
    sampled(
        product(("hierarchical-queue", "double-scan", "edge-frontier"), ("toy2", "toy4")), 2, each=0
    ),
)
def test_warps_of_other_sizes(name: str, device: str, instrumented_machine: str) -> None:
    simulated, counted = both(name, "toy", instrumented_machine, device=device, block=8)
    for counter in EXACT:
        assert counted.counters[counter] == simulated.counters[counter], counter


def test_lines_show_what_they_counted(instrumented_machine: str) -> None:
    simulated, counted = both("hierarchical-queue", "toy", instrumented_machine)
    kernel = gpubfs.techniques()["hierarchical-queue"].kernel
    theirs, ours = (annotated(done, kernel) for done in (simulated, counted))
    assert [sheet.title for sheet in ours] == [sheet.title for sheet in theirs]
    for a, b in zip(ours, theirs, strict=True):
        assert [row[:6] for row in a.rows] == [row[:6] for row in b.rows]


@pytest.mark.parametrize("offset", ["int", "long long"])
@pytest.mark.parametrize("architecture", ["sm_75", "sm_90"])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_nvidias_compiler_takes_them(file: Any, architecture: str, offset: str) -> None:
    module, reason = nvrtc.load()
    if module is None:
        pytest.skip(reason)
    options = (f"-I{KERNELS}", f"-DOFFSET={offset}")
    made = instrumented(file.read_text(), str(file), options, cooperative=True)
    said = nvrtc.compile_text(made.text, file.name, KERNELS, architecture)
    assert "error" not in said


def test_kernels_that_launch_kernels_are_refused(instrumented_machine: str) -> None:
    with pytest.raises(simulator.CompileError, match="launch kernels cannot be counted"):
        both("dynamic-parallelism", "toy", instrumented_machine)


@pytest.mark.gpu
@pytest.mark.parametrize("spec", ["toy", "kron:8", "grid:12x9"])
@pytest.mark.parametrize(("name", "options"), COUNTED, ids=label)
def test_on_a_gpu(name: str, options: dict[str, Any], spec: str) -> None:
    """Everywhere the same results; the same counters where the order of warps does not matter."""
    if reason := why_no_gpu():
        pytest.skip(reason)
    simulated, counted = both(name, spec, "gpu", **options)
    np.testing.assert_array_equal(counted.levels, simulated.levels)
    if name in SAME_IN_EVERY_ORDER:
        for counter in EXACT:
            assert counted.counters[counter] == simulated.counters[counter], counter
        assert facts(counted.sites) == facts(simulated.sites)
    assert counted.counters["hottest_ops"] is None
