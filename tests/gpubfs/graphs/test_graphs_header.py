"""Edge lists whose first line gives the numbers of vertices and edges, and lists that look so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpubfs.graphs import Graph, GraphError, graph
from gpubfs.graphs.header import header_of
from gpubfs.graphs.listing import Options


def read(folder: Path, content: str, options: str = "") -> Graph:
    """The graph of an edge list with these contents."""
    path = folder / "a.txt"
    path.write_text(content)
    return graph(f"file:{path}{options}")


@pytest.mark.parametrize(
    ("content", "options", "vertices", "edges"),
    [
        ("4 3\n0 1\n1 2\n2 3\n", "", 4, 3),
        ("4 3\n1 2\n2 3\n3 4\n", "", 4, 3),
        ("4 3\n1 2\n2 3\n3 4\n", ",base=1", 4, 3),
        ("# a comment\n\n9 3\n0 1\n1 2\n2 3\n", "", 9, 3),
        ("9,3\n0,1,0.5\n1,2,0.5\n2,3,0.5\n", "", 9, 3),
        ("9 3\n1 2\n2 3\n3 4\n", ",compact", 4, 3),
        ("9 4\n0 1\n1 2\n2 3\n", ",header=yes", 9, 3),
        ("9 3\n0 1 5\n1 2 5\n", ",header=yes", 9, 2),
    ],
)
def test_a_header_is_no_edge(
    tmp_path: Path, content: str, options: str, vertices: int, edges: int
) -> None:
    found = read(tmp_path, content, options)
    assert (found.vertices, found.edges) == (vertices, 2 * edges)
    if "header" not in options:
        assert "is read as a header" in " ".join(found.notes)


@pytest.mark.parametrize(
    ("content", "options", "vertices", "edges"),
    [
        ("4 3\n0 1\n1 2\n2 3\n", ",header=no", 5, 4),
        ("# Nodes: 5 Edges: 4\n4 3\n0 1\n1 2\n2 3\n", "", 5, 4),
        ("3 2\n0 1\n1 3\n", "", 4, 3),  # a vertex is not below 3, and one is 0
        ("0 1\n1 2\n", "", 3, 2),
        ("1 0\n", "", 2, 1),
        ("4 3 1\n0 1 1\n1 2 1\n2 3 1\n", "", 5, 4),  # a header has two numbers
        ("9 8\n0 1\n7 6\n9 0\n", "", 10, 4),
    ],
)
def test_an_edge_is_no_header(
    tmp_path: Path, content: str, options: str, vertices: int, edges: int
) -> None:
    found = read(tmp_path, content, options)
    assert (found.vertices, found.edges) == (vertices, 2 * edges)
    assert "header" not in " ".join(found.notes)


@pytest.mark.parametrize(
    ("content", "doubtful"),
    [
        ("9 7\n0 1\n1 2\n2 3\n", True),  # nothing else is above 3
        ("4 7\n1 2\n2 3\n3 4\n", True),  # 1 to 4, and 7 is above them all
        ("4 2\n1 2\n2 3\n3 4\n", False),  # an edge between two vertices of the rest
    ],
)
def test_a_first_line_that_looks_like_a_header_is_told(
    tmp_path: Path, content: str, doubtful: bool
) -> None:
    found = read(tmp_path, content)
    told = [note for note in found.notes if "looks like a header" in note]
    assert len(told) == doubtful
    assert all("header=yes and header=no" in note for note in told)


def test_a_promise_that_is_not_kept_is_told(tmp_path: Path) -> None:
    notes = read(tmp_path, "3 7\n0 1\n1 4\n", ",header=yes").notes
    assert "The first line promises 7 edges and the file lists 2." in notes
    assert "The first line promises 3 vertices and the file has one numbered 4." in notes


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt,header=yes", "0 1 2\n1 2 3\n", "'0' begins a line of 3 columns instead of 2"),
        ("a.txt,header=maybe", "0 1\n", "'header=maybe' is no option"),
        ("a.gr,header=yes", "p sp 2 1\na 1 2 1\n", "header is for edge lists"),
        ("a.txt", "9 5\n0 1 2\n", "'0' begins a line of 3 columns instead of 2"),
        ("a.txt", "0 1\n1 2 3\n2 3\n", "'1' begins a line of 3 columns instead of 2"),
    ],
)
def test_headers_that_cannot_be(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name.partition(",")[0]).write_text(content)
    with pytest.raises(GraphError, match=message.replace("(", r"\(")):
        graph(f"file:{tmp_path / name}")


PAIRS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=30)


@given(PAIRS, st.integers(0, 3), st.sampled_from([0, 1]))
def test_every_true_header_is_known(pairs: list[tuple[int, int]], spare: int, base: int) -> None:
    vertices = max(max(pair) for pair in pairs) + 1 + spare
    ends = np.array([(vertices, len(pairs)), *((u + base, v + base) for u, v in pairs)])
    assert header_of(ends[:, 0], ends[:, 1], Options(base=base), 0).present


@given(PAIRS)
def test_no_list_is_taken_for_a_header_unless_both_counts_fit(
    pairs: list[tuple[int, int]],
) -> None:
    ends = np.array(pairs)
    found = header_of(ends[:, 0], ends[:, 1], Options(), 0)
    if found.present:
        assert found.edges == len(pairs) - 1
        assert all(max(pair) <= found.vertices for pair in pairs[1:])
