"""Exported pages in a browser, as people use them."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gpubfs.show.traces.files.export import export
from gpubfs.show.traces.files.page import HIGH, UNTRUSTED, notebook
from tests.gpubfs.show.traces.browsers import Firefox
from tests.gpubfs.show.traces.browsing import WAY, expect_step, press, stop_clock
from tests.gpubfs.show.traces.pages import counting

#: The panes of a page, as they stand in it.
PANES = "source", "lanes", "requests", "graph", "arrays", "counters"

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    Opened = Callable[..., Page]


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Opened]:
    """Opens pages, of which none may ask for anything or complain."""
    contexts, asked, complaints = [], set(), []
    file = tmp_path / "steps.html"

    def opened(show: Any, address: str = "", inside: str = "", **settings: Any) -> Page:
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
        if not inside and settings.get("java_script_enabled", True):
            page.wait_for_selector("html[data-ready]", state="attached")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
    # Firefox does not tell that it reads a file.
    wanted = set() if isinstance(browser, Firefox) else {file.as_uri()}
    assert asked - {"about:srcdoc"} == wanted


def test_a_page_begins_with_the_first_step(opened: Opened) -> None:
    show = counting()
    expect_step(opened(show), show, 0)


def test_the_slider_leads_to_every_step(opened: Opened) -> None:
    show = counting()
    page = opened(show)
    for at in (7, 3, 9, 0, 5):
        page.get_by_role("slider").fill(str(at))
        expect_step(page, show, at)


def test_what_a_step_shows_as_before_stays_in_the_page(opened: Opened) -> None:
    page = opened(counting())
    page.get_by_role("slider").fill("2")
    page.evaluate("document.querySelector('.strip .sector').known = true")
    kept = "document.querySelector('.strip .sector').known === true"
    page.get_by_role("slider").fill("4")
    assert page.evaluate(kept)
    page.get_by_role("slider").fill("3")  # lanes read these elements
    assert not page.evaluate(kept)
    assert page.locator(".strip .sector.lit .cell.touched").count() == 2


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


@pytest.mark.parametrize("focus", [None, "#slider", ".source .body", "button"])
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
    show = counting(1)
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
        page.locator(".source .body").focus()
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


def test_the_address_says_which_level(opened: Opened) -> None:
    show = counting()
    page = opened(show, "#level=1")
    expect_step(page, show, 4)
    page.evaluate("location.hash = '#level=2'")
    expect_step(page, show, 7)


@pytest.mark.parametrize(
    ("address", "at"), [("#step=99", 9), ("#step=-1", 0), ("#other", 0), ("#level=9", 0)]
)
def test_addresses_of_no_step_do_no_harm(opened: Opened, address: str, at: int) -> None:
    show = counting()
    expect_step(opened(show, address), show, at)


def test_a_page_works_inside_a_notebook(opened: Opened) -> None:
    show = counting()
    page = opened(show, inside=f"<!DOCTYPE html><p>above</p>{notebook(show)}")
    inner = page.frame_locator("iframe")
    expect_step(inner, show, 0)
    for name, _, at in WAY[:4]:
        press(inner, name)
        expect_step(inner, show, at)
    inner.get_by_role("slider").fill("3")
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(400)  # until the page would note its address
    expect_step(inner, show, 4)


@pytest.mark.parametrize("width", [400, 1000, 1400])
def test_a_notebook_shows_all_panes(opened: Opened, width: int) -> None:
    show = counting()
    page = opened(
        show,
        inside=f"<!DOCTYPE html>{notebook(show)}",
        viewport={"width": width, "height": 900},
    )
    expect_step(page.frame_locator("iframe"), show, 0)
    page.wait_for_timeout(300)
    heights = "[document.documentElement.scrollHeight, innerHeight]"
    needed, there = page.frames[1].evaluate(heights)
    assert needed <= there < needed + 40


def test_a_notebook_that_gets_wider_has_a_page_of_the_usual_height_again(opened: Opened) -> None:
    from playwright.sync_api import expect

    show = counting()
    around = f"<!DOCTYPE html><body style='margin: 0'>{notebook(show)}"
    page = opened(show, inside=around, viewport={"width": 1300, "height": 900})
    frame = page.locator("iframe")
    expect(frame).to_have_css("height", f"{HIGH}px")
    page.set_viewport_size({"width": 800, "height": 900})
    expect(frame).not_to_have_css("height", f"{HIGH}px")
    page.set_viewport_size({"width": 1300, "height": 900})
    expect(frame).to_have_css("height", f"{HIGH}px")


#: Whether the executed line stands within the part of the source that is seen.
LINE_IS_SEEN = """() => {
  const row = document.querySelector(".line.here").getBoundingClientRect();
  const body = document.querySelector(".source .body").getBoundingClientRect();
  return row.height > 0 && body.top <= row.top && row.bottom <= body.bottom;
}"""


def test_a_notebook_shows_the_executed_line_where_it_is_laid_out_late(opened: Opened) -> None:
    show = counting(comment="below" + "\n//" * 80)
    page = opened(show, inside=f"<!DOCTYPE html><div hidden>{notebook(show)}</div>")
    page.frames[1].wait_for_selector("html[data-ready]", state="attached")
    page.evaluate("document.querySelector('div').hidden = false")
    page.frames[1].wait_for_function(LINE_IS_SEEN)


@pytest.mark.parametrize(("width", "columns"), [(600, 1), (800, 2), (1080, 3)])
def test_a_notebook_of_usual_width_has_panes_in_columns(
    opened: Opened, width: int, columns: int
) -> None:
    show = counting()
    around = f"<!DOCTYPE html><body style='margin: 0'>{notebook(show)}"
    page = opened(show, inside=around, viewport={"width": width, "height": 900})
    expect_step(page.frame_locator("iframe"), show, 0)
    style = "getComputedStyle(document.querySelector('.panes')).gridTemplateColumns"
    assert len(page.frames[1].evaluate(style).split()) == columns


def test_a_notebook_that_is_not_trusted_says_what_is_missing(opened: Opened) -> None:
    show = counting()
    part = notebook(show)
    kept = re.sub("srcdoc='.*?'|<script>.*?</script>", "", part, flags=re.DOTALL)
    said = html.unescape(re.sub("<[^>]*>", "", kept))
    assert said == f"{show.title}: {UNTRUSTED}"
    page = opened(show, inside=f"<!DOCTYPE html>{part}")
    expect_step(page.frame_locator("iframe"), show, 0)
    assert UNTRUSTED not in page.locator("body").inner_text()


@pytest.mark.parametrize("light", ["true", "false"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_notebook_has_the_theme_of_the_page_around_it(
    opened: Opened, light: str, scheme: Any
) -> None:
    from playwright.sync_api import expect

    show = counting()
    around = f'<!DOCTYPE html><body data-jp-theme-light="{light}">{notebook(show)}'
    page = opened(show, inside=around, color_scheme=scheme)
    expect_step(page.frame_locator("iframe"), show, 0)
    papers = {"true": "rgb(255, 255, 255)", "false": "rgb(22, 25, 30)"}
    inner = page.frame_locator("iframe").locator("body")
    expect(inner).to_have_css("background-color", papers[light])
    other = "false" if light == "true" else "true"
    page.evaluate(f"document.body.dataset.jpThemeLight = '{other}'")
    expect(inner).to_have_css("background-color", papers[other])


def test_text_stays_text(opened: Opened) -> None:
    show = counting(
        title="</title><script>alert(1)</script>", comment="<img src=x onerror=alert(1)>"
    )
    page = opened(show)
    expect_step(page, show, 0)
    assert page.title() == show.title
    assert "<img src=x onerror=alert(1)>" in page.locator(".source").inner_text()


@pytest.mark.parametrize(("scheme", "paper"), [("light", "255, 255, 255"), ("dark", "22, 25, 30")])
def test_paper_is_what_people_prefer(opened: Opened, scheme: Any, paper: str) -> None:
    page = opened(counting(), color_scheme=scheme)
    seen = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert seen == f"rgb({paper})"


def test_panes_are_printed_without_the_controls(browser: Browser, opened: Opened) -> None:
    if isinstance(browser, Firefox):
        pytest.skip("playwright does not print by Firefox")
    page = opened(counting())
    page.emulate_media(media="print")
    visible = page.locator("#controls button:visible, input:visible, .pane:visible, #place:visible")
    kinds = visible.evaluate_all("all => all.map(it => it.id || it.className)")
    assert kinds == ["place", *(f"pane {kind}" for kind in PANES if kind != "graph")]


def test_focus_can_be_seen(opened: Opened) -> None:
    page = opened(counting())
    for _ in range(16):
        page.keyboard.press("Tab")
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        assert page.evaluate(outline) == "solid"


def test_without_javascript_the_page_says_so(browser: Browser, opened: Opened) -> None:
    if isinstance(browser, Firefox):
        pytest.skip("playwright does not switch JavaScript off in Firefox")
    page = opened(counting(), java_script_enabled=False)
    assert page.locator("noscript p").is_visible()
