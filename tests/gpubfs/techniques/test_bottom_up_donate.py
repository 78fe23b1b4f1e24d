"""bottom-up-donate: lanes help the last one of their warp, and the levels stay right."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import gpubfs
from gpubfs.graphs import Graph
from tests.gpubfs.techniques.bottom_up_passes import (
    ORDERS,
    checked,
    graphs,
    lanes,
    looks,
    passes,
    searched,
    toy_options,
)
from tests.sampling import examples

NAME = "bottom-up-donate"
BETWEEN_VOTES = 5


def looked(own: NDArray[np.int64], degrees: NDArray[np.int64]) -> int:
    """How many neighbours a warp looks at whose lanes would look at so many by themselves."""
    total, seen = 0, np.zeros_like(own)
    while (seen < own).any():
        step = np.minimum(own - seen, BETWEEN_VOTES)
        total, seen = total + int(step.sum()), seen + step
        last = np.flatnonzero(seen < own)
        if last.size == 1:
            (lane,) = last.tolist()
            rounds = -(-(own[lane] - seen[lane]) // own.size)
            return total + min(rounds * own.size, degrees[lane] - seen[lane])
    return total


def warps(queue: NDArray[np.int64], warp_size: int) -> Iterator[NDArray[np.int64]]:
    """The vertices that the lanes of a warp have together, -1 for none."""
    padded = np.full(-(-queue.size // warp_size) * warp_size, -1)
    padded[: queue.size] = queue
    yield from padded.reshape(-1, warp_size)


@pytest.mark.parametrize("spec", ["karate", "kron:8", "powerlaw:300", "star:100", "circuit:400"])
def test_lanes_look_together_once_one_is_left(spec: str) -> None:
    """To the neighbour: a width at a time, up to the end of the round with a parent."""
    done = searched(NAME, gpubfs.graph(spec), block=64)
    together = 0
    for at in passes(done):
        own = looks(done.graph, done.levels, at.depth + 1)
        queue = np.flatnonzero((done.levels > at.depth) | (done.levels < 0))
        expected = 0
        for members in warps(queue, 32):
            alone = np.where(members < 0, 0, own[members])
            expected += looked(alone, done.graph.degrees[members])
        assert checked(at) == lanes(at, "load", "level") == expected
        assert lanes(at, "store", "level") == np.count_nonzero(done.levels == at.depth + 1)
        together += expected - int(own.sum())
    assert together >= 0


def test_the_last_lane_takes_a_warps_width_fewer_steps() -> None:
    """A vertex of 640 neighbours, of which none is a parent, among leaves that soon are done."""
    hub = np.full(640, 1)
    leaves = np.arange(2, 642)
    graph = Graph.from_edges(np.r_[hub, 0], np.r_[leaves, 642], 643, name="late hub")
    alone, helped = (
        passes(searched(name, graph, 0, block=32, blocks=1))[0] for name in ("bottom-up", NAME)
    )
    assert checked(alone) == checked(helped)
    assert 4 * helped.counters.work.maximum < alone.counters.work.maximum


@examples(25, 2)
@given(data=st.data())
def test_levels_are_right_in_every_order(data: st.DataObject) -> None:
    graph = data.draw(graphs())
    options = toy_options(data.draw)
    schedule, alpha = data.draw(st.sampled_from(ORDERS)), data.draw(st.sampled_from([0, 0.1, 0.3]))
    searched(NAME, graph, 0, schedule=schedule, alpha=alpha, sanitize="all", **options)


def test_wide_offsets_are_donated_whole() -> None:
    from dataclasses import replace

    graph = gpubfs.graph("kron:7")
    wide = replace(graph, offsets=graph.offsets.astype(np.int64))
    assert gpubfs.run(NAME, wide, block=64).verified
