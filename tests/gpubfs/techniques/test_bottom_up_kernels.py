"""All bottom-up kernels: queues that are longer than the grid, and what lanes look at together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpubfs
from gpubfs.graphs import Graph
from tests.gpubfs.techniques.bottom_up_passes import lanes, passes, searched

KERNELS = [
    *("bottom-up", "bottom-up-thread", "bottom-up-warp", "bottom-up-donate", "bottom-up-async")
]
FETCHING = KERNELS[1:3]

#: One warp, whose queues are worked in order whatever the schedule.
WARP: dict[str, Any] = {"device": "toy4", "block": 4, "blocks": 1}


@pytest.mark.parametrize("name", KERNELS)
def test_a_queue_of_several_times_the_grid_is_worked_to_its_end(name: str) -> None:
    """9 vertices for 4 lanes: in the last turn three have none, and must stay for the other."""
    searched(name, gpubfs.graph("star:9"), 0, sanitize="all", **WARP)


@pytest.mark.parametrize("name", FETCHING)
def test_nobody_fetches_where_each_thread_has_a_vertex(name: str) -> None:
    (only,) = passes(searched(name, gpubfs.graph("star:4"), 0, **WARP))
    assert lanes(only, "load", "queue") == 4
    assert lanes(only, "atomic", "taken") == 0


def sibling_at(place: int) -> Graph:
    """A hub, to which the only neighbour of vertex 0 is at `place` among its 17 neighbours.

    The others are leaves, and the hub is the last vertex of all.
    """
    ends = np.arange(1, 18)
    return Graph.from_edges(np.r_[0, 0 * ends + 18], np.r_[place + 1, ends], name="sibling")


@pytest.mark.parametrize("place", [4, 5])
def test_a_hub_is_found_early_whichever_lane_sees_its_neighbour(place: int) -> None:
    """Five neighbours are looked at by the hub's lane, and then four at a time by all of them.

    The leaves see the hub in the pass after it.
    """
    done = searched("xbfs", sibling_at(place), 0, balance="donate", alpha=0, **WARP)
    assert [known["early"] for known in done.facts.values()] == [0, 0, 1, 16]
