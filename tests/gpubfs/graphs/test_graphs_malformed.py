"""Wrong files: one GraphError each, naming the file, the line, what is wrong and the remedy."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from gpubfs.graphs import GraphError, graph

MTX = "%%MatrixMarket matrix coordinate pattern general\n"

CASES = [
    # edge lists
    ("a.txt", "", None, "the file is empty"),
    ("a.txt", "# only a comment\n", 1, "the file lists no edges"),
    ("a.txt", "0 1\n1 -2\n", 2, "vertex number -2 is negative"),
    ("a.txt", "# x\n\n0 1\n1 2.5\n", 4, "vertex number 2.5 is not a whole number"),
    ("a.txt", "0 1\n1e3 2\n", 2, "vertex number 1e3 is not a whole number"),
    ("a.txt", "source,target\n0,1\n", 1, "'source' stands where a vertex number should be"),
    ("a.txt", "0 1\n1 0x3\n", 2, "'0x3' stands where a vertex number should be"),
    ("a.txt", "0 1\n7\n", 2, "'7' begins a line of 1 column instead of 2"),
    ("a.txt", "0\n", 1, "'0' begins a line of 1 column instead of 2"),
    ("a.txt", "0 1\n0 1 2\n", 2, "'0' begins a line of 3 columns instead of 2"),
    ("a.txt", "0 1\n1 2147483648\n", 2, "vertex number 2147483648 is outside 0 to 2147483647"),
    ("a.txt", "0 1\n1 99999999999999999999\n", 2, "99999999999999999999 is too large"),
    ("a.txt", "0 1\n" + "9" * 80 + " 1\n", 2, "9… is too large"),
    ("a.txt", "0 1\n1 2\0\n", 2, "the text holds a NUL byte"),
    ("a.txt", "0 1\n1 \u00b2\n", 2, "stands where a vertex number should be"),
    ("a.txt", b"0 1\n\x80\xff\x01\x02 1\n", 2, "stands where a vertex number should be"),
    ("a.txt,base=1", "0 1\n", 1, "vertex number 0 is outside 1 to 2147483647"),
    # MatrixMarket
    ("a.mtx", "1 2\n", 1, "the MatrixMarket banner is missing"),
    ("a.mtx", "%%MatrixMarket matrix coordinate\n", 1, "the banner has 3 words instead of 5"),
    ("a.mtx", MTX.replace("coordinate", "array"), 1, "the matrix is dense (array)"),
    ("a.mtx", MTX.replace("pattern", "quaternion"), 1, "the banner says 'quaternion'"),
    ("a.mtx", MTX.replace("matrix", "vector"), 1, "the banner says 'vector'"),
    ("a.mtx", MTX + "% x\n", 2, "the file ends before its size line"),
    ("a.mtx", MTX + "3 3\n", 2, "the size line '3 3' is not three whole numbers"),
    ("a.mtx", MTX + "3 3 -1\n", 2, "the size line '3 3 -1' is not three whole numbers"),
    ("a.mtx", MTX + "3 4 1\n1 2\n", 2, "the matrix is 3 by 4"),
    ("a.mtx", MTX + "0 0 0\n", 2, "the matrix has 0 rows, which must be from 1 to 2,147,483,647"),
    ("a.mtx", MTX + "3000000000 3000000000 0\n", 2, "the matrix has 3,000,000,000 rows, which"),
    ("a.mtx", MTX + "3 3 5\n1 2\n2 3\n", 4, "promises 5 entries and the file ends after 2"),
    ("a.mtx", MTX + "3 3 1\n1 2\n2 3\n", 4, "'2' begins an entry beyond the 1"),
    ("a.mtx", MTX + "3 3 2\n1 2\n%\n2 4\n", 5, "vertex number 4 is outside 1 to 3"),
    ("a.mtx", MTX + "3 3 2\n1 2\n0 2\n", 4, "vertex number 0 is outside 1 to 3"),
    ("a.mtx", MTX + "3 3 1\n1 2 0.5\n", 3, "an entry of 3 columns instead of 2"),
    ("a.mtx", MTX + "3 3 1\n1 b\n", 3, "'b' stands where a vertex number should be"),
    # DIMACS
    ("a.gr", "c x\n", 1, "the file ends before its problem line"),
    ("a.gr", "a 1 2 3\n", 1, "'a 1 2 3' is not a problem line"),
    ("a.gr", "p sp 3\n", 1, "'p sp 3' is not a problem line"),
    ("a.gr", "p edge 3 1\ne 1 2\n", 1, "'p edge 3 1' is not a problem line"),
    ("a.gr", "p sp 0 0\n", 1, "0 vertices are outside 1 to 2147483647"),
    ("a.gr", "p sp 3 1\nb 1 2 3\n", 2, "'b' begins no arc and no comment"),
    ("a.gr", "p sp 3 1\np sp 3 1\n", 2, "'p' begins no arc and no comment"),
    ("a.gr", "p sp 3 1\na 1\n", 2, "an arc has 1 number instead of 3"),
    ("a.gr", "p sp 3 1\nc x\na 1 4 9\n", 3, "vertex number 4 is outside 1 to 3"),
    ("a.gr", "p sp 3 1\na 1 -2 9\n", 2, "vertex number -2 is negative"),
    ("a.gr", "p sp 3 2\na 1 2 9\n", 2, "line 1 promises 2 arcs and the file has 1"),
    ("a.gr", "p sp 3 0\na 1 2 9\n", 2, "line 1 promises 0 arcs and the file has 1"),
    # METIS
    ("a.graph", "%\n", 1, "the file ends before its header"),
    ("a.graph", "3\n", 1, "'3' is not a METIS header"),
    ("a.graph", "3 x\n", 1, "'3 x' is not a METIS header"),
    ("a.graph", "0 0\n", 1, "0 vertices are outside 1 to 2147483647"),
    ("a.graph", "2 1 2\n2\n1\n", 1, "'002' is not a METIS format code"),
    ("a.graph", "2 1 1111\n2\n1\n", 1, "'1111' is not a METIS format code"),
    ("a.graph", "3 1\n2\n1\n", 3, "the header promises 3 vertex lines and the file has 2"),
    ("a.graph", "2 1\n2\n1\n\n1\n", 5, "the line is beyond the 2 vertices"),
    ("a.graph", "3 2\n2\n1\n\n", 1, "promises 2 edges, which is 4 neighbours, and"),
    ("a.graph", "3 1\n%\n2\n4\n\n", 4, "vertex number 4 is outside 1 to 3"),
    ("a.graph", "3 1\n2\n0\n\n", 3, "vertex number 0 is outside 1 to 3"),
    ("a.graph", "3 1\n2\n3\n\n", 2, "vertex 1 lists 2 and vertex 2 does not list it back"),
    ("a.graph", "3 1 001\n2 7\n1\n\n", 3, "a line of 1 number cannot hold the weights"),
    ("a.graph", "2 1 010 3\n1 1 1 2\n1 1\n", 3, "a line of 2 numbers cannot hold the weights"),
    # SciPy
    ("a.npz", "PK", None, "this is not a SciPy sparse matrix"),
    ("a.npz", "PK\3\4" + "x" * 50, None, "this is not a SciPy sparse matrix"),
    # options and packing
    ("a.txt,direct", "0 1\n", None, "'direct' is no option for reading a file"),
    ("a.txt,base=2", "0 1\n", None, "'base=2' is no option for reading a file"),
    ("a.txt,format=gml", "0 1\n", None, "'format=gml' is no option for reading a file"),
    ("a.mtx,base=1", MTX, None, "base is for edge lists and the format is matrix-market"),
    ("a.txt,format=dimacs", "0 1\n", 1, "'0 1' is not a problem line"),
    ("a.tar", "x" * 257 + "ustar", None, "the file is a tar archive"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content", "line", "message"), CASES, ids=[f"{c[0]}-{c[3]}" for c in CASES]
)
def test_malformed(
    tmp_path: Path, name: str, content: str | bytes, line: int | None, message: str
) -> None:
    path = tmp_path / name.partition(",")[0]
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(GraphError) as error:
        graph(f"file:{tmp_path / name}")
    assert message in error.value.message
    assert (error.value.path, error.value.line) == (str(path), line)
    place = f"{path}:{line}: error: " if line else f"{path}: error: "
    assert str(error.value).startswith(place + error.value.message)
    assert error.value.hint
    assert error.value.message.isprintable()
    assert error.value.__cause__ is None


def failure(place: Path | str) -> GraphError:
    """The error that reading a file ends with."""
    with pytest.raises(GraphError) as error:
        graph(f"file:{place}")
    return error.value


def test_truncated_gzip_names_the_line_where_it_ends(tmp_path: Path) -> None:
    numbers = np.random.default_rng(1).integers(0, 10**6, (20_000, 2))
    data = gzip.compress("".join(f"{u} {v}\n" for u, v in numbers).encode())
    path = tmp_path / "a.txt.gz"
    path.write_bytes(data[: len(data) // 2])
    error = failure(path)
    assert error.message == "the gzip data is damaged or ends early"
    assert error.line
    assert error.line >= 1


def test_damaged_gzip(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    for data in (b"\x1f\x8b", b"\x1f\x8b" + b"x" * 40, gzip.compress(b"0 1\n")[:-8] + b"x" * 8):
        path.write_bytes(data)
        assert failure(path).message == "the gzip data is damaged or ends early"


def test_empty_gzip(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b""))
    assert failure(path).message == "the file is empty"


def test_missing_file_suggests_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "email-Enron.txt").write_text("0 1\n")
    error = failure(tmp_path / "email-enron.txt")
    assert error.message == "there is no such file"
    assert error.hint == "did you mean email-Enron.txt?"
    assert failure(tmp_path / "no" / "such.txt").hint == "check the path"


def test_a_name_that_cannot_be_encoded(tmp_path: Path) -> None:
    assert failure(tmp_path / "\ud800.txt").message == "no file can have this name"


def test_a_folder(tmp_path: Path) -> None:
    assert failure(tmp_path).message == "this is a folder"
    assert failure(f"{tmp_path},directed").path == str(tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="may read everything")
def test_a_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("0 1\n")
    path.chmod(0)
    assert failure(path).message == "reading is not permitted"


def test_reading_that_the_system_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert failure(tmp_path / "a.txt").message == "reading is not permitted"


def test_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    assert failure(tmp_path / ("x" * 5000)).message.startswith("reading failed: ")


def archive(**arrays: object) -> bytes:
    """An .npz with these members."""
    stream = io.BytesIO()
    np.savez(stream, **{name: np.asarray(value) for name, value in arrays.items()})
    return stream.getvalue()


@pytest.mark.parametrize(
    "members",
    [
        {"x": [1]},
        {"format": "nonsense", "shape": (1, 1), "data": [1]},
        {"format": b"csr", "shape": (2, 2), "data": [1], "indices": [5], "indptr": [0, 1, 1]},
        {"format": b"csr", "shape": (2, 2), "data": [1], "indices": [-1], "indptr": [0, 1, 1]},
        {"format": b"csr", "shape": (2, 2), "data": [1], "indices": [0], "indptr": [0, 9, 1]},
        {"format": b"csr", "shape": (2, 2), "data": [1], "indices": [0]},
        {"format": b"csr", "shape": (2, 3), "data": [1], "indices": [0], "indptr": [0, 1, 1]},
        {"format": b"csr", "shape": "x", "data": [1], "indices": [0], "indptr": [0, 1, 1]},
        {"format": b"coo", "shape": (2, 2), "data": [1], "row": [7], "col": [0]},
        {"format": b"coo", "shape": (2, 2), "data": [1], "row": [-1], "col": [0]},
        {"format": b"coo", "shape": (2, 2), "data": [None], "row": [0], "col": [0]},
    ],
)
def test_archives_that_are_no_matrix(tmp_path: Path, members: dict[str, object]) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(archive(**members))
    error = failure(path)
    assert error.path == str(path)
    assert error.hint
    for leaked in ("<", "0x", "numpy", "'", "unsafely"):
        assert leaked not in error.message


def test_truncated_archive(tmp_path: Path) -> None:
    stream = io.BytesIO()
    scipy.sparse.save_npz(stream, scipy.sparse.csr_matrix(np.eye(50)))
    path = tmp_path / "a.npz"
    path.write_bytes(stream.getvalue()[:-40])
    assert "this is not a SciPy sparse matrix" in failure(path).message
    with zipfile.ZipFile(path, "w") as empty:
        empty.writestr("indices.npy", b"not an array")
    assert "this is not a SciPy sparse matrix" in failure(path).message


ENDINGS = ["a.txt", "a.mtx", "a.gr", "a.graph", "a.npz", "a.gz", "a.txt,compact", "a.graph,raw"]
STARTS = [
    b"",
    MTX.encode(),
    MTX.encode() + b"3 3 2\n",
    b"p sp 3 2\n",
    b"3 2\n",
    b"\x1f\x8b",
    b"PK\3\4",
]


@given(st.sampled_from(ENDINGS), st.sampled_from(STARTS), st.binary(max_size=60))
@settings(max_examples=200, deadline=None)
def test_garbage_never_ends_in_another_error(name: str, start: bytes, rest: bytes) -> None:
    attempt(name, start + rest)


@pytest.mark.slow
@given(
    st.sampled_from(ENDINGS),
    st.sampled_from(STARTS),
    st.text(alphabet="0123 \n\r\t-%#acp.,", max_size=40),
)
@settings(max_examples=300, deadline=None)
def test_nearly_right_text_never_ends_in_another_error(name: str, start: bytes, rest: str) -> None:
    attempt(name, start + rest.encode())


def attempt(name: str, data: bytes) -> None:
    """Read a file of these contents; either it is a graph or there is a GraphError."""
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(GraphError):
        (Path(folder) / name.partition(",")[0]).write_bytes(data)
        made = graph(f"file:{folder}/{name}")
        assert made.vertices
