"""enterprise: queues by scans, a queue for each class, bottom-up levels without scans, hubs."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import gpubfs
import simulator
from gpubfs.graphs import Graph
from gpubfs.graphs.reference import reference_levels
from gpubfs.host import Launch
from gpubfs.kernels import KERNELS
from tests.sampling import examples, sampled

NAME = "enterprise"
SPECS = ["karate", "kron:8", "grid:12x9", "star:100"]
SCAN = ["enterprise_scan", "enterprise_places", "enterprise_gather"]
WARP = 32
SMALL: dict[str, Any] = {"block": 64, "grid_degree": 80}


@cache
def search(spec: str, **options: Any) -> gpubfs.Run:
    """A search from the hub, which several tests look at."""
    return gpubfs.run(NAME, spec, **options)


def launches(done: gpubfs.Run, part: str) -> list[Launch]:
    return [launch for launch in done.per_launch if part in launch.kernel]


def status_loads(done: gpubfs.Run) -> int:
    """Loads of the status array by the bottom-up kernels."""
    return sum(
        site.lanes
        for launch in launches(done, "bottom_up")
        for site in launch.sites or []
        if (site.kind, site.array) == ("load", "level")
    )


def classes(degrees: NDArray[Any], block: int, grid_degree: int) -> NDArray[Any]:
    """The class of each vertex; -1 for those without edges."""
    found = np.select([degrees < WARP, degrees < block, degrees < grid_degree], [0, 1, 2], 3)
    return np.where(degrees == 0, -1, found)


def hubs_of(graph: Graph, frontier: NDArray[Any], places: int) -> set[int]:
    """The vertices in the cache: of those with one number modulo its size the largest."""
    best: dict[int, tuple[int, int]] = {}
    for v in frontier.tolist():
        place, key = v % places, (int(graph.degrees[v]), v)
        best[place] = max(best.get(place, key), key)
    return {v for _, v in best.values()}


def saved_by(graph: Graph, levels: NDArray[Any], first: int, places: int) -> int:
    """Vertices of bottom-up levels whose first parent is in the cache, a thread a vertex."""
    saved = 0
    for depth in range(first, int(levels.max()) + 1):
        hubs = hubs_of(graph, np.flatnonzero(levels == depth - 1), places)
        for v in np.flatnonzero(levels == depth).tolist():
            adjacent = graph.adjacent(v)
            parent = int(adjacent[levels[adjacent] == depth - 1][0])
            saved += parent in hubs
    return saved


def first_bottom_up(done: gpubfs.Run) -> int:
    """The first level that is discovered bottom-up."""
    return min(launch.depth for launch in launches(done, "bottom_up")) + 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "hubs"),
    sampled(
        product(["karate", "kron:7", "grid:12x9", "powerlaw:300"], [1, 5, 64, 1920]), 4, each=0
    ),
)
def test_a_hit_spares_the_load_of_a_status(spec: str, hubs: int) -> None:
    """With a thread for each vertex: exactly one load less for each whose parent is a hub."""
    options = {"block": 1024, "alpha": 0, "blocks": 1}
    graph = thin(gpubfs.graph(spec))
    without = gpubfs.run(NAME, graph, hubs=0, **options)
    cached = gpubfs.run(NAME, graph, hubs=hubs, **options)
    first = first_bottom_up(cached)
    assert first == first_bottom_up(without) == 1
    saved = saved_by(graph, cached.levels, first, hubs)
    assert status_loads(without) - status_loads(cached) == saved
    assert saved > 0


def thin(graph: Graph) -> Graph:
    """The same graph without vertices that a warp works on."""
    tails = np.repeat(np.arange(graph.vertices), graph.degrees)
    few = graph.degrees < WARP
    kept = few[tails] & few[graph.neighbours]
    return Graph.from_edges(tails[kept], graph.neighbours[kept], graph.vertices, name=graph.spec)


@pytest.mark.slow
@pytest.mark.parametrize("spec", sampled(SPECS, 4))
def test_hits_never_cost_loads_in_other_classes(spec: str) -> None:
    """Lanes that look together all look, so that each hit is one load less."""
    loads = [status_loads(search(spec, alpha=0, hubs=hubs, block=64)) for hubs in (0, 16, 1920)]
    assert loads[0] >= loads[1] >= loads[2]
    assert loads[0] > loads[2]


@pytest.mark.parametrize("spec", SPECS)
def test_each_class_with_vertices_is_one_launch_top_down(spec: str) -> None:
    done = search(spec, alpha=2, **SMALL)
    kinds = classes(done.graph.degrees, SMALL["block"], SMALL["grid_degree"])
    for depth in range(done.depth + 1):
        of_level = [at.kernel for at in done.per_launch if at.depth == depth]
        assert of_level.count("enterprise_expand") == len(set(kinds[done.levels == depth]))
    assert len(launches(done, "enterprise_scan")) == done.depth + 2  # the last finds nothing
    assert not launches(done, "bottom_up")


@pytest.mark.parametrize("spec", SPECS)
def test_later_bottom_up_levels_scan_nothing(spec: str) -> None:
    done = search(spec, alpha=0, **SMALL)
    kernels = [at.kernel for at in done.per_launch]
    start = [*SCAN, "enterprise_hubs", *SCAN]
    assert kernels[: len(start)] == start
    assert not set(kernels[len(start) :]) & {*SCAN, "enterprise_hubs", "enterprise_expand"}
    kinds = classes(done.graph.degrees, SMALL["block"], SMALL["grid_degree"])
    for depth in range(done.depth):
        of_level = [at.kernel for at in launches(done, "bottom_up") if at.depth == depth]
        waiting = (done.levels > depth) | (done.levels < 0)
        assert len(of_level) == len(set(kinds[waiting]) - {-1})


@pytest.mark.parametrize("spec", SPECS)
def test_the_next_queue_is_what_found_no_parent(spec: str) -> None:
    done = search(spec, alpha=0, **SMALL)
    for depth in range(done.depth):
        kept = sum(
            site.lanes
            for at in done.per_launch
            if at.depth == depth
            for site in at.sites or []
            if (site.kind, site.array) == ("store", "next")
        )
        left = (done.graph.degrees > 0) & ((done.levels > depth + 1) | (done.levels < 0))
        assert kept == np.count_nonzero(left)


@pytest.mark.parametrize("spec", ["kron:7", "er:9", "powerlaw:200"])
def test_the_frontiers_share_of_edges_chooses_when_to_switch(spec: str) -> None:
    graph = gpubfs.graph(spec)
    levels = reference_levels(graph, graph.hub)
    share = [graph.degrees[levels == d].sum() / graph.edges for d in range(levels.max() + 1)]
    for alpha in (0.05, 0.3, 0.6):
        done = gpubfs.run(NAME, graph, alpha=alpha)
        switch = next((d for d, part in enumerate(share) if part >= alpha), None)
        found = [at.depth for at in launches(done, "bottom_up")]
        assert (min(found) if found else None) == switch
        assert all(at.depth < (switch or 99) for at in launches(done, "expand"))


def test_alpha_chooses_no_levels() -> None:
    runs = [gpubfs.run(NAME, "kron:8", alpha=alpha) for alpha in (0, 0.3, 2)]
    for done in runs:
        np.testing.assert_array_equal(done.levels, runs[0].levels)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("device", "alpha", "spec"),
    sampled(
        (
            (*gpu, s)
            for gpu in (("toy8", 2), ("toy4", 0), ("toy2", 0.3))
            for s in ("toy", "star:40")
        ),
        6,
    ),
)
def test_warps_of_other_sizes(device: str, alpha: float, spec: str) -> None:
    options = {"block": 8, "grid_degree": 10, "hubs": 3, "alpha": alpha}
    done = gpubfs.run(NAME, spec, device=device, sanitize="all", **options)
    np.testing.assert_array_equal(done.levels, reference_levels(done.graph, done.source))


@pytest.mark.parametrize(("source", "alpha"), [(0, 0), (1, 0.3), (299, 2), (299, 0)])
def test_hubs_of_every_class_and_leaves_as_sources(source: int, alpha: float) -> None:
    """Hubs of 5, 40, 100 and 150 leaves in a row, one after the other, and a lonely vertex."""
    counts = [5, 40, 100, 150]
    hubs = np.cumsum([0, *[n + 1 for n in counts[:-1]]])
    tails = np.concatenate([np.full(n, hub) for hub, n in zip(hubs, counts, strict=True)])
    leaves = np.concatenate([hub + 1 + np.arange(n) for hub, n in zip(hubs, counts, strict=True)])
    graph = Graph.from_edges(
        np.r_[tails, hubs[:-1]], np.r_[leaves, hubs[1:]], int(leaves.max()) + 2, name="hubs"
    )
    done = gpubfs.run(NAME, graph, source, alpha=alpha, block=64, grid_degree=120)
    np.testing.assert_array_equal(done.levels, reference_levels(graph, source))


def test_it_refuses_directed_graphs() -> None:
    graph = Graph.from_edges([0, 1], [1, 2], 3, directed=True, name="directed")
    with pytest.raises(gpubfs.UsageError, match="does not search directed graphs"):
        gpubfs.run(NAME, graph)


@examples(20, 6)
@given(st.data())
def test_a_scan_puts_each_vertex_into_the_queue_of_its_class(data: st.DataObject) -> None:
    vertices = data.draw(st.integers(1, 400))
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    degrees = rng.choice([0, 1, 31, 32, 63, 64, 99, 100, 1000], vertices)
    level = rng.integers(-1, 3, vertices).astype(np.int32)
    wanted, blocks = data.draw(st.integers(-1, 2)), data.draw(st.integers(1, 4))
    block, grid_degree, by_segments = 64, 100, data.draw(st.booleans())
    queue, figures = _scanned(degrees, level, wanted, blocks, block, grid_degree, by_segments)
    kinds = classes(degrees, block, grid_degree)
    assert figures[4] == degrees[level == wanted].sum()
    at = 0
    for number in range(4):
        expected = np.flatnonzero((level == wanted) & (kinds == number))
        found = queue[at : at + len(expected)]
        assert figures[number] == len(expected)
        np.testing.assert_array_equal(found if by_segments else np.sort(found), expected)
        at += len(expected)
    assert (queue[at:] == -7).all()


def _scanned(
    degrees: NDArray[Any],
    level: NDArray[Any],
    wanted: int,
    blocks: int,
    block: int,
    grid_degree: int,
    by_segments: bool,
) -> tuple[NDArray[Any], list[int]]:
    module = simulator.RawModule(path=str(KERNELS / "enterprise.cu"), options=(f"-I{KERNELS}",))
    with simulator.Device():
        offsets = simulator.asarray(np.r_[0, np.cumsum(degrees)].astype(np.int32))
        status, size = simulator.asarray(level), len(level)
        threads = 4 * blocks * block
        bins = [simulator.empty(n, "int32") for n in (4 * size, threads, threads, 4 * blocks)]
        figures, queue = simulator.zeros(5, "uint64"), simulator.full(size, -7, "int32")
        scanned = (offsets, status, size, wanted, int(by_segments), grid_degree, *bins, figures)
        with simulator.sanitize("all"):
            module.get_function("enterprise_scan")((blocks,), (block,), scanned)
            module.get_function("enterprise_places")((1,), (1024,), (bins[3], blocks, figures))
            gathered = (size, int(by_segments), *bins, queue)
            module.get_function("enterprise_gather")((blocks,), (block,), gathered)
        return queue.get(), [int(n) for n in figures.get()]
