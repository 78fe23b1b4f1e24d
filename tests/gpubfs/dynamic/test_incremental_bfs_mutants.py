"""Mistakes that incremental-bfs could have, each planted, and each found by the named batches.

`test_incremental_bfs.py` runs the same batches by default, on the kernels as they are.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

import simulator
from gpubfs.dynamic import incremental_bfs, level_repair
from gpubfs.errors import UsageError
from gpubfs.kernels import KERNELS
from tests.gpubfs.dynamic.incremental import NAMED, Bench
from tests.sampling import sampled

KERNEL, BUCKETS = "dynamic/incremental_bfs.cu", "dynamic/level_buckets.cuh"
DRIVER = "level_repair.py"

#: Each mistake: the files, what stands there, and what is put in its place.
Mistake = list[tuple[str, str, str]]
MISTAKES: dict[str, Mistake] = {
    "a suspect is decided before its level is whole": [
        # The bucket of the next level is taken along, and each vertex goes by its own level.
        (DRIVER, "if words[AHEAD] == depth else 0", "if 0 <= words[AHEAD] <= depth + 1 else 0"),
        (KERNEL, "level, v, depth)) return;", "level, v, level[v])) return;"),
        (
            KERNEL,
            "  if (lane == 0) {\n    level[v] = FAR;",
            "  unsigned below = level[v] + 1;\n  if (lane == 0) {\n    level[v] = FAR;",
        ),
        (
            KERNEL,
            "  }\n  unsigned below = depth + 1;\n  offset_t end = offsets[v + 1];\n"
            "  #pragma unroll 1\n  for (offset_t e = offsets[v] + lane; e < end; e += WIDTH) {\n"
            "    int w = neighbours[e];\n    if (level[w] == below && atomicOr",
            "  }\n  offset_t end = offsets[v + 1];\n"
            "  #pragma unroll 1\n  for (offset_t e = offsets[v] + lane; e < end; e += WIDTH) {\n"
            "    int w = neighbours[e];\n    if (level[w] == below && atomicOr",
        ),
        (KERNEL, "if (level[v] != depth) return;", "if (level[v] < depth) return;"),
    ],
    "who is affected keeps its level until later": [(KERNEL, "    level[v] = FAR;\n", "")],
    "children of affected vertices are no suspects": [
        (KERNEL, "level[w] == below && atomicOr", "level[w] == FAR && atomicOr")
    ],
    "a sibling is taken for a parent": [(KERNEL, "== depth - 1;", "- depth + 1 <= 1;")],
    "a child is taken for a parent": [(KERNEL, "== depth - 1;", "== depth + 1;")],
    "only the first lanes look for a parent": [
        (KERNEL, "if (__any_sync(lanes, parent)) return true;", "return __any_sync(lanes, parent);")
    ],
    "a vertex votes with others' lanes": [(KERNEL, "bool parent = e < end &&", "bool parent = ")],
    "edges from where nobody comes make suspects": [
        (KERNEL, "level[u] == FAR || level[v] != level[u] + 1", "level[v] != level[u] + 1")
    ],
    "deleted edges count in one direction": [
        (KERNEL, "if (!directed) suspect_head(", "if (false) suspect_head(")
    ],
    "inserted edges count in one direction": [
        (KERNEL, "if (!directed) seed_head(", "if (false) seed_head(")
    ],
    "directed edges count in both directions": [
        (KERNEL, "if (!directed) suspect_head(", "suspect_head(")
    ],
    "affected vertices are no seeds": [
        (KERNEL, "    seeds[atomicAdd(&state[SEEDS], 1)] = v;\n  }\n  unsigned", "  }\n  unsigned")
    ],
    "heads of inserted edges are no seeds": [(KERNEL, "  if (before & SEED) return;", "  return;")],
    "a head is a seed once for each edge": [(KERNEL, "if (before & SEED) return;", "")],
    "edges from where nobody comes make seeds": [
        (KERNEL, "level[u] == FAR || level[u] + 1 >= level[v]", "level[u] + 1 >= level[v]")
    ],
    "heads that are as near already are seeds": [
        (KERNEL, "level[u] + 1 >= level[v]) return;", "level[u] + 1 > level[v]) return;")
    ],
    "directed inserted edges count in both directions": [
        (KERNEL, "if (!directed) seed_head(", "seed_head(")
    ],
    "the least of no neighbours is a level": [
        (KERNEL, "least == FAR || least + 1 >= level[v]", "least + 1 > level[v]")
    ],
    "the minimum is of signed numbers": [
        (KERNEL, "least = min(least, level[in_", "least = (unsigned)min((int)least, (int)level[in_")
    ],
    "a seed takes the last neighbour": [
        (KERNEL, "least = min(least, level[in_neighbours[e]]);", "least = level[in_neighbours[e]];")
    ],
    "lanes do not tell what they have found": [
        (KERNEL, "for (int d = 1; d < WIDTH; d *= 2)", "for (int d = 0; d > 0; d /= 2)")
    ],
    "seeds look along edges that leave": [
        (DRIVER, "args = (*self.in_edges, space.level", "args = (*self.out_edges, space.level")
    ],
    "suspects look along edges that leave": [
        (DRIVER, "(*self.in_edges, *self.out_edges)", "(*self.out_edges, *self.out_edges)")
    ],
    "buckets are not forgotten": [(DRIVER, "        space.empty_buckets()\n", "")],
    "seeds get their level and are not expanded": [
        (KERNEL, "if (level[v] != depth) return;", "if (i >= queued) return;")
    ],
    "a bucket is passed over where a level is queued": [
        (
            DRIVER,
            "size = words[AHEAD_SIZE] if words[AHEAD] == depth else 0",
            "size = 0 if queued else words[AHEAD_SIZE]",
        )
    ],
    "levels without suspects end the pass": [
        (DRIVER, "while queued or words[AHEAD] >= 0:", "while queued or words[AHEAD] == depth + 1:")
    ],
    "what is lowered is no less than it was": [
        (KERNEL, "atomicMin(&level[w], below) > below", "atomicMax(&level[w], below) > below")
    ],
    "whoever is as far is lowered again": [
        (
            KERNEL,
            "level[w] > below && atomicMin(&level[w], below) > below",
            "level[w] >= below && atomicMin(&level[w], below) >= below",
        )
    ],
    "only who had no level is lowered": [
        (KERNEL, "if (level[w] > below && atomicMin", "if (level[w] == FAR && atomicMin")
    ],
    "a lowered seed is expanded at its old level": [
        (KERNEL, "  if (level[v] != depth) return;\n", "")
    ],
    "touched vertices are counted twice": [(KERNEL, "if (mark[w] == 0) atomicAdd", "atomicAdd")],
    "buckets have no gaps": [(BUCKETS, "int begin = placed + block", "int begin = block")],
}


def planted(folder: Path, mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a mistake into copies of the kernels and of the driver."""
    shutil.copytree(KERNELS, folder)
    driver = Path(level_repair.__file__).read_text()
    for file, text, wrong in mistake:
        code = driver if file == DRIVER else (folder / file).read_text()
        assert code.count(text) == 1, text
        if file == DRIVER:
            driver = code.replace(text, wrong)
        else:
            (folder / file).write_text(code.replace(text, wrong))
    module = ModuleType("gpubfs.dynamic.level_repair")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(driver, level_repair.__file__, "exec"), module.__dict__)
    monkeypatch.setattr(incremental_bfs, "LevelRepair", module.LevelRepair)
    monkeypatch.setattr(incremental_bfs, "Workspace", module.Workspace)


def finds(folder: Path) -> str:
    """The first of the named batches that goes wrong on these kernels; "" if none does."""
    with Bench(kernels=folder, counters=True) as bench:
        for name, change in NAMED.items():
            try:
                bench.check(change, name)
            except (AssertionError, simulator.SimulatorError, UsageError):
                return name
    return ""


@pytest.mark.parametrize("mistake", sampled(MISTAKES, 40))
def test_a_planted_mistake_is_found(
    mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted(tmp_path / "kernels", MISTAKES[mistake], monkeypatch)
    assert finds(tmp_path / "kernels")


@pytest.mark.slow
def test_without_a_mistake_nothing_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted(tmp_path / "kernels", [], monkeypatch)
    assert not finds(tmp_path / "kernels")
