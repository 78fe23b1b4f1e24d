"""The frames of a trace show what the figure of DFQ shows, its pseudo code, in the figure's order.

There is one block of two warps of two lanes, so that a stride is 2 vertices.
"""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from tests.gpubfs.show.traces.figures_as_recorded import dfq
from tests.gpubfs.show.traces.seen import Frame, frame, frames, steps

pytestmark = pytest.mark.usefixtures("both")

KINDS = ["dfq-shared", "dfq-global"]
RESERVE, ENQUEUE, EMPTY = "before = atomicAdd(own.reserved", "own.queue[atomicAdd", "*own.size = 0"
LOAD = "int v = neighbours[e]"
LINES = {RESERVE: "reserve", ENQUEUE: "enqueue", LOAD: "visit", EMPTY: "size = 0"}
BARRIERS = {"arrive at the barrier": "synchronise", "arrive at the grid's barrier": "grid.sync"}


def fill(shown: Frame) -> int:
    """How many vertices are in the sub-queue."""
    shared = any(line.startswith("sub_queue ") for line in shown.lines)
    return int(shown.queue("sub_queue" if shared else "sub_que…/0")[1].split(" of ")[0])


def kinds(shown: Frame) -> list[str]:
    """The kinds of memory operations; what they go to is behind pointers in a structure."""
    return [asked.partition(" ")[0] for asked in shown.asked]


def pseudo_code(kind: str, level: int) -> list[tuple[str, int]]:
    """What is done in a level, in the words of the figure, and how full the sub-queue is then."""
    trace = dfq(kind, 4)
    done = []
    for at in steps(trace, level):
        text, shown = trace.step(at).span.text, frame(trace, at)
        words = [words for begins, words in LINES.items() if text.startswith(begins)]
        words += [words for does, words in BARRIERS.items() if shown.warp.endswith(does)]
        done += [(word, fill(shown)) for word in words]
    return done


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_the_pseudo_code(kind: str) -> None:
    assert pseudo_code(kind, 2) == [
        *[("reserve", 0), ("enqueue", 1)],
        *[("reserve", 1), ("reserve", 1)],  # warp 1 gets no room, then warp 0 does not
        *[("synchronise", 1), ("visit", 1)],
        *[("synchronise", 1), ("size = 0", 0), ("synchronise", 0)],
        *[("reserve", 0), ("enqueue", 2)],
        *[("synchronise", 2), ("visit", 2), ("visit", 2)],  # the rest
        *[("synchronise", 2), ("size = 0", 0), ("synchronise", 0)],
        ("grid.sync", 0),
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_a_delegated_thread_of_each_warp_reserves_a_stride(kind: str) -> None:
    for warp in (0, 1):
        reserve = frames(dfq(kind, 4), 2, RESERVE, warp=warp)
        assert [f.lanes for f in reserve] == ["■□"] * len(reserve)
        assert [kinds(f) for f in reserve] == [["atomic"]] * len(reserve)
    assert reserve[0].served[0].endswith("← lane 0 finds 2")  # warp 0's stride is before it


@pytest.mark.parametrize("kind", KINDS)
def test_a_warp_that_is_refused_stops_scanning_until_the_sub_queue_is_empty(kind: str) -> None:
    trace = dfq(kind, 4)
    asked = frames(trace, 2, "return before + warpSize", warp=1)
    assert [f.row("reserve_stride()") for f in asked] == ["yes yes", "no no", "yes yes"]
    scan = frames(trace, 2, "bool found", warp=1, shows="load level")
    assert [f.elements for f in scan] == ["0→[2]:2 1→[3]:-1", "0→[6]:2 1→[7]:2"]
    empty = next(steps(trace, 2, EMPTY))
    assert scan[0].at < asked[1].at < empty < scan[1].at
    (waiting,) = [
        f
        for f in frames(trace, 2, "more = __sync", warp=1)
        if asked[1].at < f.at < empty
        if "arrive" in f.warp
    ]
    assert waiting.warps == "■■"


@pytest.mark.parametrize("kind", KINDS)
def test_a_warp_drains_a_vertex_with_all_its_lanes(kind: str) -> None:
    trace = dfq(kind, 4)
    first = [frames(trace, 1, LOAD, warp=warp)[0] for warp in (0, 1)]
    assert [f.edges for f in first] == [["1→0", "1→2"], ["5→0", "5→6"]]
    assert [f.lanes for f in first] == ["■■", "■■"]
    assert first[0].at == first[1].at
    before, rest = frames(trace, 2, LOAD, warp=0)
    assert (before.edges, rest.edges) == (["2→1", "2→3"], ["6→4", "6→5"])
    edges = [f.edges for f in frames(trace, 2, LOAD, warp=1)]
    assert edges == [["7→1", "7→5"], ["7→8"]]


@pytest.mark.parametrize("kind", KINDS)
def test_one_thread_of_the_block_resets_the_size(kind: str) -> None:
    empty = frames(dfq(kind, 4), 2, EMPTY)
    assert [(f.lanes, f.warps) for f in empty] == [("■□", "■□")] * 2
    assert not frames(dfq(kind, 4), 2, EMPTY, warp=1)
    assert [kinds(f) for f in empty] == [["store"]] * 2


@pytest.mark.parametrize("kind", KINDS)
def test_enqueues_by_an_atomic_addition_and_a_store(kind: str) -> None:
    one, two = frames(dfq(kind, 4), 2, ENQUEUE, warp=1)
    for shown in (one, two):
        assert kinds(shown) == ["atomic", "store"]
    assert one.served[0].endswith("← lane 0 finds 0")
    assert two.served[0].endswith("← lane 0 finds 0, then lane 1 finds 1")
    assert [re.findall(r"\]=(\d)", f.elements) for f in (one, two)] == [["2"], ["6", "7"]]


@pytest.mark.parametrize(("capacity", "most"), [(2, 2), (3, 3), (4, 2), (8, 3)])
@pytest.mark.parametrize("kind", KINDS)
def test_the_sub_queue_grows_and_is_emptied_and_never_overflows(
    kind: str, capacity: int, most: int
) -> None:
    trace = dfq(kind, capacity)
    changed = [
        at
        for level in set(trace.levels)
        for text in (ENQUEUE, EMPTY)
        for at in steps(trace, level, text)
    ]
    fills = [0, *(fill(frame(trace, at)) for at in sorted(changed))]
    assert max(fills) == most <= capacity
    assert {after for before, after in pairwise(fills) if after < before} == {0}
    grown = sum(after - before for before, after in pairwise(fills) if after > before)
    assert grown == trace.run.graph.vertices
    assert fill(frame(trace, len(trace) - 1)) == 0
