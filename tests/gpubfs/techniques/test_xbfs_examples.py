"""Examples 1 to 6 of XBFS on its toy graph: warps of a black and a blue thread, forced phases."""

from __future__ import annotations

from functools import cache

import pytest

import gpubfs
from gpubfs.show.traces import Trace
from tests.gpubfs.techniques.toy_traces import Event, events, only

BLACK, BLUE = 0, 1
FIGURE_2 = "scan-free+single-scan+bottom-up+no-queue"


@cache
def traced(phases: str = FIGURE_2, **options: object) -> Trace:
    """A search from 0 by one warp of two threads, or of as many as are asked for."""
    small = {"device": "toy2", "block": 2, "blocks": 1, "scan_blocks": 1, "balance": "static"}
    return gpubfs.trace("xbfs", "toy", 0, phases=phases, **small | options)


def stored(found: list[Event], array: str) -> list[int | None]:
    return [event.stored for event in only(found, "store", array)]


def looks(found: list[Event]) -> dict[int, int]:
    """How many neighbours were looked at of each vertex."""
    offsets = gpubfs.graph("toy").offsets
    owners = [sum(offsets[1:] <= event.element) for event in only(found, "load", "neighbours")]
    return {int(v): owners.count(v) for v in dict.fromkeys(owners)}


@pytest.mark.slow
def test_the_phases_are_those_of_figure_2() -> None:
    facts = traced().run.facts
    assert [known["phase"] for known in facts.values()][:4] == FIGURE_2.split("+")
    assert [known["edge_check"] for known in facts.values()] == [2, 6, 7, 7, 2]
    assert traced().as_dict()["facts"][1]["lambda"] == 3


def test_example_1_single_scan_updates_statuses_without_atomics() -> None:
    """At the level of {1, 5}, statuses of 2, 6 and 7 are updated, that of 7 twice.

    Four lanes, for two would be fewer than the vertices have edges, and share each of them.
    """
    found = events(traced(device="toy4", block=4), 1, "single_scan_by_class")
    marked = only(found, "store", "level")
    assert sorted(event.element for event in marked) == [2, 6, 7, 7]
    assert {event.element for event in marked if event.thread == BLACK} == {2, 7}
    assert {event.element for event in marked if event.thread == BLUE} == {6, 7}
    assert not only(found, "atomic", "level") + only(found, "atomic", "next_size")


def test_example_1_the_scan_enqueues_atomically_if_the_next_level_is_top_down() -> None:
    trace = traced("scan-free+single-scan+scan-free")
    found = events(trace, 2, "single_scan_enqueue")
    assert len(only(found, "load", "level")) == 10
    assert len(only(found, "atomic", "next_size")) == 3
    assert sorted(map(int, filter(None, stored(found, "next") + stored(found, "frontier")))) == [
        2,
        6,
        7,
    ]
    # Before a bottom-up level there is none: double-scan's first scan has measured the level.
    kernels = [launch.kernel for launch in traced().launches]
    assert "single_scan_enqueue" not in kernels
    assert kernels.count("double_scan_measure") == 1


def test_example_2_scan_free_updates_and_enqueues_atomically() -> None:
    """At level 0 the neighbours 1 and 5 are loaded, their statuses swapped, and both enqueued."""
    found = events(traced(), 0, "scan_free_by_class")
    assert [event.found for event in only(found, "load", "neighbours")] == [1, 5]
    swaps = only(found, "atomic", "level")
    assert [(event.element, event.swapped) for event in swaps] == [(1, True), (5, True)]
    assert len(only(found, "atomic", "next_size")) == 2
    assert stored(found, "next") == [1, 5]


@pytest.mark.slow
def test_example_3_the_queue_of_the_bottom_up_level_is_gone_through() -> None:
    """Of {3, 4, 8, 9} only those just visited are traversed, {3, 4, 8}, as scan-free does."""
    trace = traced(asynchronous=False)
    found = events(trace, 3, "no_queue_by_class")
    assert [event.found for event in only(found, "load", "frontier")] == [3, 4, 8, 9]
    assert looks(found) == {3: 3, 4: 2, 8: 2}
    assert stored(found, "next") == [9]
    assert not [kernel for kernel in of_level(trace, 3) if "double_scan" in kernel]


def of_level(trace: Trace, depth: int) -> list[str]:
    both = zip(trace.launches, trace.depths, strict=True)
    return [launch.kernel for launch, level in both if level == depth]


@pytest.mark.parametrize("phases", [FIGURE_2, "scan-free+scan-free+bottom-up"])
def test_example_4_double_scan(phases: str) -> None:
    """Black accounts for 0 to 5 and blue for 6 to 9; offsets 0 and 2; the queue is sorted."""
    trace = traced(phases)
    measured = "single-scan" in phases
    first = events(trace, 1 if measured else 2, f"double_scan_{'measure' if measured else 'count'}")
    loads = [(event.thread, event.element) for event in only(first, "load", "level")]
    assert loads == [(v % 2, v) for v in (0, 1, 6, 7, 2, 3, 8, 9, 4, 5)]
    assert stored(first, "place") == [0, 2]
    second = only(events(trace, 2, "double_scan_place"), "store", "frontier")
    assert {(at.thread, at.element, at.stored) for at in second} == {
        *((BLACK, 0, 3), (BLACK, 1, 4)),
        *((BLUE, 2, 8), (BLUE, 3, 9)),
    }


def test_example_5_workloads_are_not_proportional_to_degrees() -> None:
    """3 has degree three, 4 and 8 two; they look at one, two and one."""
    found = events(traced(), 2, "bottom_up_static")
    degrees = gpubfs.graph("toy").degrees
    assert [int(degrees[v]) for v in (3, 4, 8)] == [3, 2, 2]
    assert {v: count for v, count in looks(found).items() if v != 9} == {3: 1, 4: 2, 8: 1}


def test_example_6_9_is_found_early() -> None:
    """Its neighbours 3 and 8 have just got level 3, so that it is marked with level 4."""
    found = only(events(traced(), 2, "bottom_up_static"), "store", "level")
    assert {event.element: event.stored for event in found} == {3: 3, 4: 3, 8: 3, 9: 4}
    assert traced().run.facts[4]["early"] == 1
    late = traced(asynchronous=False)
    found = only(events(late, 2, "bottom_up_static"), "store", "level")
    assert {event.element: event.stored for event in found} == {3: 3, 4: 3, 8: 3}
    # 9 is not enqueued by anybody's claim, and the level after it is expanded all the same.
    assert stored(events(traced(), 3, "enqueue_early"), "next") == [9]
    assert not only(events(traced(), 3, "no_queue_by_class"), "store", "next")
