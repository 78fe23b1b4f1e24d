"""What the supports take, in which order, and what their counters show."""

from __future__ import annotations

from functools import cache
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpubfs
import simulator
from gpubfs.errors import UsageError
from gpubfs.graphs import Graph
from gpubfs.graphs.reference import reference_levels
from gpubfs.host import Launch
from gpubfs.kernels import KERNELS
from gpubfs.search.supports import COMBINATIONS, Bins, table_2
from tests.gpubfs.techniques.variants import supporting
from tests.sampling import sampled

SPECS = ["karate", "kron:9", "grid:12x9", "star:400"]
WARP, BLOCK, QUEUE = 32, 64, 100
SMALL = {"block": BLOCK, "queue_threshold": QUEUE}
BASICS = ("warp-shuffle", "scan-based")
EVERY = "warp+block+queues"

RANKS = """
#include "binary_scan.cuh"
extern "C" __global__ void ranks(const int *predicates, int *rank) {
  rank[threadIdx.x] = rank_among(votes_of(predicates[threadIdx.x] != 0));
}
"""


def of(launch: gpubfs.Run | Launch, kind: str, array: str, what: str = "requests") -> int:
    return sum(getattr(s, what) for s in launch.sites if (s.kind, s.array) == (kind, array))


@cache
def search(spec: str, **options: Any) -> gpubfs.Run:
    """A search from the hub, which several tests look at."""
    return gpubfs.run("supports", spec, **options)


def main(done: gpubfs.Run, depth: int) -> Launch:
    """The launch of a level that expands the frontier."""
    return next(one for one in done.per_launch if (one.kernel, one.depth) == ("supports", depth))


def chunks(values: np.ndarray, size: int) -> np.ndarray:
    return np.pad(values, (0, -len(values) % size)).reshape(-1, size)


def second_level(spec: str) -> tuple[Graph, np.ndarray]:
    """A graph, and the degrees of the hub's neighbours, as the first level finds them."""
    graph = gpubfs.graph(spec)
    return graph, graph.degrees[graph.adjacent(graph.hub)]


def ranks(predicates: list[bool], profile: str) -> list[int]:
    with simulator.Device(profile):
        module = simulator.RawModule(code=RANKS, options=(f"-I{KERNELS}",))
        given = simulator.asarray(np.array(predicates, "int32"))
        found = simulator.zeros(len(predicates), "int32")
        module.get_function("ranks")((1,), (len(predicates),), (given, found))
        return [int(rank) for rank in simulator.asnumpy(found)]


def test_figure_4_filtered_ranks() -> None:
    """Lanes 0, 2, 4, … hold the predicate; lane 3 has the lower mask 111, and two bits in it."""
    assert ranks([True, False] * 4, "toy8") == [0, 1, 1, 2, 2, 3, 3, 4]
    assert ranks([True, False] * 16, "h200")[:4] == [0, 1, 1, 2]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.booleans(), min_size=WARP, max_size=WARP))
def test_ranks_are_the_exclusive_sums_of_predicates(predicates: list[bool]) -> None:
    assert ranks(predicates, "h200") == [sum(predicates[:lane]) for lane in range(WARP)]


#: Table 1: the maximum degree of each graph, by what Table 2 takes for it on a GeForce GTX 980.
TABLE_1 = {
    "none": (9, 13, 9, 3, 26, 18, 29),  # roads, hugebubbles, delaunay, channel, nlpkkt160
    "warp": (40, 78, 47, 53),  # rgg, ldoor, cage15, er-fact1.5
    "warp+block": (346, 6_985, 11_469),  # audikw_1, indochina-2004, hollywood-2009
    "warp+block+queues": (1_290_501, 2_312_481, 20_293, 20_518, 213_906),
}


def test_table_2_chooses_for_the_papers_graphs() -> None:
    assert sum(map(len, TABLE_1.values())) == 19
    half = simulator.PROFILES["gtx980"].resident_threads // 2
    assert half == 16_384
    for supports, degrees in TABLE_1.items():
        assert {table_2(most, 32, 256, half) for most in degrees} == {supports}


@pytest.mark.parametrize(
    ("leaves", "options", "supports"),
    [
        (32, {}, "none"),
        (33, {}, "warp"),
        (257, {}, "warp+block"),
        (257, {"block": 512}, "warp"),
        (257, {"queue_threshold": 256}, EVERY),
        (257, {"block": 512, "queue_threshold": 256}, "warp+queues"),
        (16_385, {"device": "gtx980"}, EVERY),
        (16_384, {"device": "gtx980"}, "warp+block"),
        (9, {"device": "toy8", "block": 16}, "warp"),
    ],
)
def test_the_maximum_degree_chooses(leaves: int, options: dict[str, Any], supports: str) -> None:
    done = gpubfs.run("supports", f"star:{leaves}", counters=False, **options)
    assert done.options["supports"] == supports


@pytest.mark.parametrize("name", ["warp-shuffle", "scan-based"])
def test_basic_mappings_take_supports_and_have_none_by_default(name: str) -> None:
    assert gpubfs.run(name, "kron:7").options["supports"] == "none"
    chosen = gpubfs.run(name, "kron:7", supports="auto")
    assert chosen.options["supports"] == "warp"
    same = gpubfs.run("supports", "kron:7", basic=name)
    for counter in ("load_requests", "load_sectors", "shared_requests", "work", "barriers"):
        assert chosen.counters[counter] == same.counters[counter]


@pytest.mark.parametrize(
    ("basic", "supports", "spec"), sampled(product(BASICS, COMBINATIONS, SPECS), 19)
)
def test_every_edge_is_looked_at_once(basic: str, supports: str, spec: str) -> None:
    options = {"basic": basic, "block": BLOCK, **supporting(supports, QUEUE)}
    done = gpubfs.run("supports", spec, **options)
    edges = done.graph.degrees[done.levels >= 0].sum()
    assert of(done, "load", "neighbours", "lanes") == edges
    assert of(done, "load", "frontier", "lanes") == done.reached


@pytest.mark.parametrize("spec", SPECS)
def test_warps_take_what_has_more_edges_than_they_have_lanes(spec: str) -> None:
    """All lanes side by side; with width 1 a lane goes along each of the others."""
    _, degrees = second_level(spec)
    done = search(spec, supports="warp", width=1)
    heavy = degrees > WARP
    light = chunks(np.where(heavy, 0, degrees), WARP).max(axis=1)
    requests = of(main(done, 1), "load", "neighbours")
    assert requests == (-(-degrees[heavy] // WARP)).sum() + light.sum()


@pytest.mark.parametrize("spec", SPECS)
def test_a_ballot_places_all_heavy_vertices_of_a_warp(spec: str) -> None:
    """However many there are: two stores for each of them, and no barrier."""
    _, degrees = second_level(spec)
    done = search(spec, supports="warp", width=1)
    first = main(done, 1)
    kept = [s for s in first.sites if s.kind == "shared_store" and s.text.startswith("ranges[")]
    assert sum(site.lanes for site in kept) == 2 * (degrees > WARP).sum()
    warps = (chunks(degrees, WARP) > WARP).any(axis=1).sum()
    assert sum(site.requests for site in kept) == 2 * warps
    assert done.counters["barriers"] == 0


@pytest.mark.parametrize("spec", SPECS)
def test_blocks_take_what_has_more_edges_than_they_have_threads(spec: str) -> None:
    graph, degrees = second_level(spec)
    done = gpubfs.run("supports", graph, supports="block", width=1, block=BLOCK)
    heavy = degrees > BLOCK
    light = chunks(np.where(heavy, 0, degrees), WARP).max(axis=1)
    requests = of(main(done, 1), "load", "neighbours")
    assert requests == (-(-degrees[heavy] // WARP)).sum() + light.sum()


@pytest.mark.parametrize("spec", SPECS)
def test_each_warp_adds_once_to_its_blocks_counter(spec: str) -> None:
    """And a block has three barriers a turn, however many heavy vertices it has."""
    done = gpubfs.run("supports", spec, supports="block", block=BLOCK)
    sizes = np.bincount(done.levels[done.levels >= 0])
    blocks = (-(-sizes // BLOCK)).sum()
    assert of(done, "shared_atomic", "heavy_vertices", "lanes") == blocks * (BLOCK // WARP)
    assert done.counters["barriers"] == 3 * blocks


@pytest.mark.parametrize(
    ("spec", "basic", "base"),
    sampled(product(("kron:9", "kron:11", "star:3000"), BASICS, (-1, 0, 4)), 4),
)
def test_figure_5_bins_by_level(spec: str, basic: str, base: int) -> None:
    """A launch for each bin with vertices, behind its level's, lower bound times vertices wide."""
    threshold = 60
    options = {"basic": basic, "supports": EVERY, "queue_threshold": threshold, "base": base}
    done = gpubfs.run("supports", spec, block=BLOCK, device="rtx2080ti", **options)
    bins = Bins.of(68 * 1024, threshold, base)
    assert bins.base == (5 if base < 0 else base)
    expected = []
    for depth in range(int(done.levels.max()) + 1):
        degrees = done.graph.degrees[(done.levels == depth)]
        powers = np.log2(degrees[degrees > threshold]).astype(int)
        numbers, sizes = np.unique(np.minimum(powers - bins.base, bins.count - 1), return_counts=1)
        expected.append(("supports", depth, -(-int((done.levels == depth).sum()) // BLOCK)))
        for number, size in zip(numbers.tolist(), sizes.tolist(), strict=True):
            threads = size << bins.base + number
            expected.append(("expand_bin", depth, -(-threads // BLOCK)))
    assert [(one.kernel, one.depth, one.grid[0]) for one in done.per_launch] == expected


@settings(max_examples=300)
@given(st.integers(1, 20), st.integers(0, 1 << 18), st.integers(-1, 18), st.integers(1, 2**31 - 1))
def test_bins_hold_every_degree_above_the_threshold(
    resident: int, threshold: int, base: int, more: int
) -> None:
    bound = (threshold or (1 << resident) // 2) + 1
    if base >= 0 and 1 << base > bound:
        with pytest.raises(UsageError, match="give a base of at most"):
            Bins.of(1 << resident, threshold, base)
        return
    bins = Bins.of(1 << resident, threshold, base)
    degree = min(bins.threshold + more, 2**31 - 1)
    number = min(degree.bit_length() - 1 - bins.base, bins.count - 1)
    assert 0 <= number < bins.count
    lower = 1 << bins.base + number
    assert lower <= degree
    assert bins.threads(number) == min(lower, 1 << resident)
    if number < bins.count - 1:
        assert degree < 2 * lower
        assert degree <= 2 * bins.threads(number)


def test_the_last_bin_is_bounded_by_the_threads_of_the_gpu() -> None:
    """Both examples of the paper's GPU: half of 32,768 threads is the first bin, all the last."""
    bins = Bins.of(simulator.PROFILES["gtx980"].resident_threads)
    assert (bins.threshold, bins.base, bins.count) == (16_384, 14, 2)
    assert [bins.threads(number) for number in range(2)] == [16_384, 32_768]
    bins = Bins.of(simulator.PROFILES["h200"].resident_threads)
    assert (bins.threshold, bins.base) == (135_168, 17)
    assert [bins.threads(number) for number in range(bins.count)] == [1 << 17, 1 << 18]
    assert [Bins.of(100, 200, 7).threads(0)] == [100]


def test_no_thread_of_a_bin_has_more_than_two_edges() -> None:
    done = gpubfs.run("supports", "star:3000", 0, supports="queues", **SMALL)
    first = next(one for one in done.per_launch if one.kernel == "expand_bin")
    assert first.grid[0] * BLOCK == 2048
    # A bin's entry and two offsets, then for each edge its end, its level, and three for its claim.
    assert first.counters.work.maximum == 3 + 2 * 5
    assert of(first, "load", "neighbours", "lanes") == 3000


@pytest.mark.parametrize("basic", BASICS)
def test_the_queues_come_first(basic: str) -> None:
    """What is above all thresholds goes into a bin, and neither block nor warp gathers it."""
    options = {"basic": basic, "supports": EVERY, "queue_threshold": 20, "block": BLOCK}
    done = gpubfs.run("supports", "kron:9", **options)
    assert not [s for s in done.sites if s.text.startswith("ranges[")]
    heavy = (done.graph.degrees[done.levels >= 0] > 20).sum()
    assert of(done, "store", "bins", "lanes") == heavy > 0


@pytest.mark.parametrize("basic", BASICS)
def test_blocks_come_before_warps(basic: str) -> None:
    done = gpubfs.run("supports", "kron:9", basic=basic, supports="warp+block", block=BLOCK)
    kept = [s for s in done.sites if s.kind == "shared_store" and s.text.startswith("ranges[rank")]
    degrees = done.graph.degrees[done.levels >= 0]
    assert sum(site.lanes for site in kept) == (degrees > WARP).sum()
    assert of(done, "shared_atomic", "heavy_vertices") > 0


def with_hub(scale: int) -> Graph:
    """A power-law graph, and a vertex of it that gets a quarter of all as neighbours."""
    graph = gpubfs.graph(f"powerlaw:{1 << scale},4")
    tails = np.repeat(np.arange(graph.vertices), graph.degrees)
    ends = np.random.default_rng(scale).permutation(graph.vertices)[: graph.vertices // 4]
    hub = np.full(len(ends), graph.hub)
    return Graph.from_edges(
        np.concatenate([tails, hub]), np.concatenate([graph.neighbours, ends]), graph.vertices
    )


def idle_too(done: gpubfs.Run, resident: int) -> float:
    """Imbalance in the hub's level over all threads that the GPU has, launched or not."""
    depth = int(done.levels[done.graph.hub])
    works = [launch.counters.work for launch in done.per_launch if launch.depth == depth]
    busiest = max(work.maximum for work in works)
    return float(busiest * resident / sum(work.total for work in works))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("leaf", "scale", "basic"), sampled(product((False, True), (12, 14), BASICS), 8)
)
def test_imbalance_falls_with_each_support(scale: int, basic: str, leaf: bool) -> None:
    """Of all threads in the whole search; in the hub's level, of all that the GPU has.

    The last support leaves threads in the main kernel that have nothing left to do: in a small
    graph they are so many that the mean of the whole search falls with the maximum.
    """
    graph = with_hub(scale)
    source = int(np.flatnonzero(graph.degrees)[-1]) if leaf else graph.hub
    where = {"block": BLOCK, "device": "gtx980"}
    runs = [gpubfs.run("thread-per-vertex", graph, source, **where)]
    for supports in ("none", "warp", "warp+block", EVERY):
        options = {"basic": basic, **supporting(supports, 256), **where}
        runs.append(gpubfs.run("supports", graph, source, **options))
    resident = simulator.PROFILES["gtx980"].resident_threads
    in_level = [idle_too(done, resident) for done in runs]
    assert all(a > b for a, b in pairwise(in_level)), in_level
    whole = [done.counters["work"]["imbalance"] for done in runs if scale > 12 or done != runs[-1]]
    assert all(a > b for a, b in pairwise(whole)), whole


@pytest.mark.parametrize(
    ("leaves", "basic"), sampled(product((32, 33, 64, 65, 100, 101, 500), BASICS), 2, each=0)
)
def test_stars_on_both_sides_of_every_threshold(basic: str, leaves: int) -> None:
    graph = gpubfs.graph(f"star:{leaves}")
    for source in (0, leaves):  # the hub, and a leaf
        options = {"basic": basic, "supports": EVERY, "sanitize": "all", **SMALL}
        done = gpubfs.run("supports", graph, source, **options)
        np.testing.assert_array_equal(done.levels, reference_levels(graph, source))


@pytest.mark.parametrize("basic", BASICS)
def test_vertices_without_edges(basic: str) -> None:
    graph = Graph.from_edges([0, 0, 1], [1, 2, 3], 6, directed=True)
    for source in (0, 1, 3, 5):
        options = {"basic": basic, "supports": EVERY, "sanitize": "all", **SMALL}
        done = gpubfs.run("supports", graph, source, **options)
        np.testing.assert_array_equal(done.levels, reference_levels(graph, source))


@pytest.mark.parametrize(
    ("device", "basic"), sampled(product(("toy2", "toy4", "toy8"), BASICS), 2, 0)
)
def test_warps_of_other_sizes(basic: str, device: str) -> None:
    for spec in ("toy", "star:70", "kron:6"):
        graph = gpubfs.graph(spec)
        options = {"basic": basic, "supports": EVERY, "block": 8, "queue_threshold": 11}
        done = gpubfs.run("supports", graph, device=device, sanitize="all", **options)
        np.testing.assert_array_equal(done.levels, reference_levels(graph, graph.hub))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"basic": "scan-based", "width": 4}, "leave out width"),
        ({"supports": "queues", "queue_threshold": 100, "base": 7}, "base of at most 6"),
        ({"supports": "block+warp"}, "warp\\+block"),
        ({"supports": "queues", "base": 18}, "base of at most 17"),
        ({"supports": "none", "queue_threshold": 9}, "queue_threshold=9 changes nothing with"),
        ({"supports": "warp+block", "base": 3}, "leave out base, or take supports=auto or queues"),
    ],
)
def test_what_cannot_be_is_refused_with_the_remedy(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as caught:
        gpubfs.run("supports", "toy", **options)
    assert caught.match(words) or words.replace("\\", "") in caught.value.hint


@pytest.mark.parametrize("threshold", [5, 9, 100])
@pytest.mark.parametrize("spec", ["karate", "star:101"])
def test_threads_behind_the_last_vertex_of_a_bin_have_none(spec: str, threshold: int) -> None:
    """The threads of a bin's vertices are no whole blocks."""
    options = {"supports": "queues", "queue_threshold": threshold, "block": 32}
    gpubfs.run("supports", spec, sanitize="all", counters=False, **options)


@pytest.mark.parametrize("name", ["warp-shuffle", "scan-based"])
def test_thresholds_of_queues_that_there_are_not_are_refused(name: str) -> None:
    for options in ({"queue_threshold": 4}, {"base": 2}):
        with pytest.raises(UsageError, match="changes nothing with supports=none") as caught:
            gpubfs.run(name, "toy", **options)
        assert "warp+block+queues" in caught.value.hint
    for supports in ("none", "warp"):
        gpubfs.run(name, "toy", supports=supports, queue_threshold=0, base=-1)


@pytest.mark.parametrize(("threshold", "supports"), [(40, "none"), (9, "queues")])
def test_a_choice_that_was_made_can_be_given_to_another_run(threshold: int, supports: str) -> None:
    """The threshold changes what is chosen, and where that is no queues, nothing else."""
    first = gpubfs.run("supports", "star:20", queue_threshold=threshold, counters=False)
    assert first.options["supports"] == supports
    assert first.options["queue_threshold"] == (threshold if supports == "queues" else 0)
    again = gpubfs.run("supports", "star:20", counters=False, **first.options)
    assert again.options == first.options
    assert len(first.trace().launches) == first.launches
