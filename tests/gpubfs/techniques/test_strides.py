"""Grids of fewer threads than there is work for: what a thread does not come to is left out.

Grids of searches are as large as a GPU has room for, so that only a small GPU makes threads take a
second turn in small graphs: the toy with 8 lanes a warp holds 8 blocks of one warp.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpubfs
from gpubfs.graphs import Graph
from gpubfs.graphs.reference import reference_levels
from tests.gpubfs.techniques.test_enterprise import status_loads
from tests.gpubfs.techniques.variants import label

SMALL = {"device": "toy8", "block": 8, "counters": False}
#: All threads that the toy holds with such blocks.
RESIDENT = 64

#: Bottom-up only, with classes for threads, blocks (there are none for warps) and for the grid.
UP = {"alpha": 0}
BY_GRID = {**UP, "grid_degree": 8}

STRIDING: list[tuple[str, dict[str, Any], str]] = [
    ("virtual-warp", {}, "kron:8"),
    ("scan-based", {}, "kron:8"),
    ("cta-warp-scan", {}, "kron:8"),
    ("classified-deferred", {}, "kron:8"),
    ("double-scan", {"alpha": 2}, "kron:8"),
    ("central-queue", {"blocks": 3}, "kron:8"),
    ("dfq-global", {"blocks": 3}, "kron:7"),
    ("enterprise", {"alpha": 2}, "kron:8"),
    ("enterprise", UP, "kron:8"),
    ("enterprise", {**UP, "block": 16}, "kron:8"),
    ("enterprise", BY_GRID, "kron:8"),
]


@pytest.mark.parametrize(("name", "options", "spec"), STRIDING, ids=label)
def test_all_that_is_queued_is_expanded(name: str, options: dict[str, Any], spec: str) -> None:
    graph = gpubfs.graph(spec)
    done = gpubfs.run(name, graph, **{**SMALL, **options})
    np.testing.assert_array_equal(done.levels, reference_levels(graph, graph.hub))


@pytest.mark.parametrize("leaves", [RESIDENT - 1, RESIDENT, 3 * RESIDENT])
def test_the_grid_looks_at_all_edges_of_a_vertex(leaves: int) -> None:
    """The hub's only neighbour of the level before is the last of its many."""
    hub, source = leaves, leaves + 1
    graph = Graph.from_edges([hub] * (leaves + 1), [*range(leaves), source])
    done = gpubfs.run("enterprise", graph, source, **SMALL, **BY_GRID)
    assert {launch.kernel for launch in done.per_launch} >= {"enterprise_bottom_up_grid"}
    assert done.levels.tolist() == [2] * leaves + [1, 0]


def wide(width: int = 3 * RESIDENT) -> Graph:
    """A graph of three levels from vertex 0, whose second has half of the edges."""
    middle = np.arange(1, width + 1)
    children = middle + len(middle)
    sources = np.concatenate([np.zeros_like(middle), middle])
    return Graph.from_edges(sources, np.concatenate([middle, children]))


def test_all_hubs_of_a_frontier_are_remembered() -> None:
    """Each child's parent is in the cache, and spares it the load of a status."""
    done = gpubfs.run("enterprise", wide(), 0, **{**SMALL, "counters": True})
    assert {launch.depth for launch in done.per_launch if "bottom_up" in launch.kernel} == {1}
    assert status_loads(done) == 0


@pytest.mark.parametrize(("alpha", "up"), [(0.5, {1}), (0.51, set())])
def test_all_edges_of_a_frontier_are_counted(alpha: float, up: set[int]) -> None:
    done = gpubfs.run("double-scan", wide(), 0, alpha=alpha, **SMALL)
    assert {launch.depth for launch in done.per_launch if launch.kernel == "bottom_up"} == up


@pytest.mark.parametrize("width", [63, 64, 65, 200])
def test_ordered_sums_of_more_vertices_than_a_block_of_blocks(width: int) -> None:
    """With 8 threads a block, one block adds up 8 blocks' sums at a time, of 8 vertices each."""
    done = gpubfs.run("binary-search", wide(width), 0, prefix="ordered", **SMALL)
    assert done.levels.tolist() == [0, *[1] * width, *[2] * width]
