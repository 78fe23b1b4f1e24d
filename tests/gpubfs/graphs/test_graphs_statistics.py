"""Statistics of graphs, against NetworkX and by hand."""

from __future__ import annotations

import json

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from gpubfs.graphs import Graph, graph, statistics
from gpubfs.graphs.statistics import gini, histogram


def test_karate_is_as_networkx_says() -> None:
    expected = networkx.karate_club_graph()
    found = statistics(graph("karate"), 0)
    degrees = [degree for _, degree in expected.degree()]
    assert (found.vertices, found.edges) == (34, 156)
    assert found.average_degree == pytest.approx(np.mean(degrees))
    assert found.degree_deviation == pytest.approx(np.std(degrees))
    assert found.max_degree == max(degrees)
    assert found.depth == networkx.eccentricity(expected, 0)
    assert (found.reached, found.components, found.largest_component) == (34, 1, 34)
    assert 3 <= found.average_eccentricity <= 5


def test_the_default_source_is_the_hub() -> None:
    assert statistics(graph("star:5").renamed("x")).source == 0
    assert statistics(graph("path:5")).source == 1


def test_every_source_of_a_cycle_has_its_eccentricity() -> None:
    ring = Graph.from_networkx(networkx.cycle_graph(10))
    found = statistics(ring)
    assert (found.average_eccentricity, found.samples) == (5.0, 8)
    assert found.gini == pytest.approx(0)


def test_components_loops_and_isolated_vertices() -> None:
    made = Graph.from_edges([0, 1, 4], [1, 2, 4], 6, directed=True, loops=True)
    found = statistics(made, 0)
    assert (found.components, found.largest_component) == (4, 3)
    assert (found.self_loops, found.isolated) == (1, 2)
    assert (found.depth, found.reached, found.directed) == (2, 3, True)


def test_a_single_vertex() -> None:
    found = statistics(graph("path:1"))
    assert (found.depth, found.reached, found.average_eccentricity, found.samples) == (0, 1, 0.0, 0)
    assert found.histogram == ((0, 0, 1),)


@given(st.lists(st.integers(0, 1000), min_size=1))
def test_gini_is_half_the_relative_mean_difference(values: list[int]) -> None:
    array = np.array(values)
    mean = array.mean()
    expected = np.abs(array[:, None] - array[None]).mean() / (2 * mean) if mean else 0
    assert gini(array) == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.integers(0, 2**40), min_size=1))
def test_histogram_puts_every_degree_into_its_range(values: list[int]) -> None:
    found = histogram(np.array(values))
    assert sum(number for _, _, number in found) == len(values)
    for low, high, number in found:
        assert number == sum(low <= value <= high for value in values)


def test_it_shows_itself_and_goes_to_json() -> None:
    found = statistics(graph("toy"), 0)
    console = Console(width=60, color_system=None)
    with console.capture() as capture:
        console.print(found)
    assert "Gini coefficient" in capture.get()
    assert "degree 2–3" in capture.get()
    assert "<th>depth from 0</th><td>4</td>" in found._repr_html_()
    assert json.loads(json.dumps(found.as_dict()))["max_degree"] == 3


def test_wide_offsets_change_nothing() -> None:
    assert statistics(graph("kron:6", index64=True)) == statistics(graph("kron:6"))


def test_vertices_without_edges_are_counted_in_one_row() -> None:
    rows = dict(statistics(Graph.from_edges([0], [1], 4)).rows())
    assert rows["edges"] == "2 (both directions)"
    assert rows["without edges"] == "2"
    assert "degree 0" not in rows
    one_way = statistics(Graph.from_edges([0], [1], 4, directed=True)).rows()
    assert dict(one_way)["degree 0"] == "3"
