"""best: whoever expands a level, block, cluster or grid, nothing is lost where they change."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
from gpubfs.errors import UsageError
from gpubfs.graphs import Graph
from gpubfs.graphs.reference import reference_levels
from tests.gpubfs.techniques.test_main_loops import random_graph
from tests.sampling import examples

NAME = "best"

ALL_STAGES = "block+cluster+grid"

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
    few = min(int(done.options["few"]), int(done.options["block"]))
    for way, n in zip(told, wanted, strict=False):
        assert way in OF_BLOCK | OF_CLUSTER | OF_GRID
        assert way not in OF_BLOCK or n <= few


@examples(600, 40)
@given(st.data())
def test_nothing_is_lost_where_kernels_change(data: st.DataObject) -> None:
    """Random graphs, directed or not, all stages, clusters of all sizes, any order of warps."""
    graph = random_graph(data)
    lanes = data.draw(st.sampled_from([2, 4, 8]))
    options: dict[str, Any] = {
        "block": lanes * data.draw(st.integers(1, 4)),
        "blocks": data.draw(st.integers(0, 2)),
        "stages": data.draw(st.sampled_from(["auto", "grid", "block+grid", *[ALL_STAGES] * 3])),
        "few": data.draw(st.integers(1, 12)),
        "alpha": data.draw(st.sampled_from([0, 1, 14])),
    }
    if options["stages"] == ALL_STAGES:
        options["ranks"] = data.draw(st.sampled_from([r for r in (1, 2, 4) if r <= lanes]))
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
