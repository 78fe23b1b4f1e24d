"""The page of a run that is lost: it opens with the reason, and leads to the steps that show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gpubfs.grading.loading import load
from gpubfs.grading.steps.rerun import opened as lost_case
from gpubfs.grading.steps.watching import RunTrace

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[4]
MEASURE = (Path(__file__).parent / "measured.js").read_text("utf-8")
RUNS = {
    "race": ("00-warp/exercises/sum", "4"),
    "parted": ("00-warp/exercises/one-way", "2"),
    "beyond": ("00-warp/exercises/reverse", "2"),
}


@cache
def lost(name: str) -> RunTrace:
    folder, case = RUNS[name]
    file = ROOT / "tests" / "gpubfs" / "cli" / "lost" / f"{name}.cu"
    with lost_case(load(ROOT / "lessons" / folder), file, case) as found:
        return found.watched.traced()


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Opens the page of a lost run, as `gpubfs trace --export` writes it."""
    contexts = []

    def opened(name: str, width: int = 1280, **settings: Any) -> Page:
        show, file = lost(name), tmp_path / f"{name}.html"
        show.write(file, show.at or 0)
        contexts.append(browser.new_context(viewport={"width": width, "height": 800}, **settings))
        page = contexts[-1].new_page()
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-ready]", state="attached")
        return page

    yield opened
    for context in contexts:
        context.close()


def line(page: Page) -> str | None:
    return page.locator(".line.here .number").first.text_content()


def test_both_sides_of_a_race_are_named_and_led_to(opened: Callable[..., Page]) -> None:
    page = opened("race")
    rows = page.locator(".remarks li").all_text_contents()
    assert "race on warp_sums[1]" in rows[0]
    assert "thread (0, 0, 0) reads warp_sums[1], line 21" in rows[1]
    assert "thread (32, 0, 0) writes warp_sums[1], line 17" in rows[2]
    assert page.locator(".remarks [aria-current]").text_content() == rows[1]
    assert line(page) == "21"
    assert "reads warp_sums[1], line 21." in (page.locator("#sentence").text_content() or "")
    page.locator(".remarks button").last.click()
    assert line(page) == "17"
    assert page.locator(".remarks [aria-current]").text_content() == rows[2]
    assert "block 0, warp 1:" in (page.locator(".lanes .note").text_content() or "")


def test_the_ways_of_parted_lanes_are_led_to(opened: Callable[..., Page]) -> None:
    page = opened("parted")
    assert line(page) == "7"
    page.get_by_role("button", name="step 13", exact=True).click()
    assert line(page) == "8"
    assert page.locator(".lane.active").count() == 8
    assert page.locator(".lane.masked").count() == 24


@pytest.mark.slow
def test_the_lane_at_fault_is_chosen(opened: Callable[..., Page]) -> None:
    page = opened("beyond")
    assert page.locator(".lane.chosen").get_attribute("data-lane") == "31"


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 768, 1280, 1920])
@pytest.mark.parametrize("name", ["race", "parted"])
def test_nothing_is_cut_off_or_covered(opened: Callable[..., Page], name: str, width: int) -> None:
    page = opened(name, width)
    assert page.evaluate(MEASURE) == []
    assert page.locator(".remarks").bounding_box()["width"] <= width


@pytest.mark.slow
@pytest.mark.parametrize("forced", ["none", "active"])
def test_axe_finds_nothing(opened: Callable[..., Page], forced: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="the extra browser")
    found = axe.Axe().run(opened("parted", forced_colors=forced))
    assert found.violations_count == 0, found.generate_report()
