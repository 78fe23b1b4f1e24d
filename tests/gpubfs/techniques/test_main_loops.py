"""host-loop, device-loop and persistent: one search, and what comes between two of its levels."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
import simulator
from gpubfs.graphs import Graph
from gpubfs.graphs.reference import reference_levels
from gpubfs.host import Launch
from gpubfs.machines.sim import WallClock
from gpubfs.search.option import parse
from tests.conftest import why_no_gpu
from tests.gpubfs.techniques.bottom_up_passes import checked
from tests.sampling import examples, sampled

SPECS = ["toy", "star:100", "path:17", "grid:12x9", "kron:8", "powerlaw:300"]
FORMS = ("host-loop", "device-loop", "persistent", "hierarchical-kernels")

#: Techniques whose kernel expands the levels of device-loop.
EXPANSIONS = ["host-loop", "status-array", "block-prefix-sum"]

#: Grids of several blocks, each of which is smaller than the frontiers of a graph of 128 vertices.
SEVERAL_BLOCKS: dict[str, dict[str, Any]] = {
    "host-loop": {"block": 8},
    "persistent": {"block": 8, "blocks": 3},
    "hierarchical-kernels": {"block": 8, "blocks": 3},
    "central-queue": {"block": 8, "blocks": 3, "loop": "persistent"},
}

#: What the device does for a level, whoever launched it.
COSTS = (
    "load_requests",
    "load_sectors",
    "store_sectors",
    "atomic_lanes",
    "cas_failed",
    "shared_requests",
    "barriers",
    "warp_steps",
)


def random_graph(data: st.DataObject) -> Graph:
    """Some vertices, some edges, perhaps directed, with a source that need not reach all."""
    vertices = data.draw(st.integers(1, 60))
    edges = data.draw(st.integers(0, 150))
    ends = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, vertices, (2, edges))
    return Graph.from_edges(*ends, vertices, directed=data.draw(st.booleans()))


@pytest.fixture
def traffic(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What passes between host and device: launches, copies of arrays, and the search's clock."""
    seen: list[str] = []

    def watch(owner: Any, name: str, event: str) -> None:
        real = getattr(owner, name)

        def watched(*args: Any, **named: Any) -> Any:
            seen.append(event)
            return real(*args, **named)

        monkeypatch.setattr(owner, name, watched)

    for name in ("get", "item", "copy", "astype", "__int__", "__float__", "__bool__"):
        watch(simulator.ndarray, name, "read")
    watch(simulator.ndarray, "_write", "write")
    watch(simulator.RawKernel, "__call__", "launch")
    watch(WallClock, "stop", "stop")
    return seen


def expansions(done: gpubfs.Run, kernel: str) -> list[Launch]:
    return [launch for launch in done.per_launch if launch.kernel == kernel]


def costs(launches: list[Launch]) -> list[list[Any]]:
    return [[getattr(one.counters, name) for name in COSTS] for one in launches]


@pytest.mark.slow
@examples(150, 8)
@given(st.data())
def test_all_forms_find_the_same_levels(data: st.DataObject) -> None:
    graph = random_graph(data)
    source = data.draw(st.integers(0, graph.vertices - 1))
    for name in FORMS:
        options: dict[str, Any] = {"block": 4 * data.draw(st.integers(1, 4)), "device": "toy4"}
        if name == "device-loop":
            options["expansion"] = data.draw(st.sampled_from(EXPANSIONS))
        schedule = data.draw(st.sampled_from(["lockstep", "warp", "random:1", "shuffled:2"]))
        done = gpubfs.run(name, graph, source, schedule=schedule, counters=False, **options)
        np.testing.assert_array_equal(done.levels, reference_levels(graph, source))


@pytest.mark.parametrize("spec", sampled(SPECS, 3))
def test_nothing_passes_between_levels_unless_the_host_goes_from_one_to_the_other(
    spec: str, traffic: list[str]
) -> None:
    """Whatever is copied by the host's interface is seen, whether counted or not.

    Behind the clock come the levels, and what hierarchical-kernels tells of them.
    """
    levels = gpubfs.run("host-loop", spec, counters=False).depth + 1
    searches: dict[str, list[list[str]]] = {
        "host-loop": [["launch", "read", "write"] * (levels - 1) + ["launch", "read"], ["read"]],
        "device-loop": [["launch"], ["read"]],
        "device-loop:expansion=status-array": [["launch"], ["read"]],
        "device-loop:expansion=block-prefix-sum": [["launch"], ["read"]],
        "persistent": [["launch"], ["read"]],
        "hierarchical-kernels": [["launch", "read"], ["read", "read"]],
    }
    for search, (timed, behind) in searches.items():
        name, options = parse(search)
        traffic.clear()
        gpubfs.run(name, spec, counters=False, **options)
        assert traffic[traffic.index("launch") :] == [*timed, "stop", *behind], search


@pytest.mark.parametrize("spec", SPECS)
def test_between_levels_the_host_launches_and_reads(spec: str) -> None:
    done = gpubfs.run("host-loop", spec)
    levels = done.depth + 1
    control = (done.launches, done.counters["host_reads"], done.counters["device_launches"])
    assert control == (levels, levels, 0)
    assert done.counters["grid_syncs"] == 0


@pytest.mark.parametrize("expansion", EXPANSIONS)
@pytest.mark.parametrize("spec", SPECS)
def test_between_levels_the_device_launches_and_nobody_reads(spec: str, expansion: str) -> None:
    """A launch and a tail launch for each level; one more tail launch finds none."""
    done = gpubfs.run("device-loop", spec, expansion=expansion)
    levels = done.depth + 1
    control = (done.launches, done.counters["host_reads"], done.counters["device_launches"])
    assert control == (1, 0, 2 * levels)
    manager = "device_loop_naive" if expansion == "status-array" else "device_loop"
    kernels = Counter(launch.kernel for launch in done.per_launch)
    assert kernels == {manager: levels + 1, expansion.replace("-", "_"): levels}
    assert {one.grid + one.block for one in expansions(done, manager)} == {(1,) * 6}


@pytest.mark.parametrize("spec", SPECS)
def test_between_levels_the_grid_waits_once(spec: str) -> None:
    done = gpubfs.run("persistent", spec, block=64, blocks=5)
    control = (done.launches, done.counters["host_reads"], done.counters["device_launches"])
    assert control == (1, 0, 0)
    assert done.counters["grid_syncs"] == done.depth + 1


@pytest.mark.parametrize("technique", EXPANSIONS)
@pytest.mark.parametrize("spec", SPECS)
def test_who_launches_a_level_changes_nothing_in_it(spec: str, technique: str) -> None:
    """Level by level the same grid with the same counters."""
    kernel = technique.replace("-", "_")
    by_host = gpubfs.run(technique, spec, block=64)
    by_device = gpubfs.run("device-loop", spec, block=64, expansion=technique)
    ours, theirs = expansions(by_device, kernel), expansions(by_host, kernel)
    assert [one.grid for one in ours] == [one.grid for one in theirs]
    assert costs(ours) == costs(theirs)


@pytest.mark.parametrize("spec", SPECS)
def test_a_grid_that_stays_makes_as_many_claims(spec: str) -> None:
    """Each edge is looked at once, each vertex appended once, whatever the grid."""
    by_host = gpubfs.run("host-loop", spec)
    staying = gpubfs.run("persistent", spec, block=64, blocks=3)
    runs = (by_host, staying)
    appended = [run.counters["atomic_lanes"] - run.counters["cas_failed"] for run in runs]
    # A swap and an addition for each vertex but the source.
    assert appended == [2 * (by_host.reached - 1)] * 2


@pytest.mark.parametrize("name", SEVERAL_BLOCKS)
def test_no_block_expands_what_another_has(name: str) -> None:
    """Levels that are right do not tell: each edge is loaded once, whatever the grid."""
    done = gpubfs.run(name, "star:40", 1, device="toy4", width=2, **SEVERAL_BLOCKS[name])
    assert max(launch.grid[0] for launch in done.per_launch) > 1
    assert checked(done) == done.graph.edges


@pytest.mark.parametrize(("device", "blocks"), [("h200", 8 * 132), ("rtx3090", 6 * 82)])
def test_persistent_has_the_blocks_that_run_at_the_same_time(device: str, blocks: int) -> None:
    done = gpubfs.run("persistent", "toy", device=device)
    assert done.per_launch[0].grid[0] == blocks
    with pytest.raises(gpubfs.UsageError, match=f"{blocks + 1:,} blocks .* at the same time"):
        gpubfs.run("persistent", "toy", device=device, blocks=blocks + 1)


@pytest.mark.parametrize("name", FORMS)
def test_lanes_that_share_a_vertex_follow_the_average_degree(name: str) -> None:
    assert gpubfs.run(name, "path:9").options["width"] == 2
    assert gpubfs.run(name, "kron:8").options["width"] == 32
    assert gpubfs.run(name, "kron:8", device="toy4", block=4).options["width"] == 4


@pytest.mark.parametrize("expansion", EXPANSIONS)
def test_a_failed_launch_by_the_device_is_not_taken_for_the_end(
    expansion: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With room for one pending launch the tail launch fails: an error, and no level missing."""
    small = replace(simulator.PROFILES["toy4"], pending_launches=1)
    monkeypatch.setitem(simulator.PROFILES, "toy4", small)
    with pytest.raises(simulator.Fault, match="assert"):
        gpubfs.run("device-loop", "toy", device="toy4", block=4, expansion=expansion)


@pytest.mark.gpu
@pytest.mark.parametrize("expansion", EXPANSIONS)
def test_tail_launches_are_not_nested(expansion: str) -> None:
    """Thousands follow each other on a GPU, where 24 grids may be inside of one another."""
    if reason := why_no_gpu():
        pytest.skip(reason)
    done = gpubfs.run("device-loop", "path:3000", 0, machine="gpu", expansion=expansion)
    assert done.depth == 2999
    assert done.launches == 1


@pytest.mark.parametrize("expansion", ["status-array", "block-prefix-sum"])
def test_lanes_for_a_vertex_are_chosen_where_the_expansion_has_them(expansion: str) -> None:
    with pytest.raises(gpubfs.UsageError, match="width=8 changes nothing with expansion="):
        gpubfs.run("device-loop", "toy", expansion=expansion, width=8)
    assert gpubfs.run("device-loop", "toy", width=8).depth > 0
