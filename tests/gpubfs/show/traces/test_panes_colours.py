"""The colours and marks of panes say what the trace knows, as their words do."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from rich.console import Console
from rich.style import Style
from rich.text import Text

from gpubfs.show.traces.frames.accessed import AccessedArrays, strips_of
from gpubfs.show.traces.frames.arrays import element, marks_of, touched_bytes
from gpubfs.show.traces.frames.course import Course
from gpubfs.show.traces.frames.memory import tiles
from gpubfs.show.traces.terminal.panes.counters import CURVE
from gpubfs.show.traces.terminal.panes.graph import looked_at
from gpubfs.show.traces.terminal.panes.source import BARS
from gpubfs.show.traces.terminal.panes.table import KINDS
from gpubfs.show.traces.terminal.panes.timeline import timeline
from gpubfs.show.traces.terminal.panes.warp import described
from gpubfs.show.traces.terminal.status import progress_line
from gpubfs.show.traces.terminal.stepping import Stepper
from simulator.observe.trace import ACTIVE, ENDED, MASKED, NOBODY, WAITING
from tests.gpubfs.show.traces import searches
from tests.gpubfs.show.traces.panes import Moment, moment, steps_of, subject_of

CONSOLE = Console()
LEVELS = ("cyan", "green", "yellow", "magenta", "blue", "red")
LANES = {ACTIVE: "green", MASKED: "yellow", WAITING: "magenta", ENDED: None, NOBODY: None}
SEARCHES = [searches.scan_free, searches.queues]


def style(line: Text, at: int) -> Style:
    return line.get_style_at_offset(CONSOLE, at)


def colour(line: Text, at: int) -> str | None:
    found = style(line, at).color
    return None if found is None else found.name


def level_colour(level: int) -> str:
    return LEVELS[level % len(LEVELS)]


def drawn(now: Moment, pane: str, width: int = 200, height: int = 200) -> list[Text]:
    return KINDS[pane].draw(now, width, height).lines


def moments(search, count: int = 8) -> list[Moment]:
    subject = subject_of(search)
    return [moment(subject, at) for at in steps_of(subject.traced, count)]


@pytest.mark.parametrize("search", SEARCHES)
def test_lanes_have_the_colour_of_what_they_do(search) -> None:
    for now in moments(search):
        numbers, shapes = drawn(now, "warp")[:2]
        for lane, state in enumerate(now.scene.lanes.tolist()):
            at = numbers.plain.split("lane", 1)[1].index(f" {lane}" if lane else "0")
            at += 4 + bool(lane)
            assert colour(shapes, at) == LANES[state], (now.scene.position.at, lane)


def test_the_warp_that_is_shown_is_marked_among_all() -> None:
    subject = subject_of(searches.queues)
    for warp in range(subject.traced.launches[0].waves[0].warps):
        now = moment(subject, 0, warp)
        row = next(line for line in drawn(now, "warp") if line.plain.startswith("warps "))
        marked = [at - 6 for at in range(6, len(row.plain)) if style(row, at).reverse]
        assert marked == [warp]
        assert f"this is warp {warp}" in row.plain


@pytest.mark.parametrize("search", SEARCHES)
def test_curves_grow_like_counters_and_are_strong_up_to_the_step(search) -> None:
    for now in moments(search, 7):
        course, at = now.subject.course, now.scene.position.at
        course.advance()
        counts = [dict(course.samples[n][1]).get("load_requests", 0) for n in (0, -1)]
        line = next(one for one in drawn(now, "counters") if one.plain.startswith("load requests"))
        begins = len(line.plain) - CURVE
        bars = [BARS.index(sign) for sign in line.plain[begins:]]
        assert bars == sorted(bars)
        assert bars[-1] == len(BARS) - 1
        assert bars[0] <= round(counts[0] / counts[1] * 7) + 1
        strong = sum(colour(line, begins + cell) == "cyan" for cell in range(CURVE))
        assert abs(strong - CURVE * (at + 1) / course.count) <= 1
        totals = now.scene.totals
        steps = totals["warp_steps"] * now.scene.launch.warp_size
        share = f"{100 * totals['thread_steps'] / steps:.0f} %"
        assert drawn(now, "counters")[0].plain.split(maxsplit=3)[3] == share


@pytest.mark.parametrize("search", SEARCHES)
def test_the_timeline_has_levels_least_lanes_and_most_contention(search) -> None:
    traced = search()
    course = Course(traced.launches)
    course.advance()
    width = 60
    _, (levels, lanes, contention) = timeline(
        traced.levels, [(course, range(len(traced)))], 0, width
    )
    for cell in range(1, width):
        own = slice(cell * len(traced) // width, (cell + 1) * len(traced) // width)
        assert colour(levels, cell) == level_colour(traced.levels[own.start])
        least = course.at_work[own].min()
        assert colour(lanes, cell) == ("green" if least == 1 else "yellow")
        assert BARS.index(lanes.plain[cell]) == max(round(float(least) * 8) - 1, 0)
        met = course.contention[own].max()
        assert (contention.plain[cell] != " ") == bool(met)
        if met:
            assert colour(contention, cell) == "magenta"


def test_progress_has_the_colours_of_levels() -> None:
    show = searches.scan_free()
    line = progress_line(Stepper(show), 40)
    for cell in range(40):
        level = show.levels[cell * len(show) // 40]
        assert colour(line, cell) == level_colour(level)


@pytest.mark.parametrize("search", [searches.scan_free, searches.queues])
def test_vertices_and_levels_have_the_colour_of_their_level(search) -> None:
    for now in moments(search):
        lines = drawn(now, "graph", 150, 60)
        status = next(s for s in strips_of(now.scene) if s.name == "level").values
        for vertex, level in enumerate(status.tolist()):
            if level < 0:
                continue
            label = f"{vertex}:{level}"
            cells = [(one, one.plain.index(label)) for one in lines if _has(one.plain, label)]
            assert any(colour(*cell) == level_colour(level) for cell in cells), label
            rows = [one for one in lines if one.plain[2:].startswith(f"level {level} ")]
            for row in rows:
                assert colour(row, len(row.plain.rstrip()) - 1) == level_colour(level)


def _has(text: str, label: str) -> bool:
    at = text.find(label)
    return at >= 0 and not text[max(at - 1, 0) : at].isdigit()


@pytest.mark.parametrize("search", SEARCHES)
def test_elements_are_marked_by_how_they_are_touched(search) -> None:
    for now in moments(search, 14):
        touched = touched_bytes(now.scene)
        lines = drawn(now, "memory", 400, 400)
        for strip in strips_of(now.scene):
            marks = marks_of(strip, touched)
            if strip.values.size == 1 or strip.values.size > 64:
                continue
            line = next(one for one in lines if one.plain.startswith(f"{strip.name} "))
            _check_elements(line, strip, marks)


def _check_elements(line: Text, strip, marks) -> None:
    """Reads are in reverse, writes bold in reverse, and levels in their colours."""
    at = len(strip.name)
    for n in range(strip.values.size):
        text = element(strip, n)
        at = line.plain.find(text, at)
        if at < 0:
            return
        found = style(line, at)
        how = marks.get(n)
        assert bool(found.reverse) == (how is not None), (strip.name, n)
        if how is not None:
            assert bool(found.bold) == how, (strip.name, n)
        elif strip.name == "level" and strip.values[n] >= 0:
            assert colour(line, at) == level_colour(int(strip.values[n]))
        at += len(text)


@pytest.mark.parametrize("search", SEARCHES)
def test_heat_is_higher_where_a_line_moves_more_sectors(search) -> None:
    now = moments(search, 3)[1]
    now.subject.course.advance()
    source = now.scene.focus.source
    moved = {n: count for (own, n), count in now.subject.course.sectors.items() if own == source}
    most = max(now.subject.course.sectors.values())
    for line in drawn(now, "source"):
        number = line.plain[1:5].strip()
        if number.isdecimal() and moved.get(int(number)):
            height = BARS.index(line.plain[6]) + 1
            assert abs(height - 8 * moved[int(number)] / most) <= 1


def test_vertices_whose_level_is_written_are_bold() -> None:
    seen = set()
    for now in moments(searches.scan_free, 24):
        for vertex, writes in looked_at(now.scene).items():
            sign = f"{'*' if writes else '›'}{vertex}:"
            for line in drawn(now, "graph", 150, 60):
                if sign in line.plain:
                    found = style(line, line.plain.index(sign))
                    assert (found.reverse, bool(found.bold)) == (True, writes), sign
                    seen.add(writes)
    assert seen == {False, True}


@pytest.mark.parametrize("search", SEARCHES)
def test_signs_between_elements_stand_where_sectors_and_queues_end(search) -> None:
    sectors = queues = 0
    for now in moments(search, 15):
        lines = [line.plain for line in drawn(now, "memory", 400, 400)]
        for strip in strips_of(now.scene):
            if 1 < strip.values.size <= 64:
                line = next(one for one in lines if one.startswith(f"{strip.name} "))
                cells = line[len(strip.name) :]
                size = strip.values.dtype.itemsize
                for before in _before(cells, "┊"):
                    assert (strip.start + before * size) % 32 == 0, line
                    sectors += 1
                for before in _before(cells, "│") if strip.fill else ():
                    assert before == strip.fill, line
                    queues += 1
    assert sectors
    assert queues


def _before(cells: str, sign: str) -> list[int]:
    """How many elements stand before each of these signs."""
    ends = [at for at, own in enumerate(cells) if own == sign]
    return [len(re.sub("[┊│›*+]", " ", cells[:at]).split()) for at in ends]


@pytest.mark.parametrize("search", SEARCHES)
def test_the_first_pointer_stands_below_the_first_element_that_lanes_touch(search) -> None:
    seen = 0
    for now in moments(search, 15):
        lines = [line.plain for line in drawn(now, "memory", 400, 400)]
        for line, below in pairwise(lines):
            if below.strip().startswith("↑"):
                assert below.index("↑") == re.search("[›*]", line).start()
                seen += 1
    assert seen


def test_rows_of_neighbours_are_named_above_their_first_elements() -> None:
    seen = 0
    for now in moments(searches.scan_free, 20):
        graph, lines = now.scene.graph, [line.plain for line in drawn(now, "memory", 400, 400)]
        for above, line in pairwise(lines):
            if above.startswith("row of"):
                for found in re.finditer(r"\d+", above):
                    cells = line[len("neighbours") : found.start()]
                    before = len(re.sub("[┊│›*+]", " ", cells).split())
                    assert graph.offsets[int(found[0])] == before
                    seen += 1
    assert seen


@pytest.mark.parametrize("search", SEARCHES)
def test_what_is_executed_is_in_reverse(search) -> None:
    for now in moments(search):
        lines, span = drawn(now, "source", 300), now.scene.focus
        lit = [
            "".join(sign for at, sign in enumerate(line.plain) if style(line, at).reverse)
            for line in lines
        ]
        assert "".join("".join(lit).split()) == "".join(span.text.split())


@pytest.mark.parametrize("search", SEARCHES)
def test_sectors_of_a_lane_and_lanes_of_sectors_are_those_of_its_addresses(search) -> None:
    for now in moments(search, 20):
        for access in now.scene.accesses:
            lane, address = int(access.lanes[0]), int(access.addresses[0])
            if not access.shared:
                assert f"sector {address // 32}" in described(now.scene, lane)
            if access.site.kind != "atomic":
                found = tiles(access, AccessedArrays(now.scene, access))
                wanted = "".join(re.sub("[^1-9]", "", tile.plain.split("▕")[1]) for tile in found)
                counts = np.unique(access.addresses, return_counts=True)[1].tolist()
                assert list(map(int, wanted)) == [min(count, 9) for count in counts]


def test_levels_in_one_line_have_their_colours() -> None:
    for now in moments(searches.scan_free):
        lines = drawn(now, "graph", 150, 6)
        line = next(one for one in lines if one.plain.startswith("0: "))
        for found in re.finditer(r"(\d+): (\d+)", line.plain):
            assert colour(line, found.start(2)) == level_colour(int(found[1]))
