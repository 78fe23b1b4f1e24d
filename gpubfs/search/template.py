"""The files that a new technique begins with: a driver, a kernel to be written, and its test."""

from __future__ import annotations

import keyword
from pathlib import Path
from string import Template

from gpubfs.arguments import defined_at, is_name
from gpubfs.errors import UsageError
from gpubfs.search.catalogue import techniques
from simulator.builtins.row import KEYWORDS

DRIVER = '''"""Say in one sentence what the technique does.

Then where it comes from, and what the kernel leaves out or does otherwise.
"""

from __future__ import annotations

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.loops import QUEUE_ARRAYS, QUEUE_MEMORY, queue_loop
from gpubfs.search.option import Option


@technique(
    "$name",
    arrays=QUEUE_ARRAYS,
    memory=QUEUE_MEMORY,
    options=(Option("block", 256, "threads per block", minimum=1, maximum=1024),),
)
def $word(host: Host, graph: DeviceGraph, source: int, *, block: int) -> SearchResult:
    """Launch the kernel once for each level, until a level finds no vertex."""
    return queue_loop(host, graph, source, "$word", block)
'''

KERNEL = """// $name: say in one sentence what the technique does.

#include "csr.cuh"

// level[v]:  distance from the source, -1 where not visited yet.
// frontier:  the frontier_size vertices of the level that is expanded.
// next:      receives the vertices that are discovered, each once.
// next_size: how many these are; 0 when the kernel begins.
// depth:     the distance of the vertices that are discovered.
extern "C" __global__ void $word(const offset_t *offsets, const int *neighbours, int *level,
                                 const int *frontier, int frontier_size, int *next,
                                 int *next_size, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= frontier_size) return;
  int v = frontier[i];
  // Look at the neighbours of v, which are neighbours[offsets[v]] to before
  // neighbours[offsets[v + 1]]: give each that has no level yet the level `depth`,
  // and put it into `next`.
}
"""

TEST = '''"""The technique of $word.py, searched, verified and watched by all sanitizers."""

from __future__ import annotations

from pathlib import Path

import pytest

import gpubfs

DRIVER = str(Path(__file__).with_name("$word.py"))


@pytest.mark.parametrize("graph", ["toy", "path:40", "star:70", "grid:9x7", "kron:7"])
@pytest.mark.parametrize("schedule", ["lockstep", "random:1"])
def test_it_is_a_breadth_first_search(graph: str, schedule: str) -> None:
    gpubfs.run(DRIVER, graph, schedule=schedule, sanitize="all")
'''

CPP = frozenset(
    "catch delete enum friend main mutable namespace new operator private protected public "
    "template this throw typename union using virtual".split()
)

#: Names that the files cannot have, and what these words mean in them.
WORDS: dict[frozenset[str], str] = {
    frozenset(keyword.kwlist): "a word of Python's",
    KEYWORDS: "a word of CUDA C's",
    CPP: "a word of C++'s",
    frozenset({"queue_loop"}): "a function that its driver calls",
}


def new_technique(name: str, folder: Path) -> tuple[Path, Path, Path]:
    """Write the files of a technique called `name`: its driver, its kernel and its test.

    The test fails until the kernel is written. Nothing is overwritten.

    Parameters
    ----------
    name : str
        Lower-case words with hyphens between them, such as ``my-search``.
    folder : Path
        Where the files go; it is made if need be.

    Raises
    ------
    UsageError
        For a name that is none, or is taken, and where one of the files is there already.
    """
    if not is_name(name) or not name[0].isalpha():
        hint = "give lower-case words with hyphens between them, such as my-search"
        raise UsageError(f'"{name}" cannot be the name of a technique', hint)
    word = name.replace("-", "_")
    for words, what in WORDS.items():
        if word in words:
            hint = "take another name, such as my-search"
            raise UsageError(f'"{name}" cannot be the name of a technique: it is {what}', hint)
    if name in techniques():
        where = defined_at(techniques()[name].code)
        raise UsageError(f'there is a technique "{name}" already, in {where}', "take another name")
    driver, kernel = folder / f"{word}.py", folder / f"{word}.cu"
    files = driver, kernel, folder / f"test_{word}.py"
    for file in files:
        if file.exists():
            raise UsageError(f"{file} is there already", "take another name, or another --folder")
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in zip(files, (DRIVER, KERNEL, TEST), strict=True):
        file.write_text(Template(text).substitute(name=name, word=word), encoding="utf-8")
    return files
