"""hierarchical-kernels: the barrier that fits each frontier, and no vertex lost on the way."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import gpubfs
import simulator
from gpubfs.graphs import Graph
from gpubfs.graphs.reference import reference_levels
from gpubfs.kernels import KERNELS
from gpubfs.machines import nvrtc
from gpubfs.search.verify import VerificationError
from gpubfs.show.level_facts import facts_sheets
from tests.gpubfs.techniques.test_main_loops import random_graph
from tests.sampling import examples

NAME = "hierarchical-kernels"

#: Kernels by the barrier behind their levels.
KERNELS_BY_BARRIER = {
    "block": "levels_in_block",
    "grid": "levels_in_grid",
    "launch": "host_loop",
}

#: A block holds 4 vertices, two blocks 8.
TOY: dict[str, Any] = {"device": "toy4", "block": 4, "blocks": 2}


def layered(*sizes: int) -> Graph:
    """A level of so many vertices behind the other, each joined to all of the next."""
    first = np.r_[0, np.cumsum(sizes)]
    pairs = [
        np.meshgrid(np.arange(a, b), np.arange(b, c))
        for a, b, c in zip(first[:-2], first[1:-1], first[2:], strict=True)
    ]
    tails, heads = (np.concatenate([pair[i].ravel() for pair in pairs]) for i in (0, 1))
    return Graph.from_edges(tails, heads, int(first[-1]), name="layered")


def spider(legs: int, length: int) -> Graph:
    """Legs of so many vertices from vertex 0: whoever loses one of them loses the rest of a leg."""
    feet = np.arange(1, legs * length + 1)
    return Graph.from_edges(np.maximum(feet - legs, 0), feet, feet[-1] + 1, name="spider")


def barriers(done: gpubfs.Run) -> list[str]:
    return [str(done.facts[depth]["barrier"]) for depth in range(done.depth + 1)]


def expected(sizes: list[int], few: int, many: int) -> list[str]:
    return ["block" if n <= few else "grid" if n <= many else "launch" for n in sizes]


def check(done: gpubfs.Run, few: int, many: int) -> None:
    """The facts are those of the levels, and launches are as many as the facts want."""
    sizes = np.bincount(done.levels[done.levels >= 0]).tolist()
    assert {depth: told["vertices"] for depth, told in done.facts.items()} == dict(enumerate(sizes))
    assert barriers(done) == expected(sizes, few, many)
    kernels = []
    for barrier, levels in groupby(barriers(done)):
        kernels += [KERNELS_BY_BARRIER[barrier]] * (len([*levels]) if barrier == "launch" else 1)
    assert [launch.kernel for launch in done.per_launch] == kernels
    assert all(one.frontier == sizes[one.depth] for one in done.per_launch)


def test_growth_and_shrinkage_through_all_three() -> None:
    graph = layered(1, 3, 4, 6, 8, 30, 20, 7, 5, 2, 1)
    done = gpubfs.run(NAME, graph, 0, sanitize="all", **TOY)
    check(done, 4, 8)
    assert [name for name, _ in groupby(barriers(done))] == [
        *("block", "grid", "launch", "grid", "block")
    ]
    assert done.launches == 6
    # A read after each launch, and one for what the facts are.
    assert done.counters["host_reads"] == done.launches + 1


def test_every_machine_meets_the_same_barriers(machine: str) -> None:
    graph = layered(1, 6, 20, 64, 90, 30, 5, 1)
    done = gpubfs.run(NAME, graph, 0, machine=machine, block=32, blocks=2, capacity=8)
    check(done, 8, 64)


#: The simulator's orders of warps.
SCHEDULES = ("lockstep", "warp", "shuffled:1", "round-robin:1", "random:3")


def search_something(technique: Any, data: st.DataObject) -> None:
    """Random graphs, directed or not, with queues that overflow anywhere, in any order of warps."""
    graph = random_graph(data)
    source = data.draw(st.integers(0, graph.vertices - 1))
    block, blocks = 4 * data.draw(st.integers(1, 2)), data.draw(st.integers(1, 4))
    capacity = data.draw(st.integers(0, 9))
    width = data.draw(st.sampled_from([1, 2, 4]))
    schedule = data.draw(st.sampled_from(SCHEDULES))
    shape = {"block": block, "blocks": blocks, "capacity": capacity, "width": width}
    done = gpubfs.run(
        technique, graph, source, device="toy4", schedule=schedule, sanitize="all", **shape
    )
    np.testing.assert_array_equal(done.levels, reference_levels(graph, source))
    check(done, capacity or block, block * blocks)


@pytest.mark.slow
@examples(400, 25)
@given(st.data())
def test_every_frontier_gets_its_barrier_and_nothing_is_lost(data: st.DataObject) -> None:
    search_something(NAME, data)


@pytest.mark.parametrize("leaves", [5, 40, 300])
@pytest.mark.parametrize("source", [0, 1])
def test_a_hub_overflows_the_queue_in_the_middle_of_a_level(leaves: int, source: int) -> None:
    """From the hub, and from a leaf: what does not fit is in global memory, behind the rest."""
    graph = gpubfs.graph(f"star:{leaves}")
    done = gpubfs.run(NAME, graph, source, sanitize="all", capacity=4, block=32, blocks=1)
    check(done, 4, 32)
    assert done.sites is not None
    stores = [one for one in done.sites if one.kind == "store" and "next.vertices" in line(one)]
    assert sum(store.lanes for store in stores) == leaves - 4 - (source == 1)


def line(site: Any) -> str:
    """The line of the source at which a site stands."""
    return str(site.span.source.text.splitlines()[site.span.line - 1])


@pytest.mark.parametrize("size", [1, 4, 5])
def test_a_queue_that_is_just_full_does_not_spill(size: int) -> None:
    """Four fit; a fifth is the first that does not."""
    done = gpubfs.run(NAME, layered(1, size, 1), 0, sanitize="all", **TOY)
    assert barriers(done)[1] == ("block" if size <= 4 else "grid")
    np.testing.assert_array_equal(np.bincount(done.levels), [1, size, 1])


def planted(folder: Path, text: str, wrong: str, file: str) -> Any:
    """The technique with a mistake in one of its files."""
    shutil.copytree(KERNELS, folder, dirs_exist_ok=True)
    path = folder / file
    code = path.read_text()
    assert code.count(text) == 1
    path.write_text(code.replace(text, wrong))
    return replace(gpubfs.techniques()[NAME], folder=folder, headers=folder)


#: Entries that are left behind when the block leaves, in shared memory or by the wayside.
LOSSES = [
    ("level_expansion.cuh", "next.vertices[slot] = v;", "(void)v;"),
    ("hierarchical_kernels.cu", "from.vertices[i] = from.held[i].vertex", "i += 0"),
    ("hierarchical_kernels.cu", "int kept = min(size, capacity);", "int kept = 0;"),
    # The whole level that overflows is given up, as if it were to be expanded anew.
    ("hierarchical_kernels.cu", "left[1] = size;", "left[1] = size > capacity ? 0 : size;"),
]


@pytest.mark.parametrize("legs", [6, 20])
@pytest.mark.parametrize(("file", "text", "wrong"), LOSSES)
def test_a_planted_loss_is_caught(
    tmp_path: Path, file: str, text: str, wrong: str, legs: int
) -> None:
    broken = planted(tmp_path / "kernels", text, wrong, file)
    with pytest.raises((VerificationError, simulator.Fault)):
        gpubfs.run(broken, spider(legs, 5), 0, **TOY)


@pytest.mark.parametrize(("file", "text", "wrong"), LOSSES)
def test_random_searches_catch_a_planted_loss(
    tmp_path: Path, file: str, text: str, wrong: str
) -> None:
    broken = planted(tmp_path / "kernels", text, wrong, file)

    @settings(max_examples=60, deadline=None, database=None, phases=[Phase.generate])
    @given(st.data())
    def search(data: st.DataObject) -> None:
        search_something(broken, data)

    # A level that is lost at the end of a search leaves right distances: its facts are missing.
    with pytest.raises((VerificationError, simulator.Fault, AssertionError, ExceptionGroup)):
        search()


def test_a_block_alone_meets_one_barrier_a_level() -> None:
    """One more before the first level; one launch, and two reads: where it ended, and the sizes."""
    for spec in ("path:40", "grid:12x9", "toy"):
        done = gpubfs.run(NAME, spec)
        control = (done.launches, done.counters["host_reads"], done.counters["grid_syncs"])
        assert control == (1, 2, 0)
        assert done.counters["barriers"] == done.depth + 2


def test_in_one_block_nothing_global_is_read_but_the_graph() -> None:
    """Two offsets and an entry for each edge, and the source; statuses are only swapped."""
    done = gpubfs.run(NAME, "grid:9x9", block=64)
    edges = done.graph.edges
    assert done.counters["load_bytes"] == 4 * (3 * edges + 3)
    assert done.counters["cas_failed"] == edges - (done.reached - 1)


def test_a_grid_meets_one_barrier_a_level() -> None:
    graph = layered(1, 6, 7, 8, 5, 2)
    done = gpubfs.run(NAME, graph, 0, **TOY)
    assert barriers(done) == ["block", *["grid"] * 4, "block"]
    assert done.counters["grid_syncs"] == 4


def test_a_larger_queue_keeps_more_levels_in_the_block() -> None:
    graph = layered(1, 6, 30, 6, 1)
    launches = [gpubfs.run(NAME, graph, 0, capacity=n, **TOY).launches for n in (4, 6, 30)]
    assert launches == [5, 3, 1]


def test_a_block_that_holds_more_than_the_grid_leaves_it_no_level() -> None:
    graph = layered(1, 9, 20, 9, 1)
    done = gpubfs.run(NAME, graph, 0, capacity=10, **TOY)
    assert barriers(done) == ["block", "block", "launch", "block", "block"]


@pytest.mark.parametrize(("device", "blocks"), [("h200", 132), ("rtx3090", 82)])
def test_by_default_a_block_on_each_multiprocessor_waits_for_the_others(
    device: str, blocks: int
) -> None:
    done = gpubfs.run(NAME, "star:40", 0, device=device, block=32)
    grids = {launch.kernel: launch.grid[0] for launch in done.per_launch}
    assert grids == {"levels_in_block": 1, "levels_in_grid": blocks}


def test_shared_memory_bounds_the_queue() -> None:
    with pytest.raises(gpubfs.UsageError, match="rtx3090 does not have 196,608 bytes"):
        gpubfs.run(NAME, "toy", capacity=8192, device="rtx3090")


def test_positions_of_64_bits_take_more_of_it() -> None:
    graph = gpubfs.graph("grid:12x9")
    wide = Graph(graph.offsets.astype(np.int64), graph.neighbours, name="wide")
    done = gpubfs.run(NAME, wide, 0, sanitize="all", block=32, capacity=8, blocks=2)
    np.testing.assert_array_equal(done.levels, reference_levels(graph, 0))


def test_facts_are_in_json_and_in_a_table() -> None:
    done = gpubfs.run(NAME, layered(1, 3, 6, 7, 30, 2), 0, **TOY)
    said = done.as_dict()["facts"]
    assert said[2] == {"level": 2, "barrier": "grid", "vertices": 6}
    assert [fact["level"] for fact in said] == list(range(6))
    (sheet,) = facts_sheets(done)
    assert sheet.rows == (
        ("0 to 1", "block", "1 to 3"),
        ("2 to 3", "grid", "6 to 7"),
        ("4", "launch", "30"),
        ("5", "block", "2"),
    )


def test_others_say_nothing_of_their_levels() -> None:
    done = gpubfs.run("scan-free", "toy")
    assert "facts" not in done.as_dict()
    assert facts_sheets(done) == ()


@pytest.fixture
def compiler() -> Any:
    module, reason = nvrtc.load()
    if module is None:
        pytest.skip(reason)
    return module


@pytest.mark.parametrize("offset", ["int", "long long"])
@pytest.mark.parametrize("name", ["host_loop", "persistent", "hierarchical_kernels"])
def test_queues_stay_in_registers(compiler: Any, name: str, offset: str) -> None:
    """No stack and no spills, although structures change places from level to level."""
    macros = ("WIDTH=4", f"OFFSET={offset}")
    log = nvrtc.compile_file(KERNELS / f"{name}.cu", "sm_90", macros, ("--ptxas-options=-v",))
    local = "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
    assert log.count("stack frame") == log.count(local) > 0
    registers = [int(number) for number in re.findall(r"Used (\d+) registers", log)]
    assert offset != "int" or max(registers) <= 32


def test_edges_are_on_their_way_while_the_swap_is(compiler: Any) -> None:
    """The compiler leaves no branch between a neighbour, its edges and the swap.

    And knows which memory the queues are in: there is no access that finds out at run time.
    """
    file = KERNELS / "hierarchical_kernels.cu"
    program = compiler.createProgram(file.read_text(), file.name, (), ())
    options = ("-arch=compute_90", f"-I{KERNELS}", "-DWIDTH=4", *nvrtc.header_options())
    compiler.compileProgram(program, options)
    text = compiler.getPTX(program).decode()
    (body,) = re.findall(r"\.entry levels_in_block\(.*?^}", text, re.DOTALL | re.MULTILINE)
    (block,) = (part for part in re.split(r"^\$L", body, flags=re.MULTILINE) if ".cas." in part)
    before = block.partition(".cas.")[0]
    assert before.count("ld.global") == 3
    assert "bra" not in before
    assert not re.findall(r"\b(?:ld|st|atom|red)\.(?!param|global|shared)", body)
