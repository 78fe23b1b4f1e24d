"""Every step of a page shows what the frame of the step shows, warp by warp."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import gpubfs
from gpubfs.show.traces import LaunchTrace, Trace
from gpubfs.show.traces.files.viewer.facts import warps_shown
from gpubfs.show.traces.frames.accessed import AccessedArrays, computed, strips_of
from gpubfs.show.traces.frames.arrays import element, mark_of, marks_of, touched_bytes
from gpubfs.show.traces.frames.frame import edges, heading, status_array
from gpubfs.show.traces.frames.lanes import at_work, idle, shown, warps
from gpubfs.show.traces.frames.memory import _arrows, _served, _tiles, figures
from gpubfs.show.traces.frames.palette import LANES
from gpubfs.show.traces.frames.scene import Scene
from tests.gpubfs.show.traces.pages import counting
from tests.gpubfs.show.traces.recording import RECORDED, traced
from tests.gpubfs.show.traces.shown import Reader, read
from tests.sampling import sampled

#: Steps of a trace that are looked at, evenly spread.
STEPS = 40
#: Warps that have a cell each on a page.
MOST_WARPS = 256
#: Elements of an array up to which all are on a page.
WHOLE = 128


@pytest.fixture
def reader(pages: Reader | str) -> Reader:
    if isinstance(pages, str):
        pytest.skip(pages)
    return pages


def words(text: str) -> list[str]:
    return text.split()


def check(reader: Reader, trace: LaunchTrace, at: int, warp: int) -> None:
    """Compare all that a page shows of a step with what the functions of frames say."""
    scene = trace.scene(at)
    assert scene.warp == warp
    page = read(reader.page(trace), at, warp).shown
    assert page["heading"] == heading(scene, 10_000).plain
    assert page["here"][0][0] == str(scene.focus.line)
    assert words(" ".join(page["lit"])) == words(scene.focus.text)
    assert page["title"] == at_work(scene)
    assert page["lanes"] == [LANES[int(state)].shape for state in scene.lanes]
    if len(warps(scene)) > 1:
        assert page["warps"] == [LANES[int(state)].shape for state in warps(scene)[:MOST_WARPS]]
    assert page["idle"] == [f"{LANES[state].shape} {text}" for state, text in idle(scene)]
    check_values(scene, page)
    check_accesses(scene, page)
    check_arrays(scene, page)
    check_graph(scene, page)
    for name, count in scene.totals.items():
        if name.replace("_", " ") in page["counters"]:
            assert page["counters"][name.replace("_", " ")] == f"{count:,}"
        else:
            assert count == 0


def check_values(scene: Scene, page: dict[str, Any]) -> None:
    rows = computed(scene)
    assert page["names"] == [row.name for row in rows]
    expected: list[list[str]] = [[] for _ in scene.lanes]
    for row in rows:
        for lane, value in zip(row.lanes.tolist(), row.values, strict=True):
            expected[lane].append(shown(value))
    assert page["values"] == ["\n".join(lane) for lane in expected]


def check_accesses(scene: Scene, page: dict[str, Any]) -> None:
    assert len(page["accesses"]) == len(scene.accesses)
    for access, found in zip(scene.accesses, page["accesses"], strict=True):
        arrays = AccessedArrays(scene, access)
        assert (found["kind"], found["array"]) == (access.site.kind, arrays.title)
        assert found["figures"] == figures(access)
        if access.site.kind == "atomic":
            rows = [_served(access, arrays, *group).plain for group in access.groups()]
            assert found["served"] == sorted(rows, key=len, reverse=True) or sorted(
                found["served"]
            ) == sorted(rows)
            continue
        arrows = _arrows(access, arrays).plain.removeprefix("lane→element")
        assert words("  ".join(found["elements"])) == words(arrows)
        tiles = " ".join(line.plain for line in _tiles(access, arrays, 10_000))
        drawn = [f"{label} ▕{''.join(cells).replace(' ', '')}" for label, cells in found["sectors"]]
        assert [re.sub(r"\s", "", text) for text in tiles.split("▏") if text.strip()] == [
            # A frame has room for one digit, and blanks before the array begins.
            re.sub(r"\s", "", re.sub(r"(?<=▕).*", one_digit(cells), text))
            for text, (_, cells) in zip(drawn, found["sectors"], strict=True)
        ]


def one_digit(cells: list[str]) -> str:
    return "".join(cell if cell in ("", "·") else str(min(int(cell), 9)) for cell in cells)


def check_arrays(scene: Scene, page: dict[str, Any]) -> None:
    touched = touched_bytes(scene)
    every = list(strips_of(scene))
    singles = {name: (mark, text) for name, mark, text in page["singles"]}
    assert set(singles) == {strip.name for strip in every if strip.values.size == 1}
    assert page["scalars"] == [[n, shown(value)] for n, value in scene.launch.scalars.items()]
    drawn = {strip["name"]: strip for strip in page["strips"]}
    assert set(drawn) == {strip.name for strip in every if strip.values.size != 1}
    for strip in every:
        marks = marks_of(strip, touched)
        if strip.values.size == 1:
            expected = mark_of(marks, 0).strip(), element(strip, 0)
            assert singles[strip.name] == expected
            continue
        used = strip.values.size
        if strip.fill is not None:
            used = min(max(strip.fill, *(at + 1 for at in marks), 0), used) if marks else strip.fill
            assert drawn[strip.name]["fill"] == f"{strip.fill:,} of {strip.values.size:,}"
        if used <= WHOLE:
            cells = [[mark_of(marks, at).strip(), element(strip, at)] for at in range(used)]
            assert drawn[strip.name]["cells"] == cells, strip.name


def check_graph(scene: Scene, page: dict[str, Any]) -> None:
    graph = scene.graph
    if graph is None:
        assert page["places"] == []
        return
    array = status_array(scene.launch)
    if array is None:
        assert page["visited"] == "this kernel is given no status array"
        return
    found = [int(edge) for edge in edges(scene, graph)]
    tails = [int(np.searchsorted(graph.offsets, edge, "right")) - 1 for edge in found]
    ends = [f"{tail}→{graph.neighbours[e]}" for tail, e in zip(tails, found, strict=True)]
    assert page["edges"].partition(": ")[2].split() == ends
    status = scene.cursor.contents(array)[0][: graph.vertices]
    for vertex, (title, kind) in enumerate(page["places"]):
        level = int(status[vertex])
        where = "not visited" if level < 0 else f"level {level}"
        assert title.startswith(f"vertex {vertex}: {where}")
        assert ("frontier" in kind.split()) == (level == scene.position.level)
    for level, (which, members, _) in enumerate(page["levels"]):
        assert which == f"level {level}"
        assert members == " ".join(map(str, np.flatnonzero(status == level)))


def check_all(reader: Reader, trace: LaunchTrace) -> None:
    """Some steps in any order, so that a page goes back and forth, seen from all their warps."""
    # Writing the page goes through all steps, and takes the cursor of scenes with it.
    kept = reader.page(trace).evaluate("viewer.tracks[0].kept")
    count = min(len(trace), STEPS)
    places = [len(trace) * number // count for number in range(count)]
    for at in np.random.default_rng(1).permutation(places).tolist():
        trace._pinned = None
        for warp in warps_shown(trace.scene(at), kept)[-3:]:
            trace._pinned = warp
            check(reader, trace, at, warp)


@pytest.mark.parametrize("name", sampled(RECORDED, 9))
def test_steps_show_what_their_frames_show(name: str, reader: Reader) -> None:
    trace = traced(name)
    trace._pinned = None
    check_all(reader, trace)


def test_structures_are_shown_as_frames_show_them(reader: Reader) -> None:
    trace = gpubfs.trace("best", "toy", stages="bytemap", device="toy4", block=8)
    check_all(reader, trace)


def test_launches_without_a_graph_do_too(reader: Reader) -> None:
    check_all(reader, counting())


def test_a_broken_kernel_is_seen_on_the_page(reader: Reader) -> None:
    """What is compared is on the page: a page of another trace does not pass."""
    trace: Trace = traced("scan-free")
    page = reader.page(trace)
    page.evaluate("viewer.tracks[0].listed.fill(0)")
    with pytest.raises(AssertionError):
        check_all(reader, trace)
