"""Browsers, and what a page must show in one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from gpubfs.show.traces import LaunchTrace
from gpubfs.show.traces.frames.accessed import AccessedArrays
from gpubfs.show.traces.frames.frame import heading
from gpubfs.show.traces.frames.lanes import at_work
from gpubfs.show.traces.frames.memory import figures

BROWSERS = "chromium", "chromium-browser", "google-chrome"

#: Buttons and keys that lead from step to step, and where they get, in this order.
WAY = [
    ("next", "ArrowRight", 1),
    ("next", "ArrowRight", 2),
    ("next level", "PageDown", 4),
    ("next level", "PageDown", 7),
    ("last", "End", 9),
    ("next", "ArrowRight", 9),
    ("back", "ArrowLeft", 8),
    ("previous level", "PageUp", 7),
    ("previous level", "PageUp", 4),
    ("first", "Home", 0),
    ("back", "ArrowLeft", 0),
]


def installed(own: str) -> str | None:
    """The browser named by the environment, one on the path, or the one that playwright brings."""
    if named := os.environ.get("CHROMIUM"):
        return named
    found = [*map(shutil.which, BROWSERS), own]
    return next((path for path in found if path and Path(path).exists()), None)


def expect_step(page: Any, show: LaunchTrace, at: int) -> None:
    """A page, or a frame in one, shows a step and says so: its statement, lanes and memory."""
    from playwright.sync_api import expect

    last = len(show) - 1
    expect(page.get_by_role("status")).to_have_text(f"step {at + 1} of {last + 1}")
    expect(page.get_by_role("slider", name="step")).to_have_value(str(at))
    expect(page.get_by_role("slider")).to_have_attribute(
        "aria-valuetext", f"step {at + 1} of {last + 1}"
    )
    scene = show.scene(at)
    lit = page.locator(".line.here").first
    expect(lit.locator(".number").first).to_have_text(str(scene.focus.line))
    assert "".join(page.locator("mark.lit").all_text_contents()).split() == scene.focus.text.split()
    assert page.locator(".pane.lanes .note").text_content() == at_work(scene)
    assert page.locator(".heading").text_content() == heading(scene, 1000).plain
    asked = [f"{a.site.kind} {AccessedArrays(scene, a).title}" for a in scene.accesses]
    found = page.locator(".access h3").all()
    assert [
        " ".join(part.strip() for part in one.locator(".kind, .array").all_text_contents())
        for one in found
    ] == asked
    figured = [one.locator(".figures").text_content() for one in found]
    assert figured == [figures(access) for access in scene.accesses]


def stop_clock(page: Any) -> None:
    """Let a page's time stand still but for `page.clock.run_for`."""
    page.clock.install(time=0)
    page.clock.pause_at(1000)


def press(page: Any, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
