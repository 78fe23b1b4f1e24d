"""bottom-up-thread and bottom-up-warp: vertices are fetched, by so many atomics and no more."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
from gpubfs.graphs import Graph
from gpubfs.host import Launch
from tests.gpubfs.techniques.bottom_up_passes import (
    ORDERS,
    TOYS,
    checked,
    graphs,
    lanes,
    looks,
    passes,
    searched,
    toy_options,
)
from tests.sampling import examples, sampled

THREAD, WARP = "bottom-up-thread", "bottom-up-warp"
BOTH = [THREAD, WARP]
ATOMICS = ["kron:9", "grid:20x20", "star:700"]


def queued(done: gpubfs.Run, at: Launch) -> int:
    """How many vertices were not visited before a pass."""
    return int(np.count_nonzero((done.levels > at.depth) | (done.levels < 0)))


def fetches(name: str, queue: int, threads: int, warp_size: int) -> int:
    """The atomics of a pass by the formula; none where the first range has all vertices."""
    if queue <= threads:
        return 0
    each = 1 if name == THREAD else warp_size
    return -(-(queue - threads) // each) + threads // each


@pytest.mark.parametrize(
    ("name", "spec", "schedule"),
    sampled(product(BOTH, ATOMICS, ["lockstep", "warp", "random:5"]), 4),
)
def test_atomics_of_a_pass(name: str, spec: str, schedule: str) -> None:
    done = searched(name, gpubfs.graph(spec), block=64, blocks=3, schedule=schedule)
    assert passes(done)
    for at in passes(done):
        threads = at.grid[0] * 64
        assert threads == 64 * min(3, -(-queued(done, at) // 64))
        expected = fetches(name, queued(done, at), threads, 32)
        assert lanes(at, "atomic", "taken") == expected
        assert lanes(at, "load", "queue") == queued(done, at)  # each entry once
    assert lanes(passes(done)[0], "atomic", "taken") > 0


def test_a_warp_makes_a_warps_width_fewer_atomics() -> None:
    graph = gpubfs.graph("kron:11")
    many, few = (
        sum(
            lanes(at, "atomic", "taken") for at in passes(searched(name, graph, block=64, blocks=1))
        )
        for name in BOTH
    )
    assert 32 * (few - 8) < many <= 32 * few


@pytest.mark.parametrize("name", BOTH)
def test_all_variants_look_at_the_same_edges_on_the_same_grid(name: str) -> None:
    for spec in ("kron:8", "powerlaw:300"):
        graph = gpubfs.graph(spec)
        dealt, fetched = (searched(one, graph, block=64, blocks=2) for one in ("bottom-up", name))
        for before, at in zip(passes(dealt), passes(fetched), strict=True):
            assert (before.grid, before.block) == (at.grid, at.block)
            expected = looks(graph, fetched.levels, at.depth + 1).sum()
            assert checked(before) == checked(at) == expected


@examples(25, 1)
@given(data=st.data())
@pytest.mark.parametrize("name", BOTH)
def test_levels_are_right_in_every_order(name: str, data: st.DataObject) -> None:
    graph = data.draw(graphs())
    options = toy_options(data.draw)
    schedule, alpha = data.draw(st.sampled_from(ORDERS)), data.draw(st.sampled_from([0, 0.1, 0.3]))
    done = searched(name, graph, 0, schedule=schedule, alpha=alpha, sanitize="all", **options)
    lanes_of_warp = int(str(options["device"]).removeprefix("toy"))
    for at in passes(done):
        threads = at.grid[0] * TOYS[str(options["device"])]
        expected = fetches(name, queued(done, at), threads, lanes_of_warp)
        assert lanes(at, "atomic", "taken") == expected


@pytest.mark.parametrize("name", BOTH)
def test_fetching_evens_out_warps_that_dealing_does_not(name: str) -> None:
    """Vertices that look long lie a grid's width apart: dealt out, one warp of four has all.

    Who comes to the counter first is up to the order; in one like a GPU's, who is done first.
    """
    numbers = np.arange(2, 1024)
    late = (numbers - 1) % 128 < 32
    heavy, light = numbers[late], numbers[~late]
    ends = np.repeat(heavy, 24), np.resize(light, heavy.size * 24)
    graph = Graph.from_edges(np.r_[0, ends[0]], np.r_[1, ends[1]], 1024, name="in step")
    dealt, fetched = (
        passes(searched(one, graph, 0, block=128, blocks=1, schedule="round-robin:0"))[0]
        for one in ("bottom-up", name)
    )
    assert checked(dealt) == checked(fetched)
    spread = [at.counters.work_per_warp.imbalance for at in (dealt, fetched)]
    assert spread[1] < 1 + (spread[0] - 1) / 2
