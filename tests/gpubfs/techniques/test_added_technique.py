"""What is added to a copy of the package, a file or two each, is there, and nothing fails for it.

These are a technique of a new family, and the examples of CONTRIBUTING.md.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

DRIVER = '''
"""Nothing but scan-free under another name."""

from gpubfs.search.loops import QUEUE_ARRAYS, QUEUE_MEMORY, SWAPPED_IN_VAIN, queue_loop
from gpubfs.search.option import Option
from gpubfs.search.description import technique


@technique(
    "newcomer",
    family="test",
    kernel="newcomer.cu",
    paper="none",
    section="none",
    year=2030,
    arrays=QUEUE_ARRAYS,
    memory=QUEUE_MEMORY,
    benign={"level": SWAPPED_IN_VAIN},
    options=(Option("block", 256, "threads per block", minimum=1, maximum=1024, whole_warps=True),),
)
def newcomer(host, graph, source, *, block):
    """Run it."""
    return queue_loop(host, graph, source, "newcomer", block)
'''

#: Runs commands in one process: each prints its exit code, its output and its messages.
COMMANDS = """
import contextlib, io, json, sys
from gpubfs.cli.main import main
told = []
for command in json.loads(sys.argv[1]):
    out, err, code = io.StringIO(), io.StringIO(), None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(command.split())
        except SystemExit as ended:
            code = ended.code or 0
    told.append([code, out.getvalue(), err.getvalue()])
print(json.dumps(told))
"""


#: Where examples of extensions are as good inside of the package.
EXAMPLES = {
    "graph_format.py": "gpubfs/graphs/formats/ligra.py",
    "graph_family.py": "gpubfs/graphs/families/caterpillar.py",
    "experiment.py": "gpubfs/experiments/block_sizes.py",
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the packages and their tests with some files more."""
    folder = tmp_path_factory.mktemp("copy")
    without = shutil.ignore_patterns("__pycache__", "*.pyc")
    for name in ("gpubfs", "simulator", "tests", "lessons"):
        shutil.copytree(ROOT / name, folder / name, ignore=without)
    shutil.copy(ROOT / "pyproject.toml", folder)
    kernels = folder / "gpubfs" / "kernels"
    kernel = (kernels / "scan_free.cu").read_text().replace("scan_free", "newcomer")
    kernel = kernel.replace("// scan-free:", "// newcomer:", 1)
    (kernels / "newcomer.cu").write_text(kernel)
    family = folder / "gpubfs" / "techniques" / "newcomers"
    family.mkdir()
    (family / "newcomer.py").write_text(DRIVER)
    for example, added in EXAMPLES.items():
        shutil.copy(ROOT / "tests" / "extensions" / example, folder / added)
    (folder / "square.adj").write_text("AdjacencyGraph\n2\n2\n0\n1\n1\n0\n")
    return folder


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python where the packages of a folder are found first."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )


def test_every_command_takes_it(copy: Path) -> None:
    import json

    commands = {
        "list": "newcomer",
        "run newcomer --graph toy --sanitize all": "verified",
        "compare newcomer scan-free --graph toy": "newcomer",
        "lines newcomer --graph toy": "atomicCAS",
        "trace newcomer --graph toy --device toy2 --json": "newcomer",
        "bench newcomer --graph toy --repeat 1": "newcomer",
        "experiment queue-memory --graph toy": "scan-free",
        "experiment": "block-sizes",
        "experiment block-sizes": "scan-free at 512",
        "run newcomer --graph caterpillar:5": "verified",
        "graph file:square.adj": "vertices",
        "graph --help": "caterpillar:SPINE[,LEGS]",
    }
    refused = "compare newcomer --graph toy --against h200"
    shown = python(copy, "-c", COMMANDS, json.dumps([*commands, refused]))
    assert shown.returncode == 0, shown.stderr
    *told, (code, out, err) = json.loads(shown.stdout)
    for (command, word), (own, printed, messages) in zip(commands.items(), told, strict=True):
        assert (own, messages) == (0, ""), command
        assert word in printed, command
    assert (code, out) == (2, "")
    assert "newcomer was not recorded on the NVIDIA H200: there is no record of it" in err
    assert "gpubfs record" in err


@pytest.mark.slow
def test_the_agreement_says_that_it_has_no_record(copy: Path) -> None:
    script = (
        "from gpubfs.measure.hardware import agreement, records;"
        "print(*agreement.summary_sheet(records.load('h200'), []).notes[-2:], sep='\\n')"
    )
    shown = python(copy, "-c", script)
    launching, others = shown.stdout.splitlines()
    assert launching.startswith("cannot be recorded, as their kernels launch kernels: ")
    assert others.startswith("without a record: ")
    assert "newcomer" not in launching
    assert "newcomer" in others.partition(": ")[2].split(", "), shown.stderr


#: Tests that go through all techniques, or through lists of them.
LISTS = "newcomer or left_out or not_there or every_technique_is_recorded or are_complete"
LISTS += " or every_experiment or are_listed or every_family or qqqqqq or block-sizes"


@pytest.mark.slow
def test_the_packages_own_tests_take_it(copy: Path) -> None:
    files = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "tests" / "gpubfs").rglob("test_*.py"))
        if path.name != Path(__file__).name
    ]
    options = ["-q", "-p", "no:cacheprovider", "-k", LISTS]
    shown = python(copy, "-m", "pytest", *options, *files)
    assert shown.returncode == 0, shown.stdout
    assert "newcomer has no record of a GPU" in shown.stdout
    assert "newcomer has no recorded trace" in shown.stdout
    assert "block-sizes has no tiny settings" in shown.stdout
