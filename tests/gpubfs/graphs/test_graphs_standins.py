"""Stand-ins: their degrees against the papers' tables, their structures, what is said of them."""

from __future__ import annotations

import json

import networkx
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from scipy.sparse.csgraph import connected_components

from gpubfs.cli.main import group
from gpubfs.grading.names import check_graph
from gpubfs.graphs import Graph, GraphError, graph, statistics
from gpubfs.graphs.paper_tables import BUSATO, DOUBTFUL, TABLES, Figures, graphs, key
from gpubfs.graphs.reference import traverse
from gpubfs.graphs.shuffle import shuffled
from gpubfs.graphs.standins.choice import STRUCTURES, default_vertices, structure
from gpubfs.graphs.standins.degrees import Wanted, degree_sequence
from gpubfs.graphs.standins.local import near_edges
from gpubfs.graphs.standins.pairing import directed, joined
from gpubfs.graphs.statistics import gini

#: Half of the resident threads of the GTX 980, on which Busato and Bombieri measured.
HALF = 16_384

#: What a supplementary queue, a gathering block or a gathering warp is for, more than so many.
THRESHOLDS = (32, 64, 128, 256, 512, 1024, HALF)

#: Graphs that one vertex of high degree makes uneven at the default size.
UNEVEN = ("soc-LiveJournal1", "soc-pokec-relationships")


#: The first graph of each structure, and all others.
FIRST = tuple({structure(name): name for name in reversed(graphs())}.values())
EACH = [pytest.param(name, marks=() if name in FIRST else pytest.mark.slow) for name in graphs()]


def named(row: Figures) -> str:
    return row.name


# The tables themselves


def test_the_tables_are_as_long_as_the_papers() -> None:
    assert [len(table.rows) for table in TABLES] == [19, 12, 10, 6, 8]
    assert len(graphs()) == len({key(name) for name in graphs()}) == 48


@pytest.mark.parametrize("row", [row for table in TABLES for row in table.rows], ids=named)
def test_a_row_agrees_with_itself(row: Figures) -> None:
    """Edges over vertices are the average degree, as exact as both are printed."""
    assert len(row.cells) == len(row.table.columns)
    if row.printed("average_degree"):
        assert row.vertices
        assert row.edges
        least = (row.edges - 50_000) / (row.vertices + 50_000)
        most = (row.edges + 50_000) / (row.vertices - 50_000)
        assert least - 0.05 <= (row.average_degree or 0) <= most + 0.05


@pytest.mark.parametrize("row", BUSATO.rows, ids=named)
def test_only_the_doubtful_deviation_is_impossible(row: Figures) -> None:
    """The vertex of the largest degree alone makes a standard deviation."""
    assert row.vertices
    assert row.max_degree
    least = (row.max_degree - row.average_degree) / np.sqrt(row.vertices + 50_000)  # type: ignore[operator]
    assert (least > row.degree_deviation + 0.05) == (
        (key(row.name), "degree_deviation") in DOUBTFUL
    )


def test_every_graph_has_a_structure_that_there_is() -> None:
    listed = [name for names in STRUCTURES.values() for name in names.split()]
    assert len(listed) == len(set(listed))
    assert set(listed) <= {key(name) for name in graphs()}


# Against the tables


def check_figures(row: Figures, made: Graph) -> None:
    """The figures are the table's, as far as the notes do not say that they cannot be."""
    said = " ".join(made.notes)
    degrees = made.degrees
    assert made.directed == row.directed
    assert degrees.mean() == pytest.approx(row.average_degree, rel=0.03)
    assert gini(degrees) == pytest.approx(row.gini, abs=0.015)
    if "is too much for" not in said:
        assert degrees.max() == row.max_degree
    if "cannot be right" in said or structure(row.name) == "circuit with hubs":
        return
    if "makes most of the standard deviation" in said:
        degrees = np.delete(degrees, made.hub)
    assert degrees.std() == pytest.approx(row.degree_deviation, rel=0.08, abs=0.06)


@pytest.mark.slow
@pytest.mark.parametrize("row", BUSATO.rows, ids=named)
def test_at_the_default_size_the_degrees_are_those_of_table_1(row: Figures) -> None:
    made = graph(f"standin:{row.name}")
    check_figures(row, made)
    too_much = [note for note in made.notes if "is too much for" in note]
    assert bool(too_much) == (row.name in ("circuit5M", "FullChip", "kron_g500-logn21"))
    uneven = [note for note in made.notes if "makes most of the standard deviation" in note]
    assert bool(uneven) == (row.name in UNEVEN)
    assert row.max_degree
    for threshold in THRESHOLDS:
        assert (made.degrees.max() > threshold) == (row.max_degree > threshold)


@pytest.mark.parametrize("row", [row for row in BUSATO.rows if row.max_degree < 400], ids=named)  # type: ignore[operator]
def test_smaller_ones_have_the_degrees_too(row: Figures) -> None:
    check_figures(row, graph(f"standin:{row.name},5000"))


@pytest.mark.parametrize("name", EACH)
def test_every_one_is_simple_deterministic_and_mostly_connected(name: str) -> None:
    made = graph(f"standin:{name},900")
    assert made == graph(f"standin:{name},900,seed=1")
    assert made.notes[0].startswith(f"Generated ({structure(name)}): it stands in for {name} of ")
    matrix = made.to_scipy()
    assert not matrix.diagonal().any()
    assert all((np.diff(made.adjacent(v)) > 0).all() for v in range(made.vertices))
    label = connected_components(matrix, directed=False)[1]
    linked = np.bincount(label).max() / np.count_nonzero(made.degrees + made.reversed.degrees)
    assert linked > 0.9
    assert default_vertices(name) >= 1000
    if structure(name) not in ("19-point stencil",):
        assert made != graph(f"standin:{name},900,seed=2")


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("size", [1, 2, 3, 5, 17])
def test_no_size_is_too_small(name: str, size: int) -> None:
    made = graph(f"standin:{name},{size}")
    about = ("19-point stencil", "Kronecker graph")
    assert made.vertices == size or structure(name) in about


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("asia_osm", 200, 2000),
        ("USA-road-d.USA", 100, 1000),
        ("hugebubbles-00020", 60, 400),
        ("delaunay_n24", 20, 120),
        ("ldoor", 15, 80),
        ("cage15", 6, 25),
        ("soc-pokec-relationships", 2, 8),
        ("er-fact1.5-scale23", 2, 8),
    ],
)
def test_depths_are_those_of_the_structure(name: str, least: int, most: int) -> None:
    assert least <= traverse(graph(f"standin:{name},10000"), 0).depth <= most


def test_meshes_and_roads_are_what_they_are_called() -> None:
    bubbles = graph("standin:hugebubbles-00020,600")
    assert (bubbles.degrees == 3).all()
    assert networkx.check_planarity(networkx.from_scipy_sparse_array(bubbles.to_scipy()))[0]
    stencil = graph("standin:channel-500x100x100,50000").degrees
    assert np.unique(stencil).tolist() == [13, 18]
    circuit = graph("standin:circuit5M,4000")
    share = BUSATO.rows[10].max_degree / BUSATO.rows[10].vertices  # type: ignore[operator]
    top = np.sort(circuit.degrees)[-2:]
    assert top == pytest.approx(share * 4000, rel=0.02)


# How the parts work


@pytest.mark.slow
@given(st.lists(st.integers(0, 12), min_size=40, max_size=80), st.integers(0, 9))
@settings(max_examples=60, deadline=None)
def test_joining_keeps_degrees_and_never_repeats(degrees: list[int], seed: int) -> None:
    array = np.array(degrees)
    for ends in (
        joined(array, np.random.default_rng(seed)),
        near_edges(array, (-(-len(array) // 9), 9)),
    ):
        pairs = {frozenset(pair) for pair in ends.T.tolist()}
        assert len(pairs) == ends.shape[1]
        assert all(len(pair) == 2 for pair in pairs)
        assert (np.bincount(ends.ravel(), minlength=len(array)) <= array).all()


@given(st.lists(st.integers(0, 12), min_size=40, max_size=80), st.integers(0, 9))
@settings(max_examples=60, deadline=None)
def test_directed_edges_keep_both_degrees(degrees: list[int], seed: int) -> None:
    out, into = np.array(degrees), np.array(degrees[::-1])
    ends = directed(out, into, np.random.default_rng(seed))
    assert len({tuple(pair) for pair in ends.T.tolist()}) == ends.shape[1]
    assert (ends[0] != ends[1]).all()
    assert (np.bincount(ends[0], minlength=len(out)) <= out).all()
    assert (np.bincount(ends[1], minlength=len(out)) <= into).all()


def test_nearly_all_degrees_are_met() -> None:
    degrees = np.random.default_rng(3).integers(5, 30, 4096)
    for ends in (joined(degrees, np.random.default_rng(1)), near_edges(degrees, (64, 64))):
        assert 2 * ends.shape[1] > 0.995 * degrees.sum()
    near = near_edges(degrees, (64, 64))
    apart = np.abs(np.stack(np.divmod(near[0], 64)) - np.stack(np.divmod(near[1], 64)))
    assert np.quantile(apart.max(axis=0), 0.95) <= 6


@pytest.mark.parametrize(
    "wanted",
    [Wanted(19.2, 5.7, 0.17, 47), Wanted(26.2, 215.8, 0.74, 6985), Wanted(28.5, 2.7, 0.02, 29)],
)
def test_sequences_have_the_figures(wanted: Wanted) -> None:
    degrees = degree_sequence(39_000, wanted)
    assert (np.diff(degrees) <= 0).all()
    assert degrees[0] == wanted.largest
    assert degrees[-1] >= wanted.least
    assert degrees.mean() == pytest.approx(wanted.mean, rel=0.005)
    assert degrees.std() == pytest.approx(wanted.deviation, rel=0.01)
    assert gini(degrees) == pytest.approx(wanted.gini, abs=0.005)


# What is said


def test_the_papers_figures_stand_beside_ours() -> None:
    found = statistics(graph("standin:cage15,2000"))
    console = Console(width=120, color_system=None)
    with console.capture() as capture:
        console.print(found)
    lines = capture.get().splitlines()
    heads = next(line for line in lines if "here" in line)
    assert "Busato and Bombieri, Table 1" in heads
    assert "Tödling et al., Table I" in heads
    row = next(line for line in lines if "standard deviation" in line)
    assert [cell.strip() for cell in row.split("│")[3:5]] == ["5.7", ""]
    row = next(line for line in lines if "depth from" in line)
    assert [cell.strip() for cell in row.split("│")[3:5]] == ["", "500 from 0"]
    assert any(line.startswith("note: Generated (mesh in three dimensions)") for line in lines)
    assert "<td>99,199,551</td>" in found._repr_html_()


def test_a_narrow_terminal_names_the_paper_at_each_figure() -> None:
    console = Console(width=32, color_system=None)
    with console.capture() as capture:
        console.print(statistics(graph("standin:ldoor,300")))
    assert "Table 1: 0.13" in " ".join(capture.get().split())


def test_json_has_the_tables_and_other_graphs_have_none() -> None:
    result = CliRunner().invoke(group, ["graph", "standin:nlpkt160,300", "--json"])
    data = json.loads(result.output)
    assert [one["name"] for one in data["papers"]] == ["nlpkkt160", "nlpkt160"]
    assert data["papers"][0]["gini"] == 0.02
    assert data["papers"][1]["gini"] is None
    assert data["papers"][1]["edges"] == 221_170_000
    assert "papers" not in json.loads(CliRunner().invoke(group, ["graph", "toy", "--json"]).output)


def test_limits_are_said() -> None:
    assert graph("standin:FullChip,2000").notes[1:] == (
        "The table cannot be right: one vertex of degree 2,312,481 among 3.0 million alone makes a "
        "standard deviation of 1,335.",
        "The table's max degree of 2,312,481 is too much for 2,000 vertices.",
        "Hubs join as large a share of the vertices as the table's, which makes a smaller standard "
        "deviation among fewer vertices.",
    )
    assert "no figures; an average degree of 132 was chosen" in graph("standin:appu,500").notes[1]


@pytest.mark.parametrize(
    ("spec", "message", "hint"),
    [
        ("standin", "standin: needs the name of a graph", "for example standin:audikw_1"),
        ("standin:", "standin: needs the name of a graph", "for example standin:audikw_1"),
        ("standin:audikw", "no paper's table has a graph called 'audikw'", "mean audikw_1?"),
        ("standin:ldoor,x", "'x' in standin:ldoor,x is not a whole number", "standin:ldoor,21000"),
        ("standin:ldoor,0", "is 0 and must be at least 1", "standin:ldoor,21000"),
        ("standin:ldoor,5,6", "standin:ldoor takes 1 number and got 2", "standin:ldoor[,VERTICES]"),
        ("standin:ldoor,size=5", "has no parameter 'size'", "standin:ldoor[,VERTICES][,seed="),
        ("standin:ldoor,shuffle=x", "'x' in standin:ldoor,shuffle=x is not", "write shuffle"),
        ("standin:Orkut,2000000000", "GiB", "take a smaller one, for example standin:Orkut,"),
    ],
)
def test_errors(spec: str, message: str, hint: str) -> None:
    with pytest.raises(GraphError) as error:
        graph(spec)
    assert message in error.value.message
    assert hint in error.value.hint
    if "2000000000" not in spec:
        with pytest.raises(GraphError):
            check_graph(spec)


@pytest.mark.slow
def test_ways_to_write_it() -> None:
    made = graph("standin:audikw_1,500")
    assert made == graph("StandIn:Audikw-1,vertices=500") == graph("standin:audikw1,500,seed=1")
    assert graph("standin:audikw_1,500,shuffle=4") == shuffled(made, 4)
    assert graph("standin:europe_osm,500") == graph("standin:europa_osm,500")
    check_graph("standin:europe_osm,500,shuffle")


def test_the_help_lists_every_name() -> None:
    shown = "".join(CliRunner().invoke(group, ["graph", "--help"]).output.split())
    assert all(name in shown for name in graphs())
