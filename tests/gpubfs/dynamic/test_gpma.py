"""gpma against the set model: densities, sentinels, merges height by height, and doubling."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
from gpubfs import dynamic
from gpubfs.dynamic import MODES, Batch, ExhaustedError, StructureError
from gpubfs.dynamic.gpma.densities import LARGEST, SMALLEST, Layout
from gpubfs.dynamic.gpma.image import Image
from gpubfs.dynamic.gpma.packed_memory import DELETED, NO_KEY, ROW_END
from gpubfs.graphs import Graph
from tests.gpubfs.dynamic.model import Model, deleted, histories, inserted, replay
from tests.sampling import examples, sampled

TOY = gpubfs.graph("toy")
GRID = gpubfs.graph("grid:8x8")
SCHEDULES = ("lockstep", "warp", "shuffled:1", "round-robin:2", "random:3", "random:4")
DEVICES = ("toy2", "toy4", "toy8", "h200")

#: Where and how sanitizers watch.
WATCHED = [
    (schedule, mode, device)
    for schedule in reversed(SCHEDULES)
    for mode in reversed(MODES)
    for device in ("toy8", "toy2", "h200")
]


def empty(vertices: int) -> Graph:
    return Graph(np.zeros(vertices + 1, int), [], directed=True)


def everything(vertices: int) -> Batch:
    """All edges that there can be."""
    return Batch(*np.divmod(np.arange(vertices**2), vertices))


@pytest.mark.parametrize("spec", ["toy", "kron:6", "star:70", "path:1", "er:5,2"])
def test_a_graph_comes_back_as_it_was_put_in(spec: str) -> None:
    with dynamic.graph("gpma", spec, mode="weighted") as changing:
        changing.check()
        assert changing.to_csr() == gpubfs.graph(spec)
        assert set(changing.edges().attributes["weight"].tolist()) <= {1}


@examples(500, 3)
@given(
    st.data(),
    st.sampled_from(tuple(MODES)),
    st.sampled_from(DEVICES),
    st.sampled_from(SCHEDULES),
)
def test_random_histories_do_to_a_graph_what_they_do_to_a_set(data, mode, device, schedule) -> None:
    graph = data.draw(st.sampled_from((TOY, empty(3), empty(24))))
    history = data.draw(histories(graph.vertices, mode))
    where = {"device": device, "schedule": schedule, "counters": False}
    with dynamic.graph("gpma", graph, mode=mode, block=32, **where) as changing:
        replay(changing, Model(graph, mode), history)


@pytest.mark.slow
@pytest.mark.parametrize(("schedule", "mode", "device"), WATCHED)
def test_all_on_one_vertex_and_uniform_are_clean_under_every_schedule(
    schedule, mode, device
) -> None:
    model = Model(GRID, mode)
    options = {"mode": mode, "schedule": schedule, "block": 64}
    with dynamic.graph("gpma", GRID, sanitize="all", device=device, **options) as changing:
        for favoured in (0.0, 1.0):
            batch = dynamic.skewed(GRID.vertices, 60, seed=5, favoured=favoured)
            inserted(model, changing, batch)
            model.compare(changing)
            deleted(model, changing, batch)
            model.compare(changing)


# ---- Densities.


@pytest.mark.parametrize("bits", range(SMALLEST, LARGEST + 1))
def test_bounds_are_those_of_leaf_and_root_and_of_halves(bits: int) -> None:
    layout = Layout(bits)
    assert layout.leaf == 1 << ((bits + 1).bit_length() - 1)
    assert layout.leaves * layout.leaf == layout.positions
    assert len(layout.bounds) == layout.height + 1
    assert layout.bounds[0] == (int(0.08 * layout.leaf), int(0.92 * layout.leaf))
    for (lower, upper), (low, high) in zip(layout.bounds, layout.bounds[1:], strict=False):
        assert 2 * lower <= low <= high <= 2 * upper
    lower, upper = layout.bounds[-1]
    assert lower >= int(0.42 * layout.positions)
    assert upper <= 0.84 * layout.positions
    assert 0 < lower < upper
    # A group that goes up has more than a child may have: below the root, whose lower bound does
    # not count, no lower bound refuses it.
    steps = zip(layout.bounds, layout.bounds[1:-1], strict=False)
    assert all(high + 1 >= lower for (_, high), (lower, _) in steps)
    assert layout.bounds[0][0] <= 1 or bits == LARGEST


@pytest.mark.parametrize("spec", ["kron:7", "grid:9x9"])
def test_keys_are_spread_evenly(spec: str) -> None:
    graph = gpubfs.graph(spec)
    with dynamic.graph("gpma", graph) as changing:
        image = changing.image()
        size = graph.edges + graph.vertices
        places = np.arange(size) * image.layout.positions // size
        assert image.filled.tolist() == places.tolist()
        assert image.layout == Layout.for_keys(size)


def test_an_edge_goes_into_its_leaf_and_moves_no_other() -> None:
    with dynamic.graph("gpma", GRID) as changing:
        before = changing.image()
        done = changing.insert_edges(Batch([5], [60]))
        after = changing.image()
        assert done.effect.facts == {"rebalances": 1, "doublings": 0, "rebalances_0": 1}
        moved = np.flatnonzero(before.keys != after.keys)
        assert len(set((moved >> after.layout.leaf_bits).tolist())) == 1


def test_full_leaves_make_groups_go_up_and_a_full_root_doubles() -> None:
    """Edges at one and the same place fill one node after the other around it."""
    heights: set[int] = set()
    with dynamic.graph("gpma", empty(24), counters=False) as changing:
        assert changing.memory.layout.positions == 32
        for target in reversed(range(24)):
            facts = changing.insert_edges(Batch([0], [target])).effect.facts
            heights |= {int(name.rpartition("_")[2]) for name in facts if "_" in name}
            changing.check()
        assert {0, 1, 2, 3} <= heights
        assert changing.memory.layout.positions == 64
        assert changing.stats().facts["doublings"] == 1


def test_one_batch_may_double_the_array_several_times() -> None:
    model = Model(empty(48))
    with dynamic.graph("gpma", empty(48), counters=False) as changing:
        bits = changing.memory.layout.bits
        done = inserted(model, changing, everything(48))
        model.compare(changing)
        assert done.effect.facts["doublings"] == changing.memory.layout.bits - bits == 6
        assert changing.memory.layout == Layout.for_keys(48 * 49)


def test_deletions_move_nothing_and_what_was_deleted_comes_back_in_place() -> None:
    batch = everything(64)
    with dynamic.graph("gpma", GRID) as changing:
        before = changing.image()
        assert changing.delete_edges(batch).effect.applied == GRID.edges
        after = changing.image()
        assert (before.keys == after.keys).all()
        assert after.facts["deleted"] == GRID.edges
        again = changing.insert_edges(Batch(*np.nonzero(_adjacency(GRID))))
        assert again.effect.applied == GRID.edges
        assert "rebalances_0" not in again.effect.facts
        assert (changing.image().keys == before.keys).all()
        changing.check()


def _adjacency(graph: Graph) -> np.ndarray:
    return graph.to_scipy().toarray()


def test_where_a_node_is_filled_anew_what_was_deleted_goes() -> None:
    with dynamic.graph("gpma", GRID) as changing:
        changing.delete_edges(Batch([9], [8]))
        assert changing.image().facts["deleted"] == 1
        changing.insert_edges(Batch([9], [9]))
        assert changing.image().facts["deleted"] == 0
        changing.check()


@pytest.mark.parametrize("vertices", [1, 2])
def test_leaves_may_be_empty(vertices: int) -> None:
    """Only in the smallest array: keys find their leaves among some that have none."""
    model = Model(empty(vertices))
    with dynamic.graph("gpma", empty(vertices), counters=False) as changing:
        image = changing.image()
        counts = np.bincount(image.filled >> image.layout.leaf_bits, minlength=image.layout.leaves)
        assert (counts == 0).any() == (vertices == 1)
        for source in reversed(range(vertices)):
            inserted(model, changing, Batch([source] * vertices, range(vertices)))
            model.compare(changing)


def test_of_edges_that_a_batch_has_twice_the_first_counts() -> None:
    batch = Batch([3, 1, 3, 3], [4, 0, 4, 4], {"weight": [-1, 5, 2, 9]})
    with dynamic.graph("gpma", empty(5), mode="weighted") as changing:
        done = changing.insert_edges(batch)
        assert (done.effect.applied, done.effect.unchanged) == (2, 2)
        assert changing.edges().attributes["weight"].tolist() == [5, -1]


def test_rows_that_are_not_sorted_or_repeat_edges_are_put_in_order() -> None:
    graph = Graph([0, 3, 3, 4], [2, 1, 2, 0], directed=True)
    weights = {"weight": [7, 8, 9, 10]}
    with dynamic.graph("gpma", graph, mode="weighted", attributes=weights) as changing:
        changing.check()
        found = changing.edges()
        assert found.sources.tolist() == [0, 0, 2]
        assert found.targets.tolist() == [1, 2, 0]
        assert found.attributes["weight"].tolist() == [8, 7, 10]
        assert changing.stats().unchanged == 1


# ---- What is refused.


def test_where_the_array_may_not_double_the_rest_of_the_batch_is_refused() -> None:
    before = {*Model(GRID).edges}
    with dynamic.graph("gpma", GRID, positions=512, counters=False) as changing:
        batch = everything(64)
        with pytest.raises(ExhaustedError, match="found no room") as raised:
            changing.insert_edges(batch)
        changing.check()
        effect = raised.value.operation.effect
        assert "positions" in str(raised.value)
        edges = changing.edges()
        found = {*zip(edges.sources.tolist(), edges.targets.tolist(), strict=True)}
        assert before <= found
        assert len(found) == len(before) + effect.applied
        assert effect.applied + effect.unchanged + effect.refused == len(batch)
        assert effect.refused > 0
        some = dynamic.uniform(64, 30, seed=2)
        changing.delete_edges(some)
        assert changing.insert_edges(some).effect.applied == len(np.unique(some.keys))


@pytest.mark.parametrize(("insert", "step"), sampled([(True, 13), (True, 1), (False, 1)], 3))
def test_wherever_memory_is_exhausted_the_graph_is_intact(monkeypatch, insert, step) -> None:
    """Every allocation of a batch fails in turn, and what had been done is counted."""
    batch = dynamic.uniform(12, 130, seed=3)
    batch = Batch(np.append(batch.sources, [0, 1]), np.append(batch.targets, [1, 1]))
    failed, done = 0, False
    while not done:
        with (
            dynamic.graph("gpma", empty(12), counters=False) as changing,
            monkeypatch.context() as m,
        ):
            model = Model(empty(12))
            inserted(model, changing, Batch(range(12), range(12)))
            m.setattr(changing.host.machine, "empty", failing_at(changing, failed))
            try:
                effect = (changing.insert_edges if insert else changing.delete_edges)(batch).effect
                done = True
            except ExhaustedError as error:
                effect = error.operation.effect
                assert effect.refused > 0
            changing.check()
            change = len(changing.edges()) - 12
            assert effect.applied == (change if insert else -change)
            assert effect.applied + effect.unchanged + effect.refused == len(batch)
            held = sum(array.nbytes for array in changing.arrays.values())
            assert changing.host._bytes_now == held
        failed += step
    assert failed > (20 if insert else 4)


def failing_at(changing, number: int):
    """Allocate as before, but fail once, at the allocation of this number."""
    allocate, left = changing.host.machine.empty, [number]

    def empty_or_not(shape: int, dtype: str) -> object:
        left[0] -= 1
        if left[0] == -1:
            raise gpubfs.UsageError("the device is out of memory", "take less")
        return allocate(shape, dtype)

    return empty_or_not


def test_a_graph_that_needs_more_positions_is_refused() -> None:
    with (
        pytest.raises(gpubfs.UsageError, match="512 positions, and it may have 256"),
        dynamic.graph("gpma", GRID, positions=256),
    ):
        pass


def test_a_batch_that_does_not_fit_changes_nothing() -> None:
    with dynamic.graph("gpma", GRID, counters=False) as changing:
        with pytest.raises(gpubfs.GraphError, match=r"target 64 at position 1 .* no update"):
            changing.insert_edges(Batch([0, 1], [1, 64]))
        with pytest.raises(gpubfs.UsageError, match="mode=simple have no weight"):
            changing.insert_edges(Batch([0], [9], {"weight": [4]}))
        assert changing.insert_edges(Batch([], [])).launches == 0
        changing.check()
        assert changing.to_csr() == GRID


# ---- The check itself.


def swapped(image: dict) -> None:
    first, second = np.flatnonzero(image["keys"] != np.uint64(NO_KEY))[:2]
    image["keys"][[first, second]] = image["keys"][[second, first]]


def twice(image: dict) -> None:
    first, second = np.flatnonzero(image["keys"] != np.uint64(NO_KEY))[:2]
    image["keys"][second] = image["keys"][first]


def no_sentinel(image: dict) -> None:
    ends = np.flatnonzero(image["keys"] & np.uint64(ROW_END) == np.uint64(ROW_END))
    own = [at for at in ends if image["keys"][at] != np.uint64(NO_KEY)]
    image["keys"][own[3]] = np.uint64(NO_KEY)


def deleted_sentinel(image: dict) -> None:
    image["values"][image["row_offsets"][4]] = np.uint32(DELETED)


def foreign(image: dict) -> None:
    filled = np.flatnonzero(image["keys"] != np.uint64(NO_KEY))
    image["keys"][filled[-2]] = np.uint64(63 << 32 | 1000)


def wrong_row(image: dict) -> None:
    image["row_offsets"][7] += 1


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (swapped, "not in ascending order"),
        (twice, "has an edge twice"),
        (no_sentinel, "vertex 3 has no sentinel"),
        (deleted_sentinel, "vertex 3 has an entry that cannot be"),
        (foreign, "from 63 to 1000"),
        (wrong_row, "vertex 7 has its row at"),
    ],
)
def test_a_check_finds_what_is_wrong_and_where(spoil, says) -> None:
    with dynamic.graph("gpma", GRID) as changing:
        image = changing.image()
    arrays = {name: vars(image)[name].copy() for name in ("keys", "values", "row_offsets")}
    spoil(arrays)
    with pytest.raises(StructureError, match=says):
        replace(image, **arrays).check()


def test_a_check_finds_a_leaf_that_is_too_full() -> None:
    keys = np.full(8, NO_KEY, np.uint64)
    keys[:5] = [0, 1, ROW_END, 1 << 32, 1 << 32 | ROW_END]
    rows = np.array([0, 2, 4], np.int32)
    image = Image(Layout(3), 2, "simple", keys, np.ones(8, np.uint32), np.zeros(1, np.int32), rows)
    with pytest.raises(StructureError, match="leaf 0, which has 4 keys where 3 are allowed"):
        image.check()
