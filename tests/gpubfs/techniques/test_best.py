"""best: whoever expands a level, block, cluster or grid, nothing is lost where they change."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
from gpubfs.errors import UsageError
from gpubfs.graphs import Graph
from gpubfs.graphs.reference import reference_levels
from gpubfs.machines import open_machine
from gpubfs.search.catalogue import find
from gpubfs.search.option import Option
from tests.gpubfs.techniques.test_main_loops import random_graph
from tests.sampling import examples, sampled

NAME = "best"

ALL_STAGES, BYTEMAP = "cluster+grid", "bytemap"
OF_A_BLOCK = "block-bytemap"
BYTEMAPS = BYTEMAP, OF_A_BLOCK

#: How a level is expanded by each kernel.
OF_BLOCK, OF_CLUSTER = {"block"}, {"cluster"}
OF_GRID = {"queued", "counted", "marked", "bottom-up"}
OF_BYTEMAP = {"byte map"}

#: The simulator's orders of warps.
SCHEDULES = ("lockstep", "warp", "shuffled:1", "round-robin:1", "random:3")


def ways(done: gpubfs.Run) -> list[str]:
    """How each level was expanded."""
    return [str(told["way"]) for told in done.facts.values()]


def candidates(graph: Graph, done: gpubfs.Run) -> list[int]:
    """The candidates of each level: edges of its vertices, but for a single one leading back."""
    fewest = 1 if graph.directed else 2
    degrees = np.where(graph.degrees < fewest, 0, graph.degrees)
    degrees[done.source] = graph.degrees[done.source]
    reached = done.levels >= 0
    return np.bincount(done.levels[reached], degrees[reached]).astype(int).tolist()


def check(graph: Graph, done: gpubfs.Run) -> None:
    """Levels are right, each that has candidates is told of, and blocks have few candidates."""
    np.testing.assert_array_equal(done.levels, reference_levels(graph, done.source))
    told, wanted = ways(done), candidates(graph, done)
    assert list(done.facts) == list(range(len(told)))
    assert sum(n > 0 for n in wanted) <= len(told) <= len(wanted)
    of_cluster = OF_BLOCK if done.options["ranks"] == 1 else OF_CLUSTER
    in_bytemap = "bytemap" in str(done.options["stages"])
    if in_bytemap:
        assert set(told) == OF_BYTEMAP
        assert len(told) == len(wanted)
    else:
        assert set(told) <= of_cluster | OF_GRID


def with_hubs_and_tails(data: st.DataObject) -> Graph:
    """Random edges, perhaps with a hub, a tail of small levels, and a second component."""
    seed, vertices = data.draw(st.integers(0, 999)), data.draw(st.sampled_from([33, 200, 900]))
    random = np.random.default_rng(seed)
    parts = [random.integers(0, vertices // 2, (2, data.draw(st.sampled_from([0, 90, 1500]))))]
    if data.draw(st.booleans()):
        parts.append(np.stack([np.full(vertices, 1), random.permutation(vertices)]))
    if data.draw(st.booleans()):
        tail = np.arange(vertices // 2, vertices - 1)
        parts += [np.stack([tail, tail + 1]), np.array([[0], [vertices // 2]])]
    return Graph.from_edges(*np.hstack(parts), vertices, directed=data.draw(st.booleans()))


def with_macros(**macros: int) -> gpubfs.Technique:
    """`best` whose kernels are compiled with macros that make small graphs large ones."""
    own = (Option(name.lower(), value, "", define=name) for name, value in macros.items())
    return replace(find(NAME), options=(*find(NAME).options, *own))


@pytest.mark.slow
@examples(600, 6)
@given(st.data())
def test_nothing_is_lost_where_kernels_change(data: st.DataObject) -> None:
    """Random graphs, directed or not, all stages, clusters of all sizes, any order of warps."""
    graph = data.draw(st.sampled_from([random_graph, with_hubs_and_tails]))(data)
    lanes = data.draw(st.sampled_from([2, 4, 8]))
    resident = open_machine("sim", device=f"toy{lanes}").resident_threads
    options: dict[str, Any] = {
        "block": lanes * data.draw(st.integers(1, 4)),
        "blocks": data.draw(st.integers(0, 2)),
        "stages": data.draw(st.sampled_from(["auto", "grid", *BYTEMAPS, *[ALL_STAGES] * 4])),
    }
    if options["stages"] == OF_A_BLOCK:
        del options["blocks"]
    if options["stages"] in BYTEMAPS:
        fitting = [n for n in (1, 2, 4, 8, 16, 32) if options["block"] % n == 0]
        options["lanes"] = data.draw(st.sampled_from(["auto", *fitting]))
        options["filter"] = data.draw(st.sampled_from(["auto", False, True]))
    else:
        options["alpha"] = data.draw(st.sampled_from([0, 1, 14, 100, 1000]))
    if options["stages"] == ALL_STAGES:
        options["few"] = data.draw(st.sampled_from([8, 8, 9, 15, 24, 100, 600]))
        fitting = [r for r in (1, 1, 2, 4, 8) if r * options["block"] <= resident]
        options["ranks"] = data.draw(st.sampled_from(fitting))
        options["row"] = data.draw(st.sampled_from([4, 8, 16]))
        rounds = options["block"] % options["row"] == 0
        options["words"] = data.draw(st.sampled_from([1, 4] if rounds else [4]))
        hypothesis.assume(options["block"] % (options["row"] // options["words"]) == 0)
    small = {"HELD": 8, "WHOLE_SECTORS": data.draw(st.sampled_from([1, 64]))}
    done = gpubfs.run(
        with_macros(**(small if data.draw(st.booleans()) else {})),
        graph,
        data.draw(st.integers(0, graph.vertices - 1)),
        device=f"toy{lanes}",
        schedule=data.draw(st.sampled_from(SCHEDULES)),
        sanitize="all",
        **options,
    )
    check(graph, done)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("grid:100x100", OF_BLOCK),
        ("path:300", OF_BLOCK),
        ("delaunay:2000", OF_BYTEMAP),
        ("rgg:4096", OF_BYTEMAP),
        ("er:10,4", OF_BYTEMAP),
        ("toy", OF_BYTEMAP),
        ("kron:11", OF_BYTEMAP),
        ("star:600", OF_BYTEMAP),
        ("er:17,4", OF_BYTEMAP),
        ("kron:13", OF_GRID),
        ("star:2000", OF_GRID),
    ],
)
def test_graphs_get_the_kernel_that_suits_them(spec: str, expected: set[str]) -> None:
    done = gpubfs.run(NAME, spec, counters=False)
    assert set(ways(done)) <= expected


@pytest.mark.parametrize(("spec", "words"), [("grid:100x100", 1), ("grid:600x600", 4)])
def test_wide_levels_have_fewer_threads_a_row(spec: str, words: int) -> None:
    graph = gpubfs.graph(spec)
    best = find(NAME)
    chosen = best.settled(best.complete({}), graph, open_machine("sim"))
    assert (chosen["row"], chosen["words"]) == (4, words)


@pytest.mark.slow
@pytest.mark.parametrize("ranks", sampled([2, 1], 2))
def test_a_cluster_and_the_grid_hand_levels_to_each_other(ranks: int) -> None:
    """A level that finds no place goes to the grid, and a small one comes back."""
    options = {"stages": ALL_STAGES, "ranks": ranks, "few": 64, "row": 4, "words": 4}
    done = gpubfs.run(NAME, "grid:80x80", device="toy8", block=16, **options)
    told = ways(done)
    of_cluster = OF_CLUSTER if ranks > 1 else OF_BLOCK
    assert told[0] in of_cluster
    assert told[-1] in of_cluster
    assert set(told) & OF_GRID


@pytest.mark.parametrize(
    ("device", "options", "message"),
    [
        ("p6000", {"ranks": 2}, "here are no clusters of 2 blocks"),
        ("toy4", {"ranks": 4, "block": 16}, "4 blocks of 16 threads do not run at the same time"),
        (
            "toy4",
            {"ranks": 1, "block": 12, "row": 16, "words": 1},
            "block=12 is not a multiple of the 16 threads",
        ),
    ],
)
def test_clusters_that_cannot_be_are_refused(
    device: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        gpubfs.run(NAME, "grid:9x9", device=device, stages=ALL_STAGES, **options)


@pytest.mark.slow
def test_hubs_that_have_no_place_in_rows_are_expanded_by_clusters_too() -> None:
    for ranks in (1, 4):
        options = {"stages": ALL_STAGES, "ranks": ranks, "row": 4, "block": 64}
        check(gpubfs.graph("star:999"), gpubfs.run(NAME, "star:999", 7, **options))


def hub_with_tail(leaves: int, tail: int) -> Graph:
    """A star whose hub has a path hanging from it."""
    path = np.arange(leaves + 1, leaves + tail + 1)
    ends = np.r_[np.arange(1, leaves + 1), path[0], path[1:]]
    return Graph.from_edges(np.r_[np.zeros(leaves + 1, int), path[:-1]], ends, len(ends) + 1)


@pytest.mark.slow
@pytest.mark.parametrize(("leaves", "tail"), sampled([(5000, 100), (5000, 20), (4200, 300)], 3))
def test_a_tail_behind_a_level_that_a_cluster_had_no_room_for(leaves: int, tail: int) -> None:
    """The grid expands that level bottom-up, and makes the queue of a later one."""
    graph = hub_with_tail(leaves, tail)
    done = gpubfs.run(NAME, graph, stages=ALL_STAGES, ranks=1, row=4, words=4)
    check(graph, done)
    told = ways(done)
    assert "bottom-up" in told
    assert told.count("bottom-up") < 10
    assert told[-1] == "block"


@pytest.mark.slow
@pytest.mark.parametrize("stages", ["grid", ALL_STAGES])
def test_a_long_tail_is_not_searched_bottom_up(stages: str) -> None:
    """Levels of a vertex each look at every vertex if they are bottom-up."""
    core = np.random.default_rng(1).integers(0, 400, (2, 4000))
    tail = np.arange(399, 699)
    graph = Graph.from_edges(*np.hstack([core, np.stack([tail, tail + 1])]), 700)
    few = {"few": 16} if stages == ALL_STAGES else {}
    done = gpubfs.run(NAME, graph, stages=stages, counters=False, device="toy8", block=32, **few)
    check(graph, done)
    assert "bottom-up" in ways(done)
    assert ways(done).count("bottom-up") < 12


@pytest.mark.slow
@pytest.mark.parametrize("ranks", sampled([4, 1], 2))
def test_chunks_are_handed_to_a_cluster(ranks: int) -> None:
    """A level of few vertices, one of which has many edges: the cluster's, behind the grid's."""
    spokes = np.arange(1, 3001)
    core = np.stack([np.zeros(3000, int), spokes])
    way = np.stack([np.r_[3000, 3001, 3002], np.r_[3001, 3002, 3003]])
    fan = np.stack([np.full(200, 3003), np.arange(3004, 3204)])
    graph = Graph.from_edges(*np.hstack([core, way, fan]), 3204)
    options = {"stages": ALL_STAGES, "ranks": ranks, "row": 4, "words": 4, "few": 1024}
    done = gpubfs.run(NAME, graph, alpha=0, block=64, sanitize="all", **options)
    check(graph, done)
    assert set(ways(done)) & OF_GRID
    assert set(ways(done)) - OF_GRID


@pytest.mark.slow
def test_two_levels_too_large_for_a_cluster_are_the_grids_one_after_the_other() -> None:
    """From a cluster to the grid and back, twice, so that each leaves all as it was."""
    first, way, second = np.arange(1, 200), np.arange(199, 240), np.arange(241, 440)
    parts = [
        np.stack([np.zeros_like(first), first]),
        np.stack([way, way + 1]),
        np.stack([np.full_like(second, 240), second]),
    ]
    graph = Graph.from_edges(*np.hstack(parts), 440)
    for ranks in (1, 2):
        options = {"stages": ALL_STAGES, "ranks": ranks, "row": 4, "words": 4, "few": 32}
        done = gpubfs.run(NAME, graph, device="toy8", block=16, alpha=0, sanitize="all", **options)
        check(graph, done)
        by_the_grid = [way in OF_GRID for way in ways(done)]
        assert [own for own, _ in groupby(by_the_grid)] == [False, True, False, True]


@pytest.mark.slow
def test_a_block_empties_its_queue_as_often_as_a_level_wants_it() -> None:
    """More vertices of a level than the queue holds."""
    graph = gpubfs.graph("er:9,4")
    done = gpubfs.run(with_macros(HELD=64), graph, stages=OF_A_BLOCK, block=128, sanitize="all")
    check(graph, done)
    assert np.bincount(done.levels[done.levels >= 0]).max() > 128


@pytest.mark.slow
def test_a_queue_is_filled_behind_a_place_that_was_wanted_in_vain() -> None:
    """Vertices that come singly fill what those of a thread side by side have left."""
    random = np.random.default_rng(0)
    ends = np.sort(random.choice(np.arange(1, 800), 640, replace=False))
    hub = np.stack([np.zeros(len(ends), int), ends])
    leaves = np.stack([ends, 800 + np.arange(len(ends))])
    graph = Graph.from_edges(*np.hstack([hub, leaves]), 800 + len(ends), directed=True)
    for macros in ({"HELD": 64}, {"HELD": 9}):
        done = gpubfs.run(
            with_macros(**macros), graph, 0, stages=OF_A_BLOCK, block=128, sanitize="all"
        )
        check(graph, done)


@pytest.mark.slow
def test_threads_look_at_marks_several_times_if_they_are_few() -> None:
    graph = gpubfs.graph("er:12,4")
    for blocks in (1, 2, 3):
        done = gpubfs.run(NAME, graph, stages=BYTEMAP, block=32, blocks=blocks, sanitize="all")
        check(graph, done)


@pytest.mark.slow
@pytest.mark.parametrize(("block", "lanes"), sampled([(2, 1), (4, 4), (6, 2), (10, 1), (12, 4)], 2))
def test_marks_of_whole_sectors_are_all_looked_at(block: int, lanes: int) -> None:
    """Where a block has no whole fours of threads, too."""
    graph = gpubfs.graph("path:200")
    technique = with_macros(WHOLE_SECTORS=1)
    options = {"stages": BYTEMAP, "block": block, "lanes": lanes, "blocks": 2}
    check(graph, gpubfs.run(technique, graph, device="toy2", sanitize="all", **options))


def test_lanes_go_round_in_a_block() -> None:
    with pytest.raises(UsageError, match="block=24 is not a multiple of the 16 threads"):
        gpubfs.run(NAME, "toy", device="toy4", stages=BYTEMAP, block=24, lanes=16)


@pytest.mark.parametrize("stages", BYTEMAPS)
def test_byte_maps_are_filled_without_atomics(stages: str) -> None:
    """In global memory there is one a block that finds vertices, for how many."""
    done = gpubfs.run(NAME, "delaunay:500", stages=stages, block=128, sanitize="all")
    levels = int(done.levels.max()) + 1
    blocks = 1 if stages != BYTEMAP else 56
    atomics = {site.array: site.requests for site in done.sites if site.kind == "atomic"}
    assert list(atomics) == ["search"]
    assert levels <= atomics["search"] <= blocks * levels
    assert done.counters["grid_syncs"] == (0 if blocks == 1 else levels)
    assert not any(finding.declared for finding in done.findings)


@pytest.mark.slow
def test_the_last_level_is_known_where_all_vertices_are_visited() -> None:
    """Otherwise a level without vertices says that the search is over."""
    for spec, more in (("grid:9x9", 0), ("kron:9", 1)):
        done = gpubfs.run(NAME, spec, stages=BYTEMAP)
        assert done.counters["grid_syncs"] == done.levels.max() + 1 + more


@pytest.mark.parametrize("leaves", range(3, 8))
def test_the_last_neighbours_that_have_no_place_in_a_row(leaves: int) -> None:
    graph = gpubfs.graph(f"star:{leaves}")
    check(graph, gpubfs.run(NAME, graph, graph.hub, stages=ALL_STAGES, row=4, words=4, ranks=1))


@pytest.mark.parametrize(
    ("spec", "device", "options"),
    [
        ("grid:60x60", "p6000", {"few": 6080}),
        pytest.param("grid:200x200", "toy4", {"block": 16, "few": 6000}, marks=pytest.mark.slow),
        ("delaunay:500", "toy4", {"block": 4}),
        ("delaunay:500", "toy8", {"block": 16}),
        ("delaunay:500", "toy2", {"block": 2}),
    ],
)
def test_what_is_chosen_can_be_launched(spec: str, device: str, options: dict[str, Any]) -> None:
    done = gpubfs.run(NAME, spec, device=device, counters=False, **options)
    assert done.verified
