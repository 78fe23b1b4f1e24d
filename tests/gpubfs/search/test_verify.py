from itertools import product
from weakref import WeakKeyDictionary

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gpubfs
from gpubfs.graphs import Graph
from gpubfs.graphs.reference import reference_levels
from gpubfs.search import verify as module
from gpubfs.search.verify import VerificationError, verify
from tests.sampling import examples


@st.composite
def searches(draw: st.DrawFn) -> tuple[Graph, int, np.ndarray]:
    """A small graph of any shape, a source, and the right levels."""
    vertices = draw(st.integers(1, 12))
    vertex = st.integers(0, vertices - 1)
    ends = draw(st.lists(st.tuples(vertex, vertex), max_size=30))
    sources, targets = ([end[i] for end in ends] for i in (0, 1))
    graph = Graph.from_edges(sources, targets, vertices, directed=draw(st.booleans()))
    source = draw(vertex)
    return graph, source, reference_levels(graph, source)


def parents_of(graph: Graph, levels: np.ndarray) -> np.ndarray:
    """Some right parents: of each vertex its last predecessor."""
    parents = np.full(graph.vertices, -1, np.int32)
    for tail in range(graph.vertices):
        for head in graph.adjacent(tail):
            if levels[tail] >= 0 and levels[head] == levels[tail] + 1:
                parents[head] = tail
    return parents


@given(searches())
def test_right_answers_pass(search) -> None:
    graph, source, levels = search
    verify(graph, source, levels)
    parents = parents_of(graph, levels)
    verify(graph, source, levels, parents)
    parents[source] = source
    verify(graph, source, levels, parents)


@given(searches(), st.data())
def test_one_wrong_level_is_caught_where_it_is(search, data) -> None:
    graph, source, levels = search
    vertex = data.draw(st.integers(0, graph.vertices - 1))
    wrong = data.draw(st.integers(-3, 14) | st.sampled_from([2**31 - 1, -(2**31)]))
    assume(wrong != levels[vertex])
    levels = levels.copy()
    levels[vertex] = wrong
    with pytest.raises(VerificationError) as caught:
        verify(graph, source, levels)
    assert caught.value.vertex == vertex
    assert f"vertex {vertex} " in str(caught.value)


@given(searches(), st.data())
def test_any_other_levels_are_caught(search, data) -> None:
    graph, source, levels = search
    entries = st.integers(-1, graph.vertices - 1)
    size = graph.vertices
    other = np.array(data.draw(st.lists(entries, min_size=size, max_size=size)), np.int32)
    assume(not np.array_equal(other, levels))
    with pytest.raises(VerificationError):
        verify(graph, source, other)


@examples(60, 12)
@given(st.sets(st.tuples(*[st.integers(0, 3)] * 2), max_size=10), st.booleans())
def test_of_all_levels_only_distances_pass(edges: set[tuple[int, int]], directed: bool) -> None:
    sources, targets = ([edge[end] for edge in sorted(edges)] for end in (0, 1))
    graph = Graph.from_edges(sources, targets, 4, directed=directed)
    right = reference_levels(graph, 0).tolist()
    for levels in product(range(-1, 4), repeat=4):
        try:
            verify(graph, 0, np.array(levels, np.int32))
        except VerificationError:
            assert list(levels) != right
        else:
            assert list(levels) == right


@given(searches(), st.data())
def test_one_wrong_parent_is_caught_where_it_is(search, data) -> None:
    graph, source, levels = search
    parents = parents_of(graph, levels)
    vertex = data.draw(st.integers(0, graph.vertices - 1))
    wrong = data.draw(st.integers(-2, graph.vertices + 1))
    own = [source, -1] if vertex == source else [-1] if levels[vertex] < 0 else []
    inside = 0 <= wrong < graph.vertices
    right = inside and vertex in graph.adjacent(wrong) and levels[wrong] == levels[vertex] - 1
    assume(wrong not in own and not (right and levels[vertex] > 0))
    parents[vertex] = wrong
    with pytest.raises(VerificationError) as caught:
        verify(graph, source, levels, parents)
    assert caught.value.vertex == vertex


def test_pieces_of_the_edge_list_give_the_same_verdict(monkeypatch) -> None:
    graph = gpubfs.graph("kron:6")
    levels = reference_levels(graph, graph.hub)
    monkeypatch.setattr(module, "CHUNK", 7)
    monkeypatch.setattr(module, "QUICK_CHUNK", 5)
    verify(graph, graph.hub, levels)
    deepest = int(levels.argmax())
    levels = levels.copy()
    levels[deepest] += 1
    with pytest.raises(VerificationError, match=f"vertex {deepest} "):
        verify(graph, graph.hub, levels)


def test_messages_say_what_is_wrong() -> None:
    path = gpubfs.graph("path:4")

    def reason(*levels: int, parents: list[int] | None = None) -> str:
        given_parents = None if parents is None else np.array(parents, np.int32)
        with pytest.raises(VerificationError) as caught:
            verify(path, 0, np.array(levels, np.int32), given_parents)
        return str(caught.value)

    assert reason(1, 1, 2, 3) == "vertex 0 is the source, but has level 1 instead of 0"
    assert reason(0, 1, 2, -1) == "vertex 3 has no level, but can be reached from 0"
    assert reason(0, 0, 2, 3) == "vertex 1 has level 0, but the source is 0"
    assert reason(0, 2, 3, 3) == "vertex 1 has level 2, but its neighbour 0 has level 0"
    assert "no neighbour of it is at level 0" in reason(0, 1, 1, 2)
    two = gpubfs.Graph.from_edges([0], [1], 3)
    with pytest.raises(VerificationError, match="cannot be reached from 0"):
        verify(two, 0, np.array([0, 1, 1], np.int32))


def test_arrays_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="levels has shape"):
        verify(gpubfs.graph("path:4"), 0, np.array([0, 1], np.int32))


@pytest.fixture
def looked_for(monkeypatch) -> list[int]:
    """The sources from which the properties were looked for, edge by edge; none is known before."""
    monkeypatch.setattr(module, "_verified", WeakKeyDictionary())
    sources: list[int] = []
    look = module._check_source

    def counted(source: int, levels: np.ndarray) -> None:
        sources.append(source)
        look(source, levels)

    monkeypatch.setattr(module, "_check_source", counted)
    return sources


def test_the_properties_are_looked_for_once_and_equal_levels_have_them(looked_for) -> None:
    graph = gpubfs.graph("kron:7")
    levels = reference_levels(graph, graph.hub)
    for _ in range(3):
        verify(graph, graph.hub, levels.copy())
    assert looked_for == [graph.hub]
    other = gpubfs.graph("kron:7,shuffle")  # of the same size
    verify(other, other.hub, reference_levels(other, other.hub))
    assert looked_for == [graph.hub, other.hub]


@given(searches(), st.data())
def test_a_wrong_level_is_caught_after_right_ones_by_the_same_words(search, data) -> None:
    graph, source, levels = search
    vertex = data.draw(st.integers(0, graph.vertices - 1))
    wrong = levels.copy()
    wrong[vertex] = data.draw(st.integers(-3, 14).filter(lambda level: level != levels[vertex]))
    with pytest.raises(VerificationError) as first:
        verify(graph, source, wrong)
    verify(graph, source, levels)
    with pytest.raises(VerificationError) as later:
        verify(graph, source, wrong)
    assert str(later.value) == str(first.value)
    verify(graph, source, levels)


def test_who_changes_verified_levels_afterwards_changes_no_verdict(looked_for) -> None:
    path = gpubfs.graph("path:4")
    levels = np.array([0, 1, 2, 3], np.int32)
    verify(path, 0, levels)
    levels[3] = 2
    with pytest.raises(VerificationError, match="vertex 3 "):
        verify(path, 0, levels)


def test_levels_from_one_source_are_not_those_from_another() -> None:
    path = gpubfs.graph("path:4")
    verify(path, 0, np.array([0, 1, 2, 3], np.int32))
    with pytest.raises(VerificationError, match="vertex 3 is the source"):
        verify(path, 3, np.array([0, 1, 2, 3], np.int32))


def test_levels_of_the_latest_sources_are_kept(looked_for) -> None:
    path = gpubfs.graph("path:20")
    sources = range(module.SOURCES_KEPT + 1)
    for source in (*sources, *sources[1:], 0):
        verify(path, source, reference_levels(path, source))
    assert looked_for == [*sources, 0]


def test_parents_are_looked_at_where_levels_are_known() -> None:
    path = gpubfs.graph("path:3")
    levels = np.array([0, 1, 2], np.int32)
    verify(path, 0, levels)
    with pytest.raises(VerificationError, match="vertex 2 "):
        verify(path, 0, levels, np.array([-1, 0, 0], np.int32))


@pytest.mark.parametrize("by", ["properties", "ligra"])
@pytest.mark.parametrize("source", [-1, 4])
def test_a_source_that_is_not_there(by: str, source: int) -> None:
    path = gpubfs.graph("path:4")
    with pytest.raises(gpubfs.GraphError, match="source"):
        verify(path, source, np.arange(4, dtype=np.int32), by=by)
