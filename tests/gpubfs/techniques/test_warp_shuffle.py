"""What warp-shuffle's counters show against virtual-warp's: the frontier is loaded once."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import gpubfs
from gpubfs.graphs import Graph
from gpubfs.graphs.reference import reference_levels
from gpubfs.host import Launch
from tests.sampling import sampled

SPECS = ["karate", "kron:8", "grid:12x9", "star:100"]
WARP = 32


@cache
def search(spec: str, width: int, name: str = "warp-shuffle") -> gpubfs.Run:
    """A search from the hub, which several tests look at."""
    return gpubfs.run(name, spec, width=width)


def requests(launch: Launch, array: str, kind: str = "load") -> int:
    return sum(s.requests for s in launch.sites if (s.kind, s.array) == (kind, array))


def lanes(done: gpubfs.Run, array: str, kind: str = "load") -> int:
    return sum(s.lanes for s in done.sites if (s.kind, s.array) == (kind, array))


def frontier_loads(name: str, vertices: int, **options: Any) -> int:
    """Requests for the frontier that is all leaves of a star."""
    return requests(gpubfs.run(name, f"star:{vertices}", 0, **options).per_launch[1], "frontier")


def test_figure_2_eight_loads_are_one() -> None:
    """A whole warp of vertices, and groups of eight lanes."""
    loads = [frontier_loads(name, 32, width=8) for name in ("virtual-warp", "warp-shuffle")]
    assert loads == [8, 1]


def test_figure_2_as_it_is_drawn() -> None:
    """The figure's warps have eight lanes, and there are eight vertices."""
    toy = {"width": 8, "device": "toy8", "block": 8}
    loads = [frontier_loads(name, 8, **toy) for name in ("virtual-warp", "warp-shuffle")]
    assert loads == [8, 1]


@pytest.mark.parametrize(
    ("width", "vertices"), sampled(product((1, 4, 8, 32), (1, 3, 4, 9, 31, 33, 100)), 5)
)
def test_with_less_than_a_warp_of_vertices_it_is_less(width: int, vertices: int) -> None:
    loads = [frontier_loads(n, vertices, width=width) for n in ("virtual-warp", "warp-shuffle")]
    assert loads == [-(-vertices * width // WARP), -(-vertices // WARP)]


@pytest.mark.parametrize(("spec", "width"), sampled(product(SPECS, (1, 2, 8, 32)), 3))
def test_one_lane_loads_a_vertex_and_its_offsets(spec: str, width: int) -> None:
    done = search(spec, width)
    assert lanes(done, "frontier") == done.reached
    assert lanes(done, "offsets") == 2 * done.reached
    others = search(spec, width, "virtual-warp")
    assert lanes(others, "frontier") == done.reached * width


@pytest.mark.parametrize(("spec", "width"), sampled(product(SPECS, (1, 2, 8, 32)), 3))
def test_every_edge_is_looked_at_once(spec: str, width: int) -> None:
    done = search(spec, width)
    assert lanes(done, "neighbours") == done.graph.degrees[done.levels >= 0].sum()


@pytest.mark.parametrize(("spec", "width"), sampled(product(SPECS, (1, 2, 8, 32)), 3))
def test_a_turn_takes_as_long_as_its_longest_adjacency(spec: str, width: int) -> None:
    done = search(spec, width)
    graph, first = done.graph, done.per_launch[1]
    degrees = graph.degrees[graph.adjacent(graph.hub)]
    padded = np.pad(degrees, (0, -len(degrees) % WARP)).reshape(-1, WARP // width, width)
    assert requests(first, "neighbours") == (-(-padded // width)).max(axis=1).sum()


def stems(count: int, leaves: int) -> Graph:
    """A root with `count` children, each with `leaves` of its own."""
    children = np.arange(1, count + 1)
    ends = np.arange(count + 1, count + 1 + count * leaves)
    tails = np.concatenate([np.zeros(count, int), np.repeat(children, leaves)])
    return Graph.from_edges(tails, np.concatenate([children, ends]), 1 + count + len(ends))


def test_small_frontiers_leave_groups_without_work() -> None:
    """Eight vertices of eight edges: one group goes along all of them, and not eight groups."""
    graph = stems(8, 7)
    works = [
        gpubfs.run(name, graph, 0, width=8).per_launch[1].counters.work
        for name in ("virtual-warp", "warp-shuffle")
    ]
    assert works[1].maximum > 5 * works[0].maximum


@pytest.mark.parametrize(
    ("spec", "device"), sampled(product(("toy", "star:70", "kron:6"), ("toy2", "toy4", "toy8")), 4)
)
def test_warps_of_other_sizes(spec: str, device: str) -> None:
    graph = gpubfs.graph(spec)
    for block in (8, 16) if device != "toy2" else (2, 8):
        done = gpubfs.run("warp-shuffle", graph, device=device, block=block, sanitize="all")
        np.testing.assert_array_equal(done.levels, reference_levels(graph, graph.hub))


def test_a_width_is_chosen_by_the_average_degree() -> None:
    assert gpubfs.run("warp-shuffle", "path:40").options["width"] == 2
    assert gpubfs.run("warp-shuffle", "kron:8").options["width"] == 32
    assert gpubfs.run("warp-shuffle", "kron:8").options["supports"] == "none"


def test_many_blocks_go_over_the_frontier_in_strides() -> None:
    """On a toy GPU that holds 32 threads, 900 leaves take many turns."""
    done = gpubfs.run("warp-shuffle", "star:900", 0, device="toy4", block=4)
    assert done.per_launch[1].grid[0] == 8
    assert done.verified
