"""The experiment incremental-bfs: what its batches are, and what it says of repairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
from gpubfs.experiments.experiment import Point
from gpubfs.experiments.incremental_bfs import KINDS, random_change, ratio, said
from gpubfs.graphs import Graph
from tests.gpubfs.dynamic.incremental import edges_of


def graph_of(directed: bool) -> Graph:
    ends = np.random.default_rng(2).integers(0, 30, (2, 70))
    return Graph.from_edges(*ends, 30, directed=directed)


@given(
    kind=st.sampled_from(KINDS),
    size=st.integers(0, 120),
    seed=st.integers(0, 99),
    directed=st.booleans(),
)
def test_a_batch_is_the_difference_of_two_graphs(
    kind: str, size: int, seed: int, directed: bool
) -> None:
    """Deleted edges are there and each once; the graph after is without them, and with the new."""
    graph = graph_of(directed)
    change = random_change(graph, kind, size, np.random.default_rng(seed))
    came, went = (
        list(zip(batch.sources.tolist(), batch.targets.tolist(), strict=True))
        for batch in (change.inserted, change.deleted)
    )
    there = set(edges_of(graph))
    assert len(set(went)) == len(went)
    assert set(went) <= there
    proper = {pair if directed else (min(pair), max(pair)) for pair in came if pair[0] != pair[1]}
    assert set(edges_of(change.after)) == (there - set(went)) | proper
    share = {"insertions": size, "deletions": 0, "both": round(size / 2)}[kind]
    assert (len(came), len(went)) == (share, min(size - share, len(there)))


def point(at: float, own: float, new: float) -> Point:
    return Point("grid:9x9", "both", at, {"touched": own, "new_touched": new})


def test_the_sentence_has_the_ratios_of_each_size() -> None:
    points = [point(0.01, 1, 4), point(0.01, 3, 4), point(0.1, 8, 4)]
    verdict = said("sim", "touched", points)
    assert verdict.agrees is None
    assert "×0.25 to ×0.75 for batches of 1 % and ×2.00 for batches of 10 %" in verdict.sentence
    assert "no number" in verdict.sentence


def test_a_search_that_has_nothing_is_compared_with_nothing() -> None:
    assert ratio(point(0.1, 0, 0), "touched") is None
    sentence = said("sim", "touched", [point(0.1, 0, 0)]).sentence
    assert sentence == "on grid:9x9 a new search has no touched vertices"


@pytest.mark.slow
def test_small_batches_touch_less_than_a_search() -> None:
    done = gpubfs.experiment("incremental-bfs", graphs=["kron:10", "er:10"], shares=(0.001, 0.01))
    assert all(ratio(point, "touched") < 0.5 for point in done.points)
    assert all(ratio(point, "looked") < 0.5 for point in done.points)
