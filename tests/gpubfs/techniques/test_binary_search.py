"""Even shares of edges by binary search: the search itself, chunks, prefix sums, leaves."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import gpubfs
import simulator
from gpubfs.graphs import Graph
from gpubfs.graphs.reference import reference_levels
from gpubfs.host import DeviceGraph, Launch
from gpubfs.kernels import KERNELS
from gpubfs.search.catalogue import find
from gpubfs.techniques.distribution.binary_search import MOST_EDGES, chunk_size
from tests.sampling import sampled

SPECS = ["karate", "kron:8", "grid:6x5", "star:100", "road:50", "powerlaw:300"]
PARTITION, EXPAND, CONTRACT = (f"binary_search_{n}" for n in ("partition", "expand", "contract"))
SCANS = [f"binary_search_{name}" for name in ("scan", "scan_sums", "fan")]
NO_VALUE = 2**32 - 1
WARP = 32

SEARCH = """
#include "warp_search.cuh"
extern "C" __global__ void search(const unsigned *values, const unsigned *searched, int *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  found[i] = warp_search(values[i], searched[i]);
}
// The last of the lanes that have a value, whatever is looked for.
extern "C" __global__ void behind(const unsigned *searched, int known, int *found) {
  unsigned value = threadIdx.x < known ? threadIdx.x : NO_VALUE;
  found[threadIdx.x] = warp_search(value, searched[threadIdx.x]);
}
"""


def lanes(launch: gpubfs.Run | Launch, kind: str, array: str) -> int:
    return sum(site.lanes for site in launch.sites if (site.kind, site.array) == (kind, array))


def of(done: gpubfs.Run, kernel: str) -> list[Launch]:
    return [launch for launch in done.per_launch if launch.kernel == kernel]


@cache
def search(spec: str, **options: Any) -> gpubfs.Run:
    """A search from the hub, which several tests look at."""
    return gpubfs.run("binary-search", spec, **options)


def with_hub(spec: str) -> Graph:
    """A graph with one vertex more, which has a quarter of all others as neighbours."""
    base = gpubfs.graph(spec)
    tails = np.repeat(np.arange(base.vertices), base.degrees)
    quarter = np.random.default_rng(1).permutation(base.vertices)[: base.vertices // 4]
    sources = np.append(tails, np.full(len(quarter), base.vertices))
    return Graph.from_edges(sources, np.append(base.neighbours, quarter), name=f"{spec} and a hub")


def queued(graph: Graph, levels: NDArray[np.int32], source: int) -> list[NDArray[np.intp]]:
    """For each level its vertices that are no leaves, and the source."""
    leaf = graph.degrees <= (0 if graph.directed else 1)
    leaf[source] = False
    return [np.flatnonzero((levels == depth) & ~leaf) for depth in range(levels.max() + 1)]


@cache
def kernels() -> simulator.RawModule:
    """The search by itself."""
    return simulator.RawModule(code=SEARCH, options=(f"-I{KERNELS}",))


@pytest.mark.parametrize("known", [1, 5, 31, 32])
def test_lanes_without_a_value_are_above_all_numbers_of_edges(known: int) -> None:
    """Levels have up to 2^32 edges, and so numbers of edges go beyond what an int holds."""
    searched = np.linspace(known, NO_VALUE - 1, WARP).astype(np.uint32)
    found = simulator.empty(WARP, "int32")
    behind = kernels().get_function("behind")
    behind((1,), (WARP,), (simulator.asarray(searched), known, found))
    assert found.get().tolist() == [known - 1] * WARP


@pytest.mark.parametrize(("device", "warp"), [("toy2", 2), ("toy4", 4), ("toy8", 8), ("h200", 32)])
@given(data=st.data())
def test_algorithm_1_finds_the_last_value_that_is_not_above(
    device: str, warp: int, data: st.DataObject
) -> None:
    """Small values, so that many are equal, and the padding behind as few as one."""
    known = data.draw(st.integers(1, warp))
    highest = data.draw(st.sampled_from([3, 40, 2**31, NO_VALUE - 1]))
    steps = data.draw(st.lists(st.integers(0, highest), min_size=known, max_size=known))
    values = np.sort(np.array(steps, np.uint32))
    least = int(values[0])
    wanted = st.lists(st.integers(least, max(highest, least)), min_size=warp, max_size=warp)
    searched = np.array(data.draw(wanted), np.uint32)
    padded = np.append(values, np.full(warp - known, NO_VALUE, np.uint32))
    with simulator.Device(device), simulator.sanitize("all"):
        found = simulator.empty(warp, "int32")
        arrays = simulator.asarray(padded), simulator.asarray(searched), found
        kernels().get_function("search")((1,), (warp,), arrays)
        np.testing.assert_array_equal(
            found.get(), np.searchsorted(values, searched, side="right") - 1
        )


@given(
    st.integers(1, 2**32 - 1),
    st.integers(1, 300_000),
    st.sampled_from([32, 64, 256, 1024]),
    st.integers(1, 4096),
)
def test_a_chunk_is_an_equal_share_as_far_as_memory_goes(
    edges: int, resident: int, block: int, items: int
) -> None:
    chunk = chunk_size(edges, resident, block, items)
    assert 1 <= chunk <= items
    if chunk < items:
        assert chunk % block == 0
        assert chunk // block * resident >= edges > (chunk // block - 1) * resident


@pytest.mark.parametrize(
    ("spec", "options"),
    sampled(product(SPECS, [{}, {"chunk": "shared"}, {"shared_items": 100}]), 3, each=0),
    ids=str,
)
def test_there_is_a_block_for_each_chunk_of_a_levels_edges(
    spec: str, options: dict[str, Any]
) -> None:
    """The toy GPU runs 64 threads at a time, so that a level has more edges."""
    done = gpubfs.run("binary-search", spec, device="toy8", block=32, **options)
    resident, items = 64, options.get("shared_items", 4096)
    for launch, vertices in zip(
        of(done, EXPAND), queued(done.graph, done.levels, done.source), strict=False
    ):
        edges = int(done.graph.degrees[vertices].sum())
        chunk = items if "chunk" in options else chunk_size(edges, resident, 32, items)
        assert launch.grid == (-(-edges // chunk), 1, 1)
        assert lanes(launch, "load", "neighbours") == edges
        assert lanes(launch, "store", "neighbour_frontier") == edges


@pytest.mark.parametrize("spec", SPECS)
def test_every_level_is_three_launches_and_one_read(spec: str) -> None:
    """And one read for the source's degree; a level of leaves alone has no edges to expand."""
    done = search(spec)
    levels = [
        vertices for vertices in queued(done.graph, done.levels, done.source) if len(vertices)
    ]
    assert [launch.kernel for launch in done.per_launch] == [PARTITION, EXPAND, CONTRACT] * len(
        levels
    )
    assert done.counters["host_reads"] == 1 + len(levels)


@pytest.mark.parametrize("spec", SPECS)
def test_ordered_prefix_sums_take_three_launches_and_two_loads_of_each_degree_more(
    spec: str,
) -> None:
    fewer, more = search(spec), search(spec, prefix="ordered")
    assert fewer.options["prefix"] == "unordered"
    later = [len(level) for level in queued(more.graph, more.levels, more.source)[1:] if len(level)]
    assert more.launches == fewer.launches + 3 * len(later)
    assert more.counters["host_reads"] == fewer.counters["host_reads"] + len(later)
    degrees = [lanes(done, "load", "next_prefix") for done in (fewer, more)]
    assert degrees == [0, 2 * sum(later)]
    assert [lanes(done, "store", "next_prefix") for done in (fewer, more)] == [
        sum(later),
        3 * sum(later),
    ]
    assert [launch.kernel for launch in more.per_launch][3:6] == (SCANS if later else [])


@pytest.mark.parametrize("spec", SPECS)
def test_a_warp_adds_once_for_all_that_it_enqueues(spec: str) -> None:
    done = search(spec, leaves="keep")
    sizes = np.bincount(done.levels[done.levels >= 0])
    for launch, following in zip(of(done, CONTRACT), [*sizes[1:], 0], strict=True):
        edges = lanes(launch, "load", "neighbour_frontier")
        additions = lanes(launch, "atomic", "tail")
        assert lanes(launch, "store", "next") == following
        assert -(-following // 32) <= additions <= min(following, -(-edges // 32))


def test_200_leaves_are_seven_warps_additions() -> None:
    done = gpubfs.run("binary-search", "star:200", leaves="keep")
    assert lanes(of(done, CONTRACT)[0], "atomic", "tail") == 7


@pytest.mark.parametrize("spec", SPECS)
def test_leaves_get_their_level_and_no_place_in_the_queue(spec: str) -> None:
    skipped, kept = search(spec), search(spec, leaves="keep")
    assert skipped.options["leaves"] == "skip"
    np.testing.assert_array_equal(skipped.levels, kept.levels)
    stays = queued(skipped.graph, skipped.levels, skipped.source)
    assert lanes(kept, "store", "next") == kept.reached - 1
    assert lanes(skipped, "store", "next") == sum(map(len, stays)) - 1
    sizes = np.bincount(skipped.levels[skipped.levels >= 0])
    for launch in skipped.per_launch:
        assert launch.frontier == sizes[launch.depth]
    leaves = (skipped.graph.degrees == 1) & (skipped.levels > 0)
    assert skipped.reached - sum(map(len, stays)) == leaves.sum()


def test_a_star_has_nothing_but_leaves_to_leave_out() -> None:
    done = gpubfs.run("binary-search", "star:200")
    assert (done.launches, lanes(done, "store", "next")) == (3, 0)
    assert lanes(done, "atomic", "tail") == 1  # of the one block that has found leaves
    assert gpubfs.run("binary-search", "star:200", leaves="keep").launches == 6


def test_in_directed_graphs_only_vertices_without_edges_are_leaves() -> None:
    """Four in a row: the one edge of each leads on, but for the last, which has none."""
    row = Graph.from_edges([0, 1, 2], [1, 2, 3], directed=True)
    done = gpubfs.run("binary-search", row, 0)
    assert done.levels.tolist() == [0, 1, 2, 3]
    assert lanes(done, "store", "next") == 2


@pytest.mark.parametrize("source", [1, 200])
def test_a_source_that_is_a_leaf_is_expanded(source: int) -> None:
    done = gpubfs.run("binary-search", "star:200", source)
    assert done.reached == 201
    assert [launch.frontier for launch in of(done, EXPAND)] == [1, 1]


@pytest.mark.parametrize("options", [{}, {"leaves": "keep"}, {"prefix": "ordered"}], ids=str)
def test_a_source_without_edges_is_all_there_is(options: dict[str, Any]) -> None:
    done = gpubfs.run("binary-search", Graph.from_edges([0], [1], 3), 2, **options)
    assert (done.reached, done.launches) == (1, 0)


@pytest.mark.parametrize("piece", [32, 64])
def test_vertices_without_edges_fill_pieces_and_warps(piece: int) -> None:
    """Between two vertices with edges stand up to several pieces of vertices without."""
    for turn, empty in enumerate((0, 30, 31, 32, piece - 2, piece - 1, piece, 5 * piece)):
        middle = np.arange(1, empty + 1)
        last, far = empty + 1, empty + 2
        sources = np.concatenate([np.zeros(empty + 1, int), np.full(40, last)])
        targets = np.concatenate([middle, [last], np.arange(far, far + 40)])
        graph = Graph.from_edges(sources, targets, directed=True)
        options: dict[str, Any] = {"leaves": "keep", "block": piece, "sanitize": "all"}
        schedule = ("lockstep", "shuffled:3")[turn % 2]
        done = gpubfs.run("binary-search", graph, 0, schedule=schedule, **options)
        np.testing.assert_array_equal(done.levels, reference_levels(graph, 0))


@pytest.mark.parametrize("block", [32, 256])
@pytest.mark.parametrize("gap", [1, 2, 40])
def test_vertices_without_edges_lie_between_those_of_a_warp(gap: int, block: int) -> None:
    """The edges of one warp belong to vertices that are up to 40 places apart."""
    near = np.arange(1, 500)
    some = near[::gap]
    ends = np.append(near, some + len(near))
    graph = Graph.from_edges(np.append(np.zeros_like(near), some), ends, directed=True)
    for schedule in ("lockstep", "shuffled:3"):
        options: dict[str, Any] = {"leaves": "keep", "block": block, "sanitize": "all"}
        done = gpubfs.run("binary-search", graph, 0, schedule=schedule, **options)
        np.testing.assert_array_equal(done.levels, reference_levels(graph, 0))


@pytest.mark.slow
@settings(max_examples=6)
@given(data=st.data())
def test_all_options_find_what_the_reference_finds(data: st.DataObject) -> None:
    """Random graphs, most of whose vertices have no edge or one; chunks of any size."""
    vertices, seed = data.draw(st.integers(2, 120)), data.draw(st.integers(0, 999))
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, vertices, (2, data.draw(st.integers(1, 3 * vertices))))
    if data.draw(st.booleans()):
        ends[0] = ends[0] ** 2 // vertices  # some vertices have most of the edges
    graph = Graph.from_edges(
        *ends, vertices, directed=data.draw(st.booleans()), index64=data.draw(st.booleans())
    )
    device, warp = data.draw(st.sampled_from([("toy2", 2), ("toy4", 4), ("toy8", 8)]))
    done = gpubfs.run(
        "binary-search",
        graph,
        source := data.draw(st.integers(0, vertices - 1)),
        device=device,
        sanitize="all",
        schedule=data.draw(st.sampled_from(["lockstep", "warp", "random:1", "round-robin:2"])),
        block=warp * data.draw(st.integers(1, 3)),
        shared_items=data.draw(st.integers(1, 30)),
        chunk=data.draw(st.sampled_from(["dynamic", "shared"])),
        prefix=data.draw(st.sampled_from(["unordered", "ordered"])),
        leaves=data.draw(st.sampled_from(["skip", "keep"])),
    )
    np.testing.assert_array_equal(done.levels, reference_levels(graph, source))


@pytest.mark.parametrize(
    ("spec", "device", "block"),
    [
        ("kron:11", "toy8", 32),
        pytest.param("powerlaw:4000", "toy8", 32, marks=pytest.mark.slow),
        pytest.param("powerlaw:4000", "toy4", 16, marks=pytest.mark.slow),
    ],
)
def test_threads_that_expand_the_hubs_level_have_as_much_to_do(
    spec: str, device: str, block: int
) -> None:
    """From the hub, and from a neighbour, so that others are in the hub's level.

    Small GPUs, whose threads have ten edges and more: with one edge each, those that load a piece's
    vertices have twice as much to do as others.
    """
    graph = with_hub(spec)
    near = graph.adjacent(graph.hub)
    for source in (graph.hub, int(near[np.argmax(graph.degrees[near])])):
        even = gpubfs.run("binary-search", graph, source, device=device, block=block)
        depth = even.levels[graph.hub]
        (expansion,) = (launch for launch in of(even, EXPAND) if launch.depth == depth)
        assert expansion.counters.work.imbalance <= 1.1
        plain = gpubfs.run("thread-per-vertex", graph, source, device=device, block=block)
        assert plain.per_launch[depth].counters.work.imbalance > 5


@pytest.mark.slow
@pytest.mark.parametrize("spec", sampled(["powerlaw:1500", "powerlaw:4000", "kron:11"], 3))
def test_imbalance_falls_from_threads_through_supports_to_the_search(spec: str) -> None:
    graph = with_hub(spec)
    near = graph.adjacent(graph.hub)
    gpu = {"device": "toy8", "block": 32}
    for source in (graph.hub, int(near[np.argmax(graph.degrees[near])])):
        ways = ("thread-per-vertex", {}), ("warp-shuffle", {"supports": "warp+block"})
        runs = [gpubfs.run(name, graph, source, **gpu, **options) for name, options in ways]
        searched = gpubfs.run("binary-search", graph, source, **gpu)
        depth = searched.levels[graph.hub]
        launches = [done.per_launch[depth] for done in runs] + [of(searched, EXPAND)[depth]]
        imbalances = [launch.counters.work.imbalance for launch in launches]
        assert imbalances == sorted(imbalances, reverse=True)
        assert imbalances[0] > 2 * imbalances[1]


#: What the paper has for graphs whose vertices have about as many edges each.
REGULAR = ("thread-per-vertex", "virtual-warp", "warp-shuffle", "scan-based")


def check_costs(spec: str) -> None:
    """The paper's own words of the search: not suitable for regular workloads."""
    searched, *others = (gpubfs.run(name, spec) for name in ("binary-search", *REGULAR))
    for done in others:
        total = searched.counters["work"]["total"]
        assert total > 2 * done.counters["work"]["total"], (spec, done.technique)


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["grid:16x16", "road:300", "delaunay:300", "stencil:6x6x6"])
def test_on_a_mesh_it_costs_more_than_it_saves(spec: str) -> None:
    check_costs(spec)


@pytest.mark.slow
@settings(max_examples=2, deadline=None)
@given(
    st.one_of(
        st.builds("grid:{}x{}".format, st.integers(1, 30), st.integers(1, 30)),
        st.builds("road:{},seed={}".format, st.integers(1, 900), st.integers(0, 99)),
        st.builds("delaunay:{},seed={}".format, st.integers(1, 900), st.integers(0, 99)),
    )
)
def test_on_meshes_of_any_size_it_costs_more_than_it_saves(spec: str) -> None:
    if gpubfs.graph(spec).edges:
        check_costs(spec)


@pytest.mark.parametrize("options", [{}, {"chunk": "shared"}, {"prefix": "ordered"}], ids=str)
def test_memory_is_the_formulas(options: dict[str, Any]) -> None:
    done = gpubfs.run("binary-search", "kron:9", block=64, shared_items=256, **options)
    vertices, edges = done.graph.vertices, done.graph.edges
    chunks = -(-edges // (256 if "chunk" in options else 64))
    expected = 20 * vertices + 4 * edges + 4 * chunks + 20
    expected += 4 * -(-vertices // 64) if "prefix" in options else 0
    sizes = done.counters["bytes_by_name"]
    assert sum(sizes[name] for name in sizes if name not in ("offsets", "neighbours")) == expected


@pytest.mark.parametrize("given_as", ["warp", "auto", "none", "warp+block"])
def test_supports_are_refused_with_the_reason(given_as: str) -> None:
    with pytest.raises(gpubfs.UsageError) as caught:
        gpubfs.run("binary-search", "toy", supports=given_as)
    assert "binary-search has no supports: " in caught.value.message
    assert "atomic strategy" in caught.value.message
    assert "warp-shuffle and scan-based take them" in caught.value.message
    assert caught.value.hint == "leave supports out"
    with pytest.raises(gpubfs.UsageError, match="no option of binary-search named"):
        gpubfs.run("binary-search", "toy", suports=given_as)


@pytest.mark.parametrize("prefix", MOST_EDGES)
def test_sums_that_may_overflow_are_refused(prefix: str) -> None:
    graph = DeviceGraph(None, None, 1, MOST_EDGES[prefix] + 1)
    options = {"block": 256, "shared_items": 9, "chunk": "dynamic", "leaves": "skip"}
    with pytest.raises(gpubfs.UsageError, match=f"prefix={prefix} adds up the degrees") as caught:
        find("binary-search").drive(None, graph, 0, prefix=prefix, **options)
    assert "take a smaller graph" in caught.value.hint
