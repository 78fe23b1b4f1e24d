"""edge-frontier: small levels are contracted and expanded in one launch, large ones in two."""

from __future__ import annotations

from itertools import product
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
from tests.conftest import why_no_gpu
from tests.sampling import examples, sampled

SPECS = ["karate", "kron:8", "grid:12x9", "star:100", "path:24", "road:150"]
EXPAND, CONTRACT, FUSED = (
    f"edge_frontier_{kind}" for kind in ("expand", "contract", "contract_expand")
)


def lanes(done: gpubfs.Run | Launch, kind: str, array: str) -> int:
    found = done.sites or ()
    return sum(site.lanes for site in found if (site.kind, site.array) == (kind, array))


def expected(graph: Graph, source: int, fused: int) -> list[tuple[str, int]]:
    """Which kernels a search launches at which level: by the edges of each level alone."""
    levels = reference_levels(graph, source)
    depths = range(levels.max() + 1)
    edges = [int(graph.degrees[levels == depth].sum()) for depth in depths]
    launches, queued = [], True  # whether the level's vertices are in a queue
    for depth in depths:
        if queued:
            launches.append((EXPAND, depth))
        if not edges[depth]:
            break
        queued = edges[depth] > fused
        launches.append((CONTRACT if queued else FUSED, depth))
    return launches


def steps(done: gpubfs.Run) -> list[tuple[str, int]]:
    return [(launch.kernel, launch.depth) for launch in done.per_launch]


@examples(30, 8)
@given(
    st.integers(1, 60),
    st.lists(st.tuples(st.integers(0, 59), st.integers(0, 59)), max_size=200),
    st.booleans(),
    st.integers(0, 120),
    st.sampled_from(["lockstep", "shuffled:1", "random:2"]),
)
def test_a_level_is_one_launch_while_it_has_few_edges(
    vertices: int, ends: list[tuple[int, int]], directed: bool, fused: int, schedule: str
) -> None:
    inside = [(u % vertices, v % vertices) for u, v in ends]
    tails, heads = ([pair[k] for pair in inside] for k in (0, 1))
    graph = Graph.from_edges(tails, heads, vertices, directed=directed, loops=True)
    options = {"block": 32, "fused": fused, "schedule": schedule, "sanitize": "all"}
    done = gpubfs.run("edge-frontier", graph, 0, **options)
    np.testing.assert_array_equal(done.levels, reference_levels(graph, 0))
    assert steps(done) == expected(graph, 0, fused)
    assert done.counters["host_reads"] == done.launches
    assert {found.verdict for found in done.findings} <= {"declared", "harmless"}


@pytest.mark.parametrize(
    ("spec", "enqueue"), sampled(product(SPECS, ["atomic", "prefix-sum"]), 2, each=0)
)
def test_one_launch_a_level_instead_of_two(spec: str, enqueue: str) -> None:
    two, one = (
        gpubfs.run("edge-frontier", spec, enqueue=enqueue, fused=fused) for fused in (0, 10**6)
    )
    np.testing.assert_array_equal(one.levels, two.levels)
    assert two.launches == two.counters["host_reads"] == 2 * (two.depth + 1)
    assert one.launches == one.counters["host_reads"] == one.depth + 2
    # Every edge is gathered and looked at once, either way.
    edges = int(one.graph.degrees[one.levels >= 0].sum())
    for done in (one, two):
        assert lanes(done, "store", "edges") == lanes(done, "load", "edges") == edges
        assert lanes(done, "store", "level") == done.reached - 1
    # Vertices that are expanded at once are in no queue.
    assert lanes(two, "store", "next") == two.reached - 1
    assert lanes(one, "store", "next") == 0
    assert lanes(one, "load", "frontier") == 1
    assert lanes(two, "load", "frontier") == two.reached


@pytest.mark.parametrize("spec", ["kron:10", "powerlaw:2000", "grid:24x24"])
def test_edges_that_are_filtered_cost_no_turn_of_the_expansion(spec: str) -> None:
    """Most of a level's edges lead nowhere new: their threads must not delay who expands."""
    two, one = (gpubfs.run("edge-frontier", spec, fused=fused) for fused in (0, 10**6))
    assert one.counters["warp_steps"] < 1.1 * two.counters["warp_steps"]


@pytest.mark.parametrize("spec", SPECS)
def test_the_queues_take_what_they_took(spec: str) -> None:
    """All levels' edges fit into a queue of the graph's, one behind the other."""
    sizes = [
        gpubfs.run("edge-frontier", spec, fused=fused, counters=False).counters["bytes_by_name"]
        for fused in (0, 50, 10**6)
    ]
    assert sizes[0] == sizes[1] == sizes[2]
    assert sizes[0]["edges"] == 4 * gpubfs.graph(spec).edges


@pytest.mark.parametrize("device", ["gtx780", "toy4", "toy8"])
def test_small_is_what_the_gpu_holds_threads_for(device: str) -> None:
    """A hub with one leaf more than that has its edges contracted into a queue."""
    profile = simulator.PROFILES[device]
    threads = profile.multiprocessors * profile.threads_per_multiprocessor
    block = 8 if device.startswith("toy") else 256
    for leaves in (threads, threads + 1):
        graph = gpubfs.graph(f"star:{leaves}")
        done = gpubfs.run("edge-frontier", graph, 0, device=device, block=block, counters=False)
        assert steps(done) == expected(graph, 0, threads)
        assert (CONTRACT in {kernel for kernel, _ in steps(done)}) == (leaves > threads)


def test_phases_alternate_where_levels_grow_and_shrink() -> None:
    """Between hubs the levels are small: fused, two phases, fused, two phases."""
    star, chain = 40, 5
    tails, heads, at = [], [], 0
    for _ in range(2):
        tails += range(at, at + chain)
        heads += range(at + 1, at + chain + 1)
        hub = at + chain
        tails += [hub] * star + list(range(hub + 1, hub + star + 1))
        heads += [*range(hub + 1, hub + star + 1), *([hub + star + 1] * star)]
        at = hub + star + 1
    graph = Graph.from_edges(tails, heads, at + 1, name="hubs on a chain")
    for schedule in ("lockstep", "random:1"):
        done = gpubfs.run("edge-frontier", graph, 0, fused=30, block=32, schedule=schedule)
        kernels = [kernel for kernel, _ in steps(done)]
        assert steps(done) == expected(graph, 0, 30)
        changes = [kernel for i, kernel in enumerate(kernels) if kernels[:i][-1:] != [kernel]]
        assert changes.count(FUSED) == 2
        assert CONTRACT in changes


@pytest.mark.parametrize("fused", [-1, 0, 3, 40])
def test_contractions_have_a_thread_for_each_edge_of_their_level(fused: int) -> None:
    """Whatever stands before them in the queue was contracted by the launches before."""
    chain, star = 6, 90
    tails = [*range(chain), *[chain] * star]
    graph = Graph.from_edges(tails, range(1, chain + star + 1))
    done = gpubfs.run("edge-frontier", graph, 0, block=32, fused=fused, counters=False)
    contracting = [one for one in done.per_launch if one.kernel != EXPAND]
    assert len(contracting) == chain + 2
    for launch in contracting:
        edges = int(graph.degrees[done.levels == launch.depth].sum())
        assert launch.grid[0] == -(-edges // 32)


@pytest.mark.parametrize("options", [{"fused": 0}, {"fused": 10**6}])
def test_each_vertex_is_expanded_once_although_edges_lead_to_it_often(
    options: dict[str, Any],
) -> None:
    """A vertex at the end of many edges has its own edges gathered once, by one thread."""
    ends = np.arange(1, 101)
    tails = np.r_[np.zeros(100, int), ends, np.full(50, 101)]
    heads = np.r_[ends, np.full(100, 101), np.arange(102, 152)]
    graph = Graph.from_edges(tails, heads, 152, name="diamond with a tail")
    for seed in range(8):
        done = gpubfs.run("edge-frontier", graph, 0, block=32, schedule=f"random:{seed}", **options)
        assert lanes(done, "store", "edges") == graph.edges
        assert done.levels.tolist() == [0, *[1] * 100, 2, *[3] * 50]


@pytest.mark.gpu
@pytest.mark.slow
@pytest.mark.parametrize("fused", [-1, 0, 10**9])
@pytest.mark.parametrize("spec", ["kron:20", "grid:512x512", "star:1100000"])
def test_large_graphs_on_a_gpu(spec: str, fused: int) -> None:
    """Each run is verified by itself; launches follow from the levels there, too."""
    if reason := why_no_gpu():
        pytest.skip(reason)
    graph = gpubfs.graph(spec)
    for _ in range(3):
        done = gpubfs.run("edge-frontier", graph, machine="gpu", counters=False, fused=fused)
        assert done.counters["host_reads"] == done.launches
        if fused >= 0:
            assert steps(done) == expected(graph, done.source, fused)
