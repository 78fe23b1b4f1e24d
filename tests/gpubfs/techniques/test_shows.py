"""What the counters of each technique must make visible."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
from gpubfs.graphs import Graph
from gpubfs.graphs.reference import reference_levels
from gpubfs.host import Launch

SPECS = ["karate", "kron:7", "grid:12x9", "star:100"]
WARP = 32


def lanes(done: gpubfs.Run | Launch, kind: str, array: str) -> int:
    return sum(site.lanes for site in done.sites if (site.kind, site.array) == (kind, array))


def frontiers(graph: Graph, source: int) -> list[np.ndarray]:
    levels = reference_levels(graph, source)
    return [np.flatnonzero(levels == depth) for depth in range(levels.max() + 1)]


@pytest.mark.parametrize("spec", SPECS)
def test_status_array_checks_every_vertex_in_every_level(spec: str) -> None:
    done = gpubfs.run("status-array", spec)
    checks = next(site for site in done.sites if site.text == "level[v]")
    assert checks.lanes == done.graph.vertices * done.launches
    assert done.counters["atomic_requests"] == 0


@pytest.mark.parametrize("spec", SPECS)
def test_status_array_reads_each_edge_of_the_reached_part_once(spec: str) -> None:
    done = gpubfs.run("status-array", spec)
    assert lanes(done, "load", "neighbours") == done.graph.degrees[done.levels >= 0].sum()


@given(st.integers(0, 2**32 - 1))
def test_status_array_counts_do_not_depend_on_the_numbering(seed: int) -> None:
    """Stores of threads that find the same vertex all happen, whoever is first."""
    graph = gpubfs.graph("karate")
    order = np.random.default_rng(seed).permutation(graph.vertices)
    tails = np.repeat(np.arange(graph.vertices), graph.degrees)
    shuffled = Graph.from_edges(order[tails], order[graph.neighbours], graph.vertices)
    original = gpubfs.run("status-array", graph, 0)
    renumbered = gpubfs.run("status-array", shuffled, int(order[0]))
    levels = original.levels
    found = levels[graph.neighbours] > levels[tails]
    for done in (original, renumbered):
        assert lanes(done, "store", "level") == found.sum()


@pytest.mark.parametrize("spec", SPECS)
def test_scan_free_adds_to_one_tail_once_per_vertex(spec: str) -> None:
    done = gpubfs.run("scan-free", spec)
    sizes = [len(frontier) for frontier in frontiers(done.graph, done.source)]
    assert lanes(done, "atomic", "next_size") == done.reached - 1
    hottest = [launch.counters.hottest_ops for launch in done.per_launch[:-1]]
    assert all(ops >= size for ops, size in zip(hottest, sizes[1:], strict=True))
    assert done.counters["hottest_ops"] >= max(sizes[1:])
    swaps = lanes(done, "atomic", "level")
    assert done.counters["cas_failed"] == swaps - (done.reached - 1)


@pytest.mark.parametrize("spec", SPECS)
def test_scan_free_requests_follow_from_the_frontiers(spec: str) -> None:
    """A warp asks for neighbours as often as its frontier vertex of largest degree needs."""
    graph = gpubfs.graph(spec)
    done = gpubfs.run("scan-free", graph, block=64)
    assert lanes(done, "load", "frontier") == done.reached
    first = done.per_launch[1]
    turns = sum(site.requests for site in first.sites if site.array == "neighbours")
    degrees = graph.degrees[graph.adjacent(done.source)]
    warps = [degrees[at : at + WARP].max() for at in range(0, len(degrees), WARP)]
    assert turns == sum(warps)


@pytest.mark.parametrize("edges_per_thread", [1, 4])
@pytest.mark.parametrize("spec", SPECS)
def test_block_prefix_sum_adds_once_per_block_and_round_with_output(
    spec: str, edges_per_thread: int
) -> None:
    done = gpubfs.run("block-prefix-sum", spec, edges_per_thread=edges_per_thread)
    additions = lanes(done, "atomic", "next_size")
    graph, block = done.graph, 256
    sizes = [len(frontier) for frontier in frontiers(graph, done.source)]
    with_output = sum(1 for size in sizes[1:] if size)
    assert with_output <= additions <= done.reached - 1
    deepest = max(-(-int(graph.degrees.max()) // edges_per_thread), 1)
    assert additions <= sum(-(-size // block) for size in sizes) * deepest
    assert lanes(done, "store", "next") == done.reached - 1


@pytest.mark.parametrize("spec", SPECS)
def test_block_prefix_sum_swaps_at_every_edge(spec: str) -> None:
    done = gpubfs.run("block-prefix-sum", spec)
    edges = int(done.graph.degrees[done.levels >= 0].sum())
    assert lanes(done, "atomic", "level") == lanes(done, "load", "neighbours") == edges
    assert done.counters["cas_failed"] == edges - (done.reached - 1)
    assert lanes(done, "load", "level") == 0


def test_one_addition_where_a_round_suffices() -> None:
    """All 255 leaves of a star come from 255 edges of one thread: a quarter as many additions."""
    done = gpubfs.run("block-prefix-sum", "star:255", edges_per_thread=5)
    assert lanes(done, "atomic", "next_size") == 51
    fewer = gpubfs.run("scan-free", "star:255")
    assert lanes(fewer, "atomic", "next_size") == 255


def test_blocks_without_output_add_nothing() -> None:
    """The last level of a search expands vertices that find nothing."""
    done = gpubfs.run("block-prefix-sum", "grid:8x8")
    last = done.per_launch[-1]
    assert [site for site in last.sites if site.array == "next_size"] == []


def test_every_write_to_a_queue_is_of_a_different_place() -> None:
    done = gpubfs.run("block-prefix-sum", "kron:8", block=32)
    for launch, following in zip(done.per_launch, done.per_launch[1:], strict=False):
        stores = sum(
            site.lanes for site in launch.sites if (site.kind, site.array) == ("store", "next")
        )
        assert stores == following.frontier
