"""bottom-up: who looks at how many neighbours, on a grid that is fixed; and the way back."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
from gpubfs.graphs import Graph
from gpubfs.machines import open_machine
from tests.gpubfs.techniques.bottom_up_passes import (
    ORDERS,
    checked,
    graphs,
    lanes,
    looks,
    passes,
    searched,
    toy_options,
)
from tests.sampling import examples, sampled

NAME = "bottom-up"
#: All kernels that look for parents one level at a time.
SYNCHRONOUS = [NAME]
SPECS = ["karate", "kron:8", "grid:12x9", "star:100", "powerlaw:300"]


@examples(40, 2)
@given(data=st.data())
def test_levels_are_right_in_every_order_and_with_every_way_back(data: st.DataObject) -> None:
    graph = data.draw(graphs())
    options = toy_options(data.draw) | {
        "alpha": data.draw(st.sampled_from([0, 0.05, 0.2, 0.5])),
        "back": data.draw(st.sampled_from(["no-queue", "double-scan"])),
        "schedule": data.draw(st.sampled_from(ORDERS)),
        "width": data.draw(st.sampled_from([1, 2])),
    }
    done = searched(NAME, graph, data.draw(st.integers(0, graph.vertices - 1)), **options)
    assert all(known["early"] == 0 for known in done.facts.values())


@pytest.mark.parametrize("schedule", sampled(["random:2", "lockstep", "warp"], 3))
@pytest.mark.parametrize("spec", SPECS)
def test_a_vertex_stops_at_its_first_parent(spec: str, schedule: str) -> None:
    done = searched(NAME, gpubfs.graph(spec), block=64, schedule=schedule)
    for at in passes(done):
        expected = looks(done.graph, done.levels, at.depth + 1)
        assert checked(at) == lanes(at, "load", "level") == expected.sum()
        assert lanes(at, "store", "level") == np.count_nonzero(done.levels == at.depth + 1)


@pytest.mark.parametrize("blocks", [1, 3, 7])
def test_thread_t_has_the_entries_t_and_t_plus_all_threads(blocks: int) -> None:
    done = searched(NAME, gpubfs.graph("kron:9"), block=32, blocks=blocks)
    first = passes(done)[0]
    queue = np.flatnonzero(np.arange(done.graph.vertices) != done.source)
    assert first.grid[0] == blocks
    threads = 32 * blocks
    owner = np.arange(queue.size) % threads
    now = done.levels[queue] == 1
    # An entry, where its edges begin and end; a neighbour and its level; the level if it has one.
    each = 3 + 2 * looks(done.graph, done.levels, 1)[queue] + now
    work = np.bincount(owner, each, threads)
    # A block's first thread stores, loads and adds its two sums.
    blocks_found = np.bincount(owner // 32, now, blocks) > 0
    work[::32] += 2 * (2 + blocks_found)
    assert first.counters.work.maximum == work.max()
    assert first.counters.work.total == work.sum()


def test_the_grid_is_what_the_gpu_holds_and_no_more_than_the_queue_needs() -> None:
    done = searched(NAME, gpubfs.graph("kron:9"))
    machine = open_machine("sim")
    assert machine.resident_threads // 256 > 2
    assert passes(done)[0].grid[0] == 2
    small = searched(NAME, gpubfs.graph("kron:6"), device="toy4", block=4)
    assert passes(small)[0].grid[0] == open_machine("sim", device="toy4").resident_threads // 4


@pytest.mark.parametrize("spec", SPECS)
def test_alpha_chooses_the_levels_that_have_that_share(spec: str) -> None:
    graph = gpubfs.graph(spec)
    for alpha in (0.0, 0.05, 0.3, 2.0):
        done = searched(NAME, graph, block=64, alpha=alpha)
        for depth, known in done.facts.items():
            edges = int(graph.degrees[done.levels == depth].sum())
            assert known["edge_check"] == edges
            assert known["ratio"] == edges / graph.edges
            assert (known["phase"] == "bottom-up") == (edges >= alpha * graph.edges or not alpha)


@pytest.mark.parametrize("spec", SPECS)
def test_lambda_is_by_what_edges_have_grown(spec: str) -> None:
    done = searched(NAME, gpubfs.graph(spec), block=64)
    edges = [int(known["edge_check"]) for known in done.facts.values()]
    growth = [None, *(now / before for before, now in pairwise(edges))]
    assert [known["lambda"] for known in done.facts.values()] == growth


@pytest.mark.parametrize("back", ["no-queue", "double-scan"])
def test_the_way_back_is_by_the_queue_or_by_scans(back: str) -> None:
    done = searched(NAME, gpubfs.graph("kron:9"), alpha=0.4, back=back)
    phases = [known["phase"] for known in done.facts.values()]
    first = phases.index("bottom-up") + 1
    assert phases[first] == ("no-queue" if back == "no-queue" else "scan-free")
    kernels = [at.kernel for at in done.per_launch if at.depth == first]
    scans = ["double_scan_count", "segment_places", "double_scan_place", "scan_free"]
    way = ["no_queue_expand"] if back == "no-queue" else scans
    assert kernels == [*way, "frontier_edges"]


@pytest.mark.parametrize(
    ("graph", "source"),
    [
        (gpubfs.graph("star:300"), 7),
        (gpubfs.graph("path:12"), 0),
        (Graph.from_edges([], [], 1, name="single"), 0),
        (Graph.from_edges([0], [1], 5, name="lonely vertices"), 4),
        (Graph.from_edges([0, 0, 1], [0, 1, 1], 2, loops=True, name="loops"), 0),
    ],
    ids=lambda value: value.spec if isinstance(value, Graph) else None,
)
@pytest.mark.parametrize("name", sampled(["bottom-up-async", "bottom-up"], 2))
def test_leaves_hubs_and_vertices_without_edges(name: str, graph: Graph, source: int) -> None:
    for alpha in (0, 0.3):
        options: dict[str, Any] = {"alpha": alpha, "block": 32, "blocks": 1}
        searched(name, graph, source, sanitize="all", schedule="random:4", **options)


def test_directed_graphs_are_refused() -> None:
    graph = Graph.from_edges([0, 1], [1, 2], 3, directed=True, name="directed")
    with pytest.raises(gpubfs.UsageError, match="does not search directed graphs"):
        gpubfs.run(NAME, graph)
