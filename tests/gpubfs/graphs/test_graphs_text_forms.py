"""One graph in every form that a text may have: line ends, byte order marks, packed, in a pipe."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpubfs.graphs import Graph, GraphError, graph
from tests.gpubfs.graphs.test_graphs_formats import GRAPHS, WRITERS
from tests.sampling import sampled

TEXTS = [case for case in WRITERS if not case[0].endswith(".npz")]
ENDS = ["\n", "\r\n", "\r", "\r\r\n"]
ENCODINGS = ["ascii", "utf-8-sig", "utf-16", "utf-32"]

posix = pytest.mark.skipif(os.name == "nt", reason="named pipes of POSIX")


def encoded(data: bytes, end: str, encoding: str, zipped: bool) -> bytes:
    """A text in another form."""
    text = data.decode("ascii").replace("\r\n", "\n").replace("\n", end)
    data = text.encode(encoding)
    return gzip.compress(data, 1) if zipped else data


@pytest.mark.parametrize(("name", "write", "options"), TEXTS, ids=[case[0] for case in TEXTS])
@given(
    made=GRAPHS,
    end=st.sampled_from(ENDS),
    encoding=st.sampled_from(ENCODINGS),
    zipped=st.booleans(),
)
@settings(max_examples=20, deadline=None)
def test_every_form_is_the_same_graph(
    name: str,
    write: Callable[[Graph, Path], None],
    options: str,
    made: Graph,
    end: str,
    encoding: str,
    zipped: bool,
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(made, path)
        path.write_bytes(encoded(path.read_bytes(), end, encoding, zipped))
        assert graph(f"file:{path}{options}") == made


def test_line_ends_may_be_mixed(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"0 1\r1 2\n2 3\r\n3 4\r")
    assert graph(f"file:{path}") == graph("path:5")


def test_errors_name_the_line_in_every_form(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    for end in ENDS:
        for encoding in ENCODINGS:
            path.write_bytes(encoded(b"# x\n0 1\n1 x\n", end, encoding, False))
            with pytest.raises(GraphError, match="'x' stands where") as error:
                graph(f"file:{path}")
            assert error.value.line == 3


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\0\0\xfe\xff"])
def test_a_mark_before_what_is_not_its_text(tmp_path: Path, mark: bytes) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(mark + b"0 1\xd8\xdc\n\xd8")
    with pytest.raises(GraphError, match=r"byte order mark of UTF-(16|32)") as error:
        graph(f"file:{path}")
    assert "UTF-8" in error.value.hint


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\r", b"\n\n"])
@pytest.mark.parametrize("name", ["a.txt", "a.mtx", "a.gr", "a.graph", "a.npz"])
def test_files_without_contents(tmp_path: Path, data: bytes, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(GraphError):
        graph(f"file:{path}")


@contextmanager
def piped(path: Path, data: bytes) -> Iterator[None]:
    """A named pipe into which these bytes are written once."""
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(data,), daemon=True)
    writer.start()
    yield
    writer.join(5)


#: What a pipe without an ending has to say of its format.
SAID = {"plain.graph": "metis", "edge-weights.graph": "metis", "all-weights.metis": "metis"}


@posix
@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize(("name", "write", "options"), WRITERS, ids=[case[0] for case in WRITERS])
def test_pipes(
    tmp_path: Path,
    name: str,
    write: Callable[[Graph, Path], None],
    options: str,
    zipped: bool,
) -> None:
    made = graph("karate")
    write(made, tmp_path / name)
    data = (tmp_path / name).read_bytes()
    if name in SAID:
        options += f",format={SAID[name]}"
    with piped(tmp_path / "pipe", gzip.compress(data) if zipped else data):
        assert graph(f"file:{tmp_path / 'pipe'}{options}") == made


@posix
def test_a_pipe_may_have_a_comma_in_its_name(tmp_path: Path) -> None:
    with piped(tmp_path / "a,directed", b"0 1\n"):
        assert not graph(f"file:{tmp_path / 'a,directed'}").directed


@pytest.mark.slow
@posix
@pytest.mark.parametrize(
    "command",
    sampled(
        [
            ["graph", "file:/dev/stdin,directed", "--json"],
            ["run", "scan-free", "--graph", "file:/dev/stdin"],
            ["compare", "status-array", "scan-free", "--graph", "file:/dev/stdin"],
            ["lines", "scan-free", "--graph", "file:/dev/stdin"],
            ["trace", "scan-free", "status-array", "--graph", "file:/dev/stdin", "--json"],
            ["bench", "scan-free", "status-array", "--graph", "file:/dev/stdin", "--repeat", "2"],
        ],
        3,
    ),
    ids=lambda command: command[0],
)
def test_the_standard_input(command: list[str]) -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "gpubfs", *command],
        input=gzip.compress(b"0 1\r1 2\r"),
        capture_output=True,
    )
    assert (shown.returncode, shown.stderr) == (0, b"")
