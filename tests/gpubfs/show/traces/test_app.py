"""The Textual application: keys, the mouse and sizes, without a terminal."""

from __future__ import annotations

import asyncio
import io
import os
import sys
import threading
from collections.abc import Awaitable, Callable

import pytest
from textual import events
from textual._xterm_parser import XTermParser
from textual.pilot import Pilot

from gpubfs.show.traces.terminal.app import Picture, Progress, Status, SteppingApp, name
from gpubfs.show.traces.terminal.session import can_read_keys
from gpubfs.show.traces.terminal.stepping import Stepper
from tests.gpubfs.show.traces.child import Broken
from tests.gpubfs.show.traces.toy import STEPS, Toy

Walk = Callable[[Pilot[Exception], SteppingApp], Awaitable[None]]


def walk(what: Walk, at: int = 5, size: tuple[int, int] = (80, 24)) -> SteppingApp:
    """Run the application, and do something in it."""
    app = SteppingApp(Stepper(Toy(), at))

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await what(pilot, app)

    asyncio.run(run())
    return app


def shown(app: SteppingApp) -> list[str]:
    """The lines of the screen."""
    found = [""] * app.size.height
    for part in app.screen.children:
        region = part.region
        for row, strip in enumerate(part.render_lines(part.size.region)):
            found[region.y + row] = strip.text
    return found


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        ("nB?:#5+-= ", ["n", "B", "?", ":", "#", "5", "+", "-", "=", " "]),
        ("\r\n\x7f\x08", ["enter", "enter", "backspace", "backspace"]),
        ("\x1b[A\x1b[B\x1b[C\x1b[D", ["up", "down", "right", "left"]),
        ("\x1bOA\x1bOB\x1bOC\x1bOD", ["up", "down", "right", "left"]),
        ("\x1b[H\x1bOH\x1b[1~\x1b[7~", ["home"] * 4),
        ("\x1b[F\x1bOF\x1b[4~\x1b[8~", ["end"] * 4),
        ("\x1b[5~\x1b[6~", ["pageup", "pagedown"]),
        ("\x03\x04", ["ctrl+c", "ctrl+d"]),
        ("\x1b\x1b[C", ["escape", "right"]),
        ("é", ["é"]),
        ("\x1b[110u\x1b[78;2;78u\x1b[99;5u\x1b[57400u", ["n", "N", "ctrl+c", "1"]),
    ],
)
def test_what_terminals_send(sent: str, keys: list[str]) -> None:
    found = [event for event in XTermParser().feed(sent) if isinstance(event, events.Key)]
    assert [name(event) for event in found] == keys


@pytest.mark.parametrize(
    "sent", ["\x1b[15~", "\x1b[[A", "\x1bOP", "\x1b[1;5C", "\x1b[?1;2c", "\x1bn", "\x01"]
)
def test_other_keys_are_none_of_ours(sent: str) -> None:
    async def press(pilot: Pilot[Exception], app: SteppingApp) -> None:
        for message in XTermParser().feed(sent):
            app.post_message(message)
        await pilot.pause()
        assert app.stepper.message in ("? lists the keys", "")

    stepper = walk(press).stepper
    assert (stepper.at, stepper.over, stepper.prompt) == (5, False, None)


def test_keys_reach_the_trace_and_the_screen() -> None:
    async def press(pilot: Pilot[Exception], app: SteppingApp) -> None:
        assert shown(app)[0].startswith("step-5 ")
        await pilot.press("right", "n", "space", "pageup", "j")
        await pilot.press("9")
        assert "next step at line: 9_" in shown(app)[23]
        await pilot.press("enter")
        assert shown(app)[0].startswith("step-6 ")
        assert shown(app)[23].startswith(" step 7 of 12  ←→ step")
        await pilot.press("tab", "ctrl+p", "ctrl+backslash")
        assert "? lists the keys" in shown(app)[23]
        await pilot.press("question_mark")
        assert any("previous level" in line for line in shown(app))
        await pilot.press("q")
        assert app.return_code is None
        await pilot.press("q")
        assert app.return_code == 0

    walk(press, at=5)


def test_keys_that_come_at_once_are_drawn_once() -> None:
    drawn = []

    async def press(pilot: Pilot[Exception], app: SteppingApp) -> None:
        frame = app.stepper.show.frame
        app.stepper.show.frame = lambda at, *size: drawn.append(at) or frame(at, *size)
        for _ in range(6):
            app.post_message(events.Key("right", None))
        await pilot.pause()
        assert shown(app)[0].startswith("step-6 ")

    walk(press, at=0)
    assert len(drawn) < 6
    assert drawn[-1] == 6


def test_the_wheel_steps() -> None:
    async def turn(pilot: Pilot[Exception], app: SteppingApp) -> None:
        for kind, to in [(events.MouseScrollDown, 6), (events.MouseScrollUp, 4)]:
            for part in (Picture, Progress, Status):
                x, y = app.query_one(part).region.offset
                app.post_message(kind(None, x, y, 0, 0, 0, False, False, False))
                await pilot.pause()
                assert app.stepper.at == to
                app.stepper.at = 5

    walk(turn)


def test_the_mouse_leads_along_the_line_of_progress() -> None:
    async def click(pilot: Pilot[Exception], app: SteppingApp) -> None:
        for cell, to in [(79, 11), (0, 0), (40, 6)]:
            await pilot.click(Progress, offset=(cell, 0))
            assert app.stepper.at == to
            assert shown(app)[22][cell] == "█"
        await pilot.mouse_down(Progress, offset=(20, 0))
        await pilot.hover(Progress, offset=(60, -9))
        assert app.stepper.at == 9
        await pilot.mouse_up(Progress, offset=(60, 0))
        await pilot.hover(Progress, offset=(1, 0))
        assert app.stepper.at == 9

    walk(click)


def test_a_hint_that_is_clicked_is_a_key() -> None:
    async def click(pilot: Pilot[Exception], app: SteppingApp) -> None:
        for key, to in [("←", 4), ("→", 6), ("↑", 4), ("↓", 8)]:
            app.stepper.at = 5
            await pilot.click(Status, offset=(shown(app)[23].index(key), 0))
            await pilot.pause()
            assert app.stepper.at == to

    walk(click)


def test_words_of_a_hint_are_clicked_as_its_key() -> None:
    async def click(pilot: Pilot[Exception], app: SteppingApp) -> None:
        for word in ("j line", "p play", "w warp", "? keys", "q quit"):
            app.stepper = Stepper(Toy(), 5)
            app.show_state()
            await pilot.pause()
            await pilot.click(Status, offset=(shown(app)[23].index(word) + 3, 0))
            await pilot.pause()
            pressed = Stepper(Toy(), 5)
            pressed.press(word[0])
            assert doing(app.stepper) == doing(pressed)

    walk(click)


def doing(stepper: Stepper) -> tuple[object, ...]:
    """All that a key can change."""
    asked = stepper.prompt and stepper.prompt.text
    playing, helping, over = stepper.playing, stepper.helping, stepper.over
    return stepper.at, stepper.message, asked, playing, helping, over


def test_every_row_of_a_terminal_is_used() -> None:
    async def look(pilot: Pilot[Exception], app: SteppingApp) -> None:
        for size, frame in [((60, 20), "60x18"), ((60, 19), "60x18"), ((40, 10), "40x9")]:
            await pilot.resize_terminal(*size)
            await pilot.pause(0.1)
            lines = shown(app)
            assert lines[-1].startswith(" step 6 of 12  ")
            assert lines[-3 if size[1] >= 20 else -2] == frame.rjust(size[0])
            assert [len(line) for line in lines] == [size[0]] * size[1]

    walk(look)


@pytest.mark.slow
def test_a_terminal_that_is_too_small_is_told_so() -> None:
    async def look(pilot: Pilot[Exception], app: SteppingApp) -> None:
        for size in [(39, 24), (80, 9), (20, 3), (5, 2), (1, 1)]:
            await pilot.resize_terminal(*size)
            await pilot.pause(0.1)
            words = "Toosmall:{}by{}".format(*size)
            assert "".join(shown(app)).replace(" ", "").startswith(words[: min(size)])
        await pilot.resize_terminal(80, 24)
        await pilot.pause(0.1)
        assert shown(app)[0].startswith("step-5 ")

    walk(look)


def test_it_plays_to_the_end() -> None:
    async def play(pilot: Pilot[Exception], app: SteppingApp) -> None:
        await pilot.press(*["plus"] * 4, "p")
        while app.stepper.playing:
            await pilot.pause(0.02)
        assert "no step comes after" in shown(app)[23]

    assert walk(play, at=STEPS - 4).stepper.at == STEPS - 1


def test_a_failure_is_what_the_application_returns() -> None:
    app = SteppingApp(Stepper(Broken(), 0))

    async def run() -> None:
        async with app.run_test() as pilot:
            await pilot.press("n", "n")
            await pilot.pause()

    asyncio.run(run())
    assert isinstance(app.return_value, RuntimeError)
    assert str(app.return_value) == "no picture of step 2"


@pytest.mark.skipif(os.name != "posix", reason="there are no POSIX terminals")
def test_where_keys_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    types, reads = os.openpty()
    answers: list[bool] = []
    with os.fdopen(reads) as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert can_read_keys()
        thread = threading.Thread(target=lambda: answers.append(can_read_keys()))
        thread.start()
        thread.join()
    os.close(types)
    for no_terminal in (None, io.StringIO()):
        monkeypatch.setattr(sys, "stdin", no_terminal)
        answers.append(can_read_keys())
    assert answers == [False] * 3
