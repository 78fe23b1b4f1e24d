"""cuSTINGER: what the host does, batches with and without duplicates, and the race between them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulator
from gpubfs.dynamic import Batch, StructureError, graph, uniform
from gpubfs.dynamic.custinger.custinger import CuStinger
from gpubfs.dynamic.custinger.edge_memory import first_room, next_room
from gpubfs.dynamic.custinger.space import space
from gpubfs.dynamic.opening import placed
from gpubfs.dynamic.operation import ExhaustedError, Operation
from gpubfs.dynamic.structure import find
from gpubfs.errors import UsageError
from gpubfs.graphs import Graph
from gpubfs.graphs import graph as make_graph
from gpubfs.machines import open_machine
from simulator.execute.device import current
from simulator.observe.sanitizers import Finding
from tests.sampling import examples, sampled

SCHEDULES = ("lockstep", "warp", "shuffled:1", "round-robin:1", "random:1")


def without_edges(vertices: int) -> Graph:
    return Graph.from_edges([], [], vertices, directed=True)


def pairs(edges: Batch) -> set[tuple[int, int]]:
    return set(zip(edges.sources.tolist(), edges.targets.tolist(), strict=True))


def once(edges: set[tuple[int, int]]) -> Batch:
    ends = np.array(sorted(edges), np.int32).reshape(-1, 2)
    return Batch(ends[:, 0], ends[:, 1])


def test_room_for_more_than_there_is() -> None:
    degrees = np.array([0, 4, 5, 100])
    assert first_room(degrees, True).tolist() == [10, 10, 7, 150]
    assert next_room(degrees.astype(np.int32), np.array([1, 1, 1, 50]), True).tolist() == [
        *(2, 7, 9, 225)
    ]


@pytest.mark.parametrize("more", [True, False])
def test_a_vertex_takes_two_allocations_and_the_rest_a_few(more: bool) -> None:
    """A record for each vertex, and memory for each that has room for an edge."""
    found = []
    for vertices in (10, 30):
        with graph("custinger", f"path:{vertices}", over_allocation=more) as made:
            found.append(made.operations[0].allocations - 2 * vertices)
            assert made.operations[0].launches == 1
    assert found[0] == found[1] < 10


def kernels(operation: Operation) -> list[str]:
    return [one.kernel.removeprefix("custinger_") for one in operation.per_launch]


def test_an_insertion_takes_one_to_five_launches() -> None:
    """Of two lanes each, so that two updates are of different warps if one stands between."""
    with graph("custinger", without_edges(40), device="toy2") as made:
        assert kernels(made.insert_edges(Batch([0], [1]))) == ["insert"]
        twins = made.insert_edges(Batch([0, 1, 0], [3, 1, 3]))
        assert kernels(twins) == ["insert", "close"]
        assert twins.effect.facts["twins"] == 1
        full = made.insert_edges(Batch([0] * 10, [*range(10, 20)]))
        assert kernels(full) == ["insert", "move", "insert"]
        assert full.effect.facts["moved"] == 1


def test_the_worst_case_is_five_launches() -> None:
    """Twins in the first sweep, adjacencies that are too small, and twins in the second."""
    with graph("custinger", without_edges(40), device="toy2") as made:
        targets = [*range(1, 9), 8, 8, 8, 8, *range(20, 32), 31, 31, 31, 31]
        done = made.insert_edges(Batch([0] * len(targets), targets))
        made.check()
        assert kernels(done) == ["insert", "close", "move", "insert", "close"]
        assert pairs(made.edges()) == {(0, t) for t in targets}
        assert done.effect.facts["moved"] == 1
        assert done.effect.facts["twins"] > 1


def test_a_deletion_takes_two_launches() -> None:
    with graph("custinger", "path:5") as made:
        assert kernels(made.delete_edges(Batch([0, 1], [1, 2]))) == ["delete", "close"]
        assert kernels(made.delete_edges(Batch([0], [1]))) == ["delete"]  # there is no gap


def test_without_over_allocation_every_insertion_moves() -> None:
    moved = {}
    for more in (True, False):
        with graph("custinger", "path:20", over_allocation=more) as made:
            done = [made.insert_edges(Batch([3, 7], [at, at])) for at in (10, 11, 12)]
            moved[more] = [one.effect.facts["moved"] for one in done]
            made.check()
    assert moved == {True: [0, 0, 0], False: [2, 2, 2]}


BATCHES = st.lists(
    st.tuples(
        st.booleans(),
        st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=30),
    ),
    min_size=1,
    max_size=5,
)


@pytest.mark.parametrize(
    ("schedule", "device", "more"),
    sampled(product(SCHEDULES, ("h200", "toy2", "toy4", "toy8"), (True, False)), 17),
)
@given(history=BATCHES)
@examples(25, 3)
def test_batches_without_duplicates_are_exact(
    history: list[tuple[bool, set[tuple[int, int]]]], schedule: str, device: str, more: bool
) -> None:
    """The same edges as a set has, with nothing twice, whatever the order of threads."""
    where = {"schedule": schedule, "device": device, "over_allocation": more}
    first = Graph.from_edges([0, 0, 1], [1, 2, 3], 7, directed=True)
    model = {(0, 1), (0, 2), (1, 3)}
    with graph("custinger", first, **where) as made:
        for inserting, edges in history:
            if inserting:
                done = made.insert_edges(once(edges))
                assert done.effect.applied == len(edges - model)
                model |= edges
            else:
                done = made.delete_edges(once(edges))
                assert done.effect.applied == len(edges & model)
                model -= edges
            assert done.effect.applied + done.effect.unchanged == len(edges)
            made.check()
            assert len(made.edges()) == len(model)
            assert pairs(made.edges()) == model


@pytest.mark.parametrize("schedule", sampled(SCHEDULES[::-1], 5))
@given(
    history=st.lists(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=40),
        min_size=1,
        max_size=3,
    )
)
@examples(25, 3)
def test_batches_with_duplicates_lose_nothing(
    history: list[list[tuple[int, int]]], schedule: str
) -> None:
    """Every edge is there; of those that are twice in a batch some may be there twice."""
    model: set[tuple[int, int]] = set()
    with graph("custinger", without_edges(5), schedule=schedule) as made:
        for updates in history:
            made.insert_edges(Batch(*zip(*updates, strict=True)))
            twins = pairs(made.twins())
            assert twins <= {one for one in updates if updates.count(one) > 1}
            model |= set(updates)
            assert pairs(made.edges()) == model
            for _ in range(40):  # a deletion takes one of several
                if not twins:
                    break
                made.delete_edges(once(twins))
                twins &= pairs(made.edges())
            made.insert_edges(once(model))
            made.check()
            assert len(made.edges()) == len(model)


#: Eight edges, each of them from all ten warps.
OFTEN = Batch(np.zeros(320, int), np.tile(np.arange(1, 9), 40))


def left_twice(schedule: str) -> list[int]:
    """The targets of the edges that are twice after a batch in which everything is."""
    with graph("custinger", without_edges(9), schedule=schedule) as made:
        made.insert_edges(OFTEN)
        assert pairs(made.edges()) == pairs(OFTEN)
        twins: list[int] = made.twins().targets.tolist()
        if twins:
            with pytest.raises(
                StructureError, match=f"vertex 0 has the edge to {twins[0]} more than once"
            ):
                made.check()
        else:
            made.check()
        return twins


def test_duplicates_inside_a_batch_depend_on_the_schedule() -> None:
    """Side by side all warps store before any looks; one after another each sees all before it."""
    assert left_twice("lockstep") == left_twice("warp") == left_twice("round-robin:1") == []
    assert any(left_twice(f"random:{seed}") for seed in range(40))


@pytest.mark.parametrize("schedule", sampled(SCHEDULES, 5))
def test_the_race_checker_finds_the_race_of_the_paper(schedule: str) -> None:
    """It is between the store of an edge and another warp's search, and would end the insertion."""
    apart = Batch([0, 1, 0], [3, 4, 5])
    where = {"schedule": schedule, "device": "toy2", "sanitize": "race"}
    bare = replace(find("custinger"), benign={})
    made = graph(bare, "path:7", **where)
    with made as own, pytest.raises(simulator.Fault, match=r"race on edges") as caught:
        own.insert_edges(apart)
    assert "custinger_insert" in str(caught.value)
    with graph("custinger", "path:7", **where) as own:
        own.insert_edges(Batch([2, 3, 4], [6, 6, 6]))
        assert own.findings == []
        own.insert_edges(apart)
        (finding,) = own.findings
        assert (finding.array, finding.declared) == ("edges", True)
        assert "this one does harm" in finding.reason


def place(finding: Finding) -> set[str]:
    """The lines of the source that race."""
    return {span.source.text.splitlines()[span.line - 1].strip() for span in finding.spans}


@pytest.mark.parametrize(
    ("schedule", "mode"), sampled(product(SCHEDULES, ("simple", "weighted", "semantic")), 8)
)
def test_sanitizers_are_clean_but_for_the_named_race(schedule: str, mode: str) -> None:
    """Searches read what stores of edges and of empty places write, in insertions alone."""
    where: dict[str, Any] = {"schedule": schedule, "mode": mode, "sanitize": "all"}
    with graph("custinger", "kron:5", **where) as made:
        batch = uniform(made.vertices, 80, seed=3)
        doubled = Batch(np.tile(batch.sources, 2), np.tile(batch.targets, 2))
        made.insert_edges(doubled)
        made.delete_edges(doubled)
        one = Batch(np.zeros(80, int), np.arange(80) % 31 + 1)
        made.insert_edges(one)
        made.delete_edges(one)
        search = "bool same = place < end && edges[place] == destination;"
        stores = {"edges[place] = destination;", "edges[place] = EMPTY;"}
        assert made.findings
        for finding in made.findings:
            assert search in place(finding) <= {search, *stores}


def test_new_room_is_empty_before_anybody_looks_at_it() -> None:
    """Warps look for twins up to their own place, in front of which others may not have stored."""
    batch = Batch(np.full(24, 3), np.arange(4, 28))
    for seed in range(8):
        where = {"schedule": f"random:{seed}", "sanitize": "init", "device": "toy8"}
        with graph("custinger", "star:200", **where) as made:
            assert made.insert_edges(batch).effect.facts["moved"] == 1


@pytest.mark.parametrize("mode", ["weighted", "semantic"])
def test_values_go_with_their_edges(mode: str) -> None:
    with graph("custinger", "path:12", mode=mode) as made:
        names = list(made.edges().attributes)
        batch = uniform(12, 60, seed=5)
        keys = np.unique(batch.keys)
        ends = (keys >> 32).astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32)
        values = {name: at * 1000 + keys % 997 for at, name in enumerate(names)}
        made.insert_edges(Batch(*ends, values))
        gone = np.arange(len(keys)) % 3 == 0
        made.delete_edges(Batch(ends[0][gone], ends[1][gone]))
        made.check()
        given = dict(zip(keys.tolist(), zip(*values.values(), strict=True), strict=True))
        found = made.edges()
        columns = zip(*(found.attributes[name].tolist() for name in names), strict=True)
        first = {key for key in found.keys.tolist() if key not in given}
        before = {(u << 32) | v for u in range(12) for v in (u - 1, u + 1) if 0 <= v < 12}
        assert first <= before
        for key, own in zip(found.keys.tolist(), columns, strict=True):
            if key in given and key not in before:
                assert own == tuple(int(one) for one in given[key])


def test_memory_that_ends_in_the_middle_of_a_batch() -> None:
    """What found room is there, the rest is counted, and the structure passes its check."""
    batch = Batch([0] * 5 + [1] * 5 + [2] * 5, [*range(1, 6)] * 3)
    with graph("custinger", without_edges(6), over_allocation=False) as made:
        made.insert_edges(Batch([0, 1, 2], [1, 2, 3]))
        memory = current().memory
        before = memory.bytes_used
        with space(made.host, batch.columns("simple"), inserts=True):
            memory.capacity = memory.bytes_used + 2 * 5 * 4  # two adjacencies of five edges
        with pytest.raises(ExhaustedError, match="8 of 15 updates took effect") as caught:
            made.insert_edges(batch)
        effect = caught.value.operation.effect
        assert (effect.applied, effect.unchanged, effect.refused) == (8, 3, 4)
        made.check()
        assert len(made.edges()) == 3 + 8
        assert memory.bytes_used == before + 2 * 4 * 4
        memory.capacity = 1 << 30
        assert made.insert_edges(batch).effect.applied == 4
        assert len(made.edges()) == 15


@pytest.mark.parametrize("what", ["insert_edges", "delete_edges"])
def test_a_batch_that_does_not_fit_changes_nothing(what: str) -> None:
    with graph("custinger", "path:6") as made:
        memory = current().memory
        memory.capacity = before = memory.bytes_used
        with pytest.raises(ExhaustedError, match=r"0 of 2 updates took effect.* 2 found no room"):
            getattr(made, what)(Batch([0, 1], [1, 4]))
        assert memory.bytes_used == before
        memory.capacity = 1 << 30
        made.check()
        assert len(made.edges()) == 10


def test_a_graph_that_does_not_fit_says_how_far_memory_went() -> None:
    chosen, path = find("custinger"), make_graph("path:50")
    with open_machine("sim") as machine:
        current().memory.capacity = 64 * 50 + 40 * 20
        made = placed(chosen, path, machine, chosen.complete({}))
        with pytest.raises(UsageError, match=r"it holds the edges of \d+ of 50 vertices"):
            made.from_csr(path)
        assert current().memory.bytes_used == 0


def damage(name: str, made: CuStinger) -> None:
    """Write to device memory what no kernel would."""
    write = made.host.write
    if name == "used":
        write(made.arrays["used"][3:4], 11)
    elif name == "room":
        write(made.arrays["capacity"][3:4], 9)
    elif name == "marks":
        write(made._marks[3:4], 1)
    elif name == "addresses":
        write(made.arrays["memory"][3:4], 64)
    elif name == "records":
        made.host.copy_to(made.arrays["records"][3:4], made.host.read(made.arrays["records"])[4:5])
    else:
        place, value = {"gap": (0, -1), "behind": (5, 2), "outside": (0, 99)}[name]
        memory, address = current().memory, int(made.memory.addresses[3])
        memory.view(address, 40, "int32")[place] = value


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("used", "has more edges than room"),
        ("room", "has room for another number of edges than was allocated"),
        ("marks", "is marked as if it had gaps"),
        ("addresses", "has its edges in memory that is not its own"),
        ("records", "has a record that does not point to its edges"),
        ("gap", "has an empty place between its edges"),
        ("behind", "has something behind its last edge"),
        ("outside", "has an edge to no vertex"),
    ],
)
def test_the_check_finds_whatever_is_damaged(name: str, words: str) -> None:
    with graph("custinger", "path:8") as made:
        made.check()
        damage(name, made)
        with pytest.raises(StructureError, match=f"vertex 3 {words}"):
            made.check()
