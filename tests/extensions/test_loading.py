"""How plugins are found: each once, by whatever name; and what is said of what is no plugin."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpubfs.search import plugins

pytestmark = pytest.mark.usefixtures("unloaded")

FAMILY = "from gpubfs.graphs import graph_family\n@graph_family()\ndef mine(n): ...\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working directory, with a plugin in it."""
    (tmp_path / "mine_own.py").write_text(FAMILY)
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop("mine_own", None)


@pytest.mark.parametrize("other", ["sub/../mine_own.py", "link.py", "mine_own"])
@pytest.mark.parametrize("swapped", [False, True])
def test_a_plugin_by_two_names_is_loaded_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, other: str, swapped: bool
) -> None:
    (folder / "link.py").symlink_to(folder / "mine_own.py")
    monkeypatch.syspath_prepend(folder)
    names = ("mine_own.py", other)
    plugins.load_plugins(*(names[::-1] if swapped else names))
    plugins.load_plugins()  # as processes do that are started later
    assert len(plugins.PLUGINS) == 1


def test_a_plugin_may_load_itself(folder: Path) -> None:
    (folder / "mine_own.py").write_text(
        f"import gpubfs\ngpubfs.load_plugins(__file__)\n{FAMILY}\ngpubfs.load_plugins()\n"
    )
    plugins.load_plugins("mine_own.py")
    assert [*plugins.PLUGINS] == [str(folder / "mine_own.py")]


def test_blanks_around_names_do_not_count(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(plugins.VARIABLE, f" mine_own.py {os.pathsep} ")
    plugins.load_plugins()
    assert [*plugins.PLUGINS] == [str(folder / "mine_own.py")]


@pytest.mark.parametrize(
    ("name", "said", "remedy"),
    [
        ("", "the plugin has no name", "the path of a Python file"),
        ("  ", "the plugin has no name", "the path of a Python file"),
        ("mine_owned", "No module named 'mine_owned'", "install it"),
        ("mine_own", "No module named 'mine_own'", "did you mean mine_own.py?"),
        ("./sub", "sub is a folder", "give a file in it"),
        ("/dev/null", "/dev/null is no Python file", "ends in .py"),
        ("w.txt", "w.txt is no Python file", "ends in .py"),
        ("./w.pyc", "w.pyc is no Python file", "ends in .py"),
        ("fifo.py", "fifo.py is no file", "give the path of a Python file"),
        ("neighbour.py", "No module named 'helper'", "PYTHONPATH"),
    ],
)
def test_what_is_no_plugin(command, folder: Path, name: str, said: str, remedy: str) -> None:
    for other in ("w.txt", "w.pyc", "helper.py"):
        (folder / other).write_text("")
    (folder / "neighbour.py").write_text("import helper\n")
    os.mkfifo(folder / "fifo.py")
    code, out, err = command("--plugin", name, "list")
    assert (code, out) == (2, "")
    message, hint = err.splitlines()
    assert said in message
    assert remedy in hint


def test_what_a_plugin_prints_is_no_part_of_json(command, folder: Path) -> None:
    (folder / "mine_own.py").write_text("print('loud')")
    code, out, err = command("--plugin", "mine_own.py", "graph", "toy", "--json")
    assert (code, err) == (0, "loud\n")
    assert json.loads(out)["vertices"] == 10


def test_the_article_fits(command, folder: Path) -> None:
    (folder / "mine_own.py").write_text(
        "from gpubfs.search.observing import observer\n@observer('My Own')\nclass Mine:\n"
        "    def begin(self, config): ...\n    def report(self): ...\n"
    )
    _, _, err = command("--plugin", "mine_own.py", "list")
    assert "'My Own' cannot be the name of an observer" in err
