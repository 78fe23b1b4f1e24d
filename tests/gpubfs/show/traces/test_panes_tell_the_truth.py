"""What panes show is what the trace knows."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpubfs.show.traces.frames.accessed import strips_of
from gpubfs.show.traces.frames.arrays import element, fullness, mark_of, marks_of, touched_bytes
from gpubfs.show.traces.frames.palette import LANES
from gpubfs.show.traces.terminal.panes.graph import label, looked_at
from gpubfs.show.traces.terminal.panes.moment import Subject
from gpubfs.show.traces.terminal.panes.table import KINDS
from gpubfs.show.traces.terminal.panes.timeline import timeline
from simulator.observe.counters.counters import SECTOR
from tests.gpubfs.show.traces import searches
from tests.gpubfs.show.traces.panes import moment, steps_of, subject_of, texts


@pytest.mark.parametrize("search", [searches.scan_free, searches.queues, searches.long_names])
def test_memory_shows_every_element_of_small_arrays(search) -> None:
    subject = subject_of(search)
    for at in steps_of(subject.traced, 15):
        now = moment(subject, at)
        lines = texts(KINDS["memory"].draw(now, 400, 400))
        touched = touched_bytes(now.scene)
        for strip in strips_of(now.scene):
            marks = marks_of(strip, touched)
            if strip.values.size == 1:
                expected = f"{strip.name}{mark_of(marks, 0)}{element(strip, 0)}"
                assert any(f"{expected}  " in f"{line}  " for line in lines), expected
            elif strip.values.size <= 64:
                shown = next(line for line in lines if line.startswith(f"{strip.name} "))
                assert shown.endswith(fullness(strip))
                cells = shown[len(strip.name) : -len(fullness(strip))]
                used = strip.values.size if strip.fill is None else strip.fill
                used = max([used, *(n + 1 for n, how in marks.items() if how is not None)])
                own = [f"{mark_of(marks, n).strip()}{element(strip, n)}" for n in range(used)]
                got = re.sub("[┊│]", " ", cells.replace("empty", ""))
                got = re.sub(r"([›*+])", r" \1", got).split()
                assert got == own, (at, strip.name)


@settings(deadline=None, max_examples=30)
@given(st.floats(0, 1), st.integers(40, 120), st.integers(8, 40))
def test_what_a_lane_touches_is_in_sight(share: float, width: int, height: int) -> None:
    subject = subject_of(searches.karate)
    now = moment(subject, int(share * (len(subject.traced) - 1)))
    lines = texts(KINDS["memory"].draw(now, width, height))
    touched = touched_bytes(now.scene)
    for strip in strips_of(now.scene):
        marks = [at for at, how in marks_of(strip, touched).items() if how is not None]
        if marks and strip.values.size > 1:
            first = next(n for n, line in enumerate(lines) if line.startswith(f"{strip.name} "))
            begins = [n for n, x in enumerate(lines) if re.match(r"(?!row of)\S", x)]
            after = [n for n in begins if n > first]
            own = "".join(lines[first : min(after, default=len(lines))])
            assert re.search("[›*]", own), own


@pytest.mark.parametrize("search", [searches.scan_free, searches.queues])
def test_pointers_name_the_lanes_below_their_elements(search) -> None:
    subject, checked = subject_of(search), 0
    for at in steps_of(subject.traced, 120):
        now = moment(subject, at)
        for access in now.scene.accesses:
            if access.lanes.size != 1 or access.site.array != "level":
                continue
            lines = texts(KINDS["memory"].draw(now, 400, 400))
            below = lines[next(n for n, x in enumerate(lines) if x.startswith("level ")) + 1]
            line = lines[lines.index(below) - 1]
            assert below.strip() == f"↑{access.lanes[0]}"
            assert line[below.index("↑")] in "›*"
            checked += 1
    assert checked


@pytest.mark.parametrize("search", [searches.scan_free, searches.queues, searches.launches])
def test_the_grid_has_every_lane_and_value(search) -> None:
    subject = subject_of(search)
    for at in steps_of(subject.traced, 40):
        now = moment(subject, at)
        content = KINDS["warp"].draw(now, 60, 60)
        lines = texts(content)
        rows = [n for n, line in enumerate(lines) if re.match(r"lane +\d+( |$)", line)]
        # A variable may have that name, too.
        numbers = [n for n in rows if set(lines[n + 1]) <= set(" ■□▲·")]
        lanes = " ".join(lines[n].removeprefix("lane") for n in numbers).split()
        assert lanes == [str(lane) for lane in range(now.scene.lanes.size)]
        shapes = "".join(lines[n + 1] for n in numbers).split()
        assert shapes == [
            LANES[int(s)].shape for s in now.scene.lanes if LANES[int(s)].shape != " "
        ]
        chosen = KINDS["warp"].draw(replace(now, lane=now.scene.lanes.size + 5), 60, 60)
        assert any(x.startswith(f"lane {now.scene.lanes.size - 1}: ") for x in texts(chosen))


def test_operations_name_every_lane_and_its_sectors() -> None:
    subject = subject_of(searches.scan_free)
    for at in range(len(subject.traced)):
        now = moment(subject, at)
        lines = texts(KINDS["requests"].draw(now, 100, 60))
        heads = [line for line in lines if re.match("(load|store|atomic) ", line)]
        assert len(heads) == len(now.scene.accesses)
        for access, head in zip(now.scene.accesses, heads, strict=True):
            assert head.startswith(access.site.kind)
            assert f"{access.sectors} sector" in head
        tiles = "".join(line for line in lines if line.startswith("sectors"))
        others = [a for a in now.scene.accesses if a.site.kind != "atomic"]
        wanted = sum(np.unique(a.addresses // SECTOR).size for a in others)
        assert tiles.count("▕") == wanted


def test_the_graph_has_each_vertex_with_its_level() -> None:
    subject = subject_of(searches.scan_free)
    for at in range(0, len(subject.traced), 7):
        now = moment(subject, at)
        level, written = now.scene.cursor.values("level")
        assert written.all()
        drawing = "\n".join(texts(KINDS["graph"].draw(now, 70, 24)))
        for vertex, own in enumerate(level.tolist()):
            frontier = own == now.scene.position.level
            text = f"{vertex}:{own if own >= 0 else '·'}"
            found = re.search(rf"(?<![\d:])({vertex}:[\d·])", drawing)
            assert found, (vertex, drawing)
            assert found[1] == text
            around = drawing[found.start() - 1 : found.end() + 1]
            assert (around[0] == "[", around[-1] == "]") == (frontier, frontier)
        looked = looked_at(now.scene)
        for vertex, writes in looked.items():
            own = label(now.scene, vertex, int(level[vertex]), looked)
            assert own[0] == ("*" if writes else "›")
            assert own in drawing


def test_edges_that_are_looked_along_are_listed_and_drawn() -> None:
    trace = searches.scan_free()
    at = next(n for n in range(len(trace)) if trace.step(n).span.text.startswith("int v = neigh"))
    lines = texts(KINDS["graph"].draw(moment(Subject(trace), at), 70, 24))
    assert "looked along:  0→1" in lines
    assert sum(line.count("•") for line in lines) > 3


def test_the_executed_line_is_marked_and_lines_have_their_heat() -> None:
    subject = subject_of(searches.scan_free)
    subject.course.advance()
    names = ("load_sectors", "store_sectors", "atomic_sectors")
    heat: Counter[tuple[str, int]] = Counter()
    before = 0
    for at in range(len(subject.traced)):
        scene = subject.traced.scene(at)
        now = sum(scene.totals.get(name, 0) for name in names)
        heat[scene.focus.source.name, scene.focus.line] += now - before
        before = now
    for at in steps_of(subject.traced, 30):
        now = moment(subject, at)
        span = now.scene.focus
        content = KINDS["source"].draw(now, 150, 60)
        lines = texts(content)
        marked = [line for line in lines if line.startswith("▶")]
        assert marked == [lines[content.focus.start]]
        assert marked[0][1:5].strip() == str(span.line)
        assert span.source.line(span.line).strip() in marked[0]
        moved = heat[span.source.name, span.line]
        figure = re.match(r"▶ *\d+ .\s*(\S+)", marked[0])
        assert figure
        assert (figure[1] == str(moved)) if moved else figure[1].endswith("×")


def test_counters_are_the_runs_and_what_a_step_adds() -> None:
    subject = subject_of(searches.queues)
    subject.course.advance()
    last: dict[str, int] = {}
    for at in range(len(subject.traced)):
        now = moment(subject, at)
        totals = now.scene.totals
        if at % 37 == 0:
            lines = texts(KINDS["counters"].draw(now, 60, 60))
            for name, count in totals.items():
                shown = next((x for x in lines if x.startswith(name.replace("_", " ") + "  ")), "")
                more = count - last.get(name, 0)
                found = shown.removeprefix(name.replace("_", " ")).split()
                expected = [f"{count:,}", *([f"+{more:,}"] if more else [])]
                assert not count or found[: len(expected)] == expected, name
        last = dict(totals)


def test_the_timeline_has_levels_lanes_and_contention() -> None:
    trace = searches.scan_free()
    course = Subject(trace).course
    course.advance()
    note, (levels, lanes, atomics) = timeline(
        trace.levels, [(course, range(len(trace)))], 60, len(trace)
    )
    assert note.endswith(f"at most {course.contention.max()}")
    for at in range(len(trace)):  # a cell a step
        scene = trace.scene(at)
        part = scene.step.lanes.size / (scene.launch.warps_of(scene.step).size * 2)
        assert (lanes.plain[at] == "█") == (part == 1)
        asked = any(o.site.kind == "atomic" for o in scene.step.block.operands)
        assert (atomics.plain[at] != " ") == asked
    begins = [trace.levels.index(level) for level in sorted(set(trace.levels))]
    assert [at for at, sign in enumerate(levels.plain) if sign == "▏"] == begins
    assert "▏level 1" in levels.plain
