"""What goes wrong in an extension's code: one error with its file, its line and what it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("unloaded")

FAMILY = "from gpubfs.graphs import Graph, graph_family\n"
FORMAT = (
    "import numpy as np\nfrom gpubfs.graphs import Listing, graph_format\n"
    "a = np.zeros(1, np.int64)\n@graph_format('mine', endings=('.py',))\n"
)
READ = f"{FORMAT}def read(text, options):\n    "

OBSERVER = "import simulator\nfrom gpubfs.search.observing import observer\n@observer('mine')\n"
WATCHES = f"{OBSERVER}class Mine(simulator.Observer):\n"
REPORTS = "    def report(self):\n        return {}\n"
BEGINS = "    def begin(self, config): ...\n"
OBSERVED = "run scan-free --graph toy --observe mine"
LAUNCH = (
    "import simulator\nclass Launch(simulator.LaunchObserver):\n    METHOD\n"
    "from gpubfs.search.observing import observer\n@observer('mine')\n"
    "class Mine(simulator.Observer):\n    def begin(self, config):\n        return Launch()\n"
    f"{REPORTS}"
)
EXPERIMENT = "from gpubfs.experiments.experiment import Point, Verdict, reproduces\n"
MEASURES = f"{EXPERIMENT}@reproduces('mine', graphs={{}}"
YIELDS = "\ndef mine(lab):\n    yield Point('a', 'b', 1, {'c': 1})"
TECHNIQUE = (
    "'''Mine.'''\nimport numpy as np\nfrom gpubfs.host import SearchResult\n"
    "from gpubfs.search.description import technique\n"
    "@technique('mine', kernel='scan_free.cu')\ndef mine(host, graph, source):\n    "
)
SEARCH = "run mine --graph toy"

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
    "a family of fewer vertices than none": (
        f"{FAMILY}@graph_family(size=lambda n: (-n, -n))\ndef mine(n): ...",
        "graph mine:3",
        "mine.py:2: the size of the graph family mine is (-3, -3)\n  return the numbers of vert",
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
    "a reader of numbers that are too large": (
        f"{READ}return Listing(np.array([2**63 + 5], np.uint64), a, 3)",
        "graph file:mine.py",
        "is out of range (listed by the reader of mine, HERE/mine.py:4)\n",
    ),
    "a reader of truth values": (
        f"{READ}return Listing(a == 0, a, 3)",
        "graph file:mine.py",
        "returns a Listing with sources=array([ True])\n  give an array of vertex numbers",
    ),
    "a reader of lists of different lengths": (
        f"{READ}return Listing(np.zeros(3, int), a, 3)",
        "graph file:mine.py",
        "(listed by the reader of mine, HERE/mine.py:4)\n  give both of one length",
    ),
    "a reader of what never ends": (
        f"{READ}import itertools; return Listing(itertools.count(), a, 3)",
        "graph file:mine.py",
        "returns a Listing with sources=count(0)\n  give an array of vertex numbers",
    ),
    "an observer that does not begin": (
        f"{WATCHES}{REPORTS}",
        OBSERVED,
        "mine.py:3: Mine has no method begin",
    ),
    "a family whose separator is a number": (
        f"{FAMILY}@graph_family(separator=3)\ndef mine(n, m): ...",
        "graph mine:3x4",
        "mine.py:2: separator=3 is no text\n  give what stands between two numbers",
    ),
    "a family whose separator is nothing": (
        f"{FAMILY}@graph_family(separator='')\ndef mine(n, m): ...",
        "graph mine:3x4",
        "mine.py:2: separator='' cannot be told from the numbers beside it\n  give what",
    ),
    "a family whose separator is a digit": (
        f"{FAMILY}@graph_family(separator='0')\ndef mine(n, m): ...",
        "graph mine:304",
        "mine.py:2: separator='0' cannot be told from the numbers beside it\n",
    ),
    "a family whose separator stands behind names": (
        f"{FAMILY}@graph_family(separator='=')\ndef mine(n, m): ...",
        "graph mine:3=4",
        "mine.py:2: separator='=' cannot be told from the numbers beside it\n",
    ),
    "an observer without parentheses": (
        "import simulator\nfrom gpubfs.search.observing import observer\n@observer\n"
        f"class Mine(simulator.Observer):\n{BEGINS}{REPORTS}",
        OBSERVED,
        "mine.py:3: @observer is used without parentheses",
    ),
    "an observer that is none": (
        f"{OBSERVER}class Mine:\n{BEGINS}{REPORTS}",
        OBSERVED,
        "mine.py:3: the observer mine is no simulator.Observer",
    ),
    "an observer that is made of something": (
        f"{WATCHES}    def __init__(self, x): ...\n{BEGINS}{REPORTS}",
        OBSERVED,
        "mine.py:3: TypeError: Mine.__init__() missing 1 required positional argument",
    ),
    "an observer that begins with a number": (
        f"{WATCHES}    def begin(self, config):\n        return 7\n{REPORTS}",
        OBSERVED,
        "mine.py:3: the observer mine begins a launch with 7",
    ),
    "an observer that exits as it begins": (
        f"{WATCHES}    def begin(self, config):\n        exit(0)\n{REPORTS}",
        OBSERVED,
        "mine.py:6: SystemExit: 0 (in the observer mine)",
    ),
    "an observer that exits as it reports": (
        f"{WATCHES}{BEGINS}    def report(self):\n        exit(0)",
        OBSERVED,
        "mine.py:7: SystemExit: 0 (in the observer mine)",
    ),
    "an observer that reads no blocks": (
        LAUNCH.replace("METHOD", "def consume(self, log): ..."),
        OBSERVED,
        "mine.py:5: TypeError: Launch.consume() takes 2 positional arguments but 3 were given",
    ),
    "an observer that exits as it reads": (
        LAUNCH.replace("METHOD", "def consume(self, log, blocks):\n        raise SystemExit"),
        OBSERVED,
        "mine.py:4: SystemExit (in the observer mine)",
    ),
    "an observer whose report contains itself": (
        f"{WATCHES}{BEGINS}    def report(self):\n        self.a = [self]\n"
        "        self.a[0] = self.a\n        return self.a",
        OBSERVED,
        "mine.py:3: the observer mine reports what contains itself",
    ),
    "an observer whose report has a set": (
        f"{WATCHES}{BEGINS}    def report(self):\n        return {{'a': {{1}}}}",
        OBSERVED,
        "mine.py:3: the observer mine reports {'a': {1}}: Object of type set is not JSON",
    ),
    "an observer whose report has keys that are one in JSON": (
        f"{WATCHES}{BEGINS}    def report(self):\n        return {{'a': {{1: 2, '1': 3}}}}",
        OBSERVED,
        "mine.py:3: the observer mine reports the key 1 twice\n  give keys that are different as",
    ),
    "an experiment that exits": (
        f"{MEASURES})\ndef mine(lab):\n    yield exit(0)",
        "experiment mine",
        "mine.py:4: SystemExit: 0 (in the experiment mine)",
    ),
    "an experiment without parentheses": (
        f"{EXPERIMENT}@reproduces\ndef mine(lab): ...",
        "experiment mine",
        "mine.py:2: @reproduces is used without parentheses",
    ),
    "an experiment that returns nothing": (
        f"{MEASURES})\ndef mine(lab): ...",
        "experiment mine",
        "mine.py:2: the experiment mine: points=None is no list",
    ),
    "an experiment that yields a number": (
        f"{MEASURES})\ndef mine(lab):\n    yield 3",
        "experiment mine",
        "mine.py:2: the experiment mine gives 3 as one of its points",
    ),
    "an experiment that yields nothing": (
        f"{MEASURES})\ndef mine(lab):\n    yield from ()",
        "experiment mine",
        "mine.py:2: the experiment mine yields no points",
    ),
    "an experiment without a lab": (
        f"{MEASURES})\ndef mine(): ...",
        "experiment mine",
        "mine.py:2: TypeError: mine() takes 0 positional arguments but 1 was given",
    ),
    "an experiment whose point is at a text": (
        f"{MEASURES})\ndef mine(lab):\n    yield Point('a', 'b', 'x', {{}})",
        "experiment mine",
        "mine.py:2: the experiment mine has a Point with at='x'",
    ),
    "an experiment whose point has one value": (
        f"{MEASURES})\ndef mine(lab):\n    yield Point('a', 'b', 1, 3)",
        "experiment mine",
        "mine.py:2: the experiment mine has a Point with values=3",
    ),
    "an experiment whose verdicts are no function": (
        f"{MEASURES}, verdicts=True){YIELDS}",
        "experiment mine",
        "mine.py:2: verdicts=True cannot be called",
    ),
    "an experiment without verdicts": (
        f"{MEASURES}, verdicts=lambda report: None){YIELDS}",
        "experiment mine",
        "mine.py:2: the experiment mine: verdicts=None is no list",
    ),
    "an experiment whose verdicts are texts": (
        f"{MEASURES}, verdicts=lambda report: ['ok']){YIELDS}",
        "experiment mine",
        "mine.py:2: the experiment mine gives 'ok' as one of its verdicts",
    ),
    "an experiment whose tables are a number": (
        f"{MEASURES}, tables=lambda report: 3){YIELDS}",
        "experiment mine",
        "mine.py:2: the experiment mine: tables=3 is no list",
    ),
    "a family of wrong edges": (
        f"{FAMILY}@graph_family()\ndef mine(n):\n    return Graph.from_edges([0], [n], n)",
        "graph mine:3",
        "is not one of the 3 vertices (in the graph family mine, HERE/mine.py:4)\n  vertices are",
    ),
    "a family that asks for another": (
        f"{FAMILY}import gpubfs\n@graph_family()\ndef mine(n):\n    return gpubfs.graph('krn:4')",
        "graph mine:3",
        "there is no graph called 'krn' (in the graph family mine, HERE/mine.py:5)\n",
    ),
    "a reader that makes a wrong graph": (
        f"{READ}import gpubfs; gpubfs.graph(3)",
        "graph file:mine.py",
        "something of type int is not a graph (in the graph format mine, HERE/mine.py:6)\n",
    ),
    "an experiment of a technique that is not there": (
        f"{MEASURES})\ndef mine(lab):\n    yield lab.point('scan-fre', 'toy', [])",
        "experiment mine",
        'there is no technique "scan-fre" (in the experiment mine, HERE/mine.py:4)\n  did you mean',
    ),
    "an experiment of an option that is not there": (
        f"{MEASURES})\ndef mine(lab):\n    yield lab.point('scan-free', 'toy', [], blok=4)",
        "experiment mine",
        "(in the experiment mine, HERE/mine.py:4)\n  did you mean block?",
    ),
    "an experiment on a graph that is not there": (
        f"{EXPERIMENT}@reproduces('mine', graphs={{'sim': 'pat:4'}})\ndef mine(lab): ...",
        "experiment mine",
        "no graph called 'pat' (in the experiment mine, HERE/mine.py:2)\n  did you mean path?",
    ),
    "an experiment whose tables are of no counter": (
        f"{MEASURES}, tables=lambda report: gpubfs.run('no', 'toy')){YIELDS}\nimport gpubfs",
        "experiment mine",
        'no technique "no" (in the experiment mine, HERE/mine.py:2)\n',
    ),
    "an observer that runs what is not there": (
        f"import gpubfs\n{WATCHES}    def begin(self, config):\n"
        f"        gpubfs.graph('no')\n{REPORTS}",
        OBSERVED,
        "there is no graph called 'no' (in the observer mine, HERE/mine.py:7)\n",
    ),
    "an observer whose method is misspelt": (
        LAUNCH.replace("METHOD", "def consum(self, log, blocks): ..."),
        OBSERVED,
        "HERE/mine.py:2: Launch has a method consum and overrides no consume\n  did you mean c",
    ),
    "an observer whose second method is misspelt": (
        LAUNCH.replace("METHOD", "def start(self, w): ...\n    def finsh_wave(self): ..."),
        OBSERVED,
        "HERE/mine.py:2: Launch has a method finsh_wave and overrides no finish_wave\n",
    ),
    "an observer that sees nothing": (
        LAUNCH.replace("METHOD", "pass"),
        OBSERVED,
        "HERE/mine.py:2: Launch overrides nothing of a launch\n  override one of start, watch, ",
    ),
    "a technique of a kernel that is not there": (
        f"{TECHNIQUE}host.launch('scan_fre', 1, 32, [])",
        SEARCH,
        "has no kernel 'scan_fre' (in the technique mine, HERE/mine.py:7)\n  did you mean",
    ),
    "an experiment whose verdict is a word": (
        f"{MEASURES}, verdicts=lambda report: [Verdict('no', 'x')]){YIELDS}",
        "experiment mine",
        "mine.py:2: the experiment mine has a Verdict with agrees='no'\n  give True",
    ),
    "an experiment whose verdict is an array": (
        f"import numpy as np\n{MEASURES}, verdicts=lambda report:"
        f" [Verdict(np.array([True, False]), 'x')]){YIELDS}",
        "experiment mine --json",
        "mine.py:3: the experiment mine has a Verdict with agrees=array([ True, False])",
    ),
    "an experiment whose verdict says a number": (
        f"{MEASURES}, verdicts=lambda report: [Verdict(None, 3)]){YIELDS}",
        "experiment mine",
        "mine.py:2: the experiment mine has a Verdict with sentence=3",
    ),
    "an experiment whose point is of a number": (
        f"{MEASURES})\ndef mine(lab):\n    yield Point('a', 3, 1, {{}})",
        "experiment mine",
        "mine.py:2: the experiment mine has a Point with series=3",
    ),
    "an experiment of points without end": (
        f"{MEASURES})\ndef mine(lab):\n    while True:\n        yield Point('a', 'b', 1, {{}})",
        "experiment mine",
        "mine.py:2: the experiment mine gives more than 10,000 points\n",
    ),
    "an experiment of verdicts without end": (
        f"{MEASURES}, verdicts=lambda report: iter(lambda: Verdict(None, ''), 0)){YIELDS}",
        "experiment mine",
        "mine.py:2: the experiment mine gives more than 10,000 verdicts",
    ),
    "an experiment on a machine that is not there": (
        f"{EXPERIMENT}@reproduces('mine', graphs={{'sym': ('toy',)}}){YIELDS}",
        "experiment mine",
        'mine.py:2: there is no machine "sym"\n  did you mean sim?',
    ),
    "an experiment with a counter that is not there": (
        f"{EXPERIMENT}@reproduces('mine', graphs={{'sim': 'path:4'}})\ndef mine(lab):\n"
        "    yield lab.point('scan-free', lab.graphs[0], ['loadd_sectors'])",
        "experiment mine",
        'there is no counter "loadd_sectors" (in the experiment mine, HERE/mine.py:4)\n'
        "  did you mean load_sectors?",
    ),
    "an experiment with a figure that is not there": (
        f"{MEASURES})\ndef mine(lab):\n    yield lab.point('scan-free', 'toy', ['work.most'])",
        "experiment mine",
        'there is no figure of work "most" (in the experiment mine, HERE/mine.py:4)\n',
    ),
    "a technique without parentheses": (
        "from gpubfs.search.description import technique\n@technique\ndef mine(h, g, s): ...",
        SEARCH,
        "mine.py:2: @technique is used without parentheses",
    ),
    "a technique that exits": (
        f"{TECHNIQUE}exit(0)",
        SEARCH,
        "mine.py:7: SystemExit: 0 (in the technique mine)",
    ),
    "a technique that returns nothing": (
        f"{TECHNIQUE}return None",
        SEARCH,
        "mine.py:5: the driver of mine returns None\n  return a gpubfs.host.SearchResult",
    ),
    "a technique that returns an array": (
        f"{TECHNIQUE}return host.levels(graph.vertices, source)",
        SEARCH,
        "mine.py:5: the driver of mine returns ",
    ),
    "a technique that returns a number": (
        f"{TECHNIQUE}return SearchResult(3)",
        SEARCH,
        "mine.py:5: the driver of mine returns levels that are no such array: 3",
    ),
    "a technique that returns too little": (
        f"{TECHNIQUE}return SearchResult(host.full('a', 2, 0))",
        SEARCH,
        "mine.py:5: the driver of mine returns levels that are no such array: int32 array of shape",
    ),
    "a technique that returns fractions": (
        f"{TECHNIQUE}return SearchResult(host.full('a', graph.vertices, 0, 'float32'))",
        SEARCH,
        "that are no such array: float32 array of shape (10,)",
    ),
}


@pytest.fixture
def with_plugin(
    command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str, str], tuple[int, str, str]]:
    """Runs a command with a plugin of this text, in the folder that has it."""
    monkeypatch.chdir(tmp_path)

    def ask(text: str, asked: str) -> tuple[int, str, str]:
        (tmp_path / "mine.py").write_text(text)
        return command("--plugin", "mine.py", *asked.split())

    return ask


@pytest.mark.parametrize(("text", "asked", "said"), FAULTS.values(), ids=FAULTS)
def test_faults_name_the_file_the_line_and_what_it_is(
    with_plugin, tmp_path: Path, text: str, asked: str, said: str
) -> None:
    code, out, err = with_plugin(text, asked)
    assert (code, out) == (2, "")
    assert said.replace("HERE", str(tmp_path)) in err
    assert "mine.py" in err or "there is no " in said
    assert "Traceback" not in err
    assert len(err.splitlines()) == (1 if "None, None" in text else 2)


def test_the_seed_that_must_be_given_is_in_the_example(with_plugin) -> None:
    code, _, err = with_plugin(f"{FAMILY}@graph_family()\ndef mine(n, seed): ...", "graph mine:3")
    assert code == 2
    assert "write mine:N,seed=NUMBER, for example mine:10,seed=1" in err


def test_verdicts_may_be_truth_values_of_numpy(with_plugin) -> None:
    verdicts = "verdicts=lambda report: [Verdict(np.True_, 'x'), Verdict(np.bool(False), 'y')]"
    text = f"import numpy as np\n{MEASURES}, {verdicts}){YIELDS}"
    _, out, _ = with_plugin(text, "experiment mine")
    assert "agrees: x" in out
    assert "differs: y" in out
    _, out, _ = with_plugin(text, "experiment mine --json")
    assert [one["agrees"] for one in json.loads(out)["verdicts"]] == [True, False]


OWN = {
    "a family": (
        f"{FAMILY}from gpubfs.graphs import GraphError\n@graph_family()\ndef mine(n):\n"
        "    raise GraphError('n is odd', hint='take another')",
        "graph mine:3",
        "error: n is odd\n  take another\n",
    ),
    "a reader": (
        f"{READ}text.fail('no number', 2, 'mend it')",
        "graph file:mine.py",
        "mine.py:2: error: no number\n  mend it\n",
    ),
    "an experiment": (
        f"import gpubfs\n{MEASURES})\ndef mine(lab):\n    raise gpubfs.UsageError('few', 'ask')",
        "experiment mine",
        "error: few\n  ask\n",
    ),
}


@pytest.mark.parametrize(("text", "asked", "said"), OWN.values(), ids=OWN)
def test_words_of_an_extension_itself_are_left_as_they_are(
    with_plugin, text: str, asked: str, said: str
) -> None:
    assert with_plugin(text, asked) == (2, "", said)


def test_a_fault_names_one_place_of_a_file(with_plugin) -> None:
    text = (
        f"{EXPERIMENT}from gpubfs.graphs import Graph, graph_family\n"
        "@graph_family()\ndef bad(n):\n    return Graph.from_edges([0], [n], n)\n"
        "@reproduces('mine', graphs={})\ndef mine(lab):\n"
        "    yield lab.point('scan-free', 'bad:3', [])"
    )
    _, _, err = with_plugin(text, "experiment mine")
    assert err.count("mine.py:") == 1
    assert "(in the graph family bad, " in err
