"""The frames of a trace show what the figures of XBFS show, in the figures' order.

The black thread of XBFS's figures is lane 0, the blue one lane 1. The level that expands the source
is 0 here, as it is in Example 2 of the paper.
"""

from __future__ import annotations

import re
from itertools import chain

import pytest

from tests.gpubfs.show.traces.figures_as_recorded import (
    double_scan,
    no_queue,
    scan_free,
    single_scan,
)
from tests.gpubfs.show.traces.seen import Frame, frames, numbers, steps

pytestmark = pytest.mark.usefixtures("both")

LOAD, SWAP, APPEND = "int v = neighbours[e]", "if (atomicCAS", "next[atomicAdd"


def ascending(*found: list[Frame]) -> bool:
    """Whether the first frames of all come first, then the second ones, and so on."""
    order = [f.at for f in chain.from_iterable(zip(*found, strict=True))]
    return order == sorted(set(order))


# XBFS, Figure 4(a): scan-free at level 0.


def test_4a_loads_a_neighbour_of_0_updates_its_status_and_enqueues_it() -> None:
    load, swap, append = (frames(scan_free(), 0, text) for text in (LOAD, SWAP, APPEND))
    assert ascending(load, swap, append)
    assert [f.edges for f in load] == [["0→1"], ["0→5"]]
    assert [f.lanes for f in load] == ["■·", "■·"]
    assert [f.row("level")[:19] for f in load] == ["0 · · · · · · · · ·", "0 1 · · · · · · · ·"]


def test_4a_updates_statuses_atomically() -> None:
    swap = frames(scan_free(), 0, SWAP)
    assert [f.asked for f in swap] == [["atomic level"]] * 2
    lines = [["level[1] ← lane 0 finds -1, swaps"], ["level[5] ← lane 0 finds -1, swaps"]]
    assert [f.served for f in swap] == lines
    assert [f.row("level") for f in swap] == ["0*1 · · · · · · · · 10", "0 1 · · ·*1 · · · · 10"]


def test_4a_enqueues_atomically() -> None:
    append = frames(scan_free(), 0, APPEND)
    assert [f.asked for f in append] == [["atomic next_size", "store next"]] * 2
    assert [f.queue("next") for f in append] == [([1], "1 of 10"), ([1, 5], "2 of 10")]
    assert [f.single("next_size") for f in append] == ["*1", "*2"]
    assert append[-1].level(1) == "1 5"


# XBFS, Figure 4(b): single-scan at the level whose frontier is {1, 5}.


def test_4b_the_black_thread_works_on_1_and_the_blue_one_on_5() -> None:
    (begin,) = frames(single_scan(), 1, "mark_neighbours", shows="load frontier")
    assert (begin.lanes, begin.elements) == ("■■", "0→[0]:1 1→[1]:5")
    load = frames(single_scan(), 1, LOAD)
    assert [f.edges for f in load] == [["1→0", "5→0"], ["1→2", "5→6"], ["1→7", "5→7"]]


def test_4b_updates_the_status_of_2_and_6_and_twice_that_of_7() -> None:
    store = frames(single_scan(), 1, "level[v] = next_depth")
    assert [f.elements for f in store] == ["0→[2]=2 1→[6]=2", "0-1→[7]=2"]
    assert [f.level(2) for f in store] == ["2 6", "2 6 7"]


def test_4b_updates_statuses_without_atomics() -> None:
    expand = frames(single_scan(), 1, kernel="single_scan_expand")
    asked = {kind for f in expand for kind in f.asked}
    loads = {"load frontier", "load offsets", "load neighbours", "load level"}
    assert asked == {*loads, "store level"}


def test_4b_then_scans_the_status_array_side_by_side() -> None:
    for warp in range(5):
        (scan,) = frames(single_scan(), 1, "bool found", warp=warp, shows="load level")
        elements = re.findall(r"(\d)→\[(\d)\]", scan.elements)
        assert elements == [("0", str(2 * warp)), ("1", str(2 * warp + 1))]
        assert scan.requests == ["1 request, 1 sector"]
    expand = list(steps(single_scan(), 1, kernel="single_scan_expand"))
    assert expand[-1] < min(steps(single_scan(), 1, "bool found"))


def test_4b_enqueues_what_was_just_updated_atomically_in_some_order() -> None:
    ways = [frames(single_scan(), 1, "queue[atomicAdd", warp=warp) for warp in range(5)]
    assert [[f.lanes for f in way] for way in ways] == [[], ["■□"], [], ["■■"], []]
    append = [*ways[1], *ways[3]]
    assert [f.asked for f in append] == [["atomic next_size", "store next"]] * 2
    assert [f.row("next[…]") for f in append] == ["2", "6 7"]
    vertices, full = append[-1].queue("next")
    assert (sorted(vertices), full) == ([2, 6, 7], "3 of 10")


# XBFS, Figure 4(c): no queue generation behind the one level that is expanded bottom-up.


def test_4c_goes_through_the_bottom_up_queue() -> None:
    kernels = [launch.kernel for launch in no_queue().launches]
    after = kernels[kernels.index("bottom_up") + 1 :]
    assert after[0] == "no_queue_expand"
    assert "bottom_up" not in after
    assert not [name for name in after if name.startswith(("double_scan", "segment_places"))]
    load = [frames(no_queue(), 3, "int u = queue[i]", warp=warp)[0] for warp in (0, 1)]
    assert [f.elements for f in load] == ["0→[0]:3 1→[1]:4", "0→[2]:8 1→[3]:9"]
    assert [f.queue("queue") for f in load] == [([3, 4, 8, 9], "4 of 10")] * 2


def test_4c_traverses_only_what_was_just_visited() -> None:
    test = "if (level[u] == next_depth - 1)"
    black, blue = (frames(no_queue(), 3, test, warp=warp)[0] for warp in (0, 1))
    assert (black.elements, black.row("level[u] =…")) == ("0→[3]:3 1→[4]:3", "yes yes")
    assert (blue.elements, blue.row("level[u] =…")) == ("0→[8]:3 1→[9]:-1", "yes no")
    load = [f for warp in (0, 1) for f in frames(no_queue(), 3, LOAD, warp=warp)]
    assert {edge for f in load for edge in f.edges} == {
        *("3→2", "3→4", "3→9"),
        *("4→3", "4→6"),
        *("8→7", "8→9"),
    }
    assert {f.lanes for f in frames(no_queue(), 3, LOAD, warp=1)} == {"■□"}


def test_4c_finds_9_from_8_as_scan_free_does() -> None:
    (swap,), (append,) = frames(no_queue(), 3, SWAP), frames(no_queue(), 3, APPEND)
    assert swap.served == ["level[9] ← lane 0 finds -1, swaps"]
    assert swap.warp.startswith("block 1, warp 0")
    assert swap.row("level") == "0 1 2 3 3 1 2 2 3*4 10"
    assert append.asked == ["atomic next_size", "store next"]
    assert append.queue("next") == ([9], "1 of 10")
    for text, here in ((SWAP, swap), (APPEND, append)):
        like = frames(scan_free(), 0, text)[0]
        assert marked(here) == marked(like)


def marked(shown: Frame) -> list[str]:
    """The file and the line that are executed."""
    return [line.strip("─ ") for line in shown.lines if line.startswith(("▶ ", "── scan_free"))][:2]


# XBFS, Figure 6: double-scan for the level with the unvisited vertices {3, 4, 8, 9}.

COUNT, PLACE = "double_scan_count", "double_scan_place"
SEGMENTS = [[0, 1], [6, 7], [2, 3], [8, 9], [4, 5], []]
FRONTIERS = ["no no", "no no", "no yes", "yes yes", "yes no", "no no"]
BALLOTS = [0, 0, 0b10, 0b11, 0b01, 0]


def test_6_the_segments_are_0_to_5_and_6_to_9() -> None:
    begin = frames(double_scan(), 2, "segment.begin = ", kernel=COUNT)[-1]
    end = frames(double_scan(), 2, "segment.end = ", kernel=COUNT)[-1]
    assert (begin.row("segm….begin"), end.row("segment.end")) == ("0 6", "6 10")


@pytest.mark.parametrize("scan", [COUNT, PLACE])
def test_6_both_threads_scan_each_segment_side_by_side(scan: str) -> None:
    load = frames(double_scan(), 2, "bool found", kernel=scan, shows="load level")
    places = [[int(at) for at in re.findall(r"→\[(\d+)\]", f.elements)] for f in load]
    assert places == [place for place in SEGMENTS if place]
    assert {f.requests[0] for f in load} == {"1 request, 1 sector"}
    assert {f.lanes for f in load} == {"■■"}
    begin = frames(double_scan(), 2, "int begin = __shfl_sync", kernel=scan)
    assert [f.row("begin") for f in begin] == ["0 0", "6 6"] * 3


@pytest.mark.parametrize("scan", [COUNT, PLACE])
def test_6_the_ballots_go_to_the_thread_that_is_responsible(scan: str) -> None:
    found = frames(double_scan(), 2, "bool found", kernel=scan, shows="found")
    ballot = frames(double_scan(), 2, "unsigned bits = __ballot_sync", kernel=scan)
    kept = frames(double_scan(), 2, "mine = bits", kernel=scan)
    assert ascending(found, ballot, kept)
    assert [f.row("found") for f in found] == FRONTIERS
    assert [f.row("bits") for f in ballot] == [f"{bits} {bits}" for bits in BALLOTS]
    assert [f.lanes for f in kept] == ["■□", "□■"] * 3
    assert [int(f.row("mine")) for f in kept] == BALLOTS


def test_6_each_thread_counts_2_frontiers_and_the_offsets_are_0_and_2() -> None:
    counts = frames(double_scan(), 2, "count += __popc", shows="count")
    (place,) = frames(double_scan(), 2, "place[blockIdx.x", kernel=COUNT)
    (slot,) = frames(double_scan(), 2, "int slot = ", kernel=PLACE)
    assert ascending(counts[-1:], [place], [slot])
    assert [f.row("count") for f in counts] == ["0 0", "1 2", "2 2"]
    assert place.row("place").startswith("*0*2")
    assert place.row("warp_totals").startswith("4 ?")
    assert slot.row("slot") == "0 2"


def test_6_scan_2_puts_3_and_4_from_offset_0_on_and_8_and_9_from_2_on() -> None:
    store = frames(double_scan(), 2, "queue[slot] = ", kernel=PLACE)
    by_lane: dict[str, list[str]] = {"0": [], "1": []}
    for lane, stored in re.findall(r"(\d)→(\S+)", " ".join(f.elements for f in store)):
        by_lane[lane].append(stored)
    assert by_lane == {"0": ["[0]=3", "[1]=4"], "1": ["[2]=8", "[3]=9"]}
    assert numbers(store[-1].row("queue"))[:4] == [3, 4, 8, 9]


def test_6_nothing_is_atomic() -> None:
    kernels = (COUNT, PLACE)
    scans = [f for kernel in kernels for f in frames(double_scan(), 2, kernel=kernel)]
    asked = {kind.partition(" ")[0] for f in scans for kind in f.asked}
    assert asked == {"load", "store"}


def test_6_the_sorted_queue_is_what_the_bottom_up_level_works_on() -> None:
    load = [frames(double_scan(), 2, "v = queue[i]", warp=warp)[0] for warp in (0, 1)]
    assert [f.row("v") for f in load] == ["3 4", "8 9"]
    assert {f.queue("queue")[1] for f in load} == {"4 of 10"}
    assert load[0].at > max(steps(double_scan(), 2, "queue[slot] = ", kernel=PLACE))
