"""Batches: what is drawn, and which are refused before anything has changed."""

from __future__ import annotations

import numpy as np
import pytest

import gpubfs
from gpubfs.dynamic import Batch, skewed, uniform


def test_uniform_edges_join_any_two_different_vertices() -> None:
    drawn = uniform(5, 2000, seed=3)
    pairs = {*zip(drawn.sources.tolist(), drawn.targets.tolist(), strict=True)}
    assert pairs == {(u, v) for u in range(5) for v in range(5) if u != v}
    again = uniform(5, 2000, seed=3)
    assert np.array_equal(drawn.keys, again.keys)
    assert not np.array_equal(drawn.keys, uniform(5, 2000, seed=4).keys)


@pytest.mark.parametrize(("favoured", "few"), [(0, 1), (0.01, 10), (0.5, 500), (1, 1000)])
def test_skewed_edges_begin_at_a_share_of_the_vertices(favoured: float, few: int) -> None:
    drawn = skewed(1000, 20_000, favoured=favoured)
    assert len(np.unique(drawn.sources)) == few
    assert len(np.unique(drawn.targets)) > 900
    assert (drawn.sources != drawn.targets).all()


def test_a_batch_is_sorted_and_mirrored_with_its_attributes() -> None:
    batch = Batch([3, 1], [0, 2], {"weight": [7, 8]})
    ordered = batch.sorted()
    assert [values.tolist() for values in ordered.columns("weighted")] == [[1, 3], [2, 0], [8, 7]]
    both = batch.both_ways().sorted()
    assert both.sources.tolist() == [0, 1, 2, 3]
    assert both.attributes["weight"].tolist() == [7, 8, 8, 7]
    assert [c.tolist() for c in Batch([3], [0]).columns("semantic")] == [
        [3],
        [0],
        [1],
        [0],
        [0],
        [0],
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([1], [1, 2]), "there are 1 sources and 2 targets"),
        (([1], [1], {"weight": [1, 2]}), "there are 1 sources and 2 weight"),
        (([2**40], [1]), "sources holds 1099511627776 at position 0: out of range"),
        (([0.5], [1]), "sources holds float64 where whole numbers are needed"),
        (([0], [[1]]), "targets has 2 dimensions"),
    ],
)
def test_arrays_that_are_no_batch(arguments, words: str) -> None:
    with pytest.raises(gpubfs.GraphError, match=words):
        Batch(*arguments)


@pytest.mark.parametrize("attributes", [None, [3], "weight", {"targets": [5]}, {"sources": [5]}])
def test_attributes_that_edges_have_not(attributes) -> None:
    with pytest.raises(gpubfs.UsageError, match=r"is no mapping|no attribute of edges"):
        Batch([0], [1], attributes)


def test_a_batch_that_memory_cannot_hold_is_refused() -> None:
    with pytest.raises(gpubfs.UsageError, match=r"a batch of 1,000,000,000,000 updates needs"):
        uniform(10, 10**12)


@pytest.mark.parametrize("arguments", [(1, 5), (5, -1), (5, 5, -1), (2**40, 5)])
def test_what_cannot_be_drawn(arguments) -> None:
    with pytest.raises(gpubfs.UsageError, match="is out of range"):
        uniform(*arguments)


@pytest.mark.parametrize(
    "favoured", [-0.1, 1.5, float("nan"), "x", None, True, np.array([0.1, 0.2])]
)
def test_shares_are_from_0_to_1(favoured: float) -> None:
    with pytest.raises(gpubfs.GraphError, match="is no share"):
        skewed(5, 5, favoured=favoured)
