"""What tests of bottom-up passes share: random graphs, and what a run says of its passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import gpubfs
from gpubfs.graphs import Graph
from gpubfs.graphs.reference import reference_levels
from gpubfs.host import Launch

ORDERS = ["lockstep", "warp", "shuffled:3", "round-robin:2", "random:0", "random:1"]

#: Toy GPUs, by the lanes of their warps: blocks of two warps, and of fewer threads than vertices.
TOYS = {"toy2": 4, "toy4": 8, "toy8": 16}


@st.composite
def graphs(draw: Callable[..., Any], most: int = 40) -> Graph:
    """Graphs in both directions whose degrees differ much, and which may be deep."""
    vertices = draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    crowd = draw(st.sampled_from([1, 2, 4]))
    ends = (rng.random((2, draw(st.integers(0, 3 * most)))) ** crowd * vertices).astype(int)
    chain = np.arange(draw(st.integers(0, vertices - 1)))
    sources, targets = np.r_[ends[0], chain], np.r_[ends[1], chain + 1]
    return Graph.from_edges(sources, targets, vertices, name="any")


def toy_options(draw: Callable[..., Any]) -> dict[str, Any]:
    """A toy GPU, and a grid that is smaller than most queues."""
    device = draw(st.sampled_from(sorted(TOYS)))
    return {"device": device, "block": TOYS[device], "blocks": draw(st.integers(1, 2))}


def searched(name: str, graph: Graph, source: int | None = None, **options: Any) -> gpubfs.Run:
    """A search that is held against the reference, beside the checks of every run."""
    done = gpubfs.run(name, graph, source, **options)
    np.testing.assert_array_equal(done.levels, reference_levels(graph, done.source))
    return done


def passes(done: gpubfs.Run) -> list[Launch]:
    """The launches that look for parents."""
    return [at for at in done.per_launch if at.kernel.startswith("bottom_up")]


def lanes(at: gpubfs.Run | Launch, kind: str, array: str) -> int:
    """Accesses of threads to an array."""
    return sum(s.lanes for s in at.sites or () if (s.kind, s.array) == (kind, array))


def checked(at: gpubfs.Run | Launch) -> int:
    """Edges that are looked at, in either direction."""
    return lanes(at, "load", "neighbours")


def looks(graph: Graph, levels: NDArray[Any], depth: int) -> NDArray[Any]:
    """How many neighbours each vertex looks at that was not visited, in the pass for `depth`."""
    counts = np.zeros(graph.vertices, int)
    for v in np.flatnonzero((levels < 0) | (levels >= depth)).tolist():
        parents = np.flatnonzero(levels[graph.adjacent(v)] == depth - 1)
        counts[v] = parents[0] + 1 if parents.size else graph.degrees[v]
    return counts


def search_random_graphs(name: str, number: int) -> None:
    """Search random graphs with ways back to top-down, always the same, until one goes wrong."""

    @settings(
        max_examples=number,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        report_multiple_bugs=False,
    )
    @given(graph=graphs(), alpha=st.sampled_from([0.05, 0.1, 0.2]))
    def search(graph: Graph, alpha: float) -> None:
        where = {"device": "toy4", "schedule": "warp", "counters": False}
        gpubfs.run(name, graph, 0, block=8, blocks=1, alpha=alpha, **where)

    search()
