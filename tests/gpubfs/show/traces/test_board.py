"""The panes in Textual: keys, the mouse and sizes, without a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot

from gpubfs.show.traces.terminal.app import Picture, Progress, SteppingApp
from gpubfs.show.traces.terminal.board import Board, PaneView, TimelineView
from gpubfs.show.traces.terminal.stepping import Stepper
from tests.gpubfs.show.traces import searches
from tests.sampling import sampled

Walk = Callable[[Pilot[Exception], SteppingApp], Awaitable[None]]


def walk(
    what: Walk,
    show=None,
    at: int = 60,
    size: tuple[int, int] = (80, 24),
    message: str = "",
    ascii_only: bool = False,
) -> SteppingApp:
    """Run the application on a real trace, and do something in it."""
    app = SteppingApp(Stepper(show or searches.scan_free(), at, message), ascii_only)

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await what(pilot, app)

    asyncio.run(run())
    return app


def screen(app: SteppingApp) -> list[str]:
    """The lines of the screen."""
    return ["".join(s.text for s in line) for line in app.screen._compositor.render_strips()]


def seen(app: SteppingApp) -> set[str]:
    """The panes whose headings are on the screen."""
    views = app.screen._compositor.visible_widgets
    parts = {v.key[0] for v in views if isinstance(v, PaneView)}
    return parts - {"heading", "remarks", "sheets"}


def find(app: SteppingApp, text: str) -> tuple[int, int]:
    """Where a text begins on the screen."""
    for y, line in enumerate(screen(app)):
        if text in line:
            return line.index(text), y
    raise AssertionError(f"no {text} in\n" + "\n".join(screen(app)))


def test_one_column_and_tab_turns_to_other_panes() -> None:
    async def turn(pilot: Pilot[Exception], app: SteppingApp) -> None:
        assert seen(app) == {"source", "warp", "requests"}
        assert "▶  26" in "\n".join(screen(app))
        await pilot.press("tab")
        assert seen(app) == {"memory", "graph"}
        assert "[7:2]" in "\n".join(screen(app))
        await pilot.press("tab")
        assert seen(app) == {"counters", "timeline"}
        await pilot.press("tab")
        assert seen(app) == {"source", "warp", "requests"}
        await pilot.press("shift+tab", "shift+tab")
        assert seen(app) == {"memory", "graph"}
        assert app.stepper.at == 60

    walk(turn)


@pytest.mark.parametrize(("size", "columns"), sampled([((120, 35), 2), ((200, 50), 3)], 2))
def test_all_panes_in_columns(size: tuple[int, int], columns: int) -> None:
    async def look(pilot: Pilot[Exception], app: SteppingApp) -> None:
        assert len(seen(app)) == 7
        views = [v for v in app.query(PaneView) if v.key[0] in seen(app)]
        assert len({v.region.x for v in views}) == columns
        assert max(map(len, screen(app))) == size[0]

    walk(look, size=size)


@pytest.mark.slow
def test_another_size_keeps_the_step_and_the_pane() -> None:
    async def resize(pilot: Pilot[Exception], app: SteppingApp) -> None:
        await pilot.press("right", "tab")
        for size in [(120, 35), (200, 50), (60, 16), (40, 10), (30, 8), (80, 24)]:
            await pilot.resize_terminal(*size)
            await pilot.pause(0.05)
            assert app.stepper.at == 61
            assert app.query_one(Board).display == (size[0] >= 60)
            assert app.query_one(Picture).display == (size[0] < 60)
        assert seen(app) == {"memory", "graph"}

    walk(resize)


def test_a_small_terminal_has_the_frame_of_the_step() -> None:
    async def look(pilot: Pilot[Exception], app: SteppingApp) -> None:
        frame = app.stepper.show.frame(60, 40, 9)
        assert [line.rstrip() for line in screen(app)[:9]] == [x.plain.rstrip() for x in frame]

    walk(look, size=(40, 10))


@pytest.mark.slow
def test_a_pane_alone_and_scrolled() -> None:
    async def press(pilot: Pilot[Exception], app: SteppingApp) -> None:
        await pilot.press("tab", "tab", "f")
        assert seen(app) == {"counters"}
        await pilot.press("tab")
        assert seen(app) == {"timeline"}
        await pilot.press("f", "tab")
        assert seen(app) == {"source", "warp", "requests"}
        first = screen(app)
        await pilot.press("greater_than_sign")
        assert screen(app)[3] == first[6]
        await pilot.press("less_than_sign")
        assert screen(app) == first
        for _ in range(15):
            await pilot.press("less_than_sign")
        top = screen(app)
        assert "  1 " in top[3]
        await pilot.press("greater_than_sign")
        assert screen(app)[3] == top[6]  # what led past the end is forgotten

    walk(press)


def test_a_line_that_is_clicked_leads_to_its_next_step() -> None:
    async def click(pilot: Pilot[Exception], app: SteppingApp) -> None:
        x, y = find(app, "int v = neighbours[e]")
        await pilot.click(offset=(x + 2, y))
        await pilot.pause()
        show = app.stepper.show
        assert app.stepper.at == next(n for n in range(61, len(show)) if show.lines[n] == 24)
        x, y = find(app, "// The plain read")
        await pilot.click(offset=(x, y))
        await pilot.pause()
        assert "no step is at line 25" in screen(app)[-1]

    walk(click)


def test_what_is_said_of_a_trace_stands_above_and_leads_to_its_steps() -> None:
    async def click(pilot: Pilot[Exception], app: SteppingApp) -> None:
        await pilot.press("end")
        x, y = find(app, "step 2: lanes part at `i % 2`")
        await pilot.click(offset=(x, y))
        await pilot.pause()
        assert app.stepper.at == 1
        x, y = find(app, "✗ here: lanes part at `i % 2`")
        assert y == 1
        assert seen(app) >= {"source", "warp"}

    walk(click, show=searches.remarked(), at=0)


def test_a_lane_that_is_clicked_is_described() -> None:
    async def click(pilot: Pilot[Exception], app: SteppingApp) -> None:
        x, y = find(app, "level[v] < 0 no")
        await pilot.click(offset=(x + len("level[v] < 0 no  "), y - 2))
        await pilot.pause()
        assert "lane 1: active; level[v] < 0 is yes; load level[4]" in "\n".join(screen(app))
        await pilot.press("left_square_bracket")
        assert "lane 0: active; level[v] < 0 is no; load level[1]" in "\n".join(screen(app))
        await pilot.press("right_square_bracket")
        assert "lane 1: " in "\n".join(screen(app))

    walk(click)


def test_the_name_of_a_pane_that_is_clicked_leads_to_it() -> None:
    async def click(pilot: Pilot[Exception], app: SteppingApp) -> None:
        x, y = find(app, "counters timeline")
        await pilot.click(offset=(x + 1, y))
        await pilot.pause()
        assert seen(app) == {"counters", "timeline"}

    walk(click)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "keys"), sampled([((120, 35), []), ((80, 24), ["tab", "tab"])], 2)
)
def test_the_timeline_leads_to_steps(size: tuple[int, int], keys: list[str]) -> None:
    async def click(pilot: Pilot[Exception], app: SteppingApp) -> None:
        await pilot.press(*keys)
        view = next(v for v in app.query(TimelineView) if v.key == ("timeline", 0))
        for cell, to in [(0, 0), (size[0] // 2, 61), (size[0] - 1, 120)]:
            await pilot.click(view, offset=(cell, 2))
            await pilot.pause()
            assert abs(app.stepper.at - to) <= 1
        await pilot.mouse_down(view, offset=(4, 1))
        await pilot.hover(Progress, offset=(size[0] // 2, 0))
        await pilot.pause()
        assert app.stepper.at == 61
        await pilot.mouse_up(view, offset=(4, 1))

    walk(click, size=size)


@pytest.mark.slow
def test_text_is_found_by_keys() -> None:
    async def press(pilot: Pilot[Exception], app: SteppingApp) -> None:
        await pilot.press("slash", *"atomiccas")
        assert "find text or line: atomiccas_" in screen(app)[-1]
        await pilot.press("enter")
        assert "atomicCAS" in app.stepper.show.step(app.stepper.at).span.text
        await pilot.press("slash", "2", "4", "enter")
        assert app.stepper.show.lines[app.stepper.at] == 24
        await pilot.press("slash", *"nothing", "enter")
        assert "no step shows “nothing”" in screen(app)[-1]

    walk(press)


@pytest.mark.parametrize("size", sampled([((80, 24),), ((120, 35),), ((200, 50),)], 3))
def test_the_help_page_has_keys_and_the_legend(size: tuple[int, int]) -> None:
    async def press(pilot: Pilot[Exception], app: SteppingApp) -> None:
        await pilot.press("question_mark")
        page = "\n".join(screen(app))
        for words in ("next step", "Shift-Tab", "find text or a line", "lane: masked", "▶"):
            assert words in page
        for words in ("[7:2]", "vertex of the frontier", "a line: next step there", "•••"):
            assert words in page
        assert not seen(app)
        await pilot.press("n")
        assert len(seen(app)) >= 3
        assert app.stepper.at == 60

    walk(press, size=size)


@pytest.mark.parametrize("size", sampled([((120, 35),), ((80, 24),), ((200, 50),)], 3))
def test_two_traces_stand_beside_each_other(size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[Exception], app: SteppingApp) -> None:
        assert "scan_free.cu" in screen(app)[2]
        assert "status_array.cu" in screen(app)[2]
        assert "leads to the first step" in screen(app)[-1]
        await pilot.press("home")
        assert app.stepper.at == 0
        x, y = find(app, "if (level[v] != depth)")
        await pilot.click(offset=(x, y))
        await pilot.pause()
        right, steps = app.stepper.show.tracks[1]
        assert right.lines[steps[app.stepper.at]] == 16

    pair = searches.pair()
    walk(look, pair, 1, size, "they differ; Home leads to the first step")


def test_a_trace_without_a_graph_has_no_pane_of_it() -> None:
    async def look(pilot: Pilot[Exception], app: SteppingApp) -> None:
        assert "graph" not in seen(app)
        assert "memory" in seen(app)
        assert "launch 1" in "\n".join(screen(app))
        assert "level 0" not in "\n".join(screen(app))

    walk(look, searches.launches(), 2, (120, 35))


def test_a_terminal_of_ascii() -> None:
    async def look(pilot: Pilot[Exception], app: SteppingApp) -> None:
        for key in ("tab", "tab", "question_mark"):
            assert "\n".join(screen(app)).isascii()
            await pilot.press(key)
        await pilot.resize_terminal(40, 10)
        await pilot.pause(0.05)
        assert "\n".join(screen(app)).isascii()

    walk(look, ascii_only=True)


def test_a_step_that_cannot_be_drawn_is_what_the_application_returns(monkeypatch) -> None:
    trace = searches.scan_free()
    scene = type(trace).scene

    def broken(self, at: int):
        if at == 61:
            raise RuntimeError("no scene of step 62")
        return scene(self, at)

    monkeypatch.setattr(type(trace), "scene", broken)

    async def press(pilot: Pilot[Exception], app: SteppingApp) -> None:
        await pilot.press("n")
        await pilot.pause()

    assert str(walk(press).return_value) == "no scene of step 62"


@pytest.mark.slow
def test_a_long_trace_is_learnt_while_it_is_shown(monkeypatch) -> None:
    monkeypatch.setattr("gpubfs.show.traces.terminal.gallery.AT_FIRST", 0)
    monkeypatch.setattr("gpubfs.show.traces.terminal.gallery.AT_A_TIME", 0)

    async def look(pilot: Pilot[Exception], app: SteppingApp) -> None:
        (subject,) = app.query_one(Board).panes.subjects
        before = subject.course.known
        assert not subject.course.complete
        await pilot.pause(0.3)
        assert subject.course.known > before
        monkeypatch.setattr("gpubfs.show.traces.terminal.gallery.AT_A_TIME", 5)
        await pilot.pause(0.3)
        assert subject.course.complete

    walk(look, size=(120, 35))
