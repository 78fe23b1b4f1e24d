"""aimGraph against the set model, byte for byte, and what it costs."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
from gpubfs import dynamic
from gpubfs.dynamic import MODES, Batch, ExhaustedError, StructureError
from gpubfs.dynamic.aimgraph.aimgraph import AimGraph
from gpubfs.dynamic.aimgraph.image import Image
from gpubfs.dynamic.aimgraph.layout import MANAGER, STATIC
from gpubfs.dynamic.structure import find
from gpubfs.graphs import Graph
from tests.gpubfs.dynamic.model import Model, deleted, histories, inserted, replay
from tests.sampling import examples, sampled

TOY = gpubfs.graph("toy")
GRID = gpubfs.graph("grid:8x8")
SCHEDULES = ("lockstep", "warp", "shuffled:1", "round-robin:2", "random:3", "random:4")


def test_a_graph_comes_back_as_it_was_put_in() -> None:
    with dynamic.graph("aimgraph", "kron:6", mode="weighted") as changing:
        changing.check()
        assert changing.to_csr() == gpubfs.graph("kron:6")
        assert set(changing.edges().attributes["weight"].tolist()) == {1}


@examples(most=60, quick=3)
@given(st.data(), st.sampled_from(tuple(MODES)), st.sampled_from(("thread", "warp")))
def test_random_histories_do_to_a_graph_what_they_do_to_a_set(data, mode, update) -> None:
    history = data.draw(histories(TOY.vertices, mode))
    options = {"mode": mode, "update": update}
    with dynamic.graph("aimgraph", TOY, device="toy4", counters=False, **options) as changing:
        replay(changing, Model(TOY, mode), history)


@pytest.mark.parametrize(
    ("update", "schedule"), sampled(product(("thread", "warp"), SCHEDULES), 11)
)
def test_all_on_one_vertex_is_clean_under_every_schedule(update, schedule) -> None:
    model = Model(GRID)
    batch = dynamic.skewed(GRID.vertices, 40, seed=5, favoured=0)
    options = {"update": update, "schedule": schedule, "sanitize": "all"}
    with dynamic.graph("aimgraph", GRID, counters=False, **options) as changing:
        inserted(model, changing, batch)
        model.compare(changing)
        deleted(model, changing, batch)
        model.compare(changing)


def test_a_batch_is_one_launch_and_one_read() -> None:
    batch = Batch([0, 1, 2], [7, 8, 9])
    with dynamic.graph("aimgraph", "toy") as changing:
        for done in (changing.insert_edges(batch), changing.delete_edges(batch)):
            assert (done.launches, done.host_reads) == (1, 1)
        assert changing.stats().launches == 4 + 2


def test_free_entries_are_used_again_and_no_block_is_taken() -> None:
    batch = dynamic.uniform(GRID.vertices, 300, seed=1)
    with dynamic.graph("aimgraph", GRID, counters=False) as changing:
        used = []
        for _ in range(4):
            changing.insert_edges(batch)
            used.append(changing.stats().memory.blocks_used)
            changing.delete_edges(batch)
        assert len(set(used)) == 1


@pytest.mark.parametrize("update", sampled(("thread", "warp"), 2))
def test_where_memory_is_exhausted_the_rest_of_the_batch_is_refused(update) -> None:
    everything = np.divmod(np.arange(64 * 64), 64)
    batch = Batch(*everything)
    before = set(Model(GRID).edges)
    options = {"memory": 48 * 1024, "update": update, "block_bytes": 64, "counters": False}
    with dynamic.graph("aimgraph", GRID, **options) as changing:
        with pytest.raises(ExhaustedError, match="found no room") as raised:
            changing.insert_edges(batch)
        changing.check()
        effect = raised.value.operation.effect
        assert f"{effect.applied:,} of 4,096 updates took effect" in raised.value.message
        assert changing.stats().memory.blocks_free == 8 * len(batch) // 64  # where the batch was
        edges = changing.edges()
        found = {*zip(edges.sources.tolist(), edges.targets.tolist(), strict=True)}
        assert before <= found
        assert len(found) == len(before) + effect.applied
        assert effect.applied + effect.unchanged + effect.refused == len(batch)
        changing.delete_edges(batch)
        assert changing.to_csr().edges == 0


def test_a_batch_that_does_not_fit_changes_nothing() -> None:
    with dynamic.graph("aimgraph", GRID, memory=16 * 1024, counters=False) as changing:
        with pytest.raises(gpubfs.UsageError, match="no update took effect"):
            changing.insert_edges(dynamic.uniform(64, 2000))
        with pytest.raises(gpubfs.GraphError, match=r"target 64 at position 1 .* no update"):
            changing.insert_edges(Batch([0, 1], [1, 64]))
        with pytest.raises(gpubfs.UsageError, match="mode=simple have no weight"):
            changing.insert_edges(Batch([0], [9], {"weight": [4]}))
        changing.check()
        assert changing.to_csr() == GRID


def printed() -> dynamic.Structure:
    """The structure with Algorithm 1 as the paper prints it."""
    folder = Path(__file__).parent
    return replace(find("aimgraph"), kernel="aimgraph_printed.cu", folder=folder)


@pytest.mark.parametrize("structure", ["aimgraph", printed()], ids=["mended", "printed"])
def test_algorithm_1_as_printed_inserts_an_edge_twice_behind_a_free_entry(structure) -> None:
    empty = Graph([0] * 5, [], directed=True)
    with dynamic.graph(structure, empty) as changing:
        changing.insert_edges(Batch([0], [1]))
        changing.insert_edges(Batch([0], [2]))
        changing.insert_edges(Batch([0], [3]))
        changing.delete_edges(Batch([0], [1]))
        done = changing.insert_edges(Batch([0], [3]))
        if structure == "aimgraph":
            changing.check()
            assert (done.effect.applied, done.effect.unchanged) == (0, 1)
        else:
            with pytest.raises(StructureError, match="vertex 0 has an edge twice"):
                changing.check()


def with_twins(structure: dynamic.Structure | str, vertices: int) -> int:
    """How many vertices have an edge twice after forty updates of their own.

    Each vertex is a history by itself: in each turn some insert one of eight edges, then the others
    delete one.
    """
    random = np.random.default_rng(1)
    empty = Graph([0] * (vertices + 1), [], directed=True)
    with dynamic.graph(structure, empty, counters=False) as changing:
        for _ in range(40):
            targets, inserts = random.integers(8, size=vertices), random.random(vertices) < 0.6
            for chosen, do in ((inserts, changing.insert_edges), (~inserts, changing.delete_edges)):
                do(Batch(np.flatnonzero(chosen), targets[chosen]))
        keys = changing.edges().keys
    return len(np.unique(keys[1:][keys[1:] == keys[:-1]] >> 32))


def test_most_random_histories_end_with_twins_as_printed_and_none_as_mended() -> None:
    assert with_twins("aimgraph", 200) == 0
    assert with_twins(printed(), 200) > 100


@pytest.mark.parametrize(
    ("mode", "size", "edges"),
    [
        ("simple", 64, 15),
        ("simple", 128, 31),
        ("weighted", 64, 7),
        ("weighted", 128, 15),
        ("semantic", 64, 3),
        ("semantic", 128, 6),
    ],
)
def test_the_allocation_byte_for_byte(mode, size, edges) -> None:
    graph = gpubfs.graph("star:39")  # the hub has 39 neighbours
    options = {"mode": mode, "block_bytes": size, "counters": False}
    with dynamic.graph("aimgraph", graph, **options) as changing:
        raw = changing.host.read(changing.arrays["memory"])
        words = raw[: len(raw) // 4 * 4].view(np.uint32)
        at = 32 + np.arange(6) * 64  # the manager has 128 bytes, each array 160, padded to 256
        memindex, neighbours, capacity, weight, kind, lock = (words[a : a + 40] for a in at)
        blocks = -(-39 // edges)
        assert neighbours.tolist() == [39] + 39 * [1]
        assert capacity.tolist() == [blocks * edges] + 39 * [edges]
        assert memindex.tolist() == [0, *range(blocks, blocks + 39)]
        assert not np.concatenate((weight, kind, lock)).any()
        first = words[32 + 6 * 64 :][: size // 4]
        assert first[:: 1 + len(MODES[mode])][:edges].tolist() == list(range(1, edges + 1))
        assert first[-1] == (1 if blocks > 1 else 0xFFFFFFFF)
        manager = words[:32].view(np.uint64)
        assert manager[:4].tolist() == [128, len(raw), 128 + 6 * 256, len(raw)]
        assert words[17] == blocks + 39  # the next free block


@pytest.mark.parametrize("mode", sampled(("simple", "semantic"), 2))
def test_triangles_are_counted_on_the_stack_of_temporaries(mode) -> None:
    batch = dynamic.uniform(16, 20, seed=9).both_ways()
    gone = dynamic.uniform(16, 30, seed=8).both_ways()
    with dynamic.graph("aimgraph", "er:4,3", sanitize="all", mode=mode) as changing:
        assert isinstance(changing, AimGraph)
        changing.delete_edges(gone)  # so that walks meet free entries
        changing.insert_edges(batch)
        matrix = changing.to_csr().to_scipy().astype(np.int64).toarray()
        expected = np.diagonal(matrix @ matrix @ matrix) // 2
        assert changing.triangles().tolist() == expected.tolist()
        assert expected.any()
        assert (changing.operations[-1].launches, changing.operations[-1].host_reads) == (1, 1)
        changing.check()
        changing.insert_edges(Batch([0], [15]))
        changing.delete_edges(Batch([15], [0]))
        with pytest.raises(gpubfs.UsageError, match="triangles are of undirected graphs"):
            changing.triangles()


def test_temporaries_never_reach_into_blocks_nor_blocks_into_them() -> None:
    batch = Batch(np.zeros(30, int), np.arange(30, 60))  # 256 bytes, and two further blocks
    with dynamic.graph("aimgraph", GRID, memory=8192, counters=False) as changing:
        assert isinstance(changing, AimGraph)
        size = (changing.stats().memory.bytes["free"] - 256) // 128 * 128
        with changing.temporary("a", size) as first:
            assert first.nbytes == size
            words = "b of 9,999 bytes would reach into the blocks"
            with pytest.raises(gpubfs.UsageError, match=words), changing.temporary("b", 9999):
                pass
            with pytest.raises(dynamic.ExhaustedError, match="found no room"):
                changing.insert_edges(batch)
        assert changing.stats().memory.bytes["temporaries"] == 0
        with pytest.raises(gpubfs.UsageError, match="size=-1 is out of range"):
            changing.temporary("c", -1).__enter__()
        with pytest.raises(KeyError), changing.temporary("d", 128):
            raise KeyError
        changing.check()
        changing.insert_edges(batch)


#: Damage to star:20, whose hub has the blocks 0 and 1, and each leaf one: the word that is written,
#: by the array it is in, or by block and place; its value; and what the check says.
DAMAGE = [
    ("lock", 3, 1, "vertex 3 is locked"),
    ("capacity", 2, 16, "vertex 2 has a capacity that is no number of whole blocks"),
    ("capacity", 2, 0, "vertex 2 has a first block, and no capacity"),
    ("capacity", 0, 15, "vertex 0 has a link behind its last block"),
    ("capacity", 4, 30, "vertex 4 has a link to a block that nobody took"),
    ("memindex", 5, 99, "vertex 5 has a link to a block that nobody took"),
    ("memindex", 5, 7, "has a link to a block of another chain, or of its own"),
    ("neighbours", 6, 2, "vertex 6 counts another number of neighbours than it has"),
    (0, 15, 0, "vertex 0 has a link to a block of another chain, or of its own"),
    (0, 15, 0xFFFFFFFF, "vertex 0 has a link to a block that nobody took"),
    (1, 15, 0, "vertex 0 has a link behind its last block"),
    (2, 0, 21, "vertex 1 has an edge to no vertex"),
    (2, 0, 0x80000000, "vertex 1 has an edge to no vertex"),
    (2, 0, 0xFFFFFFFF, "vertex 1 counts another number of neighbours than it has"),
    (0, 1, 1, "vertex 0 has an edge twice"),
]


@pytest.mark.parametrize(("where", "at", "value", "words"), DAMAGE)
def test_the_check_finds_every_kind_of_damage(where, at, value, words) -> None:
    with dynamic.graph("aimgraph", "star:20", block_bytes=64, counters=False) as changing:
        assert isinstance(changing, AimGraph)
        start = (
            changing.layout.blocks_at // 4 + 16 * where
            if isinstance(where, int)
            else (128 // 4 + STATIC.index(where) * 32)
        )
        place = changing.memory[4 * (start + at) : 4 * (start + at + 1)]
        changing.host.copy_to(place, np.array([value], np.uint32).view(np.uint8))
        with pytest.raises(StructureError, match=words):
            changing.check()


@pytest.mark.parametrize(("name", "value"), [("stack", 4096), ("next_free_block", 5)])
def test_a_manager_that_is_wrong_is_found(name: str, value: int) -> None:
    with dynamic.graph("aimgraph", GRID, counters=False) as changing:
        assert isinstance(changing, AimGraph)
        raw = changing.image().raw.copy()
        raw[: MANAGER.itemsize].view(MANAGER)[name] = value
        with pytest.raises(StructureError, match=f"^the manager has {name}={value}, and it is"):
            Image(changing.layout, "simple", raw).check()


def test_triangles_are_of_graphs_whose_edges_have_reverses() -> None:
    ends = np.array([[0, 1], [1, 2], [2, 0]])
    directed = Graph.from_edges(*ends.T, directed=True)
    with dynamic.graph("aimgraph", directed, counters=False) as changing:
        assert isinstance(changing, AimGraph)
        with pytest.raises(gpubfs.UsageError, match="the edge from 0 to 1 has no reverse"):
            changing.triangles()
        changing.insert_edges(Batch(ends[:, 1], ends[:, 0]))
        assert changing.triangles().tolist() == [1, 1, 1]


def test_a_block_that_no_vertex_has_is_found() -> None:
    with dynamic.graph("aimgraph", "star:20", block_bytes=64, counters=False) as changing:
        assert isinstance(changing, AimGraph)
        words = changing.image().raw.view(np.uint32).copy()
        words[32 + 4] = 0xFFFFFFFF  # leaf 4's first block
        words[32 + 2 * 32 + 4] = 0  # and its capacity
        with pytest.raises(StructureError, match="no link to block 5, and no other vertex has"):
            Image(changing.layout, "simple", words.view(np.uint8)).check()


def test_blocks_of_threads_go_through_more_vertices_than_they_have_threads(monkeypatch) -> None:
    monkeypatch.setattr("gpubfs.dynamic.aimgraph.aimgraph.MOST_BLOCKS", 32)
    graph = Graph.from_edges(np.arange(6000), np.arange(6000) // 3, 9000)
    with dynamic.graph("aimgraph", graph, counters=False) as changing:
        changing.check()
        assert changing.to_csr() == graph
        assert changing.stats().memory.blocks_used == np.count_nonzero(graph.degrees)


LUXEMBOURG = Path(__file__).parents[4] / "shared" / "graphs" / "luxembourg_osm.txt"


@pytest.mark.slow
@pytest.mark.skipif(not LUXEMBOURG.exists(), reason="the graph is not here")
def test_luxembourg_takes_the_bytes_that_the_paper_lets_expect() -> None:
    graph = gpubfs.graph(f"file:{LUXEMBOURG}")
    with dynamic.graph("aimgraph", graph, counters=False) as changing:
        changing.check()
        found = changing.stats().memory
        assert (found.bytes["static"], found.bytes["blocks"]) == (2_750_976, 7_334_336)
        assert changing.to_csr() == graph
