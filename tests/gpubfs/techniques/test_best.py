"""best: whoever expands a level, block, cluster or grid, nothing is lost where they change."""

from __future__ import annotations

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
from tests.gpubfs.techniques.test_main_loops import random_graph
from tests.sampling import examples

NAME = "best"

ALL_STAGES = "cluster+grid"

#: How a level is expanded by each kernel.
OF_BLOCK, OF_CLUSTER = {"block"}, {"cluster"}
OF_GRID = {"queued", "counted", "marked", "bottom-up"}

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
    of_cluster = OF_CLUSTER if int(done.options["ranks"]) > 1 else OF_BLOCK
    assert set(told) <= of_cluster | OF_GRID


@examples(600, 40)
@given(st.data())
def test_nothing_is_lost_where_kernels_change(data: st.DataObject) -> None:
    """Random graphs, directed or not, all stages, clusters of all sizes, any order of warps."""
    graph = random_graph(data)
    lanes = data.draw(st.sampled_from([2, 4, 8]))
    resident = open_machine("sim", device=f"toy{lanes}").resident_threads
    options: dict[str, Any] = {
        "block": lanes * data.draw(st.integers(1, 4)),
        "blocks": data.draw(st.integers(0, 2)),
        "stages": data.draw(st.sampled_from(["auto", "grid", *[ALL_STAGES] * 4])),
        "few": data.draw(st.sampled_from([8, 8, 16, 24])),
        "alpha": data.draw(st.sampled_from([0, 1, 14])),
    }
    if options["stages"] == ALL_STAGES:
        fitting = [r for r in (1, 1, 2, 4) if r * options["block"] <= resident]
        options["ranks"] = data.draw(st.sampled_from(fitting))
        options["row"] = data.draw(st.sampled_from([4, 8, 16]))
        rounds = options["block"] % options["row"] == 0
        options["words"] = data.draw(st.sampled_from([1, 4] if rounds else [4]))
        hypothesis.assume(options["block"] % (options["row"] // options["words"]) == 0)
    done = gpubfs.run(
        NAME,
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
        ("delaunay:2000", OF_CLUSTER),
        ("kron:9", OF_GRID),
        ("er:10,4", OF_GRID),
        ("star:300", OF_GRID),
        ("toy", OF_GRID),
    ],
)
def test_graphs_get_the_kernel_that_suits_them(spec: str, expected: set[str]) -> None:
    done = gpubfs.run(NAME, spec, counters=False)
    assert set(ways(done)) <= expected


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_cluster_and_the_grid_hand_levels_to_each_other(ranks: int) -> None:
    """A level that finds no place goes to the grid, and a small one comes back."""
    options = {"stages": ALL_STAGES, "ranks": ranks, "few": 64, "row": 4, "words": 4}
    done = gpubfs.run(NAME, "grid:150x150", device="toy8", block=16, **options)
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
        ("toy4", {"ranks": 1, "block": 12, "row": 16, "words": 1}, "do not go round on rows of 16"),
    ],
)
def test_clusters_that_cannot_be_are_refused(
    device: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        gpubfs.run(NAME, "grid:9x9", device=device, stages=ALL_STAGES, **options)


def test_hubs_that_have_no_place_in_rows_are_expanded_by_clusters_too() -> None:
    for ranks in (1, 4):
        options = {"stages": ALL_STAGES, "ranks": ranks, "row": 4, "block": 64}
        check(gpubfs.graph("star:999"), gpubfs.run(NAME, "star:999", 7, **options))
