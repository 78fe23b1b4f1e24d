"""Exported pages in a browser, as people use them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from matplotlib.image import imread
from rich.text import Text

from gpubfs.show.traces.files.export import export
from gpubfs.show.traces.files.page import notebook
from tests.gpubfs.show.traces.browsing import (
    BROWSERS,
    WAY,
    expect_step,
    installed,
    press,
    stop_clock,
)
from tests.gpubfs.show.traces.pages import Told, counting

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    Opened = Callable[..., Page]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright: the extra browser")
    with api.sync_playwright() as playwright:
        path = installed(playwright.chromium.executable_path)
        if path is None:
            pytest.skip(f"needs a browser: one of {', '.join(BROWSERS)}, or CHROMIUM as its path")
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Opened]:
    """Opens pages, of which none may ask for anything or complain."""
    contexts, asked, complaints = [], set(), []
    file = tmp_path / "steps.html"

    def opened(show: Told, address: str = "", inside: str = "", **settings: Any) -> Page:
        export(show, file)
        if inside:
            file.write_text(inside, "utf-8")
        context = browser.new_context(**settings)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(5000)
        page.on("request", lambda request: asked.add(request.url.partition("#")[0]))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(file.as_uri() + address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
    assert asked - {"about:srcdoc"} == {file.as_uri()}


def test_a_page_begins_with_the_first_step(opened: Opened) -> None:
    show = counting()
    expect_step(opened(show), show, 0)


def test_the_slider_leads_to_every_step(opened: Opened) -> None:
    show = counting()
    page = opened(show)
    for at in (7, 3, 9, 0, 5):
        page.get_by_role("slider").fill(str(at))
        expect_step(page, show, at)


def test_the_slider_is_drawn_by_the_mouse(opened: Opened) -> None:
    show = counting()
    page = opened(show)
    box = page.get_by_role("slider").bounding_box()
    assert box
    page.mouse.move(box["x"] + 8, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=3)
    middle = int(page.get_by_role("slider").input_value())
    assert 3 <= middle <= 6
    expect_step(page, show, middle)
    page.mouse.move(box["x"] + box["width"], box["y"], steps=3)
    page.mouse.up()
    expect_step(page, show, 9)


def test_buttons_lead_where_they_say(opened: Opened) -> None:
    show = counting()
    page = opened(show)
    for name, _, at in WAY:
        press(page, name)
        expect_step(page, show, at)


@pytest.mark.parametrize("focus", [None, "#slider", "#frame", "button"])
def test_keys_lead_there_wherever_the_focus_is(opened: Opened, focus: str | None) -> None:
    show = counting()
    page = opened(show)
    if focus:
        page.locator(focus).first.focus()
    for _, key, at in WAY:
        page.keyboard.press(key)
        expect_step(page, show, at)


def test_keys_of_the_browser_stay_its_own(opened: Opened) -> None:
    show = counting()
    page = opened(show)
    page.keyboard.press("Control+End")
    page.keyboard.press("Shift+ArrowRight")
    expect_step(page, show, 0)


def test_space_on_a_button_presses_that_one(opened: Opened) -> None:
    show = counting()
    page = opened(show)
    page.get_by_role("button", name="next", exact=True).focus()
    page.keyboard.press(" ")
    expect_step(page, show, 1)
    page.get_by_role("button", name="play").wait_for()


@pytest.mark.parametrize("key", [False, True], ids=["button", "key"])
def test_play_goes_on_and_stops_at_the_end(opened: Opened, key: bool) -> None:
    show = counting(4)
    page = opened(show)
    stop_clock(page)
    for _ in "first time", "from the end, it begins anew":
        if key:
            page.keyboard.press(" ")
        else:
            press(page, "play")
        page.get_by_role("button", name="pause").wait_for()
        for at in (1, 2, 3):
            page.clock.run_for(400)
            expect_step(page, show, at)
        page.get_by_role("button", name="play").wait_for()
        page.clock.run_for(4000)
        expect_step(page, show, 3)


@pytest.mark.parametrize("way", ["pause", "space", "slider"])
def test_play_is_stopped_by_hand(opened: Opened, way: str) -> None:
    show = counting()
    page = opened(show)
    stop_clock(page)
    press(page, "play")
    page.clock.run_for(800)
    if way == "pause":
        press(page, "pause")
    elif way == "space":
        page.locator("#frame").focus()
        page.keyboard.press(" ")
    else:
        page.get_by_role("slider").fill("2")
    page.clock.run_for(4000)
    expect_step(page, show, 2)
    page.get_by_role("button", name="play").wait_for()


def test_the_address_says_which_step(opened: Opened) -> None:
    show = counting()
    page = opened(show, "#step=6")
    expect_step(page, show, 5)
    press(page, "next")
    page.wait_for_url("**#step=7")
    page.evaluate("location.hash = '#step=4'")
    expect_step(page, show, 3)


@pytest.mark.parametrize(("address", "at"), [("#step=99", 9), ("#step=-1", 0), ("#other", 0)])
def test_addresses_of_no_step_do_no_harm(opened: Opened, address: str, at: int) -> None:
    show = counting()
    expect_step(opened(show, address), show, at)


def test_a_page_works_inside_a_notebook(opened: Opened) -> None:
    show = counting()
    page = opened(show, inside=f"<!DOCTYPE html><p>above</p>{notebook(show, height=4)}")
    inner = page.frame_locator("iframe")
    expect_step(inner, show, 0)
    for name, _, at in WAY[:4]:
        press(inner, name)
        expect_step(inner, show, at)
    inner.get_by_role("slider").fill("3")
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(400)  # until the page would note its address
    expect_step(inner, show, 4)


def test_a_notebook_shows_a_whole_frame(opened: Opened) -> None:
    show = Told([[Text("x" * 100)] * 40])
    page = opened(
        show, inside=f"<!DOCTYPE html>{notebook(show)}", viewport={"width": 1000, "height": 900}
    )
    heights = "[document.documentElement.scrollHeight, innerHeight]"
    needed, there = page.frames[1].evaluate(heights)
    assert needed <= there < needed + 40


@pytest.mark.parametrize("width", [1000, 500])
def test_a_frame_is_as_wide_as_the_window_allows(opened: Opened, width: int) -> None:
    page = opened(Told([[Text("─" * 100)]]), viewport={"width": width, "height": 400})
    assert page.locator("#frame").evaluate("it => it.scrollWidth <= it.clientWidth")


def test_lines_join(opened: Opened) -> None:
    show = Told([[Text("  │  "), Text("──┼──"), Text("  │  "), Text("  │  ")]])
    page = opened(show, color_scheme="light", device_scale_factor=2)
    dark = imread(io.BytesIO(page.locator("#frame").screenshot()))[..., :3].mean(axis=2) < 0.6
    quarter = dark.shape[0] // 8
    assert dark[quarter:-quarter].all(axis=0).any(), "no line from top to bottom"
    first, *_, last = dark.any(axis=0).nonzero()[0]
    assert dark[:, first : last + 1].all(axis=1).any(), "no line from left to right"


def test_columns_stay_where_they_are_behind_any_character(opened: Opened) -> None:
    page = opened(Told([[Text("ab|"), Text("漢|"), Text("↳▏|"), Text("■□|"), Text("⠿🄰|")]]))
    ends = page.locator("#frame").evaluate(
        """frame => {
          const texts = document.createTreeWalker(frame, NodeFilter.SHOW_TEXT), ends = [];
          while (texts.nextNode()) {
            const at = texts.currentNode.data.indexOf("|");
            if (at < 0) continue;
            const range = document.createRange();
            range.setStart(texts.currentNode, at);
            range.setEnd(texts.currentNode, at + 1);
            ends.push(range.getBoundingClientRect().left);
          }
          return ends;
        }"""
    )
    assert len(ends) == 5
    assert max(ends) - min(ends) < 0.5


def test_text_stays_text(opened: Opened) -> None:
    show = Told([[Text("<img src=x onerror=alert(1)>"), Text("</script><script>alert(1)")]])
    show.title = "</title><script>alert(1)</script>"
    page = opened(show)
    expect_step(page, show, 0)
    assert page.title() == show.title


@pytest.mark.parametrize(("scheme", "paper"), [("light", "255, 255, 255"), ("dark", "22, 25, 30")])
def test_paper_is_what_people_prefer(opened: Opened, scheme: Any, paper: str) -> None:
    page = opened(Told([[Text("warning", style="red")]]), color_scheme=scheme)
    seen = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert seen == f"rgb({paper})"
    word = page.locator("#frame span").evaluate("it => getComputedStyle(it).color")
    assert (word == "rgb(128, 0, 0)") == (scheme == "light")


def test_the_frame_is_printed_without_the_controls(opened: Opened) -> None:
    page = opened(counting())
    page.emulate_media(media="print")
    visible = page.locator("button:visible, input:visible, #frame:visible, #place:visible")
    assert visible.evaluate_all("all => all.map(it => it.id)") == ["place", "frame"]


def test_focus_can_be_seen(opened: Opened) -> None:
    page = opened(counting())
    for _ in range(9):
        page.keyboard.press("Tab")
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        assert page.evaluate(outline) == "solid"


def test_without_javascript_the_page_says_so(opened: Opened) -> None:
    page = opened(counting(), java_script_enabled=False)
    assert page.locator("noscript p").is_visible()
