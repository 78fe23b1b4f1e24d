"""What drivers say of the levels they expand: each once, in their order, with as many vertices."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import gpubfs
from gpubfs.graphs import Graph
from gpubfs.search.catalogue import techniques
from tests.gpubfs.techniques.shipped import SHIPPED
from tests.sampling import sampled

#: Those that are one launch for all levels: of none they know when it begins.
ONE_LAUNCH = ("device-loop", "dfq-global", "dfq-shared", "persistent")
#: Those whose kernels do not say how many vertices they discover.
UNCOUNTED = ("status-array", "virtual-split")

SEARCHES = {
    "a vertex alone": (Graph.from_edges([], [], 1), 0),
    "a vertex without edges": (Graph.from_edges([0, 1], [1, 2], 5), 3),
    "a vertex with a loop": (Graph.from_edges([0, 1, 1], [0, 1, 2], 4, loops=True), 0),
    "two levels": (gpubfs.graph("star:3"), 0),
    "several levels": (gpubfs.graph("karate"), 9),
}


@pytest.mark.parametrize(
    ("name", "search"),
    sampled(product(filter(SHIPPED.__contains__, techniques()), SEARCHES), 5, each=0),
)
def test_each_level_is_announced_once_with_its_vertices(name: str, search: str) -> None:
    graph, source = SEARCHES[search]
    said: list[tuple[int, int | None]] = []
    done = gpubfs.run(name, graph, source, progress=lambda at, size, _: said.append((at, size)))
    if name in ONE_LAUNCH:
        assert said == []
        return
    assert [at for at, _ in said] == list(range(len(said)))
    assert len(said) >= 1
    for depth, frontier in said:
        assert frontier in (None, np.count_nonzero(done.levels == depth))
    for launch in done.per_launch:
        assert (launch.depth, launch.frontier) in said
    if name not in UNCOUNTED:
        assert said[0] == (0, 1)
