"""Panes: they keep to their room, and what they show is what the trace knows."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.text import Text

from gpubfs.show.traces.frames.accessed import strips_of
from gpubfs.show.traces.frames.arrays import element, fullness, mark_of, marks_of, touched_bytes
from gpubfs.show.traces.frames.palette import LANES
from gpubfs.show.traces.terminal.gallery import Panes
from gpubfs.show.traces.terminal.panes.ascii import in_ascii
from gpubfs.show.traces.terminal.panes.flow import flow, words
from gpubfs.show.traces.terminal.panes.graph import label, looked_at
from gpubfs.show.traces.terminal.panes.moment import Subject
from gpubfs.show.traces.terminal.panes.placing import placed
from gpubfs.show.traces.terminal.panes.syntax import coloured
from gpubfs.show.traces.terminal.panes.table import KINDS
from gpubfs.show.traces.terminal.panes.timeline import here_cell, step_at, timeline
from gpubfs.show.traces.terminal.stepping import KEYS, OF_PANES, Stepper
from simulator.observe.counters.counters import SECTOR
from simulator.source import Source
from tests.gpubfs.show.traces import searches
from tests.gpubfs.show.traces.panes import moment, texts
from tests.sampling import sampled

sizes = st.tuples(st.integers(40, 220), st.integers(10, 70))


@cache
def panes_of(search, ascii_only: bool) -> Panes:
    """The panes of a trace, whose course is known."""
    return Panes(Stepper(search()), ascii_only)


@cache
def subject_of(search) -> Subject:
    """A trace, made ready once."""
    return Subject(search())


def drawn(search, at: int, size: tuple[int, int], chosen: str, ascii_only: bool = False):
    """The lines of all panes that are seen, with their places."""
    panes = panes_of(search, ascii_only)
    panes.stepper.at = at
    panes.stepper.choice.chosen = chosen if chosen in panes.stepper.choice.panes else "source"
    panes.forget()
    return [(place, panes.lines(place.pane, place.track)) for place in panes.arranged(*size)]


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(searches.ALL), st.floats(0, 1), sizes, st.sampled_from(list(KINDS)))
def test_nothing_is_larger_than_its_pane(search, share, size, chosen) -> None:
    show = search()
    for place, lines in drawn(search, int(share * (len(show) - 1)), size, chosen):
        assert len(lines) == place.height
        assert max(line.cell_len for line in lines) <= place.width, place


@settings(deadline=None, max_examples=10)
@given(st.sampled_from(searches.ALL), st.floats(0, 1), sizes, st.sampled_from(list(KINDS)))
def test_a_terminal_of_ascii_gets_the_same_cells(search, share, size, chosen) -> None:
    show = search()
    at = int(share * (len(show) - 1))
    for (place, lines), (_, plain) in zip(
        drawn(search, at, size, chosen),
        drawn(search, at, size, chosen, ascii_only=True),
        strict=True,
    ):
        assert all(line.plain.isascii() for line in plain), place
        assert [line.cell_len for line in lines] == [line.cell_len for line in plain]


@settings(deadline=None, max_examples=12)
@given(
    st.sampled_from([searches.scan_free, searches.pair, searches.launches]),
    st.lists(st.sampled_from([*KEYS, *OF_PANES, *"24a", "escape"]), max_size=25),
    sizes,
)
def test_no_keys_lead_to_what_cannot_be_drawn(search, keys: list[str], size) -> None:
    show = search()
    stepper = Stepper(show, len(show) // 2)
    panes = Panes(stepper)
    for key in keys:
        stepper.press(key)
        assert 0 <= stepper.at < len(show)
        panes.forget()
        places = panes.arranged(*size)
        assert stepper.choice.chosen in {place.pane for place in places}
        for place in places:
            assert len(panes.lines(place.pane, place.track)) == place.height
    show.follow(None)


@pytest.mark.parametrize("size", sampled([((80, 22),), ((120, 33),), ((200, 48),)], 3))
def test_nothing_is_cut_beside_empty_space(size: tuple[int, int]) -> None:
    for search in (searches.scan_free, searches.queues, searches.long_names):
        show = search()
        for at in steps_of(show, 4):
            for chosen in ("source", "memory", "counters"):
                for _, lines in drawn(search, at, size, chosen):
                    assert not [line.plain for line in lines if "…  " in line.plain]


@given(st.lists(st.text("ab ", max_size=12), max_size=8), st.integers(1, 30))
def test_text_that_flows_keeps_its_letters(parts: list[str], width: int) -> None:
    lines = flow(map(Text, parts), width, 2)
    assert max(line.cell_len for line in lines) <= width
    letters = "".join(line.plain for line in lines).replace(" ", "")
    assert letters == "".join(parts).replace(" ", "")
    whole = " ".join(parts)
    kept = "".join(line.plain for line in words(Text(whole), width, 2))
    assert kept.replace(" ", "") == whole.replace(" ", "")


# What panes show is what the scene knows.


def steps_of(trace, count: int) -> list[int]:
    return np.linspace(0, len(trace) - 1, count).astype(int).tolist()


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


@given(st.data())
@settings(deadline=None, max_examples=40)
def test_labels_never_cover_each_other(data) -> None:
    count = data.draw(st.integers(1, 30))
    place = st.tuples(st.integers(0, 1000), st.integers(0, 1000))
    places = data.draw(st.lists(place, min_size=count, max_size=count))
    width, height = data.draw(st.integers(10, 120)), data.draw(st.integers(1, 30))
    found = placed(places, [6] * count, width, height)
    if found is None:
        return
    cells = Counter()
    for vertex in range(count):
        x, y = found.around(vertex, 6)
        assert 0 <= x <= width - 6
        assert 0 <= y < height
        cells.update((x + by, y) for by in range(6))
    assert max(cells.values()) == 1


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


@given(st.integers(1, 500), st.integers(1, 200), st.data())
def test_a_step_is_in_the_cell_that_leads_to_it(steps: int, width: int, data) -> None:
    at = data.draw(st.integers(0, steps - 1))
    cell = here_cell(at, width, steps)
    assert step_at(cell, width, steps) <= at
    assert at <= max(step_at(cell + 1, width, steps) - 1, step_at(cell, width, steps))


def test_syntax_has_colours_and_keeps_the_text() -> None:
    source = Source(
        '#define A 1\n/* two\nlines */ int i = 0x1f; // end\nif (atomicAdd(p, "s")) {}\n'
    )
    lines = coloured(source)
    assert [line.plain for line in lines] == source.lines
    styles = [{line.plain[s.start : s.end]: str(s.style) for s in line.spans} for line in lines]
    assert styles[0]["#define A 1"] == "yellow"
    assert styles[1]["/* two"] == styles[2]["lines */"] == styles[2]["// end"] == "dim italic"
    assert styles[2]["int"] == "green"
    assert styles[2]["0x1f"] == "cyan"
    assert styles[3]["atomicAdd"] == "magenta"


def test_signs_of_ascii_are_as_wide() -> None:
    line = Text("■□▲ ▶ 0→1 ⡇ é", "bold")
    assert in_ascii(line).plain == "#o^ > 0>1 . ?"
