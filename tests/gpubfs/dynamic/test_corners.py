"""Corners of kernels into which random histories do not come."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gpubfs
import simulator
from gpubfs import dynamic
from gpubfs.dynamic import Batch, ExhaustedError
from gpubfs.dynamic.aimgraph.aimgraph import AimGraph
from gpubfs.dynamic.custinger.custinger import CuStinger
from gpubfs.dynamic.structure import FOLDER, find
from gpubfs.graphs import Graph
from gpubfs.host import Host
from gpubfs.kernels import KERNELS
from gpubfs.machines import open_machine
from simulator.execute.device import current
from tests.gpubfs.dynamic.incremental import Bench, changed
from tests.gpubfs.dynamic.test_paged_search import FAN


def test_loops_are_no_sides_of_triangles() -> None:
    """Two triangles that share an edge, and a loop at each vertex: it leads to a neighbour, too."""
    ends = [0, 0, 1, 1, 2, *range(4)], [1, 2, 2, 3, 3, *range(4)]
    with dynamic.graph("aimgraph", Graph.from_edges(*ends, loops=True), device="toy4") as changing:
        assert isinstance(changing, AimGraph)
        assert len(changing.edges()) == 2 * 5 + 4
        assert changing.triangles().tolist() == [1, 2, 2, 1]


@pytest.mark.parametrize("threshold", [15, 16])
def test_a_vertex_has_a_child_by_its_edges_and_not_by_its_words(threshold) -> None:
    """16 edges on pages of 16 words end behind position 16, for one of those words is a link."""
    options = {"threshold": threshold, "block": 32}
    rows = gpubfs.run("dynamic-parallelism", FAN, 6, device="toy4", **options)
    with dynamic.graph("faimgraph", FAN, block_bytes=64, device="toy4") as changing:
        paged = changing.search("dynamic-parallelism", 6, **options)
    above = np.count_nonzero(FAN.degrees[rows.levels >= 0] > threshold)
    assert FAN.degrees[6] == 16
    assert rows.counters["device_launches"] == paged.counters["device_launches"] == above


def counted(folder: Path) -> dynamic.Structure:
    """faimgraph with a walk that counts.

    The race checker excuses a volatile load that may decide when a loop ends: it might wait for
    what it reads. A loop without a condition is one of those, and all links that are followed in
    it are excused. With a condition that always holds they are not.
    """
    structure, header = find("faimgraph"), "faimgraph_edges.cuh"
    before, name, after = (FOLDER / header).read_text().partition("int insert_locked(")
    assert "while (true)" in after
    (folder / header).write_text(
        before + name + after.replace("while (true)", "while (left >= 0)", 1)
    )
    shutil.copy(structure.path, folder)
    return replace(structure, folder=folder)


def test_all_lanes_follow_a_link_behind_the_lane_that_has_written_it(tmp_path) -> None:
    batch = Batch(np.zeros(20, int), np.arange(20))
    where = {"sanitize": "race", "device": "toy4", "counters": False}
    options = {"block_bytes": 64, "update": "warp"}
    empty = Graph([0] * 21, [], directed=True)
    with dynamic.graph(counted(tmp_path), empty, **where, **options) as changing:
        assert changing.insert_edges(batch).effect.applied == len(batch)
        changing.check()


def test_pages_that_the_queue_does_not_take_stay_with_the_index_of_a_vertex() -> None:
    """Of six pages four are freed: the first and the last stay, clean, for the next vertex."""
    fan = Graph.from_edges([0] * 80, range(1, 81), 81, directed=True)
    options = {"queue": 4, "block_bytes": 64, "device": "toy4", "counters": False}
    with dynamic.graph("faimgraph", fan, **options) as changing:
        changing.delete_vertices([0])
        changing.check()
        assert changing.errors == ("page_queue_full",)
        assert changing.image().records[0, 2:5].tolist() == [0, 2 * 15, -1]
        changing.insert_vertices([99])
        changing.insert_edges(Batch([99] * 80, range(1, 81)))
        changing.check()
        assert changing.edges().targets.tolist() == list(range(1, 81))
        assert changing.image().manager["next_page"] == 80 + 6


def test_vertices_without_room_say_that_memory_is_exhausted() -> None:
    options = {"memory": 8 * 1024, "device": "toy4", "counters": False}
    with dynamic.graph("faimgraph", "toy", **options) as changing:
        with pytest.raises(ExhaustedError, match="found no room"):
            changing.insert_vertices(range(100))
        assert changing.errors == ("out_of_memory",)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["weighted", "semantic"])
def test_a_pass_over_edges_steps_over_words_behind_the_last_edge_of_a_page(mode) -> None:
    fan = Graph.from_edges([0] * 20, range(1, 21), 21, directed=True)
    options = {"mode": mode, "device": "toy4", "counters": False}
    for size in (64, 128):
        with dynamic.graph("faimgraph", fan, block_bytes=size, **options) as changing:
            changing.delete_vertices([2, 20, 9])
            changing.check()
            assert sorted(changing.edges().targets.tolist()) == [1, *range(3, 9), *range(10, 20)]


def test_a_deletion_takes_one_of_several_edges_that_stand_side_by_side() -> None:
    """Such twins stay where warps have inserted one edge at the same time."""
    fan = Graph.from_edges([0] * 6, range(1, 7), 7, directed=True)
    with dynamic.graph("custinger", fan, device="toy4", counters=False) as changing:
        assert isinstance(changing, CuStinger)
        places = current().memory.view(int(changing.memory.addresses[0]), 4 * 6, "int32")
        places[:] = [1, 1, 3, 1, 1, 6]
        for left in (3, 2, 1, 0):
            assert changing.delete_edges(Batch([0], [1])).effect.applied == 1
            assert changing.edges().targets.tolist().count(1) == left


def test_a_search_comes_behind_the_edge_that_the_update_before_has_taken_back(tmp_path) -> None:
    """All updates are of one warp, and take back what they have stored, as if it had a twin."""
    structure = find("custinger")
    code, search = structure.path.read_text(), "stands(edges, before, place, destination)"
    assert code.count(search) == 1
    (tmp_path / structure.kernel).write_text(code.replace(search, "true"))
    taken = replace(structure, folder=tmp_path, benign={})
    where = {"sanitize": "race", "device": "toy4", "counters": False}
    with dynamic.graph(taken, Graph([0] * 7, [], directed=True), **where) as changing:
        done = changing.insert_edges(Batch([0] * 4, [1, 2, 3, 4]))
        assert (done.effect.applied, done.effect.facts["twins"]) == (0, 4)
        changing.check()


def test_an_edge_that_comes_back_has_the_values_of_its_own_update() -> None:
    """The batch is not in the order of its edges, which are found where they were deleted."""
    ring = Graph.from_edges(range(4), [1, 2, 3, 0], 4, directed=True)
    back = Batch([3, 1, 0], [0, 2, 1], {"weight": [30, 10, 20]})
    with dynamic.graph("gpma", ring, mode="weighted", device="toy4", counters=False) as changing:
        changing.delete_edges(Batch([0, 1, 3], [1, 2, 0]))
        assert "rebalances_0" not in changing.insert_edges(back).effect.facts
        assert changing.edges().attributes["weight"].tolist() == [20, 10, 1, 30]
        changing.check()


def test_a_group_is_merged_where_its_node_has_neither_too_few_keys_nor_too_many() -> None:
    """Of real nodes only leaves of the largest array may have too few."""
    live, added = np.array([1, 1, 3, 4]), np.array([1, 2, 2, 2])
    before, begins = (np.cumsum([0, *counts]).astype(np.int32) for counts in (live, added))
    bits, lower, upper = 3, 3, 5
    with open_machine("sim", device="toy4") as machine, simulator.sanitize("all"):
        host = Host(machine, FOLDER / "gpma.cu", {"MOST_WARPS": "8"}, headers=(FOLDER, KERNELS))
        sums = np.repeat(before, 1 << bits)[: (len(live) << bits) + 1]
        arrays = host.array("before", sums), host.array("begins", begins)
        merged, merges = host.empty("merged", len(live)), host.full("merges", 1, 0)
        host.launch("decide", 1, 8, (*arrays, len(live), bits, lower, upper, merged, merges))
        assert host.read(merged).tolist() == [0, 3, 5, 0]
        assert host.read(merges).tolist() == [2]


@pytest.mark.parametrize("update", ["thread", "warp"])
def test_the_edge_that_fills_a_hole_brings_its_values(update) -> None:
    names = dynamic.MODES["semantic"]
    values = {name: 10 * at + np.arange(8) for at, name in enumerate(names)}
    options = {"mode": "semantic", "update": update, "device": "toy4", "counters": False}
    with dynamic.graph("faimgraph", Graph([0] * 10, [], directed=True), **options) as changing:
        changing.insert_edges(Batch([0] * 8, range(1, 9), values))
        changing.delete_edges(Batch([0, 0], [2, 3]))
        left = changing.edges()
        assert left.targets.tolist() == [1, *range(4, 9)]
        for name in names:
            assert left.attributes[name].tolist() == values[name][left.targets - 1].tolist()


def test_the_head_of_an_edge_that_came_and_went_is_not_expanded() -> None:
    """It must look for its level, finds the one that it has, and no edge of it is looked at."""
    path = gpubfs.graph("path:9")
    with Bench(device="toy4", counters=True) as bench:
        bench.check(changed(path, 0, [(0, 8)], [(0, 8)], insertions_first=True))
