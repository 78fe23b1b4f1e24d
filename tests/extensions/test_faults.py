"""What goes wrong in an extension's code: one error with its file, its line and what it is."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("unloaded")

FAMILY = "from gpubfs.graphs import Graph, graph_family\n"
FORMAT = (
    "import numpy as np\nfrom gpubfs.graphs import Listing, graph_format\n"
    "a = np.zeros(1, np.int64)\n@graph_format('mine', endings=('.py',))\n"
)
READ = f"{FORMAT}def read(text, options):\n    "

FAULTS = {
    "a family that exits": (
        f"{FAMILY}@graph_family()\ndef mine(n):\n    exit(0)",
        "graph mine:3",
        "mine.py:4: SystemExit: 0 (in the graph family mine)",
    ),
    "a family whose size is a number": (
        f"{FAMILY}@graph_family(size=lambda n: n)\ndef mine(n): ...",
        "graph mine:3",
        "mine.py:2: the size of the graph family mine is 3",
    ),
    "a family whose size takes something else": (
        f"{FAMILY}@graph_family(size=lambda a: (a, a))\ndef mine(n): ...",
        "graph mine:3",
        "mine.py:2: TypeError",
    ),
    "a family whose size is no function": (
        f"{FAMILY}@graph_family(size=(3, 3))\ndef mine(n): ...",
        "graph mine:3",
        "mine.py:2: size=(3, 3) cannot be called",
    ),
    "a family whose size is no number": (
        f"{FAMILY}@graph_family(size=lambda n: (float('nan'), 'x'))\ndef mine(n): ...",
        "graph mine:3",
        "mine.py:2: the size of the graph family mine is (nan, 'x')",
    ),
    "a family that is called as a graph is": (
        f"{FAMILY}@graph_family('karate')\ndef mine(n): ...",
        "graph karate",
        'mine.py:2: "karate" is a graph of its own',
    ),
    "a family that is called file": (
        f"{FAMILY}@graph_family()\ndef file(n): ...",
        "graph toy",
        'mine.py:2: "file" is a graph of its own, or means a file',
    ),
    "a family of texts": (
        f"{FAMILY}@graph_family()\ndef mine(n: str): ...",
        "graph mine:3",
        "mine.py:2: the parameter n: str of mine is no number",
    ),
    "a family without parentheses": (
        f"{FAMILY}@graph_family\ndef mine(n): ...",
        "graph mine:3",
        "mine.py:2: @graph_family is used without parentheses\n  write @graph_family()",
    ),
    "a format without parentheses": (
        "from gpubfs.graphs import graph_format\n@graph_format\ndef mine(text, options): ...",
        "graph toy",
        "mine.py:2: @graph_format is used without parentheses",
    ),
    "a reader that exits": (
        f"{READ}raise SystemExit",
        "graph file:mine.py",
        "mine.py:6: SystemExit (in the graph format mine)",
    ),
    "a reader of one parameter": (
        f"{FORMAT}def read(text): ...",
        "graph file:mine.py",
        "mine.py:4: TypeError: read() takes 1 positional argument but 2 were given",
    ),
    "a reader without a number of vertices": (
        f"{READ}return Listing(a, a, 'x')",
        "graph file:mine.py",
        "mine.py:4: the reader of mine returns a Listing with vertices='x'",
    ),
    "a reader of fewer vertices than none": (
        f"{READ}return Listing(a, a, -3)",
        "graph file:mine.py",
        "returns a Listing with vertices=-3",
    ),
    "a reader without a line and a hint": (
        f"{READ}text.fail('bad', None, None)",
        "graph file:mine.py",
        "mine.py: error: bad",
    ),
    "a reader of fractions": (
        f"{READ}return Listing(a + 0.5, a, 3)",
        "graph file:mine.py",
        "where whole numbers are needed (listed by the reader of mine, ",
    ),
}


@pytest.mark.parametrize(("text", "asked", "said"), FAULTS.values(), ids=FAULTS)
def test_faults_name_the_file_the_line_and_what_it_is(
    command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, asked: str, said: str
) -> None:
    (tmp_path / "mine.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    code, out, err = command("--plugin", "mine.py", *asked.split())
    assert (code, out) == (2, "")
    assert said in err
    assert "mine.py" in err
    assert "Traceback" not in err
    assert len(err.splitlines()) == (1 if "None, None" in text else 2)


def test_the_seed_that_must_be_given_is_in_the_example(command, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"{FAMILY}@graph_family()\ndef mine(n, seed): ...")
    code, _, err = command("--plugin", tmp_path / "mine.py", "graph", "mine:3")
    assert code == 2
    assert "write mine:N,seed=NUMBER, for example mine:10,seed=1" in err
