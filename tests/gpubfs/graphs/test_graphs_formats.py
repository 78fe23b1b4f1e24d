"""Graph files: what is written in each format is read back equal, whatever the options."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from gpubfs.graphs import Graph, GraphError, graph, read, text

Writer = Callable[[Graph, Path], None]

GRAPHS = st.integers(1, 15).flatmap(
    lambda n: st.lists(
        st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=40
    ).map(
        lambda pairs: Graph.from_edges([u for u, _ in pairs], [v for _, v in pairs], n)
    )
)  # fmt: skip

SHARED = Path(__file__).parents[4] / "shared" / "graphs"


def pairs(made: Graph) -> list[tuple[int, int]]:
    """Every stored edge."""
    sources = np.repeat(np.arange(made.vertices), made.degrees)
    return list(zip(sources.tolist(), made.neighbours.tolist(), strict=True))


def once(made: Graph) -> list[tuple[int, int]]:
    """Every edge from its larger to its smaller end."""
    return [(u, v) for u, v in pairs(made) if u >= v]


def write_edges(made: Graph, path: Path) -> None:
    lines = [f"# Nodes: {made.vertices} Edges: {made.edges}", "# FromNodeId\tToNodeId"]
    path.write_text("\n".join(lines + [f"{u}\t{v}" for u, v in pairs(made)]) + "\n")


def write_spreadsheet(made: Graph, path: Path) -> None:
    lines = [f"{u + 1}, {v + 1}, 0.5\r\n" for u, v in once(made)]
    path.write_bytes("".join([f"% Nodes: {made.vertices}\r\n", *lines]).encode())


def write_general(made: Graph, path: Path) -> None:
    lines = [f"{u + 1} {v + 1} -1.5e3" for u, v in pairs(made)]
    head = ["%%MatrixMarket matrix coordinate real general", "% a comment", ""]
    size = f"{made.vertices} {made.vertices} {len(lines)}"
    path.write_text("\n".join([*head, size, *lines]) + "\n")


def write_symmetric(made: Graph, path: Path) -> None:
    lines = [f"{u + 1} {v + 1}" for u, v in once(made)]
    head = "%%MatrixMarket Matrix Coordinate PATTERN symmetric"
    size = f"{made.vertices} {made.vertices} {len(lines)}"
    path.write_text("\n".join([head, size, *lines]))


def write_dimacs(made: Graph, path: Path) -> None:
    lines = [f"a {u + 1} {v + 1} 7" for u, v in pairs(made)]
    head = ["c a road network", f"p sp {made.vertices} {len(lines)}", "c and its arcs"]
    path.write_text("\n".join(head + lines) + "\n")


def metis(code: str) -> Writer:
    """A writer of METIS files with a format code and two weights per vertex."""

    def write(made: Graph, path: Path) -> None:
        size, vertex, edge = (int(digit) for digit in code.zfill(3))
        before = ["9"] * size + ["5", "6"] * vertex
        lines = ["% a comment", f"{made.vertices} {made.edges // 2} {code} {2 if vertex else ''}"]
        for v in range(made.vertices):
            near = [word for u in made.adjacent(v) for word in [f"{u + 1}"] + ["3"] * edge]
            lines += [" ".join(before + near)] + ["% another"] * (v % 2)
        path.write_text("\n".join(lines) + "\n")

    return write


def write_npz(made: Graph, path: Path) -> None:
    scipy.sparse.save_npz(path, scipy.sparse.csr_matrix(made.to_scipy()))


def write_npz_array(made: Graph, path: Path) -> None:
    scipy.sparse.save_npz(path, made.to_scipy().tocoo())


WRITERS: list[tuple[str, Writer, str]] = [
    ("edges.txt", write_edges, ",base=0"),
    ("edges.csv", write_spreadsheet, ",base=1"),
    ("general.mtx", write_general, ""),
    ("symmetric.mtx", write_symmetric, ""),
    ("banner-only.dat", write_symmetric, ""),
    ("roads.gr", write_dimacs, ""),
    ("plain.graph", metis("0"), ""),
    ("edge-weights.graph", metis("1"), ""),
    ("all-weights.metis", metis("111"), ""),
    ("other-name", metis("011"), ",format=metis"),
    ("matrix.npz", write_npz, ""),
    ("array.npz", write_npz_array, ""),
]


@pytest.mark.parametrize(("name", "write", "options"), WRITERS, ids=[case[0] for case in WRITERS])
@given(made=GRAPHS, zipped=st.booleans())
@settings(max_examples=15, deadline=None)
def test_round_trip(name: str, write: Writer, options: str, made: Graph, zipped: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(made, path)
        if zipped:
            packed = path.with_name(name + ".gz")
            packed.write_bytes(gzip.compress(path.read_bytes(), 1))
            path = packed
        spec = f"file:{path}{options}"
        found = graph(spec)
    assert found == made
    assert found.name == spec


def test_chunks_do_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = graph("kron:6")
    for name, write, options in WRITERS:
        write(made, tmp_path / name)
        monkeypatch.setattr(text, "CHUNK", 50)
        assert graph(f"file:{tmp_path / name}{options}") == made


LISTED = "0 1\n1 0\n1 2\n1 2\n2 2\n"


@pytest.mark.parametrize(
    ("options", "offsets", "neighbours", "notes"),
    [
        (
            "",
            [0, 1, 3, 4],
            [1, 0, 2, 1],
            (
                "1 self loop left out.",
                "1 repeated edge merged.",
                "1 edge listed in both directions, counted once.",
            ),
        ),
        (
            ",directed",
            [0, 1, 3, 3],
            [1, 0, 2],
            ("1 self loop left out.", "1 repeated edge merged."),
        ),
        (
            ",loops",
            [0, 1, 3, 5],
            [1, 0, 2, 1, 2],
            ("1 repeated edge merged.", "1 edge listed in both directions, counted once."),
        ),
        (",raw", [0, 1, 4, 5], [1, 0, 2, 2, 2], ()),
        (",directed,loops", [0, 1, 3, 4], [1, 0, 2, 2], ("1 repeated edge merged.",)),
    ],
)
def test_options(
    tmp_path: Path, options: str, offsets: list[int], neighbours: list[int], notes: tuple[str, ...]
) -> None:
    path = tmp_path / "a.txt"
    path.write_text(LISTED)
    found = graph(f"file:{path}{options}")
    assert found.offsets.tolist() == offsets
    assert found.neighbours.tolist() == neighbours
    assert found.notes == notes
    assert found.directed == ("directed" in options or "raw" in options)


def test_a_symmetric_matrix_is_symmetric_when_directed(tmp_path: Path) -> None:
    path = tmp_path / "a.mtx"
    for symmetry in ("symmetric", "skew-symmetric", "hermitian"):
        path.write_text(f"%%MatrixMarket matrix coordinate pattern {symmetry}\n3 3 2\n2 1\n3 3\n")
        assert pairs(graph(f"file:{path},raw")) == [(0, 1), (1, 0), (2, 2)]
        assert pairs(graph(f"file:{path},directed")) == [(0, 1), (1, 0)]


def test_zeros_of_a_matrix_are_edges(tmp_path: Path) -> None:
    path = tmp_path / "a.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 0.0\n")
    assert graph(f"file:{path}").edges == 2


@pytest.mark.parametrize(
    ("content", "options", "vertices", "note"),
    [
        ("1 2\n2 3\n", "", 3, "Vertex numbers start at 1"),
        ("1 2\n2 3\n", ",base=0", 4, "1 of 4 vertices has no edge."),
        ("0 2\n2 3\n", "", 4, "1 of 4 vertices has no edge."),
        ("# Nodes: 6 Edges: 2\n0 1\n1 2\n", "", 6, "3 vertices without edges added"),
        ("# Nodes: 3 Edges: 5\n0 1\n1 2\n", "", 3, "promises 5 edges and it lists 2."),
        ("# Nodes: 1,006 Edges: 2\n0 1\n1 2\n", "", 1006, "1,003 vertices without edges added"),
        ("# Nodes: 3, Edges: 4,002\n0 1\n1 2\n", "", 3, "promises 4,002 edges and it lists 2."),
        ("# Nodes: 6.5 Edges: 7e5\n0 1\n1 2\n", "", 3, None),
        ("10 70\n70 99999999999\n", ",compact", 3, "vertices without edges left out"),
        ("\ufeff0 1\r\n1 2\r\n", "", 3, None),
        ("0;1\n 1 ; 2 \n\n", "", 3, None),
        ("0 1 0.5 1288\n1 2 nan 1289", "", 3, None),
    ],
)
def test_vertex_numbers(
    tmp_path: Path, content: str, options: str, vertices: int, note: str | None
) -> None:
    path = tmp_path / "a.txt"
    path.write_text(content, encoding="utf-8")
    found = graph(f"file:{path}{options}")
    assert found.vertices == vertices
    assert note in " ".join(found.notes) if note else found.notes == ()


def test_paths_with_commas(tmp_path: Path) -> None:
    path = tmp_path / "a,directed"
    path.write_text("0 1\n")
    assert not graph(f"file:{path}").directed
    assert graph(f"file:{path},directed").directed
    (tmp_path / "a").write_text("0 1\n1 2\n")
    assert graph(f"file:{path}").edges == 2


def test_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "a.txt").write_text("0 1\n")
    assert graph("file:~/a.txt").name == "file:~/a.txt"
    assert read("~/a.txt") == graph("path:2")


def test_a_vertex_number_that_needs_too_much_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpubfs.graphs.limits.memory", lambda: 1 << 30)
    path = tmp_path / "a.txt"
    path.write_text("0 2000000000\n")
    with pytest.raises(GraphError, match="needs about 75 GiB") as error:
        graph(f"file:{path}")
    assert "compact" in error.value.hint
    assert graph(f"file:{path},compact") == graph("path:2")


REAL = [
    ("luxembourg_osm.txt", 114_599, 119_666, 951),
    ("email-Enron.txt", 36_692, 183_831, 8),
    ("facebook_combined.txt", 4_039, 88_234, 5),
    ("delaunay_n15.graph", 32_768, 98_274, 73),
    ("bips98_606.mtx", 7_135, 15_190, 18),
]


@pytest.mark.skipif(not SHARED.exists(), reason="the real graphs are not beside this")
@pytest.mark.parametrize(("name", "vertices", "edges", "depth"), REAL)
def test_real_graphs(name: str, vertices: int, edges: int, depth: int) -> None:
    from gpubfs.graphs.reference import traverse

    found = graph(f"file:{SHARED / name}")
    assert (found.vertices, found.edges) == (vertices, 2 * edges)
    assert traverse(found, found.hub).depth == depth
