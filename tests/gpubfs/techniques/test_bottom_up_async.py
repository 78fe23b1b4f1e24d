"""bottom-up-async: vertices of two levels in a pass, none lost on the way back, fewer looks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
from gpubfs.search.phases import PhaseSearch
from gpubfs.search.rules import Figures
from gpubfs.search.verify import VerificationError
from simulator.source import LaunchError
from tests.gpubfs.techniques.bottom_up_passes import (
    ORDERS,
    checked,
    graphs,
    lanes,
    passes,
    search_random_graphs,
    searched,
    toy_options,
)
from tests.sampling import examples, sampled

NAME = "bottom-up-async"
BACKS = ["no-queue", "double-scan"]

#: Graphs and shares of edges for which there are early vertices, and a way back after them.
RETURNS = [("powerlaw:512", 0.2), ("er:9,4", 0.25), ("grid:9x9", 0.06), ("rgg:300", 0.05)]


def early(done: gpubfs.Run) -> list[int]:
    """How many vertices of each level were found one pass ahead."""
    return [int(known["early"] or 0) for known in done.facts.values()]


@examples(60, 2)
@given(data=st.data())
def test_levels_are_right_in_every_order_and_with_every_way_back(data: st.DataObject) -> None:
    """Lemmas 1 and 2: who is marked early has that level, and is in the queue before."""
    graph = data.draw(graphs())
    options = toy_options(data.draw) | {
        "alpha": data.draw(st.sampled_from([0, 0.05, 0.1, 0.2, 0.4])),
        "back": data.draw(st.sampled_from(BACKS)),
        "schedule": data.draw(st.sampled_from(ORDERS)),
        "width": data.draw(st.sampled_from([1, 2])),
    }
    done = searched(NAME, graph, data.draw(st.integers(0, graph.vertices - 1)), **options)
    for depth, known in done.facts.items():
        assert known["edge_check"] == graph.degrees[done.levels == depth].sum()
        assert int(known["early"] or 0) <= np.count_nonzero(done.levels == depth)


@pytest.mark.parametrize("back", BACKS)
@pytest.mark.parametrize("schedule", sampled(["random:3", "lockstep", "warp"], 3))
@pytest.mark.parametrize(("spec", "alpha"), RETURNS)
def test_nothing_is_lost_on_the_way_back(spec: str, alpha: float, schedule: str, back: str) -> None:
    graph = gpubfs.graph(spec)
    done = searched(NAME, graph, 0, alpha=alpha, back=back, schedule=schedule, block=64, blocks=2)
    phases = [str(known["phase"]) for known in done.facts.values()]
    returns = [d for d in range(1, len(phases)) if phases[d - 1] == "bottom-up" != phases[d]]
    assert returns
    assert done.verified


def forgetful(search: PhaseSearch, depth: int) -> Figures:
    """Take the last pass's queue for all that the level has, as the published code does."""
    data = search.buffers
    data.host.write(data.next_size, 0)
    search.early = Figures()
    return search._enqueued(search.expansion.no_queue(search._queues(search.queued, depth)))


def without_the_next_level(search: PhaseSearch, depth: int) -> Figures:
    """Leave out only those of the next level that were found early."""
    search.early = Figures()
    return REMEMBERING(search, depth)


def without_the_queue_before(search: PhaseSearch, depth: int) -> Figures:
    """Leave out only those of this level that were found early."""
    search.ahead = 0
    return REMEMBERING(search, depth)


REMEMBERING = PhaseSearch._no_queue


@pytest.mark.slow
@pytest.mark.parametrize(
    "loss", sampled([forgetful, without_the_next_level, without_the_queue_before], 3)
)
def test_who_forgets_early_vertices_is_found_out(loss: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(PhaseSearch, "_no_queue", loss)
    caught = 0
    for spec, alpha in RETURNS:
        for source in (0, 1, 2):
            try:
                gpubfs.run(NAME, spec, source, alpha=alpha, block=64, schedule="warp")
            except (VerificationError, LaunchError):  # or there is nothing to launch for
                caught += 1
    assert caught


@pytest.mark.slow  # xbfs has the same by default
def test_the_property_finds_the_loss_on_random_graphs(monkeypatch: Any) -> None:
    monkeypatch.setattr(PhaseSearch, "_no_queue", forgetful)
    with pytest.raises((VerificationError, LaunchError, ExceptionGroup)):
        search_random_graphs(NAME, 60)


@pytest.mark.slow
@pytest.mark.parametrize("spec", sampled(["powerlaw:512", "kron:8", "grid:12x9"], 3))
def test_the_same_kernel_finds_none_early_if_it_stores_behind_the_loop(spec: str) -> None:
    """In lockstep all threads of the queue look before anybody stores; in other orders not."""
    assert sum(early(searched(NAME, gpubfs.graph(spec)))) > 0
    assert sum(early(searched(NAME, gpubfs.graph(spec), store="behind"))) == 0
    assert sum(early(searched(NAME, gpubfs.graph(spec), store="behind", schedule="warp"))) > 0


def test_a_thread_sees_what_it_has_stored_of_the_vertex_before() -> None:
    few = gpubfs.run(NAME, "kron:8", store="behind", block=32, blocks=1)
    assert sum(early(few)) > 0


@pytest.mark.parametrize("schedule", ["warp", "random:1", "round-robin:0"])
def test_in_other_orders_most_of_the_second_level_is_found_early(schedule: str) -> None:
    """The paper's Figure 10 counts the level after the first bottom-up one: 88 % on average."""
    done = gpubfs.run(NAME, "powerlaw:1024", schedule=schedule)
    sizes = np.bincount(done.levels[done.levels >= 0])
    assert early(done)[2] > 0.5 * sizes[2]


@examples(60, 1)
@given(data=st.data())
def test_it_never_looks_at_more_edges_in_the_passes_that_both_make(data: st.DataObject) -> None:
    graph = data.draw(graphs())
    options = toy_options(data.draw) | {"schedule": data.draw(st.sampled_from(ORDERS))}
    both = [searched(name, graph, 0, **options) for name in ("bottom-up", NAME)]
    sums = [{at.depth: checked(at) for at in passes(done)} for done in both]
    for depth in sums[0].keys() & sums[1].keys():
        assert sums[1][depth] <= sums[0][depth]


def test_a_vertex_is_stored_once_and_loads_of_levels_are_volatile() -> None:
    done = gpubfs.run(NAME, "kron:8", schedule="random:6")
    assert sum(lanes(at, "store", "level") for at in passes(done)) == done.reached - 1
    text = gpubfs.techniques()[NAME].path.with_name("parent_search.cuh").read_text()
    assert "*(const volatile int *)&level[v]" in text
    assert "*(volatile int *)&level[v] = depth" in text


def test_example_6_of_xbfs() -> None:
    """On toy, vertices 3 and 8 get their level before 9 reads the second of them."""
    done = gpubfs.run(NAME, "toy", 0, device="toy4", block=4)
    assert done.levels[9] == 4
    assert early(done)[4] == 1
    # The pass for level 3 has found 9, and there is nothing left to look at.
    assert [at.depth for at in passes(done)] == [0, 1, 2]
    late = gpubfs.run("bottom-up", "toy", 0, device="toy4", block=4)
    assert [at.depth for at in passes(late)] == [0, 1, 2, 3]
