"""virtual-split: the table, and what every thread of every launch does, from the graph alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import gpubfs
from gpubfs.errors import UsageError
from gpubfs.graphs import Graph
from gpubfs.host import Launch
from gpubfs.techniques.distribution.virtual_split import split
from simulator.observe.counters.work import Work
from tests.sampling import examples, sampled

SPECS = ["karate", "kron:8", "grid:12x9", "star:100", "powerlaw:300"]
WARP, BLOCK = 32, 64


def sites(launch: Launch, kind: str, array: str) -> tuple[int, int]:
    """Requests and lanes of all accesses of a kind to an array."""
    found = [site for site in launch.sites or () if (site.kind, site.array) == (kind, array)]
    return sum(site.requests for site in found), sum(site.lanes for site in found)


def edges_of(graph: Graph, bound: int, coalesced: bool) -> Iterator[tuple[int, NDArray[Any]]]:
    """The vertex of every virtual vertex, and the edges that this one looks at, in order."""
    for u in range(graph.vertices):
        adjacent = graph.adjacent(u)
        pieces = -(-len(adjacent) // bound)
        for k in range(pieces):
            yield u, adjacent[k::pieces] if coalesced else adjacent[k * bound : (k + 1) * bound]


@given(st.lists(st.integers(0, 40), min_size=1, max_size=30), st.integers(1, 12))
def test_pieces_make_up_the_vertices(degrees: list[int], bound: int) -> None:
    owner, piece = split(np.r_[0, np.cumsum(degrees)], bound)
    assert owner.dtype == piece.dtype == np.int32
    expected = [(v, k) for v, degree in enumerate(degrees) for k in range(-(-degree // bound))]
    assert list(zip(owner.tolist(), piece.tolist(), strict=True)) == expected


def test_too_many_pieces_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[split.__module__], "MOST_VIRTUAL", 125)
    assert gpubfs.run("virtual-split", "star:100", degree_bound=4).verified
    with pytest.raises(UsageError, match=r"degree_bound=1 the graph has 200") as caught:
        gpubfs.run("virtual-split", "star:100", degree_bound=1)
    assert caught.value.hint == "give a larger degree_bound"


@pytest.mark.parametrize("schedule", ["lockstep", "random:1"])
@pytest.mark.parametrize(
    ("spec", "bound", "coalesced"),
    sampled(
        ((s, *b) for s in SPECS for b in ((8, True), (8, False), (1, True), (3, False))), 3, each=0
    ),
)
def test_what_every_thread_does_follows_from_the_graph(
    spec: str, bound: int, coalesced: bool, schedule: str
) -> None:
    """A thread whose vertex is in the frontier looks at its piece; the others ask and leave."""
    done = gpubfs.run(
        "virtual-split",
        spec,
        block=BLOCK,
        degree_bound=bound,
        coalesced=coalesced,
        schedule=schedule,
    )
    pieces = list(edges_of(done.graph, bound, coalesced))
    assert max(len(edges) for _, edges in pieces) <= bound
    threads = -(-len(pieces) // BLOCK) * BLOCK
    assert done.launches == done.depth + 1
    for depth, launch in enumerate(done.per_launch):
        looked, work = np.zeros(threads, int), np.zeros(threads, int)
        for i, (u, edges) in enumerate(pieces):
            work[i] = 2  # whose it is, and that vertex's status
            if done.levels[u] == depth:
                unvisited = int((done.levels[edges] == depth + 1).sum())
                looked[i] = len(edges)
                # Two offsets and which piece; an edge and a status each; what it writes.
                work[i] += 3 + 2 * len(edges) + unvisited + (unvisited > 0)
        turns = looked.reshape(-1, WARP).max(axis=1).sum()
        assert sites(launch, "load", "neighbours") == (turns, looked.sum())
        counted, expected = launch.counters.work, Work.of(work)
        assert counted.maximum <= 3 * bound + 6
        assert (counted.values.tolist(), counted.counts.tolist()) == (
            expected.values.tolist(),
            expected.counts.tolist(),
        )


@pytest.mark.parametrize("spec", ["kron:10", "powerlaw:3000", "star:2000"])
def test_a_hub_is_split(spec: str) -> None:
    """Who walks a hub's adjacency has as much to do as it has edges, and a piece has not."""
    graph = gpubfs.graph(spec)
    one, pieces = (gpubfs.run(name, graph) for name in ("status-array", "virtual-split"))
    assert one.counters["work"]["maximum"] > 2 * graph.degrees.max()
    # In each level at most all that a piece can have to do.
    assert pieces.counters["work"]["maximum"] <= 3 * 8 + 6
    assert pieces.counters["work"]["imbalance"] < one.counters["work"]["imbalance"] / 4


def test_a_larger_bound_is_less_even() -> None:
    runs = [gpubfs.run("virtual-split", "kron:10", degree_bound=k) for k in (2, 8, 32, 128)]
    largest = [done.counters["work"]["maximum"] for done in runs]
    assert largest == sorted(largest)
    assert largest[0] < largest[-1]


def test_neighbouring_pieces_of_a_hub_look_at_neighbouring_edges() -> None:
    """32 pieces of 8 edges: eight loads of 4 sectors, where runs of edges are a sector each."""
    sectors = {}
    for coalesced in (True, False):
        done = gpubfs.run("virtual-split", "star:256", 0, coalesced=coalesced)
        found = [s for s in done.per_launch[0].sites if (s.kind, s.array) == ("load", "neighbours")]
        assert sum(site.requests for site in found) == 8
        sectors[coalesced] = sum(site.sectors for site in found)
    assert sectors == {True: 8 * 4, False: 8 * 32}


@pytest.mark.parametrize("bound", [1, 8, 100])
@pytest.mark.parametrize("spec", SPECS)
def test_the_table_is_all_that_is_added_to_the_graph(spec: str, bound: int) -> None:
    done = gpubfs.run("virtual-split", spec, degree_bound=bound)
    pieces = int((-(-done.graph.degrees // bound)).sum())
    sizes = done.counters["bytes_by_name"]
    assert {name: sizes[name] for name in sizes.keys() - {"offsets", "neighbours"}} == {
        "level": 4 * done.graph.vertices,
        "owner": 4 * pieces,
        "piece": 4 * pieces,
        "found": 4,
    }
    assert pieces <= done.graph.vertices + done.graph.edges / bound


def test_a_vertex_without_edges_has_no_pieces() -> None:
    lonely = Graph.from_edges([1], [2], 4, name="lonely")
    alone = gpubfs.run("virtual-split", lonely, 0, sanitize="all")
    assert (alone.levels.tolist(), alone.launches) == ([0, -1, -1, -1], 1)
    nobody = Graph.from_edges([], [], 3, name="nobody")
    assert gpubfs.run("virtual-split", nobody, 1).launches == 1


@examples(30, 8)
@given(
    st.integers(1, 40),
    st.lists(st.tuples(st.integers(0, 39), st.integers(0, 39)), max_size=150),
    st.integers(1, 9),
    st.booleans(),
)
def test_levels_are_those_of_the_graph(
    vertices: int, ends: list[tuple[int, int]], bound: int, coalesced: bool
) -> None:
    inside = [(u % vertices, v % vertices) for u, v in ends]
    tails, heads = ([pair[k] for pair in inside] for k in (0, 1))
    graph = Graph.from_edges(tails, heads, vertices, directed=True, name="directed")
    options = {"degree_bound": bound, "coalesced": coalesced, "block": 32}
    split_up = gpubfs.run("virtual-split", graph, 0, **options)
    whole = gpubfs.run("thread-per-vertex", graph, 0)
    np.testing.assert_array_equal(split_up.levels, whole.levels)
