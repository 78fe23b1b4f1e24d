"""Work of threads in the level that holds a hub: plain, with supports, and shared out by search."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpubfs
import simulator
from gpubfs.graphs import Graph
from gpubfs.host import Launch
from gpubfs.techniques.distribution.binary_search import chunk_size

#: Graphs whose degrees follow a power law, and in which the hub below is by far the largest.
POWER_LAW = st.one_of(
    st.builds(
        "powerlaw:{},{},seed={}".format,
        st.integers(1000, 2000),
        st.integers(6, 16),
        st.integers(0, 999),
    ),
    st.builds(
        "kron:{},{},seed={}".format,
        st.integers(9, 10),
        st.integers(8, 16),
        st.integers(0, 999),
    ),
)


def with_hub(spec: str, seed: int = 1) -> Graph:
    """A graph with one vertex more, which has a quarter of all others as neighbours."""
    base = gpubfs.graph(spec)
    tails = np.repeat(np.arange(base.vertices), base.degrees)
    quarter = np.random.default_rng(seed).permutation(base.vertices)[: base.vertices // 4]
    sources = np.append(tails, np.full(len(quarter), base.vertices))
    return Graph.from_edges(sources, np.append(base.neighbours, quarter), name=f"{spec} and a hub")


def in_the_hubs_level(done: gpubfs.Run, kernel: str) -> Launch:
    """The launch that looks at the edges of the hub's level."""
    depth = int(done.levels[done.graph.hub])
    return next(at for at in done.per_launch if (at.kernel, at.depth) == (kernel, depth))


def filled(done: gpubfs.Run, device: str) -> float:
    """How full the chunks of the hub's level are: only the last one may have fewer edges."""
    level = done.levels == done.levels[done.graph.hub]
    edges = int(done.graph.degrees[level & (done.graph.degrees > 1)].sum())
    resident = simulator.PROFILES[device].resident_threads
    block, items = int(done.options["block"]), int(done.options["shared_items"])
    chunk = chunk_size(edges, resident, block, items)
    return edges / (in_the_hubs_level(done, "binary_search_expand").grid[0] * chunk)


def imbalances(graph: Graph, source: int, *ways: tuple[str, dict[str, Any]]) -> list[float]:
    """The largest work of a thread over the mean, in the hub's level, for each technique."""
    found = []
    for name, options in ways:
        done = gpubfs.run(name, graph, source, **options)
        kernel = "binary_search_expand" if name == "binary-search" else name.replace("-", "_")
        found.append(in_the_hubs_level(done, kernel).counters.work.imbalance)
    return found


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(
    spec=POWER_LAW,
    gpu=st.sampled_from([("toy4", 16), ("toy8", 16), ("toy8", 32)]),
    neighbour=st.integers(0, 10**6),
    seed=st.integers(0, 999),
)
def test_imbalance_falls_wherever_the_hub_is_one_of_many(
    spec: str, gpu: tuple[str, int], neighbour: int, seed: int
) -> None:
    """On small GPUs, each of whose threads has ten edges and more in that level.

    The hub alone is as even where whole blocks take it. A chunk has as many edges as shared memory
    has places; where a block's share is more, the last of few chunks may be nearly empty.
    """
    graph = with_hub(spec, seed)
    near = graph.adjacent(graph.hub)
    where = {"device": gpu[0], "block": gpu[1]}
    source = int(near[neighbour % len(near)])
    ways = ("thread-per-vertex", where), ("warp-shuffle", where | {"supports": "warp+block"})
    plain, supported = imbalances(graph, source, *ways)
    done = gpubfs.run("binary-search", graph, source, **where)
    searched = in_the_hubs_level(done, "binary_search_expand").counters.work.imbalance
    assert plain > supported > searched * filled(done, gpu[0])
    assert searched * filled(done, gpu[0]) <= 1.1


@pytest.mark.parametrize(
    ("spec", "block"),
    [
        ("kron:14", 256),
        pytest.param("kron:14,seed=2", 64, marks=pytest.mark.slow),
        pytest.param("kron:14,24,seed=3", 128, marks=pytest.mark.slow),
        pytest.param("kron:15,seed=4", 256, marks=pytest.mark.slow),
        pytest.param("powerlaw:60000,20", 256, marks=pytest.mark.slow),
        pytest.param("powerlaw:80000,24,seed=5", 64, marks=pytest.mark.slow),
    ],
)
def test_imbalance_falls_on_the_papers_gpu(spec: str, block: int) -> None:
    """A GeForce GTX 980, with graphs that have eight edges and more for each of its threads."""
    graph = with_hub(spec)
    near = graph.adjacent(graph.hub)
    where = {"device": "gtx980", "block": block}
    source = int(near[np.argmax(graph.degrees[near])])
    ways = (
        ("thread-per-vertex", where),
        ("warp-shuffle", where),
        ("warp-shuffle", where | {"supports": "auto"}),
        ("binary-search", where),
    )
    found = imbalances(graph, source, *ways)
    assert all(above > below for above, below in pairwise(found)), found
    assert found[0] > 10 * found[1]
    assert found[-1] <= 1.1
