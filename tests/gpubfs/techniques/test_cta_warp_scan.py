"""cta-warp-scan: who wins does not matter, and rounds and barriers follow from the degrees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
import simulator
from gpubfs.graphs import Graph
from gpubfs.graphs.reference import reference_levels
from gpubfs.kernels import KERNELS
from simulator.observe.counters import Counters, Site
from tests.sampling import examples, sampled


@dataclass
class Expanded:
    """What one launch has found, and what it cost."""

    queue: list[int]
    counters: Counters
    sites: list[Site]

    def sums(self, kind: str, array: str) -> tuple[int, int]:
        """Requests and lanes of all accesses of a kind to an array."""
        found = [site for site in self.sites if (site.kind, site.array) == (kind, array)]
        return sum(site.requests for site in found), sum(site.lanes for site in found)


def expand(degrees: Sequence[int], block: int, device: str, schedule: str) -> Expanded:
    """Expand a frontier of vertices that have so many neighbours each, which nobody shares."""
    size, edges = len(degrees), sum(degrees)
    profile = simulator.PROFILES[device]
    options = (f"-I{KERNELS}", f"-DMOST_WARPS={1024 // profile.warp_size}")
    module = simulator.RawModule(path=str(KERNELS / "cta_warp_scan.cu"), options=options)
    with (
        simulator.Device(device, schedule=schedule) as made,
        simulator.counting(made) as record,
    ):
        offsets = simulator.asarray(np.r_[0, np.cumsum(degrees)].astype(np.int32))
        neighbours = simulator.asarray(np.arange(size, size + edges, dtype=np.int32))
        level = simulator.full(size + edges, -1, "int32")
        frontier = simulator.asarray(np.arange(size, dtype=np.int32))
        queue = simulator.full(size + edges, -7, "int32")
        tail = simulator.full(1, 0, "int32")
        args = (offsets, neighbours, level, frontier, size, queue, tail, 1)
        grid = -(-size // block)
        kernel = module.get_function("cta_warp_scan")
        kernel((grid,), (block,), args, shared_mem=4 * block)
        assert int(tail.get()[0]) == edges
        assert (level.get()[size:] == 1).all()
        launch = record.launches[0]
        return Expanded(queue.get()[:edges].tolist(), launch.counters, launch.sites)


@dataclass
class Tile:
    """The rounds of a block, by the degrees of its vertices and nothing else."""

    degrees: Sequence[int]
    block: int
    warp: int

    @property
    def large(self) -> list[int]:
        return [degree for degree in self.degrees if degree >= self.block]

    @property
    def middle(self) -> list[int]:
        return [degree for degree in self.degrees if self.warp <= degree < self.block]

    @property
    def small(self) -> int:
        return sum(degree for degree in self.degrees if degree < self.warp)

    @property
    def rounds(self) -> int:
        """Of the fine-grained gathering."""
        return -(-self.small // self.block)

    @property
    def barriers(self) -> int:
        """Three for each that wins the block, and a last vote; then the sum, the total, rounds."""
        return 3 * len(self.large) + 1 + 2 + 2 * self.rounds

    @property
    def requests(self) -> int:
        """Turns of warps that look at neighbours."""
        by_block = sum(-(-degree // self.warp) for degree in self.large)
        by_warp = sum(-(-degree // self.warp) for degree in self.middle)
        return by_block + by_warp + -(-self.small // self.warp)


def tiles(degrees: Sequence[int], block: int, warp: int) -> list[Tile]:
    starts = range(0, len(degrees), block)
    return [Tile(degrees[at : at + block], block, warp) for at in starts]


SHAPES = [("h200", 64), ("h200", 32), ("toy8", 16), ("toy4", 8), ("toy2", 2)]
SCHEDULES = ["lockstep", "warp", "shuffled:1", "round-robin:0", "random:3"]


@pytest.mark.slow
@examples(40, 8)
@given(st.sampled_from(SHAPES), st.sampled_from(SCHEDULES), st.data())
def test_rounds_and_barriers_follow_from_each_tiles_degrees(
    shape: tuple[str, int], schedule: str, data: st.DataObject
) -> None:
    device, block = shape
    warp = simulator.PROFILES[device].warp_size
    kinds = st.one_of(
        st.integers(0, warp - 1), st.integers(warp, block), st.integers(block, 3 * block)
    )
    degrees = data.draw(st.lists(kinds, min_size=1, max_size=3 * block))
    done = expand(degrees, block, device, schedule)
    expected = tiles(degrees, block, warp)
    assert sorted(done.queue) == list(range(len(degrees), len(degrees) + sum(degrees)))
    assert done.counters["barriers"] == sum(tile.barriers for tile in expected)
    assert done.sums("shared_store", "won_begin")[1] == sum(len(tile.large) for tile in expected)
    middle = sum(len(tile.middle) for tile in expected)
    assert done.sums("shared_store", "warp_begin")[1] == middle
    assert done.sums("shared_store", "warp_winner")[0] == middle
    assert done.sums("shared_store", "positions")[1] == sum(tile.small for tile in expected)
    requests = sum(tile.requests for tile in expected)
    assert done.sums("load", "neighbours") == (requests, sum(degrees))


@pytest.mark.parametrize("device", ["toy2", "toy4", "toy8"])
@pytest.mark.parametrize("degree", range(10))
def test_the_thresholds_are_the_warp_and_the_block(device: str, degree: int) -> None:
    """A vertex with as many edges as a warp has lanes, or a block has threads, takes it."""
    warp = simulator.PROFILES[device].warp_size
    block = 2 * warp if warp < 8 else warp
    done = expand([degree], block, device, "lockstep")
    assert done.sums("shared_store", "won_begin")[1] == (degree >= block)
    assert done.sums("shared_store", "warp_begin")[1] == (warp <= degree < block)
    assert done.sums("shared_store", "positions")[1] == degree * (degree < warp)


def test_any_thread_may_win_the_block() -> None:
    """Four large vertices in four warps: schedules let each of them win, to the same end."""
    block, size = 16, 16
    degrees = [0] * size
    for warp in range(4):
        degrees[4 * warp + 1] = block
    served = set()
    for seed in range(40):
        done = expand(degrees, block, "toy4", f"shuffled:{seed}")
        served.add((done.queue[0] - size) // block)
        assert done.counters["barriers"] == 3 * 4 + 3
    assert served == {0, 1, 2, 3}


def several_hubs() -> Graph:
    """Hubs above both thresholds that share their leaves, beside a path and lonely vertices."""
    rng = np.random.default_rng(7)
    hubs = np.arange(6)
    tails = np.r_[np.repeat(hubs, 90), np.zeros(5, int), np.arange(6, 40)]
    heads = np.r_[rng.integers(6, 200, 540), np.arange(1, 6), np.arange(7, 41)]
    return Graph.from_edges(tails, heads, 210, name="several hubs")


@pytest.mark.parametrize(
    ("schedule", "options"),
    sampled(
        product(
            [*SCHEDULES, *(f"random:{seed}" for seed in range(3))],
            [{"block": 32}, {"device": "toy4", "block": 8}],
        ),
        2,
        each=0,
    ),
)
def test_hubs_that_vie_are_searched_alike(options: dict[str, object], schedule: str) -> None:
    graph = several_hubs()
    for source in (0, 8):
        done = gpubfs.run(
            "cta-warp-scan", graph, source, schedule=schedule, sanitize="all", **options
        )
        np.testing.assert_array_equal(done.levels, reference_levels(graph, source))
        assert {found.verdict for found in done.findings} <= {"declared", "harmless"}


def test_who_vies_is_declared() -> None:
    done = gpubfs.run("cta-warp-scan", several_hubs(), 0, device="toy4", block=8, sanitize="race")
    declared = {found.array for found in done.findings if found.verdict == "declared"}
    assert {"winner", "warp_winner"} <= declared


def with_hub(vertices: int) -> Graph:
    """A power-law graph, of which a quarter of the vertices are next to vertex 0 as well."""
    graph = gpubfs.graph(f"powerlaw:{vertices}")
    tails = np.repeat(np.arange(vertices), graph.degrees)
    leaves = np.arange(1, vertices, 4)
    return Graph.from_edges(
        np.r_[tails, np.zeros(len(leaves), int)], np.r_[graph.neighbours, leaves], vertices
    )


@pytest.mark.parametrize("spec", ["kron:10", "powerlaw with a hub", "star:2000"])
def test_a_hub_is_shared_out(spec: str) -> None:
    """The busiest thread has less to do than one that walks a hub's adjacency."""
    graph = with_hub(3000) if "hub" in spec else gpubfs.graph(spec)
    one, shared = (gpubfs.run(name, graph) for name in ("thread-per-vertex", "cta-warp-scan"))
    for part in ("imbalance", "maximum"):
        assert shared.counters["work"][part] < one.counters["work"][part] / 2
    assert shared.counters["simt_efficiency"] > one.counters["simt_efficiency"]


@pytest.mark.parametrize("spec", ["karate", "kron:8", "grid:12x9", "star:100"])
def test_every_edge_is_looked_at_once(spec: str) -> None:
    done = gpubfs.run("cta-warp-scan", spec, block=32)
    edges = int(done.graph.degrees[done.levels >= 0].sum())
    loads = [site for site in done.sites if (site.kind, site.array) == ("load", "neighbours")]
    assert sum(site.lanes for site in loads) == edges
    assert done.launches == done.counters["host_reads"] == done.depth + 1


def test_positions_are_as_wide_as_offsets() -> None:
    """Shared memory for 8 bytes a thread where offsets have 64 bits, on a graph that fills it."""
    narrow = gpubfs.graph("kron:8")
    wide = Graph(narrow.offsets.astype(np.int64), narrow.neighbours, "wide")
    runs = [
        gpubfs.run("cta-warp-scan", graph, block=64, sanitize="all") for graph in (narrow, wide)
    ]
    assert [done.counters["bytes_by_name"]["offsets"] for done in runs] == [4 * 257, 8 * 257]
    np.testing.assert_array_equal(runs[0].levels, runs[1].levels)
    assert runs[0].counters["barriers"] == runs[1].counters["barriers"]
