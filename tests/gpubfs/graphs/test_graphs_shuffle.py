"""The option `shuffle`: the same graph with other numbers, behind every specification."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpubfs.grading.names import check_graph
from gpubfs.graphs import FAMILIES, Graph, GraphError, graph, graph_family, read
from gpubfs.graphs.reference import reference_levels
from gpubfs.graphs.shuffle import new_numbers, shuffled

SPECS = ["kron:6", "grid:9x4", "star:20", "path:20", "road:90", "rgg:60", "toy", "les_miserables"]


def same_renumbered(plain: Graph, other: Graph, number: np.ndarray) -> bool:
    """Whether `other` is `plain` with the number `number[v]` for each vertex v."""
    lists = [sorted(number[plain.adjacent(v)].tolist()) for v in range(plain.vertices)]
    return all(other.adjacent(int(number[v])).tolist() == each for v, each in enumerate(lists))


@pytest.mark.parametrize("spec", SPECS)
def test_the_same_graph_with_other_numbers(spec: str) -> None:
    plain, other = graph(spec), graph(f"{spec},shuffle")
    number = new_numbers(plain.vertices)
    assert other.name == f"{spec},shuffle"
    assert other != plain
    assert same_renumbered(plain, other, number)
    levels = reference_levels(other, int(number[0]))
    assert (levels[number] == reference_levels(plain, 0)).all()


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9))), st.booleans(), st.booleans())
@settings(max_examples=50)
def test_lists_ascend_and_repetitions_stay(
    edges: list[tuple[int, int]], directed: bool, raw: bool
) -> None:
    ends = np.array(edges, np.int64).reshape(-1, 2).T
    plain = Graph.from_edges(*ends, 10, directed=directed, loops=raw, duplicates=raw)
    other = shuffled(plain, 7)
    assert other.directed == plain.directed
    assert same_renumbered(plain, other, new_numbers(10, 7))
    assert all((np.diff(other.adjacent(v)) >= 0).all() for v in range(10))


def test_seeds() -> None:
    assert graph("grid:9x4,shuffle") == graph("grid:9x4,shuffle=1")
    assert graph("grid:9x4,shuffle=2") != graph("grid:9x4,shuffle=1")
    assert graph("karate,shuffle=0") != graph("karate")
    assert graph("grid:5x5,shuffle=1_000") == graph("grid:5x5, Shuffle = 1000 ")


def test_it_stands_beside_other_options() -> None:
    expected = shuffled(graph("kron:6,8,seed=3"), 2)
    assert graph("kron:6,8,seed=3,shuffle=2") == expected
    assert graph("kron:6,shuffle=2,seed=3,edge_factor=8") == expected


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "web.txt"
    path.write_text("1 2\n2 3\n3 3\n3 1\n8 9\n")
    options = ",directed,compact"
    plain = graph(f"file:{path}{options}")
    other = graph(f"file:{path}{options},shuffle=5")
    assert other == shuffled(plain, 5) == read(f"{path},shuffle=5{options}")
    assert other.name == f"file:{path}{options},shuffle=5"
    assert other.label == "web.txt,directed,compact,shuffle=5"
    assert other.notes == plain.notes


def test_a_file_may_be_called_so(tmp_path: Path) -> None:
    (tmp_path / "a,shuffle").write_text("0 1\n1 2\n2 3\n3 4\n4 5\n")
    assert graph(f"file:{tmp_path}/a,shuffle") == graph("path:6")
    assert graph(f"file:{tmp_path}/a,shuffle,shuffle") == graph("path:6,shuffle")


def test_wide_offsets_stay_wide() -> None:
    made = shuffled(graph("kron:6", index64=True))
    assert made.offsets.dtype == np.int64
    assert graph("kron:6,shuffle", index64=True) == made


@pytest.mark.parametrize(
    ("spec", "message", "hint"),
    [
        ("kron:6,shuffle=x", "'x' in kron:6,shuffle=x is not a whole number", "kron:12,shuffle=3"),
        ("kron:6,shuffle=", "'' in kron:6,shuffle= is not a whole number", "write shuffle"),
        ("kron:6,shuffle=-1", "'-1' in kron:6,shuffle=-1 is not a whole number", "write shuffle"),
        ("toy,shuffle,shuffle=2", "toy,shuffle,shuffle=2 gives shuffle twice", "write shuffle"),
        ("toy,shufle", "'shufle' in toy,shufle is no option of toy", "did you mean shuffle?"),
        ("toy,3", "'3' in toy,3 is no option of toy", "write toy or toy,shuffle[=NUMBER]"),
        ("toy:shuffle", "toy is one fixed graph and takes no size", "toy,shuffle"),
        ("kron,6", "'6' in kron,6 is no option of kron", "write kron:SCALE"),
        ("kron,shuffle", "kron needs its scale", "write kron:SCALE"),
        ("kron:shuffle", "kron needs its scale", "write kron:SCALE"),
        ("kron:6,shufle=2", "kron has no parameter 'shufle'", "did you mean shuffle?"),
        ("kron:6,shufle", "'shufle' in kron:6,shufle is not a whole", "did you mean shuffle?"),
        ("krn:6,shuffle", "there is no graph called 'krn'", "did you mean kron?"),
        ("file:no.txt,shuffle=x", "'x' in file:no.txt,shuffle=x is not a whole", "write shuffle"),
        ("file:no.txt,shufle", "there is no such file", "check the path"),
        ("file:no.txt,shuffle", "there is no such file", "check the path"),
    ],
)
def test_errors(spec: str, message: str, hint: str) -> None:
    with pytest.raises(GraphError) as error:
        graph(spec)
    assert message in error.value.message
    assert hint in error.value.hint


def test_a_wrong_option_of_a_file_is_told_of_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("0 1\n")
    with pytest.raises(GraphError, match="'shufle' is no option") as error:
        graph(f"file:{tmp_path}/a.txt,shufle")
    assert "did you mean shuffle?" in error.value.hint
    assert "shuffle[=SEED]" in error.value.hint


def test_tasks_may_use_it() -> None:
    for spec in ("kron:29,shuffle=3", "toy,shuffle", "file:no.txt,shuffle", "path:4,shuffle"):
        check_graph(spec)
    with pytest.raises(GraphError, match="shuffle"):
        check_graph("kron:6,shuffle=x")


def test_no_family_has_a_parameter_of_that_name() -> None:
    def ring(vertices: int, shuffle: int = 0) -> Graph:
        return graph("toy")

    with pytest.raises(Exception, match="shuffle is an option of every graph"):
        graph_family("ring")(ring)
    assert "ring" not in FAMILIES
