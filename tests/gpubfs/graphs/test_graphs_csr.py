"""The CSR graph: what it accepts, what it refuses, and that it agrees with SciPy and NetworkX."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from gpubfs.graphs import Graph, GraphError, graph
from gpubfs.graphs.limits import check_size, memory

EDGES = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=40)
    )
)


def made(n: int, edges: list[tuple[int, int]], **options: bool) -> Graph:
    """The graph of a list of pairs."""
    return Graph.from_edges([u for u, _ in edges], [v for _, v in edges], n, **options)


@given(EDGES)
def test_undirected_edges_are_those_of_networkx(case: tuple[int, list[tuple[int, int]]]) -> None:
    n, edges = case
    expected: networkx.Graph = networkx.Graph()
    expected.add_nodes_from(range(n))
    expected.add_edges_from((u, v) for u, v in edges if u != v)
    found = made(n, edges)
    assert [sorted(expected[v]) for v in range(n)] == [found.adjacent(v).tolist() for v in range(n)]
    assert found == Graph.from_networkx(expected)


@given(EDGES, st.booleans())
def test_directed_edges_are_those_of_networkx(
    case: tuple[int, list[tuple[int, int]]], loops: bool
) -> None:
    n, edges = case
    expected: networkx.DiGraph = networkx.DiGraph()
    expected.add_nodes_from(range(n))
    expected.add_edges_from((u, v) for u, v in edges if loops or u != v)
    found = made(n, edges, directed=True, loops=loops)
    assert [sorted(expected[v]) for v in range(n)] == [found.adjacent(v).tolist() for v in range(n)]
    backwards = found.reversed
    assert [sorted(expected.pred[v]) for v in range(n)] == [
        backwards.adjacent(v).tolist() for v in range(n)
    ]
    assert backwards.reversed == found


@given(EDGES)
def test_scipy_round_trip(case: tuple[int, list[tuple[int, int]]]) -> None:
    found = made(*case, directed=True, loops=True)
    matrix = found.to_scipy()
    assert matrix.dtype == np.int8
    assert matrix.nnz == found.edges
    again = Graph.from_scipy(matrix, directed=True)
    assert again == made(*case, directed=True)


@given(EDGES, st.sampled_from(["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]))
def test_one_matrix_is_one_graph_in_every_format(
    case: tuple[int, list[tuple[int, int]]], layout: str
) -> None:
    expected = made(*case)
    matrix = expected.to_scipy()
    assert Graph.from_scipy(matrix.asformat(layout)) == expected
    n = expected.vertices
    assert Graph.from_scipy(matrix.tobsr((n, n))) == expected  # one block, most of it zeros


@given(EDGES)
def test_raw_keeps_every_edge(case: tuple[int, list[tuple[int, int]]]) -> None:
    n, edges = case
    found = made(n, edges, directed=True, loops=True, duplicates=True)
    sources = np.repeat(np.arange(n), found.degrees)
    assert sorted(zip(sources.tolist(), found.neighbours.tolist(), strict=True)) == sorted(edges)
    both = made(n, edges, loops=True, duplicates=True)
    assert both.edges == 2 * len(edges) - sum(u == v for u, v in edges)
    assert both.notes == ()


@given(EDGES)
def test_notes_account_for_every_listed_edge(case: tuple[int, list[tuple[int, int]]]) -> None:
    n, edges = case
    found = made(n, edges)
    dropped = sum(int(note.split()[0].replace(",", "")) for note in found.notes)
    assert len(edges) == found.edges // 2 + dropped


@pytest.mark.parametrize(
    ("offsets", "neighbours", "message"),
    [
        ([], [], "offsets is empty"),
        ([0], [], "no vertices"),
        ([1, 1], [], "offsets starts at 1"),
        ([0, 2, 1], [0], "offsets falls from 2 to 1 at vertex 1"),
        ([0, 1, 3], [1, 0], "offsets ends at 3, and neighbours holds 2"),
        ([0, 1, 2], [1, 2], "neighbour 2 at position 1 is not one of the 2 vertices"),
        ([0, 1, 2], [1, -1], "neighbour -1 at position 1"),
        ([0, 1, 1], [1], "vertex 0 has 1 as a neighbour but not the other way round"),
        ([0, 2, 3], [1, 1, 0], "vertex 0 has 1 as a neighbour but not the other way round"),
        ([0, 1, 3], [1, 0, 0], "vertex 1 has 0 as a neighbour but not the other way round"),
        ([0.0, 0.5], [0], "offsets holds float64"),
        ([[0, 0]], [0], "offsets has 2 dimensions"),
    ],
)
def test_arrays_that_are_no_graph(offsets: object, neighbours: object, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        Graph(np.array(offsets), np.array(neighbours, np.int32))


def test_unsorted_neighbours_are_legal() -> None:
    assert Graph(np.array([0, 2, 3, 4]), np.array([2, 1, 0, 0])).hub == 0


@pytest.mark.parametrize(
    ("sources", "targets", "vertices", "message"),
    [
        ([0], [1, 2], None, "there are 1 sources and 2 targets"),
        ([0], [3], 3, "vertex 3 at position 0 is not one of the 3 vertices"),
        ([-2], [0], None, "vertex -2"),
        ([], [], None, "no vertices"),
        ([], [], 0, "no vertices"),
        ([], [], -1, "no vertices"),
        ([0.5], [1], None, "sources holds float64"),
    ],
)
def test_edges_that_are_no_graph(
    sources: list[int], targets: list[int], vertices: int | None, message: str
) -> None:
    with pytest.raises(GraphError, match=message):
        Graph.from_edges(sources, targets, vertices)


def test_offsets_are_32_bits_unless_asked() -> None:
    narrow = Graph.from_edges([0], [1])
    wide = Graph.from_edges([0], [1], index64=True)
    assert (narrow.offsets.dtype, wide.offsets.dtype) == (np.int32, np.int64)
    assert (narrow.neighbours.dtype, wide.neighbours.dtype) == (np.int32, np.int32)
    assert narrow == wide == narrow.with_index64() == graph("path:2", index64=True)
    assert narrow.with_index64().degrees.dtype == np.int64
    assert Graph(wide.offsets, wide.neighbours).offsets.dtype == np.int64


def test_graphs_cannot_be_changed() -> None:
    found = graph("karate")
    for array in (found.offsets, found.neighbours, found.degrees):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_the_given_arrays_stay_writeable() -> None:
    offsets = np.array([0, 1, 2], np.int32)
    Graph(offsets, np.array([1, 0], np.int32))
    offsets[0] = 0


def test_hub_is_the_smallest_of_the_busiest_vertices() -> None:
    assert Graph.from_edges([1, 1, 4, 4], [2, 3, 5, 6]).hub == 1


def test_equality_ignores_names() -> None:
    path = graph("path:3")
    assert path == path.renamed("other")
    assert hash(path) == hash(path.renamed("other"))
    assert path != graph("path:4")
    assert path != Graph(path.offsets, path.neighbours, directed=True)
    assert path != "path:3"


def test_other_kinds_of_graph_are_accepted() -> None:
    expected = graph("petersen")
    assert graph(expected) is expected
    assert graph(expected.to_scipy()) == expected
    assert graph(scipy.sparse.coo_matrix(expected.to_scipy())) == expected
    assert graph(networkx.petersen_graph()) == expected
    assert graph(networkx.DiGraph([(0, 1)])).directed


@pytest.mark.parametrize("thing", [None, 3, ["kron:3"], b"toy"])
def test_other_things_are_refused(thing: object) -> None:
    with pytest.raises(GraphError, match="is not a graph"):
        graph(thing)


def test_matrices_must_be_square_and_sparse() -> None:
    with pytest.raises(GraphError, match="2 by 3"):
        Graph.from_scipy(scipy.sparse.csr_array((2, 3)))
    with pytest.raises(GraphError, match="ndarray is not a SciPy sparse matrix"):
        Graph.from_scipy(np.eye(3))


def test_vertices_are_checked() -> None:
    with pytest.raises(
        GraphError, match="source 5 is not in path:3, which has 3 vertices"
    ) as error:
        graph("path:3").check_vertex(5, "source")
    assert error.value.hint == "take a number from 0 to 2"


def test_display() -> None:
    found = graph("star:3").renamed("<star>", "A note.")
    console = Console(width=70, color_system=None, record=True, file=None)
    with console.capture() as capture:
        console.print(found)
    text = capture.get()
    assert "<star>" in text
    assert "6 (both directions)" in text
    assert "3 at vertex 0" in text
    assert "A note." in text
    assert "<caption>&lt;star&gt;</caption>" in found._repr_html_()
    assert repr(found) == "Graph('<star>', vertices=4, edges=6)"


def test_sizes_beyond_memory_are_refused() -> None:
    check_size("it", 1, 1, "")
    with pytest.raises(GraphError, match=r"needs about .* GiB .* limit is this machine's memory"):
        check_size("it", 1, memory(), "")
    with pytest.raises(GraphError, match="limit is 2,147,483,647"):
        check_size("it", 2**31, 0, "")
