"""Pages in windows of any width: nothing is cut off or covered, all is named and has a key."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import gpubfs
from gpubfs.show.traces import LaunchTrace, Pair
from tests.sampling import sampled

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WIDTHS = (360, 768, 830, 1280, 1920, 2560)
SCHEMES = ("light", "dark", "forced")

#: Boxes of the page that must not cover each other, and what is wider than its place or cut off.
MEASURE = (Path(__file__).parent / "measured.js").read_text("utf-8")


@cache
def toy() -> LaunchTrace:
    return gpubfs.trace("scan-free", "toy", 0)


@cache
def shown(name: str) -> Any:
    """What is shown: a graph of a few vertices, one of too many to draw, and two traces."""
    if name == "many":
        return gpubfs.trace("scan-free", "kron:8", levels=range(2))
    if name == "pair":
        return Pair(toy(), gpubfs.trace("status-array", "toy", 0))
    return toy()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    found = {name: folder / f"{name}.html" for name in ("toy", "many", "pair")}
    for name, file in found.items():
        shown(name).write(file)
    return found


@pytest.fixture
def opened(browser: Browser, files: dict[str, Path]) -> Iterator[Any]:
    """Opens a page in a window of some width."""
    contexts = []

    def opened(name: str, width: int, scheme: str = "light", at: int = 51) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 800},
            color_scheme="dark" if scheme == "dark" else "light",
            forced_colors="active" if scheme == "forced" else "none",
        )
        contexts.append(context)
        page = context.new_page()
        page.goto(f"{files[name].as_uri()}#step={at}")
        page.wait_for_selector("html[data-ready]", state="attached")
        return page

    yield opened
    for context in contexts:
        context.close()


@pytest.mark.parametrize(
    ("name", "width", "scheme"), sampled(product(("toy", "many", "pair"), WIDTHS, SCHEMES), 4)
)
def test_nothing_is_cut_off_or_covered(opened: Any, name: str, width: int, scheme: str) -> None:
    page = opened(name, width, scheme)
    for at in (0, 30, 44, 51, 60):
        page.evaluate(f"viewer.show({at})")
        assert page.evaluate(MEASURE) == []


@pytest.mark.parametrize("width", sampled([830, *WIDTHS], 7))
def test_what_is_said_of_the_beginning_leaves_room(opened: Any, width: int) -> None:
    page = opened("pair", width)
    said = "'the two differ from here; '.repeat(4)"
    page.evaluate(f"document.getElementById('message').textContent = {said}")
    assert page.evaluate(MEASURE) == []
    assert page.evaluate("document.getElementById('top').offsetHeight") <= (
        240 if width > 480 else 320
    )
    buttons = "[...document.querySelectorAll('#controls button:not([hidden])')]"
    assert page.evaluate(f"{buttons}.every((one) => one.scrollHeight <= one.offsetHeight)")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_window_has_the_colours_that_are_asked_for(opened: Any, scheme: str) -> None:
    page = opened("toy", 1280, scheme)
    asked = ["(prefers-color-scheme: dark)", "(forced-colors: active)"]
    found = page.evaluate("all => all.map((one) => matchMedia(one).matches)", asked)
    assert found == [scheme == "dark", scheme == "forced"]


def test_arrays_of_a_small_graph_stand_beside_each_other_in_a_notebook(opened: Any) -> None:
    page = opened("toy", 1080)
    lefts = "[...document.querySelectorAll('.strip')].map((it) => it.getBoundingClientRect().left)"
    assert len(set(page.evaluate(lefts))) == 2


@pytest.mark.parametrize(
    "broken",
    [
        ".pane.graph { margin-left: -40px; }",
        ".lane { width: 12px; white-space: nowrap; overflow-wrap: normal; }",
        ".line code { white-space: pre; }",
        "#controls button { margin-right: -9px; }",
        ".pane .body { overflow: hidden; }",
    ],
)
def test_what_is_cut_off_or_covered_is_found(opened: Any, broken: str) -> None:
    page = opened("toy", 1280)
    page.add_style_tag(content=broken)
    assert page.evaluate(MEASURE) != []


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", ["toy", "pair"])
def test_every_control_is_reached_by_the_tabulator(opened: Any, name: str, width: int) -> None:
    page = opened(name, width)
    wanted = page.evaluate(
        """() => {
          const all = document.querySelectorAll("button, input, .body, [tabindex='0']");
          return [...all].filter((it) => it.tabIndex >= 0 && it.offsetParent).map((it, at) => {
            it.dataset.tab = at;
            return String(at);
          });
        }"""
    )
    reached = set()
    for _ in range(len(wanted) + 2):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.dataset.tab"))
    assert reached >= set(wanted)


@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    sampled(product(("toy", "many", "pair"), (360, 1280), SCHEMES), 7),
)
def test_axe_finds_nothing(opened: Any, name: str, width: int, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="the extra browser")
    page = opened(name, width, scheme)
    page.keyboard.press("ArrowRight")
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    page.keyboard.press("?")
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_help_names_every_key(opened: Any) -> None:
    page = opened("toy", 1280)
    names = {
        **{"ArrowLeft": "←", "ArrowRight": "→", "PageUp": "Page Up", "PageDown": "Page Down"},
        **{" ": "Space", "=": "+"},
    }
    keys = page.evaluate("[...KEYS.keys()]")
    page.keyboard.press("?")
    told = page.locator("#help kbd").all_text_contents()
    assert {names.get(key, key) for key in keys} <= set(told)
    page.keyboard.press("Escape")
    assert not page.locator("#help").is_visible()


def test_the_step_is_told_in_a_sentence(opened: Any) -> None:
    page = opened("toy", 1280, at=40)
    sentence = page.locator("#sentence")
    assert sentence.get_attribute("aria-live") == "polite"
    assert sentence.text_content() == (
        "scan_free.cu line 29: atomicCAS(&level[v], -1, next_depth) == -1. "
        "block 0, warp 0: 2 of 32 lanes active. atomic level: 1 request, 1 sector."
    )


@pytest.mark.parametrize(
    ("query", "step"),
    [
        *[("level 2", 51), ("12", 12), ("step 7", 7), ("line 30", 14)],
        *[("warp 3", 1), ("atomiccas", 13), ("neighbours", 7)],
    ],
)
def test_a_search_leads_there(opened: Any, query: str, step: int) -> None:
    page = opened("toy", 1280, at=1)
    page.keyboard.press("/")
    page.keyboard.type(query)
    page.keyboard.press("Enter")
    assert page.locator("#place").text_content() == f"step {step} of {len(toy())}"


@pytest.mark.parametrize("query", ["level 99", "0", "line 2", "warp 99", "nowhere"])
def test_a_search_for_what_is_not_there_says_so(opened: Any, query: str) -> None:
    page = opened("toy", 1280, at=9)
    page.locator("#find").fill(query)
    page.keyboard.press("Enter")
    assert page.locator("#place").text_content() == f"step 9 of {len(toy())}"
    assert page.locator("#message").text_content()


def test_a_line_that_is_clicked_leads_to_its_next_step(opened: Any) -> None:
    page = opened("toy", 1280, at=1)
    page.locator('.gutter[data-line="24"]').click()
    at = int(page.locator("#place").text_content().split()[1]) - 1
    assert at == toy().at_line(0, 24)


def test_keys_follow_warps_and_choose_lanes(opened: Any) -> None:
    page = opened("toy", 1280, at=1)
    for _ in range(3):
        page.keyboard.press("w")
    assert page.locator("#message").text_content() == "following warp 2"
    assert "warp 2:" in page.locator(".lanes .note").text_content()
    page.keyboard.press("]")
    assert page.locator(".detail").text_content().startswith("lane 1: active")
    trace = toy()
    for _ in range(3):
        trace.next_warp()
    way = [trace.onward(0), trace.onward(trace.onward(0))]
    while trace.followed is not None:
        trace.next_warp()
    for at in way:
        page.keyboard.press("ArrowRight")
        assert page.locator("#place").text_content() == f"step {at + 1} of {len(trace)}"


def test_two_traces_are_told_apart(opened: Any) -> None:
    page = opened("pair", 1280, at=1)
    page.keyboard.press("d")
    rows = page.locator("#differences li").all_text_contents()
    assert rows[0] == "statement: step 1"
    assert rows[3].startswith("levels of vertices: step ")
    page.locator("#differences button").last.click()
    at = int(page.locator("#place").text_content().split()[1]) - 1
    frames = [[members for _, members, _ in page.evaluate(READ_LEVELS, track)] for track in (0, 1)]
    assert frames[0] != frames[1]
    page.evaluate(f"viewer.show({at - 1})")
    assert page.evaluate(READ_LEVELS, 0) == page.evaluate(READ_LEVELS, 1)


READ_LEVELS = """(track) => {
  const rows = document.querySelectorAll(".track")[track].querySelectorAll(".levels li");
  const text = (row, where) => row.querySelector(where).textContent;
  return [...rows].map((row) => [text(row, ".which"), text(row, ".members"), ""]);
}"""
