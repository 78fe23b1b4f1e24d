"""The build of the kernels that counts on a GPU: it counts what the simulator counts."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpubfs
import simulator
from gpubfs import machines
from gpubfs.graphs import Graph
from gpubfs.kernels import KERNELS
from gpubfs.machines import nvrtc
from gpubfs.measure.annotate import annotated
from simulator.instrument import instrumented
from tests.conftest import why_no_gpu
from tests.gpubfs.machines.instrumenting import EXACT, InstrumentedSim, facts
from tests.gpubfs.techniques.variants import GRAPHS, VARIANTS, label
from tests.sampling import sampled

#: Kernels that launch kernels are refused by name.
FILES = [
    file for file in sorted(KERNELS.glob("*.cu")) if not nvrtc.launch_options(file.read_text())
]
COUNTED = [v for v in VARIANTS if gpubfs.techniques()[v[0]].path in FILES]

#: Techniques whose threads do the same in every order of warps: what was found in the same launch
#: is found and written again.
WRITTEN_AGAIN = ("status-array", "virtual-split")
#: And those that do so bottom-up, where nobody has to come first: alpha=0 makes all levels so.
BOTTOM_UP = ("bottom-up", "double-scan", "no-queue", "strided-scan")
SAME_IN_EVERY_ORDER = [
    (name, options)
    for name, options in COUNTED
    if name in WRITTEN_AGAIN
    or (name in BOTTOM_UP and gpubfs.techniques()[name].complete(options)["alpha"] == 0)
]

ORDERS = st.one_of(
    st.just("warp"),
    st.builds(
        "{}:{}".format,
        st.sampled_from(["random", "shuffled", "round-robin"]),
        st.integers(0, 2**31),
    ),
)


@pytest.fixture
def instrumented_machine(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(machines.MACHINES, "instrumented", InstrumentedSim)
    return "instrumented"


def both(name: str, spec: str, machine: str, **options: Any) -> tuple[gpubfs.Run, gpubfs.Run]:
    anywhere = replace(gpubfs.techniques()[name], machines=("sim", "gpu", machine))
    theirs = gpubfs.run(anywhere, spec, machine=machine, counters=True, **options)
    return gpubfs.run(anywhere, spec, **options), theirs


def differences(one: gpubfs.Run, other: gpubfs.Run) -> list[str]:
    """The counters that are not the same, and "facts" if those of a place are not."""
    found = [name for name in EXACT if one.counters[name] != other.counters[name]]
    return found + (["facts"] if facts(one.sites) != facts(other.sites) else [])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "spec"),
    sampled(((*v, s) for v in COUNTED for s in ("toy", "kron:6")), 29),
    ids=label,
)
def test_rewritten_kernels_count_what_the_simulator_counts(
    name: str, options: dict[str, Any], spec: str, instrumented_machine: str
) -> None:
    simulated, counted = both(name, spec, instrumented_machine, **options)
    np.testing.assert_array_equal(counted.levels, simulated.levels)
    assert differences(counted, simulated) == []


def layers(number: int = 16) -> Graph:
    """A vertex, and layers of 64: two warps have the same neighbours, and few of all edges."""
    rng = np.random.default_rng(1)
    near = np.arange(number).repeat(200) * 64
    sources = np.append(np.zeros(64, int), rng.integers(1, 65, near.size) + near)
    targets = np.append(np.arange(1, 65), rng.integers(65, 129, near.size) + near)
    return Graph.from_edges(sources, targets, name="layers")


def test_the_list_of_those_that_are_the_same_in_every_order_is_not_empty() -> None:
    assert {name for name, _ in SAME_IN_EVERY_ORDER} == {*WRITTEN_AGAIN, *BOTTOM_UP}


@settings(max_examples=2)
@given(order=ORDERS)
@pytest.mark.parametrize(("name", "options"), SAME_IN_EVERY_ORDER, ids=label)
def test_they_count_the_same_in_any_order(name: str, options: dict[str, Any], order: str) -> None:
    first, other = (gpubfs.run(name, "kron:5", schedule=s, **options) for s in (None, order))
    assert differences(first, other) == []


def fifty() -> list[tuple[str, dict[str, Any], Any]]:
    """What is tried in so many orders: scans take longer, and are with two graphs."""
    found: list[tuple[str, dict[str, Any], Any]] = []
    for name, options in SAME_IN_EVERY_ORDER:
        graphs = ["kron:6", "grid:6x5"]
        if name in WRITTEN_AGAIN:
            graphs += [*GRAPHS.values(), "kron:8", "powerlaw:300"]
        found += [(name, options, graph) for graph in graphs]
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options", "graph"), fifty(), ids=label)
def test_they_count_the_same_in_fifty_orders(
    name: str, options: dict[str, Any], graph: Any
) -> None:
    first = gpubfs.run(name, graph, **options)
    for schedule in [f"random:{seed}" for seed in range(50)]:
        other = gpubfs.run(name, graph, schedule=schedule, **options)
        assert differences(first, other) == [], schedule


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"), [v for v in COUNTED if v not in SAME_IN_EVERY_ORDER], ids=label
)
def test_all_others_count_something_else_in_some_order(name: str, options: dict[str, Any]) -> None:
    """So that none is missing in the list."""
    for spec in ("toy", "kron:6", "grid:6x5", layers()):
        first = gpubfs.run(name, spec, **options)
        for schedule in ("warp", *(f"random:{seed}" for seed in range(10))):
            if differences(first, gpubfs.run(name, spec, schedule=schedule, **options)):
                return
    pytest.fail(f"{name} counts the same in eleven orders: it may belong into the list")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "device"),
    sampled(
        product(("hierarchical-queue", "double-scan", "edge-frontier"), ("toy2", "toy4")), 2, each=0
    ),
)
def test_warps_of_other_sizes(name: str, device: str, instrumented_machine: str) -> None:
    simulated, counted = both(name, "toy", instrumented_machine, device=device, block=8)
    assert differences(counted, simulated) == []


@pytest.mark.slow
def test_lines_show_what_they_counted(instrumented_machine: str) -> None:
    simulated, counted = both("hierarchical-queue", "toy", instrumented_machine)
    kernel = gpubfs.techniques()["hierarchical-queue"].kernel
    theirs, ours = (annotated(done, kernel) for done in (simulated, counted))
    assert [sheet.title for sheet in ours] == [sheet.title for sheet in theirs]
    for a, b in zip(ours, theirs, strict=True):
        assert [row[:6] for row in a.rows] == [row[:6] for row in b.rows]


@pytest.mark.parametrize(
    ("file", "architecture", "offset"),
    sampled(product(FILES, ["sm_75", "sm_90"], ["int", "long long"]), 13),
    ids=lambda value: getattr(value, "name", value),
)
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
    if (name, options) in SAME_IN_EVERY_ORDER:
        assert differences(counted, simulated) == []
    assert counted.counters["hottest_ops"] is None
