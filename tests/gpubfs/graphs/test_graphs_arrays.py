"""The arrays that a Graph is given: of every type that holds whole numbers, and its own after."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpubfs.graphs import Graph, GraphError, graph

OFFSETS, NEIGHBOURS = [0, 2, 4, 6], [1, 2, 0, 2, 0, 1]
TRIANGLE = Graph(np.array(OFFSETS), np.array(NEIGHBOURS))

TYPES = ["<i4", ">i4", "<i8", ">i8", "i1", "i2", "u1", "u2", ">u2", "u4", "u8", ">u8"]
TYPES += ["f4", "f8", ">f8", "f2", "g", "O"]


@pytest.mark.parametrize("kind", TYPES)
def test_every_type_that_holds_whole_numbers_is_converted(kind: str) -> None:
    found = Graph(np.array(OFFSETS, kind), np.array(NEIGHBOURS, kind))
    assert found == TRIANGLE
    assert found.offsets.dtype == (np.int32 if kind in ("<i4", ">i4") else np.int64)
    assert found.neighbours.dtype == np.int32
    assert found.offsets.dtype.isnative
    ends = np.array([0, 1, 2], kind), np.array([1, 2, 0], kind)
    assert Graph.from_edges(*ends) == TRIANGLE


def test_truth_values_are_numbers_where_they_are_an_array() -> None:
    ends = np.array([False, True]), np.array([True, False])
    assert Graph.from_edges(*ends) == graph("path:2")


@pytest.mark.parametrize(
    "ends",
    [
        np.array([0.5, 1]),
        np.array([np.nan, 1]),
        np.array([np.inf, 1]),
        np.array([1e300, 1]),
        np.array([2**63, 1], np.uint64),
        np.array([2**70, 1], object),
        np.array([1.0, "1"], object),
        np.array([None, 1], object),
        np.array([True, 1], object),
        np.array(["0", "1"]),
        np.array([b"0", b"1"]),
        np.array([0j, 1]),
        np.array([0, 1], "M8[s]"),
        np.array([(0,), (1,)], [("a", "i4")]),
        np.ma.masked_array([0, 1], [True, False]),
        [[0], [1, 2]],
        [[0, 1]],
        0,
        "01",
    ],
    ids=str,
)
def test_what_would_lose_something_is_refused(ends: Any) -> None:
    for made in (lambda: Graph.from_edges(ends, [0, 1]), lambda: Graph([0, 1, 2], ends)):
        with pytest.raises(GraphError) as error:
            made()
        assert error.value.hint
        assert "\n" not in error.value.message


def test_arrays_in_any_layout() -> None:
    wide = np.repeat(np.array(OFFSETS, np.int32), 3)[::3]
    backwards = np.array(NEIGHBOURS[::-1], np.int32)[::-1]
    wide.flags.writeable = False
    found = Graph(wide, backwards)
    assert found == TRIANGLE
    assert found.offsets.flags.c_contiguous
    assert found.neighbours.flags.c_contiguous


def test_later_changes_of_the_input_change_nothing() -> None:
    for kind in (np.int32, np.int64):
        offsets, neighbours = np.array(OFFSETS, kind), np.array(NEIGHBOURS, kind)
        found = Graph(offsets, neighbours)
        offsets[:], neighbours[:] = 0, 0
        assert found == TRIANGLE
    ends = np.array([0, 1, 2]), np.array([1, 2, 0])
    found = Graph.from_edges(*ends)
    ends[0][:] = ends[1][:] = 0
    assert found == TRIANGLE


@pytest.mark.parametrize(
    "derived",
    [
        lambda made: made,
        copy.copy,
        copy.deepcopy,
        lambda made: pickle.loads(pickle.dumps(made)),
        lambda made: made.renamed("other"),
        lambda made: made.with_index64(),
        lambda made: Graph(made.offsets, made.neighbours, directed=True).reversed,
    ],
)
def test_no_array_of_a_graph_can_be_written_to(derived: Any) -> None:
    found = derived(graph("karate"))
    for array in (found.offsets, found.neighbours, found.degrees, found.adjacent(0)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.sampled_from(TYPES))
def test_the_type_makes_no_difference(ends: list[int], kind: str) -> None:
    expected = Graph.from_edges(ends, ends[::-1], 10)
    assert Graph.from_edges(np.array(ends, kind), np.array(ends, kind)[::-1], 10) == expected
