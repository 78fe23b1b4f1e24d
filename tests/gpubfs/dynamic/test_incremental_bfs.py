"""incremental-bfs: repaired levels are a new search's, and few vertices are looked at for them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
from gpubfs.dynamic import Batch, repair
from gpubfs.errors import UsageError
from gpubfs.graphs import Graph, GraphError
from gpubfs.graphs.reference import reference_levels
from gpubfs.kernels import KERNELS
from gpubfs.machines import nvrtc
from gpubfs.search.verify import VerificationError
from tests.gpubfs.dynamic.incremental import (
    NAMED,
    Bench,
    Change,
    changed,
    changes,
    columns,
    edges_of,
    history,
    looked,
    modelled,
    random_change,
)
from tests.sampling import examples, sampled

ORDERS = ["lockstep", "warp", "shuffled:3", "round-robin:2", "random:0", "random:1"]
KERNEL = KERNELS / "dynamic" / "incremental_bfs.cu"


@pytest.mark.slow
def test_levels_are_those_of_a_new_search(machine: str) -> None:
    """With a launch and a read a level."""
    with Bench(machine) as bench:
        for name, change in NAMED.items():
            bench.check(change, name)


@pytest.mark.slow
def test_every_edge_of_a_changed_vertex_is_looked_at_once() -> None:
    with Bench(counters=True) as bench:
        for name, change in NAMED.items():
            bench.check(change, name)


#: Orders, each with a few of the named batches: where one begins, and the step to the next.
FEW_IN_ORDER = [(order, first, 8) for order, first in product(ORDERS, range(8))]


@pytest.mark.parametrize(("schedule", "first", "step"), sampled(FEW_IN_ORDER, 17))
def test_sanitizers_find_nothing_in_any_order(schedule: str, first: int, step: int) -> None:
    with Bench(schedule=schedule, sanitize="all") as bench:
        for name in [*NAMED][first::step]:
            bench.check(NAMED[name], name)
    assert {finding.verdict for finding in bench.findings} <= {"declared", "harmless"}


#: Toy GPUs, with blocks of two warps; lanes of a vertex.
TOYS = [("toy2", 4, 1), ("toy2", 4, 2), ("toy4", 8, 1), ("toy4", 8, 4), ("toy8", 16, 4)]


@examples(100, 6)
@given(change=changes(), schedule=st.sampled_from(ORDERS), toy=st.sampled_from(TOYS))
def test_any_batch_on_any_graph(change: Change, schedule: str, toy: tuple[str, int, int]) -> None:
    device, block, width = toy
    with Bench(device=device, schedule=schedule, sanitize="all", block=block, width=width) as bench:
        bench.check(change)


#: Where batches follow one another, and how large they are.
HISTORIES = [
    ("kron:9", 0, 60),
    ("road:600", 0, 12),
    ("grid:24x24", 300, 9),
    ("er:9", 5, 200),
    ("directed", 0, 40),
]


def graph_named(spec: str) -> Graph:
    if spec != "directed":
        return gpubfs.graph(spec)
    ends = np.random.default_rng(3).integers(0, 300, (2, 900))
    return Graph.from_edges(*ends, 300, directed=True, name="directed")


@pytest.mark.parametrize("batches", [3, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("spec", "source", "size"), sampled(HISTORIES, 3))
def test_batch_after_batch(spec: str, source: int, size: int, batches: int, machine: str) -> None:
    """A thousand of them in all, each repaired from levels that are those of the one before."""
    with Bench(machine) as bench:
        for change in history(graph_named(spec), source, batches, batches, size):
            bench.check(change)


#: Graphs, and the largest batches in shares of the edges that the law is stated for.
FEW = 0.01
LAW = [
    *product(["kron:12", "road:4000", "grid:64x64", "er:12"], [0.0005, 0.002, FEW], range(3)),
]


def batch_of(spec: str, share: float, seed: int) -> Change:
    """Half of it deletions, and less than a share of the edges."""
    graph = gpubfs.graph(spec)
    rng = np.random.default_rng(seed)
    edges = edges_of(graph)
    size = max(1, int(share * len(edges) - 1) // 2)
    gone = [edges[at] for at in rng.choice(len(edges), size, replace=False)]
    come = list(map(tuple, rng.integers(0, graph.vertices, (size, 2)).tolist()))
    return changed(graph, graph.hub, come, gone)


@pytest.mark.parametrize(("spec", "share", "seed"), sampled(LAW, 20))
def test_a_small_batch_touches_fewer_vertices_than_a_search(
    spec: str, share: float, seed: int
) -> None:
    done = batch_of(spec, share, seed).repaired()
    new = gpubfs.run("scan-free", done.run.graph, done.run.source)
    assert done.touched < new.reached
    if share < FEW:  # edges of seeds are looked at twice, so that this is no law of larger ones
        assert looked(done.run.sites) < looked(new.sites)


def test_a_far_batch_is_one_turn_for_each_level_that_it_changes(machine: str) -> None:
    """Of a path of many levels the last two are decided, and nothing before them."""
    change = changed(gpubfs.graph("path:500"), 0, (), [(497, 498)])
    done = change.repaired(machine=machine)
    assert done.work == modelled(change)
    assert done.touched == 2
    decided = [launch.depth for launch in done.run.per_launch if launch.kernel == "decide_suspects"]
    assert decided == [498, 499]


def test_facts_of_levels_add_up() -> None:
    change = NAMED["all is replaced"]
    done = change.repaired()
    facts = done.run.facts.values()
    assert sum(fact["suspects"] for fact in facts) == done.work.suspects > 0
    assert sum(fact["affected"] for fact in facts) == done.work.affected > 0
    assert sum(fact["seeds"] for fact in facts) <= done.work.seeds
    assert done.touched <= sum(fact["suspects"] + fact["lowered"] for fact in facts) + sum(
        fact["seeds"] for fact in facts
    )


def test_repeated_edges_of_which_one_is_deleted() -> None:
    """The other one is still a path."""
    kept = {"duplicates": True, "loops": True}
    after = Graph.from_edges([0, 1, 1], [1, 2, 1], 3, **kept)
    done = repair([0, 1, 2], after, deleted=Batch([0, 1], [1, 1]))
    assert done.levels.tolist() == [0, 1, 2]
    assert (done.work.suspects, done.work.affected) == (1, 0)


def test_wide_offsets(machine: str) -> None:
    change = NAMED["the way round is longer"]
    wide = Graph(change.after.offsets.astype(np.int64), change.after.neighbours)
    done = repair(change.earlier, wide, deleted=Batch([1], [2]), machine=machine)
    np.testing.assert_array_equal(done.levels, reference_levels(wide, 0))


@pytest.mark.parametrize("width", sampled([32, 1, 2, 8], 4))
def test_widths_find_the_same_and_look_at_the_same(width: int, machine: str) -> None:
    rng = np.random.default_rng(4)
    change = random_change(gpubfs.graph("kron:9"), 0, rng, "both", 90)
    assert change.repaired(machine=machine, width=width).work == modelled(change)


@pytest.mark.parametrize(
    ("levels", "batch", "message"),
    [
        ([0, 1, 2], {}, "there are 3 levels, and path:4 has 4 vertices"),
        ([0, 1, 2, 4], {}, "vertex 3 has level 4, which none can have"),
        ([0, 1, 2, -2], {}, "vertex 3 has level -2"),
        ([0, 1, 2, 0], {}, "2 vertices have level 0"),
        ([1, 2, 3, -1], {}, "0 vertices have level 0"),
        ([0, 1, 2, 0.5], {}, "levels holds float64"),
        ([0, 1, 2, 3], {"deleted": 7}, "deleted=7 is no batch"),
        (
            [0, 1, 2, 3],
            {"inserted": Batch([1], [4])},
            "edge ends, 4 at position 0",
        ),
        (
            [0, 1, 2, 3],
            {"deleted": Batch([-1], [2])},
            "edge begins, -1 at position 0",
        ),
        ([0, 1, 2, 3], {"width": 3}, "width=3 is not a choice"),
    ],
)
def test_what_is_no_levels_or_no_batch(levels: list, batch: dict[str, Any], message: str) -> None:
    with pytest.raises((UsageError, GraphError)) as caught:
        repair(levels, "path:4", **batch)
    assert message in str(caught.value)


def test_a_batch_that_lacks_an_edge_is_noticed() -> None:
    with pytest.raises(VerificationError, match="vertex 2 has level 2, but cannot be reached"):
        repair([0, 1, 2], Graph.from_edges([0], [1], 3))


def test_what_did_not_happen_does_no_harm() -> None:
    """Edges that are still there are called deleted, and some that are not there inserted."""
    graph = gpubfs.graph("grid:6x6")
    levels = reference_levels(graph, 0)
    done = repair(levels, graph, Batch([0, 3, 0], [35, 20, 1]), Batch([0, 1, 8], [1, 7, 14]))
    np.testing.assert_array_equal(done.levels, levels)


@pytest.mark.parametrize(
    ("architecture", "width"), sampled(product(["sm_75", "sm_80", "sm_90"], [1, 32]), 5)
)
def test_kernels_compile_without_a_word(architecture: str, width: int) -> None:
    module, reason = nvrtc.load()
    if module is None:
        pytest.skip(reason)
    for offset in ("int", "long long"):
        macros = (f"OFFSET={offset}", f"WIDTH={width}")
        assert nvrtc.compile_file(KERNEL, architecture, macros) == ""


def test_levels_follow_a_structure_from_batch_to_batch(machine: str) -> None:
    """Updates in both directions, as structures take them, of a graph that stays undirected."""
    first = gpubfs.graph("grid:7x7")
    levels = reference_levels(first, 0)
    with gpubfs.dynamic.graph("aimgraph", first, machine, counters=False) as changing:
        for seed in range(2):
            inserted = gpubfs.dynamic.uniform(first.vertices, 4, seed).both_ways()
            deleted = Batch(*columns(edges_of(changing.to_csr())[seed::9])).both_ways()
            changing.delete_edges(deleted)
            changing.insert_edges(inserted)
            now = changing.to_csr()
            assert not now.directed
            levels = repair(levels, now, inserted, deleted, machine, counters=False).levels
            np.testing.assert_array_equal(levels, reference_levels(now, 0))
