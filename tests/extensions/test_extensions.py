"""What plugins add, through the command line; and what is said of those that are broken."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
from gpubfs.errors import UsageError
from gpubfs.graphs import FAMILIES, Graph, GraphError, graph
from gpubfs.measure.hardware import cases, records
from gpubfs.search import observing, plugins

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FORMAT, FAMILY, EXPERIMENT, OBSERVER = (
    str(HERE / f"{name}.py") for name in ("graph_format", "graph_family", "experiment", "observer")
)
TECHNIQUE = str(HERE / "technique" / "warp_enqueue.py")

#: A square and a diagonal, as Ligra writes it.
SQUARE = "AdjacencyGraph\n4\n10\n0\n3\n5\n8\n1\n2\n3\n0\n2\n0\n1\n3\n0\n2\n"


pytestmark = pytest.mark.usefixtures("unloaded")


@pytest.fixture
def square(tmp_path: Path) -> str:
    (tmp_path / "square.adj").write_text(SQUARE)
    return f"file:{tmp_path / 'square.adj'}"


def test_a_graph_format(command, square: str, tmp_path: Path) -> None:
    code, out, err = command("--plugin", FORMAT, "graph", square, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["vertices"] == 4
    assert graph(square).adjacent(1).tolist() == [0, 2]
    code, out, _ = command("--plugin", FORMAT, "run", "scan-free", "--graph", square)
    assert code == 0
    assert "verified yes" in " ".join(out.split())
    (tmp_path / "square.graph").write_text(SQUARE)  # its beginning says more than this name
    assert graph(f"file:{tmp_path / 'square.graph'}") == graph(square)
    (tmp_path / "list.txt").write_text("0 1\n")
    with pytest.raises(GraphError, match="the file has 0 numbers"):
        graph(f"file:{tmp_path / 'list.txt'},format=ligra")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("AdjacencyGraph\n4\n10\n0\n", "the file has 3 numbers"),
        ("AdjacencyGraph\n", "the file has 0 numbers"),
        ("AdjacencyGraph\n2\n2\n1\n1\n1\n0\n", "the offsets do not rise from 0"),
        ("AdjacencyGraph\n2\n2\n0\n1\n1\n7\n", "is not one of the 2 vertices"),
        ("AdjacencyGraph\n2\ntwo\n0\n1\n1\n0\n", ":3: error: 'two' stands where a number"),
    ],
)
def test_files_of_an_added_format_that_are_wrong(
    command, tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "wrong.adj").write_text(text)
    code, out, err = command("--plugin", FORMAT, "graph", f"file:{tmp_path / 'wrong.adj'}")
    assert (code, out) == (2, "")
    assert said in err


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30))
def test_what_is_written_as_ligra_has_it_is_read_again(edges: list[tuple[int, int]]) -> None:
    plugins.load_plugins(FORMAT)
    ends = [list(each) for each in zip(*edges, strict=True)] or [[], []]
    made = Graph.from_edges(*ends, 10, directed=True, loops=True, duplicates=True)
    numbers = [made.vertices, made.edges, *made.offsets[:-1], *made.neighbours]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "any.adj"
        path.write_text("\n".join(["AdjacencyGraph", *map(str, numbers)]))
        assert graph(f"file:{path},raw") == Graph(made.offsets, made.neighbours, directed=True)


def test_a_graph_family(command) -> None:
    code, out, err = command("--plugin", FAMILY, "graph", "caterpillar:5", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["vertices"] == 15
    assert gpubfs.run("scan-free", "caterpillar:9,1", source=0).depth == 9
    for spec, said in {
        "caterpillar": "write caterpillar:SPINE[,LEGS], for example caterpillar:10",
        "caterpillar:0": "the spine in caterpillar:0 is 0 and must be at least 1",
        "caterpillar:3,legs=two": "'two' in caterpillar:3,legs=two is not a whole number",
        "caterpillar:3000000000": "take a smaller one",
        "katerpillar:3": "did you mean caterpillar?",
    }.items():
        with pytest.raises(GraphError) as error:
            graph(spec)
        assert said in str(error.value)


def test_an_experiment(command, tmp_path: Path) -> None:
    picture = tmp_path / "blocks.svg"
    asked = "experiment", "block_sizes", "--picture", picture
    code, out, err = command("--plugin", EXPERIMENT, *asked)
    assert (code, err) == (0, "")
    assert "scan-free at 512" in out
    assert "agrees: blocks move" in out
    assert picture.read_text().startswith("<?xml")
    _, out, _ = command("--plugin", EXPERIMENT, "experiment", "block-sizes", "--json")
    assert [point["at"] for point in json.loads(out)["points"]] == [32, 128, 512]
    _, out, _ = command("--plugin", EXPERIMENT, "experiment", "--json")
    found = {one["name"]: one.get("plugin") for one in json.loads(out)}
    assert (found["block-sizes"], found["dfq-memory"]) == (EXPERIMENT, None)


def test_an_observer(command) -> None:
    asked = "run", "scan-free", "--graph", "kron:8"
    code, out, err = command("--plugin", OBSERVER, *asked, "--observe", "footprint")
    assert (code, err) == (0, "")
    assert "observer: footprint" in out
    assert out.index("counters") < out.index("observer: footprint")
    found = {}
    for schedule in ("lockstep", "random:1"):
        where = "--observe", "footprint", "--schedule", schedule, "--json"
        _, out, _ = command("--plugin", OBSERVER, *asked, *where)
        found[schedule] = json.loads(out)["observers"]["footprint"]["scan_free"]["sectors"]
    _, out, _ = command("--plugin", OBSERVER, *asked, "--json")
    bare = json.loads(out)
    assert "observers" not in bare
    # As many at most as hold all arrays, and no more than were moved.
    whole = sum(-(-size // 32) for size in bare["counters"]["bytes_by_name"].values())
    assert 0 < found["lockstep"] <= whole
    assert found["lockstep"] == found["random:1"]


def test_an_observer_sees_each_sector(tmp_path: Path) -> None:
    gpubfs.load_plugins(OBSERVER)
    path = gpubfs.run("status-array", "path:8", source=0, observe="footprint")
    # Nine offsets are two sectors, 14 neighbours two, eight distances and the flag one each.
    assert path.observers == {"footprint": {"status_array": {"sectors": 6, "bytes": 192}}}


def test_a_technique_in_a_plugin_is_known_by_name(command) -> None:
    code, out, err = command("--plugin", TECHNIQUE, "run", "warp-enqueue", "--graph", "toy")
    assert (code, err) == (0, "")
    assert "verified" in out
    _, out, _ = command("--plugin", TECHNIQUE, "list", "--json")
    found = {one["name"]: one.get("plugin") for one in json.loads(out)}
    assert (found["warp-enqueue"], found["scan-free"]) == (TECHNIQUE, None)


@pytest.mark.parametrize("graph", ["toy", "star:70", "kron:7"])
def test_the_technique_by_its_path(graph: str) -> None:
    for schedule in ("lockstep", "random:1"):
        gpubfs.run(TECHNIQUE, graph, schedule=schedule, sanitize="all")
    fewer = gpubfs.run(TECHNIQUE, graph).counters["atomic_lanes"]
    assert fewer <= gpubfs.run("scan-free", graph).counters["atomic_lanes"]


def test_what_plugins_added_is_listed(command) -> None:
    given = [part for one in (FORMAT, FAMILY, OBSERVER, TECHNIQUE) for part in ("--plugin", one)]
    code, out, err = command(*given, "list")
    assert (code, err) == (0, "")
    shown = " ".join(out.split())
    for words in ("ligra graph format", "caterpillar:SPINE[,LEGS] graph family"):
        assert words in shown
    for words in ("footprint observer", "warp-enqueue technique", FORMAT, OBSERVER):
        assert words in shown
    _, out, _ = command(*given, "graph", "--help")
    shown = " ".join(out.replace("-\n", "-").split())
    assert "From plugins" in shown
    assert "format=ligra .adj" in shown
    assert "SPINE vertices in a row" in shown


def test_a_builtin_of_a_plugin(command, tmp_path: Path) -> None:
    plugin = HERE / "builtin.py"
    (tmp_path / "most.cu").write_text(
        """extern "C" __global__ void most(unsigned *a) { a[0] = __vimax3_u32(a[0], a[1], 4); }"""
    )
    code, out, _ = command("--plugin", plugin, "check", tmp_path / "most.cu")
    assert code == 0
    assert "accepted by the simulator" in out
    code, out, _ = command("--plugin", plugin, "list")
    assert code == 0
    assert "__vimax3_u32 built-in function unsigned __vimax3_u32(unsigned x" in " ".join(
        out.split()
    )


BROKEN = {
    "a syntax error": ("def f(:", "mine.py:1: invalid syntax"),
    "an import error": ("\nimport nowhere_at_all", "mine.py:2: No module named 'nowhere_at_all'"),
    "an exception": ("x = 3\n1 / 0", "mine.py:2: ZeroDivisionError: division by zero"),
    "an exit": ("raise SystemExit(3)", "mine.py:1: SystemExit: 3"),
    "a family that is no function": (
        "from gpubfs.graphs import graph_family\ngraph_family('mine')(3)",
        "mine.py:2: 3 is no function",
    ),
    "a family of words": (
        "from gpubfs.graphs import graph_family\n@graph_family()\ndef mine(n='x'): ...",
        "mine.py:2: the parameter n='x' of mine is no number",
    ),
    "a family that is there": (
        "from gpubfs.graphs import graph_family\n@graph_family()\ndef kron(n): ...",
        'mine.py:2: there is a graph family "kron" already, in ',
    ),
    "a format without a name": (
        "from gpubfs.graphs import graph_format\n@graph_format('My Own')\ndef read(t, o): ...",
        "mine.py:2: 'My Own' cannot be the name of a graph format",
    ),
    "a format whose ending is taken": (
        "from gpubfs.graphs import graph_format\n"
        "@graph_format('mine', endings=('.mtx',))\ndef read(t, o): ...",
        "mine.py:2: the ending .mtx is of the graph format matrix-market",
    ),
    "a format with a text for its beginning": (
        "from gpubfs.graphs import graph_format\n@graph_format('mine', begins='x')\ndef f(): ...",
        "mine.py:2: begins='x' is no regular expression of bytes",
    ),
    "an observer that reports nothing": (
        "from gpubfs.search.observing import observer\n@observer('mine')\nclass Mine:\n"
        "    def begin(self, config): ...",
        "mine.py:2: Mine has no method report",
    ),
    "an experiment without a name": (
        "from gpubfs.experiments.experiment import reproduces\n\n@reproduces()\ndef f(lab): ...",
        "mine.py:3: the field name is missing",
    ),
    "a family of a field that is misspelt": (
        "from gpubfs.graphs import graph_family\n@graph_family(sizes=len)\ndef mine(n): ...",
        "mine.py:2: there is no field sizes\n  did you mean size? known: name, size, example, sep",
    ),
    "a format of a field that is misspelt": (
        "from gpubfs.graphs import graph_format\n@graph_format('mine', ending=())\ndef f(): ...",
        "mine.py:2: there is no field ending\n  did you mean endings? known: name, endings, ",
    ),
    "an experiment of a field that is misspelt": (
        "from gpubfs.experiments.experiment import reproduces\n"
        "@reproduces('mine', graph={})\ndef mine(lab): ...",
        "mine.py:2: there is no field graph\n  did you mean graphs? known: name, paper, figure, ",
    ),
    "a counter of a field that is misspelt": (
        "from simulator.observe.counters import Counter\nCounter(name='mine', unt='x')",
        "mine.py:2: there is no field unt\n  did you mean unit? known: name, unit, meaning, ",
    ),
    "an observer of a field that is misspelt": (
        "from gpubfs.search.observing import observer\n@observer(nam='mine')\nclass Mine: ...",
        "mine.py:2: there is no field nam\n  did you mean name? known: name\n",
    ),
    "a kind of exercise with a field": (
        "from gpubfs.grading import exercise_kind\n@exercise_kind(name='mine')\nclass Mine: ...",
        "mine.py:2: there is no field name\n  leave it out",
    ),
    "a point of a field that is misspelt": (
        "from gpubfs.experiments.experiment import Point\nPoint('a', 'b', 1, value={})",
        "mine.py:2: there is no field value\n  did you mean values? known: graph, series, ",
    ),
    "a function of the file itself": (
        "def f(graphs): ...\nf(graph=3)",
        "mine.py:2: there is no field graph\n  leave it out",
    ),
    "an experiment whose sheet is a file": (
        "from gpubfs.experiments.experiment import reproduces\n"
        "@reproduces('mine', sheet='nope.csv')\ndef mine(lab): ...",
        "mine.py:2: the field sheet is 'nope.csv'\n  give a gpubfs.render.sheets.Sheet, or None",
    ),
    "an experiment whose published figures are a list": (
        "from gpubfs.experiments.experiment import reproduces\n"
        "@reproduces('mine', published=[3])\ndef mine(lab): ...",
        "mine.py:2: the field published is [3]\n  give a mapping of names to figures",
    ),
    "an experiment whose paper is a number": (
        "from gpubfs.experiments.experiment import reproduces\n"
        "@reproduces('mine', paper=3)\ndef mine(lab): ...",
        "mine.py:2: the field paper is 3\n  give text",
    ),
    "a kind of exercise that misspells what is given": (
        "from gpubfs.grading import TEXT, ExerciseKind, exercise_kind\n@exercise_kind('mine')\n"
        "class Mine(ExerciseKind):\n    suffix, givn = '.txt', {'a': TEXT}\n"
        "    def grade_case(self, case, seed): ...",
        "mine.py:2: the kind of exercise 'mine': there is no attribute givn\n  did you mean given?",
    ),
    "a kind of exercise whose fields are a list": (
        "from gpubfs.grading import TEXT, ExerciseKind, exercise_kind\n@exercise_kind('mine')\n"
        "class Mine(ExerciseKind):\n    suffix, fields = '.txt', ['a']\n"
        "    def grade_case(self, case, seed): ...",
        "mine.py:2: the kind of exercise 'mine': fields is ['a']\n  give a mapping of names to Fi",
    ),
    "a kind of exercise that asks for a title": (
        "from gpubfs.grading import TEXT, ExerciseKind, exercise_kind\n@exercise_kind('mine')\n"
        "class Mine(ExerciseKind):\n    suffix, fields = '.txt', {'title': TEXT}\n"
        "    def grade_case(self, case, seed): ...",
        "mine.py:2: the kind of exercise 'mine': title is a field of all exercises\n  rename it",
    ),
    "an experiment that is a class": (
        "from gpubfs.experiments.experiment import reproduces\nreproduces('mine')(int)",
        "mine.py:2: <class 'int'> is no function",
    ),
}


@pytest.mark.parametrize(("text", "said"), BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("way", ["option", "variable"])
def test_plugins_that_are_broken(
    command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str, way: str
) -> None:
    (tmp_path / "mine.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    if way == "variable":
        monkeypatch.setenv(plugins.VARIABLE, os.pathsep.join(["", "mine.py"]))
    code, out, err = command(*(["--plugin", "mine.py"] if way == "option" else []), "list")
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {tmp_path}")
    assert said in err
    assert len(err.splitlines()) == 2  # the second is the remedy


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nowhere.py", "there is no file"),
        ("no_module_of_this_name", "No module named 'no_module_of_this_name'"),
        (str(HERE / "technique" / "warp_enqueue.cu"), "is no Python file"),
        (f"a{os.pathsep}b.py", "in its path"),
    ],
)
def test_plugins_that_are_not_there(command, name: str, said: str) -> None:
    code, out, err = command("--plugin", name, "list")
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 2


DRIVER = """
'''Mine.'''
from gpubfs.search.description import technique
from gpubfs.search.loops import queue_loop

@technique("scan-free", kernel="scan_free.cu")
def mine(host, graph, source):
    return queue_loop(host, graph, source, "scan_free", 256)
"""


def test_a_technique_whose_name_is_taken(command, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(DRIVER)
    for asked in (["list"], ["run", "scan-free", "--graph", "toy"]):
        code, out, err = command("--plugin", tmp_path / "mine.py", *asked)
        assert (code, out) == (2, "")
        assert err.startswith(f"error: {tmp_path / 'mine.py'}:6: the field name is 'scan-free'")
        assert "scan_free.py:" in err


def test_an_experiment_whose_name_is_taken(command, tmp_path: Path) -> None:
    text = "from gpubfs.experiments.experiment import reproduces\n"
    (tmp_path / "mine.py").write_text(f"{text}@reproduces('dfq-memory')\ndef f(lab): ...\n")
    code, out, err = command("--plugin", tmp_path / "mine.py", "experiment")
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {tmp_path / 'mine.py'}:2: the field name is 'dfq-memory'")


FAULTS = {
    "a family that fails": (
        "from gpubfs.graphs import graph_family\n@graph_family()\ndef mine(n):\n    return 1 // 0",
        ["graph", "mine:3"],
        "mine.py:4: ZeroDivisionError",
    ),
    "a family that makes no graph": (
        "from gpubfs.graphs import graph_family\n@graph_family()\ndef mine(n):\n    return [n]",
        ["graph", "mine:3"],
        "mine.py:2: the generator of mine returns something of type list",
    ),
    "a format that reads no listing": (
        "from gpubfs.graphs import graph_format\n"
        "@graph_format('mine', endings=('.py',))\ndef read(text, options):\n    return 3",
        ["graph", "file:mine.py"],
        "mine.py:2: the reader of mine returns something of type int",
    ),
    "an observer that reports a number": (
        "import simulator\nfrom gpubfs.search.observing import observer\n"
        "@observer('mine')\nclass Mine(simulator.Observer):\n    def begin(self, config): ...\n"
        "    def report(self):\n        return 3",
        ["run", "scan-free", "--graph", "toy", "--observe", "mine"],
        "mine.py:3: the observer mine reports 3",
    ),
    "an observer that fails": (
        "import simulator\nfrom gpubfs.search.observing import observer\n"
        "@observer('mine')\nclass Mine(simulator.Observer):\n    def begin(self, config):\n"
        "        return config.colour\n    def report(self):\n        return {}",
        ["run", "scan-free", "--graph", "toy", "--observe", "mine"],
        "mine.py:6: AttributeError",
    ),
    "an experiment that fails": (
        "from gpubfs.experiments.experiment import reproduces\n@reproduces('mine', graphs={})\n"
        "def mine(lab):\n    yield lab.colour",
        ["experiment", "mine"],
        "mine.py:4: AttributeError",
    ),
}


@pytest.mark.parametrize(("text", "asked", "said"), FAULTS.values(), ids=FAULTS)
def test_plugins_that_fail_later(
    command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, asked: list[str], said: str
) -> None:
    (tmp_path / "mine.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    code, out, err = command("--plugin", "mine.py", *asked)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


@pytest.mark.parametrize("name", ["footprnt", "footprint"])
def test_observers_that_are_not_there(command, name: str) -> None:
    asked = "run", "scan-free", "--graph", "toy", "--observe", name
    code, _, err = command(*asked)
    assert code == 2
    assert "--plugin FILE" in err
    if name == "footprnt":
        assert "did you mean footprint?" in command("--plugin", OBSERVER, *asked)[2]


def test_observers_watch_the_simulator_alone() -> None:
    gpubfs.load_plugins(OBSERVER)
    sim, gpu = SimpleNamespace(name="sim"), SimpleNamespace(name="gpu")
    assert observing.chosen(["footprint", "footprint"], sim) == ("footprint",)
    assert observing.chosen((), gpu) == ()
    with pytest.raises(UsageError, match="the machine gpu has no observers"):
        observing.chosen("footprint", gpu)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> list[EntryPoint]:
    """The entry points of the group, as other packages would bring them."""
    points: list[EntryPoint] = []
    monkeypatch.setattr(plugins, "entry_points", lambda group: points)
    monkeypatch.setattr(plugins, "_REPORTED", set())
    return points


def test_entry_points(command, installed: list[EntryPoint], monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(HERE))
    installed.append(EntryPoint("mine", "graph_family", plugins.GROUP))
    code, out, err = command("graph", "caterpillar:4", "--json")
    sys.modules.pop("graph_family")
    assert (code, err) == (0, "")
    assert json.loads(out)["vertices"] == 12


@pytest.mark.parametrize("text", ["1 / 0", "raise SystemExit", "def f(:"])
def test_entry_points_that_are_broken_are_left_out(
    command, installed: list[EntryPoint], tmp_path: Path, monkeypatch, text: str
) -> None:
    folder = tmp_path / "zz_broken_package"
    folder.mkdir()
    (folder / "__init__.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(HERE))
    installed.append(EntryPoint("one", "zz_broken_package.plugin", plugins.GROUP))
    installed.append(EntryPoint("two", "zz_no_such_module", plugins.GROUP))
    installed.append(EntryPoint("mine", "graph_family", plugins.GROUP))
    code, out, err = command("list")
    sys.modules.pop("graph_family")
    assert code == 0
    assert "scan-free" in out
    assert "caterpillar:SPINE" in out
    assert err.startswith(f"warning: {folder / '__init__.py'}:1: ")
    assert "warning: zz_no_such_module: No module named" in err
    assert len(err.splitlines()) == 4


def test_a_plugin_that_fails_adds_nothing_and_may_be_mended(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(Path(FAMILY).read_text() + "\n1 / 0\n")
    with pytest.raises(UsageError, match=r"mine\.py:16: ZeroDivisionError"):
        gpubfs.load_plugins(mine)
    assert "caterpillar" not in FAMILIES
    mine.write_text(Path(FAMILY).read_text())
    gpubfs.load_plugins(mine)
    assert graph("caterpillar:4").vertices == 12


def test_two_plugins_of_one_name(tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text(Path(FAMILY).read_text())
    gpubfs.load_plugins(FAMILY)
    gpubfs.load_plugins(FAMILY)  # which is loaded already
    with pytest.raises(UsageError, match=r'other\.py:8: there is a graph family "caterpillar"'):
        gpubfs.load_plugins(other)


@pytest.mark.slow
def test_processes_that_are_started_have_the_plugins(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), plugins.VARIABLE: OBSERVER}
    script = "import gpubfs; gpubfs.load_plugins('%s'); import os, subprocess, sys; "
    script += "subprocess.run([sys.executable, '-m', 'gpubfs', 'list'], check=True)"
    shown = subprocess.run(
        [sys.executable, "-c", script % FAMILY],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert shown.returncode == 0, shown.stderr
    assert "caterpillar:SPINE" in shown.stdout
    assert "footprint" in shown.stdout


def test_worker_processes_of_agreement_have_the_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, object] = {}

    class Pool:
        def __init__(self, **given: object) -> None:
            made.update(given)

        def __enter__(self) -> Pool:
            return self

        def __exit__(self, *error: object) -> None:
            pass

        def map(self, *given: object) -> list[object]:
            return []

    monkeypatch.setattr(cases, "ProcessPoolExecutor", Pool)
    held = records.load("h200")
    empty = type(held)(held.device, held.driver, held.compiler, held.profiler, held.date, ())
    assert cases.all_cases(empty, 1) == []
    assert made == {"initializer": plugins.load_plugins}


def test_what_contributing_shows_are_these_files() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    files = [Path(FORMAT), Path(FAMILY), Path(EXPERIMENT), Path(OBSERVER), Path(TECHNIQUE)]
    for file in (*files, Path(TECHNIQUE).with_suffix(".cu")):
        language = {".py": "python", ".cu": "cuda"}[file.suffix]
        assert f"```{language}\n{file.read_text('utf-8')}```\n" in page, file.name
        assert 10 <= len(file.read_text("utf-8").splitlines()) <= 45
