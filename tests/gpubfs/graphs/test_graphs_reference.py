"""The reference traversal, against SciPy and the laws of a breadth-first tree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import shortest_path

from gpubfs.graphs import Graph, GraphError, graph
from gpubfs.graphs.reference import Direction, first_steps, reference_levels, traverse

DIRECTIONS: list[Direction | None] = [None, "top-down", "bottom-up"]


def expected(made: Graph, source: int) -> np.ndarray:
    """Distances by SciPy's Dijkstra."""
    distance = shortest_path(made.to_scipy(), unweighted=True, indices=source)
    return np.where(np.isinf(distance), -1, distance).astype(np.int32)


@given(
    st.integers(1, 20),
    st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=60),
    st.booleans(),
    st.sampled_from(DIRECTIONS),
)
def test_levels_are_distances(
    n: int, edges: list[tuple[int, int]], directed: bool, direction: Direction | None
) -> None:
    ends = np.array(edges, int).reshape(-1, 2) % n
    made = Graph.from_edges(ends[:, 0], ends[:, 1], n, directed=directed)
    found = traverse(made, n // 2, direction)
    assert (found.levels == expected(made, n // 2)).all()
    check_tree(made, found.levels, found.parents)


@given(
    st.integers(2, 300),
    st.lists(st.tuples(st.integers(0, 299), st.integers(0, 299)), max_size=9),
    st.booleans(),
)
def test_levels_of_deep_graphs_are_distances(
    length: int, edges: list[tuple[int, int]], directed: bool
) -> None:
    row = np.arange(200 + length)
    more = np.array(edges, int).reshape(-1, 2)
    tails, heads = np.append(row[:-1], more[:, 0]), np.append(row[1:], more[:, 1] + length)
    made = Graph.from_edges(tails, heads, 600, directed=directed)
    for source in (0, length):
        assert (reference_levels(made, source) == expected(made, source)).all()


def check_tree(made: Graph, levels: np.ndarray, parents: np.ndarray) -> None:
    """Parents are neighbours one level up; the source is its own."""
    assert ((parents < 0) == (levels < 0)).all()
    for vertex in np.flatnonzero(levels > 0):
        assert levels[parents[vertex]] == levels[vertex] - 1
        assert vertex in made.adjacent(parents[vertex])


@pytest.mark.parametrize("spec", ["kron:10", "road:900", "rgg:400", "star:300", "grid:20x3", "toy"])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_larger_graphs(spec: str, direction: Direction | None) -> None:
    made = graph(spec)
    found = traverse(made, made.hub, direction)
    assert (found.levels == expected(made, made.hub)).all()
    assert found.levels.dtype == found.parents.dtype == np.int32
    assert [step.level for step in found.steps] == list(range(1, len(found.steps) + 1))
    sizes = np.bincount(found.levels[found.levels > 0], minlength=1)[1:]
    assert [step.discovered for step in found.steps] == [*sizes, 0]
    assert found.reached == 1 + sum(sizes)


def test_top_down_checks_the_edges_of_all_reached_vertices() -> None:
    made = graph("kron:8")
    found = traverse(made, made.hub, "top-down")
    assert found.edges_checked == made.degrees[found.levels >= 0].sum()


def test_bottom_up_stops_at_the_first_parent() -> None:
    toy = graph("toy")
    third = traverse(toy, 0, "bottom-up").steps[2]
    assert (third.level, third.discovered) == (3, 3)
    assert third.edges_checked == 1 + 2 + 1 + 2


@given(st.integers(0, 63))
@settings(max_examples=8)
def test_bottom_up_counts_like_a_sequential_scan(source: int) -> None:
    made = graph("kron:6")
    found = traverse(made, source, "bottom-up")
    for step in found.steps:
        checked = 0
        for vertex in np.flatnonzero((found.levels < 0) | (found.levels >= step.level)):
            hits = np.flatnonzero(found.levels[made.adjacent(vertex)] == step.level - 1)
            checked += hits[0] + 1 if len(hits) else len(made.adjacent(vertex))
        assert step.edges_checked == checked


def test_ligra_switches_on_dense_frontiers_only() -> None:
    assert {step.direction for step in traverse(graph("road:2000"), 0).steps[:20]} == {"top-down"}
    dense = graph("er:10")
    assert "bottom-up" in {step.direction for step in traverse(dense, 0).steps}
    assert traverse(dense, 0).edges_checked < traverse(dense, 0, "top-down").edges_checked


def test_a_single_vertex() -> None:
    found = traverse(graph("path:1"), 0)
    assert (found.depth, found.reached, found.edges_checked) == (0, 1, 0)


def test_a_source_outside_is_refused() -> None:
    with pytest.raises(GraphError, match="source 10 is not in toy"):
        reference_levels(graph("toy"), 10)


@given(st.integers(0, 9), st.integers(1, 40), st.integers(1, 12))
def test_the_first_steps_are_a_search_that_ends_when_it_is_enough(
    source: int, vertices: int, levels: int
) -> None:
    made = graph("grid:10x10")
    every = traverse(made, source, "top-down").steps
    first = first_steps(made, source, vertices, levels)
    assert first == every[: len(first)]
    discovered = [sum(step.discovered for step in first[:n]) for n in range(len(first) + 1)]
    assert discovered[-1] >= vertices or len(first) == levels
    assert discovered[-2] < vertices
    assert len(first) <= levels
