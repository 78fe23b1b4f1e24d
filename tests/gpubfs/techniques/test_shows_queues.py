"""What the counters of each kind of queue must make visible against its neighbours."""

from __future__ import annotations

import numpy as np
import pytest

import gpubfs
from gpubfs.graphs import Graph
from gpubfs.host import Launch
from gpubfs.search.queues import QueueOverflowError

SPECS = ["karate", "kron:8", "grid:12x9", "star:100"]


def lanes(done: gpubfs.Run | Launch, kind: str, array: str) -> int:
    return sum(site.lanes for site in done.sites if (site.kind, site.array) == (kind, array))


def frontier_sizes(done: gpubfs.Run) -> list[int]:
    sizes: list[int] = np.bincount(done.levels[done.levels >= 0]).tolist()
    return sizes


def launches(done: gpubfs.Run, kernel: str) -> list[Launch]:
    return [launch for launch in done.per_launch if launch.kernel == kernel]


def tree(depth: int) -> Graph:
    """A binary tree, in which every vertex but the leaves has two neighbours of its own."""
    child = np.arange(1, 2 ** (depth + 1) - 1)
    return Graph.from_edges((child - 1) // 2, child, len(child) + 1, name=f"tree:{depth}")


@pytest.mark.parametrize("spec", SPECS)
def test_a_central_queues_tail_takes_an_atomic_for_every_frontier_vertex(spec: str) -> None:
    done = gpubfs.run("central-queue", spec, blocks=2, block=64)
    gathers = launches(done, "central_queue_gather")
    hottest = [gather.counters.hottest_ops for gather in gathers]
    assert hottest == [*frontier_sizes(done), 0]
    assert {g.counters.hottest_address for g in gathers[:-1]} == {"size[0]"}


@pytest.mark.slow
def test_the_hottest_address_cools_from_queue_to_queue() -> None:
    """On a graph that fills the blocks of an RTX 3090: frontier, blocks with output, blocks."""
    graph = gpubfs.graph("er:16")
    runs = [
        gpubfs.run(name, graph, device="rtx3090")
        for name in ("central-queue", "hierarchical-queue", "dfq-global")
    ]
    central, hierarchical, decentralized = (run.counters["hottest_ops"] for run in runs)
    assert central == max(frontier_sizes(runs[0]))
    assert central > 20 * hierarchical
    assert hierarchical > decentralized


def test_more_sub_queues_are_less_contended() -> None:
    runs = [gpubfs.run("dfq-global", "er:12", blocks=n, block=64) for n in (1, 4, 16, 64)]
    hottest = [done.counters["hottest_ops"] for done in runs]
    assert hottest == sorted(hottest, reverse=True)
    # What a sub-queue's tail takes is its share, give or take where the frontiers lie.
    for done, blocks in zip(runs, (1, 4, 16, 64), strict=True):
        assert done.counters["hottest_ops"] == pytest.approx(done.reached / blocks, rel=0.5)


@pytest.mark.parametrize(
    "scale", [12, 13, 14, *(pytest.param(n, marks=pytest.mark.slow) for n in (15, 16, 17, 18))]
)
def test_a_decentralized_queue_is_as_large_for_every_graph(scale: int) -> None:
    graph = gpubfs.graph(f"kron:{scale}")
    settings = {"device": "rtx3090", "counters": False}
    decentralized = gpubfs.run("dfq-global", graph, **settings).counters["bytes_by_name"]
    central = gpubfs.run("central-queue", graph, **settings).counters["bytes_by_name"]
    assert decentralized["sub_queues"] == 82 * 2048 * 4
    assert central["queue"] == 4 * graph.vertices == 4 << scale


def test_a_shared_sub_queue_takes_no_device_memory() -> None:
    done = gpubfs.run("dfq-shared", "kron:8", blocks=4, block=64)
    assert set(done.counters["bytes_by_name"]) == {"offsets", "neighbours", "level", "found"}
    assert done.counters["atomic_lanes"] == 0
    assert done.counters["hottest_ops"] > 0


@pytest.mark.parametrize("name", ["dfq-global", "dfq-shared", "central-queue:persistent"])
def test_a_persistent_search_is_one_launch_without_reads(name: str) -> None:
    name, _, loop = name.partition(":")
    options = {"loop": loop} if loop else {}
    done = gpubfs.run(name, "grid:9x9", 0, blocks=4, block=64, **options)
    assert (done.launches, done.counters["host_reads"]) == (1, 0)
    barriers = {"central-queue": 2 * (done.depth + 1) + 1}.get(name, done.depth + 1)
    assert done.counters["grid_syncs"] == barriers


def test_a_level_of_the_central_queue_is_its_visit_and_the_next_gathering() -> None:
    done = gpubfs.run("central-queue", "path:4", 0, blocks=1, block=32)
    steps = [(at.kernel.removeprefix("central_queue_"), at.depth) for at in done.per_launch]
    visits = [("visit", 0), ("gather", 0), ("visit", 1), ("gather", 1), ("visit", 2)]
    assert steps == [("gather", 0), *visits, ("gather", 2), ("visit", 3), ("gather", 3)]
    assert {at.frontier for at in done.per_launch} == {1}


def test_only_a_persistent_loop_needs_all_blocks_at_once() -> None:
    many = {"device": "gtx780", "blocks": 100}
    assert gpubfs.run("central-queue", "toy", **many).verified
    with pytest.raises(gpubfs.UsageError, match=r"100 blocks .* do not run at the same time"):
        gpubfs.run("central-queue", "toy", loop="persistent", **many)


@pytest.mark.parametrize("spec", SPECS)
def test_single_scan_swaps_nothing_and_scans_all(spec: str) -> None:
    done = gpubfs.run("single-scan", spec)
    assert lanes(done, "atomic", "level") == 0
    assert done.counters["cas_failed"] == 0
    scans = launches(done, "single_scan_enqueue")
    assert len(scans) == done.depth + 1
    assert {lanes(scan, "load", "level") for scan in scans} == {done.graph.vertices}
    assert lanes(done, "atomic", "next_size") == done.reached - 1


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("name", ["single-scan", "central-queue"])
def test_prefix_sums_enqueue_by_blocks(name: str, spec: str) -> None:
    done = gpubfs.run(name, spec, block=64, enqueue="prefix-sum")
    blocks = np.arange(done.graph.vertices) // 64
    skipped = 0 if name == "central-queue" else 1  # the source is queued by the host
    with_output = [
        len(np.unique(blocks[done.levels == depth])) for depth in range(skipped, done.depth + 1)
    ]
    tail = {"single-scan": "next_size", "central-queue": "size"}[name]
    assert lanes(done, "atomic", tail) == sum(with_output)


def test_block_prefix_sum_adds_once_for_a_block_with_output() -> None:
    """In a tree every block of inner vertices has output, and none of leaves has."""
    graph = tree(9)
    done = gpubfs.run("block-prefix-sum", graph, 0, block=32)
    additions = [lanes(launch, "atomic", "next_size") for launch in done.per_launch]
    blocks = [-(-(2**depth) // 32) for depth in range(9)]
    assert additions == [*blocks, 0]


def test_hierarchical_queues_add_once_for_a_block_with_output() -> None:
    done = gpubfs.run("hierarchical-queue", tree(9), 0, block=64, width=2)
    additions = [lanes(launch, "atomic", "next_size") for launch in done.per_launch]
    assert additions == [*(-(-(2**depth) // 32) for depth in range(9)), 0]


def test_a_star_that_exceeds_the_lower_queues_is_reported() -> None:
    assert gpubfs.run("hierarchical-queue", "star:4096", 0).reached == 4097
    with pytest.raises(QueueOverflowError) as caught:
        gpubfs.run("hierarchical-queue", "star:5000", 0)
    assert caught.value.capacity == 512
    assert 1 <= caught.value.vertex <= 5000
    for words in ("overflows at level 1", f"vertex {caught.value.vertex} ", "512 vertices"):
        assert words in caught.value.message
    assert "spill=true" in caught.value.hint
    assert gpubfs.run("hierarchical-queue", "star:5000", 0, spill=True).reached == 5001
    assert gpubfs.run("hierarchical-queue", "star:5000", 0, capacity=800).reached == 5001


@pytest.mark.parametrize("enqueue", ["atomic", "prefix-sum"])
@pytest.mark.parametrize("spec", SPECS)
def test_an_edge_frontier_filters_edges_to_vertices(spec: str, enqueue: str) -> None:
    done = gpubfs.run("edge-frontier", spec, enqueue=enqueue, fused=0)
    edges = int(done.graph.degrees[done.levels >= 0].sum())
    assert done.counters["bytes_by_name"]["edges"] == 4 * done.graph.edges
    assert lanes(done, "store", "edges") == lanes(done, "load", "edges") == edges
    claims = lanes(done, "atomic", "visited")
    assert done.reached - 1 <= claims <= edges
    assert lanes(done, "store", "level") == lanes(done, "store", "next") == done.reached - 1


def test_culling_drops_what_one_warp_has_twice() -> None:
    """A vertex next to all 32 lanes' edges is claimed by one of them, or by none."""
    ends = np.arange(1, 33)
    graph = Graph.from_edges(
        np.r_[np.zeros(32, int), ends], np.r_[ends, np.full(32, 33)], 34, name="diamond"
    )
    done = gpubfs.run("edge-frontier", graph, 0, fused=0)
    claims = [lanes(launch, "atomic", "visited") for launch in done.per_launch]
    second = launches(done, "edge_frontier_contract")[1]
    assert lanes(second, "load", "edges") == 64
    assert lanes(second, "atomic", "visited") <= 2  # the warps that hold the 32 edges
    assert sum(claims) <= 32 + 2


def test_every_queue_gets_each_vertex_once() -> None:
    options = {"edge-frontier": {"fused": 0}, "no-queue": {"alpha": 2}}
    for name in ("single-scan", "hierarchical-queue", "edge-frontier", "no-queue"):
        done = gpubfs.run(name, "kron:8", **options.get(name, {}))
        by_level = {launch.depth: launch.frontier for launch in done.per_launch}
        assert list(by_level.values()) == frontier_sizes(done)
