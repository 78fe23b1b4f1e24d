"""faimGraph against the set model, word for word, what it costs, and vertices that come and go."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
from gpubfs import dynamic
from gpubfs.dynamic import MODES, Batch, ExhaustedError, StructureError
from gpubfs.dynamic.structure import find
from gpubfs.graphs import Graph
from gpubfs.machines import nvrtc
from tests.gpubfs.dynamic.model import Model, deleted, histories, inserted, replay
from tests.sampling import sampled

TOY = gpubfs.graph("toy")
GRID = gpubfs.graph("grid:8x8")
SCHEDULES = ("lockstep", "warp", "shuffled:1", "round-robin:2", "random:3", "random:4")
UPDATES = ("thread", "warp")


def test_a_graph_comes_back_as_it_was_put_in() -> None:
    for spec, mode in (("toy", "simple"), ("kron:6", "weighted"), ("star:70", "semantic")):
        with dynamic.graph("faimgraph", spec, mode=mode, counters=False) as changing:
            changing.check()
            assert changing.to_csr() == gpubfs.graph(spec)


@given(st.data(), st.sampled_from(tuple(MODES)), st.sampled_from(UPDATES))
def test_random_histories_do_to_a_graph_what_they_do_to_a_set(data, mode, update) -> None:
    history = data.draw(histories(TOY.vertices, mode))
    options = {"mode": mode, "update": update}
    with dynamic.graph("faimgraph", TOY, device="toy4", counters=False, **options) as changing:
        replay(changing, Model(TOY, mode), history)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("schedule", "mode", "update"),
    sampled([(s, m, u) for s in SCHEDULES for m in MODES for u in UPDATES], 11),
)
def test_all_on_one_vertex_and_uniform_are_clean_under_every_schedule(
    schedule, mode, update
) -> None:
    model = Model(GRID, mode)
    options = {"mode": mode, "update": update, "schedule": schedule, "block": 64}
    options |= {"sanitize": "all", "device": "toy8", "counters": False}
    with dynamic.graph("faimgraph", GRID, **options) as changing:
        for favoured in (0.0, 1.0):
            batch = dynamic.skewed(GRID.vertices, 30, seed=5, favoured=favoured)
            inserted(model, changing, batch)
            model.compare(changing)
            deleted(model, changing, batch)
            model.compare(changing)


def test_a_batch_is_one_launch_and_one_read() -> None:
    batch = Batch([0, 1, 2], [7, 8, 9])
    with dynamic.graph("faimgraph", "toy", counters=False) as changing:
        for done in (changing.insert_edges(batch), changing.delete_edges(batch)):
            assert (done.launches, done.host_reads) == (1, 1)


@pytest.mark.parametrize(
    ("update", "rounds"), sampled([("thread", 10), ("thread", 100), ("warp", 100)], 3)
)
def test_rounds_of_the_same_batch_take_no_more_memory_than_one(update, rounds) -> None:
    batch = dynamic.uniform(10, 60, seed=1)
    with dynamic.graph("faimgraph", "toy", update=update, counters=False) as changing:
        held = []
        for _ in range(rounds):
            changing.insert_edges(batch)
            changing.delete_edges(batch)
            stats = changing.stats()
            held.append((stats.bytes_peak, stats.memory, changing.image().manager["next_page"]))
        assert held[0] == held[1] == held[-1]
        assert stats.facts["pages_taken"] - stats.facts["pages_freed"] == TOY.vertices
        changing.check()


def test_a_page_that_is_empty_is_given_to_another_vertex() -> None:
    sixteen = Graph.from_edges([0] * 16, range(1, 17), 18, directed=True)
    with dynamic.graph("faimgraph", sixteen, block_bytes=64, counters=False) as changing:
        assert changing.stats().memory.blocks_used == 18 + 1
        changing.delete_edges(Batch([0], [3]))  # the last edge moves to its place
        assert changing.stats().memory.blocks_used == 18
        assert changing.image().records[0, 1:4].tolist()[1:] == [15, 15]
        changing.insert_edges(Batch([1] * 16, range(2, 18)))
        assert changing.image().manager["next_page"] == 18 + 1
        changing.check()


@pytest.mark.slow
def test_the_allocation_word_for_word() -> None:
    graph = gpubfs.graph("star:39")  # the hub has 39 neighbours
    words = {"simple": 5, "weighted": 6, "semantic": 7}
    for mode, edges, size in (("simple", 31, 128), ("weighted", 7, 64), ("semantic", 6, 128)):
        options = {"mode": mode, "block_bytes": size, "counters": False}
        with dynamic.graph("faimgraph", graph, **options) as changing:
            raw = changing.host.read(changing.arrays["memory"])
            layout = changing.allocation.layout
            assert layout.vertices_at == 32 + layout.page_slots + layout.vertex_slots
            at = layout.vertices_at
            vertices = raw[at : at + 40 * words[mode]].reshape(40, words[mode])
            pages = -(-39 // edges)
            assert vertices[:, 2].tolist() == [39] + 39 * [1]
            assert vertices[:, 3].tolist() == [pages * edges] + 39 * [edges]
            assert vertices[:, 4].tolist() == list(range(40))
            assert not vertices[:, [0, *range(5, words[mode])]].any()
            assert vertices[:, 1].tolist() == [0, *range(pages, pages + 39)]
            last = raw[len(raw) - size // 4 :]
            assert last[:: 1 + len(MODES[mode])][:edges].tolist() == list(range(1, edges + 1))
            assert last[-1] == 1  # the page before it in memory
            assert raw[len(raw) - 2 * size // 4] == edges + 1


@pytest.mark.parametrize("update", UPDATES)
def test_where_memory_is_exhausted_the_rest_of_the_batch_is_refused(update) -> None:
    batch = Batch(*np.divmod(np.arange(64 * 64), 64))
    before = set(Model(GRID).edges)
    options = {"memory": 50 * 1024, "update": update, "block_bytes": 64, "counters": False}
    with dynamic.graph("faimgraph", GRID, **options) as changing:
        with pytest.raises(ExhaustedError, match="found no room") as raised:
            changing.insert_edges(batch)
        changing.check()
        effect = raised.value.operation.effect
        assert f"{effect.applied:,} of 4,096 updates took effect" in raised.value.message
        assert changing.errors == ("out_of_memory",)
        found = {tuple(edge) for edge in np.column_stack(changing.edges().columns("simple"))}
        assert before <= found
        assert len(found) == len(before) + effect.applied
        assert effect.applied + effect.unchanged + effect.refused == len(batch)
        changing.delete_edges(batch)
        assert changing.to_csr().edges == 0


def test_a_batch_that_does_not_fit_changes_nothing() -> None:
    with dynamic.graph("faimgraph", GRID, memory=16 * 1024, counters=False) as changing:
        with pytest.raises(gpubfs.UsageError, match="no update took effect"):
            changing.insert_edges(dynamic.uniform(64, 2000))
        with pytest.raises(gpubfs.GraphError, match=r"target 64 at position 1 .* no update"):
            changing.insert_edges(Batch([0, 1], [1, 64]))
        with pytest.raises(gpubfs.UsageError, match="mode=simple have no weight"):
            changing.insert_edges(Batch([0], [9], {"weight": [4]}))
        changing.check()
        assert changing.to_csr() == GRID
    for option, reason in (
        ({"memory": 1024}, "memory=1024 is not enough for grid:8x8, which needs"),
        ({"queue": 3}, "queue=3 is not a power of two"),
    ):
        opened = dynamic.graph("faimgraph", GRID, **option)
        with pytest.raises(gpubfs.UsageError, match=reason), opened:
            pass


def test_pages_for_which_the_queue_has_no_room_stay_with_their_vertices() -> None:
    full = Batch(*np.divmod(np.arange(20 * 20), 20))
    options = {"queue": 4, "block_bytes": 64, "counters": False}
    with dynamic.graph("faimgraph", Graph([0] * 21, [], directed=True), **options) as changing:
        changing.insert_edges(full)
        changing.delete_edges(full)
        assert changing.errors == ("page_queue_full",)
        assert changing.stats().memory.blocks_used == 20 + 20 - 4
        changing.check()
        taken = changing.image().manager["next_page"]
        changing.insert_edges(full)
        changing.delete_vertices(range(10))
        changing.check()
        assert changing.errors == ("page_queue_full", "vertex_queue_full")
        changing.insert_vertices(range(10))
        changing.check()
        assert changing.image().manager["next_vertex"] == 20 + 10 - 4
        assert taken == 40


def test_a_page_in_front_of_an_empty_one_that_stayed_is_unlinked() -> None:
    """The queue is full as a vertex's third page becomes empty, and not as the second one does."""
    targets = np.arange(16)
    crowd = Batch(np.repeat([1, 2, 3, 4], 16), np.tile(targets, 4))
    options = {"queue": 4, "block_bytes": 64, "counters": False}
    with dynamic.graph("faimgraph", Graph([0] * 41, [], directed=True), **options) as changing:
        changing.insert_edges(Batch(np.zeros(35, int), np.arange(35)))
        changing.insert_edges(crowd)
        changing.delete_edges(crowd)
        changing.delete_edges(Batch(np.zeros(5, int), np.arange(5)))
        assert changing.errors == ("page_queue_full",)
        changing.insert_edges(Batch(np.repeat([1, 2], 16), np.tile(targets, 2)))
        changing.delete_edges(Batch(np.zeros(15, int), np.arange(5, 20)))
        changing.check()
        assert changing.stats().memory.blocks_used == 40 + 1 + 2
        changing.insert_edges(Batch(np.zeros(15, int), np.arange(5, 20)))
        changing.check()
        assert changing.edges().sources.tolist().count(0) == 30


# Vertices.


class Vertices:
    """Vertices and edges as Python sets."""

    def __init__(self, graph: Graph) -> None:
        self.ids = set(range(graph.vertices))
        self.edges = set(Model(graph).edges)

    def compare(self, changing: dynamic.DynamicGraph) -> None:
        changing.check()
        found = np.column_stack(changing.edges().columns("simple")).tolist()
        assert [tuple(edge) for edge in found] == sorted(self.edges)

    def insert(self, ids: list[int]) -> int:
        new = set(ids) - self.ids
        self.ids |= new
        return len(new)

    def delete(self, ids: list[int]) -> int:
        gone = self.ids & set(ids)
        self.ids -= gone
        self.edges = {edge for edge in self.edges if not gone.intersection(edge)}
        return len(gone)


def replay_vertices(changing, model: Vertices, steps, both_ways: bool) -> None:
    for gone, new, ends in steps:
        done = changing.delete_vertices(gone)
        assert (done.effect.applied, done.updates) == (model.delete(gone), len(gone))
        assert done.effect.applied + done.effect.unchanged == len(gone)
        model.compare(changing)
        done = changing.insert_vertices(new)
        assert done.effect.applied == model.insert(new)
        there = sorted(model.ids)
        if there:
            drawn = np.array(ends, int).reshape(-1, 2) % len(there)
            batch = Batch(*np.array(there)[drawn].T)
            batch = batch.both_ways() if both_ways else batch
            changing.insert_edges(batch)
            model.edges |= set(zip(*(c.tolist() for c in batch.columns("simple")), strict=True))
        model.compare(changing)


IDS = st.lists(st.integers(0, 24), max_size=12)
ENDS = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=20)


@given(st.lists(st.tuples(IDS, IDS, ENDS), min_size=1, max_size=3), st.booleans())
def test_vertices_come_and_go_as_in_a_set(steps, both_ways) -> None:
    with dynamic.graph("faimgraph", TOY, device="toy4", counters=False) as changing:
        replay_vertices(changing, Vertices(TOY), steps, both_ways)


@pytest.mark.parametrize(
    ("schedule", "mode", "both_ways"),
    sampled([(s, m, b) for s in SCHEDULES for m in MODES for b in (True, False)], 17),
)
def test_vertices_are_clean_under_every_schedule(schedule, mode, both_ways) -> None:
    random = np.random.default_rng(2)
    steps = [
        (*(random.integers(0, 80, 12).tolist() for _ in "ab"), random.integers(0, 99, 60))
        for _ in range(2)
    ]
    options = {"mode": mode, "schedule": schedule, "sanitize": "all", "device": "toy8"}
    with dynamic.graph("faimgraph", GRID, counters=False, **options) as changing:
        replay_vertices(changing, Vertices(GRID), steps, both_ways)


def test_many_vertices_come_and_go_on_both_machines(machine) -> None:
    graph, some = (GRID, 20) if machine == "sim" else (gpubfs.graph("kron:14"), 4000)
    random = np.random.default_rng(4)
    model = Vertices(graph)
    with dynamic.graph("faimgraph", graph, machine, counters=False) as changing:
        for both_ways in (True, True, False):
            gone, new = (random.integers(0, 2 * graph.vertices, some).tolist() for _ in "ab")
            steps = [(gone, new, random.integers(0, 2**31, 4 * some))]
            replay_vertices(changing, model, steps, both_ways)


def test_the_index_and_the_pages_of_a_vertex_are_given_to_another() -> None:
    with dynamic.graph("faimgraph", GRID, mode="semantic", counters=False) as changing:
        before = changing.stats().memory
        changing.delete_vertices([3, 9, 3])
        changing.insert_vertices([100, 200], {"weight": [7, 8], "type": [1, 2]})
        after, image = changing.stats().memory, changing.image()
        assert after.bytes == before.bytes
        assert sorted(np.flatnonzero(image.field("host_id") >= 64).tolist()) == [3, 9]
        values = {tuple(row[4:]) for row in image.records[[3, 9]].tolist()}
        assert values == {(100, 7, 1), (200, 8, 2)}
        changing.insert_edges(Batch([100, 200], [0, 100]))
        edges = changing.edges()
        assert (edges.targets[edges.sources >= 100]).tolist() == [0, 100]


def test_vertices_for_which_there_is_no_room_are_refused() -> None:
    with dynamic.graph("faimgraph", GRID, memory=22 * 1024, counters=False) as changing:
        with pytest.raises(ExhaustedError, match="found no room") as raised:
            changing.insert_vertices(range(300))
        changing.check()
        effect = raised.value.operation.effect
        assert effect.applied + effect.refused == 300 - 64
        assert min(effect.applied, effect.refused) > 0
        changing.delete_vertices(range(300))
        changing.check()
        assert changing.insert_vertices(range(64)).effect.applied == 64


@pytest.mark.parametrize("largest", [2**31 - 2, 10**9])
def test_ids_that_memory_cannot_hold_change_nothing(monkeypatch, largest: int) -> None:
    monkeypatch.setattr("gpubfs.graphs.limits.memory", lambda: 24 << 30)
    with dynamic.graph("faimgraph", "toy", counters=False) as changing:
        with pytest.raises(gpubfs.GraphError, match=f"a graph with vertex {largest} needs about"):
            changing.insert_vertices([10, largest])
        changing.check()
        assert (changing.vertices, changing.insert_vertices([10]).effect.applied) == (10, 1)


def test_ids_without_room_leave_the_graph_searchable() -> None:
    with dynamic.graph("faimgraph", "toy", memory=4608, counters=False) as changing:
        with pytest.raises(dynamic.ExhaustedError):
            changing.insert_vertices(np.arange(10, 60))
        changing.check()
        found = changing.search("status-array", source=0)
        assert len(found.levels) == changing.vertices < 60


@pytest.mark.parametrize("weight", [2**31, -(2**40)])
def test_weights_of_vertices_have_32_bits(weight: int) -> None:
    with dynamic.graph("faimgraph", "toy", mode="weighted", counters=False) as changing:
        with pytest.raises(gpubfs.GraphError, match=f"weight holds {weight} at position 0"):
            changing.insert_vertices([13], {"weight": [weight]})
        with pytest.raises(gpubfs.UsageError, match="is no mapping"):
            changing.insert_vertices([13], [3])
        changing.check()


@pytest.mark.parametrize("memory", [1, 127, 128, 1000])
def test_memory_that_is_too_small_says_how_much_is_needed(memory: int) -> None:
    with (
        pytest.raises(gpubfs.UsageError, match=f"memory={memory} is not enough for toy") as found,
        dynamic.graph("faimgraph", "toy", memory=memory),
    ):
        pass
    least = int(re.findall(r"give at least (\d+)", found.value.hint)[0])
    with dynamic.graph("faimgraph", "toy", memory=least, counters=False) as changing:
        changing.check()
        assert changing.to_csr() == TOY
    with (
        pytest.raises(gpubfs.UsageError, match="is not enough"),
        dynamic.graph("faimgraph", "toy", memory=least - 1),
    ):
        pass


@pytest.mark.parametrize("memory", [76_032, 76_500, 76_928])
def test_memory_for_which_larger_queues_leave_no_room_is_enough(memory: int) -> None:
    graph = gpubfs.graph("grid:20x20")
    options = {"block_bytes": 128, "counters": False}
    with dynamic.graph("faimgraph", graph, memory=memory, **options) as changing:
        assert 75_008 <= changing.allocation.layout.words * 4 < memory
        changing.check()
        assert changing.to_csr() == graph


def test_vertices_that_are_none_are_refused_by_name() -> None:
    with dynamic.graph("faimgraph", "toy", counters=False) as changing:
        with pytest.raises(gpubfs.GraphError, match="ids holds -1 at position 1: out of range"):
            changing.insert_vertices([3, -1])
        with pytest.raises(gpubfs.UsageError, match="vertices of this mode have no weight"):
            changing.insert_vertices([30], {"weight": [1]})
        changing.delete_vertices([5])
        with pytest.raises(gpubfs.GraphError, match="target 5 at position 1 is no vertex"):
            changing.insert_edges(Batch([0, 1], [1, 5]))
        assert changing.insert_vertices([]).effect.applied == 0
        assert changing.delete_vertices([5, 99]).effect.unchanged == 2
        changing.check()


# What `check` finds.


@pytest.mark.parametrize(
    ("word", "value", "reason"),
    [
        ("lock", 1, "vertex 2 is locked"),
        ("capacity", 14, "vertex 2 has another capacity than its pages"),
        ("neighbours", 40, "vertex 2 has too little room|vertex 2 has an edge to no vertex"),
        ("first_page", 3, "has a page that another one has, too"),
        ("first_page", 99, "vertex 2 has a link to a page that nobody took"),
        ("host_id", 1, "vertex 1 is there twice"),
        ("host_id", -1, "vertex 2 was deleted, and is not free"),
    ],
)
def test_a_word_that_is_wrong_is_found(word, value, reason) -> None:
    from gpubfs.dynamic.faimgraph.layout import VERTEX

    with dynamic.graph("faimgraph", "toy", counters=False) as changing:
        at = changing.allocation.layout.vertices_at + 2 * 5 + VERTEX.index(word)
        changing.host.write(changing.arrays["memory"][at : at + 1], value)
        with pytest.raises(StructureError, match=reason):
            changing.check()


BUILDS = itertools.product(("sm_75", "sm_80", "sm_90"), MODES, (64, 128))


@pytest.mark.parametrize(("architecture", "mode", "size"), sampled(BUILDS, 7))
def test_kernels_compile_without_a_word(architecture, mode, size) -> None:
    module, reason = nvrtc.load()
    if module is None:
        pytest.skip(reason)
    defines = (f"EDGE_MODE=EDGE_MODE_{mode.upper()}", f"BLOCK_BYTES={size}")
    assert nvrtc.compile_file(find("faimgraph").path, architecture, defines) == ""
